"""A term of grading: groups, lateness, decisions of the staff, and what is graded again."""

from __future__ import annotations

import csv
import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import tkm_env
from tests.course.small import assignment, program
from tests.course.test_handed_in import GRADESCOPE, put
from tkm_env import Game
from tkm_env.course.assignment import Assignment
from tkm_env.course.grading import mark_files
from tkm_env.course.grading.adjustments import Adjustment, read_adjustments
from tkm_env.course.grading.class_grading import ClassGrading, Selection
from tkm_env.course.grading.class_results import KEPT, UNFINISHED, Lateness, Result, changes_between
from tkm_env.course.grading.mark_files import key_of
from tkm_env.course.late_policy import LateCost
from tkm_env.course.questions.marks import Mark
from tkm_env.foundations.errors import ConfigError, FileError


def positions(count: int) -> list[str]:
    """The first positions of a game."""
    game = Game()
    found = []
    for _ in range(count):
        found.append(game.position)
        game.play(game.legal_actions()[0])
    return found


COUNT: dict[str, Any] = {"kind": "count", "depth": 2, "positions": positions(1)}
#: Two questions with the same answers.
TWO: tuple[dict[str, Any], ...] = (COUNT, COUNT)


def graded(work: ClassGrading, out: Path) -> dict[str, dict[str, str]]:
    """Grade what waits, and return the rows of the table by student or submission."""
    graded_now = [*work.run()]
    assert {*graded_now} <= {*work.names}
    work.write_tables()
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        return {row["student"] or row["submission"]: row for row in csv.DictReader(file)}


def marks_given(out: Path, name: str) -> list[str]:
    """The questions for which a submission got marks, in order."""
    lines = (out / "marks" / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line)["mark"]["question"] for line in lines]


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    """One program that answers correctly, and one that answers nothing."""
    place = tmp_path / "submissions"
    place.mkdir()
    program(place / "ann")
    program(place / "bob", "print('answer 1', flush=True); continue")
    return place


