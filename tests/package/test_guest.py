"""All parts of the package take up what a guest adds by entry points.

The guest adds a game, a player, a kind of players, and a command.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.package.guest import PYTHON, with_guest

#: Programs that end with code 0 where the guest is installed, and with another code elsewhere.
PROGRAMS = {
    "its game has a batch, an environment and a prompt": """
import gymnasium
from tkm_env.core.registry import game_names, game_spec
from tkm_env.text import prompt_for
assert game_names() == ("tkm", "terminus", "tictactoe"), game_names()
spec = game_spec("tictactoe")
game = spec.game_class()
for action in ("middle centre", "top left", "middle left", "top right", "middle right"):
    game.play(action)
assert "Cross has three in a row." in prompt_for(game).user
""",
    "its players have names, a ladder and levels": """
from tkm_env.players import ladder, make_agent
from tkm_env.play.page_settings import session_settings
from tkm_env.core.registry import game_spec
assert [agent.name for agent in ladder("tictactoe")] == ["random", "centre"]
assert make_agent("centre", game="tictactoe").act(game_spec("tictactoe").game_class()) == 4
settings = session_settings(game_spec("tictactoe"))
assert "2 hard" in str(settings), settings
""",
    "its kind of players plays every game": """
from tkm_env import ConfigError, Game
from tkm_env.evaluation import evaluate
from tkm_env.players import make_agent
game = Game()
game.play("choose 1")
assert make_agent("first:1").act(game) == game.legal_actions()[1]
assert evaluate("first:0", "random", games=2, game="terminus").games == 2
for line, reason in (("first:x", "an index must follow"), ("none", "first:N")):
    try:
        make_agent(line)
    except ConfigError as error:
        assert reason in str(error), error
    else:
        raise AssertionError(line)
""",
    "it takes the place of nothing that is the package's own": """
from tkm_env.players import make_agent
assert type(make_agent("cmd:true")).__name__ == "CommandAgent"
""",
}


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [PYTHON, *arguments], env=with_guest(folder), capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("what", PROGRAMS)
def test_what_a_guest_adds_is_there(what: str, tmp_path: Path) -> None:
    result = run(tmp_path, "-c", PROGRAMS[what])
    assert result.returncode == 0, result.stderr


def test_a_command_of_a_guest_is_offered_beside_the_packages_own(tmp_path: Path) -> None:
    environment = with_guest(tmp_path)

    def output(*arguments: str) -> str:
        command = [PYTHON, "-m", "tkm_env", *arguments]
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True
        ).stdout

    assert output("wave") == "hello\n"
    assert "Play games between two players" in output("match", "--help")
    played = output("match", "centre", "random", "--games", "2", "--game", "tictactoe")
    assert "2 games" in played


def test_a_game_that_fails_to_load_or_takes_a_name_harms_none(tmp_path: Path) -> None:
    games = (
        "[tkm_env.games]\nbroken = no_games:SPEC\nmore = tests.package.guest.package:GAME\n"
        "impostor = tests.package.guest.package:IMPOSTOR\n"
    )
    program = """
from tkm_env.core.registry import game_names, game_spec
assert game_names() == ("tkm", "terminus", "tictactoe"), game_names()
assert game_spec("tkm").title == "That Time You Killed Me"
game_spec("tictactoe").game_class().play("top left")
"""
    result = subprocess.run(
        [PYTHON, "-c", program],
        env=with_guest(tmp_path, games),
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert "the game 'no_games:SPEC' failed to load" in result.stderr
