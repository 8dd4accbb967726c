"""The grader's trees: counts and values are right, visits are counted, and values are asked for."""

from __future__ import annotations

import pytest

from tkm_env import Game, TerminusGame
from tkm_env.core.registry import game_spec
from tkm_env.course.game_tree import GameTree, TreeSizeError, alpha_beta, count_lines, expectimax
from tkm_env.course.materials import teaching_material
from tkm_env.course.question_protocol import Look, parse_response
from tkm_env.foundations.errors import ProtocolError
from tkm_env.players.solvers import SOLVERS

MIDDLE = (
    "..../.W../..../....|..../.W../..W./...B|..../.W../..../...B - w c NF - 3/4 - ---/--- -/- 8"
)


def tree(
    game: Game | TerminusGame, secret: bytes = b"secret", max_nodes: int = 100_000
) -> GameTree:
    return GameTree(game, teaching_material(game_spec(game.name)).worth, secret, max_nodes)


def test_lines_are_counted_as_by_perft() -> None:
    game = Game(position=MIDDLE)
    perft = SOLVERS.of("tkm").perft
    assert perft is not None
    assert [count_lines(tree(game), depth) for depth in (1, 2, 3, 4)] == perft(game.state, 4)


def test_alpha_beta_gives_the_minimax_value_and_visits_less() -> None:
    for game, depth in ((Game(position=MIDDLE), 7), (TerminusGame(seed=3), 3)):
        whole, part = tree(game), tree(game)
        assert expectimax(whole, depth) == alpha_beta(part, depth), game
        assert len(part.visited) < len(whole.visited), game


def test_values_depend_on_the_secret_and_stay_near_the_worth_of_the_position() -> None:
    game = Game(position=MIDDLE)
    values = [tree(game, secret).value(0) for secret in (b"one", b"two")]
    assert values[0] != values[1]
    worth = 10 * teaching_material(game_spec("tkm")).worth(game)
    assert all(worth <= value < worth + 100 for value in values)


def test_a_node_counts_once_however_often_it_is_looked_at() -> None:
    asked = tree(Game(position=MIDDLE))
    for line in ("children 0", "value 0", "children 0", "position 1"):
        look = parse_response(line)
        assert isinstance(look, Look)
        asked.reply(look)
    assert asked.visited == {0}


def test_nodes_that_were_not_shown_are_refused() -> None:
    with pytest.raises(ProtocolError, match="no such node"):
        tree(Game(position=MIDDLE)).reply(Look("value", 5))


def test_a_tree_does_not_grow_without_bound() -> None:
    small = tree(Game(position=MIDDLE), max_nodes=20)
    with pytest.raises(TreeSizeError):
        expectimax(small, 6)
