"""Hostile submissions: each loses the question in which it is hostile, in the right words, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.course.hostile import FILES, NEEDS_SANDBOX, PROGRAMS
from tests.course.small import HONEST, assignment, program, python
from tests.isolation.programs import processes_of
from tkm_env.agents.command import CommandAgent
from tkm_env.course.grading import grades
from tkm_env.course.marks import Mark
from tkm_env.game.base import BaseGame
from tkm_env.isolation import sandbox

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def mark_of(submission: Path, *, isolation: str = "process", seconds: float = 20, start_seconds: float = 40) -> Mark:
    limits = {"output_kib": 64, "start_seconds": start_seconds}
    question = {"kind": "count", "depth": 4, "positions": 1, "seconds": seconds}
    *_, last = grades(submission, assignment(question, isolation=isolation, conditions=limits))
    return last.marks[0]


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_hostile_program_gets_nothing_and_is_told_why(tmp_path: Path, name: str) -> None:
    before, fault, words = PROGRAMS[name]
    mark = mark_of(program(tmp_path / "submission", before), seconds=0.5 if fault == "timeout" else 20)
    assert (mark.fault, mark.score) == (fault, 0)
    assert words in mark.words
    assert not processes_of(str(tmp_path))


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_gets_nothing_and_is_told_why(tmp_path: Path, name: str) -> None:
    if name in NEEDS_SANDBOX and sandbox.missing():
        pytest.skip(f"this system lacks {sandbox.missing()}")
    source, fault, words = FILES[name]
    spec, results = tmp_path / "grading.toml", tmp_path / "results.json"
    spec.write_text("seed = 1", "utf-8")
    results.write_text("results", "utf-8")
    names = f"SPEC, RESULTS = {str(spec)!r}, {str(results)!r}\n" if name in NEEDS_SANDBOX else ""
    isolation = "sandbox" if name in NEEDS_SANDBOX else "process"
    submission = python(tmp_path / "submission", names + source)
    mark = mark_of(submission, isolation=isolation, start_seconds=0.5 if fault == "timeout" else 40)
    assert (mark.fault, mark.score) == (fault, 0)
    assert words in mark.words
    assert results.read_text("utf-8") == "results"


@pytest.mark.parametrize("make", [program, lambda folder: python(folder, HONEST)], ids=["program", "python"])
def test_an_honest_one_gets_all_points(tmp_path: Path, make: Callable[[Path], Path]) -> None:
    mark = mark_of(make(tmp_path / "submission"))
    assert (mark.fault, mark.score, mark.words) == (None, 2, "1 of 1 positions right")


def test_one_question_costs_no_other(tmp_path: Path) -> None:
    """It hangs in the first question, answers the second, and gives no answer in the third."""
    before = "'depth=3' in line and time.sleep(600)"
    questions = [
        {"kind": "count", "depth": 3, "positions": 1, "seconds": 0.3},
        {"kind": "count", "depth": 4, "positions": 1},
        {"kind": "minimax", "depth": 3, "positions": 1},
    ]
    stages = [*grades(program(tmp_path / "submission", before), assignment(*questions))]
    assert [len(grade.marks) for grade in stages] == [0, 1, 2, 3]
    last = stages[-1]
    assert [mark.score for mark in last.marks] == [0, 2, 0]
    assert [mark.fault for mark in last.marks] == ["timeout", None, None]
    assert last.marks[2].findings[0].words.startswith("no answer yet; its value")
    assert (last.score, last.points, last.is_complete) == (2, 6, True)


def test_a_match_with_one_that_does_not_start_is_over_at_once(tmp_path: Path) -> None:
    question = {"kind": "match", "opponent": "random", "games": 4, "opening_turns": 1}
    submission = python(tmp_path / "submission", "raise ValueError('not today')")
    *_, last = grades(submission, assignment(question))
    mark = last.marks[0]
    assert (mark.fault, mark.score) == ("crash", 0)
    assert "at its start: it ended with the exit code 1" in mark.words
    assert not mark.findings


def test_the_wait_for_an_answer_that_does_not_come_counts_as_thought(tmp_path: Path) -> None:
    """The program answers no request for an action."""
    question = {"kind": "match", "opponent": "random", "games": 4, "opening_turns": 1, "seconds": 0.2}
    *_, last = grades(program(tmp_path / "submission"), assignment(question, conditions={"turn_seconds": 0.3}))
    assert "1 by timeout; it thought for more than 0.2 s" in last.marks[0].words


def test_the_time_for_the_first_answer_is_added_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A player whose first answer may take longer is itself told of what the question gives, and no more."""
    given = []

    def answer(self: CommandAgent, game: BaseGame, left: float) -> list[int]:
        given.append((left, self.grace))
        return [game.legal_actions()[0]]

    monkeypatch.setattr(CommandAgent, "answer", answer)
    question = {"kind": "tactics", "positions": 1, "seconds": 20}
    [*_] = grades(python(tmp_path / "submission", ""), assignment(question))
    left, grace = given[0]
    assert 0 < left <= 20
    assert grace == 40


def test_links_are_not_followed(tmp_path: Path) -> None:
    """One that leads to the solution brings nothing."""
    solution = python(tmp_path / "solution", HONEST)
    submission = tmp_path / "submission"
    submission.mkdir()
    (submission / "agent.py").symlink_to(solution / "agent.py")
    mark = mark_of(submission)
    assert (mark.score, mark.fault) == (0, "crash")
    assert "there is no agent.py" in mark.words


def test_a_submission_that_is_another_students_file_beside_it_cannot_be_read(tmp_path: Path) -> None:
    """Only the copy of the submission is where its program runs."""
    python(tmp_path / "other", HONEST)
    source = "import pathlib\ndef count(node, depth):\n    return len([*pathlib.Path(__file__).parents[1].rglob('agent.py')]) - 1"
    mark = mark_of(python(tmp_path / "submission", source))
    assert "the answer 0 is wrong" in mark.findings[0].words
