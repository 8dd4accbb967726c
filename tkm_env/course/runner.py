"""What runs a student's Python file behind the wall: it reads the grader's lines, calls the file's functions, and writes what they return.

It answers questions by the functions of that name, and plays games as the class or function ``Bot``. Imports that the assignment refuses
are refused here, in the student's process: that keeps an honest student on the way, and is no limits.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.agents.python_file import answers_apart, errors_located, load_file
from tkm_env.checks import whole_number
from tkm_env.course.nodes import AskedNode
from tkm_env.course.protocol import Answer, Ask, parse_ask
from tkm_env.errors import ProtocolError, shown
from tkm_env.game.registry import game_spec
from tkm_env.isolation.protocol import Begin, Hello, parse_request

if TYPE_CHECKING:
    from tkm_env.agents.bot import Bot

#: The class or function that plays.
BOT: Final = "Bot"
_NAME: Final = "submission"


def main(arguments: Sequence[str] | None = None) -> None:
    """Serve the file that the arguments name on standard input and output; what it prints goes to standard error."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--refuse", action="append", default=[], help="modules that it may not import")
    given = parser.parse_args(arguments)
    sys.path.insert(0, str(given.file.absolute().parent))
    if given.refuse:
        sys.meta_path.insert(0, _Refusing(given.refuse))
    with answers_apart() as write:
        try:
            serve(given.file, sys.stdin, write)
        except _StudentError as error:
            sys.exit(str(error))  # the last line that it writes


def serve(file: Path, requests: Iterable[str], write: Callable[[str], object]) -> None:
    """Answer the grader, until it has had enough.

    Args:
        file: the student's; it is executed when the first game or question begins.
        requests: the grader's lines.
        write: takes each line, without the end of line.

    Raises:
        TKMError: if a line is not of the protocol, or the file holds no such player.
        Exception: of a sentence about an error in the file.
    """
    lines = iter(requests)
    student: _Student | None = None
    begun = ""
    bot: Bot | None = None
    for line in lines:
        if line.startswith("tkm "):
            begun = line.rstrip("\r\n")
            student = student or _Student(file, lines, write)
            answer = str(Hello(_NAME)) if bot is None else bot.answer(begun)
            write(answer or "")
        elif student is None:
            raise ProtocolError(line, "nothing has begun")
        elif line.startswith("ask "):
            write(str(Answer(student.answer(parse_ask(line.rstrip("\r\n")), _begin(begun)))))
        else:
            if bot is None and line.startswith("go "):
                bot = student.bot(_begin(begun).game)
                bot.answer(begun)
            reply = None if bot is None else bot.answer(line)
            if reply is not None:
                write(reply)
            if line.rstrip() == "quit":
                return


def _begin(line: str) -> Begin:
    request = parse_request(line)
    assert isinstance(request, Begin)
    return request


class _StudentError(Exception):
    """What is wrong in the student's file, and where."""


class _Student:
    """A student's file, which is executed."""

    def __init__(self, file: Path, lines: Iterator[str], write: Callable[[str], object]) -> None:
        self._file = file
        self._lines = lines
        self._write = write
        self._module = load_file(file, _StudentError)

    def bot(self, game: str) -> Bot:
        """The player in it, which is made when it is first needed: whoever has none answers the other questions."""
        from tkm_env.agents.bot import Bot
        from tkm_env.agents.specs import player_in

        return Bot(lambda name: player_in(self._module, BOT, name, _NAME, _StudentError), _NAME, game)

    def answer(self, ask: Ask, begin: Begin) -> int | float | None:
        """What the function of that name returns."""
        function = getattr(self._module, ask.task, None)
        if not callable(function):
            raise _StudentError(f"{self._file.name} holds no function {ask.task!r}")
        with errors_located(self._file, _StudentError):
            if ask.depth is not None:
                given = function(AskedNode(0, ask.root, self._ask), ask.depth)
            else:
                spec = game_spec(begin.game)
                given = function(spec.game_class(spec.config(begin.config), seed=begin.seed, position=ask.position))
        return _number(ask.task, given)

    def _ask(self, line: str) -> str:
        self._write(line)
        return next(self._lines).rstrip("\r\n")


def _number(task: str, given: Any) -> int | float | None:
    if given is None:
        return None
    whole = whole_number(given)
    if whole is not None:
        return whole
    try:
        return float(given)
    except (TypeError, ValueError):
        raise _StudentError(f"{task} returned {shown(given)}, which is no number") from None


class _Refusing(MetaPathFinder):
    """Refuses to import the modules that these patterns name, and what is in them."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = patterns

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if any(fnmatchcase(fullname, pattern) for pattern in self._patterns):
            raise ImportError(f"the assignment does not allow to import {fullname}")
