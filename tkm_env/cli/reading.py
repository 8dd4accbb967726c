"""Reading files of results, to which games may still be being added."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TextColumn


def read_with_progress(paths: Iterable[Path], read: Callable[[Path], Iterator[int]]) -> None:
    """Read files one by one; a terminal shows how many games have been read."""
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), TextColumn("{task.completed} games"))
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        for path in paths:
            task = progress.add_task(str(path), total=None)
            for _ in read(path):
                progress.advance(task)


def show_growing(console: Console, paths: Iterable[str]) -> None:
    """Say which files have a last line that was left out."""
    for path in paths:
        console.print(f"{path}: its last line is still being written and was left out", markup=False, soft_wrap=True)
