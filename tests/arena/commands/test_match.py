"""`tkm match`: what it prints, saves, goes on with and refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from tests.cli.test_commands import cells, run, words
from tkm_env import GameConfig
from tkm_env.arena.commands.rating_tables import show_standings
from tkm_env.arena.match import Match, Standing, standings
from tkm_env.arena.sprt import SPRT
from tkm_env.cli.console import PlainConsole
from tkm_env.core.record_files import read_records
from tkm_env.evaluation.score import PairResults
from tkm_env.games.terminus.deck import write_deck


def test_a_match_reports_wins_by_side_the_score_with_its_interval_and_the_lengths(
    tmp_path: Path,
) -> None:
    saved = tmp_path / "games.jsonl"
    result = run(
        "match", "greedy", "random", "--games", "6", "--processes", "1", "--save", str(saved)
    )
    assert result.exit_code == 0
    assert "6 games" in result.output
    records = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    won = [
        record["players"].get({"1-0": "white", "0-1": "black"}.get(record["result"], ""))
        == "greedy"
        for record in records
    ]
    rows = dict(zip(cells(result.output, 1), cells(result.output, 2), strict=True))
    assert rows["all"].startswith(f"+{sum(won)} ="), rows
    points = sum(won) + sum(record["result"] in ("*", "1/2") for record in records) / 2
    assert rows["score (95% interval)"].startswith(f"{points / 6:.1%} ("), rows
    assert " to " in rows["Elo (95% interval)"]
    for side in ("white", "black"):
        sides = [
            wins
            for wins, record in zip(won, records, strict=True)
            if record["players"][side] == "greedy"
        ]
        assert rows[f"as {side}"].startswith(f"+{sum(sides)} ="), rows


def standing(player: str) -> Standing:
    """Of a long match with slow players."""
    pairs = PairResults((1234, 1111, 50_000, 2345, 3456))
    return Standing(
        player,
        {"white": (11_111, 22_222, 11_111), "black": (11_111, 22_222, 11_111)},
        pairs,
        123.4,
        12.3456,
    )


def test_the_table_fits_a_terminal_and_no_two_players_look_alike(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for one, other in (
        ("alphabeta:depth=4,table_bits=18", "alphabeta:depth=4,table_bits=20"),
        (
            "bots/entries/autumn/[bold]ear.py:ear:width=20",
            "bots/entries/spring/[bold]ear.py:ear:width=20",
        ),
        ("mcts:iterations=1000,exploration=0.7", "mcts:iterations=1000,exploration=0.7"),
    ):
        show_standings(PlainConsole(width=80), (standing(one), standing(other)))
        output = capsys.readouterr().out
        assert all(len(line) <= 80 for line in output.splitlines() if " is " not in line), output
        head = next(line for line in output.splitlines() if "┃" in line)
        first, second = (cell.strip() for cell in head.split("┃")[2:4])
        assert first != second, (one, other)
        assert "…" in first, (one, other)
        legend = [line.split(" is ") for line in output.splitlines() if " is " in line]
        assert [name for name, _ in legend] == [first, second], (one, other)
        assert [line.removesuffix(" (first)").removesuffix(" (second)") for _, line in legend] == [
            one,
            other,
        ], (one, other)


def test_a_match_stops_when_a_test_knows_and_says_what(tmp_path: Path) -> None:
    target = tmp_path / "outcome.json"
    given = ("match", "greedy", "random", "--processes", "1", "--seed", "1")
    result = run(*given, "--sprt", "elo0=0,elo1=150", "--json", str(target))
    assert result.exit_code == 0
    outcome = json.loads(target.read_text("utf-8"))
    pairs = sum(outcome["players"][0]["pairs"])
    assert outcome["games"] == 2 * pairs < outcome["games_planned"] == 10_000
    assert (
        f"H1 is accepted, an advantage of 150 rather than 0 normalised Elo. After {pairs} pairs"
        in words(result.output)
    )
    undecided = run(*given, "--sprt", "elo0=0,elo1=5", "--games", "2")
    assert (
        "undecided between an advantage of 0 (H0) and of 5 normalised Elo (H1). After 1 pairs"
        in words(undecided.output)
    )
    lost = run(
        "match", "random", "greedy", "--processes", "1", "--seed", "1", "--sprt", "elo0=0,elo1=150"
    )
    assert "H0 is accepted, an advantage of 0 rather than 150 normalised Elo." in words(lost.output)


def test_the_outcome_of_a_match_is_one_object_for_programs(tmp_path: Path) -> None:
    given = (
        "match",
        "greedy",
        "random",
        "--games",
        "8",
        "--processes",
        "1",
        "--chapters",
        "growth",
        "--sprt",
        "elo0=0,elo1=20",
    )
    result = run(*given, "--json", "-", "--save", str(tmp_path / "games.jsonl"))
    outcome = json.loads(result.stdout)
    assert "8 games" in result.stderr
    assert (outcome["kind"], outcome["version"]) == ("tkm_env match outcome", 1)
    assert outcome["config"] == {"chapters": ["growth"]}
    match = Match("greedy", "random", 8, GameConfig(chapters="growth"))
    rows = standings([record for _, record in read_records(tmp_path / "games.jsonl")], match)
    assert len(outcome["players"]) == 2
    for found, row in zip(outcome["players"], rows, strict=True):
        assert found["player"] == row.player
        assert tuple(found["pairs"]) == row.pairs.counts
        assert found["by_side"]["white"] == dict(
            zip(("wins", "draws", "losses"), row.by_side["white"], strict=True)
        )
        assert found["score"] == row.score._asdict()
        finite = {
            name: value for name, value in row.pairs.elo._asdict().items() if math.isfinite(value)
        }
        assert {name: value for name, value in found["elo"].items() if value is not None} == finite
    assert outcome["sprt"]["llr"] == SPRT(0, 20).llr(rows[0].pairs)
    assert outcome["sprt"]["accepted"] is None
    again = run(
        "match",
        "greedy",
        "random",
        "--games",
        "8",
        "--processes",
        "2",
        "--chapters",
        "growth",
        "--seed",
        str(outcome["seed"]),
    )
    assert f"The seed of these games is {outcome['seed']}." in again.output, (
        "that of the first run, which it repeats"
    )
    assert f"The seed of these games is {outcome['seed']}." in words(result.stderr)


def test_a_match_of_terminus_reports_wins_by_its_own_sides(tmp_path: Path) -> None:
    write_deck(tmp_path / "deck.json")
    given = (
        "--game",
        "terminus",
        "--games",
        "4",
        "--processes",
        "1",
        "--deck",
        str(tmp_path / "deck.json"),
    )
    output = words(run("match", "greedy", "random", *given).output)
    assert "4 games" in output
    assert "as red" in output
    assert "as blue" in output


@pytest.mark.filterwarnings("always:.*its last record was incomplete:RuntimeWarning")
def test_a_match_that_was_stopped_goes_on_and_keeps_what_was_played(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    given = ("match", "random", "random", "--games", "8", "--processes", "1", "--save", str(saved))
    run(*given)
    whole = saved.read_text("utf-8").splitlines(keepends=True)
    saved.write_text("".join(whole[:3]) + whole[3][:20], "utf-8")
    assert run(*given).exit_code == 2, "without --resume a file that is there is left alone"
    result = run(*given, "--resume")
    assert result.exit_code == 0
    said = (
        f"Warning: {saved}: its last record was incomplete; it has been moved to the end of "
        f"{saved}.cut"
    )
    assert said in result.output.splitlines()
    assert Path(f"{saved}.cut").read_text("utf-8") == whole[3][:20] + "\n"
    again = saved.read_text("utf-8").splitlines(keepends=True)
    assert again[:3] == whole[:3]
    assert [json.loads(line)["actions"] for line in again] == [
        json.loads(line)["actions"] for line in whole
    ]


def test_a_match_that_cannot_be_is_refused_by_name() -> None:
    for arguments, message in (
        (["clever", "random"], "'clever'"),
        (["random", "alphabeta:width=3"], "'width'"),
        (["random", "random", "--chapters", "winter"], "chapters='winter'"),
        (["random", "random", "--powers", "doorway"], "powers="),
        (["random", "random", "--games", "0"], "games=0"),
        (["random", "random", "--games", "-1"], "games=-1"),
        (["random", "random", "--handicap", "x,y"], "handicap='x,y'"),
        (["random", "random", "--powers", ""], "powers=''"),
        (["random", "random", "--max-turns", "99999999999999999999"], "max_turns="),
        (["random", "random", "--sprt", "elo1=5"], "sprt='elo1=5' is invalid: it must be written"),
        (
            ["random", "random", "--sprt", "elo0=5,elo1=0"],
            "elo1=0 is invalid: it must be above elo0",
        ),
        (["random", "random", "--processes", "0"], "'--processes': 0 is not in the range"),
        (
            ["random", "random", "--address", "auto"],
            "address='auto' is invalid: it is only for --engine ray",
        ),
        (
            ["random", "random", "--engine", "ray", "--address", "auto", "--processes", "2"],
            "processes=2 is invalid: with --address",
        ),
        (["random", "random", "--game", "terminus", "--chapters", "growth"], "chapters='growth'"),
        (["random", "random", "--deck", "deck.json"], "deck='deck.json'"),
        (["random", "mcts", "--game", "terminus"], "'random', 'greedy', 'ismcts'"),
    ):
        result = run("match", *arguments)
        assert result.exit_code == 2, (arguments, message)
        assert "Error: " in result.output, (arguments, message)
        assert message in result.output, (arguments, message)


def test_a_match_that_could_not_be_saved_is_refused_in_a_line(tmp_path: Path) -> None:
    for resume in ([], ["--resume"]):
        for name in ("nowhere/games.jsonl", "."):
            result = run(
                "match",
                "random",
                "random",
                "--games",
                "100000",
                "--save",
                str(tmp_path / name),
                *resume,
            )
            assert result.exit_code == 2, (name, resume)
            assert result.output.startswith(f"Error: {tmp_path / name}: "), (name, resume)
            assert result.output.count("\n") == 1, (name, resume)


def test_a_match_is_not_resumed_without_a_file() -> None:
    result = run("match", "random", "random", "--resume")
    assert (result.exit_code, result.output) == (
        2,
        "Error: resume=True is invalid: it needs save: the file with the games so far\n",
    )


def test_an_outcome_that_could_not_be_written_is_refused_before_the_first_game(
    tmp_path: Path,
) -> None:
    saved = tmp_path / "games.jsonl"
    result = run(
        "match",
        "random",
        "random",
        "--save",
        str(saved),
        "--json",
        str(tmp_path / "nowhere" / "outcome.json"),
    )
    assert result.exit_code == 2
    assert "there is no folder" in result.output
    assert not saved.exists()
