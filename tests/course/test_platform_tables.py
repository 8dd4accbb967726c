"""Tables go back to each platform as it takes them: its own cells and columns stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from tkm_env.course.grading.class_list import ClassList
from tkm_env.foundations.errors import ConfigError

#: What Canvas's gradebook, Moodle's grading worksheet, Gradescope's grades and Classroom 50's
#: roster look like, and what comes back for 1.5 points, an excused student and nothing. Cells that
#: a spreadsheet would take for formulas are as they came.
TABLES: dict[str, tuple[str, str, str]] = {
    "canvas with the assignment": (
        "canvas.csv",
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting (4711),Old (12),Final Score\n"
        "    Points Possible,,,,,2,10,(read only)\n"
        '"-Lovelace, Ada",+123,=s1,ada@b.c,A,,3,50\n"Hopper, Grace",124,s2,@grace,B,1,4,60\n'
        '"Lee",125,s3,lee,B,1,4,60\n',
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting (4711)\n"
        "    Points Possible,,,,,2\n"
        '"-Lovelace, Ada",+123,=s1,ada@b.c,A,1.5\n"Hopper, Grace",124,s2,@grace,B,EX\n'
        "Lee,125,s3,lee,B,\n",
    ),
    "canvas without it": (
        "canvas.csv",
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting more (4711)\n"
        "    Points Possible,,,,,2\nAda,1,,,,\nGrace,2,,,,\nLee,3,,,,\n",
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting\n"
        "    Points Possible,,,,,2\nAda,1,,,,1.5\nGrace,2,,,,EX\nLee,3,,,,\n",
    ),
    "moodle": (
        "moodle.csv",
        "\ufeffIdentifier,Full name,Email address,Status,Group,Grade,Maximum Grade,"
        "Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments\n"
        'Participant 1,Ada,a@b.c,Submitted for grading - ,-,,2,Yes,"Friday, 2 October 2026, '
        '11:59 PM",-,=1\nParticipant 2,Grace,g@b.c,No submission,-,1,2,Yes,-,-,\n'
        "Participant 3,Lee,l@b.c,No submission,-,1,2,Yes,-,-,\n",
        "Identifier,Full name,Email address,Status,Group,Grade,Maximum Grade,"
        "Grade can be changed,Last modified (submission),Last modified (grade),Feedback comments\n"
        'Participant 1,Ada,a@b.c,Submitted for grading - ,-,1.5,2,Yes,"Friday, 2 October 2026, '
        '11:59 PM",-,=1\nParticipant 2,Grace,g@b.c,No submission,-,,2,Yes,-,-,\n'
        "Participant 3,Lee,l@b.c,No submission,-,,2,Yes,-,-,\n",
    ),
    "gradescope": (
        "gradescope.csv",
        "First Name,Last Name,SID,Email,Sections,Total Score,Max Points,Status,Submission ID,"
        "Submission Time,Lateness (H:M:S),View Count,Submission Count\n"
        "Ada,-Love,1,a@b.c,,,2.0,Ungraded,9,2026-10-02 23:59:00 +0200,00:00:00,0,1\n"
        "Grace,Hopper,2,g@b.c,,,2.0,Missing,,,,,\nLee,Lee,3,l@b.c,,,2.0,Missing,,,,,\n",
        "First Name,Last Name,SID,Email,Sections,Total Score\n"
        "Ada,-Love,1,a@b.c,,1.5\nGrace,Hopper,2,g@b.c,,\nLee,Lee,3,l@b.c,,\n",
    ),
    "classroom 50": (
        "classroom50.csv",
        "username,first_name,last_name,email,section,github_id,role\n"
        "-ada,Ada,Lovelace,a@b.c,A,0012,student\ngrace,Grace,Hopper,g@b.c,=B,13,student\n"
        "lee,,,,,14,student\n",
        "username,first_name,last_name,email,section,github_id,role,Counting\n"
        "-ada,Ada,Lovelace,a@b.c,A,0012,student,1.5\n"
        "grace,Grace,Hopper,g@b.c,=B,13,student,\nlee,,,,,14,student,\n",
    ),
}


@pytest.mark.parametrize(("file", "given", "expected"), TABLES.values(), ids=TABLES)
def test_tables_go_back_as_they_came_with_the_points(
    tmp_path: Path, file: str, given: str, expected: str
) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(given, "utf-8")
    found = ClassList(path).table("Counting", [1.5, "excused", None], 2)
    assert found == (file, expected)


@pytest.mark.parametrize(
    ("name", "most"), [*((name, 2) for name in [*TABLES][:4]), ("classroom 50", None)]
)
def test_the_maximum_of_the_platform_is_known(
    tmp_path: Path, name: str, most: float | None
) -> None:
    path = tmp_path / "roster.csv"
    path.write_text(TABLES[name][1], "utf-8")
    is_there = name != "canvas without it"
    assert ClassList(path).most("Counting", None if is_there else "Counting more (4711)") == most
    assert ClassList(path).most("Counting") == (most if is_there else None)


def test_the_column_for_the_points_can_be_chosen(tmp_path: Path) -> None:
    path = tmp_path / "roster.csv"
    path.write_text("name,Homework 3,Homework 4\nAda,1,2\n", "utf-8")
    roster = ClassList(path)
    assert roster.table("Counting", [1.5], 2, "Homework 3")[1] == (
        "name,Homework 3,Homework 4\nAda,1.5,2\n"
    )
    with pytest.raises(ConfigError, match=r"no such column; did you mean 'Homework 3'"):
        roster.table("Counting", [1.5], 2, "Homewrk 3")
