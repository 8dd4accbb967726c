"""No submission loses points when the machine fails, or by what another submission left behind."""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.arena.pauses import pauses
from tests.course.small import assignment, program
from tests.isolation.programs import HONEST as PLAYS
from tests.machine_faults import ALWAYS, NO_PROCESS, NO_SPACE, failing, warned
from tkm_env import FileError, MachineError
from tkm_env.arena.playing.retries import PAUSES
from tkm_env.core.random_agent import RandomAgent
from tkm_env.course.grading.class_grading import ClassGrading
from tkm_env.course.grading.grading import grade_submission
from tkm_env.foundations.line_file import LineFile
from tkm_env.isolation import program as isolation

__all__ = ["pauses"]

pytestmark = [warned, pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")]

#: Kills the process that grades it, once.
KILLING = (
    "None if os.path.exists({mark!r}) else (open({mark!r}, 'w').close(), "
    "os.kill(int(open(f'/proc/{{os.getppid()}}/stat').read().rpartition(')')[2].split()[1]), 9))"
)


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """Two programs that answer correctly."""
    place = tmp_path / "submissions"
    place.mkdir()
    for name in ("ann", "bob"):
        program(place / name)
    return place


def marks(grades: Any) -> list[tuple[float, str | None]]:
    *_, last = grades
    return [(mark.score, mark.fault) for mark in last.marks]


@pytest.mark.parametrize(
    ("place", "name", "error"),
    [
        (isolation.subprocess, "Popen", NO_PROCESS),
        (tempfile, "TemporaryFile", NO_SPACE),
        (RandomAgent, "plan_turn", MemoryError()),
        (sys.modules[grade_submission.__module__], "copy_submission", NO_SPACE),
    ],
)
def test_a_question_that_the_machine_ends_is_asked_again(
    place: Any,
    name: str,
    error: Exception,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    pauses: list[float],
) -> None:
    pauses.clear()
    submission = program(tmp_path / "ann")
    (submission / "run").write_text(f"#!{sys.executable} -IS\n{PLAYS}", "utf-8")
    questions = assignment({"kind": "match", "opponent": "random", "games": 2, "opening_turns": 1})
    expected = marks(grade_submission(submission, questions))
    assert expected[0][0] > 0
    failing(monkeypatch, place, name, error, {1})
    assert marks(grade_submission(submission, questions)) == expected
    assert pauses == [PAUSES[0]]


def test_what_the_machine_never_lets_be_graded_has_no_points_and_is_graded_later(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    out = tmp_path / "grades"
    with monkeypatch.context() as patches:
        failing(
            patches,
            isolation.Program,
            "_start",
            NO_PROCESS,
            ALWAYS,
            lambda program, *given: program._name == "ann",
        )
        with pytest.raises(
            MachineError,
            match=(
                r"asking 'ann' the question q1, tried 8 times; .*: \[Errno 11\] Resource "
                r"temporarily unavailable"
            ),
        ):
            [*grade_submission(submissions / "ann", assignment())]
        work = ClassGrading(submissions, assignment(), out)
        assert [*work.run()] == ["ann", "bob"]
    assert pauses == [*PAUSES] * 2
    assert work.failures["ann"].is_temporary
    assert work.failures["ann"].reason.startswith(
        "not graded, because the machine failed: asking 'ann' the question q1"
    )
    work.write_tables()
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["submission"], row["points"], row["q1"]) for row in csv.DictReader(file)] == [
            ("ann", "", ""),
            ("bob", "2.0", "2.0"),
        ]
    assert "None" not in (out / "class.html").read_text("utf-8")
    again = ClassGrading(submissions, assignment(), out)
    assert [*again.run()] == ["ann"]
    assert [row.total for row in again.results()] == [2, 2]


@pytest.mark.slow
def test_a_grader_that_is_killed_begins_again(
    submissions: Path, tmp_path: Path, pauses: list[float]
) -> None:
    program(submissions / "cem", KILLING.format(mark=str(tmp_path / "killed")))
    work = ClassGrading(submissions, assignment(), tmp_path / "grades", processes=2)
    with pytest.warns(
        RuntimeWarning,
        match=(
            "grading 'cem' is tried again in 0.5 s, since the machine failed: .*killed by signal 9"
        ),
    ):
        assert sorted(work.run()) == ["ann", "bob", "cem"]
    assert [row.total for row in work.results()] == [2, 2, 2]
    assert pauses == [PAUSES[0]]


def test_a_disk_that_is_full_for_a_moment_costs_no_grade(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pauses: list[float]
) -> None:
    refusal = FileError("grades.jsonl", "it cannot be written: No space left on device")
    refusal.__cause__ = NO_SPACE
    failing(monkeypatch, LineFile, "append_line", refusal, {1})
    assert [*ClassGrading(submissions, assignment(), tmp_path / "grades").run()] == ["ann", "bob"]
    assert not ClassGrading(submissions, assignment(), tmp_path / "grades").waiting
    assert pauses == [PAUSES[0]]


def nested(folder: Path, depth: int) -> None:
    """A file in this number of nested folders, made from within, since its path may be too long."""
    folder.mkdir()
    script = (
        f"import os\nfor _ in range({depth}):\n    os.mkdir('d')\n    os.chdir('d')\n"
        "open('agent.py', 'w').close()"
    )
    isolation.subprocess.run([sys.executable, "-IS", "-c", script], cwd=folder, check=True)


def test_a_submission_that_cannot_be_read_costs_the_others_nothing(
    submissions: Path, tmp_path: Path
) -> None:
    for name, depth in (("deep", 100), ("deeper", 1500), ("deepest", 3000)):
        nested(submissions / name, depth)
    work = ClassGrading(submissions, assignment(), tmp_path / "grades")
    assert [*work.run()] == ["ann", "bob", "deep", "deeper", "deepest"]
    assert [row.total for row in work.results()] == [2, 2, None, None, None]
    assert "in folders at most 64 deep" in work.failures["deep"].reason
    assert "in folders at most 64 deep" in work.failures["deeper"].reason
    assert "File name too long" in work.failures["deepest"].reason
    isolation.subprocess.run(["rm", "-rf", submissions], check=True)


def test_what_a_submission_leaves_costs_it_nothing(tmp_path: Path) -> None:
    """Three thousand nested folders beside the submission's copy, where it may write."""
    leaving = (
        "[(os.mkdir('d'), os.chdir('d')) for _ in "
        "[os.chdir(os.path.dirname(os.path.abspath(__file__)))] + [0] * 3000]"
    )
    assert marks(grade_submission(program(tmp_path / "ann", leaving), assignment())) == [(2, None)]
    assert not [*Path(tempfile.gettempdir()).glob("tkm-submission-*/*/d")]
