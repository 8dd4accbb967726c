"""`tkm course grade-all` and `tkm course ladder`."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.course.small import HONEST, program, python
from tests.course.test_class_grading import SPEC, at_seed_3, graded, ladder_of, three_programs
from tests.isolation.programs import NO_SANDBOX
from tkm_env.cli.root_command import tkm
from tkm_env.course.assignment import read_assignment


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")
def test_the_ladder_can_be_played_and_rates_everyone_who_plays(tmp_path: Path) -> None:
    if NO_SANDBOX:
        pytest.skip(NO_SANDBOX)
    submissions, out, spec = (
        tmp_path / "submissions",
        tmp_path / "grades",
        tmp_path / "grading.toml",
    )
    submissions.mkdir()
    python(
        submissions / "ann",
        "class Bot:\n    def act(self, game):\n        return game.legal_actions()[-1]\n",
    )
    python(submissions / "cem", HONEST)  # holds no bot
    (submissions / "dan").mkdir()
    python(submissions / "dan/student", "import helper\n\nBot = helper.Bot\n")
    (submissions / "dan/student/helper.py").write_text(
        (submissions / "ann/agent.py").read_text("utf-8"), "utf-8"
    )
    spec.write_text(f"anchors = ['random']\n{SPEC.replace('process', 'sandbox')}", "utf-8")
    place = str(out / "ladder")
    for words in (
        ("course", "ladder", str(submissions), "--spec", str(spec), "--out", str(out)),
        ("league", "play", place, "--once", "--processes", "2"),
    ):
        if words[0] == "league":
            file = out / "ladder/league.toml"
            file.write_text(
                file.read_text("utf-8").replace("games_per_player = 60", "games_per_player = 6"),
                "utf-8",
            )
        result = CliRunner().invoke(tkm, words, env={"COLUMNS": "200"}, catch_exceptions=False)
        assert result.exit_code == 0, result.output
    league = ladder_of(submissions, out, read_assignment(spec))
    states = {bot.name: (bot.state, bot.log) for bot in league.store.bots("playing", "refused")}
    assert [states[at_seed_3(name)][0] for name in ("ann", "cem", "dan")] == [
        "playing",
        "refused",
        "playing",
    ]
    assert "Bot" in states[at_seed_3("cem")][1]
    records = [
        json.loads(line)
        for line in (out / "ladder/games/season-1.jsonl").read_text("utf-8").splitlines()
    ]
    played = Counter(name for record in records for name in record["players"].values())
    assert played.keys() == {"random", at_seed_3("ann"), at_seed_3("dan")}
    assert min(played.values()) >= 6
    assert not [record["fault"] for record in records if record.get("fault")]


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="needs POSIX")
def test_the_same_command_resumes_after_a_kill(tmp_path: Path) -> None:
    submissions = three_programs(tmp_path / "submissions")
    program(submissions / "bob", "time.sleep(2)")
    spec, out = tmp_path / "grading.toml", tmp_path / "grades"
    spec.write_text(SPEC, "utf-8")
    arguments = [
        "course",
        "grade-all",
        str(submissions),
        "--spec",
        str(spec),
        "--out",
        str(out),
        "--processes",
        "1",
    ]
    command = [sys.executable, "-m", "tkm_env", *arguments]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 120
    while not graded(out) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.kill(running.pid, signal.SIGKILL)
    running.communicate()
    before = graded(out)
    assert 1 <= len(before) < 3
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    assert "3 of 3 graded" in result.stdout
    assert f"{len(before)} of 3 submissions need no grading" in result.stdout
    assert graded(out) == {"ann": 2, "bob": 2, "cem": 0}
    assert not [*Path(tempfile.gettempdir()).glob("tkm-submission-*/*/run")]


def grade_all(place: Path, *options: str | Path) -> Result:
    """Run ``grade-all`` on the folder ``submissions``, in this process."""
    given = ["--spec", place / "grading.toml", "--out", place / "grades", "--processes", 1]
    words = ["course", "grade-all", place / "submissions", *given, *options]
    return CliRunner().invoke(tkm, [*map(str, words)], catch_exceptions=False)


def test_what_cannot_be_graded_is_said_and_only_what_can_is_tried_again(tmp_path: Path) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    program(submissions / "turingalan_LATE_102_4711_run", "sys.exit(1)")
    (submissions / "ann.rar").write_bytes(b"Rar!\x1a\x07\x01\x00")
    (submissions / "notes.txt").write_text("to do", "utf-8")
    (tmp_path / "grading.toml").write_text(SPEC, "utf-8")
    (tmp_path / "roster.csv").write_text("id,name\n101,ann\n102,Alan Turing\n", "utf-8")
    result = grade_all(tmp_path, "--roster", tmp_path / "roster.csv")
    assert result.exit_code == 1
    assert "ann could not be graded: " in result.output
    assert "unpack it into a folder of the same name" in result.output
    assert "nothing was handed in" not in result.output
    assert "again" not in result.output, "trying again would not help"
    assert "left out, since they are no submissions: notes.txt" in result.output
    assert "late by an unknown time" in result.output
    assert "1 of 2 graded" in result.output
    rows = [*csv.DictReader((tmp_path / "grades/grades.csv").read_text("utf-8").splitlines())]
    assert [(row["student"], row["late"]) for row in rows] == [
        ("Alan Turing", "an unknown time"),
        ("ann", ""),
    ]


def test_a_regrade_says_what_changed(tmp_path: Path) -> None:
    three_programs(tmp_path / "submissions")
    (tmp_path / "grading.toml").write_text(SPEC, "utf-8")
    assert grade_all(tmp_path).exit_code == 0
    again = grade_all(tmp_path)
    assert "3 of 3 submissions need no grading" in again.output
    assert "->" not in again.output
    program(tmp_path / "submissions/bob")
    (tmp_path / "adjustments.csv").write_text("student,points\ncem,1\n", "utf-8")
    decided = ("--adjustments", tmp_path / "adjustments.csv")
    one = grade_all(tmp_path, *decided, "--only", "cem", "--force")
    assert one.exit_code == 0
    assert "with marks from before something changed: bob" in one.output
    assert "cem: points 0.0 -> 1.0" in one.output
    every = grade_all(tmp_path, *decided)
    assert "bob: points 0.0 -> 2.0, q1 0.0 -> 2.0, faults q1: crash -> -\n" in every.output
    assert "cem" not in every.output


def test_other_maximum_points_on_the_platform_are_named(tmp_path: Path) -> None:
    python(tmp_path / "submissions", HONEST).joinpath("agent.py").rename(
        tmp_path / "submissions/ann.py"
    )
    (tmp_path / "grading.toml").write_text(SPEC, "utf-8")
    for most, is_said in (("10", True), ("2.00", False)):
        roster = f"Identifier,Full name,Grade,Maximum Grade\nParticipant 1,ann,,{most}\n"
        (tmp_path / "roster.csv").write_text(roster, "utf-8")
        result = grade_all(tmp_path, "--roster", tmp_path / "roster.csv")
        said = "the roster says that the assignment is worth 10 points, not 2: correct one of them"
        assert (said in result.output) == is_said
        assert result.exit_code == 0


def test_a_question_of_the_staffs_that_fails_is_told_once_and_costs_nobody_points(
    tmp_path: Path,
) -> None:
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    for name in ("ann", "bob"):
        python(submissions / name, HONEST + "\ndef zero(game):\n    return 0\n")
    own = tmp_path / "own.py"
    source = (
        "from tkm_env.course.questions.staff_questions import StaffQuestion\n"
        "class Own(StaffQuestion):\n    positions = 1\n\n"
        "    def judge(self, game, student):\n"
        "        return 1 // student.number('zero', game)\n"
    )
    own.write_text(source, "utf-8")
    asked = '[[questions]]\nid = "q0"\nkind = "own.py:Own"\npoints = 3\n'
    spec = SPEC.replace("[[questions]]", f"{asked}[[questions]]")
    (tmp_path / "grading.toml").write_text(spec, "utf-8")
    failed = grade_all(tmp_path)
    assert failed.exit_code == 1
    assert failed.output.count("own.py, line 6: ZeroDivisionError: ") == 1
    assert "; 2 submissions without a mark for it" in failed.output
    assert "could not be graded" not in failed.output
    table = tmp_path / "grades/grades.csv"
    rows = [*csv.DictReader(table.read_text("utf-8").splitlines())]
    assert {(row["q0"], row["q1"], row["points"]) for row in rows} == {("", "2.0", "")}
    own.write_text(source.replace("1 //", "0 =="), "utf-8")
    read = tmp_path / "grades/marks/ann.jsonl"
    before = read.read_text("utf-8")
    # Within one process, a file is loaded once.
    words = [sys.executable, "-m", "tkm_env", "course", "grade-all", str(submissions)]
    words += ["--spec", str(tmp_path / "grading.toml"), "--out", str(tmp_path / "grades")]
    subprocess.run(words, check=True, capture_output=True)
    assert graded(tmp_path / "grades") == {"ann": 3, "bob": 3}
    assert len(read.read_text("utf-8").removeprefix(before).splitlines()) == 1
