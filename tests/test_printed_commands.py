"""The commands that the README and the documents print: each can be typed as it stands, and the first ones do what they say."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from tkm_env.cli.commands import tkm
from tkm_env.compiled.decorators import cache_place

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")])
#: What stands for a name of the reader's own.
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|…|\.\.\.")


def printed(start: str) -> Iterator[Any]:
    """The lines of code in documents that begin so."""
    for document in DOCUMENTS:
        for line in re.findall(rf"^(?:    )?((?:{start}) .*)$", document.read_text("utf-8"), re.MULTILINE):
            yield pytest.param(line, id=f"{document.name}: {line[:60]}")


def tkm_commands() -> list[Any]:
    return [line for line in printed("tkm") if not PLACEHOLDER.search(line.values[0]) and "tictactoe" not in line.values[0]]


def test_documents_print_commands() -> None:
    assert len(tkm_commands()) > 30


@pytest.mark.parametrize("line", tkm_commands())
def test_a_printed_command_has_the_options_and_arguments_that_there_are(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = shlex.split(line.partition(" | ")[0], comments=True)[1:]
    for word in words:
        file = Path(word.partition("=")[2] if word.startswith("--") else word)
        if file.suffix in (".json", ".jsonl", ".toml", ".npz", ".py"):
            file.parent.mkdir(parents=True, exist_ok=True)
            file.touch()
        elif not word.startswith("-") and not file.suffix:
            file.mkdir(parents=True, exist_ok=True)
    command: click.Command = tkm
    while isinstance(command, click.Group):
        name = words.pop(0)
        found = command.get_command(click.Context(command), name)
        assert found is not None, f"there is no command {name!r}"
        command = found
    if {"--help", "-h"}.isdisjoint(words):
        command.make_context(line, words)


@pytest.mark.slow
def test_the_first_lines_of_the_readme_run_as_printed_in_a_fresh_clone(tmp_path: Path) -> None:
    files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.decode().split("\0")
    for name in filter(None, files):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    lines = [line.strip() for line in (tmp_path / "README.md").read_text("utf-8").splitlines() if line.startswith("    python")]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    # Nothing is compiled twice: neither the engine's machine code, nor the byte code of libraries that nothing imports.
    environment |= {"NUMBA_CACHE_DIR": cache_place() or "", "PIP_COMPILE": "0"}
    done = subprocess.run(["bash", "-ec", "\n".join(lines[:2])], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "convergence: " in done.stdout
    assert ".venv" in lines[0]
    assert all(".venv" not in line for line in lines[1:]), "the environment is entered once"
