"""One game of Terminus as a value. Imports `core`, `config`, `notation` and the engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.config import configured_as
from tkm_env.core.game import CompiledGame
from tkm_env.engine.streams import new_streams
from tkm_env.games import TERMINUS
from tkm_env.terminus.config import TerminusConfig
from tkm_env.terminus.engine.actions import ACTIONS
from tkm_env.terminus.engine.batch import observe_one, play_and_observe, play_one, shuffle_all
from tkm_env.terminus.engine.observation import NUM_FEATURES
from tkm_env.terminus.engine.state import PLAYERS, STATE, VICTORY
from tkm_env.terminus.notation import RESULTS, action_index, format_position, format_view, parse_position

if TYPE_CHECKING:
    from tkm_env.render.story import Story

__all__ = ["TerminusGame"]

_SEEDS: Final = 2**62


class TerminusGame(CompiledGame):
    """One game of Terminus, from its start or from a position on.

    Two games are equal, and have the same hash, when their positions are, with all that is hidden: the order of the deck, and the
    random numbers of a shuffle to come. The actions that led there do not count.

    Args:
        config: the settings; instead of it, or to change some of it, give them as keywords.
        seed: for the order of the deck, and for what a ``position`` leaves open. None draws a seed from the system.
        position: a position's text to start from, or the text of what a player sees of one.
        **settings: the keywords of `TerminusConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.
        DeckError: naming the card that cannot be.
        FileError: if a file is no deck file.
        PositionError: naming the position's field that is wrong.

    >>> game = TerminusGame(seed=1)
    >>> game.position_for("red")
    '1:.I. r p 2,6,11/4,9,17 ?10 -/- 1 -'
    >>> game.play("play first at 1")
    >>> game.position_for("red")
    '2:R.G|1:I. b p 6,11,13/4,9,17 ?9 2/- 2 -'
    """

    __slots__ = ()

    name: ClassVar = TERMINUS
    players: ClassVar = PLAYERS
    action_names: ClassVar = ACTIONS
    results: ClassVar = RESULTS
    dtype: ClassVar = STATE
    observation_shape: ClassVar = (NUM_FEATURES,)
    default_config: ClassVar = TerminusConfig()

    def __init__(
        self,
        config: TerminusConfig | None = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Any,
    ) -> None:
        config = configured_as(TerminusConfig, config, settings)
        generator = np.random.default_rng(seed)
        self._begin(config.draw(generator) if position is None else parse_position(position, config.blank(), generator), config)

    @classmethod
    def action_index(cls, name: str) -> int:
        """The index of an action's name, or `UnknownActionError`."""
        return action_index(name)

    def _played(self, action: int) -> int:
        told: int = play_one(self._states, action, self._mask)
        return told

    def _played_and_observed(self, action: int, observation: NDArray[np.int8]) -> int:
        told: int = play_and_observe(self._states, action, self._mask, observation)
        return told

    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        observe_one(self._states, viewer, observation)

    @property
    def config(self) -> TerminusConfig:
        """The settings."""
        config: TerminusConfig = self._config
        return config

    @property
    def position(self) -> str:
        """The position's text, with what nobody sees (``docs/terminus.md``)."""
        return format_position(self._states[0])

    def position_for(self, player: str) -> str:
        """The text of what a player sees: the same for both, since only the order of the deck is hidden.

        Raises:
            ConfigError: if there is no such player.
        """
        self._number_of(player)
        return format_view(self._states[0])

    @property
    def victories(self) -> dict[str, int]:
        """How many visible eras of each player's colour there are."""
        eras = self._states["era"][0]
        return {player: int((eras == VICTORY + number).sum()) for number, player in enumerate(PLAYERS)}

    def about(self) -> dict[str, Any]:
        """How many visible eras of each colour there are, as a dict for ``info``."""
        return {"victories": self.victories}

    def determinized(self, generator: np.random.Generator) -> TerminusGame:
        """A game that looks the same to both players, and to whoever remembers all that was played: the deck is shuffled again.

        It begins here, with an empty history. Search draws many of them, since it may not know the order of the deck.

        >>> game = TerminusGame(seed=1)
        >>> twin = game.determinized(np.random.default_rng(2))
        >>> twin == game, twin.position_for("red") == game.position_for("red")
        (False, True)
        """
        states = self.state
        shuffle_all(states, new_streams([int(generator.integers(_SEEDS))]))
        return TerminusGame.from_state(states, self.config)

    @property
    def step_text(self) -> str:
        """The position's field of the step."""
        return self.position.split(" ")[2]

    def __str__(self) -> str:
        """The timeline and both hands as text (see `tkm_env.terminus.text`)."""
        from tkm_env.terminus.text import draw

        return draw(self)

    def svg(self, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
        """The drawing of what both players see, as an SVG document (see ``docs/terminus.md``).

        Args:
            size: how wide it is, in pixels; None leaves that to what shows it.
            theme: ``"light"`` or ``"dark"``.
            last: whether the cards are framed that the last action played, drew, froze or swapped.
            legal: whether the targets of the legal actions are marked.

        Raises:
            ConfigError: if the size or the theme cannot be.

        >>> TerminusGame().svg(size=640)[:38]
        '<svg xmlns="http://www.w3.org/2000/svg'
        """
        from tkm_env.terminus.svg import draw

        return draw(self, size=size, theme=theme, last=last, legal=legal)

    def story(self, players: Mapping[str, str] | None = None) -> Story:
        """The game to be replayed, from its start or its given position on; see `tkm_env.terminus.telling`."""
        from tkm_env.terminus.telling import story_of

        return story_of(self, players)
