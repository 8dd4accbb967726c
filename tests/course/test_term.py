"""The term: its plan agrees with the assignments, and its quizzes have right answers."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tkm_env.core.registry import default_game, game_spec
from tkm_env.course.assignment import read_assignment
from tkm_env.course.scaffold import ASSIGNMENTS, write_assignment
from tkm_env.course.term import WEEKS, ExamPart, exam_questions, exam_sheets, write_term
from tkm_env.foundations.errors import FileError
from tkm_env.questions import Verdict


def points_of_questions(place: Path) -> dict[str, dict[str, float]]:
    points = {}
    for name in ASSIGNMENTS:
        spec = game_spec("terminus" if name == "chance" else default_game())
        write_assignment(place / name, spec, spec.config({}), assignment=name, seed=5)
        graded = read_assignment(place / name / "staff/grading.toml")
        points[name] = {question.id: question.points for question in graded.questions}
    return points


def test_every_question_is_due_once_and_worth_what_the_plan_says(tmp_path: Path) -> None:
    left = points_of_questions(tmp_path)
    for week in WEEKS:
        found = re.fullmatch(r"\*(\w+)\*: (.+)", week.homework)
        if found is None:
            continue
        name, listed = found.groups()
        numbers: set[int] = set()
        for part in listed.split(", "):
            first, _, last = part.replace("q", "").partition(" to ")
            numbers |= {*range(int(first), int(last or first) + 1)}
        assert sum(left[name].pop(f"q{number}") for number in numbers) == float(week.points), week
    assert left == {name: {} for name in ASSIGNMENTS}


@pytest.mark.parametrize("week", [WEEKS[0], WEEKS[5]], ids=lambda week: week.topic)
def test_a_quiz_has_right_answers_which_only_the_staff_gets(week: object) -> None:
    questions = [*exam_questions(week.exam, 5)]  # type: ignore[attr-defined]
    sheet, answers = exam_sheets("Quiz", questions)
    assert len(questions) == sum(part.number for part in week.exam)  # type: ignore[attr-defined]
    assert sheet.count("\n## ") == answers.count("\n## ") == len(questions)
    assert "**Answer:**" not in sheet
    for question in questions:
        assert question.mark(f"ANSWER: {question.answer}") is Verdict.RIGHT
        assert f"**Answer:** `{question.answer}`" in answers


def test_another_seed_makes_another_quiz_and_the_same_one_the_same() -> None:
    parts = (ExamPart("legal", 1, 2),)
    ids = [[question.id for question in exam_questions(parts, seed)] for seed in (5, 5, 6)]
    assert ids[0] == ids[1]
    assert not {*ids[0]} & {*ids[2]}
    assert len({*ids[0]}) == 2


@pytest.mark.nightly
def test_a_term_is_written_whole(tmp_path: Path) -> None:
    write_term(tmp_path / "term", 5)
    plan = (tmp_path / "term/TERM.md").read_text("utf-8")
    assert re.findall(r"^## Week (\d+): ", plan, re.M) == [str(week.number) for week in WEEKS]
    assert "{{" not in plan
    assert len([*(tmp_path / "term/exams").iterdir()]) == 2 * len(WEEKS)
    assert all((tmp_path / "term" / name / "staff/GUIDE.md").is_file() for name in ASSIGNMENTS)
    with pytest.raises(FileError, match="already exists"):
        write_term(tmp_path / "term", 5)
