"""Commands in the README and the documents can be typed as printed, and the first ones work."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from tkm_env.cli.root_command import tkm

ROOT = Path(__file__).parents[2]
DOCUMENTS = sorted(
    [
        *(ROOT / "README.md", ROOT / "CONTRIBUTING.md"),
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / "packaging/cards").glob("*.md"),
    ]
)
#: Stands for a name of the reader's own.
PLACEHOLDER = re.compile(r"\b[A-Z]{3,}\b|…|\.\.\.")


def printed_commands() -> Iterator[str]:
    """The lines of documents that call `tkm`, except those that need something of the reader's."""
    for document in DOCUMENTS:
        for line in re.findall(r"^(?:    )?(tkm .*)$", document.read_text("utf-8"), re.MULTILINE):
            if not PLACEHOLDER.search(line) and "tictactoe" not in line:
                yield line


def test_printed_commands_have_valid_options_and_arguments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [*printed_commands()]
    assert len(lines) > 30
    for line in lines:
        words = shlex.split(line.partition(" | ")[0], comments=True)[1:]
        for word in words:
            path = Path(word.partition("=")[2] if word.startswith("--") else word)
            if path.suffix in (".csv", ".json", ".jsonl", ".toml", ".npz", ".py"):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.touch()
            elif not word.startswith("-") and not path.suffix:
                path.mkdir(parents=True, exist_ok=True)
        command: click.Command = tkm
        while isinstance(command, click.Group):
            found = command.get_command(click.Context(command), words.pop(0))
            assert found is not None, line
            command = found
        if {"--help", "-h"}.isdisjoint(words):
            try:
                command.make_context(line, words)
            except click.ClickException as error:
                pytest.fail(f"{line}: {error.format_message()}")


def test_pictures_in_the_readme_are_small_and_there_in_both_themes() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    named = re.findall(r'(?:srcset|src)="(docs/pictures/[^"]+)"', readme)
    assert len(named) >= 8
    for light in named[1::2]:
        assert light.replace(".", "-dark.") in named, light
    for name in named:
        assert (ROOT / name).stat().st_size < (60_000 if name.endswith(".png") else 250_000), name


@pytest.mark.slow
def test_the_moving_game_of_the_readme_is_made_by_its_commands(tmp_path: Path) -> None:
    lines = re.findall(
        r"^    tkm (.* game\.\w+)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
    )
    for line in lines:
        subprocess.run(
            [sys.executable, "-m", "tkm_env", *shlex.split(line)],
            cwd=tmp_path,
            check=True,
            capture_output=True,
        )
    assert (tmp_path / "game.svg").read_bytes() == (ROOT / "docs/pictures/game.svg").read_bytes()
