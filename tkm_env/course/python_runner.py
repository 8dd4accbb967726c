"""The program that runs a student's Python file.

It reads the grader's lines, calls the file's functions and writes what they return. The function
named like a question's task answers the question; the class or function ``Bot`` plays games.
"""

from __future__ import annotations

import io
import math
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tkm_env.core.registry import game_spec
from tkm_env.course.question_protocol import (
    Answer,
    Ask,
    Call,
    format_results,
    parse_ask,
    parse_call,
)
from tkm_env.course.student_nodes import RemoteNode
from tkm_env.foundations.checks import real_number, whole_number
from tkm_env.foundations.errors import ProtocolError, TKMError, repr_of
from tkm_env.isolation.bot_protocol import Begin, Hello, parse_request
from tkm_env.isolation.import_rules import ImportRules
from tkm_env.players.python_file import (
    load_file,
    redirect_prints_to_stderr,
    reraise_with_location,
    reseed_at_each_game,
)

if TYPE_CHECKING:
    from tkm_env.players.bot_server import BotServer

#: The class or function that plays.
BOT: Final = "Bot"
_NAME: Final = "submission"


def main(arguments: Sequence[str]) -> None:
    """Serve a file on standard input and output; what it prints goes to standard error.

    Args:
        arguments: the path of the file and, to restrict imports, the text of
            `tkm_env.isolation.import_rules.ImportRules`.
    """
    name, *rules = arguments
    file = Path(name)
    sys.path.insert(0, str(file.absolute().parent))
    for text in rules:
        ImportRules.from_text(text).keep()
    if isinstance(
        sys.stdout, io.TextIOWrapper
    ):  # the grader kills this process when it has its answers
        sys.stdout.reconfigure(line_buffering=True)
    with redirect_prints_to_stderr() as write:
        try:
            with reraise_with_location(file, StudentError):
                serve(file, reseed_at_each_game(sys.stdin), write)
        except TKMError as error:
            if (
                error.__cause__ is not None
            ):  # print the traceback, with the frames of the student's files only
                trace = traceback.TracebackException.from_exception(error.__cause__)
                inside = [
                    frame
                    for frame in trace.stack
                    if Path(frame.filename).is_relative_to(file.parent)
                ]
                sys.stderr.write(
                    "".join(traceback.format_list(inside)).replace(f"{file.parent}{os.sep}", "")
                )
            sys.exit(str(error))  # the last line that it writes


def serve(file: Path, requests: Iterable[str], write: Callable[[str], object]) -> None:
    """Answer the grader until it quits.

    The student's file is executed when the first game or question begins.

    Args:
        file: the student's file.
        requests: the lines of the grader.
        write: writes a line to the grader.

    Raises:
        ProtocolError: if a line violates the protocol.
        TKMError: if the file lacks what is asked for.
        Exception: whatever the student's functions raise.
    """
    lines = iter(requests)
    student: StudentFile | None = None
    begin_line = ""
    bot: BotServer | None = None
    for line in lines:
        if line.startswith("tkm "):
            begin_line = line.rstrip("\r\n")
            student = student or StudentFile(file, lines, write)
            answer = str(Hello(_NAME)) if bot is None else bot.answer(begin_line)
            write(answer or "")
        elif student is None:
            raise ProtocolError(line, "no game has begun")
        elif line.startswith("call "):
            write(format_results(student.call(parse_call(line.rstrip("\r\n")))))
        elif line.startswith("ask "):
            write(
                str(
                    Answer(student.answer(parse_ask(line.rstrip("\r\n")), _parse_begin(begin_line)))
                )
            )
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


class StudentError(TKMError):
    """An error in the student's file, with its line."""


class StudentFile:
    """A student's file, which is executed once.

    Args:
        file: the file.
        lines: the lines of the grader.
        write: writes a line to the grader.

    Attributes:
        module: the module that the file has become.
    """

    def __init__(self, file: Path, lines: Iterator[str], write: Callable[[str], object]) -> None:
        self._file = file
        self._lines = lines
        self._write = write
        self.module = load_file(file, StudentError)

    def bot(self, game: str) -> BotServer:
        """Make the player in the file. A file without one can still answer other questions."""
        from tkm_env.players.bot_server import BotServer
        from tkm_env.players.factory import player_in

        return BotServer(
            lambda name: player_in(self.module, BOT, name, _NAME, StudentError), _NAME, game
        )

    def answer(self, ask: Ask, begin: Begin) -> int | float | None:
        """Call the function named like the task.

        Args:
            ask: the question.
            begin: the game that was announced.

        Returns:
            The function's answer; None for no answer yet.
        """
        function = self._function(ask.task)
        if ask.depth is not None:
            result = function(RemoteNode(0, ask.root, self._ask_grader), ask.depth)
        else:
            spec = game_spec(begin.game)
            result = function(
                spec.game_class(spec.config(begin.config), seed=begin.seed, position=ask.position)
            )
        return _as_number(ask.task, result)

    def call(self, call: Call) -> list[Any]:
        """Call the function named like the task with each list of arguments."""
        function = self._function(call.task)
        return [_as_list(call.task, function(*arguments)) for arguments in call.arguments]

    def _function(self, name: str) -> Callable[..., Any]:
        function: Callable[..., Any] | None = getattr(self.module, name, None)
        if not callable(function):
            raise StudentError(f"{self._file.name} has no function {name!r}")
        return function

    def _ask_grader(self, line: str) -> str:
        self._write(line)
        return next(self._lines).rstrip("\r\n")


def _as_list(task: str, result: Any) -> list[float] | None:
    if result is None:
        return None
    try:
        numbers = [real_number(number) for number in result]
    except TypeError:
        numbers = [None]
    found = [number for number in numbers if number is not None]
    if len(found) < len(numbers):
        raise StudentError(f"{task} returned {repr_of(result)}, which is not a list of numbers")
    return found


def _as_number(task: str, result: Any) -> int | float | None:
    if result is None:
        return None
    integer = whole_number(result)
    number = real_number(result) if integer is None else integer
    if number is None:
        raise StudentError(f"{task} returned {repr_of(result)}, which is not a number")
    if isinstance(number, float) and not math.isfinite(number):
        raise StudentError(f"{task} returned {repr_of(result)}, which is not a finite number")
    return number
