"""`tkm course grade-all --roster`: points go out as each platform takes them."""

from __future__ import annotations

import csv
from pathlib import Path

from click.testing import CliRunner

from tests.course.small import HONEST
from tests.course.test_class_grading import SPEC
from tests.course.test_handed_in import put
from tkm_env.cli.root_command import tkm

ROSTERS = {
    "canvas.csv": (
        "Student,ID,SIS User ID,SIS Login ID,Section,Old (5)\n    Points Possible,,,,,10\n"
        '"Lovelace, Ada",123,s1,ada,A,3\n"Hopper, Grace",124,s2,grace,A,4\n',
        "Student,ID,SIS User ID,SIS Login ID,Section,Counting\n    Points Possible,,,,,2\n"
        '"Lovelace, Ada",123,s1,ada,A,2.0\n"Hopper, Grace",124,s2,grace,A,\n',
    ),
    "moodle.csv": (
        (
            "Identifier,Full name,Status,Grade,Maximum Grade\n"
            "Participant 123,Ada Lovelace,,,2\nParticipant 124,Grace Hopper,,,2\n"
        ),
        (
            "Identifier,Full name,Status,Grade,Maximum Grade\n"
            "Participant 123,Ada Lovelace,,2.0,2\nParticipant 124,Grace Hopper,,,2\n"
        ),
    ),
    "gradescope.csv": (
        (
            "First Name,Last Name,SID,Email,Sections,Total Score,Status\n"
            "Ada,Lovelace,123,a@b.c,A,,\nGrace,Hopper,124,g@b.c,A,,\n"
        ),
        (
            "First Name,Last Name,SID,Email,Sections,Total Score\n"
            "Ada,Lovelace,123,a@b.c,A,2.0\nGrace,Hopper,124,g@b.c,A,\n"
        ),
    ),
    "points.csv": (
        "name,group\nAda Lovelace,1\nGrace Hopper,2\n",
        "name,group,Counting\nAda Lovelace,1,2.0\nGrace Hopper,2,\n",
    ),
}


def test_points_go_out_as_the_rosters_platform_takes_them_and_who_handed_in_nothing_has_a_row(
    tmp_path: Path,
) -> None:
    handed = put(
        tmp_path / "in", {"lovelaceada_123_4567_agent.py": HONEST, "stranger.zip": b"junk"}
    )
    (tmp_path / "grading.toml").write_text(f'title = "Counting"\n{SPEC}', "utf-8")
    out = tmp_path / "out"
    for name, (given, expected) in ROSTERS.items():
        (tmp_path / "roster.csv").write_text(given, "utf-8")
        options = [
            "--spec",
            tmp_path / "grading.toml",
            "--out",
            out,
            "--roster",
            tmp_path / "roster.csv",
            "--processes",
            1,
        ]
        result = CliRunner().invoke(tkm, ["course", "grade-all", str(handed), *map(str, options)])
        assert result.exit_code == 1, "one was not graded"
        assert "stranger could not be graded: " in result.output
        assert "no submission from " in result.output
        assert "not on the roster: stranger" in result.output
        assert (out / name).read_text("utf-8") == expected
        rows = [*csv.DictReader((out / "grades.csv").read_text("utf-8").splitlines())]
        assert [row["points"] for row in rows] == ["2.0", "", ""], name
        assert rows[2]["error"] == "nothing was handed in", name
        assert "nothing was handed in" in (out / "class.html").read_text("utf-8")
