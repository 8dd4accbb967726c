"""`tkm match`, `tkm perft` and `tkm analyse`: what they print, save, go on with and refuse."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.games.tkm.test_perft import CASES, Case
from tkm_env import Game
from tkm_env.cli.commands import tkm
from tkm_env.games.terminus.deck import write_deck

WINS_NOW = "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"


def run(*arguments: str) -> Any:
    return CliRunner().invoke(tkm, arguments, catch_exceptions=False, env={"COLUMNS": "200"})


def cells(output: str, column: int) -> list[str]:
    """What the rows of a table hold in a column, from 1."""
    return [line.split("│")[column].strip() for line in output.splitlines() if "│" in line]


def words(output: str) -> str:
    return " ".join(output.split())


# Match


def test_a_match_reports_wins_by_side_the_score_with_its_interval_and_the_lengths(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    result = run("match", "greedy", "random", "--games", "6", "--processes", "1", "--save", str(saved))
    assert result.exit_code == 0
    assert "6 games" in result.output
    greedy = next(line for line in result.output.splitlines() if "greedy" in line and "%" in line)
    assert " to " in greedy
    records = [json.loads(line) for line in saved.read_text("utf-8").splitlines()]
    wins = sum(record["players"][{"1-0": "white", "0-1": "black"}.get(record["result"], "")] == "greedy" for record in records)
    share = f"{wins / 6:.1%}"
    assert share in greedy, f"{wins} of 6 games were won, and the table says {greedy}"


def test_a_match_of_terminus_reports_wins_by_its_own_sides(tmp_path: Path) -> None:
    write_deck(tmp_path / "deck.json")
    given = ("--game", "terminus", "--games", "4", "--processes", "1", "--deck", str(tmp_path / "deck.json"))
    output = words(run("match", "greedy", "random", *given).output)
    assert "4 games" in output
    assert "as red" in output
    assert "as blue" in output


@pytest.mark.filterwarnings("always:.*unfinished:RuntimeWarning")
def test_a_match_that_was_stopped_goes_on_and_keeps_what_was_played(tmp_path: Path) -> None:
    saved = tmp_path / "games.jsonl"
    given = ("match", "random", "random", "--games", "8", "--processes", "1", "--save", str(saved))
    run(*given)
    whole = saved.read_text("utf-8").splitlines(keepends=True)
    saved.write_text("".join(whole[:3]) + whole[3][:20], "utf-8")
    assert run(*given).exit_code == 2, "without --resume a file that is there is left alone"
    result = run(*given, "--resume")
    assert result.exit_code == 0
    said = f"Warning: {saved}: its last record was unfinished; it has been moved to the end of {saved}.cut"
    assert said in result.output.splitlines()
    assert Path(f"{saved}.cut").read_text("utf-8") == whole[3][:20] + "\n"
    again = saved.read_text("utf-8").splitlines(keepends=True)
    assert again[:3] == whole[:3]
    assert [json.loads(line)["actions"] for line in again] == [json.loads(line)["actions"] for line in whole]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["clever", "random"], "'clever'"),
        (["random", "alphabeta:width=3"], "'width'"),
        (["random", "random", "--chapters", "winter"], "chapters='winter'"),
        (["random", "random", "--powers", "doorway"], "powers="),
        (["random", "random", "--games", "0"], "games=0"),
        (["random", "random", "--games", "-1"], "games=-1"),
        (["random", "random", "--handicap", "x,y"], "handicap='x,y'"),
        (["random", "random", "--powers", ""], "powers=''"),
        (["random", "random", "--max-turns", "99999999999999999999"], "max_turns="),
        (["random", "random", "--processes", "0"], "processes=0"),
        (["random", "random", "--game", "terminus", "--chapters", "growth"], "chapters='growth'"),
        (["random", "random", "--deck", "deck.json"], "deck='deck.json'"),
        (["random", "mcts", "--game", "terminus"], "'random', 'greedy', 'ismcts'"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_a_match_that_cannot_be_is_refused_by_name(arguments: list[str], message: str) -> None:
    result = run("match", *arguments)
    assert result.exit_code == 2
    assert result.output.strip().startswith("Error: ")
    assert message in result.output


@pytest.mark.parametrize("name", ["nowhere/games.jsonl", "."])
@pytest.mark.parametrize("resume", [[], ["--resume"]], ids=["new", "resumed"])
def test_a_match_that_could_not_be_saved_is_refused_in_a_line(tmp_path: Path, name: str, resume: list[str]) -> None:
    result = run("match", "random", "random", "--games", "100000", "--save", str(tmp_path / name), *resume)
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {tmp_path / name}: ")
    assert result.output.count("\n") == 1


def test_a_match_is_not_resumed_without_a_file() -> None:
    result = run("match", "random", "random", "--resume")
    assert (result.exit_code, result.output) == (
        2,
        "Error: resume=True is invalid: it needs save: the file with the games so far\n",
    )


# Perft


@pytest.mark.parametrize("case", CASES[:3], ids=lambda case: case.name)
def test_perft_prints_the_known_counts(case: Case) -> None:
    output = run("perft", case.position, "--edition", case.edition, "--depth", "4").output
    assert tuple(int(count.replace(",", "")) for count in cells(output, 2)) == case.counts[:4]


def test_divided_perft_names_each_action_and_adds_up() -> None:
    case = CASES[0]
    output = run("perft", case.position, "--edition", case.edition, "--divide", "--depth", "4").output
    assert cells(output, 1) == Game(position=case.position, edition=case.edition).legal_names()
    assert sum(int(count.replace(",", "")) for count in cells(output, 2)) == case.counts[3]


# Analyse


def test_a_forced_win_is_reported_in_turns() -> None:
    output = words(run("analyse", WINS_NOW, "--agent", "alphabeta:depth=2").output)
    assert "wins in 1" in output


def test_lines_are_shown_with_score_chance_and_depth() -> None:
    output = run("analyse", "--chapters", "growth", "--agent", "alphabeta:depth=2", "--lines", "2").output
    assert output.count("to win") == output.count("depth 2") == 2
    assert "choose 1" in output


def test_a_game_that_is_over_has_no_lines() -> None:
    over = "W.../..../..../....|W.../..../..../....|W.../..../..../...B - w 1-0 PF - 4/4 - ---/--- -/- 9"
    assert "the game is over: 1-0" in run("analyse", over).output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--agent", "mcts"], "alphabeta"),
        (["--agent", "alphabeta:table_bits=3"], "depth and seconds"),
        *((["--agent", f"alphabeta:depth={depth}"], "depth=") for depth in (-1, 0, 3.0, "x", "True")),
        *((["--agent", f"alphabeta:seconds={seconds}"], "seconds=") for seconds in (-1, 0, "nan", "inf", "1e400", "True")),
        (["--seed", "-1"], "'--seed'"),
        (["W.../nonsense"], "position"),
    ],
    ids=lambda given: given if isinstance(given, str) else " ".join(given),
)
def test_what_cannot_be_analysed_is_refused(arguments: list[str], message: str) -> None:
    result = run("analyse", *arguments)
    assert result.exit_code == 2
    assert message in result.output


# Interrupts and pipes.


@pytest.mark.skipif(os.name == "nt", reason="needs the signals of POSIX")
def test_an_interrupt_ends_a_count_and_shows_what_is_known() -> None:
    """The lines of at most 64 actions cannot be counted in a lifetime."""
    code = (
        "import os, signal, threading\n"
        "from tkm_env.cli import main\n"
        "from tkm_env.games.tkm.search import perft\n"
        "count, pieces = perft._count, []\n"
        "def counted(*given):\n"
        "    pieces.append(1)\n"
        "    if len(pieces) == 20:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return count(*given)\n"
        "perft._count = counted\n"
        "main()\n"
    )
    result = subprocess.run([sys.executable, "-c", code, "perft", "--depth", "64"], capture_output=True, text=True, timeout=100)
    assert result.returncode == 130, result.stderr
    assert result.stderr == ""
    assert "│ 4       │" in result.stdout


def test_an_interrupt_has_the_exit_code_that_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tkm_env.cli.perft.take_game", interrupted)
    result = run("perft")
    assert result.exit_code == 130
    assert result.output == ""


@pytest.mark.skipif(os.name == "nt", reason="needs the pipes of POSIX")
def test_a_reader_that_left_gets_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tkm_env.cli", "perft", "--depth", "2"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert result.returncode == 1
    assert result.stderr == ""
