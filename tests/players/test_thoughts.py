"""Agents tell which lines they considered."""

from __future__ import annotations

import pytest

from tkm_env.core.registry import game_spec
from tkm_env.core.turns import played
from tkm_env.players import make_agent

THINKERS = [
    ("tkm", "greedy", 1, False),
    ("tkm", "alphabeta:depth=3", 1, False),
    ("tkm", "mcts:iterations=60", 3, True),
    ("tkm", "gumbel:iterations=30", 3, True),
    ("terminus", "ismcts:iterations=60", 3, True),
]


@pytest.mark.parametrize(("name", "line", "count", "visits"), THINKERS, ids=lambda each: str(each))
def test_the_line_that_is_played_comes_first_and_all_lines_are_legal(
    name: str, line: str, count: int, visits: bool
) -> None:
    agent = make_agent(line, game=name)
    agent.reset(1)
    game = game_spec(name).game_class(seed=1)
    thoughts = []
    while not thoughts:  # there may be no choice at first
        action = agent.act(game)
        thoughts = agent.thoughts()
        before = game.copy()
        game.play(action)
    assert thoughts[0].actions[0] == action
    assert 1 <= len(thoughts) <= count
    for thought in thoughts:
        played(before, thought.actions)
        assert thought.expectation is None or -1 <= thought.expectation <= 1
        assert (thought.visits is not None) == visits


def test_a_plan_that_is_followed_is_thought_about_once() -> None:
    agent, game = make_agent("alphabeta:depth=2"), game_spec("tkm").game_class()
    turn = game.turn
    told = []
    while game.turn == turn:
        game.play(agent.act(game))
        told.append(bool(agent.thoughts()))
    assert told == [True] + [False] * (len(told) - 1)


def test_a_search_tells_how_the_game_goes_on() -> None:
    agent, game = make_agent("alphabeta:depth=3"), game_spec("tkm").game_class()
    agent.act(game)
    [thought] = agent.thoughts()
    assert thought.depth == 3
    assert played(game, thought.actions).turn == game.turn + 3
