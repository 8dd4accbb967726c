"""One game as a value: a plain forward model for search, notebooks and the faces. Imports `core`, `config`, `notation` and the engine."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.config import GameConfig, configured
from tkm_env.core.game import CompiledGame
from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.batch import observe_one, play_and_observe, play_one, replay
from tkm_env.engine.geometry import WIDTH
from tkm_env.engine.observation import NUM_PLANES
from tkm_env.engine.powers import POWER_NAMES
from tkm_env.engine.scratch import new_scratch
from tkm_env.engine.state import ANSWER, CHAPTERS, COPY, DRAFT, NO_POWER, ORDER, PLAYERS, STATE, copied
from tkm_env.events import Event, events_of, totals_of
from tkm_env.games import TKM
from tkm_env.notation import RESULTS, action_index, format_position, parse_position

if TYPE_CHECKING:
    from tkm_env.render.story import Story

__all__ = ["Game", "Ply"]

_SCRATCH = new_scratch()


class Ply(NamedTuple):
    """One action of a game: in which turn, whose, its name, and what it did."""

    turn: int
    player: str
    action: str
    events: list[Event]


class Game(CompiledGame):
    """One game, from its start or from a position on.

    Two games are equal, and have the same hash, when their positions are, and the settings that still matter: edition, turn limit,
    whether conceding and draws are switched on. The actions that led there do not count.

    Args:
        config: the settings; instead of it, or to change some of it, give them as keywords.
        seed: for what the settings leave to chance: the chapters of ``"convergence"``. None draws a seed from the system.
        position: a position's text to start from. It decides what it tells: chapters, sides, supplies, turn. Edition, turn limit,
            conceding and draws are taken from the settings.
        **settings: the keywords of `GameConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.
        PositionError: naming the position's field that is wrong.

    >>> game = Game(chapters="growth")
    >>> game.play("choose 1")
    >>> game.legal_names()
    ['move east', 'move south', 'plant here', 'plant east', 'plant south']
    >>> game.position
    'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B G w 2 PF P1 4/4 - ---/--- -/- 1'
    """

    __slots__ = ()

    name: ClassVar = TKM
    players: ClassVar = PLAYERS
    action_names: ClassVar = ACTIONS
    results: ClassVar = RESULTS
    dtype: ClassVar = STATE
    observation_shape: ClassVar = (NUM_PLANES, WIDTH, WIDTH)
    default_config: ClassVar = GameConfig()

    def __init__(
        self,
        config: GameConfig | None = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Any,
    ) -> None:
        config = configured(config, settings)
        if position is None:
            state = config.draw(np.random.default_rng(seed))
        else:
            state = parse_position(
                position,
                edition=config.edition,
                max_turns=config.max_turns,
                concede=config.concede,
                draws=config.draws,
            )
        self._begin(state, config)

    @property
    def config(self) -> GameConfig:
        """The settings."""
        config: GameConfig = self._config
        return config

    @classmethod
    def action_index(cls, name: str) -> int:
        """The index of an action's name, or `UnknownActionError`."""
        return action_index(name)

    def _played(self, action: int) -> int:
        told: int = play_one(self._states, action, self._mask, _SCRATCH)
        return told

    def _played_and_observed(self, action: int, observation: NDArray[np.int8]) -> int:
        told: int = play_and_observe(self._states, action, self._mask, observation, _SCRATCH)
        return told

    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        observe_one(self._states, viewer, observation)

    @property
    def first_player(self) -> str | None:
        """Who took, or is to take, the first turn: "white" or "black"; None while powers are drafted."""
        state = self._states[0]
        if state.step in (DRAFT, ORDER):
            return None
        whose_turn = 1 - state.to_act if state.step == ANSWER else state.to_act
        return PLAYERS[whose_turn if state.turn % 2 else 1 - whose_turn]

    @property
    def eras_held(self) -> dict[str, int]:
        """In how many eras each player has copies."""
        cell = self._states["cell"][0]
        return {player: int((cell == COPY + number).any(1).sum()) for number, player in enumerate(PLAYERS)}

    @property
    def position(self) -> str:
        """The position's text (NOTATION)."""
        return format_position(self._states[0])

    @property
    def events(self) -> list[Event]:
        """What the last action did, in order; nothing before the first. Worked out when asked for.

        >>> game = Game()
        >>> for action in ("choose 1", "move east"):
        ...     game.play(action)
        >>> game.events
        [Moved(era='past', piece='white copy', space=1, to=2, how='walked')]
        """
        scratch = self._replayed()
        return events_of(scratch["happenings"][0][: scratch["happened"][0]])

    def plies(self) -> Iterator[Ply]:
        """Every action since the start or the given position, with who took it and what it did, oldest first."""
        states, mask, scratch = copied(self._start), self._mask.copy(), new_scratch()
        scratch["recording"] = 1
        for action in self._history:
            player, turn = PLAYERS[states["to_act"][0]], int(states["turn"][0])
            play_one(states, action, mask, scratch)
            yield Ply(turn, player, ACTIONS[action], events_of(scratch["happenings"][0][: scratch["happened"][0]]))

    @property
    def totals(self) -> dict[str, dict[str, int]]:
        """How often what happened since the start or the given position, by player and kind: ``totals["white"]["squish"]``.

        What happens to copies counts for their owner, everything else for the player who acted.
        """
        return totals_of(self._replayed()["totals"][0])

    def _replayed(self) -> np.ndarray:
        """The engine's notes on all actions so far: the totals, and the happenings of the last one."""
        scratch = new_scratch()
        scratch["recording"] = 1
        replay(copied(self._start), np.array(self._history, np.int64), np.empty_like(self._mask), scratch)
        return scratch

    def about(self) -> dict[str, Any]:
        """What was chosen or drawn for this game, and once it is over the totals, as a dict for ``info``."""
        state = self._states[0]
        told: dict[str, Any] = {
            "chapters": tuple(name for bit, name in enumerate(CHAPTERS) if state.chapters >> bit & 1),
            "powers": tuple(None if power == NO_POWER else POWER_NAMES[power] for power in state.power),
            "revealed": tuple(POWER_NAMES[power] for power in state.revealed if power != NO_POWER),
        }
        return told if self.result is None else told | {"totals": self.totals}

    @property
    def step_text(self) -> str:
        """The position's field of the step (NOTATION)."""
        return self.position.split(" ")[3]

    def __str__(self) -> str:
        """The three boards as text (see `tkm_env.render.text`)."""
        from tkm_env.render.text import draw

        return draw(self)

    def svg(self, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
        """The drawing of the position, as an SVG document (see ``docs/drawing.md``).

        Args:
            size: how wide it is, in pixels; None leaves that to what shows it.
            theme: ``"light"`` or ``"dark"``.
            last: whether the last action is shown: arrows, and marks where something appeared, vanished or died.
            legal: whether the targets of the legal actions are marked.

        Raises:
            ConfigError: if the size or the theme cannot be.

        >>> Game().svg(size=640)[:38]
        '<svg xmlns="http://www.w3.org/2000/svg'
        """
        from tkm_env.render.svg import draw

        return draw(self, size=size, theme=theme, last=last, legal=legal)

    def story(self, players: Mapping[str, str] | None = None) -> Story:
        """The game to be replayed, from its start or its given position on; see `tkm_env.render.telling`."""
        from tkm_env.render.telling import story_of

        return story_of(self, players)
