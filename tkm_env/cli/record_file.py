"""A recorded game as the argument FILE of a command, and the output made from it."""

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
    """Return the record of one game in a file.

    Args:
        file: a file of game records, one per line.
        number: which game, counted from 1.

    Returns:
        The record.

    Raises:
        FileError: if the file holds fewer games, or is not a file of records.
    """
    count = 0
    for count, (_, record) in enumerate(read_records(file), 1):
        if count == number:
            return record
    raise FileError(file, f"there is no game {number}: it holds {count}")


def output_of(file: Path, output: Path | None, suffix: str) -> Path:
    """Choose and check the file that a command makes from a recorded game.

    Args:
        file: the file with the game.
        output: the file that the user named; None for the game's file with another suffix.
        suffix: that suffix, such as ``".gif"``.

    Returns:
        The file to write.

    Raises:
        FileError: if it is the file with the game, or cannot be written.
    """
    target = output or file.with_suffix(suffix)
    if target.exists() and target.samefile(file):
        raise FileError(target, "it holds the game: write to another file, with -o")
    check_writable(target)
    return target
