"""Schedules: which games are played, in which order, in matches and tournaments alike."""

import dataclasses
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, ClassVar, Final, Literal, NamedTuple

import numpy as np

from tkm_env.arena.playing.referee import Conditions
from tkm_env.core.game import BaseGame
from tkm_env.evaluation.starts import Settings, begin_game
from tkm_env.foundations.seeds import derived

#: The number of pairs of games that seeds, which have 62 bits, can tell apart.
_SEEDS: Final = 2**61


class Entrant(NamedTuple):
    """A player that takes part."""

    name: str  # its name in records and tables
    line: str  # as `tkm_env.players.factory.make_agent` reads it; empty for one that has left
    game: str | None = None  # the only game that it plays; None for all
    #: Its files and folders, which no other player may read in a sandbox.
    readable: tuple[str, ...] = ()
    number: int = 0  # tells apart the two instances of a player that plays against itself
    #: The digest of the player when it entered, see `tkm_env.arena.playing.versions.digest_of`;
    #: once that changes, it stops playing.
    digest: str = ""
    #: The file or folder that was submitted, of which a copy plays; empty for none.
    submitted: str = ""


@dataclasses.dataclass(frozen=True)
class ScheduledGame:
    """A game to be played, made by `pair_of_games`."""

    settings: Settings  # the game and its settings, without openings
    opening: str | int  # how it begins: a position, or a number of random turns
    #: Identifies the game within its match or tournament; nothing is derived from it.
    seed: int
    #: The number from which everything random in the game, and in the other game of its pair, is
    #: derived.
    secret: int
    contestants: tuple[Entrant, Entrant]  # the players, in the order of the sides
    live: str = ""  # the folder in which others can watch it; empty for none
    answers: str = ""  # the file with the answers of language models; empty for none
    #: The player that loses it without playing, since it has changed after it entered; empty for
    #: none.
    forfeits: str = ""
    #: The number of turns, of both sides, after which the game stops, undecided; None to play to
    #: its end.
    turns: int | None = None

    @property
    def game(self) -> str:
        """The name of the game."""
        assert self.settings.game is not None
        return self.settings.game

    @property
    def config(self) -> Any:
        """The settings of the game."""
        return self.settings.config

    @property
    def players(self) -> dict[str, str]:
        """The players' names, by side."""
        return {side: contestant.name for side, contestant in self.by_side()}

    def by_side(self) -> Iterator[tuple[str, Entrant]]:
        """Yield each side, in order, with its player."""
        return zip(self.settings.sides, self.contestants, strict=True)

    def begin(self) -> BaseGame:
        """Return the game before its first action.

        Raises:
            ConfigError: if every random game ends within the opening, or the position does not fit
                the settings.
        """
        return begin_game(self.settings, self.opening, self.secret)

    def generator(self, side: str) -> np.random.Generator:
        """Return a new generator of the random numbers of the player of this side."""
        return np.random.default_rng(derived(self.secret, "player", self.seed % 2, side))


def pair_of_games(
    settings: Settings, opening: str | int, secret: int, contestants: tuple[Entrant, Entrant]
) -> tuple[ScheduledGame, ScheduledGame]:
    """Make two games from the same start; in the second, the contestants swap sides.

    Args:
        settings: the game and its settings, preferably without openings, since they are sent to
            workers with each game.
        opening: how both games begin: a position, or a number of random turns.
        secret: the number from which everything random in both games is derived.
        contestants: the two players; the first one has the first side in the first game.

    Returns:
        The games. The seed of the first is even, and the seed of the second is the next number.
    """
    first, second = contestants
    seed = 2 * (derived(secret, "seed") % _SEEDS)
    return (
        ScheduledGame(settings, opening, seed, secret, (first, second)),
        ScheduledGame(settings, opening, seed + 1, secret, (second, first)),
    )


def has_swapped_sides(seed: int) -> bool:
    """Whether the game with this seed is the second of its pair, with the sides swapped."""
    return seed % 2 == 1


@dataclasses.dataclass(frozen=True)
class Stoppable:
    """The base of what plays the games of a schedule and can be stopped."""

    _stopping: list[bool] = dataclasses.field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def stop(self) -> None:
        """Let `play` finish the games in progress and begin no others.

        It may be called from a signal handler or any thread.
        """
        self._stopping.append(True)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._stopping)


class Schedule(ABC):
    """Which games are played, in which order."""

    title: ClassVar[str]  # what it is, in a word
    #: Identifies the schedule in the checkpoint beside its file of games; empty for no checkpoint.
    identity: str = ""
    settings: tuple[Settings, ...] = ()  # all settings of a tournament
    conditions: Conditions  # how players play
    games: int | None  # the number of games; None if that is open
    #: Whether the last call of `fixture` made new choices, which must be kept before games begin.
    is_new_choice: bool = False
    drawn_seed: int | None  # the seed to keep beside the results if it was drawn; else None
    #: Whether it leaves out the games of players that have changed, which they otherwise lose.
    is_open: ClassVar[bool] = False

    @abstractmethod
    def fixtures(self) -> Iterator[ScheduledGame]:
        """Yield all games that may be played, in order, unless `fixture` chooses the order."""

    @abstractmethod
    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """Find the game to which a record may belong, by its seed and players; None for none."""

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """Return the next game.

        Args:
            number: the index of the game, from 0; games are requested in order.
            results: the records of the first games, in order; None for one that was left out.
                Results beyond those that the choice needs change nothing.

        Returns:
            The game; None after the last one; ``"wait"`` if it depends on more results.
        """
        return next(self._in_order, None)

    @cached_property
    def _in_order(self) -> Iterator[ScheduledGame]:
        return self.fixtures()

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:  # noqa: B027 optional
        """Take note of the records of the games so far, before anything else."""

    def resume(self, played: Sequence[ScheduledGame], state: Any) -> None:  # noqa: B027 optional
        """Begin with the games that were played before; this does not affect a fixed order.

        Args:
            played: the games that were played, in their order.
            state: the last value of `state` that was kept; None if none was.
        """

    def state(self, games: int) -> Any:
        """Return what to keep, once this many games are saved, to resume with the same games.

        Returns:
            A value that JSON can express; None for nothing.
        """
        return None
