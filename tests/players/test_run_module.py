"""Modules of the package that run as programs, wherever the package is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tkm_env.players.command_agent import package_command

#: A package of this name that says where it is, or fails.
MODULE = """
import os, sys
import tkm_env

def main(arguments):
    if arguments == ["fail"]:
        raise ValueError("no idea")
    if arguments and arguments[0] == "exit":
        print("before", end="")
        sys.exit(eval(arguments[1]))
    print(tkm_env.PLACE, arguments, sys.path[0] == "", os.getcwd())
"""


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """The command that runs a module of a package in a folder that is not on the path."""
    package = tmp_path / "tkm_env"
    (package / "players").mkdir(parents=True)
    source, *_ = package_command("")[1:]
    copy = package / "players" / "run_module.py"
    copy.write_text(Path(source).read_text("utf-8"), "utf-8")
    (package / "__init__.py").write_text("PLACE = __file__", "utf-8")
    (package / "says.py").write_text(MODULE, "utf-8")
    return [sys.executable, str(copy), "tkm_env.says"]


def test_a_module_runs_from_the_package_beside_the_file(program: list[str], tmp_path: Path) -> None:
    ended = subprocess.run([*program, "a", "b c"], capture_output=True, text=True, cwd="/")
    place = tmp_path / "tkm_env" / "__init__.py"
    assert ended.stdout == f"{place} ['a', 'b c'] True /\n"
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize(
    ("given", "code", "said"), [("None", 0, ""), ("3", 3, ""), ("'no idea'", 1, "no idea\n")]
)
def test_a_module_exits_as_python_does(
    program: list[str], given: str, code: int, said: str
) -> None:
    ended = subprocess.run([*program, "exit", given], capture_output=True, text=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, "before", said)


def test_an_error_is_told_and_ends_the_program(program: list[str]) -> None:
    ended = subprocess.run([*program, "fail"], capture_output=True, text=True)
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == "ValueError: no idea"
