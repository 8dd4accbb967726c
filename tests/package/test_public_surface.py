"""No public name, option, index or version changes unnoticed, and what is experimental says so."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import warnings
from pathlib import Path

import griffe
import pytest
from typing_extensions import deprecated

ROOT = Path(__file__).parents[2]
STABILITY = (ROOT / "docs/stability.md").read_text("utf-8")
#: How the message of a deprecated name ends.
PROMISE = re.compile(r"; deprecated since \d+\.\d+, to be removed in \d+\.0$")


@pytest.mark.slow
def test_the_public_surface_is_the_one_that_is_described() -> None:
    command = [sys.executable, "docs/public_surface.py", "--check"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert found.returncode == 0, found.stdout + found.stderr


@pytest.mark.slow
def test_what_is_experimental_says_so_at_its_name() -> None:
    section = STABILITY.partition("## What is experimental")[2].partition("\n## ")[0]
    named = re.findall(r"^- `(tkm_env[\w.]*)`", section, re.MULTILINE)
    assert named
    package = griffe.load("tkm_env", search_paths=[str(ROOT)], allow_inspection=False)
    for name in named:
        found = package[name.removeprefix("tkm_env.")]
        docstring = (found.final_target if found.is_alias else found).docstring
        assert docstring is not None, name
        assert "Experimental: " in docstring.value, name


def undated(source: str) -> list[str]:
    """The messages of ``@deprecated`` in a module that lack the promise."""
    calls = [
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("deprecated")
    ]
    return [text for text in (ast.unparse(call.args[0]) for call in calls) if not dated(text)]


def dated(literal: str) -> bool:
    return PROMISE.search(literal.strip("'\"")) is not None


def test_deprecated_names_say_since_when_until_when_and_what_to_use() -> None:
    good = '@deprecated("use `play`; deprecated since 1.2, to be removed in 2.0")\ndef move(): ...'
    assert undated(good) == []
    for bad in ("use `play`", "use `play`; deprecated since 1.2", "removed in 2.0"):
        assert undated(good.replace("use `play`; deprecated since 1.2, to be removed in 2.0", bad))
    sources = (ROOT / "tkm_env").rglob("*.py")
    assert {path: found for path in sources if (found := undated(path.read_text("utf-8")))} == {}


def test_a_deprecated_name_warns_where_it_is_used_and_still_works() -> None:
    @deprecated("use `play`; deprecated since 1.2, to be removed in 2.0")
    def move(step: int) -> int:
        return step + 1

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert move(1) == 2
    (warning,) = caught
    assert warning.category is DeprecationWarning
    assert warning.filename == __file__
    assert PROMISE.search(str(warning.message))
