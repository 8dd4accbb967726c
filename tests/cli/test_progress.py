"""Progress bars say what long work waits for until they know how long it takes."""

from __future__ import annotations

import io
import itertools

import pytest
from rich.console import Console
from rich.progress import Progress

from tkm_env.cli.progress import COMPILING, progress_bar


def shown(bar: Progress) -> str:
    console = Console(file=io.StringIO(), width=150)
    console.print(bar.get_renderable())
    return console.file.getvalue()


@pytest.mark.parametrize("endless", [False, True])
def test_a_bar_says_what_the_first_step_waits_for_and_how_long_it_has(endless: bool) -> None:
    bar = progress_bar(endless=endless)
    clock = itertools.count(step=5.0)
    bar.get_time = lambda: next(clock)
    task = bar.add_task("greedy against random", total=None if endless else 60)
    assert COMPILING in shown(bar)
    assert "-:--:--" not in shown(bar)
    for _ in range(3):
        bar.advance(task)
    assert COMPILING not in shown(bar), "from then on it shows the time"
    assert "0:" in shown(bar)


def test_a_bar_counts_in_its_unit() -> None:
    bar = progress_bar(unit="games")
    bar.add_task("learning", total=60)
    assert "0/60 games" in shown(bar)
