"""Files that a command writes besides what it prints; ``-`` is standard output."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.files import write_file, write_json

_STANDARD_OUTPUT: Final = Path("-")


class _Output(click.Path):
    """A file to be written at the end; refused at the start if it cannot be."""

    def __init__(self) -> None:
        super().__init__(dir_okay=False, writable=True, allow_dash=True, path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        path = Path(os.fsdecode(super().convert(value, param, ctx)))
        if path != _STANDARD_OUTPUT and not os.access(path.parent, os.W_OK):
            self.fail(f"there is no folder {str(path.parent)!r} to write to", param, ctx)
        return path


#: The type of an option that names such a file.
OUTPUT: Final = _Output()


def console_beside(*outputs: Path | None) -> PlainConsole:
    """The console for people: standard output, or standard error if one of the files goes to standard output."""
    return PlainConsole(stderr=_STANDARD_OUTPUT in outputs)


def emit_text(path: Path, text: str) -> None:
    """Write a text."""
    if path == _STANDARD_OUTPUT:
        click.echo(text, nl=False)
    else:
        write_file(path, text.encode("utf-8"))


def emit_json(path: Path, kind: str, content: dict[str, Any]) -> None:
    """Write an object with its kind and version."""
    if path == _STANDARD_OUTPUT:
        click.echo(json.dumps({"kind": kind, "version": 1} | content, indent=1))
    else:
        write_json(path, kind, content)
