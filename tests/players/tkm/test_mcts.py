"""Monte Carlo tree search as a player: trees that are kept, and time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from tests.games.tkm.positions import VARIED, WHITE_WINS
from tests.players.tkm.test_agents import play
from tkm_env import Game
from tkm_env.foundations import time_budget
from tkm_env.players import MCTSAgent, RandomAgent
from tkm_env.players.tkm import mcts


def test_mcts_follows_a_game_that_leaves_its_tree_and_another_game() -> None:
    player = MCTSAgent(iterations=8, seed=1)
    for start in (
        Game(),
        Game(chapters="memory"),
        Game(position=VARIED[2]),
        Game(position=WHITE_WINS),
    ):
        play(start, {"white": player, "black": RandomAgent(seed=2)}, 12)


@pytest.mark.parametrize("seconds", [1e-9, 0.0005])
def test_mcts_plays_however_little_time_it_has(seconds: float) -> None:
    game, player = Game(), MCTSAgent(seconds=seconds, seed=1)
    while game.result is None and len(game.history) < 20:
        game.play(player.act(game))


def test_mcts_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that makes a thousand visits a second, and for which nothing else takes time."""
    visits, grow = 0, mcts.grow

    def counted(tree: Any, iterations: int, *settings: Any) -> int:
        nonlocal visits
        done: int = grow(tree, iterations, *settings)
        visits += done
        return done

    monkeypatch.setattr(mcts, "grow", counted)
    monkeypatch.setattr(time_budget, "time", SimpleNamespace(perf_counter=lambda: visits / 1000))
    player = MCTSAgent(seconds=0.1)
    for position in VARIED[:8]:
        player.reset(1)
        before = visits
        player.act(Game(position=position))
        assert visits - before <= 101, "one more than there is time for, by rounding"
