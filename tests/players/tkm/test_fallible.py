"""The player that errs like people."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.tkm.positions import WHITE_WINS
from tkm_env import ConfigError, Game
from tkm_env.core.turns import played
from tkm_env.players import AlphaBetaAgent, GreedyAgent
from tkm_env.players.tkm.fallible import HANDFUL, FallibleAgent


def turn_of(agent: Any, game: Game) -> list[int]:
    """The indices of the actions with which an agent plays the turn."""
    game, turn = game.copy(), game.turn_id
    start = len(game.history)
    while game.is_in_turn(turn):
        game.play(agent.act(game))
    return game.history[start:]


def test_without_blunders_it_plays_as_the_search_does() -> None:
    game = Game(chapters="growth+memory")
    search = AlphaBetaAgent(depth=2, net=None, endgames=False)
    assert turn_of(FallibleAgent(depth=2, seed=1), game) == turn_of(search, game)


def test_at_a_glance_it_sees_only_some_of_its_turns() -> None:
    game = Game()
    all_seen = FallibleAgent(blunder=1, seed=1)
    turn_of(all_seen, game)
    greedy = GreedyAgent(seed=1)
    turn_of(greedy, game)
    assert all_seen.expectation == greedy.expectation
    found = set()
    for seed in range(30):
        agent = FallibleAgent(blunder=1, notices=0.05, seed=seed)
        found.add(tuple(turn_of(agent, game)))
        assert agent.expectation <= greedy.expectation
    assert len(found) > 5


def test_at_a_glance_it_always_sees_a_handful() -> None:
    found = {
        tuple(turn_of(FallibleAgent(blunder=1, notices=0, seed=seed), Game(chapters="influence")))
        for seed in range(20)
    }
    assert len(found) > 5
    few = Game(position=WHITE_WINS)
    assert 1 < len(few.turns()) <= HANDFUL
    for seed in range(20):
        agent = FallibleAgent(blunder=1, notices=0, seed=seed)
        assert played(few, turn_of(agent, few)).winner == "white"


def test_its_errors_follow_from_its_seed() -> None:
    def game_of(seed: int) -> list[int]:
        agent, game = FallibleAgent(depth=1, blunder=0.5, notices=0.2, seed=seed), Game()
        while game.result is None and game.turn < 12:
            game.play(agent.act(game))
        return game.history

    assert game_of(1) == game_of(1)
    assert game_of(1) != game_of(2)


@pytest.mark.parametrize(
    ("keyword", "value"), [("depth", 0), ("blunder", 1.5), ("blunder", -0.1), ("notices", "all")]
)
def test_options_that_cannot_be_are_refused(keyword: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"{keyword}="):
        FallibleAgent(**{keyword: value})
