"""Hints are about what was wrong: another side to move, another depth, or too little pruning."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.small import assignment, python
from tkm_env.course.grading.local_submission import LocalSubmission
from tkm_env.course.grading.mark_files import under

MINIMAX = """
def minimax(node, depth, maximizes=None):
    if depth == 0 or node.is_over:
        return node.value()
    values = [minimax(child, depth - 1) for _, child in node.children()]
    return max(values) if node.maximizes else min(values)

alphabeta = minimax
"""
#: Mistakes, what is changed for each of them, and what the hint says.
MISTAKES = {
    "alternates": (
        MINIMAX.replace(
            "    values = [minimax(child, depth - 1) for",
            "    maximizes = node.maximizes if maximizes is None else maximizes\n"
            "    values = [minimax(child, depth - 1, not maximizes) for",
        ).replace("if node.maximizes else", "if maximizes else"),
        "right if the sides took turns after every action",
    ),
    "swaps": (MINIMAX.replace("if node.max", "if not node.max"), "right for the other player"),
    "negates": (MINIMAX + "\nm = minimax\ndef alphabeta(n, d): return -m(n, d)\n", "wrong sign"),
    "is short": (
        MINIMAX + "\nm = minimax\ndef alphabeta(n, d): return m(n, d - 1)\n",
        "one action less deep",
    ),
    "looks once": (
        MINIMAX + "\ndef alphabeta(node, depth): return node.value()\n",
        "the value of the position itself",
    ),
    "is wrong somehow": (
        MINIMAX + "\ndef alphabeta(node, depth): return 123456\n",
        "Without pruning it is minimax",
    ),
    "prunes nothing": (MINIMAX, "The values are right, but too little is pruned"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_hint_names_the_mistake_that_was_made_and_no_other(tmp_path: Path, mistake: str) -> None:
    source, words = MISTAKES[mistake]
    given = assignment({"kind": "alphabeta", "depth": 5, "positions": 2})
    submission = python(tmp_path / "ann", source) / "agent.py"
    mark = given.questions[0].mark(LocalSubmission(submission, 1), given)
    assert mark.share == 0
    said = " ".join(mark.advice)
    assert words in said
    assert [other for other, (_, hint) in MISTAKES.items() if hint in said] == [mistake]
    is_right = "the answer is right, but" in mark.findings[0].words
    assert is_right == (mistake == "prunes nothing")


def test_a_hint_that_the_assignment_had_goes_with_it(tmp_path: Path) -> None:
    """The hint belongs to the table, not to the mark that was given while it was there."""
    table = {"kind": "count", "depth": 3, "positions": 1}
    before, after = assignment({**table, "hint": "See chapter 3."}), assignment(table)
    source = "def count(node, depth):\n    return -1\n"
    submission = python(tmp_path / "ann", source) / "agent.py"
    mark = before.questions[0].mark(LocalSubmission(submission, 1), before)
    assert mark.advice == ["See chapter 3."]
    assert under(mark, after.questions[0]).advice == [after.questions[0].usual_hint]
    assert under(under(mark, after.questions[0]), before.questions[0]) == mark


def test_the_hint_of_an_assignment_takes_precedence(tmp_path: Path) -> None:
    given = assignment({"kind": "alphabeta", "depth": 5, "positions": 1, "hint": "See chapter 3."})
    submission = python(tmp_path / "ann", MINIMAX) / "agent.py"
    assert given.questions[0].mark(LocalSubmission(submission, 1), given).advice == [
        "See chapter 3."
    ]
