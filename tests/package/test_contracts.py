"""Imports run one way: the contracts in ``pyproject.toml`` hold, and detect a violation."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import tkm_env
from tkm_env.compiled.decorators import source_folders

ROOT = Path(__file__).parents[2]
PACKAGE = Path(tkm_env.__file__).parent
LINT = "from importlinter.cli import lint_imports_command; lint_imports_command()"

#: An import that is forbidden: the file that gets it, what it imports, and the contract that it
#: breaks.
_STOREYS = "Three storeys, floor by floor: each imports only what stands below it"
FORBIDDEN = [
    ("compiled/random_numbers.py", "tkm_env.games.tkm.config", "What games share knows no game"),
    ("envs/interface.py", "tkm_env.games.terminus.game", "What games share knows no game"),
    ("learn/advantages.py", "tkm_env.games.tkm.config", "What games share knows no game"),
    ("questions/plan.py", "tkm_env.games.tkm.config", "What games share knows no game"),
    (
        "questions/plan.py",
        "tkm_env.questions.tkm",
        "What a part has for a game is found by entry points alone",
    ),
    ("questions/kind.py", "tkm_env.questions.question", "The questions, floor by floor"),
    (
        "games/terminus/engine/turn.py",
        "tkm_env.games.tkm.engine.push",
        "Games do not import each other",
    ),
    (
        "players/tkm/greedy.py",
        "tkm_env.games.terminus.config",
        "Nothing of one game imports what is another game's",
    ),
    ("play/terminus/adapter.py", "tkm_env.games.tkm.config", "Nor the other way round"),
    (
        "arena/rating.py",
        "tkm_env.play.tkm.adapter",
        "What a part has for a game is found by entry points alone",
    ),
    ("arena/rating.py", "tkm_env.cli.console", "Nothing but the command imports commands"),
    (
        "games/tkm/engine/push.py",
        "tkm_env.envs.interface",
        "Engines and searches import nothing above compiled and core",
    ),
    (
        "games/tkm/engine/push.py",
        "tkm_env.games.tkm.config",
        "Every game has the same rooms, floor by floor",
    ),
    ("foundations/errors.py", "tkm_env.foundations.seeds", "The foundations, floor by floor"),
    ("arena/benchmark/tasks.py", "tkm_env.arena.league.store", "The arena, floor by floor"),
    ("course/questions/marks.py", "tkm_env.course.assignment", "The course, floor by floor"),
    ("evaluation/score.py", "tkm_env.learn.advantages", _STOREYS),
    ("envs/interface.py", "tkm_env.evaluation.score", _STOREYS),
    ("arena/rating.py", "tkm_env.course.questions.marks", _STOREYS),
    ("render/canvas.py", "tkm_env.core.game", _STOREYS),
]


def lint(folder: Path) -> str:
    """What the linter prints about the package in a folder."""
    command = [sys.executable, "-c", LINT, "--no-cache", "--config", "pyproject.toml"]
    environment = os.environ | {"PYTHONPATH": str(folder), "COLUMNS": "200"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True
    ).stdout


@pytest.mark.slow
def test_all_contracts_hold() -> None:
    output = lint(ROOT)
    assert re.search(r"Contracts: \d+ kept, 0 broken", output), output


@pytest.mark.slow
def test_a_forbidden_import_breaks_its_contract(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "tkm_env", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for file, module, _ in FORBIDDEN:
        with (tmp_path / "tkm_env" / file).open("a", encoding="utf-8") as source:
            source.write(f"\nimport {module}\n")
    output = lint(tmp_path)
    _, *parts = re.split(r"^(.+)\n-+\n", output, flags=re.MULTILINE)
    broken = dict(zip(parts[::2], parts[1::2], strict=True))
    for file, module, contract in FORBIDDEN:
        importer = f"tkm_env.{file.removesuffix('.py').replace('/', '.')}"
        assert f"{importer} -> {module} (" in broken.get(contract, ""), output


def test_no_docstring_lists_imports() -> None:
    """Such sentences go stale; contracts do not."""
    listing = re.compile(r"\bImports (nothing|`|the |numpy|each|what)")
    found = [path for path in PACKAGE.rglob("*.py") if listing.search(path.read_text("utf-8"))]
    assert not found


#: The decorators of `tkm_env.compiled.decorators`, and numba's own.
COMPILED = {"inlined", "cached_inlined", "kernel", "nogil_kernel", "c_function", "_intrinsic"}


def _compiled_functions(tree: ast.Module) -> Iterator[ast.FunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and any(
            isinstance(name, ast.Name) and name.id in COMPILED
            for mark in node.decorator_list
            for name in ast.walk(mark)
        ):
            yield node


def _package_of(module: str) -> str:
    """The package that a module is in, or is."""
    return (
        module if PACKAGE.joinpath(*module.split(".")[1:]).is_dir() else module.rpartition(".")[0]
    )


def test_machine_code_is_found_by_all_sources_that_it_is_made_from() -> None:
    """The machine code of a compiled function includes what it uses of other files.

    So these files must count in the name of its cache.
    """
    stale = []
    for path in sorted(PACKAGE.rglob("*.py")):
        package = ".".join(("tkm_env", *path.relative_to(PACKAGE).parts[:-1]))
        tree = ast.parse(path.read_text("utf-8"))
        origins = {
            alias.asname or alias.name: _package_of(node.module)
            for node in ast.walk(tree)
            if isinstance(node, ast.ImportFrom)
            and node.module
            and node.module.startswith("tkm_env")
            for alias in node.names
        }
        for function in _compiled_functions(tree):
            used = {
                node.id
                for statement in function.body
                for node in ast.walk(statement)
                if isinstance(node, ast.Name)
            }
            stale += [
                f"{path.relative_to(PACKAGE)}: {function.name} uses {name} of {origins[name]}"
                for name in sorted(used & origins.keys())
                if origins[name] not in source_folders(package)
            ]
    assert not stale, "\n".join(stale)
