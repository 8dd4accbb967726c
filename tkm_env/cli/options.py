"""Types of options, and decorators for options that several products share."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import click

Command = TypeVar("Command", bound=Callable[..., Any])

#: The type of a file to be read.
INPUT: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
#: The types of a file and of a folder to be written.
FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)
#: The type of a file to be written, or ``-`` for standard output.
OUTPUT: Final = click.Path(dir_okay=False, allow_dash=True, path_type=Path)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Combine options into one decorator; a command's help shows them in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def processes_option(help_text: str) -> Callable[[Command], Command]:
    """Return the option ``--processes`` as a decorator; the help says what they do."""
    return click.option(
        "--processes", type=click.IntRange(1, 1024), show_default="one per core", help=help_text
    )
