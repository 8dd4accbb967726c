"""Questions about chance: expected values are exact, estimates as good as their sample.

Only a function that looks at draws gets points.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.course.small import assignment, python
from tkm_env import TerminusConfig, TerminusGame
from tkm_env.core.chance import ChanceState
from tkm_env.course import GameNode
from tkm_env.course.game_tree import GameTree, expectimax, play_at_random
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.function_tasks import draw_chances
from tkm_env.course.questions.marks import Mark
from tkm_env.course.questions.position_sampler import sample_draws, sample_estimable_draws
from tkm_env.course.questions.position_source import PositionSource
from tkm_env.foundations.errors import ConfigError

SOURCE = PositionSource("terminus", TerminusConfig(), 5, "q2")
QUESTIONS = (
    {"kind": "expectimax", "depth": 1, "positions": 2},
    {"kind": "estimate", "depth": 1, "positions": 2, "visits": 40},
)
SOLUTION = """
import random

def expectimax(node, depth):
    if depth == 0 or node.is_over:
        return node.value()
    if node.is_chance:
        return sum(share * expectimax(child, depth) for share, child in node.outcomes())
    values = [expectimax(child, depth - 1) for _, child in node.children()]
    return max(values) if node.maximizes else min(values)

def estimate(node, depth):
    generator = random.Random(1)
    return sum(walk(node, depth, generator) for _ in range(15)) / 15

def walk(node, depth, generator):
    while depth and not node.is_over:
        if node.is_chance:
            node = generator.choice(node.outcomes())[1]
        else:
            node, depth = generator.choice(node.children())[1], depth - 1
    return node.value()
"""


def marks_of(place: Path, source: str) -> tuple[Mark, ...]:
    *_, last = grade_submission(python(place, source), assignment(*QUESTIONS, game="terminus"))
    return last.marks


@pytest.mark.slow
def test_the_solution_is_right_and_what_forgets_the_draws_or_looks_at_everything_is_not(
    tmp_path: Path,
) -> None:
    assert [mark.share for mark in marks_of(tmp_path / "solution", SOLUTION)] == [1, 1]
    everything = "def estimate(node, depth):\n    return expectimax(node, depth)\n"
    for name, source, said in (
        (
            "counts draws",
            SOLUTION.replace("child, depth) for", "child, depth - 1) for"),
            "its expected value at depth 1 is",
        ),
        ("hopes", SOLUTION.replace("return sum(share *", "return max(share * 0 +"), "is wrong"),
        (
            "values the root",
            "def expectimax(node, depth):\n    return node.value()\nestimate = expectimax\n",
            "too far off",
        ),
        ("visits too many", SOLUTION.partition("def estimate")[0] + everything, ""),
    ):
        marks = marks_of(tmp_path / name, source)
        words = " ".join(finding.words for mark in marks for finding in mark.findings)
        assert min(mark.share for mark in marks) == 0, (name, words)
        assert said in words, (name, words)


def test_expected_values_weigh_every_outcome() -> None:
    (moment,) = sample_draws(SOURCE, 1, 1)
    tree = GameTree(moment, lambda game: game.victories["red"] - game.victories["blue"], b"secret")
    outcomes = tree.children(0)
    assert tree.kind(0) == "chance"
    assert sum(float(share) for share, _ in outcomes) == pytest.approx(1)
    assert expectimax(tree, 1) == pytest.approx(
        np.mean([expectimax(tree, 1, child) for _, child in outcomes])
    )


def test_the_standard_error_is_that_of_means_of_random_lines() -> None:
    (moment,) = sample_draws(SOURCE, 1, 1)
    tree = GameTree(moment, lambda game: game.victories["red"] - game.victories["blue"], b"secret")
    average, error = play_at_random(tree, 1, 200)
    generator = np.random.default_rng(1)

    def line() -> float:
        number, depth = 0, 1
        while depth:
            depth -= tree.kind(number) != "chance"
            children = tree.children(number)
            number = children[generator.integers(len(children))][1]
        return tree.value(number)

    means = [np.mean([line() for _ in range(100)]) for _ in range(200)]
    assert np.mean(means) == pytest.approx(average, abs=error)
    assert np.std(means) == pytest.approx(error, rel=0.2)


def test_sampled_trees_are_too_large_for_the_visits_and_their_roots_give_nothing_away() -> None:
    for moment in sample_estimable_draws(SOURCE, 3, 1, 20):
        tree = GameTree(
            moment,
            lambda game: 100 * (game.victories["red"] - game.victories["blue"]),
            SOURCE.tree_secret,
        )
        average, error = play_at_random(tree, 1, 20)
        assert len(tree.visited) >= 80
        assert abs(tree.value(0) - average) > 3 * error
        assert moment.undrawn


def test_a_node_of_ones_own_shows_draws_below_a_chance_state_only() -> None:
    game = TerminusGame(seed=4)
    after = dict(GameNode(ChanceState(game), lambda game: 0).children())["play first at left"]
    assert after.is_chance
    assert after.children() == []
    assert [share for share, _ in after.outcomes()] == [0.1] * 10
    certain = dict(GameNode(game, lambda game: 0).children())["play first at left"]
    assert (certain.is_chance, certain.outcomes()) == (False, [])
    assert certain.children()


def test_draws_are_without_putting_back() -> None:
    generator = np.random.default_rng(1)
    found = [(generator.choice(9, 3, replace=False) < 4).sum() for _ in range(4000)]
    assert draw_chances(9, 4, 3) == pytest.approx(np.bincount(found, minlength=4) / 4000, abs=0.03)


def test_a_game_without_draws_has_no_such_questions() -> None:
    for question in QUESTIONS:
        with pytest.raises(
            ConfigError, match="nothing is drawn during a game of That Time You Killed Me"
        ):
            assignment(question)
