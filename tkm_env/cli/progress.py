"""The progress bar of long work: on a terminal only, and never without a word on what it waits for."""

from __future__ import annotations

from typing import Final

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

#: What the first step of work waits for that compiled code does.
COMPILING: Final = "starting; what is new is compiled, once"


class _TimeLeft(TimeRemainingColumn):
    """How much time is left or, until that is known, what the work waits for and how long it has."""

    max_refresh = 0.5

    def __init__(self, waiting: str) -> None:
        super().__init__()
        self._waiting = waiting

    def render(self, task: Task) -> Text:
        if task.finished or task.time_remaining is not None:
            return super().render(task)
        return Text(f"{self._waiting} ({task.elapsed or 0:.0f} s)", style="progress.remaining")


class _TimeSoFar(TimeElapsedColumn):
    """The same for work without an end: how long it has been going on."""

    def __init__(self, waiting: str) -> None:
        super().__init__()
        self._waiting = waiting

    def render(self, task: Task) -> Text:
        if task.completed:
            return super().render(task)
        return Text(f"{self._waiting} ({task.elapsed or 0:.0f} s)", style="progress.elapsed")


def progress_bar(*, waiting: str = COMPILING, unit: str | None = None, endless: bool = False) -> Progress:
    """A bar on standard error, shown only if that is a terminal, which goes away in the end.

    Args:
        waiting: what the first step waits for.
        unit: what is counted; None shows numbers only.
        endless: whether nobody knows how much there is to do.
    """
    console = Console(stderr=True)
    count: ProgressColumn = MofNCompleteColumn()
    if endless:
        count = TextColumn("{task.completed}")
    elif unit is not None:
        count = TextColumn("{task.completed}/{task.total} " + unit)
    time = _TimeSoFar(waiting) if endless else _TimeLeft(waiting)
    columns = (TextColumn("{task.description}"), BarColumn(), count, time)
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
