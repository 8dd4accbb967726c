"""The standings of a season, which follow its file of games as it grows."""

import heapq
import math
import threading
import time
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.report.report import Report, ReportedGame
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import page
from tkm_env.core.growing_records import RecordFile
from tkm_env.evaluation.score import Elo
from tkm_env.foundations.errors import ConfigError, FileError

#: A page is shown for at least `_SHARE` times as long as it took to make, and for at least `_PAUSE`
#: seconds.
_SHARE, _PAUSE = 10.0, 3.0
#: The seconds for which a request waits for new games: of a short season, and of one with at least
#: `_MANY` games, whose previous report will do.
_PATIENCE, _GLANCE, _MANY = 10.0, 0.05, 500
#: The maximum number of points in a history, and the number of games between two of them at first.
_POINTS, _GAMES = 60, 20


#: The number of games of a player's best, and of its worst ones.
_KEPT: Final = 3
#: The number of last games that a table lists; players' pages list all.
_LISTED: Final = 1_000


_Heap: TypeAlias = list[tuple[float, int]]


class _Made(NamedTuple):
    """A report with its page, so that everyone who asks at one time gets the same ranks."""

    report: Report | None
    page: str | None
    games: int


class Standings:
    """A season's standings, which threads may share.

    Args:
        path: the file of the season's games.
        anchor: the player whose rating is fixed, and that rating; None if the mean is fixed at 0.
        title: the title of the page.
        links: the addresses of other pages, by the text of the link.
        player_address: returns the address of a player's page.

    Attributes:
        history: points of the season. Each is a number of games and the ratings after them, which
            are, for the name of each game that is played, the rating of each player.
    """

    def __init__(
        self,
        path: Path,
        anchor: tuple[str, float] | None,
        title: str,
        links: Mapping[str, str],
        player_address: Callable[[str], str],
    ) -> None:
        self._player_address = player_address
        self._path, self._anchor, self._title, self._links = path, anchor, title, links
        self._file = RecordFile(path)
        self._builder = ReportBuilder()
        #: The numbers of the games of a player, and of two, without versions; and that of a seed.
        self._numbers_of: dict[frozenset[str], array[int]] = defaultdict(lambda: array("l"))
        self._number_of_seed: dict[int, int] = {}
        #: When the first game of each version ended, in seconds since 1970, if that is known.
        self._since: dict[str, float] = {}
        #: The wins against the strongest and the losses against the weakest, of each version and of
        #: all versions: pairs of a number that is the lower the more it counts, and the game's.
        self._extremes: dict[str, tuple[_Heap, _Heap]] = defaultdict(lambda: ([], []))
        self._indexed = 0
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._error: FileError | None = None
        self._due = 0.0
        self._made = _Made(None, None, 0)
        self.history: list[tuple[int, dict[str, dict[str, Elo]]]] = []
        self._stride: int = _GAMES

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._path.stem

    @property
    def games(self) -> int:
        """The number of games so far."""
        return self._latest().games

    def report(self) -> Report | None:
        """Return a report on the games up to now or a few seconds ago; None if there is none yet.

        Raises:
            FileError: if the games cannot be read.
        """
        return self._latest().report

    @property
    def unread(self) -> float:
        """The share of the file of games that has still to be read, from 0 to 1."""
        size = self._path.stat().st_size if self._path.exists() else 0
        return max(0.0, 1 - self._file.offset / size) if size else 0.0

    def _latest(self) -> _Made:
        """Return what was made last; a thread of its own reads what follows."""
        waits = self._made.report is None
        with self._lock:
            is_due = self._reader is None and time.monotonic() >= self._due
            if is_due and self._path.exists():
                self._reader = threading.Thread(target=self._follow, daemon=True)
                self._reader.start()
                waits = True  # while one request waits, the others get the previous report
            reader = self._reader
        if reader is not None and waits:
            reader.join(_PATIENCE if self._made.games < _MANY else _GLANCE)
        error, self._error = self._error, None
        if error is not None:
            raise error
        return self._made

    def _follow(self) -> None:
        try:
            self._read()
        except FileError as error:
            self._error = error
        finally:
            with self._lock:
                self._reader = None

    def _read(self) -> None:
        """Read the games that follow, and make the report, on the way as well if it is long."""
        began = time.thread_time()  # CPU time, since the machine may be busy
        games, makes_at = self._builder.games, began + _PAUSE
        for _ in self._builder.read(self._file):
            if len(games) % self._stride == 0:
                self._remember()
            if time.thread_time() > makes_at:
                makes_at = time.thread_time() + max(_PAUSE, _SHARE * self._make())
        cost = self._make() if len(games) > self._made.games else 0.0
        self._due = time.monotonic() + max(_PAUSE, _SHARE * cost)

    def page(self) -> str | None:
        """Return the report as a page that links to all games; None if there is none yet."""
        return self._latest().page

    def game(self, number: int) -> ReportedGame | None:
        """Return the game with this number, from 1; None if there is none."""
        report = self.report()
        return (
            report.games[number - 1]
            if report is not None and 0 < number <= len(report.games)
            else None
        )

    def games_of(self, name: str, other: str = "") -> list[ReportedGame]:
        """Return a player's games, or those between two players.

        Args:
            name: the name of the player; without a version, it stands for all versions.
            other: the name of the other player; empty for any.

        Returns:
            The games, in order.
        """
        report, wanted = self.report(), {name, other} - {""}
        if report is None:
            return []
        bases = frozenset(base_of(each)[0] for each in wanted)
        numbers = self._numbers_of.get(bases, array("l"))
        known = numbers[: bisect_right(numbers, len(report.games))]  # more may be read just now
        if bases == wanted:
            return [report.games[number - 1] for number in known]
        return [
            game
            for game in (report.games[number - 1] for number in known)
            if all(
                any(each in (player, base_of(player)[0]) for player in game.players.values())
                for each in wanted
            )
        ]

    def has_played(self, name: str) -> bool:
        """Whether a player, in any version, has a game in the report."""
        report, numbers = self.report(), self._numbers_of.get(frozenset([base_of(name)[0]]), ())
        return report is not None and any(number <= len(report.games) for number in numbers[:1])

    def since(self, player: str) -> float | None:
        """When a version's first game ended, in seconds since 1970; None if that is not known."""
        return self._since.get(player)

    def extremes(self, name: str) -> tuple[list[ReportedGame], list[ReportedGame]]:
        """Return a player's wins against the strongest, and losses against the weakest opponents.

        Args:
            name: the name of the player; without a version, it stands for all versions.

        Returns:
            At most three games each, those that count most first.
        """
        report = self.report()
        won, lost = (
            [report.games[number - 1] for _, number in kept if number <= len(report.games)]
            if report is not None
            else []
            for kept in self._extremes.get(name, ([], []))
        )
        return won, lost

    def with_seed(self, seed: int) -> ReportedGame | None:
        """Return the game with this seed; None if there is none."""
        self._latest()
        return self.game(self._number_of_seed.get(seed, 0))

    def rated(
        self, games: Iterable[ReportedGame]
    ) -> Iterator[tuple[ReportedGame, Mapping[str, Elo]]]:
        """Find the ratings of all players at the time of games.

        Args:
            games: the games.

        Yields:
            Each game, with the ratings by some of the games before it: those of the last point of
            `history` before the game, without players that had played no game by then.
        """
        history, rows = self.history, dict[str, dict[str, Elo]]()
        begins, ends = 0.0, 0.0
        for game in games:
            if not begins < game.number <= ends:
                place = bisect_left(history, game.number, key=itemgetter(0))
                begins, rows = history[place - 1] if place else (0, {})
                ends = history[place][0] if place < len(history) else math.inf
            yield game, rows.get(game.game, {})

    def _make(self) -> float:
        """Make the report, and return how long it took, in CPU seconds."""
        began = time.thread_time()
        self._index()
        anchor = self._anchor if self._anchor and self._anchor[0] in self._builder.players else None
        try:
            report = self._builder.report(anchor)
        except ConfigError:  # no game between two players yet
            return 0.0
        text = page(
            report,
            self._title,
            folder=self._path.stem,
            links=self._links,
            player_address=self._player_address,
            listed=_LISTED,
        )
        self._made = _Made(report, text, len(report.games))
        return time.thread_time() - began

    def _index(self) -> None:
        """Take the new games into the indices."""
        for game, rows in self.rated(islice(self._builder.games, self._indexed, None)):
            bases = frozenset(base_of(player)[0] for player in game.players.values())
            for names in {bases, *(frozenset([base]) for base in bases)}:
                self._numbers_of[names].append(game.number)
            if game.seed is not None:
                self._number_of_seed[game.seed] = game.number
            (one, first), (other, second) = game.players.items()
            for side, player, against in ((one, first, second), (other, second, first)):
                if game.ended is not None:
                    self._since.setdefault(player, game.ended)
                points = game.points_of(side)
                if against in rows and points != 0.5:
                    elo = rows[against].estimate
                    row = (-elo if points else elo), game.number
                    for name in {player, base_of(player)[0]}:
                        kept = self._extremes[name][0 if points else 1]
                        kept[:] = heapq.nsmallest(_KEPT, (*kept, row))
        self._indexed = len(self._builder.games)

    def _remember(self) -> None:
        found = self._builder.ratings(self._anchor)
        rows = {
            game: {rating.player: rating.elo for rating in ratings.players}
            for game, ratings in found.items()
        }
        self.history.append((len(self._builder.games), rows))
        if len(self.history) > _POINTS:
            self._stride *= 2
            self.history = [point for point in self.history if point[0] % self._stride == 0]
