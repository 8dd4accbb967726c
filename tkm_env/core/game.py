"""One game as a value: the interface that the whole package uses.

It provides everything that does not depend on the rules.
"""

from __future__ import annotations

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from hashlib import blake2b
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import draw_from, draw_seed
from tkm_env.core.compact_observation import ObservationPart
from tkm_env.core.outcome import Outcome
from tkm_env.core.player_name import PlayerName
from tkm_env.core.recording import play_record, record_of
from tkm_env.core.renderer import TEXT_RENDERER, Renderer
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.core.symmetries import SymmetryTables, unchanged
from tkm_env.core.turns import Turn, walk_turns
from tkm_env.foundations.checks import checked_choice, checked_flag, whole_number
from tkm_env.foundations.errors import ConfigError, IllegalActionError, UnknownActionError, repr_of
from tkm_env.render.replay import Replay, Side, title_of

Self = TypeVar("Self", bound="BaseGame")

_NOTEBOOK_SIZE: Final = 760
_TRUNCATED: Final = Outcome.TRUNCATED.value


class InfoField(NamedTuple):
    """A key of `BaseGame.info`, which holds an array of integers.

    Attributes:
        key: its name.
        dtype: the type of the integers.
        shape: the shape of the array.
        low: the smallest integer.
        high: the largest integer; None where only the dtype bounds it.
        meaning: what the integers say, and in which order.
        at_the_end: whether the key is present only once a game is over.
    """

    key: str
    dtype: type[np.integer]
    shape: tuple[int, ...]
    low: int
    high: int | None
    meaning: str
    at_the_end: bool = False


