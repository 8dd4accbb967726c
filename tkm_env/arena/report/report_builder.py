"""Makes reports from files of games, which may grow meanwhile."""

import os
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from tkm_env.arena.game_counts import GameCounts
from tkm_env.arena.rating import Ratings, fit
from tkm_env.arena.record_results import RecordedGame, RecordReader, Results, name_of_settings
from tkm_env.arena.report.head_to_head import summarize
from tkm_env.arena.report.model_table import model_table
from tkm_env.arena.report.report import (
    LostByFault,
    Report,
    ReportedGame,
    ReportPart,
    ReportSection,
    TurnTime,
)
from tkm_env.arena.report.tallies import (
    ConductTally,
    GameTally,
    PairTally,
    SettingsTally,
    to_microsecond,
)
from tkm_env.core.growing_records import RecordFile
from tkm_env.core.outcome import Outcome
from tkm_env.core.registry import game_spec
from tkm_env.foundations.errors import ConfigError, repr_of


class ReportBuilder:
    """Gathers the content of a report, file by file.

    Each game is rated separately, since strength in one says nothing about another.

    Attributes:
        games: all finished games so far.
    """

    def __init__(self) -> None:
        self.games: list[ReportedGame] = []
        self._reader = RecordReader()
        self._results: dict[str, Results] = defaultdict(Results)
        self._tallies: dict[str, GameTally] = defaultdict(GameTally)
        #: The number of times that each game of a pair was played, since matches may be repeated.
        self._repeats: Counter[int] = Counter()
        self._unfinished = 0
        #: Texts and mappings that many games share.
        self._shared: dict[Hashable, Any] = {}

    def read(self, file: str | os.PathLike[str] | RecordFile) -> Iterator[int]:
        """Add the games in a file.

        Args:
            file: the file, which another program may still be writing; a `RecordFile` is read on
                from where it was left.

        Yields:
            The number of each line that was read.

        Raises:
            FileError: as `tkm_env.arena.record_results.RecordReader.read` does.
        """
        for recorded in self._reader.read(file):
            if recorded.record["result"] is None:
                self._unfinished += 1
            else:
                self._results[recorded.game.name].add(recorded)
                self._add(recorded)
            yield recorded.line

    def _add(self, recorded: RecordedGame) -> None:
        record, number = recorded.record, len(self.games) + 1
        pair: Hashable = -number
        if "seed" in record:
            names = tuple(record["players"].values())
            start = hash(
                (record["game"], recorded.settings, record.get("position"), record["seed"] // 2)
            )
            self._repeats[hash((start, names))] += 1
            pair = hash((start, tuple(sorted(names)), self._repeats[hash((start, names))]))
        players = tuple(record["players"].items())
        game = ReportedGame(
            number=number,
            game=recorded.game.name,
            players=self._shared.setdefault(players, dict(players)),
            result=self._once(record["result"]),
            settings=self._once(name_of_settings(record["config"])),
            turns=recorded.game.turn,
            actions=len(record["actions"]),
            first=recorded.first,
            pair=pair,
            start=hash(recorded.start),
            seed=record.get("seed"),
            ended=record.get("ended"),
            fault=_fault_of(record, number),
            adjudicated=record["adjudicated"]["seen"] if "adjudicated" in record else None,
            place=recorded.place,
        )
        self.games.append(game)
        self._tallies[game.game].add(game, recorded, _turn_times(recorded, number))

    def _once(self, text: str) -> str:
        """Return the first text that was equal to this one, so that games share it."""
        known: str = self._shared.setdefault(text, text)
        return known

    @property
    def players(self) -> set[str]:
        """The names of the players of all games."""
        return {
            name
            for tally in self._tallies.values()
            for under in tally.settings.values()
            for name in under.conduct
        }

    def ratings(self, anchor: tuple[str, float] | None = None) -> dict[str, Ratings]:
        """Rate the players by all games so far.

        Args:
            anchor: a player and its Elo in each game that it played; None for a mean of 0.

        Returns:
            The ratings, for each game that was played by its name.
        """
        return {
            name: fit(games, anchor=_anchor_among(games, anchor))
            for name, results in self._results.items()
            for games in [results.games()]
        }

    def report(self, anchor: tuple[str, float] | None = None) -> Report:
        """Make the report on all games so far.

        Args:
            anchor: a player and its Elo in each game that it played; None for a mean of 0.

        Raises:
            ConfigError: if there are no finished games, or the anchor has played none.
            MissingExtraError: without the extra ``[arena]``.
        """
        if not self.games:
            raise ConfigError("games", 0, "there must be at least one finished game")
        if anchor is not None and anchor[0] not in self.players:
            raise ConfigError(
                "anchor",
                anchor[0],
                f"it has played no game; the players are {repr_of(sorted(self.players))}",
            )
        return Report(
            tuple(
                _section(name, results, self._tallies[name], anchor)
                for name, results in self._results.items()
            ),
            tuple(self.games),
            anchor,
            self._unfinished,
            self._reader.repeated,
            tuple(self._reader.growing),
        )


def _anchor_among(games: GameCounts, anchor: tuple[str, float] | None) -> tuple[str, float] | None:
    """Return the anchor if it played one of these games, otherwise None."""
    return anchor if anchor is not None and anchor[0] in games.players else None


def _fault_of(record: Mapping[str, Any], number: int) -> LostByFault | None:
    """Return the fault that ended the game with this number; None if none did."""
    if "fault" not in record:
        return None
    fault = record["fault"]
    player = record["players"][fault["player"]]
    return LostByFault(player, fault["kind"], number, fault["ply"], fault["seen"])


def _turn_times(recorded: RecordedGame, number: int) -> list[TurnTime]:
    """Return the times of a game, turn by turn."""
    times: list[TurnTime] = []
    last: tuple[str, int] | None = None
    for ply, (side, turn, seconds) in enumerate(recorded.decisions(), 1):
        if (side, turn) == last:
            times[-1] = times[-1]._replace(seconds=to_microsecond(times[-1].seconds + seconds))
        else:
            times.append(TurnTime(seconds, recorded.record["players"][side], number, ply))
        last = side, turn
    return times


def _section(
    name: str, results: Results, tally: GameTally, anchor: tuple[str, float] | None
) -> ReportSection:
    spec, played = game_spec(name), results.games()
    fits = results.ratings(_anchor_among(played, anchor))
    under = [*tally.settings.values()]
    return ReportSection(
        game=spec.name,
        title=spec.title,
        parts=tuple(
            _part(
                config,
                ratings,
                results.games(config),
                [each for each in under if config in (None, each.config)],
                spec.players,
            )
            for config, ratings in fits
        ),
        cross=tally.cross(),
        slowest=tuple(tally.slowest()),
        slowest_of={player: tuple(turns) for player, turns in tally.slowest_of.items()},
        lost=tuple(tally.lost),
        models=model_table(tally.spoken, played, fits[0][1]),
    )


def _part(
    config: Mapping[str, Any] | None,
    ratings: Ratings,
    played: GameCounts,
    tallies: Sequence[SettingsTally],
    sides: Sequence[str],
) -> ReportPart:
    """Return the part of a section about the games of some tallies."""
    first, second = sides
    words = {
        Outcome.FIRST_WON: f"{first} won",
        Outcome.SECOND_WON: f"{second} won",
        Outcome.DRAWN: "draw",
        Outcome.TRUNCATED: "cut off",
    }
    results = sum((each.results for each in tallies), Counter[str]())
    first_move = PairTally()
    for each in tallies:
        first_move = first_move.plus(each.first_move.tally)
    return ReportPart(
        config=config,
        games=results.total(),
        ratings=ratings,
        head_to_head=summarize(played, ratings),
        first_move=first_move.results().score,
        results={
            word: results[outcome.value]
            for outcome, word in words.items()
            if results[outcome.value]
        },
        faulty=sum(each.faulty for each in tallies),
        adjudicated=sum(each.adjudicated for each in tallies),
        turns=sum(each.turns for each in tallies) / results.total(),
        players=tuple(
            ConductTally.sum_of(
                [each.conduct[rating.player] for each in tallies if rating.player in each.conduct]
            ).conduct(rating.player)
            for rating in ratings.players
        ),
    )
