"""The public names as type checkers see them: all of them, with their types."""

from __future__ import annotations

import ast
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
PROGRAM = HERE / "public_names.py"
DOORS = (
    "tkm_env",
    "tkm_env.players",
    "tkm_env.evaluation",
    "tkm_env.course",
    "tkm_env.learn",
    "tkm_env.text",
    "tkm_env.questions",
)


@pytest.mark.parametrize("door", DOORS)
def test_the_program_and_a_star_import_have_every_public_name(door: str) -> None:
    module = import_module(door)
    tree = ast.parse(PROGRAM.read_text("utf-8"))
    imports = [
        statement
        for statement in tree.body
        if isinstance(statement, ast.ImportFrom) and statement.module == door
    ]
    public = {*module.__all__} - {"__version__"}
    assert {alias.name for statement in imports for alias in statement.names} == public
    starred: dict[str, Any] = {}
    exec(f"from {door} import *", starred)
    assert public <= {*starred} & {*dir(module)}
    classes = [value for value in starred.values() if isinstance(value, type)]
    assert pickle.loads(pickle.dumps(classes)) == classes
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = module.no_such_name


@pytest.mark.slow
@pytest.mark.parametrize("command", ["mypy --strict", "pyright --project"])
def test_a_type_checker_agrees(command: str) -> None:
    program, option = command.split()
    pytest.importorskip(program, reason=f"needs {program}")
    arguments = [option, *([str(HERE)] if program == "pyright" else [str(PROGRAM)])]
    command_line = [sys.executable, "-m", program, *arguments]
    result = subprocess.run(command_line, cwd=HERE.parents[2], capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
