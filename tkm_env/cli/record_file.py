"""A recorded game as the argument FILE of a command, and the file that is written of it."""

from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.options import INPUT, with_options
from tkm_env.core.record_files import read_records
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import check_writable

#: Gives a command the argument FILE and the option ``--game``, for `record_of`.
record_options: Final = with_options(
    click.argument("file", type=INPUT),
    click.option(
        "--game",
        "number",
        type=click.IntRange(1),
        default=1,
        show_default=True,
        help="Which game of the file, counted from 1.",
    ),
)


def record_of(file: Path, number: int) -> dict[str, Any]:
    """The record of one game in a file.

    Args:
        file: a file of game records, one per line.
        number: which of them, counted from 1.

    Returns:
        The record.

    Raises:
        FileError: there are fewer games in the file, or something else.
    """
    count = 0
    for count, (_, record) in enumerate(read_records(file), 1):
        if count == number:
            return record
    raise FileError(file, f"there is no game {number}: it holds {count}")


def output_of(file: Path, output: Path | None, suffix: str) -> Path:
    """The file that a command writes about a recorded game.

    Args:
        file: the file with the game.
        output: the file that was asked for; None for the game's file with another suffix.
        suffix: that suffix, such as ``".gif"``.

    Returns:
        The file to write.

    Raises:
        FileError: it is the file with the game, or cannot be written.
    """
    target = output or file.with_suffix(suffix)
    if target.exists() and target.samefile(file):
        raise FileError(target, "it holds the game: write to another file, with -o")
    check_writable(target)
    return target
