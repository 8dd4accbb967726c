"""`tkm rating`: what it reads, prints and refuses, and that reports say the same."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env import Game, GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.rating import fit
from tkm_env.arena.record_results import Results
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import from_record, read_records, write_record


def run(*arguments: object) -> Any:
    return CliRunner().invoke(
        tkm, ["rating", *map(str, arguments)], catch_exceptions=False, env={"COLUMNS": "80"}
    )


def reported(*arguments: object) -> Any:
    """The only section of what `tkm report --json` writes."""
    given = ["report", *map(str, arguments), "--json", "-"]
    (section,) = json.loads(CliRunner().invoke(tkm, given, catch_exceptions=False).stdout)[
        "sections"
    ]
    return section


def words(output: str) -> str:
    return " ".join(output.split())


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Matches of three players, one of them under other settings, one of another game."""
    folder = tmp_path_factory.mktemp("matches")
    matches = {
        "first": Match("greedy", "random", 12, seed=1),
        "second": Match("alphabeta:depth=1", "greedy", 12, seed=2),
        "growth": Match("alphabeta:depth=1", "random", 6, GameConfig(chapters="growth"), seed=3),
        "apart": Match("mcts:iterations=2", "mcts:iterations=3", 6, seed=4),
        "terminus": Match("greedy", "random", 2, game="terminus"),
    }
    for name, match in matches.items():
        list(match.play(folder / f"{name}.jsonl"))
    return {name: folder / f"{name}.jsonl" for name in matches}


