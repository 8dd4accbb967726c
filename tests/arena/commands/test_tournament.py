"""``tkm tournament``: from an empty folder to a table, resumed by the same command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkm_env.cli.root_command import tkm

BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"
CRASHING = "class Bot:\n    def act(self, game):\n        raise RuntimeError('lost')\n"


def league_in(place: Path) -> Path:
    """A file and a folder of submissions."""
    folder = place / "submissions"
    folder.mkdir()
    (folder / "ann.py").write_text(BOT, "utf-8")
    (folder / "bob.py").write_text(CRASHING, "utf-8")
    (folder / "cem.py").write_text("import nowhere\n", "utf-8")
    path = place / "league.toml"
    path.write_text(
        (
            'pairs = 1\nsubmissions = "submissions"\nplayers = [{player = "greedy"}]\n'
            "[[settings]]\nmax_turns = 10\n"
        ),
        "utf-8",
    )
    return path


@pytest.fixture
def league(tmp_path: Path) -> Path:
    return league_in(tmp_path)


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """A league whose games have all been played, and what was said of them."""
    league = league_in(tmp_path_factory.mktemp("played"))
    return league, run(league, "--processes", "1")


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(tkm, ["tournament", *map(str, arguments)])


@pytest.mark.slow
def test_a_file_is_played_and_rated_and_where_the_games_are_is_said(
    played: tuple[Path, Result],
) -> None:
    league, result = played
    assert result.exit_code == 0, result.output
    games = league.with_suffix(".jsonl")
    assert len(games.read_text("utf-8").splitlines()) == 12
    lines = result.output.splitlines()
    assert any(line.strip() == "max_turns=10: 12 games" for line in lines), result.output
    assert re.search(  # whether bob scored depends on the seed, which was drawn
        r"^The mean of the [23] players who have scored against each other is 0\.$",
        result.output,
        re.MULTILINE,
    )
    assert {"ann", "bob", "greedy"} <= {line.split()[1] for line in lines if "%" in line}
    assert "bob lost 4 by crash" in lines
    assert "cem lost 6 without having started: it ended with the exit code 1: " in result.output
    assert "No module named 'nowhere'" in result.output
    assert lines[-2] == f"The games are in {games}; tkm report {games} makes a page of them."
    assert lines[-1] == f"The seed of these games is {Path(f'{games}.seed').read_text().strip()}."


@pytest.mark.slow
def test_the_same_command_plays_nothing_twice(played: tuple[Path, Result]) -> None:
    league, _ = played
    games = league.with_suffix(".jsonl")
    before = games.read_bytes()
    assert run(league, "--processes", "1").exit_code == 0
    assert games.read_bytes() == before
    games.write_bytes(b"".join(before.splitlines(keepends=True)[:8]))
    assert run(league, "--processes", "1").exit_code == 0
    played = [json.loads(line)["seed"] for line in games.read_text("utf-8").splitlines()]
    assert played == [json.loads(line)["seed"] for line in before.splitlines()]


@pytest.mark.slow
def test_two_games_have_a_table_each(tmp_path: Path) -> None:
    both = tmp_path / "both.toml"
    both.write_text(
        'pairs = 1\nanchor = "greedy=1000"\nplayers = [{player = "greedy"}, {player = "random"}]\n'
        'settings = [{max_turns = 10}, {game = "terminus"}]\n'
    )
    result = run(both)
    assert "That Time You Killed Me, " in result.output
    assert "greedy is 1000" in result.output
    assert "Terminus, " in result.output


def test_what_cannot_be_is_refused_in_a_line(league: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for arguments, message in (
        ([], "Missing argument 'FILE'"),
        (["{league}", "--processes", "0"], "'--processes': 0 is not in the range"),
        (["{league}.toml"], "does not exist"),
    ):
        monkeypatch.chdir(league.parent)
        result = run(*[argument.format(league=league) for argument in arguments])
        assert result.exit_code == 2, (arguments, message)
        assert message.format(league=league) in " ".join(result.output.split()), (
            arguments,
            message,
        )
        assert not league.with_suffix(".jsonl").exists(), (arguments, message)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_ctrl_c_finishes_what_is_played_and_says_how_to_go_on(league: Path) -> None:
    league.write_text(
        (
            'pairs = 500\nplayers = [{player = "greedy"}, {player = "random"}]\n[[settings]]\n'
            'openings = "random"\n'
        ),
        "utf-8",
    )
    command = [sys.executable, "-m", "tkm_env", "tournament", str(league), "--processes", "2"]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ
    )
    games = league.with_suffix(".jsonl")
    while not games.exists() or len(games.read_bytes().splitlines()) < 10:
        assert running.poll() is None
        time.sleep(0.05)
    running.send_signal(signal.SIGINT)
    output, errors = running.communicate(timeout=120)
    played = len(games.read_bytes().splitlines())
    assert running.returncode == 130
    assert "finishing the games in progress" in errors
    assert f"stopped after {played} of 1000 games: the same command plays the rest" in errors
    assert "greedy" in output
    assert not games.with_name("league.jsonl.ahead").exists()


@pytest.mark.parametrize(
    ("kind", "words"), [("swiss", "opponents' match points"), ("knockout", "out in round 1")]
)
def test_a_tournament_in_rounds_ends_with_a_table_that_the_report_begins_with(
    tmp_path: Path, kind: str, words: str
) -> None:
    plan = tmp_path / "cup.toml"
    players = ", ".join(f'{{name = "player{letter}", player = "random"}}' for letter in "abc")
    text = f'kind = "{kind}"\npairs = 1\nplayers = [{players}]\n[[settings]]\nmax_turns = 4\n'
    plan.write_text(text, "utf-8")
    result = run(plan, "--processes", "1")
    assert result.exit_code == 0, result.output
    assert words in result.output
    games, page = plan.with_suffix(".jsonl"), tmp_path / "page.html"
    order = re.findall(r"^ *\d +(player\w)", result.output.partition("Elo")[0], re.M)
    report = ["report", str(games), "--html", str(page), "--tournament", str(plan)]
    assert CliRunner().invoke(tkm, report).exit_code == 0
    begins = page.read_text("utf-8").partition("<main>")[2].partition('id="ratings"')[0]
    assert "Final table" in begins
    assert re.findall(r"<bdi>(player\w)</bdi>", begins) == order
    assert len(order) == 3
    plan.write_text(text.replace(kind, "round robin"), "utf-8")
    refused = CliRunner().invoke(tkm, report)
    assert refused.exit_code == 2
    assert "no table besides the ratings" in refused.output
