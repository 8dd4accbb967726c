"""What a report says of games, and its tables."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.arena.results_files import finished, written
from tkm_env import ConfigError, FileError, Game, GameConfig
from tkm_env.arena.match import Match, standings
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import Results
from tkm_env.arena.report.json_report import report_as_json
from tkm_env.arena.report.report import Report, TurnTime
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import page
from tkm_env.arena.report.report_tables import report_as_csv, report_as_markdown
from tkm_env.core.record_files import line_of
from tkm_env.evaluation.score import PairResults
from tkm_env.foundations.untrusted_text import visible

MATCHES = {
    "one": Match("greedy", "random", 12, seed=1),
    "two": Match("alphabeta:depth=1", "greedy", 12, seed=2),
    "growth": Match("alphabeta:depth=1", "random", 6, GameConfig(chapters="growth"), seed=3),
    "terminus": Match("greedy", "ismcts:iterations=2", 4, game="terminus", seed=4),
}


@pytest.fixture(scope="module")
def records() -> dict[str, list[dict[str, Any]]]:
    return {name: list(match.play()) for name, match in MATCHES.items()}


@pytest.fixture(scope="module")
def files(
    tmp_path_factory: pytest.TempPathFactory, records: dict[str, list[dict[str, Any]]]
) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("results")
    return {name: written(folder / f"{name}.jsonl", games) for name, games in records.items()}


def report_of(*paths: Path, anchor: tuple[str, float] | None = None) -> Report:
    builder = ReportBuilder()
    for path in paths:
        for _ in builder.read(path):
            pass
    return builder.report(anchor)


def of_records(path: Path, *games: dict[str, Any]) -> Report:
    return report_of(written(path / "games.jsonl", games))


def test_ratings_are_those_of_all_games_and_of_each_settings(files: dict[str, Path]) -> None:
    report = report_of(files["one"], files["two"], files["growth"], anchor=("greedy", 1000))
    (section,) = report.sections
    results = Results()
    for name in ("one", "two", "growth"):
        assert list(results.read(files[name]))
    assert [part.config for part in section.parts] == [None, {}, {"chapters": ["growth"]}]
    assert [part.name for part in section.parts] == [
        "all settings",
        "default settings",
        "chapters=growth",
    ]
    assert section.whole.ratings == fit(results.games(), anchor=("greedy", 1000))
    assert section.parts[1].ratings == fit(results.games({}), anchor=("greedy", 1000))
    assert section.parts[2].ratings == fit(results.games({"chapters": ["growth"]}))
    assert [part.games for part in section.parts] == [30, 24, 6]
    assert [conduct.player for conduct in section.whole.players] == [
        rating.player for rating in section.whole.ratings.players
    ]


def test_who_is_good_against_everyone_stands_in_every_form(files: dict[str, Path]) -> None:
    report = report_of(files["one"], files["two"], files["growth"])
    sentences = report.sections[0].whole.head_to_head
    assert sentences is not None
    assert (
        sentences.sentences[0]
        == "Nash averaging: no player beats the mix of alphabeta:depth=1 100%"
    )
    assert "no player beats the mix of alphabeta" in report_as_markdown(report, "Cup")
    assert "no player beats the mix of alphabeta:depth=1 100%." in page(report, "Cup")
    assert report_as_json(report)["sections"][0]["parts"][0]["head_to_head"] == sentences.as_json()
    assert report_of(files["one"]).sections[0].whole.head_to_head is None, "two players need none"


def test_the_cross_table_counts_pairs_as_the_match_does(
    files: dict[str, Path], records: dict[str, list[dict[str, Any]]]
) -> None:
    report = report_of(files["one"], files["two"], files["growth"])
    (section,) = report.sections
    for name in ("one", "two", "growth"):
        match = MATCHES[name]
        for row, (one, other) in zip(
            standings(records[name], match),
            [(match.first, match.second), (match.second, match.first)],
            strict=True,
        ):
            assert section.cross[one, other] == row.pairs
            assert not any(row.pairs.single)
    assert len(section.cross) == 6


def test_who_won_and_how_it_ended_is_counted(
    files: dict[str, Path], records: dict[str, list[dict[str, Any]]]
) -> None:
    whole = report_of(files["one"]).sections[0].whole
    rows = standings(records["one"], MATCHES["one"])
    for row in rows:
        (conduct,) = (each for each in whole.players if each.player == row.player)
        assert [conduct.wins, conduct.draws, conduct.losses] == [
            sum(counts) for counts in zip(*row.by_side.values(), strict=True)
        ]
        assert conduct.isolation == ("none",)
        assert conduct.memory is conduct.memory_game is None
    assert sum(whole.results.values()) == whole.games == 12
    assert whole.results.get("white won", 0) == sum(
        record["result"] == "1-0" for record in records["one"]
    )
    assert whole.faulty == 0


def test_each_game_is_rated_by_itself(files: dict[str, Path]) -> None:
    report = report_of(files["one"], files["terminus"], anchor=("random", 0))
    assert [section.game for section in report.sections] == ["tkm", "terminus"]
    tkm, terminus = (section.whole for section in report.sections)
    assert tkm.ratings.of("random").elo.estimate == 0
    assert {rating.player for rating in terminus.ratings.players} == {
        "greedy",
        "ismcts:iterations=2",
    }
    assert {*terminus.results} <= {"red won", "blue won", "draw", "cut off"}
    assert report.players == ("greedy", "ismcts:iterations=2", "random")
    assert [game.number for game in report.games] == list(range(1, 17))


def test_faults_are_counted_by_player_and_kind_and_named(tmp_path: Path) -> None:
    report = of_records(
        tmp_path,
        finished("ada", "bob", seed=2, fault="black"),
        finished("bob", "ada", seed=3, fault="white"),
        finished("ada", "bob", seed=4, fault="black", turns=0, settings={"first_player": "black"}),
        Game().to_record(
            players={"white": "ada", "black": "bob"},
            seed=6,
            fault={"player": "black", "kind": "crash", "ply": 0, "seen": "it cannot be started"},
        ),
        finished("ada", "bob", seed=8),
    )
    (section,) = report.sections
    ada, bob = (
        next(each for each in section.whole.players if each.player == name)
        for name in ("ada", "bob")
    )
    assert (bob.faults, bob.failed_starts) == ({"timeout": 3}, 1)
    assert (ada.faults, ada.failed_starts) == ({}, 0)
    assert (ada.wins, ada.draws, ada.losses) == (4, 1, 0)
    assert section.whole.faulty == 4
    assert [(lost.player, lost.kind, lost.game) for lost in section.lost] == [
        *(("bob", "timeout", game) for game in (1, 2, 3)),
        ("bob", "crash", 4),
    ]
    assert section.lost[3].ply == 0
    assert section.lost[0].ply == len(report.games[0].record["actions"]) + 1


def test_times_are_those_of_whole_turns(tmp_path: Path) -> None:
    game = Game(max_turns=3)
    for action in (
        "choose 1",
        "move east",
        "move east",
        "focus present",
        "choose 16",
        "move west",
        "move west",
        "focus present",
    ):
        game.play(action)
    while game.result is None:
        game.play(game.legal_actions()[0])
    rest = len(game.history) - 8
    seconds = [0.5, 0.25, 0.0, 0.0, 0.125, 0.0, 0.0, 0.0, 2.0, *[0.0] * (rest - 1)]
    report = of_records(
        tmp_path, game.to_record(players={"white": "ada", "black": "bob"}, seconds=seconds)
    )
    (section,) = report.sections
    assert section.slowest == (
        TurnTime(2.0, "ada", 1, 9),
        TurnTime(0.75, "ada", 1, 1),
        TurnTime(0.125, "bob", 1, 5),
    )
    ada = next(each for each in section.whole.players if each.player == "ada")
    assert (ada.turns, ada.median, ada.slowest) == (2, 1.375, TurnTime(2.0, "ada", 1, 9))
    assert ada.p99 == pytest.approx(1.9875)


def test_memory_is_the_most_of_all_games_with_the_game_in_which_it_was(tmp_path: Path) -> None:
    places = {"white": "process", "black": "sandbox"}
    report = of_records(
        tmp_path,
        finished("ada", "bob", seed=2, isolation=places, memory={"white": 30.5}, cpu={"white": 1}),
        finished(
            "bob",
            "ada",
            seed=3,
            isolation=places,
            memory={"white": 9, "black": 31.5},
            cpu={"white": 9, "black": 2},
        ),
        finished(
            "ada",
            "bob",
            seed=4,
            isolation=places,
            memory={"white": 31.5, "black": 8},
            cpu={"white": 4, "black": 8},
        ),
    )
    ada, bob = sorted(report.sections[0].whole.players, key=lambda each: each.player)
    assert (ada.memory, ada.memory_game, ada.isolation) == (31.5, 2, ("process", "sandbox"))
    assert (ada.cpu, ada.cpu_most, ada.cpu_game) == (2, 4, 3)
    assert (bob.memory, bob.memory_game, bob.isolation) == (9, 2, ("sandbox", "process"))


def test_repeated_games_are_left_out_and_counted_and_games_without_seeds_have_no_pair(
    tmp_path: Path,
) -> None:
    pair = [finished("ada", "bob", seed=2), finished("bob", "ada", seed=3)]
    again = [record | {"seconds": [0.5] * len(record["actions"])} for record in pair]
    report = of_records(tmp_path, *pair, *again)
    assert (len(report.games), report.repeated) == (2, 2)
    (section,) = report.sections
    assert section.cross["ada", "bob"].counts == (0, 0, 1, 0, 0)
    loose = [{key: value for key, value in record.items() if key != "seed"} for record in pair]
    (section,) = report_of(written(tmp_path / "loose.jsonl", loose)).sections
    assert section.cross["ada", "bob"] == PairResults(single=(0, 2, 0))


def test_the_share_of_who_moves_first_is_theirs_whichever_side_that_is(tmp_path: Path) -> None:
    settings = {"first_player": "black"}
    report = of_records(
        tmp_path,
        *(
            finished("ada", "bob", seed=2 * n, turns=1, fault="white", settings=settings)
            for n in range(1, 4)
        ),
    )
    assert report.sections[0].whole.first_move.share == 1


def test_games_that_are_not_over_are_left_out_and_counted(tmp_path: Path) -> None:
    begun = Game().to_record(players={"white": "ada", "black": "bob"})
    report = of_records(tmp_path, finished("ada", "bob"), begun)
    assert (len(report.games), report.unfinished, report.growing) == (1, 1, ())


def test_a_line_that_is_being_written_is_left_out_and_said(tmp_path: Path) -> None:
    first, second = finished("ada", "bob", seed=2), finished("bob", "ada", seed=3)
    path = written(tmp_path / "games.jsonl", [first])
    whole = path.read_bytes()
    line = line_of(second)
    for size in (1, 10, 40, len(line) // 2, len(line) - 1):
        path.write_bytes(whole + line[:size])
        report = report_of(path)
        assert (len(report.games), report.growing) == (1, (str(path),)), line[:size]
    path.write_bytes(whole + line)
    assert (len(report_of(path).games), report_of(path).growing) == (2, ())


@pytest.mark.parametrize(
    "damage", [b'{"kind": "another', b"\xff", b"none", b'{"kind": "tkm_env game record"'], ids=str
)
def test_other_damage_is_refused_wherever_it_is(tmp_path: Path, damage: bytes) -> None:
    path = written(tmp_path / "games.jsonl", [finished("ada", "bob")])
    whole = path.read_bytes()
    path.write_bytes(damage + b"\n" + whole)
    with pytest.raises(FileError, match="line 1 is not a game record"):
        report_of(path)
    path.write_bytes(whole + damage + b"\n")
    with pytest.raises(FileError, match="line 2 is not a game record"):
        report_of(path)


def test_what_cannot_be_reported_on_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "games.jsonl", [finished("ada", "bob")])
    with pytest.raises(ConfigError, match="it has played no game"):
        report_of(path, anchor=("eve", 0))
    with pytest.raises(ConfigError, match="there must be at least one finished game"):
        ReportBuilder().report()
    with pytest.raises(FileError, match="against itself"):
        report_of(written(tmp_path / "alone.jsonl", [finished("ada", "ada")]))
    with pytest.raises(FileError, match="the same game as line 1"):
        report_of(path, path)


# Tables.

NAMES = ["=1+1", "a|b `c`", "<b>", "@someone", "a\nb"]


@pytest.fixture
def odd(tmp_path: Path) -> Report:
    """A report on players with odd names."""
    games = [
        finished(one, "plain", seed=2 * n, memory={"white": 5}) for n, one in enumerate(NAMES, 1)
    ]
    return of_records(
        tmp_path,
        *games,
        finished("plain", "<b>", seed=90, fault="white", settings={"chapters": "growth"}),
    )


def test_the_csv_has_a_row_for_each_player_and_settings(odd: Report) -> None:
    rows = list(csv.DictReader(io.StringIO(report_as_csv(odd))))
    (section,) = odd.sections
    assert [row["player"].removeprefix("'") for row in rows] == [
        visible(each.player) for part in section.parts for each in part.players
    ]
    assert not [row["player"] for row in rows if row["player"][0] in "=+-@"]
    assert {row["settings"] for row in rows} == {
        "all",
        "max_turns=4",
        "chapters=growth, max_turns=4",
    }
    faulty = [row for row in rows if row["lost_by_timeout"] != "0"]
    assert [(row["player"], row["settings"]) for row in faulty] == [
        ("plain", "all"),
        ("plain", "chapters=growth, max_turns=4"),
    ]
    for row in rows:
        assert float(row["low"]) <= float(row["elo"]) <= float(row["high"])
        assert int(row["wins"]) + int(row["draws"]) + int(row["losses"]) == float(row["games"])


def test_markdown_shows_names_as_they_are(odd: Report) -> None:
    text = report_as_markdown(odd, "The *cup* <2>")
    assert text.startswith("# The \\*cup\\* \\<2\\>\n\n6 players, 6 games.")
    assert "| `` a\\|b `c` `` |" in text
    assert "| `<b>` |" in text
    assert "`a b`" in text
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if line.startswith("| ---"):
            assert lines[number - 1].count("|") == line.count("|")
            assert lines[number + 1].replace("\\|", "").count("|") == line.count("|")


def test_the_json_holds_everything(files: dict[str, Path]) -> None:
    report = report_of(files["one"], files["terminus"])
    content = json.loads(json.dumps(report_as_json(report), allow_nan=False))
    assert (content["games"], content["unfinished"], content["growing"], content["anchor"]) == (
        16,
        0,
        [],
        None,
    )
    tkm, terminus = content["sections"]
    assert (tkm["game"], terminus["game"]) == ("tkm", "terminus")
    whole = report.sections[0].whole
    assert tkm["parts"][0]["first_mover"] == whole.first_move._asdict()
    assert [each["player"] for each in tkm["parts"][0]["conduct"]] == [
        each.player for each in whole.players
    ]
    slowest = whole.players[0].slowest
    assert slowest is not None
    assert tkm["parts"][0]["conduct"][0]["slowest"] == slowest._asdict()
    assert len(tkm["cross"]) == 2
    assert len(tkm["slowest"]) == 10
    assert tkm["faults"] == []
