"""Rollouts and Monte Carlo trees."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.kernels import roll_out
from tests.cases import each_setting
from tests.games.tkm.positions import TALK, VARIED
from tests.players.tkm.search.helpers import MORE
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.random_numbers import new_stream
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import BLACK, DRAWN, WON
from tkm_env.players.tkm.search import mcts as montecarlo
from tkm_env.players.tkm.search import tree as trees
from tkm_env.players.tkm.search.evaluation import new_evaluator
from tkm_env.players.tkm.search.repetition import NO_HISTORY


def rollouts(game: Game, games: int, seed: int) -> list[int]:
    results = np.zeros(5, np.int64)
    mask = np.zeros((1, NUM_ACTIONS), np.int8)
    roll_out(
        game._states, games, results, game._states.copy(), mask, new_stream(seed), new_scratch()
    )
    return results.tolist()


@each_setting
def test_rollouts_end_in_wins_or_at_the_turn_limit_and_nobody_talks(
    chapters: tuple[str, ...], edition: str
) -> None:
    game = Game(chapters=chapters, edition=edition, max_turns=12, **TALK)
    results = rollouts(game, 3 * MORE, 5)
    assert sum(results) == 3 * MORE
    assert results[DRAWN] == 0


def test_rollouts_with_the_same_seed_are_the_same() -> None:
    assert rollouts(Game(), 10, 1) == rollouts(Game(), 10, 1)
    assert len({tuple(rollouts(Game(), 10, seed)) for seed in range(10)}) > 1


def test_rollouts_leave_the_position_as_it_is() -> None:
    game = Game(chapters="memory")
    before = game.position
    rollouts(game, 2, 1)
    assert game.position == before


def tree_of(
    game: Game, iterations: int, *, seed: int = 1, size: int = 1 << 12, turns: int = 0
) -> trees.SearchTree:
    tree = trees.new_tree(size, new_evaluator())
    montecarlo.set_root(tree, game._states)
    montecarlo.grow(tree, iterations, 0.5, turns, NO_HISTORY, new_stream(seed))
    return tree


def visits(tree: trees.SearchTree, node: int) -> int:
    return int(tree.nodes["visits"][node])


def check(tree: trees.SearchTree, game: Game, node: int = trees.ROOT) -> int:
    """Check a node and those below it; how many nodes they are."""
    first, nodes = int(tree.nodes["first"][node]), 1
    children = range(first, first + len(trees.children_of(tree, node)))
    if children:
        actions = sorted(trees.children_of(tree, node)["move"].tolist())
        assert actions == [
            action
            for action in game.legal_actions()
            if ACTIONS[action] not in ("concede", "offer draw")
        ]
        assert sum(visits(tree, child) for child in children) <= visits(tree, node)
    assert 0 <= tree.nodes["total"][node] <= visits(tree, node)
    for child in children:
        if visits(tree, child):
            after = game.copy()
            after.play(int(tree.nodes["move"][child]))
            nodes += check(tree, after, child)
        else:
            nodes += 1
    return nodes


@pytest.mark.parametrize("turns", [0, 1, 1000])
def test_a_tree_has_the_legal_actions_of_every_node(turns: int) -> None:
    for position in VARIED:
        game = Game(position=position, max_turns=210, **TALK)
        tree = tree_of(game, (80 if turns < 1000 else 10) if COMPILES else 2, turns=turns)
        assert check(tree, game) == tree.size[0]


def test_a_tree_that_is_full_is_still_visited() -> None:
    tree = tree_of(Game(chapters="growth"), 20 * MORE, size=9)
    assert tree.size[0] <= 9
    assert visits(tree, trees.ROOT) == 20 * MORE


def test_a_tree_proves_a_win() -> None:
    game = Game(
        position=(
            "..../..../..WB/....|..../..../..../....|"
            "..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9"
        )
    )
    tree = tree_of(game, 2000)
    assert tree.nodes["result"][trees.ROOT] == WON
    assert ACTIONS[montecarlo.best_action(tree)] == "choose 11"
    assert visits(tree, trees.ROOT) < 2000


def test_a_tree_goes_on_for_the_side_to_act_after_an_action_that_it_never_tried() -> None:
    game = Game()
    while game.to_act == "white" or len(game.legal_actions()) == 1:
        game.play(game.legal_actions()[0])
    tree = tree_of(game, 1)
    action = next(
        int(child.move) for child in trees.children_of(tree, trees.ROOT) if child.visits == 0
    )
    number = montecarlo.child_of(tree, trees.ROOT, action)
    assert number is not None
    game.play(action)
    montecarlo.move_root(tree, number, game.state)
    assert (game.to_act, tree.nodes["player"][trees.ROOT]) == ("black", BLACK)


def test_what_is_kept_of_a_tree_is_the_part_below_the_action() -> None:
    game = Game(position=VARIED[0])
    game.play("choose 1")
    tree = tree_of(game, 20 * MORE)
    action = montecarlo.best_action(tree)
    child = montecarlo.child_of(tree, trees.ROOT, action)
    assert child is not None
    seen, score = visits(tree, child), tree.nodes["total"][child]
    game.play(action)
    montecarlo.move_root(tree, child, game.state)
    assert (visits(tree, trees.ROOT), tree.nodes["total"][trees.ROOT]) == (seen, score)
    assert check(tree, game) == tree.size[0]
