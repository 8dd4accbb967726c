"""Options and arguments that several commands share, and what is read and written for them."""

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.core.records import read_records
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import check_writable, packaged_json, write_file
from tkm_env.foundations.untrusted_text import folded_name
from tkm_env.isolation.limits import ISOLATIONS

Command = TypeVar("Command", bound=Callable[..., Any])

#: The type of a file to be read.
INPUT: Final = click.Path(exists=True, dir_okay=False, path_type=Path)
#: The types of a file and of a folder to be written.
FILE: Final = click.Path(dir_okay=False, path_type=Path)
FOLDER: Final = click.Path(file_okay=False, path_type=Path)


def with_options(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """A decorator that gives a command these options, in this order."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


#: The types of options in ``options.json``, besides a ``range`` of whole numbers.
_TYPES: Final[dict[str, Any]] = {
    "whole": int,
    "number": float,
    "path": click.Path(),
    "place": click.Path(path_type=Path),
    "input": INPUT,
    "file": FILE,
    "folder": FOLDER,
    "output": click.Path(dir_okay=False, allow_dash=True, path_type=Path),
    "isolation": click.Choice([name for name in ISOLATIONS if name != "none"]),
}
_GROUPS: Final[dict[str, dict[str, dict[str, Any]]]] = packaged_json(__package__, "options.json")


def options_for(group: str, **computed: Mapping[str, Any]) -> Callable[[Command], Command]:
    """A decorator that gives a command the options of a group in ``options.json``, in their order. What that file cannot say of them is
    ``computed``: more keywords of `click.option`, by the name of the parameter.
    """
    options = []
    for names, texts in _GROUPS[group].items():
        keywords = {
            **texts,
            **computed.get(names.split()[-1].partition("/")[0].strip("-").replace("-", "_"), {}),
        }
        if "range" in keywords:
            keywords["type"] = click.IntRange(*keywords.pop("range"))
        elif isinstance(kind := keywords.get("type"), str):
            keywords["type"] = _TYPES[kind]
        options.append(click.option(*names.split(), **keywords))
    return with_options(*options)


def processes_option(help_text: str) -> Callable[[Command], Command]:
    """A decorator that gives a command the option ``--processes``."""
    return click.option(
        "--processes", type=click.IntRange(1, 1024), show_default="one per core", help=help_text
    )


#: Gives a command the argument FILE and the option ``--game``, for `record_of`.
record_options: Final = with_options(click.argument("file", type=INPUT), options_for("record"))


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


#: The file that is standard output.
_STANDARD_OUTPUT: Final = Path("-")
_PREFIX: Final = "output_"


class Outputs(dict[str, Path]):
    """The files that are asked for, by the names of their options."""

    @property
    def console(self) -> PlainConsole:
        """The console for people: standard output, or standard error if one of the files goes to standard output."""
        return PlainConsole(stderr=_STANDARD_OUTPUT in self.values())

    def write_text(self, name: str, make: Callable[[], str], *, is_final: bool = True) -> None:
        """Write a text to the file of that name if there is one; to standard output only the final one."""
        path = self.get(name)
        if path is not None and path != _STANDARD_OUTPUT:
            write_file(path, make().encode("utf-8"))
        elif path is not None and is_final:
            click.echo(make(), nl=False)

    def write_json(
        self,
        make: Callable[[], dict[str, Any]],
        kind: str = "",
        name: str = "json",
        *,
        is_final: bool = True,
    ) -> None:
        """Write an object, with its kind and version if it has a kind, as `write_text` does."""

        def text() -> str:
            head = {"kind": kind, "version": 1} if kind else {}
            return json.dumps({**head, **make()}, indent=1, allow_nan=False) + "\n"

        self.write_text(name, text, is_final=is_final)


def _absolute(path: Path) -> str:
    return "-" if path == _STANDARD_OUTPUT else os.path.realpath(path)


def pop_outputs(options: dict[str, Any], inputs: Iterable[Path] = (), **default: Path) -> Outputs:
    """Remove the options for files, ``output_`` and a name, from a command's options, and return the files to write: the default ones if
    none is named. What cannot be written is refused before any work: two texts to one file, one over the inputs, or where there is no
    folder.
    """
    given = {
        key.removeprefix(_PREFIX): options.pop(key) for key in [*options] if key.startswith(_PREFIX)
    }
    outputs = Outputs({name: path for name, path in given.items() if path is not None} or default)
    paths = [*outputs.values()]
    for number, path in enumerate(paths):
        for other in paths[:number]:
            if folded_name(_absolute(other)) == folded_name(_absolute(path)):
                is_one = _absolute(other) == _absolute(path)
                why = "" if is_one else f": where case does not count, {other} is the same"
                raise click.UsageError(f"two outputs cannot both be written to {path}{why}")
        if path != _STANDARD_OUTPUT:
            if path.exists() and any(path.samefile(each) for each in inputs):
                raise FileError(path, "it holds results: write to another file")
            check_writable(path)
    return outputs
