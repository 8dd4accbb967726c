"""What the games of a season show, read as they are added to its file."""

import threading
import time
from collections.abc import Mapping
from pathlib import Path

from tkm_env.arena.report.report import Report, ReportBuilder, ReportedGame
from tkm_env.arena.report.report_page import page
from tkm_env.evaluation.score import Elo
from tkm_env.foundations.errors import ConfigError

#: A page takes this many times as long to be shown as to be made, and at least so many seconds.
_SHARE, _PAUSE = 10.0, 3.0
#: How many points a history has at most, and after how many games each of the first ones is.
_POINTS, _GAMES = 60, 20


class Standings:
    """A season's standings. Threads may share it.

    Attributes:
        history: ratings, by player, after so many games, by the name of the game that is played.
    """

    def __init__(
        self, path: Path, anchor: tuple[str, float] | None, title: str, links: Mapping[str, str]
    ) -> None:
        self._path, self._anchor, self._title, self._links = path, anchor, title, links
        self._builder = ReportBuilder()
        self._lock = threading.Lock()
        self._due, self._made_of = 0.0, 0
        self._report: Report | None = None
        self._page = ""
        self.history: list[tuple[int, dict[str, dict[str, Elo]]]] = []
        self._stride: int = _GAMES

    @property
    def name(self) -> str:
        """The name of the table."""
        return self._path.stem

    @property
    def games(self) -> int:
        """How many games there are so far."""
        self.report()
        return self._made_of

    def report(self) -> Report | None:
        """The report on the games so far, or a few seconds ago; None before the first one.

        Raises a `FileError` if they cannot be read.
        """
        if self._lock.acquire(
            blocking=self._report is None
        ):  # while one thread reads, others have what was known before
            try:
                if time.monotonic() >= self._due and self._path.exists():
                    self._read()
            finally:
                self._lock.release()
        return self._report

    def _read(self) -> None:
        began = time.thread_time()  # others may keep the machine busy
        for _ in self._builder.read(self._path, self._builder.line):
            if self._builder.games % self._stride == 0:
                self._remember()
        if self._builder.games > self._made_of:
            self._make()
        self._due = time.monotonic() + max(_PAUSE, _SHARE * (time.thread_time() - began))

    def page(self) -> str | None:
        """The same as a page with links to all games, each at its number."""
        return self._page if self.report() is not None else None

    def game(self, number: int) -> ReportedGame | None:
        """The game of this number, from 1."""
        report = self.report()
        return (
            report.games[number - 1]
            if report is not None and 0 < number <= len(report.games)
            else None
        )

    def _make(self) -> None:
        anchor = self._anchor if self._anchor and self._anchor[0] in self._builder.players else None
        try:
            self._report = self._builder.report(anchor)
        except ConfigError:  # no game between two players yet
            return
        self._made_of = self._builder.games
        self._page = page(self._report, self._title, folder=self._path.stem, links=self._links)

    def _remember(self) -> None:
        found = self._builder.ratings()
        rows = {
            game: {rating.player: rating.elo for rating in ratings.players}
            for game, ratings in found.items()
        }
        self.history.append((self._builder.games, rows))
        if len(self.history) > _POINTS:
            self._stride *= 2
            self.history = [point for point in self.history if point[0] % self._stride == 0]
