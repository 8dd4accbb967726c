"""The game that a command reads from a file of game records, and the file that it makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.options import INPUT, with_options
from tkm_env.errors import FileError
from tkm_env.files import check_writable
from tkm_env.game.records import read_records

#: Gives a command the argument FILE and the option ``--game``, for `record_of`.
record_options: Final = with_options(
    click.argument("file", type=INPUT),
    click.option(
        "--game", "number", type=click.IntRange(1), default=1, show_default=True, help="Which game of the file, counted from 1."
    ),
)


def record_of(file: Path, number: int) -> dict[str, Any]:
    """The record of one game in a file, counted from 1; raises a `FileError` if there are not that many."""
    count = 0
    for count, (_, record) in enumerate(read_records(file), 1):
        if count == number:
            return record
    raise FileError(file, f"there is no game {number}: it holds {count}")


def output_of(file: Path, output: Path | None, suffix: str) -> Path:
    """The file that a command writes, ``output`` or FILE with another suffix; raises a `FileError` if it is FILE or not writable."""
    target = output or file.with_suffix(suffix)
    if target.exists() and target.samefile(file):
        raise FileError(target, "it holds the game: write to another file, with -o")
    check_writable(target)
    return target
