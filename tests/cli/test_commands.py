"""`tkm perft` and `tkm analyse`: what they print and refuse; interrupts and pipes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

import pytest
from click.testing import CliRunner

from tests.players.tkm.search.test_perft import CASES
from tkm_env import Game
from tkm_env.cli.root_command import tkm

WINS_NOW = (
    "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"
)


def run(*arguments: str) -> Any:
    return CliRunner().invoke(tkm, arguments, catch_exceptions=False, env={"COLUMNS": "200"})


def cells(output: str, column: int) -> list[str]:
    """What the rows of a table hold in a column, from 1."""
    return [line.split("│")[column].strip() for line in output.splitlines() if "│" in line]


def words(output: str) -> str:
    return " ".join(output.split())


def test_perft_prints_the_known_counts() -> None:
    for case in CASES[:3]:
        output = run("perft", case.position, "--edition", case.edition, "--depth", "4").output
        assert (
            tuple(int(count.replace(",", "")) for count in cells(output, 2)) == case.counts[:4]
        ), case


def test_divided_perft_names_each_action_and_adds_up() -> None:
    case = CASES[0]
    output = run(
        "perft", case.position, "--edition", case.edition, "--divide", "--depth", "4"
    ).output
    assert cells(output, 1) == Game(position=case.position, edition=case.edition).legal_names()
    assert sum(int(count.replace(",", "")) for count in cells(output, 2)) == case.counts[3]


def test_a_forced_win_is_reported_in_turns() -> None:
    output = words(run("analyse", WINS_NOW, "--agent", "alphabeta:depth=2").output)
    assert "wins in 1" in output


def test_lines_are_shown_with_score_chance_and_depth() -> None:
    output = run(
        "analyse", "--chapters", "growth", "--agent", "alphabeta:depth=2", "--lines", "2"
    ).output
    assert output.count("to win") == output.count("depth 2") == 2
    assert "choose 1" in output


def test_a_game_that_is_over_has_no_lines() -> None:
    over = (
        "W.../..../..../....|W.../..../..../....|"
        "W.../..../..../...B - w 1-0 PF - 4/4 - ---/--- -/- 9"
    )
    assert "the game is over: 1-0" in run("analyse", over).output


def test_what_cannot_be_analysed_is_refused() -> None:
    for arguments, message in (
        (["--agent", "mcts"], "alphabeta"),
        (["--agent", "alphabeta:table_bits=3"], "depth and seconds"),
        *(
            (["--agent", f"alphabeta:depth={depth}"], "depth=")
            for depth in (-1, 0, 3.0, "x", "True")
        ),
        *(
            (["--agent", f"alphabeta:seconds={seconds}"], "seconds=")
            for seconds in (-1, 0, "nan", "inf", "1e400", "True")
        ),
        (["--seed", "-1"], "'--seed'"),
        (["W.../nonsense"], "position"),
    ):
        result = run("analyse", *arguments)
        assert result.exit_code == 2, (arguments, message)
        assert message in result.output, (arguments, message)


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_an_interrupt_ends_a_count_and_shows_what_is_known() -> None:
    """The lines of at most 64 actions cannot be counted in a lifetime."""
    code = (
        "import os, signal, threading\n"
        "from tkm_env.cli import main\n"
        "from tkm_env.players.tkm.search import perft\n"
        "count, pieces = perft._count, []\n"
        "def counted(*given):\n"
        "    pieces.append(1)\n"
        "    if len(pieces) == 20:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return count(*given)\n"
        "perft._count = counted\n"
        "main()\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, "perft", "--depth", "64"],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert result.returncode == 130, result.stderr
    assert result.stderr == ""
    assert "│ 4       │" in result.stdout


def test_an_interrupt_has_the_exit_code_that_shells_expect(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*given: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tkm_env.cli.commands.perft.pop_position", interrupted)
    result = run("perft")
    assert result.exit_code == 130
    assert result.output == ""


@pytest.mark.skipif(os.name == "nt", reason="needs POSIX")
def test_a_reader_that_left_gets_no_traceback() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "tkm_env", "perft", "--depth", "2"]
    result = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, text=True)
    os.close(writing)
    assert result.returncode == 1
    assert result.stderr == ""
