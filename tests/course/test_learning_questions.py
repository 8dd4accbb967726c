"""Questions about learning: the functions' results, and learning only from the grader's games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.course.small import assignment
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.function_tasks import TASKS, interval
from tkm_env.course.questions.linear_training import as_array
from tkm_env.course.questions.marks import Mark

SOLUTION = """
import numpy as np

def plan():
    return 0.05, 0.8, 0.003

def lambda_returns(values, result, trace):
    targets = [result] * len(values)
    for number in range(len(values) - 2, -1, -1):
        targets[number] = (1 - trace) * values[number + 1] + trace * targets[number + 1]
    return targets

def turn_chances(values, temperature):
    odds = np.exp((np.array(values) - max(values)) / temperature)
    return odds / odds.sum()

def update(weights, positions, targets, rate):
    after = np.array(weights)
    for active, target in zip(positions, targets):
        value = np.tanh(np.array(weights)[active].sum())
        after[active] += rate * (target - value) * (1 - value ** 2)
    return after

def interval(points):
    shares = np.array(points) / 2
    margin = 1.96 * shares.std(ddof=1) / len(shares) ** 0.5
    return max(0, shares.mean() - margin), min(1, shares.mean() + margin)
"""
TRAINING = {"kind": "training", "opponent": "untrained", "games": 40, "training_games": 300}


def marks_of(place: Path, source: str, *questions: dict[str, object]) -> tuple[Mark, ...]:
    place.mkdir()
    (place / "agent.py").write_text(source, "utf-8")
    *_, last = grade_submission(place, assignment(*questions))
    return last.marks


def changed(before: str, after: str) -> str:
    assert before in SOLUTION
    return SOLUTION.replace(before, after)


@pytest.mark.slow
def test_each_function_is_compared_with_the_graders_on_drawn_arguments(tmp_path: Path) -> None:
    questions = [{"kind": "function", "function": name} for name in TASKS if name != "draw_chances"]
    assert [mark.share for mark in marks_of(tmp_path / "right", SOLUTION, *questions)] == [
        1,
        1,
        1,
        1,
    ]
    wrong = (
        SOLUTION.replace("1 - trace", "trace")
        .replace("- max", "+ max")
        .replace("* (1 - value ** 2)", "")
        .replace("ddof=1", "ddof=0")
    )
    marks = marks_of(tmp_path / "wrong", wrong, *questions)
    assert [mark.share < 1 for mark in marks] == [True] * 4, (
        "adding the largest value overflows at a low temperature"
    )
    assert "lambda_returns([" in marks[0].findings[0].words


@pytest.mark.slow
def test_what_a_function_should_not_return_costs_its_question_and_is_described(
    tmp_path: Path,
) -> None:
    for number, (result, words) in enumerate(
        (
            ("None", "no answer yet; the right answer is ["),
            ("[float('nan')] * len(values)", "is wrong; the right answer is ["),
            ("[[1]]", "turn_chances returned [[1]], which is not a list of numbers"),
            ("5", "turn_chances returned 5, which is not a list of numbers"),
            ("[0.5]", "[0.5] is wrong"),
            ("[True] * len(values)", "turn_chances returned [True"),
            ("['1'] * len(values)", "turn_chances returned ['1'"),
            ("['\\u0661'] * len(values)", "turn_chances returned ['"),
        )
    ):
        source = f"def turn_chances(values, temperature):\n    return {result}\n"
        (mark,) = marks_of(
            tmp_path / str(number), source, {"kind": "function", "function": "turn_chances"}
        )
        said = mark.words + "".join(finding.words for finding in mark.findings)
        assert (mark.score, words in said) == (0, True), said


@pytest.mark.slow
def test_what_is_learned_plays_well_and_what_is_not_does_not(tmp_path: Path) -> None:
    best = marks_of(tmp_path / "solution", SOLUTION, TRAINING)[0]
    assert best.share > 0.9, best.words
    for name, source in {
        "forgets": changed("    return after\n", "    return weights\n"),
        "climbs the error": changed("+= rate", "-= rate"),
        "brings weights along": changed(
            "    return after\n", "    return [(-1) ** number for number in range(len(weights))]\n"
        ),
    }.items():
        mark = marks_of(tmp_path / name, source, TRAINING)[0]
        assert mark.share < 0.75, (name, mark.words)


@pytest.mark.slow
def test_the_same_functions_learn_the_same_and_another_seed_numbers_features_in_another_order(
    tmp_path: Path,
) -> None:
    noted = changed(
        "    return after\n",
        "    import sys; print(positions[0][:3], file=sys.stderr)\n    return after\n",
    )
    assert (
        marks_of(tmp_path / "one", SOLUTION, TRAINING)[0].words
        == marks_of(tmp_path / "two", noted, TRAINING)[0].words
    )


def test_an_interval_of_independent_pairs_covers_the_true_share_in_about_95_of_100() -> None:
    generator = np.random.default_rng(1)
    drawn = [interval(generator.integers(0, 5, 60) / 2) for _ in range(1000)]
    assert np.mean([low <= 0.5 <= high for low, high in drawn]) == pytest.approx(0.95, abs=0.02)


@pytest.mark.parametrize(
    "given",
    [
        ["1"],
        ["\u0661"],
        [True],
        ["nan"],
        "1",
        {"0": 1},
        [[1]],
        [None],
        [1j],
        [float("inf")],
        1,
        None,
        [10**400],
    ],
)
def test_what_is_no_list_of_numbers_is_no_answer(given: Any) -> None:
    assert as_array(given, 1) is None


@pytest.mark.parametrize(
    "given", [[1], [0.5], (1,), np.ones(1), np.ones(1, np.int8), [np.float32(0.5)]]
)
def test_lists_of_numbers_are_answers(given: Any) -> None:
    assert as_array(given, 1) == given[0]
