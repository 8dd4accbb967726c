"""Bots to begin from, in several languages: the folders of ``bots``, which documents use, too."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.files import checked_path, failing_as


class Language(NamedTuple):
    """A language that a bot can be written in."""

    title: str  # how people call it
    meaning: str  # what the folder holds
    needs: tuple[str, ...] = ()  # the programs that build and run it


#: The languages, by the names of their folders.
LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language(
        "Python, with this package",
        "a class `Bot` that gets the game itself, and plays on in copies of it",
    ),
    "python-program": Language(
        "Python, without this package", "a program that reads and writes lines", needs=("python3",)
    ),
    "c": Language("C", "a program, which `build` makes", needs=("cc",)),
    "rust": Language("Rust", "a program, which `build` makes", needs=("rustc",)),
    "javascript": Language("JavaScript", "a program for Node.js", needs=("node",)),
    "java": Language(
        "Java", "a class, which `build` makes, and a program that runs it", needs=("javac", "java")
    ),
    "shell": Language(
        "shell",
        "a program for any shell that follows POSIX, to see how little it takes",
        needs=("sh",),
    ),
}
#: In a bot's folder, what makes its program, where that has to be made.
BUILD: Final = "build"


def template_of(language: str) -> dict[str, bytes]:
    """The files of a language's bot by name. Raises a `ConfigError` if there is none for it."""
    checked_choice("language", language, [*LANGUAGES])
    folder = files(__package__ or "") / "bots" / language
    return {
        file.name: file.read_bytes()
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.is_file()
    }


def write_bot(language: str, folder: str | os.PathLike[str]) -> list[Path]:
    """Write a bot into a new folder.

    It is then a player as in a folder of submissions, once ``build``, if that is there, has run.

    Args:
        language: one of `LANGUAGES`.
        folder: the folder.

    Returns:
        The files.

    Raises:
        ConfigError: if there is no bot for that language.
        FileError: if the folder exists or cannot be written.
    """
    template, place = template_of(language), checked_path(folder)
    with failing_as(folder, "written"):
        place.mkdir(parents=True)
        for name, content in template.items():
            (place / name).write_bytes(content)
            if content.startswith(b"#!"):
                (place / name).chmod(0o755)
    return [place / name for name in template]
