"""The page about questions of one's own: its code and its table work as they are printed."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tests.course.small import assignment, python
from tkm_env.course.assignment import parse_assignment
from tkm_env.course.grading.local_submission import LocalSubmission

PAGE = (Path(__file__).parents[2] / "docs/own-questions.md").read_text("utf-8")
CODE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
TABLE = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
WAYS = "def ways(game):\n    return len(game.turns()){}\n"
FIRST = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"


def test_the_question_of_the_page_judges(tmp_path: Path) -> None:
    (tmp_path / "ways.py").write_text(CODE[0], "utf-8")
    assert len(CODE[0].splitlines()) <= 20
    given = parse_assignment({"seed": 3, **tomllib.loads(TABLE[0])}, str(tmp_path))
    given = given.with_isolation("process")
    (question,) = given.questions
    marks = [
        question.mark(LocalSubmission(python(tmp_path / name, WAYS.format(more)), 1), given)
        for name, more in (("right", ""), ("wrong", " + 1"))
    ]
    assert [mark.score for mark in marks] == [3, 0]
    assert re.fullmatch(
        r"there are (\d+) ways to play the turn, not \d+", marks[1].findings[0].words
    )
    assert marks[1].advice[-1].startswith("Two orders of actions")


def test_the_match_of_the_page_judges(tmp_path: Path) -> None:
    (tmp_path / "quick.py").write_text(CODE[1], "utf-8")
    (tmp_path / "rival.py").write_text(FIRST, "utf-8")
    table = {"kind": "quick.py:Quick", "opponent": "rival.py:Bot", "games": 4}
    conditions = assignment().conditions
    given = parse_assignment(
        {"seed": 3, "questions": [{"id": "q", "points": 1, **table}]}, str(tmp_path)
    ).with_isolation(conditions.limits.isolation)
    mark = given.questions[0].mark(LocalSubmission(python(tmp_path / "bot", FIRST), 1), given)
    assert mark.fault is None
    assert 0 <= mark.share <= 1
    assert "not won" in " ".join(finding.words for finding in mark.findings)
