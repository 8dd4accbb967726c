"""Files that a command writes besides what it prints; ``-`` is standard output."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import click

from tkm_env.cli.console import PlainConsole
from tkm_env.errors import FileError
from tkm_env.files import check_writable, write_file

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

    def write_json(self, make: Callable[[], dict[str, Any]], kind: str = "", name: str = "json", *, is_final: bool = True) -> None:
        """Write an object, with its kind and version if it has a kind, as `write_text` does."""

        def text() -> str:
            head = {"kind": kind, "version": 1} if kind else {}
            return json.dumps({**head, **make()}, indent=1, allow_nan=False) + "\n"

        self.write_text(name, text, is_final=is_final)


def pop_outputs(options: dict[str, Any], inputs: Iterable[Path] = (), **default: Path) -> Outputs:
    """Remove the options for files, ``output_`` and a name, from a command's options, and return the files to write: the default ones if
    none is named. What cannot be written is refused before any work: two texts to one file, one over the inputs, or where there is no
    folder.
    """
    given = {key.removeprefix(_PREFIX): options.pop(key) for key in [*options] if key.startswith(_PREFIX)}
    outputs = Outputs({name: path for name, path in given.items() if path is not None} or default)
    for path, count in Counter(outputs.values()).items():
        if count > 1:
            raise click.UsageError(f"two outputs cannot both be written to {path}")
        if path != _STANDARD_OUTPUT:
            if path.exists() and any(path.samefile(each) for each in inputs):
                raise FileError(path, "it holds results: write to another file")
            check_writable(path)
    return outputs
