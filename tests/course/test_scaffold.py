"""New assignments: everything is there, says what is graded, and runs before it is changed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tkm_env.cli.commands import tkm
from tkm_env.course.assignment import read_assignment

SEARCH = {
    "public_tests/grading.toml",
    "staff/GUIDE.md",
    "staff/grading.toml",
    "staff/solution/agent.py",
    "student/README.md",
    "student/agent.py",
}


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(tkm, ["course", *map(str, arguments)], env={"COLUMNS": "200"})


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file() and path.suffix != ".svg"}


@pytest.mark.parametrize(
    "options", [(), ("--chapters", "growth+memory", "--handicap", "0,1"), ("--game", "terminus")], ids=" ".join
)
def test_an_assignment_is_whole_and_says_the_same_everywhere(tmp_path: Path, options: tuple[str, ...]) -> None:
    folder = tmp_path / "course"
    result = run("new", folder, "--seed", "5", *options)
    assert result.exit_code == 0, result.output
    assert files_in(folder) == SEARCH
    public, staff = (read_assignment(folder / place / "grading.toml") for place in ("public_tests", "staff"))
    assert public.seed != staff.seed == 5
    assert public.questions == staff.questions
    assert public.config == staff.config
    readme, agent = ((folder / "student" / name).read_text("utf-8") for name in ("README.md", "agent.py"))
    for question in staff.questions:
        assert question.title in agent
    assert " ".join(options) in readme
    for picture in re.findall(r"\]\((pictures/[^)]+)\)", readme):
        assert (folder / "student" / picture).read_text("utf-8").startswith("<svg")
    command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "E,F,W", "--line-length", "140", folder]
    result_of_ruff = subprocess.run(command, capture_output=True, text=True)
    assert result_of_ruff.returncode == 0, result_of_ruff.stdout


def test_another_language_gets_a_program_to_replace(tmp_path: Path) -> None:
    assert run("new", tmp_path / "course", "--language", "program").exit_code == 0
    assert files_in(tmp_path / "course") == SEARCH - {"student/agent.py"} | {"student/run"}
    result = run("grade", tmp_path / "course/student", "--spec", tmp_path / "course/public_tests/grading.toml", "--question", "q1")
    assert result.exit_code == 0, result.output
    assert "0 of 4 positions right" in result.output


def test_learning_writes_a_script_that_trains(tmp_path: Path) -> None:
    assert run("new", tmp_path / "course", "--assignment", "learning").exit_code == 0
    assert files_in(tmp_path / "course") == {name.replace("agent.py", "train.py") for name in SEARCH}
    result = run("grade", tmp_path / "course/student", "--spec", tmp_path / "course/public_tests/grading.toml")
    assert "there is no value.npz" in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--assignment", "learning", "--game", "terminus"), "tkm train cannot learn Terminus"),
        (("--assignment", "learning", "--language", "program"), "language='program'"),
        (("--chapters", "winter"), "chapters='winter'"),
    ],
)
def test_what_cannot_be_is_refused_and_nothing_is_written(tmp_path: Path, options: tuple[str, ...], words: str) -> None:
    result = run("new", tmp_path / "course", *options)
    assert result.exit_code == 2
    assert words in result.output
    assert not (tmp_path / "course").exists()


def test_a_folder_that_holds_something_is_left_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    result = run("new", tmp_path)
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
