"""Starter bots in several languages: the folders of ``bots``, which documents also quote."""

import os
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Final, NamedTuple

from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.files import checked_path, failing_as


class Language(NamedTuple):
    """A language that a bot can be written in."""

    title: str  # the name that people read
    meaning: str  # what the folder holds
    needs: tuple[str, ...] = ()  # the programs needed to build and run it


#: The languages, by the names of their folders.
LANGUAGES: Final[Mapping[str, Language]] = {
    "python": Language(
        "Python, with this package",
        "a class `Bot` that receives the game, and can look ahead in copies of it",
    ),
    "python-program": Language(
        "Python, without this package", "a program that reads and writes lines", needs=("python3",)
    ),
    "c": Language("C", "a program that `build` compiles", needs=("cc",)),
    "rust": Language("Rust", "a program that `build` compiles", needs=("rustc",)),
    "javascript": Language("JavaScript", "a program for Node.js", needs=("node",)),
    "java": Language(
        "Java", "a class that `build` compiles, and a script that runs it", needs=("javac", "java")
    ),
    "shell": Language(
        "shell", "a program for any POSIX shell, to show how little it takes", needs=("sh",)
    ),
}
#: The script in a bot's folder that builds its program, if it has to be built.
BUILD: Final = "build"


def template_of(language: str) -> dict[str, bytes]:
    """Return the files of a language's starter bot by name.

    Raises:
        ConfigError: if there is no bot in this language.
    """
    checked_choice("language", language, [*LANGUAGES])
    folder = files(__package__ or "") / "bots" / language
    return {
        file.name: file.read_bytes()
        for file in sorted(folder.iterdir(), key=lambda file: file.name)
        if file.is_file()
    }


def write_bot(language: str, folder: str | os.PathLike[str]) -> list[Path]:
    """Write a starter bot to a new folder.

    After its ``build`` has run, if it has one, the folder is a player, as in a folder of
    submissions.

    Args:
        language: a key of `LANGUAGES`.
        folder: the folder, which must not exist yet.

    Returns:
        The paths of the files.

    Raises:
        ConfigError: if there is no bot in this language.
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
