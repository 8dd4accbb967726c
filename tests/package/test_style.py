"""The code is formatted, linted and typed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["ruff check .", "ruff format --check .", "mypy"])
def test_tool_finds_nothing(tool: str) -> None:
    result = subprocess.run(
        [sys.executable, "-m", *tool.split()], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stdout + result.stderr


#: Programs that an environment has only while it is activated, or only on some machines, though its
#: Python has them.
INSTALLED = {
    "tkm",
    "python",
    "python3",
    "pip",
    "pytest",
    "mypy",
    "ruff",
    "sphinx-build",
    "lint-imports",
    "nox",
}

#: The functions of `subprocess` and `os` that start one.
STARTING = {"run", "Popen", "call", "check_call", "check_output", "system"}


def named_programs(path: Path) -> Iterator[str]:
    """The places where a file starts one of these programs by its name alone."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in STARTING
            and node.args
        ):
            words = node.args[0].elts if isinstance(node.args[0], ast.List) else [node.args[0]]
            match words:
                case [ast.Constant(value=str(first)), *_] if (
                    first.split()[:1] and first.split()[0] in INSTALLED
                ):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}: {first}"


@pytest.mark.parametrize("folder", ["tkm_env", "examples", "benchmarks", "docs"])
def test_programs_start_pythons_by_their_path(folder: str) -> None:
    found = [place for path in (ROOT / folder).rglob("*.py") for place in named_programs(path)]
    assert not found, (
        "write sys.executable, '-m', …, which also works where the environment is not activated"
    )


#: How many lines of a hundred in a room may say `Any`.
ANY = 5.0


def lines_with_any(folder: Path) -> float:
    """How many lines of a hundred in the files of a folder say `Any`."""
    lines = [line for path in folder.glob("*.py") for line in path.read_text("utf-8").splitlines()]
    return 100 * sum(bool(re.search(r"\bAny\b", line)) for line in lines) / max(len(lines), 1)


def test_types_are_known_in_every_room() -> None:
    package = ROOT / "tkm_env"
    rooms = {path.parent for path in package.rglob("*.py")}
    found = {str(room.relative_to(ROOT)): lines_with_any(room) for room in sorted(rooms)}
    assert not {room: share for room, share in found.items() if share >= ANY}