def test_only_what_has_changed_is_graded_again(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"

    def waiting(given: Assignment, **selection: Any) -> ClassGrading:
        return ClassGrading(submissions, given, out, selection=Selection(**selection))

    assert graded(waiting(assignment(*TWO)), out)["ann"]["points"] == "4.0"
    # Titles, hints, points and thresholds regrade nobody; points are counted anew.
    titled = [COUNT | {"title": "Lines", "points": 4, "hint": "Count."}, COUNT]
    again = waiting(assignment(*titled))
    assert again.waiting == ()
    assert graded(again, out)["ann"]["points"] == "6.0"
    assert "Lines" in (out / "feedback/ann/feedback.html").read_text("utf-8")
    tiers = [COUNT | {"thresholds": [{"share": 0, "points": 1}, {"share": 1, "points": 2}]}, COUNT]
    assert graded(waiting(assignment(*tiers)), out)["bob"]["points"] == "1.0"
    # What decides the answers to a question regrades this question.
    deeper = [COUNT, COUNT | {"depth": 1}]
    work = waiting(assignment(*deeper), only=("ann",))
    assert work.waiting == ("ann",)
    rows = graded(work, out)
    assert marks_given(out, "ann") == ["q1", "q2", "q2"]
    assert (rows["ann"]["outdated"], rows["bob"]["outdated"]) == ("", "q2")
    assert rows["bob"]["points"] == "0.0", "an outdated mark counts until it is given again"
    assert waiting(assignment(*deeper), questions=("q1",)).waiting == ()
    assert waiting(assignment(*deeper)).waiting == ("bob",)
    # Back to what was graded before, nothing is asked; a student's new files are.
    assert waiting(assignment(*TWO)).waiting == ()
    program(submissions / "bob")
    assert waiting(assignment(*TWO)).waiting == ("bob",)
    forced = waiting(assignment(*TWO), only=("ann",), questions=("q2",), force=True)
    assert [*forced.run()] == ["ann"]
    assert marks_given(out, "ann") == ["q1", "q2", "q2", "q2"]
    # Another version of the package regrades everybody.
    monkeypatch.setattr(mark_files, "package_digest", lambda: "another")
    assert waiting(assignment(*TWO)).waiting == ("ann", "bob")
    for wrong in ({"only": ("eve",)}, {"questions": ("q9",)}):
        with pytest.raises(ConfigError, match=r"eve|q9"):
            waiting(assignment(*TWO), **wrong)


def test_a_mark_depends_on_where_the_submission_ran() -> None:
    given = assignment(*TWO)
    container = ("podman", "{command}")
    elsewhere = [given.with_isolation("sandbox"), given.with_isolation("container", container)]
    keys = {key_of(given.questions[0], each, "files") for each in (given, *elsewhere)}
    assert len(keys) == 3


def test_marks_depend_on_all_code_that_questions_import() -> None:
    package = Path(tkm_env.__file__).parent
    files = [*(package / "course/questions").glob("*.py"), package / "course/assignment.py"]
    imported = {
        module.replace(".", "/")
        for file in files
        for module in re.findall(r"^from tkm_env\.(\S+) import", file.read_text("utf-8"), re.M)
        if not re.fullmatch(r"course\.\w+", module)  # which lies in the folder itself
    }
    decisive = tuple(f"{name}/" for name in mark_files._DECISIVE)
    assert "arena/record_results" in imported
    assert [module for module in sorted(imported) if not module.startswith(decisive)] == []


def test_the_staff_decides_and_undoes_it_by_removing_the_line(
    submissions: Path, tmp_path: Path
) -> None:
    out, roster = tmp_path / "out", tmp_path / "roster.csv"
    roster.write_text(
        "name,section,submission time\nann,A,2026-10-04 00:00:00 +0000\n"
        "bob,B,2026-10-04 00:00:00 +0000\ncem,A,\n",
        "utf-8",
    )
    late = {"due": datetime(2026, 10, 1, 23, tzinfo=UTC), "lost": 0.1}
    adjustments = tmp_path / "adjustments.csv"

    def rows(text: str) -> dict[str, dict[str, str]]:
        adjustments.write_text(text, "utf-8")
        work = ClassGrading(
            submissions, assignment(*TWO, late=late), out, roster=roster, adjustments=adjustments
        )
        return graded(work, out)

    before = rows("student,comment\n")
    assert (before["ann"]["points"], before["ann"]["late"]) == ("2.8", "2 d 1 h")
    assert (before["ann"]["late points"], before["cem"]["points"]) == ("1.2", "")
    decided = rows(
        "student,question,points,extra days,days late,extra seconds,excused,comment\n"
        "ann,,,2,,,,ill\n"
        "bob,q1,1,,0,,,the task was unclear\n"
        "bob,,-0.5,,,,,\n"
        "cem,,,,,,yes,moved away\n"
    )
    assert (decided["ann"]["points"], decided["ann"]["late"]) == ("3.6", "1 h")
    assert decided["ann"]["comments"] == "late by 1 h: 0.4 points lost; due 2 days later (ill)"
    assert (decided["bob"]["points"], decided["bob"]["q1"]) == ("0.5", "1.0")
    assert decided["cem"]["points"] == "excused"
    page = (out / "feedback/bob/feedback.html").read_text("utf-8")
    assert "1 point added for q1, in time (the task was unclear)" in page
    assert "<strong>0.5</strong> of 4 points" in page
    assert "excused" in (out / "class.html").read_text("utf-8")
    assert 'data-section="B"' in (out / "class.html").read_text("utf-8")
    assert rows("student,comment\n") == before
    with (out / "history.csv").open(encoding="utf-8", newline="") as file:
        changes = [
            (row["student"], row["what"], row["before"], row["after"])
            for row in csv.DictReader(file)
        ]
    assert ("ann", "points", "2.8", "3.6") in changes
    assert ("ann", "points", "3.6", "2.8") in changes
    assert ("cem", "points", "", "excused") in changes
    assert marks_given(out, "ann") == ["q1", "q2"], "nothing of this asks a question"
    # More time is a reason to ask again; the old marks come back without it.
    rows("student,extra seconds\nann,5\n")
    assert marks_given(out, "ann") == ["q1", "q2", "q1", "q2"]
    rows("student\n")
    assert marks_given(out, "ann") == ["q1", "q2", "q1", "q2"]
    with pytest.raises(FileError, match=r"line 2: student='anne' is invalid.*did you mean 'ann'"):
        rows("student\nanne\n")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it needs the column student"),
        ("name,points\n", "there is no column 'name'"),
        ("student,points\nann,many\n", "line 2: points='many' is invalid"),
        ("student,points\n\nann,nan\n", "line 3: points=nan is invalid"),
        ("student,extra_days\nann,-1\n", "line 2: extra_days"),
        ("student,question,points\nann,q9,1\n", "line 2: question='q9'"),
        ("student,question\nann,q1\n", "without points, it must be empty"),
        ("student,excused\nann,maybe\n", "line 2: excused='maybe'"),
        ("student,comment\nann,ill, again\n", 'it has too many cells; put "quotes" around commas'),
        ("student,comment\n,ill\n", "line 2: student='' is invalid"),
        ("student\n\xff\n", "it is not a table in CSV"),
    ],
)
def test_a_decision_that_is_not_clear_is_refused_with_its_line(
    tmp_path: Path, text: str, words: str
) -> None:
    path = tmp_path / "adjustments.csv"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileError) as error:
        read_adjustments(path, ["q1", "q2"])
    assert words in str(error.value)


