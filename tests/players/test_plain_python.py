"""Players choose the same actions without numba, as in a browser, as with it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.registry import TKM
from tkm_env.players import make_agent

LINES = (
    "greedy",
    "net",
    "net:replies=3",
    "alphabeta:depth=1",
    "mcts:iterations=3",
    "gumbel:iterations=3",
    "fallible:blunder=0.2",
)
ALL_CHAPTERS = "growth+influence+memory"
SETTINGS: tuple[dict[str, str], ...] = (
    {},
    {"chapters": ALL_CHAPTERS},
    {"chapters": ALL_CHAPTERS, "powers": "overtime,whisperer"},
)


def games() -> dict[str, list[str]]:
    """The actions of the first turns of each player against itself, in all settings."""
    played = {}
    for settings in SETTINGS:
        config = TKM.config_from_text(settings)
        for line in LINES:
            game, agent = TKM.game_class(config, seed=1), make_agent(line)
            agent.reset(1)
            actions: list[Any] = []
            while game.result is None and game.turn <= 2:
                actions.append(game.action_names[agent.act(game)])
                game.play(actions[-1])
            played[f"{line} {settings}"] = actions
    return played


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="this is the run without compilation")
def test_every_player_chooses_the_same_actions_without_compilation() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "from tests.players import test_plain_python as t; t.main()"],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stderr
    assert json.loads(told.stdout) == games()


def main() -> None:
    """Print the games of this process."""
    print(json.dumps(games()))
