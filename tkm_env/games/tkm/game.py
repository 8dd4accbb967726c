"""One game as a value: a forward model for search, notebooks and environments."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, ClassVar, Final, NamedTuple, Unpack

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import CHANCE, is_stream, new_stream
from tkm_env.core.compact_observation import ObservationPart
from tkm_env.core.compiled_game import CompiledGame, key_of_state
from tkm_env.core.game import InfoField
from tkm_env.core.renderer import Renderer
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.core.settings import make_config
from tkm_env.core.state_arrays import copy_states
from tkm_env.core.symmetries import SymmetryTables
from tkm_env.foundations.checks import checked_seed
from tkm_env.games.tkm.config import GameConfig, GameSettings
from tkm_env.games.tkm.engine.actions import ACTIONS
from tkm_env.games.tkm.engine.event_log import KINDS, attach_log
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS, replay
from tkm_env.games.tkm.engine.planes import OBSERVATION_HIGH
from tkm_env.games.tkm.engine.powers import POWER_NAMES
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import (
    ANSWER,
    CHAPTERS,
    COPY,
    DRAFT,
    EDITIONS,
    MEMORY,
    NO_POWER,
    ORDER,
    PLAYERS,
    STATE,
)
from tkm_env.games.tkm.engine.turn_generator import TURN_KERNELS
from tkm_env.games.tkm.events import Event, events_of, totals_of
from tkm_env.games.tkm.notation import (
    OPEN_SETTINGS,
    RESULTS,
    format_position,
    format_step,
    parse_position,
)
from tkm_env.games.tkm.observation_parts import observation_parts
from tkm_env.games.tkm.symmetries import PLAYERS_EXCHANGED, SYMMETRIES, canonical
from tkm_env.games.tkm.view import view_of

_TOTALS: Final = (
    "how often each kind of event happened to or by each player, as in `Game.totals`: "
    f"{', '.join(KINDS)}"
)
_IN_TABLE: Final = f"numbers in `tkm_env.POWERS`, {NO_POWER} for none"
_INFO_FIELDS: Final = (
    InfoField(
        "chapters", np.int8, (len(CHAPTERS),), 0, 1, f"whether {', '.join(CHAPTERS)} are in play"
    ),
    InfoField(
        "powers", np.int8, (2,), NO_POWER, len(POWER_NAMES) - 1, f"each player's power: {_IN_TABLE}"
    ),
    InfoField(
        "revealed",
        np.int8,
        (4,),
        NO_POWER,
        len(POWER_NAMES) - 1,
        f"the powers to draft from: {_IN_TABLE}",
    ),
    InfoField("totals", np.int64, (2, len(KINDS)), 0, None, _TOTALS, at_the_end=True),
)


@lru_cache(1024)  # matches begin from the same positions again and again
def _symmetry_key(state: bytes) -> int:
    return key_of_state(canonical(np.frombuffer(bytearray(state), STATE)))


class Ply(NamedTuple):
    """One action of a game: its turn, its player, its name and its events."""

    turn: int
    player: str
    action: str
    events: list[Event]


_CHAPTER_BITS: Final = np.arange(len(CHAPTERS))


class Game(CompiledGame):
    """One game, from its start or from a given position.

    Two games are equal, with equal hashes, if their positions are, along with the settings that
    still matter: edition, texts of powers, turn limit, conceding and draws. The actions that led
    there do not count.

    Args:
        config: the settings; keywords replace or override them.
        seed: for everything the settings leave to chance, such as the chapters of
            ``"convergence"``. None draws a seed from the system.
        position: the text of a position to start from. It determines everything it contains:
            chapters, sides, supplies, turn. Edition, texts of powers, turn limit, conceding and
            draws come from the settings.
        **settings: the keywords of `GameConfig`.

    Raises:
        ConfigError: naming the invalid keyword.
        PositionError: naming the position's field that is wrong.

    >>> game = Game(chapters="growth")
    >>> game.play("choose 1")
    >>> game.legal_names()
    ['move east', 'move south', 'plant here', 'plant east', 'plant south']
    >>> game.position
    'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B G w 2 PF P1 4/4 - ---/--- -/- 1'
    """

    __slots__ = ()

    name: ClassVar = "tkm"
    title: ClassVar = "That Time You Killed Me"
    players: ClassVar = PLAYERS
    action_names: ClassVar = ACTIONS
    results: ClassVar = RESULTS
    dtype: ClassVar = STATE
    kernels: ClassVar = ENTRY_POINTS
    turn_kernels: ClassVar = TURN_KERNELS
    observation_high: ClassVar = OBSERVATION_HIGH
    default_config: ClassVar = GameConfig()
    info_fields: ClassVar = _INFO_FIELDS

    def __init__(
        self,
        config: GameConfig | None = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Unpack[GameSettings],
    ) -> None:
        config = make_config(GameConfig, config, settings)
        if not is_stream(seed):  # which `from_chance` was given
            checked_seed(seed)
        if position is None:
            state = (
                config.draw(new_stream(seed, CHANCE))
                if config.begins_by_chance
                else copy_states(config.starts()[0])
            )
        else:
            state = parse_position(
                position, **{keyword: getattr(config, keyword) for keyword in OPEN_SETTINGS}
            )
        self._begin_at(state, config)

    @property
    def config(self) -> GameConfig:
        """The settings."""
        return self._config

    @classmethod
    def renderer(cls) -> Renderer:
        from tkm_env.games.tkm.render.renderer import RENDERER  # training draws nothing

        return RENDERER

    def __str__(self) -> str:
        from tkm_env.games.tkm.render.text import draw

        return draw(self)

    @property
    def situation(self) -> str:
        return view_of(self).situation

    @classmethod
    def rules_for(cls, config: GameConfig | None = None) -> list[RulesSection]:
        from tkm_env.games.tkm.rulebook_text import rules_for  # read only when somebody asks

        return rules_for(config)

    @classmethod
    def openings(cls, config: GameConfig) -> tuple[str, ...]:
        from tkm_env.games.tkm.openings import openings

        return openings(config)

    @classmethod
    def observation_parts(cls, config: GameConfig) -> list[ObservationPart]:
        """The parts of an observation that vary under these settings.

        They are in the order of `tkm_env.PLANES`.

        >>> parts = Game.observation_parts(GameConfig(powers=("express", None)))
        >>> [part.name for part in parts][-4:]
        ['my power: express', 'their power: express', 'turn, hundreds', 'turn, units']
        """
        return observation_parts(config)

    @classmethod
    def symmetries(cls, config: GameConfig) -> list[SymmetryTables]:
        """The 8 symmetries of the area, each with and without exchanging the colours.

        With Memory, each also comes with the elephants exchanged.
        """
        elephants = bool((config.starts()[0]["chapters"] & MEMORY).any())
        return [symmetry.tables() for symmetry in SYMMETRIES if elephants or not symmetry.elephants]

    @classmethod
    def player_swap_symmetry(cls) -> SymmetryTables:
        """The symmetry that shows a position to black as its image is shown to white.

        Black's copies then begin on space 1, like white's.
        """
        return PLAYERS_EXCHANGED.tables()

    @property
    def symmetry_key(self) -> int:
        """A hash of the position like `key`, which its images under the symmetries share.

        >>> games = [Game(), Game()]
        >>> for game, way in zip(games, ("east", "south")):
        ...     game.play("choose 1")
        ...     game.play(f"move {way}")
        >>> games[0].key == games[1].key, games[0].symmetry_key == games[1].symmetry_key
        (False, True)
        """
        return _symmetry_key(self._states.tobytes())

    @classmethod
    def _settings_in(cls, states: NDArray[np.void]) -> GameConfig:
        state = states[0]
        return GameConfig(
            chapters=[name for bit, name in enumerate(CHAPTERS) if state.chapters >> bit & 1],
            edition=EDITIONS[state.edition],
            power_texts=int(state.power_texts),
            max_turns=state.max_turns,
            concede=bool(state.concede),
            draws=bool(state.draws),
        )

    @classmethod
    def _text_of(cls, states: NDArray[np.void]) -> str:
        return format_position(states[0])

    @property
    def first_player(self) -> str | None:
        """The player of the first turn, "white" or "black"; None while powers are drafted."""
        state = self._states[0]
        if state.step in (DRAFT, ORDER):
            return None
        whose_turn = 1 - state.to_act if state.step == ANSWER else state.to_act
        return PLAYERS[whose_turn if state.turn % 2 else 1 - whose_turn]

    @property
    def eras_held(self) -> dict[str, int]:
        """In how many eras each player has copies."""
        cell = self._states["cell"][0]
        return {
            player: int((cell == COPY + number).any(1).sum())
            for number, player in enumerate(PLAYERS)
        }

    @property
    def events(self) -> list[Event]:
        """What the last action did, in order; empty before the first action.

        Computed on each access.

        >>> game = Game()
        >>> for action in ("choose 1", "move east"):
        ...     game.play(action)
        >>> game.events
        [Moved(era='past', piece='white copy', space=1, to=2, how='walked')]
        """
        return events_of(_entries(self._replay()))

    def plies(self) -> Iterator[Ply]:
        """Every action since the start, with its player and what it did, oldest first."""
        states, mask, scratch = copy_states(self._start), self._mask.copy(), new_scratch()
        log = attach_log(scratch)
        for action in self._history:
            player, turn = PLAYERS[states["to_act"][0]], int(states["turn"][0])
            replay(states, np.array([action], np.int64), mask, scratch)
            yield Ply(turn, player, ACTIONS[action], events_of(_entries(log)))

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """How often each kind of event happened, by player: ``totals["white"]["squish"]``.

        They count from the start or the given position. What happens to copies counts for their
        owner, everything else for the player who acted.
        """
        return totals_of(self._replay()["totals"][0])

    def _replay(self) -> np.ndarray:
        """The engine's event log after all actions: the totals, and the entries of the last one."""
        scratch = new_scratch()
        log = attach_log(scratch)
        replay(
            copy_states(self._start),
            np.array(self._history, np.int64),
            np.empty_like(self._mask),
            scratch,
        )
        return log

    def info(self) -> dict[str, NDArray[Any]]:
        """The chapters, powers and, at the end, totals of this game.

        They are new arrays, as in `info_fields`.
        """
        states = self._states
        details = {
            "chapters": (states["chapters"] >> _CHAPTER_BITS & 1).astype(np.int8),
            "powers": states["power"][0].astype(np.int8),
            "revealed": states["revealed"][0].astype(np.int8),
        }
        return (
            details
            if self.result is None
            else details | {"totals": self._replay()["totals"][0].T.astype(np.int64)}
        )

    @property
    def step_text(self) -> str:
        """The step field of the position (NOTATION)."""
        return format_step(self._states[0])

    @property
    def about(self) -> tuple[str, ...]:
        info = self.info()
        chapters = " + ".join(itertools.compress(CHAPTERS, info["chapters"]))
        chosen = [
            f"{player}: {POWER_NAMES[power]}"
            for player, power in zip(PLAYERS, info["powers"], strict=True)
            if power != NO_POWER
        ]
        return (chapters or "standard game", *chosen, f"edition {self.config.edition}")


action_index = Game.action_index


def _entries(log: NDArray[np.void]) -> NDArray[np.int8]:
    """The entries of the last action in an event log: int8 of shape (n, 5)."""
    return log["entries"][0][: log["length"][0]]