def test_a_table_of_decisions_may_come_from_a_spreadsheet_with_semicolons(tmp_path: Path) -> None:
    path = tmp_path / "adjustments.csv"
    path.write_text("student;extra days;points;comment\nann;1,5;-0,25;ill, again\n", "utf-8")
    (found,) = read_adjustments(path, ["q1"])
    assert (found.extension.total_seconds(), found.points) == (1.5 * 86400, -0.25)
    assert found.comment == "ill, again"


def test_free_days_are_used_up_over_the_term(submissions: Path, tmp_path: Path) -> None:
    adjustments = tmp_path / "adjustments.csv"
    adjustments.write_text("student,days_late\nann,2\nbob,1\n", "utf-8")
    points = {}
    earlier: list[str] = []
    for week in ("one", "two"):
        out = tmp_path / week
        late = {"lost": 0.25, "free": 3, "earlier": earlier}
        work = ClassGrading(submissions, assignment(COUNT, late=late), out, adjustments=adjustments)
        rows = graded(work, out)
        points[week] = (rows["ann"]["points"], rows["ann"]["free used"], rows["bob"]["free used"])
        earlier = [*earlier, str(out / "grades.csv")]
    assert points == {"one": ("2.0", "2", "1"), "two": ("1.5", "1", "1")}
    adjustments.write_text("student\n", "utf-8")
    given = assignment(COUNT, late={"earlier": [str(adjustments)]})
    with pytest.raises(FileError, match="it is not a table that tkm course grade-all wrote"):
        ClassGrading(submissions, given, tmp_path / "three")


def test_free_days_are_those_of_a_student_and_of_what_counts(tmp_path: Path) -> None:
    """Two share a name, one is excused, and one handed in what cannot be graded."""
    place = tmp_path / "in"
    place.mkdir()
    program(place / "100")
    program(place / "101")
    program(place / "eve")
    put(place, {"kim.rar": b"Rar!\x1a\x07\x01\x00"})
    (tmp_path / "roster.csv").write_text("id,name\n100,Ada\n101,Ada\neve,Eve\nkim,Kim\n", "utf-8")
    (tmp_path / "adjustments.csv").write_text(
        "student,days_late,excused\n100,2,\neve,2,yes\nkim,2,\n", "utf-8"
    )
    used = []
    earlier: list[str] = []
    for week in ("one", "two"):
        out = tmp_path / week
        late = {"lost": 0.25, "free": 3, "earlier": earlier}
        work = ClassGrading(
            place,
            assignment(COUNT, late=late),
            out,
            roster=tmp_path / "roster.csv",
            adjustments=tmp_path / "adjustments.csv",
        )
        graded(work, out)
        with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
            used.append({row["id"]: row["free used"] for row in csv.DictReader(file)})
        (tmp_path / "adjustments.csv").write_text("student,days_late\n100,2\n101,2\n", "utf-8")
        earlier = [str(out / "grades.csv")]
    assert used == [
        {"100": "2", "101": "", "eve": "", "kim": ""},
        {"100": "1", "101": "2", "eve": "", "kim": ""},
    ]


def test_extension_and_grace_apply_to_lateness_that_the_staff_says(
    submissions: Path, tmp_path: Path
) -> None:
    (tmp_path / "adjustments.csv").write_text(
        "student,extra_days,days_late\nann,1,2\nbob,,0.01\n", "utf-8"
    )
    given = assignment(COUNT, late={"lost": 0.25, "grace": 15})
    work = ClassGrading(
        submissions, given, tmp_path / "out", adjustments=tmp_path / "adjustments.csv"
    )
    late = [result.lateness for result in work.results()]
    assert [each.by for each in late] == [timedelta(days=1), timedelta()]
    assert [each.cost.share for each in late] == [0.25, 0]


