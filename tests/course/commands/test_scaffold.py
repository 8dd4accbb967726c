"""New assignments: they are complete, say what is graded, and run before they are changed."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from click.testing import CliRunner, Result

from tkm_env.cli.root_command import tkm
from tkm_env.course.assignment import read_assignment

ROOT = Path(__file__).parents[3]
FILES = {
    "public_tests/grading.toml",
    "staff/GUIDE.md",
    "staff/SOLUTION.md",
    "staff/grading.toml",
    "staff/solution/agent.py",
    "student/HONESTY.md",
    "student/README.md",
    "student/REPORT.md",
    "student/agent.py",
    "student/start.ipynb",
}
#: What students of each level hand in, with which `tkm course calibrate` tries the assignment.
GUESSES = ("0-coin", "0-first", "0-hash")
SEARCHING = {
    f"staff/levels/{name}.py" for name in (*GUESSES, "1-counting", "2-one-ply", "3-two-plies")
}
LEARNING = {
    f"staff/levels/{name}.py" for name in (*GUESSES, "1-targets", "2-exploration", "3-gradient")
}


def run(command: str, *arguments: str | Path) -> Result:
    unchecked = ("--no-check",) if command == "new" else ()
    return CliRunner().invoke(
        tkm, ["course", command, *map(str, arguments), *unchecked], env={"COLUMNS": "200"}
    )


def files_in(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".svg"
    }


def test_an_assignment_is_complete_and_consistent(tmp_path: Path) -> None:
    for number, options in enumerate(
        (
            (),
            ("--chapters", "growth+memory", "--handicap", "0,1"),
            ("--game", "terminus"),
            ("--game", "terminus", "--assignment", "chance"),
            ("--chapters", "growth+memory", "--assignment", "learning"),
        )
    ):
        folder = tmp_path / str(number)
        result = run("new", folder, "--seed", "5", *options)
        assert result.exit_code == 0, result.output
        levels = LEARNING if "learning" in options else SEARCHING
        assert files_in(folder) == FILES | levels, options
        public, staff = (
            read_assignment(folder / place / "grading.toml") for place in ("public_tests", "staff")
        )
        assert public.seed != staff.seed == 5
        assert (public.questions, public.config) == (staff.questions, staff.config)
        readme, agent = (
            (folder / "student" / name).read_text("utf-8") for name in ("README.md", "agent.py")
        )
        assert all(question.title in agent for question in staff.questions), options
        settings = (
            options[: options.index("--assignment")] if "--assignment" in options else options
        )
        assert " ".join(settings) in readme
        rules = {section.title for section in staff.spec.rules_for(staff.config)}
        headings = [line.partition(" ") for line in readme.splitlines() if re.match("#+ ", line)]
        titles = [title for _, _, title in headings]
        shown = {
            *titles[titles.index("The rules") + 1 : titles.index("Positions and actions in text")]
        }
        assert shown - {section.group for section in staff.spec.rules_for(staff.config)} == rules, (
            "exactly what is in play"
        )
        assert all(
            len(below) <= len(above) + 1
            for (above, *_), (below, *_) in itertools.pairwise(headings)
        ), titles
        assert not re.search(
            r"^(?:[-+*>]|\d+[.)]) ", readme[readme.index("## The rules") :], re.M
        ), "no wrapped line begins a list"
        assert "pip install -e './package[arena,play]'" in readme
        for picture in re.findall(r"\]\((pictures/[^)]+)\)", readme):
            assert (folder / "student" / picture).read_text("utf-8").startswith("<svg")
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--isolated",
        "--select",
        "E,F,W",
        "--line-length",
        "140",
        tmp_path,
    ]
    linted = subprocess.run(command, capture_output=True, text=True)
    assert linted.returncode == 0, linted.stdout


def test_students_are_told_how_to_install_what_the_teacher_hands_out(tmp_path: Path) -> None:
    for name, package, line in (
        ("index", "tkm_env", "pip install 'tkm_env[arena,play]'"),
        (
            "archive",
            "tkm_env-1.0-py3-none-any.whl",
            "pip install 'tkm_env-1.0-py3-none-any.whl[arena,play]'",
        ),
        (
            "address",
            "git+https://a.org/b",
            "pip install 'tkm_env[arena,play] @ git+https://a.org/b'",
        ),
    ):
        assert "ADDRESS" not in run("new", tmp_path / name, "--package", package).output
        assert line in (tmp_path / name / "student/README.md").read_text("utf-8")
    assert (
        "README.md does not say yet where to get the package"
        in run("new", tmp_path / "clone").output
    )


def test_the_public_seed_does_not_follow_from_the_one_that_counts(tmp_path: Path) -> None:
    seeds = []
    for number, options in enumerate(((), (), ("--public-seed", "7"))):
        assert run("new", tmp_path / str(number), "--seed", "5", *options).exit_code == 0
        seeds.append(read_assignment(tmp_path / str(number) / "public_tests/grading.toml").seed)
    assert seeds[0] != seeds[1]
    assert seeds[2] == 7
    refused = run("new", tmp_path / "same", "--seed", "5", "--public-seed", "5")
    assert "public_seed=5 is invalid: students know it" in refused.output
    assert not (tmp_path / "same").exists()


def test_another_language_gets_a_program_to_replace(tmp_path: Path) -> None:
    assert run("new", tmp_path / "course", "--language", "program").exit_code == 0
    python = {"student/agent.py", "student/start.ipynb", "staff/solution/agent.py"}
    program = {"student/run", "staff/solution/run"}
    assert files_in(tmp_path / "course") == FILES - python | program | {
        "student/actions.txt",
        "staff/solution/solution.py",
    }
    for folder, right in (("student", 0), ("staff/solution", 4)):
        spec = tmp_path / "course/public_tests/grading.toml"
        result = run(
            "grade",
            tmp_path / "course" / folder,
            "--spec",
            spec,
            "--question",
            "q1",
            "--isolation",
            "process",
        )
        assert result.exit_code == 0, result.output
        assert f"{right} of 4 positions right" in result.output
    readme = (tmp_path / "course/student/README.md").read_text("utf-8")
    assert "game.legal_names()" not in readme
    for word in (
        "| `ask evaluate",
        "children NODE",
        "| q3: Minimax | 4 | 2 from 70 %, 4 from 100 % | 60 |",
    ):
        assert word in readme, word


@pytest.mark.slow
def test_an_assignment_about_learning_gives_an_untouched_file_nothing_and_says_what_is_missing(
    tmp_path: Path,
) -> None:
    assert run("new", tmp_path / "course", "--assignment", "learning").exit_code == 0
    assert files_in(tmp_path / "course") == FILES | LEARNING
    result = run(
        "grade",
        tmp_path / "course/student",
        "--spec",
        tmp_path / "course/public_tests/grading.toml",
    )
    output = " ".join(result.output.split())
    assert "0 of 20 calls right" in output
    assert "turn_chances returned nothing yet; it must return" in output
    assert re.search(r"total\W+0\W+15", output)


@pytest.mark.nightly
def test_the_notebook_of_every_week_runs_and_grades_the_first_question(tmp_path: Path) -> None:
    for name, options in (
        ("search", ("--chapters", "growth")),
        ("chance", ("--game", "terminus")),
        ("learning", ()),
    ):
        assert run("new", tmp_path / name, "--assignment", name, *options).exit_code == 0
        command = [
            sys.executable,
            "-m",
            "tests.notebooks",
            str(tmp_path / name / "student/start.ipynb"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
        assert done.returncode == 0, (name, done.stdout[-2000:], done.stderr[-2000:])
        assert re.search(r"q1.*\b0\b.* 2 ", done.stdout), (name, done.stdout)


def test_a_notebook_installs_what_the_teacher_hands_out(tmp_path: Path) -> None:
    for name, package, words in (
        (
            "own",
            "tkm_env-1.0-py3-none-any.whl",
            '%pip install --quiet "../tkm_env-1.0-py3-none-any.whl[arena,play]"',
        ),
        ("clone", None, "install the package as README.md says"),
    ):
        assert (
            run("new", tmp_path / name, *(("--package", package) if package else ())).exit_code == 0
        )
        notebook = nbformat.read(tmp_path / name / "student/start.ipynb", as_version=4)
        nbformat.validate(notebook)
        assert words in notebook.cells[1].source, name


def test_invalid_options_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for words, options in (
        (
            "this game does not support value training",
            ("--assignment", "learning", "--game", "terminus"),
        ),
        ("nothing is drawn during a game of That Time You Killed Me", ("--assignment", "chance")),
        ("language='program'", ("--assignment", "learning", "--language", "program")),
        ("chapters='winter'", ("--chapters", "winter")),
    ):
        result = run("new", tmp_path / "course", *options)
        assert result.exit_code == 2, options
        assert words in result.output, options
        assert not (tmp_path / "course").exists(), options


def test_a_folder_that_is_not_empty_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine", "utf-8")
    result = run("new", tmp_path)
    assert result.exit_code == 2
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]
