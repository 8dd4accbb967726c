"""The standings of a season, which follow its file of games as it grows."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tkm_env.arena.playing.versions import base_of
from tkm_env.arena.report.report import Report, ReportBuilder, ReportedGame
from tkm_env.arena.report.report_page import page
from tkm_env.evaluation.score import Elo
from tkm_env.foundations.errors import ConfigError

#: A page is shown for at least `_SHARE` times as long as it took to make, and for at least `_PAUSE`
#: seconds.
_SHARE, _PAUSE = 10.0, 3.0
#: The maximum number of points in a history, and the number of games between two of them at first.
_POINTS, _GAMES = 60, 20


class _Made(NamedTuple):
    """A report with its page, so that everyone who asks at one time gets the same ranks."""

    report: Report | None
    page: str | None
    games: int
    games_of: Mapping[str, Sequence[ReportedGame]]  # by the player, without its version
    by_seed: Mapping[int, ReportedGame]


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
        self._builder = ReportBuilder()
        self._lock = threading.Lock()
        self._due = 0.0
        self._made = _Made(None, None, 0, {}, {})
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

    def _latest(self) -> _Made:
        if self._lock.acquire(
            blocking=self._made.report is None
        ):  # while one thread reads, the others get the previous report
            try:
                if time.monotonic() >= self._due and self._path.exists():
                    self._read()
            finally:
                self._lock.release()
        return self._made

    def _read(self) -> None:
        began = time.thread_time()  # CPU time, since the machine may be busy
        for _ in self._builder.read(self._path, self._builder.line):
            if self._builder.games % self._stride == 0:
                self._remember()
        if self._builder.games > self._made.games:
            self._make()
        self._due = time.monotonic() + max(_PAUSE, _SHARE * (time.thread_time() - began))

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
        wanted = [each for each in (name, other) if each]
        return [
            game
            for game in self._latest().games_of.get(base_of(name)[0], ())
            if all(
                any(each in (player, base_of(player)[0]) for player in _players(game))
                for each in wanted
            )
        ]

    def with_seed(self, seed: int) -> ReportedGame | None:
        """Return the game with this seed; None if there is none."""
        return self._latest().by_seed.get(seed)

    def ratings_at(self, game: ReportedGame) -> dict[str, Elo]:
        """Return the ratings of a game's players by some of the games before it.

        They are those of the last point of `history` before the game, without players that had
        played no game by then.
        """
        points = [rows for at, rows in self.history if at < game.number]
        rows = points[-1].get(game.record["game"], {}) if points else {}
        return {player: rows[player] for player in _players(game) if player in rows}

    def _make(self) -> None:
        anchor = self._anchor if self._anchor and self._anchor[0] in self._builder.players else None
        try:
            report = self._builder.report(anchor)
        except ConfigError:  # no game between two players yet
            return
        text = page(
            report,
            self._title,
            folder=self._path.stem,
            links=self._links,
            player_address=self._player_address,
        )
        games_of: defaultdict[str, list[ReportedGame]] = defaultdict(list)
        for game in report.games:
            for name in {base_of(player)[0] for player in _players(game)}:
                games_of[name].append(game)
        by_seed = {game.record["seed"]: game for game in report.games if "seed" in game.record}
        self._made = _Made(report, text, self._builder.games, games_of, by_seed)

    def _remember(self) -> None:
        found = self._builder.ratings(self._anchor)
        rows = {
            game: {rating.player: rating.elo for rating in ratings.players}
            for game, ratings in found.items()
        }
        self.history.append((self._builder.games, rows))
        if len(self.history) > _POINTS:
            self._stride *= 2
            self.history = [point for point in self.history if point[0] % self._stride == 0]


def _players(game: ReportedGame) -> list[str]:
    """Return the names of a game's players."""
    return [*game.record["players"].values()]
