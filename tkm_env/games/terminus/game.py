"""One game of Terminus as a value."""

from __future__ import annotations

import itertools
from typing import Any, ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import CHANCE, draw_seed, new_stream
from tkm_env.core.compact_observation import ObservationPart
from tkm_env.core.compiled_game import CompiledGame
from tkm_env.core.game import InfoField
from tkm_env.core.renderer import Renderer
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.core.settings import make_config
from tkm_env.core.symmetries import SymmetryTables
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.errors import ConfigError
from tkm_env.games.terminus.config import TerminusConfig, TerminusSettings
from tkm_env.games.terminus.deck import DEFAULT_DECK, deck_of
from tkm_env.games.terminus.engine.actions import ACTIONS
from tkm_env.games.terminus.engine.kernels import ENTRY_POINTS, shuffle_all
from tkm_env.games.terminus.engine.observation import (
    OBSERVATION_HIGH,
    SEEN_ERAS,
    TERMINUS_FEATURES,
    eras_of_card,
)
from tkm_env.games.terminus.engine.state import ERAS, MAX_LENGTH, PLAYERS, STATE, VICTORY
from tkm_env.games.terminus.engine.state import TERMINUS as TERMINUS_ERA
from tkm_env.games.terminus.notation import (
    RESULTS,
    format_position,
    format_step,
    format_view,
    parse_position,
)
from tkm_env.games.terminus.view import view_of


class TerminusGame(CompiledGame):
    """One game of Terminus, from its start or from a given position.

    Two games are equal, with equal hashes, if their positions are, including what is hidden: the
    order of the deck, and the random numbers of a later shuffle. The actions that led there do not
    count.

    Args:
        config: the settings; keywords replace or override them.
        seed: for the order of the deck, and for what a ``position`` leaves open. None draws a seed
            from the system.
        position: the text of a position to start from, or of a player's view of one.
        **settings: the keywords of `TerminusConfig`.

    Raises:
        ConfigError: naming the invalid keyword.
        DeckError: naming the invalid card.
        FileError: if a file is not a deck file.
        PositionError: naming the position's field that is wrong.

    >>> game = TerminusGame(seed=1)
    >>> game.position_for("red")
    '1:.I. b p 10,12,16/2,4,8 ?10 -/- 1 -'
    >>> game.play("play first at 1")
    >>> game.position_for("red")
    '2:R.G|1:I. r p 10,12,16/3,4,8 ?9 -/2 2 -'
    """

    __slots__ = ()

    name: ClassVar = "terminus"
    title: ClassVar = "Terminus"
    players: ClassVar = PLAYERS
    action_names: ClassVar = ACTIONS
    results: ClassVar = RESULTS
    dtype: ClassVar = STATE
    kernels: ClassVar = ENTRY_POINTS
    observation_high: ClassVar = OBSERVATION_HIGH
    default_config: ClassVar = TerminusConfig()
    info_fields: ClassVar = (
        InfoField(
            "victories",
            np.int8,
            (2,),
            0,
            MAX_LENGTH,
            "how many visible eras have each player's colour",
        ),
    )

    def __init__(
        self,
        config: TerminusConfig | None = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Unpack[TerminusSettings],
    ) -> None:
        config = make_config(TerminusConfig, config, settings)
        chance = new_stream(seed, CHANCE)
        if position is None:
            states = config.draw(chance)
        else:
            states = parse_position(
                position, config.blank(), np.random.default_rng(draw_seed(chance))
            )
        self._begin_at(states, config)

    @classmethod
    def renderer(cls) -> Renderer:
        from tkm_env.games.terminus.render.renderer import RENDERER  # training draws nothing

        return RENDERER

    def __str__(self) -> str:
        from tkm_env.games.terminus.render.text import draw

        return draw(self)

    @property
    def situation(self) -> str:
        return view_of(self).situation

    @classmethod
    def rules_for(cls, config: TerminusConfig | None = None) -> list[RulesSection]:
        from tkm_env.games.terminus.rulebook_text import rules_for  # read only when somebody asks

        return rules_for(config)

    @classmethod
    def observation_parts(cls, config: TerminusConfig) -> list[ObservationPart]:
        """The parts of an observation that vary with this deck.

        They are in the order of `tkm_env.TERMINUS_FEATURES`.

        >>> sum(len(part.elements) for part in TerminusGame.observation_parts(TerminusConfig()))
        820
        """
        assert isinstance(config.deck, tuple)
        letters = {*"".join(config.deck), ERAS[TERMINUS_ERA].letter}
        found = []
        first = 0
        for feature in TERMINUS_FEATURES:
            needed = feature.varies * (feature.length // len(feature.varies))
            varies = [not those or bool(letters.intersection(those)) for those in needed]
            elements = tuple(first + place for place in range(feature.length) if varies[place])
            of_card = len(feature.varies) > 1
            meaning = (
                eras_of_card([*itertools.compress(SEEN_ERAS, varies)])
                if of_card
                else feature.meaning
            )
            if elements:
                found.append(ObservationPart(feature.name, None, meaning, elements))
            first += feature.length
        return found

    @classmethod
    def player_swap_symmetry(cls) -> SymmetryTables:
        """There is none.

        Raises:
            ConfigError: saying why.
        """
        reason = (
            "Terminus has no such view: exchanging red and blue gives a game with another deck, "
            "and so with other chances"
        )
        raise ConfigError("canonical", True, reason)

    @classmethod
    def _settings_in(cls, states: NDArray[np.void]) -> TerminusConfig:
        return TerminusConfig(deck=deck_of(states["face"][0]))

    @classmethod
    def _text_of(cls, states: NDArray[np.void]) -> str:
        return format_position(states[0])

    @property
    def config(self) -> TerminusConfig:
        """The settings."""
        return self._config

    def position_for(self, player: str) -> str:
        """The text of what a player sees: all but the order of the deck, which neither sees.

        Raises:
            ConfigError: if there is no such player.
        """
        self._number_of(player)
        return format_view(self._states[0])

    @property
    def victories(self) -> dict[str, int]:
        """How many visible eras of each player's colour there are."""
        eras = self._states["era"][0]
        return {
            player: int((eras == VICTORY + number).sum()) for number, player in enumerate(PLAYERS)
        }

    def info(self) -> dict[str, NDArray[Any]]:
        """How many visible eras of each colour there are: a new array, as in `info_fields`."""
        return {"victories": np.array([*self.victories.values()], np.int8)}

    def determinize(self, generator: np.random.Generator) -> TerminusGame:
        """A game that neither player can tell from this one: the deck is reshuffled.

        They cannot, even if they know everything played so far. The game begins here, with an empty
        history. Searches draw many of them, since they must not know the order of the deck.

        Args:
            generator: where the order of the deck and later shuffles are drawn from.

        >>> game = TerminusGame(seed=1)
        >>> twin = game.determinize(np.random.default_rng(2))
        >>> twin == game, twin.position_for("red") == game.position_for("red")
        (False, True)
        """
        checked_instance("generator", generator, np.random.Generator)
        states = self.state
        shuffle_all(states, new_stream(generator, CHANCE))
        return self._at(states, self.config)

    @property
    def step_text(self) -> str:
        """The step field of the position."""
        return format_step(self._states[0])

    @property
    def visible_position(self) -> str:
        return self.position_for(self.to_act)

    @property
    def about(self) -> tuple[str, ...]:
        return ("the project's own deck" if self.config.deck == DEFAULT_DECK else "a custom deck",)
