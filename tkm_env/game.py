"""One game as a value: a plain forward model for search, notebooks and the faces. Imports `config`, `notation` and the engine."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.config import GameConfig, configured
from tkm_env.engine.actions import ACTIONS, NUM_ACTIONS
from tkm_env.engine.batch import NO_ACTION, observe_one, play_and_observe, play_one, replay
from tkm_env.engine.geometry import WIDTH
from tkm_env.engine.observation import NUM_PLANES
from tkm_env.engine.powers import POWER_NAMES
from tkm_env.engine.scratch import new_scratch
from tkm_env.engine.state import ANSWER, CHAPTERS, COPY, DRAFT, NO_POWER, ORDER, PLAYERS, STATE, copied
from tkm_env.errors import ArrayError, ConfigError, IllegalActionError, UnknownActionError
from tkm_env.events import Event, events_of, totals_of
from tkm_env.notation import RESULTS, action_index, format_position, parse_position

__all__ = ["Game", "Ply"]

_OBSERVATION_SHAPE = (NUM_PLANES, WIDTH, WIDTH)
_SCRATCH = new_scratch()
_SIZE_IN_NOTEBOOKS = 760


class Ply(NamedTuple):
    """One action of a game: in which turn, whose, its name, and what it did."""

    turn: int
    player: str
    action: str
    events: list[Event]


class Game:
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

    __slots__ = ("_config", "_history", "_mask", "_result", "_start", "_states", "_to_act")

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

    @classmethod
    def from_state(cls, state: NDArray[np.void], config: GameConfig | None = None) -> Game:
        """A game that goes on from a state of the engine's, as in `state` and in a row of `tkm_env.Batch.states`.

        Args:
            state: one state of the engine's dtype, of shape (1,) or (); it is copied.
            config: what `config` is to tell; the state itself holds all settings that matter.

        Raises:
            ArrayError: if it is another array.
        """
        given = np.asarray(state)
        if given.dtype != STATE or given.size != 1:
            raise ArrayError("state", f"shape {given.shape} and dtype {given.dtype}", "one state of the engine's dtype is")
        game = object.__new__(cls)
        game._begin(copied(given.reshape(1)), config or GameConfig())
        return game

    def _begin(self, state: NDArray[np.void], config: GameConfig) -> None:
        self._config = config
        self._states = state
        self._start = copied(state)
        self._history: list[int] = []
        self._mask = np.zeros(NUM_ACTIONS, np.int8)
        self._follow(play_one(state, NO_ACTION, self._mask, _SCRATCH))

    def _follow(self, told: int) -> None:
        """Keep what the engine tells after each action: the player to act and the result."""
        self._to_act = told & 1
        self._result = told >> 1

    @property
    def config(self) -> GameConfig:
        """The settings."""
        return self._config

    @property
    def to_act(self) -> str:
        """Whose decision is next: "white" or "black"; when the game is over, whose turn ended it."""
        return PLAYERS[self._to_act]

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
    def turn(self) -> int:
        """The number of the turn, from 1; a turn is one player's."""
        return int(self._states["turn"][0])

    @property
    def result(self) -> str | None:
        """None while the game goes on; "1-0" or "0-1" when white or black won, "1/2" when drawn, "*" when cut off."""
        return RESULTS.get(self._result)

    @property
    def winner(self) -> str | None:
        """Who won: "white", "black" or None."""
        return {"1-0": "white", "0-1": "black"}.get(self.result or "")

    @property
    def is_cut_off(self) -> bool:
        """Whether the turn limit ended the game: a truncation, nobody's win."""
        return self.result == "*"

    @property
    def position(self) -> str:
        """The position's text (NOTATION)."""
        return format_position(self._states[0])

    @property
    def state(self) -> NDArray[np.void]:
        """The position as the engine holds it: an array of shape (1,); a copy."""
        state: NDArray[np.void] = copied(self._states)
        return state

    @property
    def history(self) -> list[int]:
        """The actions played since the start or the given position, oldest first; a new list."""
        return list(self._history)

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
    def start(self) -> Game:
        """The game as it began: from its start or from the given position."""
        return Game.from_state(self._start, self._config)

    def at(self, ply: int) -> Game:
        """The game as it stood after its first actions.

        Args:
            ply: how many of them; as in a slice, a negative number counts from the end.

        >>> game = Game()
        >>> game.play("choose 1")
        >>> game.at(-1) == game.at(0) == game.start
        True
        """
        game = self.start
        for action in self._history[:ply]:
            game.play(action)
        return game

    def to_record(self, **told: Any) -> dict[str, Any]:
        """The game record, ready for `json.dumps`; see `tkm_env.records.to_record` for the keywords."""
        from tkm_env.records import to_record

        return to_record(self, **told)

    @staticmethod
    def from_record(record: Mapping[str, Any]) -> Game:
        """The game that a record tells; see `tkm_env.records.from_record`."""
        from tkm_env.records import from_record

        return from_record(record)

    def legal_actions(self) -> list[int]:
        """The indices of all legal actions, in order; none when the game is over."""
        actions: list[int] = self._mask.nonzero()[0].tolist()
        return actions

    def legal_names(self) -> list[str]:
        """The names of all legal actions, in the order of their indices."""
        return [ACTIONS[action] for action in self.legal_actions()]

    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action, 0 for the others: int8 of shape (79,); a new array."""
        mask: NDArray[np.int8] = self._mask.copy()
        return mask

    def observation(self, player: str | None = None) -> NDArray[np.int8]:
        """What a player, by default the one to act, sees: int8 of shape (84, 4, 4); a new array.

        The planes are listed in ``docs/observation.md`` and in `tkm_env.PLANES`.
        """
        observation: NDArray[np.int8] = np.empty(_OBSERVATION_SHAPE, np.int8)
        observe_one(self._states, self._to_act if player is None else _viewer(player), observation)
        return observation

    def play(self, action: int | str) -> None:
        """Carry out a legal action, given by index or name, up to the next decision.

        Raises:
            IllegalActionError: if the action is not legal here; the game stays as it was.

        >>> Game().play("move north")
        Traceback (most recent call last):
            ...
        tkm_env.errors.IllegalActionError: 'move north' is not legal for white at step c; legal: choose 1
        """
        index = self._checked(action)
        self._follow(play_one(self._states, index, self._mask, _SCRATCH))
        self._history.append(index)

    def play_and_observe(self, action: int | str) -> NDArray[np.int8]:
        """`play`, and then `observation` of the player to act, in half the time that both take.

        Raises:
            IllegalActionError: if the action is not legal here; the game stays as it was.
        """
        index = self._checked(action)
        observation: NDArray[np.int8] = np.empty(_OBSERVATION_SHAPE, np.int8)
        self._follow(play_and_observe(self._states, index, self._mask, observation, _SCRATCH))
        self._history.append(index)
        return observation

    def _checked(self, action: int | str) -> int:
        """The index of a legal action."""
        index = action_index(action) if isinstance(action, str) else _checked_index(action)
        if not self._mask[index]:
            raise IllegalActionError(self.why_illegal(index))
        return index

    def why_illegal(self, action: int) -> str:
        """A sentence that tells why an action that is not in the mask is illegal."""
        if self.result is not None:
            return f"{ACTIONS[action]!r} is not legal: the game is over, {self.result}"
        step = self.position.split(" ")[3]
        return f"{ACTIONS[action]!r} is not legal for {self.to_act} at step {step}; legal: {', '.join(self.legal_names())}"

    def copy(self) -> Game:
        """An independent game in the same position, with the same history."""
        twin = object.__new__(Game)
        twin._config = self._config
        twin._to_act = self._to_act
        twin._result = self._result
        twin._start = self._start
        twin._states = copied(self._states)
        twin._mask = self._mask.copy()
        twin._history = self._history.copy()
        return twin

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> Game:
        return self.copy()

    def __eq__(self, other: object) -> bool:
        return self._states.tobytes() == other._states.tobytes() if isinstance(other, Game) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._states.tobytes())

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

    def _repr_svg_(self) -> str:
        """The drawing, where a notebook shows a game."""
        return self.svg(size=_SIZE_IN_NOTEBOOKS)

    def __repr__(self) -> str:
        return f"Game(position={self.position!r})"


def _checked_index(action: object) -> int:
    """The action's index as an int; anything `operator.index` takes is one, if it lies in the enumeration."""
    try:
        index = operator.index(action)  # type: ignore[arg-type]
    except TypeError:
        index = None
    if index is None or isinstance(action, bool):
        raise UnknownActionError(f"an action is a name or an index from 0 to {NUM_ACTIONS - 1}, not {action!r}")
    if not 0 <= index < NUM_ACTIONS:
        raise UnknownActionError(f"there is no action {index}; indices go from 0 to {NUM_ACTIONS - 1}")
    return index


def _viewer(player: str) -> int:
    if player not in PLAYERS:
        raise ConfigError("player", player, f"it must be {' or '.join(map(repr, PLAYERS))}")
    return PLAYERS.index(player)
