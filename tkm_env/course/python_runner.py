"""Runs a student's Python file in a process of its own: reads the grader's lines, calls the file's functions, writes what they return.

The function with the name of a question answers it; the class or function ``Bot`` plays games. The imports that an assignment refuses
are refused here, in the student's own process: that keeps honest students on track, but stops no one else.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from importlib.abc import MetaPathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.agents.python_file import load_file, redirect_prints_to_stderr, reraise_with_location
from tkm_env.checks import whole_number
from tkm_env.course.question_protocol import Answer, Ask, parse_ask
from tkm_env.course.student_nodes import RemoteNode
from tkm_env.errors import ProtocolError, repr_of
from tkm_env.game.registry import game_names, game_spec
from tkm_env.isolation.bot_protocol import Begin, Hello, parse_request

if TYPE_CHECKING:
    from tkm_env.agents.bot_server import Bot

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
        sys.meta_path.insert(0, _ImportBlocker(given.refuse))
    with redirect_prints_to_stderr() as write:
        try:
            serve(given.file, sys.stdin, write)
        except _StudentError as error:
            sys.exit(str(error))  # the last line that it writes


def serve(file: Path, requests: Iterable[str], write: Callable[[str], object]) -> None:
    """Answer the grader until it quits. The student's file is executed when the first game or question begins.

    Raises:
        ProtocolError: if a line is not of the protocol.
        Exception: in a sentence, if the file raises an error, or lacks what is asked for.
    """
    lines = iter(requests)
    student: _StudentFile | None = None
    begin_line = ""
    bot: Bot | None = None
    for line in lines:
        if line.startswith("tkm "):
            begin_line = line.rstrip("\r\n")
            student = student or _StudentFile(file, lines, write)
            answer = str(Hello(_NAME)) if bot is None else bot.answer(begin_line)
            write(answer or "")
        elif student is None:
            raise ProtocolError(line, "no game has begun")
        elif line.startswith("ask "):
            write(str(Answer(student.answer(parse_ask(line.rstrip("\r\n")), _parse_begin(begin_line)))))
        else:
            if bot is None and line.startswith("go "):
                bot = student.bot(_parse_begin(begin_line).game)
                bot.answer(begin_line)
            reply = None if bot is None else bot.answer(line)
            if reply is not None:
                write(reply)
            if line.rstrip() == "quit":
                return


def _parse_begin(line: str) -> Begin:
    request = parse_request(line)
    assert isinstance(request, Begin)
    return request


class _StudentError(Exception):
    """What is wrong in the student's file, and where."""


class _StudentFile:
    """A student's file, which is executed."""

    def __init__(self, file: Path, lines: Iterator[str], write: Callable[[str], object]) -> None:
        self._file = file
        self._lines = lines
        self._write = write
        self._module = load_file(file, _StudentError)

    def bot(self, game: str) -> Bot:
        """The player in it. A file without one can still answer the other questions."""
        from tkm_env.agents.bot_server import Bot
        from tkm_env.agents.specs import player_in

        return Bot(lambda name: player_in(self._module, BOT, name, _NAME, _StudentError), _NAME, game)

    def answer(self, ask: Ask, begin: Begin) -> int | float | None:
        """What the function with the name of the task returns."""
        function = getattr(self._module, ask.task, None)
        if not callable(function):
            raise _StudentError(f"{self._file.name} has no function {ask.task!r}")
        with reraise_with_location(self._file, _StudentError):
            if ask.depth is not None:
                result = function(RemoteNode(0, ask.root, self._ask_grader), ask.depth)
            else:
                spec = game_spec(begin.game)
                result = function(spec.game_class(spec.config(begin.config), seed=begin.seed, position=ask.position))
        return _as_number(ask.task, result)

    def _ask_grader(self, line: str) -> str:
        self._write(line)
        return next(self._lines).rstrip("\r\n")


def _as_number(task: str, result: Any) -> int | float | None:
    if result is None:
        return None
    integer = whole_number(result)
    if integer is not None:
        return integer
    try:
        return float(result)
    except (TypeError, ValueError):
        raise _StudentError(f"{task} returned {repr_of(result)}, which is not a number") from None


class _ImportBlocker(MetaPathFinder):
    """Refuses to import modules that match these patterns, and their contents."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self._patterns = [each for pattern in patterns for each in (pattern, f"{pattern}.*")]
        for name in game_names():  # what a game itself needs is imported now, and then out of sight
            _ = game_spec(name).game_class
        for fullname in filter(self._is_refused, [*sys.modules]):
            del sys.modules[fullname]
            package, _, name = fullname.rpartition(".")
            if package in sys.modules:
                vars(sys.modules[package]).pop(name, None)

    def _is_refused(self, fullname: str) -> bool:
        return any(fnmatchcase(fullname, pattern) for pattern in self._patterns)

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> None:
        if self._is_refused(fullname):
            raise ImportError(f"the assignment does not allow importing {fullname}")