class BaseGame(ABC):
    """A game of two players who act one at a time.

    It is a value that can be played, copied, drawn and recorded. A game derives from this class and
    implements the abstract members; ``docs/adding-a-game.md`` shows one in a hundred lines. Games
    with compiled rules derive from `tkm_env.core.compiled_game.CompiledGame`. Two games are equal,
    with equal hashes, if their positions are; the actions that led there do not count.

    A constructor takes ``(config=None, *, seed=None, position=None, **settings)`` and ends with
    `_begin`.
    """

    __slots__ = ("_config", "_history")

    #: The name used in records and commands.
    name: ClassVar[str]
    #: The name shown to people.
    title: ClassVar[str]
    #: The names of the two players, in order: player 0, then player 1.
    players: ClassVar[tuple[str, ...]]
    #: All action names in index order.
    action_names: ClassVar[tuple[str, ...]]
    #: How a finished game can end, numbered from 1: "1-0" or "0-1" if the first or the second
    #: player won, "1/2" for a draw, "*" if the game was truncated, for a reason outside its rules.
    results: ClassVar[Mapping[int, str]]
    #: The largest value of each element of an observation, the smallest being 0: int8 of the
    #: observation's shape.
    observation_high: ClassVar[NDArray[np.int8]]
    #: The default settings: an instance of a frozen dataclass whose fields all have defaults. It
    #: also has ``max_turns``, which no game exceeds, and ``begins_by_chance``: whether its settings
    #: leave anything to chance.
    default_config: ClassVar[Any]

    #: The keys of `info`.
    info_fields: ClassVar[tuple[InfoField, ...]] = ()

    #: The shape of an observation, and of `observation_high`.
    observation_shape: ClassVar[tuple[int, ...]]

    _config: Any
    _history: list[int]

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "players" in vars(cls):
            cls.players = tuple(map(PlayerName, cls.players))
        if hasattr(cls, "observation_high"):
            cls.observation_shape = cls.observation_high.shape

    @abstractmethod
    def __init__(
        self,
        config: Any = None,
        *,
        seed: int | np.random.Generator | None = None,
        position: str | None = None,
        **settings: Any,
    ) -> None:
        """Begin a game.

        Args:
            config: the settings; None for `default_config`.
            seed: where everything left to chance is drawn from; None draws a seed from the system.
            position: the text of the position to begin from; None for the usual start.
            **settings: settings by keyword, which replace those of ``config``.

        Raises:
            ConfigError: naming the setting that is unknown or has an invalid value.
            PositionError: if ``position`` is malformed.
        """

    def _begin(self, config: Any) -> None:
        """Store the settings, with an empty history."""
        self._config = config
        self._history = []

    # What a game implements.

    @property
    @abstractmethod
    def position(self) -> str:
        """The position as text, from which the constructor makes an equal game."""

    @property
    @abstractmethod
    def to_act(self) -> str:
        """The player to act, one of `players`.

        Once the game is over, it is the player whose turn ended it.

        Raises:
            EncodingError: once it is compared with an index, as batches and ``info`` have.
        """

    @property
    @abstractmethod
    def turn(self) -> int:
        """The number of the turn, from 1; a turn belongs to one player."""

    @property
    @abstractmethod
    def result(self) -> str | None:
        """None while the game is in progress; then one of the texts in `results`."""

    @abstractmethod
    def action_mask(self) -> NDArray[np.int8]:
        """1 for each legal action, 0 for all others: a new int8 array of shape (actions,)."""

    @abstractmethod
    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        """Write what a player sees into an array of zeros.

        Args:
            viewer: the player's index, 0 or 1.
            observation: int8 of the observation's shape.
        """

    @abstractmethod
    def _play(self, action: int) -> None:
        """Carry out a legal action."""

    @property
    @abstractmethod
    def start(self: Self) -> Self:
        """The game as it began: at its start or at the given position."""

    @property
    def situation(self) -> str:
        """Which player is to act and how, or how the game ended."""
        if self.result is None:
            return f"{self.to_act} to act"
        return "over, drawn" if self.winner is None else f"over, {self.winner} won"

    @property
    def about(self) -> tuple[str, ...]:
        """What was chosen or drawn for this game, a few words each; by default empty.

        It is shown before the game begins.
        """
        return ()

    def info(self) -> dict[str, NDArray[Any]]:
        """What was chosen or drawn for this game and, once it is over, its statistics.

        It is what environments add to ``info``: new arrays, as in `info_fields`.
        """
        return {}

    @classmethod
    def renderer(cls) -> Renderer:
        """How positions are drawn; by default as the text that ``str`` returns."""
        return TEXT_RENDERER

    @classmethod
    def observation_parts(cls, config: Any) -> Sequence[ObservationPart]:
        """The parts of an observation that can vary under these settings.

        Compact observations consist of them. By default there is one part that holds everything.
        """
        return [
            ObservationPart(
                "observation",
                None,
                "the game's own observation",
                tuple(range(cls.observation_high.size)),
            )
        ]

    @classmethod
    def rules_for(cls, config: Any = None) -> list[RulesSection]:
        """The sections of the rules for players that can matter under a config; all for None.

        By default there are none.
        """
        return []

    @classmethod
    def openings(cls, config: Any) -> tuple[str, ...]:
        """The texts of the opening positions that come with the game for this config.

        They are in order, number 1 first; by default there are none.
        """
        return ()

    @classmethod
    def symmetries(cls, config: Any) -> Sequence[SymmetryTables]:
        """The symmetries of the rules under these settings, as tables of indices.

        The first, and by default the only one, changes nothing.
        """
        return [unchanged(cls.observation_shape, len(cls.action_names))]

    @classmethod
    def player_swap_symmetry(cls) -> SymmetryTables:
        """The symmetry that exchanges the players.

        The second player sees a position as the first player sees its image. The elements that it
        flips are 1 for the first player.

        Raises:
            ConfigError: if there is no such symmetry, which is the default.
        """
        raise ConfigError(
            "canonical",
            True,
            f"{cls.title} names no symmetry of its rules that exchanges the players",
        )

    # What follows from these.

    @classmethod
    def from_chance(
        cls: type[Self], config: Any, chance: NDArray[np.uint64], position: str | None = None
    ) -> Self:
        """Begin a game whose chance is drawn from a stream of random numbers.

        Args:
            config: the settings.
            chance: the stream that everything left open is drawn from: uint64 of shape (1,).
            position: the text of the position to begin from; None for the usual start.

        Returns:
            The game.

        Raises:
            PositionError: if ``position`` is malformed.
        """
        return cls(config, seed=draw_seed(chance), position=position)

    def restart(self: Self) -> Self:
        """An independent game that begins at this position, without a history."""
        return type(self)(self._config, position=self.position)

    @property
    def key(self) -> int:
        """A hash of the position, from 0 to 2**64 - 1, as in a batch's ``keys``.

        Equal games have equal keys, in every process.
        """
        return int.from_bytes(blake2b(self.position.encode(), digest_size=8).digest(), "little")

    @property
    def symmetry_key(self) -> int:
        """A hash like `key` that all images of the position under the rules' symmetries share.

        By default it is `key`.
        """
        return self.key

    @property
    def config(self) -> Any:
        """The settings."""
        return self._config

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it is in progress.

        >>> from tkm_env import Game
        >>> game = Game(concede=True)
        >>> game.play("concede")
        >>> game.outcome, game.result, game.winner
        (<Outcome.SECOND_WON: '0-1'>, '0-1', 'black')
        """
        result = self.result
        return None if result is None else Outcome(result)

    @property
    def winner(self) -> str | None:
        """The player who won, one of `players`; None if the game is unfinished or has no winner."""
        return self.winner_of(self.result)

    @classmethod
    def winner_of(cls, result: str | None) -> str | None:
        """The player who won with this result, one of `players`; None if there is none."""
        if result is None or (winner := Outcome(result).winner) is None:
            return None
        return cls.players[winner]

    @property
    def is_truncated(self) -> bool:
        """Whether the game ended for a reason outside its rules, with no winner."""
        return self.result == _TRUNCATED

    @property
    def turn_id(self) -> tuple[str, int]:
        """A pair that tells this turn from all others of the game: its player and its number."""
        return self.to_act, self.turn

    def is_in_turn(self, turn_id: tuple[str, int]) -> bool:
        """Whether the turn with this `turn_id` is still being played.

        >>> from tkm_env import Game
        >>> game = Game()
        >>> turn = game.turn_id
        >>> for action in ("choose 1", "move east", "move east"):
        ...     game.play(action)
        >>> game.is_in_turn(turn)
        True
        >>> game.play("focus present")
        >>> game.is_in_turn(turn)
        False
        """
        return self.result is None and self.turn_id == turn_id

    @property
    def history(self) -> list[int]:
        """The indices of the actions since the start or the given position; a new list."""
        return list(self._history)

    def at(self: Self, ply: int) -> Self:
        """The game as it stood after its first ``ply`` actions.

        As in a slice, a negative number counts from the end.

        Raises:
            ConfigError: if ``ply`` is not an integer.

        >>> from tkm_env import Game
        >>> game = Game()
        >>> game.play("choose 1")
        >>> game.at(-1) == game.at(0) == game.start
        True
        """
        length = whole_number(ply)
        if length is None:
            raise ConfigError("ply", ply, "it must be an integer")
        game = self.start
        for action in self._history[:length]:
            game.play(action)
        return game

    def legal_actions(self) -> list[int]:
        """The indices of all legal actions, in order; empty once the game is over."""
        return self.action_mask().nonzero()[0].tolist()

    def legal_names(self) -> list[str]:
        """The names of all legal actions, in the order of their indices."""
        return [self.action_names[action] for action in self.legal_actions()]

    def turns(self: Self) -> tuple[Turn[Self], ...]:
        """Every way to play the turn, or the rest of it.

        Each distinct end is listed once, with the first actions that lead there, in order of these.
        A turn ends when another one begins, another player is to act, or the game is over; a game
        that is over has none. An answer to a draw offer is a turn. Conceding and offering a draw
        are left out; `legal_actions` has them, as always.
        """
        return tuple(walk_turns(self))

    def observation(self, player: str | None = None) -> NDArray[np.int8]:
        """What a player sees.

        Args:
            player: the player's name; None for the player to act.

        Returns:
            A new array, int8 of the shape of `observation_high`.

        Raises:
            ConfigError: if there is no such player.
        """
        observation = np.zeros_like(self.observation_high)
        self._observe(self._number_of(self.to_act if player is None else player), observation)
        return observation

    def play(self, action: int | str) -> None:
        """Carry out a legal action, up to the next decision.

        Args:
            action: its index or its name.

        Raises:
            IllegalActionError: if the action is not legal here; the game is unchanged.
            UnknownActionError: if there is no such action.
        """
        index = self.index_of(action)
        if not self.action_mask()[index]:
            raise IllegalActionError(self.why_illegal(index))
        self._play(index)
        self._history.append(index)

    def play_turn(self, actions: Iterable[int | str]) -> int:
        """Play legal actions one after another, as long as the turn lasts.

        Args:
            actions: their indices or names.

        Returns:
            The number of actions played; those after the end of the turn are not looked at.

        Raises:
            IllegalActionError: if an action is not legal; those before it have been played.
            UnknownActionError: if there is no such action; likewise.

        >>> from tkm_env import Game
        >>> game = Game()
        >>> game.play_turn(["choose 1", "move east", "move east", "focus present", "choose 16"])
        4
        """
        turn, played = self.turn_id, 0
        for action in actions:
            if played and not self.is_in_turn(turn):
                break
            self.play(action)
            played += 1
        return played

    def play_at_random(
        self, stream: NDArray[np.uint64], player: str | None = None, turns: float = math.inf
    ) -> list[int]:
        """Play legal actions, all equally likely, until something ends it.

        Args:
            stream: where the actions are drawn from: uint64 of shape (1,).
            player: stop when this player is to act; None to play for both.
            turns: stop after this number of turns.

        Returns:
            The indices of the actions.
        """
        until, actions = self.turn + turns, list[int]()
        while self.result is None and self.to_act != player and self.turn < until:
            legal = self.legal_actions()
            actions.append(legal[draw_from(stream, len(legal))])
            self.play(actions[-1])
        return actions

    def play_and_observe(self, action: int | str) -> NDArray[np.int8]:
        """`play` an action, and return the `observation` of the player to act."""
        self.play(action)
        return self.observation()

    @classmethod
    def index_of(cls, action: int | str) -> int:
        """The index of an action given as in `play`: by index, any kind of integer, or by name.

        Raises:
            UnknownActionError: if there is no such action.

        >>> from tkm_env import Game
        >>> Game.index_of("choose 1"), Game.index_of(0)
        (0, 0)
        """
        if isinstance(action, str):
            return cls.action_index(action)
        index = action if type(action) is int else whole_number(action)
        last = len(cls.action_names) - 1
        if index is None:
            raise UnknownActionError(
                f"an action is a name or an index from 0 to {last}, not {repr_of(action)}"
            )
        if not 0 <= index <= last:
            raise UnknownActionError(
                f"there is no action {repr_of(index)}; indices go from 0 to {last}"
            )
        return index

    @classmethod
    def action_index(cls, name: str) -> int:
        """The index of the action of this name.

        Raises:
            UnknownActionError: if no action has this name.

        >>> from tkm_env import Game
        >>> Game.action_index("choose 1")
        0
        """
        try:
            return _indices(cls.action_names)[name]
        except (KeyError, TypeError):
            like = ", ".join(map(repr, dict.fromkeys([cls.action_names[0], cls.action_names[-1]])))
            raise UnknownActionError(
                f"no action is named {repr_of(name)}; names look like {like}"
            ) from None

    def why_illegal(self, action: int) -> str:
        """A sentence that explains why an action is illegal, given its index."""
        name = self.action_names[self.index_of(action)]
        if self.result is not None:
            return f"{name!r} is not legal: the game is over, {self.result}"
        return f"{name!r} is not legal: {self.situation}; legal: {', '.join(self.legal_names())}"

    def _number_of(self, player: str) -> int:
        return self.players.index(checked_choice("player", player, self.players))

    def copy(self: Self) -> Self:
        """An independent game in the same position, with the same history."""
        return copy.deepcopy(self)

    @classmethod
    def hides(cls) -> bool:
        """Whether anything is hidden from a player, for `determinize` to draw again."""
        return cls.determinize is not BaseGame.determinize

    def determinize(self: Self, generator: np.random.Generator) -> Self:
        """An independent game that the player to act cannot distinguish from this one.

        Whatever that player does not see is drawn again, from the generator. By default nothing is
        hidden, and it is a copy.
        """
        return self.copy()

    def to_record(
        self,
        *,
        players: Mapping[str, str] | None = None,
        seed: int | None = None,
        seconds: Sequence[float] | None = None,
        fault: Mapping[str, Any] | None = None,
        **added: Any,
    ) -> dict[str, Any]:
        """The record of the game, ready for `json.dumps`.

        Args:
            players: the names of both players, by side.
            seed: what the game was seeded with, from 0.
            seconds: how long each decision took, from 0.
            fault: what ended an unfinished game: ``player``, ``kind``, ``ply`` and ``seen``; that
                player has lost.
            **added: values of keys that products add, such as ``digest`` of the arena and
                ``models`` of language models; ``docs/records.md`` lists them.

        Returns:
            The record, of JSON's types, its keys in the order of ``docs/records.md``.

        Raises:
            RecordError: naming a key that does not exist, or whose value does not fit the game.

        >>> from tkm_env import Game
        >>> game = Game(chapters="growth")
        >>> game.play("choose 1")
        >>> game.to_record()["actions"]
        ['choose 1']
        """
        return record_of(self, players=players, seed=seed, seconds=seconds, fault=fault, **added)

    @classmethod
    def from_record(cls: type[Self], record: Mapping[str, Any]) -> Self:
        """Replay the game that a record describes.

        Args:
            record: a record of this class's game.

        Returns:
            The game, with its history.

        Raises:
            RecordError: naming the key that is wrong, or the ply, from 1, of the first illegal
                action.
        """
        return play_record(cls, record)

    def svg(
        self,
        *,
        size: int | None = None,
        theme: str = "light",
        last: bool = True,
        legal: bool = False,
    ) -> str:
        """The drawing of the position, as an SVG document; see ``docs/drawing.md``.

        Args:
            size: its width in pixels, from 1 to 16,384; None leaves it to the viewer.
            theme: ``"light"`` or ``"dark"``.
            last: whether to mark what the last action did.
            legal: whether to mark the targets of the legal actions.

        Returns:
            The text of the document.

        Raises:
            ConfigError: naming the argument that is invalid.

        >>> from tkm_env import Game
        >>> Game().svg(size=640)[:38]
        '<svg xmlns="http://www.w3.org/2000/svg'
        """
        last, legal = checked_flag("last", last), checked_flag("legal", legal)
        title = f"turn {self.turn}: {self.situation}"
        if last and self._history:
            title += f"; last action: {self.action_names[self._history[-1]]}"
        renderer = self.renderer()
        parts = renderer.parts(self, last=last, legal=legal)
        return renderer.canvas.document(
            parts, size=size, theme=theme, title=title, description=self.visible_position
        )

    @property
    def visible_position(self) -> str:
        """The text of the position without anything hidden from the players."""
        return self.position

    def replay(self, players: Mapping[str, str] | None = None) -> Replay:
        """The game as a replay.

        `tkm_env.render.replay.replay_page` and `tkm_env.render.gif.images` show it.

        Args:
            players: the players' names, by side; None for none.

        Returns:
            The replay.

        Raises:
            ConfigError: if ``players`` is anything else.
        """
        names = {} if players is None else players
        if not isinstance(names, Mapping) or not all(
            isinstance(names.get(player, ""), str) for player in self.players
        ):
            allowed = (
                f"it must be None or the names of {' and '.join(map(repr, self.players))}, by side"
            )
            raise ConfigError("players", players, allowed)
        renderer = self.renderer()
        sides = tuple(
            Side(player, names.get(player, ""), renderer.icon(player)) for player in self.players
        )
        result = self.situation.removeprefix("over, ") if self.result is not None else "unfinished"
        return Replay(
            title_of(sides, self.title),
            self.about,
            sides,
            renderer.canvas,
            tuple(renderer.frames(self)),
            result,
        )

    def __str__(self) -> str:
        return f"turn {self.turn}: {self.situation}\n{self.visible_position}"

    def __eq__(self, other: object) -> bool:
        return self.position == other.position if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.position)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(position={self.position!r})"

    def _repr_svg_(self) -> str:
        """The drawing, shown by notebooks."""
        return self.svg(size=_NOTEBOOK_SIZE)


@cache
def _indices(names: tuple[str, ...]) -> dict[str, int]:
    return {name: index for index, name in enumerate(names)}