def changed(source: Path, target: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A copy whose first record is changed."""
    lines = source.read_text("utf-8").splitlines()
    record = json.loads(lines[0])
    change(record)
    target.write_text("\n".join([json.dumps(record), *lines[1:], ""]), "utf-8")
    return target


def test_all_games_of_several_files_are_rated_together(files: dict[str, Path]) -> None:
    output = run(files["first"], files["second"], "--anchor", "greedy=1000").output
    assert "default settings: 24 games; greedy is 1000" in output
    rows = [
        line.split()
        for line in output.splitlines()
        if "±" in line and "%" in line and "interval" not in line
    ]
    assert [row[0] for row in rows] == ["1", "2", "3"]
    assert {row[1] for row in rows} == {"alphabeta:depth=1", "greedy", "random"}
    assert [int(row[2]) for row in rows] == sorted((int(row[2]) for row in rows), reverse=True)
    assert next(row[2:5] for row in rows if row[1] == "greedy") == ["1000", "±0", "24"]
    assert all(len(line) <= 80 for line in output.splitlines())


def test_the_table_is_what_the_fit_finds(files: dict[str, Path]) -> None:
    (overall,) = reported(files["first"], files["second"])["parts"]
    results = Results()
    for name in ("first", "second"):
        assert list(results.read(files[name])) == list(range(1, 13))
    ratings = fit(results.games())
    assert overall["config"] == {}
    assert overall["players"] == [
        {
            "rank": ratings.rank(each.player),
            "player": each.player,
            "elo": each.elo._asdict(),
            "games": each.games,
            "points": each.points,
            "bounded": each.is_bounded,
        }
        for each in ratings.players
    ]
    assert overall["first_move"] == ratings.first_move._asdict()
    pairs = {(row["player"], row["other"]): row["elo"] for row in overall["differences"]}
    assert pairs["greedy", "random"] == ratings.difference("greedy", "random")._asdict()
    assert len(pairs) == 3


@pytest.mark.parametrize("first_player", ["white", "black"])
def test_the_first_to_move_is_the_one_to_act_at_the_start_and_points_are_theirs(
    tmp_path: Path, first_player: str
) -> None:
    """An odd opening gives the first move of the players to the other side, in any setting."""
    for turns in (1, 2):
        path = tmp_path / f"{turns}.jsonl"
        match = Match(
            "greedy",
            "random",
            4,
            GameConfig(first_player=first_player),
            seed=1,
            opening_turns=turns,
        )
        list(match.play(path))
        results = Results()
        list(results.read(path))
        expected: dict[tuple[str, str, float], int] = {}
        for _, record in read_records(path):
            mover = from_record(record).start.to_act
            assert (mover == first_player) == (turns == 2)
            first = record["players"][mover]
            second = next(name for name in record["players"].values() if name != first)
            winner = {"1-0": "white", "0-1": "black"}.get(record["result"])
            points = 0.5 if winner is None else float(winner == mover)
            expected[first, second, points] = expected.get((first, second, points), 0) + 1
        counted: Counter[tuple[str, str, float]] = Counter()
        for game in results.games():
            counted[game.first, game.second, game.points] += int(game.games)
        assert counted == expected


def test_each_of_several_settings_is_rated_by_itself_too(files: dict[str, Path]) -> None:
    given = (files["first"], files["growth"], "--anchor", "greedy=500")
    output = run(*given).output
    heads = [line.strip() for line in output.splitlines() if "games;" in line]
    assert heads == [
        "all settings: 18 games; greedy is 500",
        "default settings: 12 games; greedy is 500",
        "chapters=growth: 6 games; the mean is 0",
    ]
    parts = reported(*given)["parts"]
    assert [each["config"] for each in parts] == [None, {}, {"chapters": ["growth"]}]
    assert [each["games"] for each in parts] == [18, 12, 6]


def test_players_whom_no_games_connect_are_told_apart(files: dict[str, Path]) -> None:
    output = words(run(files["first"], files["apart"]).output)
    assert (
        "No games connect the players below with those above: their ratings cannot be compared."
        in output
    )
    (rated,) = reported(files["first"], files["apart"])["parts"]
    assert rated["groups"] == [["greedy", "random"], ["mcts:iterations=2", "mcts:iterations=3"]]
    assert len(rated["differences"]) == 2


def test_unfinished_games_are_left_out_and_counted(files: dict[str, Path], tmp_path: Path) -> None:
    path = changed(
        files["first"],
        tmp_path / "games.jsonl",
        lambda record: record.update(actions=[], seconds=[], result=None),
    )
    output = run(path).output
    assert "11 games" in output
    assert "1 unfinished game was skipped" in output


def test_what_cannot_be_rated_is_refused_with_its_line(
    files: dict[str, Path], tmp_path: Path
) -> None:
    for change, message in (
        (lambda record: record.pop("players"), "line 1: players: this record has no player names"),
        (
            lambda record: record.update(players={"white": "me", "black": "me"}),
            "line 1: players: a player's games against itself",
        ),
        (
            lambda record: record.update(result={"1-0": "0-1"}.get(record["result"], "1-0")),
            "line 1: result: ",
        ),
        (lambda record: record["actions"].insert(0, "choose 9"), "line 1 is not a game record"),
        (
            lambda record: record.update(
                seconds=record["seconds"][:-1], actions=record["actions"][:-1]
            ),
            "line 1: result",
        ),
    ):
        path = changed(files["first"], tmp_path / "games.jsonl", change)
        result = run(path)
        assert result.exit_code == 2, (change, message)
        assert str(path) in result.output, (change, message)
        assert message in result.output, (change, message)


def test_a_file_given_twice_or_copied_does_not_count_twice(
    files: dict[str, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy.jsonl"
    copy.write_bytes(files["first"].read_bytes())
    for again in (files["first"], copy):
        result = run(files["first"], again)
        assert result.exit_code == 2
        assert f"line 1: record: it is the same game as line 1 of {files['first']}" in words(
            result.output
        )


def test_games_without_a_seed_may_be_alike(tmp_path: Path) -> None:
    """Two people may play the same game again."""
    game = Game(
        position=(
            "W.../..../..../...B|W.../..../..../....|"
            "W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"
        )
    )
    game.play(game.legal_actions()[0])
    assert game.result is not None
    for _ in range(2):
        write_record(
            tmp_path / "games.jsonl", game.to_record(players={"white": "Ada", "black": "Bob"})
        )
    assert "2 games" in run(tmp_path / "games.jsonl").output


def test_what_is_asked_wrongly_is_refused(files: dict[str, Path]) -> None:
    for arguments, message in (
        (["first", "terminus"], "it is 'terminus', but earlier games are 'tkm'"),
        (
            ["first", "--anchor", "greedy"],
            "it must be a player's name, an equals sign and a number",
        ),
        (
            ["first", "--anchor", "greedy=strong"],
            "it must be a player's name, an equals sign and a number",
        ),
        (
            ["first", "--anchor", "eve=5"],
            "anchor='eve' is invalid: it has played no game; the players are ['greedy', 'random']",
        ),
        (["first", "--anchor", "greedy=inf"], "anchor=inf is invalid"),
        ([], "Missing argument"),
        (["nowhere.jsonl"], "does not exist"),
    ):
        result = run(*[files.get(argument, argument) for argument in arguments])
        assert result.exit_code == 2, (arguments, message)
        assert message in words(result.output), (arguments, message)


def test_a_file_without_finished_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_text("", "utf-8")
    result = run(path)
    assert result.exit_code == 2
    assert "there is no finished game" in result.output
