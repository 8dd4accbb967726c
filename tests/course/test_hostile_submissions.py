"""Hostile submissions: each loses only the question in which it is hostile, and is told why."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.course.hostile import FILES, NEEDS_SANDBOX, PROGRAMS
from tests.course.small import HONEST, assignment, program, python
from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX, processes_of
from tkm_env.core.game import BaseGame
from tkm_env.course.grading.grading import grade_submission
from tkm_env.course.questions.marks import Mark
from tkm_env.players.command_agent import CommandAgent

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def mark_of(
    submission: Path, *, isolation: str = "process", seconds: float = 20, start_seconds: float = 40
) -> Mark:
    limits = {"output_kib": 64, "start_seconds": start_seconds}
    question = {"kind": "count", "depth": 4, "positions": 1, "seconds": seconds}
    *_, last = grade_submission(
        submission, assignment(question, isolation=isolation, conditions=limits)
    )
    return last.marks[0]


@pytest.mark.slow
def test_hostile_programs_get_nothing_and_are_told_why(tmp_path: Path) -> None:
    for name, (before, fault, words) in PROGRAMS.items():
        mark = mark_of(program(tmp_path / name, before), seconds=0.5 if fault == "timeout" else 20)
        assert (mark.fault, mark.score) == (fault, 0), name
        assert words in mark.words, name
    assert not processes_of(str(tmp_path))


@pytest.mark.slow
def test_hostile_files_get_nothing_and_are_told_why(tmp_path: Path) -> None:
    spec, results = tmp_path / "grading.toml", tmp_path / "results.json"
    spec.write_text("seed = 1", "utf-8")
    results.write_text("results", "utf-8")
    for name, (source, fault, words) in FILES.items():
        isolation, head = "process", ""
        if name in NEEDS_SANDBOX:
            if NO_SANDBOX:
                continue
            isolation, head = "sandbox", f"SPEC, RESULTS = {str(spec)!r}, {str(results)!r}\n"
        submission = python(tmp_path / name, head + source)
        mark = mark_of(
            submission, isolation=isolation, start_seconds=0.5 if fault == "timeout" else 40
        )
        assert (mark.fault, mark.score) == (fault, 0), name
        assert words in mark.words, name
        assert results.read_text("utf-8") == "results", name


#: Counts the bytes of all solutions that it finds, as source, in caches and in templates, whatever
#: may be imported.
THIEF = """
import os
import re
import sys
from pathlib import Path

import tkm_env
from tkm_env.compiled.decorators import cache_place

SOLUTION = re.compile(
    r"/templates/|game_tree|/learn/|(?<!tests.)(players|course)[/.](tkm|terminus)"
)

def count(node, depth):
    sys.meta_path[:] = [
        finder for finder in sys.meta_path if "ImportBlocker" not in type(finder).__name__
    ]
    found = 0
    for folder in (Path(tkm_env.__file__).parent, Path(cache_place())):
        for place, _, names in os.walk(folder):
            for path in (Path(place, name) for name in names):
                if SOLUTION.search(str(path)):
                    try:
                        found += len(path.read_bytes())
                    except OSError:  # forbidden, or gone: others compile at the same time
                        pass
    return found
