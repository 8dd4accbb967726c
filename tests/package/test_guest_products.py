"""The game of another package runs in every product, by the defaults."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from tests.package.guest import with_guest

ROOT = Path(__file__).parents[2]
TOURNAMENT = """
kind = "round robin"
pairs = 1
seed = 1

[[players]]
name = "ann"
player = "random"

[[players]]
name = "bob"
player = "centre"

[[settings]]
game = "tictactoe"
"""
BOT = """class Bot:
    def act(self, game):
        return game.legal_actions()[-1]
"""


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the guest installed, even for programs isolated from this one's environment."""
    place = tmp_path_factory.mktemp("guest")
    with_guest(place)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", place / "venv"], check=True)
    found = next((place / "venv").rglob("site-packages"))
    paths = (ROOT, place, sysconfig.get_path("purelib"))
    (found / "guest.pth").write_text("".join(f"{path}\n" for path in paths), "utf-8")
    return place / "venv" / "bin" / "python"


def tkm(python: Path, folder: Path, *arguments: str, typed: str = "") -> str:
    """What a command prints, which must succeed."""
    result = subprocess.run(
        [python, "-m", "tkm_env", *arguments],
        cwd=folder,
        input=typed,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout + result.stderr


@pytest.mark.slow
def test_the_arena_plays_rates_and_reports_a_guests_game(python: Path, tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(BOT, "utf-8")
    (tmp_path / "games.toml").write_text(TOURNAMENT, "utf-8")
    played = tkm(
        python, tmp_path, "match", "bot.py:Bot", "centre", "--games", "2", "--game", "tictactoe"
    )
    assert "2 games" in played
    tkm(python, tmp_path, "tournament", "games.toml", "--save", "games.jsonl")
    assert "bob" in tkm(python, tmp_path, "rating", "games.jsonl")
    tkm(python, tmp_path, "report", "games.jsonl", "-o", "report.html")
    tkm(python, tmp_path, "replay", "games.jsonl", "-o", "replay.html")
    tkm(python, tmp_path, "dataset", "games.jsonl", "--save", "data")
    assert "tictactoe" in (tmp_path / "data" / "card.json").read_text("utf-8")
    tkm(python, tmp_path, "exploit", "random", "--games", "2", "--game", "tictactoe")
    tkm(python, tmp_path, "arena", "check", "bot.py:Bot", "--game", "tictactoe")


@pytest.mark.slow
def test_people_play_a_guests_game_in_the_terminal(python: Path, tmp_path: Path) -> None:
    actions = ("middle centre", "top left", "middle left", "top right", "middle right")
    typed = "\n".join(actions) + "\n"
    arguments = ("play", "--game", "tictactoe", "--opponent", "person")
    assert "over, cross won" in tkm(python, tmp_path, *arguments, typed=typed)


@pytest.mark.slow
def test_an_assignment_about_a_guests_game_is_written_and_its_solution_gets_all_points(
    python: Path, tmp_path: Path
) -> None:
    arguments = ("course", "new", "week", "--game", "tictactoe", "--seed", "5")
    assert "checked: the solution gets all points" in tkm(python, tmp_path, *arguments)
