"""The files that a command writes on request, through options such as ``--json``."""

import json
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.foundations.errors import FileError
from tkm_env.foundations.files import check_writable, write_file
from tkm_env.foundations.untrusted_text import folded_name

#: The path that stands for standard output.
_STANDARD_OUTPUT: Final = Path("-")
#: The prefix of the parameter name of every option for an output.
_PREFIX: Final = "output_"


class Outputs(dict[str, Path]):
    """The files to write, by the names of their options."""

    @property
    def console(self) -> PlainConsole:
        """The console for people: standard error if a file goes to standard output."""
        return PlainConsole(stderr=_STANDARD_OUTPUT in self.values())

    def write_text(self, name: str, make: Callable[[], str], *, is_final: bool = True) -> None:
        """Write text to the file of an option, if the option was given.

        Args:
            name: the name of the option, without ``output_``.
            make: makes the text; not called if the option was not given.
            is_final: whether this is the last version; only that goes to standard output.
        """
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
        """Write an object as JSON to the file of an option, if the option was given.

        Args:
            make: makes the object; not called if the option was not given.
            kind: written as ``kind``, with ``version`` 1; empty to write neither.
            name: the name of the option, without ``output_``.
            is_final: whether this is the last version; only that goes to standard output.
        """

        def text() -> str:
            head = {"kind": kind, "version": 1} if kind else {}
            return json.dumps({**head, **make()}, indent=1, allow_nan=False) + "\n"

        self.write_text(name, text, is_final=is_final)


def pop_outputs(options: dict[str, Any], inputs: Iterable[Path] = (), **default: Path) -> Outputs:
    """Remove the options for output files from a command's options, and check the files.

    Args:
        options: the command's options; the names of those for output files begin with
            ``output_``.
        inputs: the files that the command reads, and must not overwrite.
        **default: the files to write if no option was given, by the names of the options.

    Returns:
        The files to write, by the names of their options, without ``output_``.

    Raises:
        click.UsageError: if two of the files are the same.
        FileError: if a file is one of the inputs, or cannot be written.
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
                why = "" if is_one else f": where case is ignored, {other} is the same file"
                raise click.UsageError(f"two outputs cannot both be written to {path}{why}")
        if path != _STANDARD_OUTPUT:
            if path.exists() and any(path.samefile(each) for each in inputs):
                raise FileError(path, "it holds results: write to another file")
            check_writable(path)
    return outputs


def _absolute(path: Path) -> str:
    return "-" if path == _STANDARD_OUTPUT else os.path.realpath(path)
