"""The Gumbel player looks at few turns closely, plays proven ones, and keeps to its limits."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.games.tkm import tactics
from tests.games.tkm.positions import VARIED
from tests.games.tkm.test_tactics import outcomes_of
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations import time_budget
from tkm_env.players import GumbelAgent, NetAgent
from tkm_env.players.tkm import gumbel
from tkm_env.players.tkm.evaluators import Evaluators
from tkm_env.players.tkm.search.gumbel import policy_logits, set_root, visit
from tkm_env.players.tkm.search.repetition import NO_HISTORY, history_keys
from tkm_env.players.tkm.search.tree import ROOT, children_of, new_tree

NEAR_TASKS = [task for task in tactics.tasks() if task["turns"] == 1]
MIDDLE = (
    "..../.W../..../...B|W.../..../.B../....|..../..W./..../B... - w c FP - 2/2 - ---/--- -/- 9"
)


def visits_of(tree: Any) -> Any:
    return children_of(tree, ROOT)["visits"]


def turn_of(agent: Any, game: Game) -> list[str]:
    """The whole turn that a player plays, by names."""
    player, turn = game.to_act, []
    while game.result is None and game.to_act == player:
        turn.append(agent.act(game))
        game.play(turn[-1])
    return [ACTIONS[action] for action in turn]


@pytest.mark.parametrize(("iterations", "candidates"), [(1, 1), (100, 16)])
@pytest.mark.parametrize("task", NEAR_TASKS)
@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
def test_it_wins_at_once_and_avoids_what_loses_at_once(
    task: dict[str, Any], iterations: int, candidates: int
) -> None:
    turn = turn_of(
        GumbelAgent(iterations=iterations, candidates=candidates, net=None), tactics.game_of(task)
    )
    assert outcomes_of(task, [turn]) <= outcomes_of(task, task["solution"])


def test_with_one_candidate_it_plays_what_the_network_values_most() -> None:
    for settings in ({"position": MIDDLE}, {"chapters": "growth"}):
        assert turn_of(GumbelAgent(iterations=1, candidates=1), Game(**settings)) == turn_of(
            NetAgent(), Game(**settings)
        )


def test_it_does_not_lead_the_game_back_where_another_turn_is_good() -> None:
    agent, start = GumbelAgent(iterations=1, candidates=1, net=None), Game(position=MIDDLE)
    game = start.copy()
    best = turn_of(agent, game)
    game.play(game.legal_actions()[0])
    seen = history_keys(game)
    assert [ACTIONS[action] for action in agent._search(start.state)] == best
    assert [ACTIONS[action] for action in agent._search(start.state, seen)] != best


@pytest.mark.parametrize("candidates", [1, 4, 16])
def test_visits_are_halved_among_the_candidates(candidates: int) -> None:
    agent = GumbelAgent(iterations=64 if COMPILES else 16, candidates=candidates, net=None)
    agent.act(Game(position=MIDDLE))
    visits = np.sort(visits_of(agent._tree))[::-1]
    assert np.count_nonzero(visits) == candidates, "all candidates are visited, and nothing else"
    assert visits.sum() == (64 if COMPILES else 16)
    if candidates > 2:
        assert visits[:2].sum() > visits[2:4].sum(), (
            "the last two have more visits than those that were dropped before"
        )


def test_the_result_does_not_depend_on_how_the_visits_are_portioned() -> None:
    found = []
    for portions in ([40], [1] * 40, [7, 33]):
        tree = new_tree(1 << 15, Evaluators(None).evaluators[0])
        candidates = np.arange(set_root(tree, Game(position=MIDDLE).state, NO_HISTORY))[:8]
        assert [visit(tree, candidates, portion, NO_HISTORY) for portion in portions] == portions
        found.append(policy_logits(tree))
    assert all(np.array_equal(found[0], other) for other in found)


def test_it_plays_on_when_its_tree_is_full() -> None:
    agent = GumbelAgent(iterations=2000 if COMPILES else 10, nodes=(1 << 14) + 1, net=None)
    agent.act(Game(position=MIDDLE))
    assert visits_of(agent._tree).sum() == (2000 if COMPILES else 10)


def test_noise_varies_what_it_plays_and_the_seed_decides_how() -> None:
    def turns(seed: int) -> list[list[str]]:
        agent = GumbelAgent(iterations=8, gumbel_scale=5, net=None, seed=seed)
        return [turn_of(agent, Game(position=MIDDLE)) for _ in range(6)]

    assert turns(1) == turns(1)
    assert len({*map(tuple, turns(1))}) > 1
    assert turns(1) != turns(2)


def test_it_keeps_to_its_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine that makes a thousand visits a second, and for which nothing else takes time."""
    visits = 0

    def counted(*arguments: Any) -> int:
        nonlocal visits
        done: int = visit(*arguments)
        visits += done
        return done

    monkeypatch.setattr(gumbel, "visit", counted)
    monkeypatch.setattr(time_budget, "time", SimpleNamespace(perf_counter=lambda: visits / 1000))
    agent = GumbelAgent(seconds=0.1, net=None)
    for position in VARIED[: 8 if COMPILES else 2]:
        agent.reset(1)
        before = visits
        agent.act(Game(position=position))
        assert visits - before <= 104, (
            "one more than there is time for in each of four parts, by rounding"
        )
