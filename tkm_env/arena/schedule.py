"""Which games are played, in which order: what matches and tournaments have in common."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from tkm_env.arena.referee import Conditions
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import game_spec
from tkm_env.evaluation.starts import Settings, begin_game
from tkm_env.foundations.seeds import derived

#: How many pairs of games can be told apart by their seeds, which have 62 bits.
_SEEDS: Final = 2**61


class Entrant(NamedTuple):
    """Someone who plays."""

    name: str  # as records and tables name it
    line: str  # as `tkm_env.players.specs.make_agent` reads it; empty for one who has left
    game: str | None = None  # the only game that it plays; None for all
    readable: tuple[
        str, ...
    ] = ()  # files and folders of its own, which no other player may read in a sandbox
    number: int = 0  # tells apart the two instances of a player who plays against itself
    #: Of what it was when it entered, see `tkm_env.arena.versions.digest_of`; it plays no more once that has changed.
    digest: str = ""
    submitted: str = ""  # the file or folder that a stranger has handed in, of which a copy plays; empty for none


@dataclasses.dataclass(frozen=True)
class ScheduledGame:
    """One game that is to be played. `pair_of_games` makes them."""

    game: str  # the name of the game
    config: Any  # its settings
    opening: str | int  # how it begins: a position, or so many random turns
    seed: int  # identifies the game among those of its match or tournament; nothing follows from it
    secret: int  # everything random in the game and in the other one of its pair is derived from it
    contestants: tuple[Entrant, Entrant]  # the players, by the order of the sides
    live: str = ""  # the file in which others can watch it; "" for none
    answers: str = ""  # the file that keeps what language models answer in it; "" for none
    forfeits: str = ""  # the player that loses it without playing, since it is no longer what it was when it entered; "" for none

    @property
    def players(self) -> dict[str, str]:
        """The players' names, by side."""
        sides = game_spec(self.game).players
        return {
            side: contestant.name for side, contestant in zip(sides, self.contestants, strict=True)
        }

    def begin(self) -> BaseGame:
        """The game before its first action. Raises a `ConfigError` if every random game ends within the opening, or the position does not
        fit the settings.
        """
        return begin_game(Settings(self.game, self.config), self.opening, self.secret)

    def generator(self, side: str) -> np.random.Generator:
        """The random numbers of the player of this side, from their beginning."""
        return np.random.default_rng(derived(self.secret, "player", self.seed % 2, side))


def pair_of_games(
    game: str, config: Any, opening: str | int, secret: int, contestants: tuple[Entrant, Entrant]
) -> tuple[ScheduledGame, ScheduledGame]:
    """Two games from the same start: in the second one, whose seed is odd, the contestants swap sides."""
    first, second = contestants
    seed = 2 * (derived(secret, "seed") % _SEEDS)
    return (
        ScheduledGame(game, config, opening, seed, secret, (first, second)),
        ScheduledGame(game, config, opening, seed + 1, secret, (second, first)),
    )


def has_swapped_sides(seed: int) -> bool:
    """Whether the game with this seed is the second one of its pair, in which the contestants swap sides."""
    return seed % 2 == 1


@dataclasses.dataclass(frozen=True)
class Stoppable:
    """What plays the games of a schedule, and can be stopped."""

    _stopping: list[bool] = dataclasses.field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def stop(self) -> None:
        """Have `play` finish the games that are being played, and begin no others; from a signal's handler or any thread."""
        self._stopping.append(True)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._stopping)


class Schedule(ABC):
    """Which games are played, in which order."""

    title: ClassVar[str]  # what it is, in a word
    identity: str = (
        ""  # what all its games belong to, for a checkpoint beside their file; empty for none
    )
    settings: tuple[Settings, ...] = ()  # all settings of a tournament
    conditions: Conditions  # how players play
    games: int | None  # how many games there are; None if that is open
    is_new_choice: bool = False  # whether the last `fixture` chose it and others, which is to be kept before they are played
    drawn_seed: int | None  # if its seed was drawn, that seed, to be kept beside the results
    is_open: ClassVar[bool] = (
        False  # whether it leaves out the games of players who have changed, which they otherwise lose
    )

    @abstractmethod
    def fixtures(self) -> Iterator[ScheduledGame]:
        """All games that may be played; in order, unless `fixture` chooses another one."""

    @abstractmethod
    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """The game of this schedule to which this record may belong, by its seed and players; None if there is none."""

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """The game of this number, from 0, in order; None after the last one, ``"wait"`` if it depends on more results.

        ``results`` are the records of the first games, in order, None for one that could not be played. On how many there are, beyond
        those that are needed, depends nothing.
        """
        return next(self._in_order, None)

    @cached_property
    def _in_order(self) -> Iterator[ScheduledGame]:
        return self.fixtures()

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:  # noqa: B027 most schedules need not know
        """Before all else, see the records of the games so far, if there are any."""

    def resume(self, played: Sequence[ScheduledGame], state: Any) -> None:  # noqa: B027 most schedules need not know
        """Begin with the games that were played before, in their order, and what `state` was; in a fixed order that changes nothing."""

    def state(self, games: int) -> Any:
        """What is to be kept, once so many games are saved, to go on with the same ones: JSON, None for nothing."""
        return None