@pytest.mark.parametrize("visibility", ["visible", "hidden"])
def test_points_of_questions_that_are_not_shown_cannot_be_inferred(
    submissions: Path, tmp_path: Path, visibility: str
) -> None:
    out, adjustments = tmp_path / "out", tmp_path / "adjustments.csv"
    adjustments.write_text("student,points,days_late\nann,-1,0.0001\n", "utf-8")
    questions = [COUNT, COUNT | {"visibility": visibility}]
    given = assignment(*questions, late={"lost": 0.25})
    graded(ClassGrading(submissions, given, out, adjustments=adjustments), out)
    page = (out / "feedback/ann/feedback.html").read_text("utf-8")
    shown = ["4 points for the questions", "late by 1 min: 1 point lost", "<strong>2</strong> of 4"]
    assert [words in page for words in shown] == [visibility == "visible"] * 3, "a minute is late"
    assert "1 point taken off" in page
    assert [path.name for path in (out / "feedback/ann").iterdir()] == ["feedback.html"]


def test_the_total_is_shown_that_counts_even_without_a_comment(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Result, "comments", [])
    out, adjustments = tmp_path / "out", tmp_path / "adjustments.csv"
    adjustments.write_text("student,points\nann,-1\n", "utf-8")
    graded(ClassGrading(submissions, assignment(*TWO), out, adjustments=adjustments), out)
    assert "<strong>3</strong> of 4" in (out / "feedback/ann/feedback.html").read_text("utf-8")


def test_a_pair_is_graded_once_and_each_member_has_a_row(tmp_path: Path) -> None:
    """Their submission is late for one of them only."""
    place, out = tmp_path / "in", tmp_path / "out"
    place.mkdir()
    program(place / "submission_12")
    put(place, {"submission_metadata.yml": GRADESCOPE, "kim.rar": b"Rar!\x1a\x07\x01\x00"})
    (tmp_path / "roster.csv").write_text(
        "First Name,Last Name,SID,Email,Sections,Total Score,Lateness (H:M:S)\n"
        "Ada,Lovelace,100,ada@b.c,A,,01:00:00\nGrace,Hopper,101,grace@b.c,B,,01:00:00\n"
        "Kim,Possible,kim,,B,,\n",
        "utf-8",
    )
    (tmp_path / "adjustments.csv").write_text("student,extra days\nGrace Hopper,1\n", "utf-8")
    work = ClassGrading(
        place,
        assignment(COUNT, late={"lost": 0.5}),
        out,
        roster=tmp_path / "roster.csv",
        adjustments=tmp_path / "adjustments.csv",
    )
    rows = graded(work, out)
    assert marks_given(out, "submission_12") == ["q1"]
    assert {name: row["points"] for name, row in rows.items()} == {
        "Ada Lovelace": "1.0",
        "Grace Hopper": "2.0",
        "Kim Possible": "",
        "submission_13": "",
    }
    assert "it is a RAR archive" in rows["Kim Possible"]["error"]
    assert (out / "gradescope.csv").read_text("utf-8").splitlines()[1:] == [
        "Ada,Lovelace,100,ada@b.c,A,1.0",
        "Grace,Hopper,101,grace@b.c,B,2.0",
        "Kim,Possible,kim,,B,",
    ]
    page = (out / "feedback/submission_12/feedback.html").read_text("utf-8")
    assert "days later" not in page, "what was decided about one member is not the others' business"
    with (out / "files.csv").open(encoding="utf-8", newline="") as file:
        fates = {row["file"]: row["what became of it"] for row in csv.DictReader(file)}
    assert fates["submission_12"] == "graded"
    assert fates["kim.rar"].startswith("not graded: ")


@pytest.mark.parametrize("keyword", ["groups", "column"])
def test_what_needs_a_roster_is_refused_without_one(
    submissions: Path, tmp_path: Path, keyword: str
) -> None:
    with pytest.raises(ConfigError, match=f"{keyword}=.*it needs a roster, too"):
        ClassGrading(submissions, assignment(COUNT), tmp_path / "out", **{keyword: "groups"})
    assert not (tmp_path / "out").exists()


