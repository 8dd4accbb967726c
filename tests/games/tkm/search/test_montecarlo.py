"""Monte Carlo trees."""

from __future__ import annotations

from tests.cases import each
from tests.games.tkm.positions import TALK, VARIED
from tests.games.tkm.search.helpers import MORE
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.random_numbers import new_streams
from tkm_env.games.tkm.engine.state import WON
from tkm_env.games.tkm.search import montecarlo
from tkm_env.games.tkm.search.evaluation import new_evaluator


def tree_of(game: Game, iterations: int, *, seed: int = 1, size: int = 1 << 12, turns: int = 0) -> montecarlo.Tree:
    tree = montecarlo.new_tree(size, new_streams([seed]), new_evaluator())
    montecarlo.plant(tree, game._states)
    montecarlo.grow(tree, iterations, 0.5, turns)
    return tree


def visits(tree: montecarlo.Tree, node: int) -> int:
    return int(tree.nodes[node, montecarlo.VISITS])


def check(tree: montecarlo.Tree, game: Game, node: int = montecarlo.ROOT) -> int:
    """Check a node and those below it; how many nodes they are."""
    children, nodes = montecarlo.children_of(tree, node), 1
    if children:
        actions = sorted(int(tree.nodes[child, montecarlo.ACTION]) for child in children)
        assert actions == [action for action in game.legal_actions() if ACTIONS[action] not in ("concede", "offer draw")]
        assert sum(visits(tree, child) for child in children) <= visits(tree, node)
    assert 0 <= tree.scores[node] <= visits(tree, node)
    for child in children:
        if visits(tree, child):
            after = game.copy()
            after.play(int(tree.nodes[child, montecarlo.ACTION]))
            nodes += check(tree, after, child)
        else:
            nodes += 1
    return nodes


@each("turns", [0, 1, 1000])
def test_a_tree_has_the_legal_actions_of_every_node(turns: int) -> None:
    for position in VARIED:
        game = Game(position=position, max_turns=210, **TALK)
        tree = tree_of(game, (80 if turns < 1000 else 10) if COMPILES else 2, turns=turns)
        assert check(tree, game) == tree.size[0]


def test_a_tree_that_is_full_is_still_visited() -> None:
    tree = tree_of(Game(chapters="growth"), 20 * MORE, size=9)
    assert tree.size[0] <= 9
    assert visits(tree, montecarlo.ROOT) == 20 * MORE


def test_a_tree_proves_a_win() -> None:
    game = Game(position="..../..../..WB/....|..../..../..../....|..../..../W.../...B - w c PF - 4/4 - ---/--- -/- 9")
    tree = tree_of(game, 2000)
    action, score, result = montecarlo.best_child(tree, montecarlo.ROOT)
    assert result == WON
    assert ACTIONS[action] == "choose 11"
    assert visits(tree, montecarlo.ROOT) < 2000


def test_what_is_kept_of_a_tree_is_the_part_below_the_action() -> None:
    game = Game(position=VARIED[0])
    game.play("choose 1")
    tree = tree_of(game, 20 * MORE)
    action = montecarlo.best_child(tree, montecarlo.ROOT)[0]
    child = montecarlo.child_of(tree, montecarlo.ROOT, action)
    assert child is not None
    seen, score = visits(tree, child), tree.scores[child]
    montecarlo.keep(tree, child)
    game.play(action)
    assert (visits(tree, montecarlo.ROOT), tree.scores[montecarlo.ROOT]) == (seen, score)
    assert check(tree, game) == tree.size[0]
