"""Which games are played, in which order: what matches and tournaments have in common."""

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

#: How many pairs of games can be told apart by their seeds, which have 62 bits.
_SEEDS: Final = 2**61


class Entrant(NamedTuple):
    """A player that takes part."""

    name: str  # as records and tables name it
    line: str  # as `tkm_env.players.factory.make_agent` reads it; empty for one that has left
    game: str | None = None  # the only game that it plays; None for all
    #: Files and folders of its own, which no other player may read in a sandbox.
    readable: tuple[str, ...] = ()
    number: int = 0  # tells apart the two instances of a player that plays against itself
    #: Of what it was when it entered, see `tkm_env.arena.playing.versions.digest_of`; once that has
    #: changed, it plays no more.
    digest: str = ""
    #: The file or folder that a stranger has handed in, of which a copy plays; empty for none.
    submitted: str = ""


@dataclasses.dataclass(frozen=True)
class ScheduledGame:
    """One game that is to be played. `pair_of_games` makes them."""

    settings: Settings  # the game and its settings; how games begin under them is left out
    opening: str | int  # how it begins: a position, or a number of random turns
    #: Identifies the game among those of its match or tournament; nothing follows from it.
    seed: int
    #: Everything random in the game, and in the other one of its pair, is derived from it.
    secret: int
    contestants: tuple[Entrant, Entrant]  # the players, in the order of the sides
    live: str = ""  # the file in which others can watch it; empty for none
    answers: str = ""  # the file that keeps what language models answer in it; empty for none
    #: The player that loses it without playing, since it is no longer what it was when it entered;
    #: empty for none.
    forfeits: str = ""

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
        """Each side, in order, with the player that has it."""
        return zip(self.settings.sides, self.contestants, strict=True)

    def begin(self) -> BaseGame:
        """The game before its first action.

        Raises:
            ConfigError: if every random game ends within the opening, or the position does not fit
                the settings.
        """
        return begin_game(self.settings, self.opening, self.secret)

    def generator(self, side: str) -> np.random.Generator:
        """The random numbers of the player of this side, from their beginning."""
        return np.random.default_rng(derived(self.secret, "player", self.seed % 2, side))


def pair_of_games(
    settings: Settings, opening: str | int, secret: int, contestants: tuple[Entrant, Entrant]
) -> tuple[ScheduledGame, ScheduledGame]:
    """Two games from the same start: in the second one, the contestants swap sides.

    Args:
        settings: the game and its settings, better without openings: they travel with each game.
        opening: how both games begin: a position, or a number of random turns.
        secret: what everything random in the two games is derived from.
        contestants: the two players; the first one has the first side in the first game.

    Returns:
        The games. The seed of the first one is even, and that of the second one follows it.
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
    """What plays the games of a schedule, and can be stopped."""

    _stopping: list[bool] = dataclasses.field(
        default_factory=list, init=False, repr=False, compare=False
    )

    def stop(self) -> None:
        """Have `play` finish the games under way and begin no others.

        A signal's handler or any thread may call it.
        """
        self._stopping.append(True)

    @property
    def is_stopped(self) -> bool:
        """Whether `stop` was called."""
        return bool(self._stopping)


class Schedule(ABC):
    """Which games are played, in which order."""

    title: ClassVar[str]  # what it is, in a word
    #: What all its games belong to, for a checkpoint beside their file; empty for none.
    identity: str = ""
    settings: tuple[Settings, ...] = ()  # all settings of a tournament
    conditions: Conditions  # how players play
    games: int | None  # how many games there are; None if that is open
    #: Whether the last `fixture` chose it and others, which is to be kept before they are played.
    is_new_choice: bool = False
    drawn_seed: int | None  # if its seed was drawn, that seed, to be kept beside the results
    #: Whether it leaves out the games of players that have changed, which they otherwise lose.
    is_open: ClassVar[bool] = False

    @abstractmethod
    def fixtures(self) -> Iterator[ScheduledGame]:
        """All games that may be played; in order, unless `fixture` chooses another one."""

    @abstractmethod
    def find(self, record: Mapping[str, Any]) -> ScheduledGame | None:
        """The game to which a record may belong, by its seed and players; None if there is none."""

    def fixture(
        self, number: int, results: Sequence[Mapping[str, Any] | None]
    ) -> ScheduledGame | Literal["wait"] | None:
        """The next game.

        Args:
            number: its index, from 0; the games are asked for in order.
            results: the records of the first games, in order, None for one that was left out. More
                of them than the choice needs change nothing.

        Returns:
            The game; None after the last one; ``"wait"`` if it depends on more results.
        """
        return next(self._in_order, None)

    @cached_property
    def _in_order(self) -> Iterator[ScheduledGame]:
        return self.fixtures()

    def meet(self, records: Iterable[Mapping[str, Any]]) -> None:  # noqa: B027 most schedules need not know
        """Before all else, see the records of the games so far, if there are any."""

    def resume(self, played: Sequence[ScheduledGame], state: Any) -> None:  # noqa: B027 most schedules need not know
        """Begin with the games that were played before; in a fixed order that changes nothing.

        Args:
            played: these games, in their order.
            state: what `state` returned when it was kept last; None if it was not.
        """

    def state(self, games: int) -> Any:
        """What is to be kept, once this many games are saved, to go on with the same ones.

        Returns:
            Values of JSON's types; None for nothing.
        """
        return None
