"""Progress of long work: a bar or, without a terminal, a line per minute; and its end.

A cell of a notebook is no terminal, though commands in it, after an exclamation mark, get one.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, TypeVar

from click.exceptions import Exit
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

from tkm_env.cli.console import PlainConsole, echo
from tkm_env.cli.ctrl_c import INTERRUPTED, stop_on_ctrl_c
from tkm_env.compiled.decorators import is_compiling
from tkm_env.foundations.untrusted_text import visible

if TYPE_CHECKING:
    from tkm_env.text.paid_answers import PaidAnswers

Done = TypeVar("Done")

#: What work waits for before its first step: for code that this process compiles, or for a step
#: that takes its time, such as a slow bot's.
_COMPILING: Final = "starting; new code is compiled, once"
_STARTING: Final = "starting"
#: What games wait for once language models have begun to answer.
_ANSWERING: Final = "language models are answering"
#: What a notebook's kernel sets for the programs that it starts.
_NOTEBOOK: Final = "JPY_PARENT_PID"
#: The time between two lines without a terminal, in seconds.
_A_MINUTE: Final = 60.0


class _Time(ProgressColumn):
    """The remaining time or, if the total is unknown, the elapsed time.

    Before the first step it says what the work waits for, and without an estimate how long it has
    been running.
    """

    max_refresh = 0.5

    def __init__(self) -> None:
        super().__init__()
        self._remaining, self._elapsed = TimeRemainingColumn(), TimeElapsedColumn()

    def render(self, task: Task) -> Text:
        if task.total is None and task.completed:
            return self._elapsed.render(task)
        if task.finished or task.time_remaining is not None:
            return self._remaining.render(task)
        if task.completed:
            waits = "running"
        elif _cost(task):
            waits = _ANSWERING
        else:
            waits = _COMPILING if is_compiling() else _STARTING
        return Text(f"{waits} ({task.elapsed or 0:.0f} s)", style="progress.remaining")


class _Description(ProgressColumn):
    """The current item, such as a player or a submission, and what it has cost."""

    max_refresh = 0.5

    def render(self, task: Task) -> Text:
        cost = _cost(task)
        return Text(visible(task.description) + (f" ({cost})" if cost else ""))


def _cost(task: Task) -> str:
    """What the answers of language models have cost; empty if there are none."""
    answers: PaidAnswers | None = task.fields.get("answers")
    return "" if answers is None else answers.so_far(task.completed, task.total)


class _Lines(Progress):
    """Progress without a terminal, as in a log: a line per minute."""

    def start(self) -> None:
        self._is_over = threading.Event()
        threading.Thread(target=self._write, daemon=True).start()

    def stop(self) -> None:
        self._is_over.set()

    def _write(self) -> None:
        while not self._is_over.wait(_A_MINUTE):
            for task in self.tasks:
                what, done, time = (
                    column.render(task).plain.strip()
                    for column in (_Description(), MofNCompleteColumn(), _Time())
                )
                left = "" if task.time_remaining is None else " left"
                self.console.print(f"{what}: {done}, {time}{left}", soft_wrap=True)


def progress_bar() -> Progress:
    """Return a bar on standard error that disappears in the end, or a line per minute."""
    console = PlainConsole(stderr=True, force_terminal=False if _NOTEBOOK in os.environ else None)
    columns = (_Description(), BarColumn(), MofNCompleteColumn(), _Time())
    return (Progress if console.is_terminal else _Lines)(
        *columns, console=console, transient=True, disable=not console.is_terminal
    )


def with_progress(
    games: Iterable[Done],
    what: str,
    total: int | None,
    stop: Callable[[], None],
    answers: PaidAnswers,
) -> Iterator[Done]:
    """Show the progress of games as they are played.

    Args:
        games: yields each game when it is over.
        what: the description beside the bar.
        total: the number of games; None if unknown.
        stop: called at the first Ctrl-C; it ends the games early.
        answers: the answers of language models so far, whose cost is shown.

    Yields:
        The games.
    """
    with progress_bar() as progress:
        task = progress.add_task(what, total=total, answers=answers)
        with stop_on_ctrl_c(stop, progress.console):
            for done in games:
                progress.advance(task)
                yield done
    if answers.so_far(0, None):
        echo(f"language models: {answers}", err=True)


def read_with_progress(paths: Iterable[Path], read: Callable[[Path], Iterator[int]]) -> None:
    """Read files one by one; a terminal shows the number of games read.

    Args:
        paths: the files.
        read: reads a file, and yields once per game.
    """
    with progress_bar() as progress:
        for path in paths:
            for _ in progress.track(read(path), description=str(path)):
                pass


def exit_stopped(words: str) -> NoReturn:
    """Exit after Ctrl-C, saying how far the command got and how to resume it."""
    echo(f"stopped{words}", err=True)
    raise Exit(INTERRUPTED)