def test_an_appeal_writes_down_every_position_and_changes_no_mark(
    submissions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    given = assignment(COUNT | {"positions": positions(5)})
    work = ClassGrading(submissions, given, out)
    assert [*work.run()] == ["ann", "bob"]
    folder, (appeal,) = ClassGrading(submissions, given, out).hear_appeal("bob")
    assert appeal.before is not None
    assert len(appeal.before.findings) == 3
    assert len(appeal.now.findings) == 5
    log = (folder / "log.txt").read_text("utf-8")
    assert log.count("> ask count depth=2") == log.count("< answer 1\n") == 5
    assert (folder / "feedback.html").read_text("utf-8").count("<figure>") == 5
    assert marks_given(out, "bob") == ["q1"]
    log = (ClassGrading(submissions, given, out).hear_appeal("ann")[0] / "log.txt").read_text()
    assert "looks at the game tree)" in log
    assert "< children" not in log


def test_changes_are_told_apart_by_student_and_new_rows_are_none() -> None:
    def row(submission: str, student: str, points: str) -> dict[str, str]:
        return {"submission": submission, "student": student, "points": points}

    before = [row("a", "Ada", "1"), row("b", "Ada", "2"), row("c", "", "3")]
    after = [row("x", "Ada", "1"), row("b", "Ada", "4"), row("c", "", "3"), row("d", "", "9")]
    assert changes_between(before, after) == [["b", "Ada", "points", "2", "4"]]
    assert changes_between([], after) == []


def test_what_is_graded_for_the_first_time_or_follows_from_other_columns_has_not_changed() -> None:
    def row(points: str, **more: str) -> dict[str, str]:
        return {"submission": "a", "student": "Ada", "points": points, "error": "", **more}

    waiting = row("", error=UNFINISHED)
    assert changes_between([waiting], [row("3.0")]) == []
    before = row("2", q1="2", graded="2", of="4", comments="", section="A")
    after = row("2.0", q1="2.0", graded="2.0", of="5", comments="ill", section="B")
    assert changes_between([before], [after]) == []
    assert changes_between([before], [{**after, "q1": "1", "graded": "1"}]) == [
        ["a", "Ada", "q1", "2", "1"]
    ]


@pytest.mark.parametrize(
    ("fault", "share", "is_other", "kept"),
    [
        ("timeout", 0.5, False, True),
        ("timeout", 1.0, False, False),
        ("crash", 0.5, False, False),
        (None, 0.5, False, False),
        ("timeout", 0.5, True, False),
    ],
)
def test_a_mark_that_only_a_timeout_lowers_in_another_version_is_kept_and_named(
    submissions: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fault: str | None,
    share: float,
    is_other: bool,
    kept: bool,
) -> None:
    """The program or the question did not change, so the machine or the package was slow."""
    given, out = assignment(COUNT), tmp_path / "out"
    assert graded(ClassGrading(submissions, given, out), out)["ann"]["points"] == "2.0"
    monkeypatch.setattr(mark_files, "package_digest", lambda: "another")
    if is_other:
        program(submissions / "ann", "pass; pass")
    work = ClassGrading(submissions, given, out, selection=Selection(only=("ann",)))
    (key,) = work._keys("ann").values()
    marks = mark_files.MarkFile(out / "marks/ann.jsonl")
    (before,) = marks.read()
    marks.append(key, replace(before.mark, fault=fault, share=share, score=2 * share))
    again = ClassGrading(submissions, given, out, selection=Selection(only=("ann",)))
    row = graded(again, out)["ann"]
    assert again.waiting == (), "it is not asked again and again"
    assert row["points"] == ("2.0" if kept else str(2 * share))
    assert row["outdated"] == ""
    assert (KEPT in row["note"]) == kept


@pytest.mark.parametrize(
    ("share", "adjustments", "lost", "total"),
    [
        (0.0, [], 0, 9),
        (0.5, [], 6, 3),
        (0.9, [], 9, 0),
        (1.0, [], 9, 0),
        (0.5, [("q1", 2.0)], 6, 5),
        (1.0, [("q1", 2.0)], 11, 0),
        (1.0, [("", 2.0)], 9, 2),
        (0.0, [("", -20.0)], 0, 0),
    ],
)
def test_lateness_takes_off_no_more_than_was_earned(
    share: float, adjustments: list[tuple[str, float]], lost: float, total: float
) -> None:
    mark = Mark("q1", "q1", "count", 12, 9, "", "visible", None, 0.75, 1)
    decided = tuple(Adjustment(2, "a", where, points) for where, points in adjustments)
    late = Lateness(timedelta(days=1), cost=LateCost(1, 0, share))
    result = Result("a", None, "", "", "", None, 12, (mark,), adjustments=decided, lateness=late)
    assert (result.late_points, result.total) == (lost, total)
