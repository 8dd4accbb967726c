"""Feedback shows what a submission printed, where an error was raised, and the next points."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.course.small import assignment
from tkm_env.course.grading.autograder_formats import gradescope
from tkm_env.course.grading.feedback import write_feedback
from tkm_env.course.grading.grading import grade_submission

FILES = {
    "agent.py": (
        "import helper\ndef count(node, depth):\n    print('looking', depth, '\\x1b[31m<b>')\n"
        "    return helper.half(depth)\n"
    ),
    "helper.py": "def half(depth):\n    return [][depth]\n",
}
PRINTED = [
    "looking 4 \x1b[31m<b>",
    '  File "agent.py", line 4, in count',
    '  File "helper.py", line 2, in half',
]


def test_prints_and_the_students_own_frames_are_in_the_feedback(tmp_path: Path) -> None:
    for name, source in FILES.items():
        (tmp_path / name).write_text(source, "utf-8")
    given = assignment()
    *_, grade = grade_submission(tmp_path, given)
    lines = grade.marks[0].printed.splitlines()
    assert [line for line in lines if line in PRINTED] == PRINTED
    assert lines[-1] == "agent.py, line 4: IndexError: list index out of range"
    assert not [line for line in lines if "tkm_env" in line or "/tmp" in line]
    write_feedback(tmp_path / "out", grade, given.spec, given.config)
    page = (tmp_path / "out/feedback.html").read_text("utf-8")
    assert "looking 4 \\x1b[31m&lt;b&gt;" in page
    assert "looking 4 \\x1b[31m<b>" in gradescope(grade)["tests"][0]["output"]


@pytest.mark.slow
def test_a_bot_that_crashes_shows_the_students_own_frames_alone(tmp_path: Path) -> None:
    for name, source, frames, last in (
        (
            "illegal",
            "game.play('jump')",
            ["line 3, in act"],
            (
                "agent.py, line 3: tkm_env.foundations.errors.UnknownActionError: no action is "
                "named 'jump'"
            ),
        ),
        ("elsewhere", "return []", [], "an action is a name or an index from 0 to 78, not []"),
    ):
        (tmp_path / "agent.py").write_text(
            f"class Bot:\n    def act(self, game):\n        {source}\n", "utf-8"
        )
        *_, grade = grade_submission(
            tmp_path, assignment({"kind": "match", "opponent": "random", "games": 2})
        )
        lines = grade.marks[0].printed.splitlines()
        assert [
            line.partition('"agent.py", ')[2] for line in lines if line.startswith("  File ")
        ] == frames, (name, lines)
        assert lines[-1].startswith(last), (name, lines)


def test_only_the_end_of_a_flood_is_kept_and_the_next_tier_is_named(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text(
        "def count(node, depth):\n    print('x' * 9000, 'the end')\n    return 1\n", "utf-8"
    )
    question = {
        "kind": "count",
        "depth": 4,
        "positions": 1,
        "thresholds": [{"share": 0.5, "points": 1}, {"share": 1, "points": 2}],
    }
    *_, grade = grade_submission(tmp_path, assignment(question))
    mark = grade.marks[0]
    assert mark.printed.startswith("[…]xxx")
    assert mark.printed.endswith("x the end")
    assert len(mark.printed) == 4003
    assert mark.advice[0] == "50% earns 1 of 2 points; you have 0%."
    assert "Count two actions deep by hand" in mark.advice[1]


def test_the_better_of_two_positions_is_named_where_they_are_drawn(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("def evaluate(game):\n    return 0\n", "utf-8")
    given = assignment({"kind": "evaluate", "positions": 1, "hint": "Count the copies."})
    *_, grade = grade_submission(tmp_path, given)
    write_feedback(tmp_path / "out", grade, given.spec, given.config)
    page = (tmp_path / "out/feedback.html").read_text("utf-8")
    shown = [
        page.index(text)
        for text in (
            "Count the copies.",
            "better for white, who gets",
            "<svg",
            "worse for white, who gets",
        )
    ]
    assert shown == sorted(shown)
    better, worse = gradescope(grade)["tests"][0]["output"].splitlines()[2:4]
    assert better.startswith("  better for white, who gets")
    assert worse.startswith("  worse for white, who gets")