"""


@pytest.mark.slow
def test_confinement_hides_the_solutions_from_submissions_and_nothing_that_honest_ones_need(
    tmp_path: Path,
) -> None:
    thief, honest = python(tmp_path / "thief", THIEF), python(tmp_path / "honest", HONEST)
    for isolation, lacks in (("restricted", NO_RESTRICTED), ("sandbox", NO_SANDBOX)):
        if not lacks:
            assert (
                mark_of(thief, isolation=isolation)
                .findings[0]
                .words.startswith("the answer 0 is wrong")
            ), isolation
            assert mark_of(honest, isolation=isolation).score == 2, isolation
    found = mark_of(thief, isolation="process").findings[0].words
    assert not found.startswith("the answer 0 is wrong"), "in a mere process, it finds them"


def test_honest_submissions_get_all_points(tmp_path: Path) -> None:
    for submission in (program(tmp_path / "program"), python(tmp_path / "python", HONEST)):
        mark = mark_of(submission)
        assert (mark.fault, mark.score, mark.words) == (None, 2, "1 of 1 position right"), (
            submission
        )


def test_a_fault_costs_only_its_question(tmp_path: Path) -> None:
    """The program hangs in the first question, answers the second, but not the third."""
    before = "'depth=3' in line and time.sleep(600)"
    questions = [
        {"kind": "count", "depth": 3, "positions": 1, "seconds": 0.3},
        {"kind": "count", "depth": 4, "positions": 1},
        {"kind": "minimax", "depth": 3, "positions": 1},
    ]
    stages = [*grade_submission(program(tmp_path / "submission", before), assignment(*questions))]
    assert [len(grade.marks) for grade in stages] == [0, 1, 2, 3]
    last = stages[-1]
    assert [mark.score for mark in last.marks] == [0, 2, 0]
    assert [mark.fault for mark in last.marks] == ["timeout", None, None]
    assert last.marks[2].findings[0].words.startswith("no answer yet; its value")
    assert (last.score, last.points, last.is_complete) == (2, 6, True)


def test_a_match_ends_at_once_if_the_submission_does_not_start(tmp_path: Path) -> None:
    question = {"kind": "match", "opponent": "random", "games": 4, "opening_turns": 1}
    submission = python(tmp_path / "submission", "raise ValueError('not today')")
    *_, last = grade_submission(submission, assignment(question))
    mark = last.marks[0]
    assert (mark.fault, mark.score) == ("crash", 0)
    assert mark.words == "it crashed at start: agent.py, line 1: ValueError: not today"
    assert not mark.findings


def test_waiting_for_an_answer_that_never_comes_counts_as_thinking(tmp_path: Path) -> None:
    """The program does not answer requests for actions."""
    question = {
        "kind": "match",
        "opponent": "random",
        "games": 4,
        "opening_turns": 1,
        "seconds": 0.2,
    }
    *_, last = grade_submission(
        program(tmp_path / "submission"), assignment(question, conditions={"turn_seconds": 0.3})
    )
    words = last.marks[0].words
    assert "1 game lost by a fault: no answer in time (0.3 s)" in words
    assert "2 turns finished at random after a fault: no answer in time (0.3 s)" in words
    assert "it used more than 0.2 s in all: the remaining games count as lost" in words


def test_the_time_for_the_first_answer_is_added_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A player whose first answer may take longer is told only of the question's own time."""
    given = []

    def answer(self: CommandAgent, game: BaseGame, left: float) -> list[int]:
        given.append((left, self.grace))
        return [game.legal_actions()[0]]

    monkeypatch.setattr(CommandAgent, "answer", answer)
    question = {"kind": "tactics", "positions": 1, "seconds": 20}
    [*_] = grade_submission(python(tmp_path / "submission", ""), assignment(question))
    left, grace = given[0]
    assert 0 < left <= 20
    assert grace == 40


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link to the solution is worth nothing."""
    solution = python(tmp_path / "solution", HONEST)
    submission = tmp_path / "submission"
    submission.mkdir()
    (submission / "agent.py").symlink_to(solution / "agent.py")
    mark = mark_of(submission)
    assert (mark.score, mark.fault) == (0, "crash")
    assert "there is no agent.py" in mark.words


def test_other_submissions_are_out_of_reach(tmp_path: Path) -> None:
    """A program runs beside the copy of its own submission only."""
    python(tmp_path / "other", HONEST)
    source = (
        "import pathlib\ndef count(node, depth):\n"
        "    return len([*pathlib.Path(__file__).parents[1].rglob('agent.py')]) - 1"
    )
    mark = mark_of(python(tmp_path / "submission", source))
    assert "the answer 0 is wrong" in mark.findings[0].words
