"""Progress bars say what long work waits for until they know how long it takes."""

from __future__ import annotations

import io
import itertools
import re
import time

import pytest
from rich.console import Console
from rich.progress import Progress

from tkm_env.cli import progress
from tkm_env.cli.progress import progress_bar
from tkm_env.text.completion import Completion
from tkm_env.text.paid_answers import Budget, PaidAnswers


def repr_of(bar: Progress) -> str:
    console = Console(file=io.StringIO(), width=150)
    console.print(bar.get_renderable())
    return console.file.getvalue()


COMPILING = "starting; new code is compiled, once"


@pytest.fixture(autouse=True)
def compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """This process seems to be compiling."""
    monkeypatch.setattr(progress, "is_compiling", lambda: True)


def test_a_slow_first_step_is_not_taken_for_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "is_compiling", lambda: False)
    bar = progress_bar()
    bar.add_task("a slow bot", total=60)
    assert re.search(r"starting \(\d+ s\)", repr_of(bar))


def test_a_slow_second_step_has_no_estimate_and_no_excuse() -> None:
    bar = progress_bar()
    bar.add_task("a slow bot", total=60, completed=1)
    assert re.search(r"running \(\d+ s\)", repr_of(bar))


def test_a_bar_says_what_the_first_step_waits_for_and_then_shows_the_time() -> None:
    for total, count in ((60, "3/60"), (None, "3/?")):
        bar = progress_bar()
        clock = itertools.count(step=5.0)
        bar.get_time = lambda clock=clock: next(clock)
        task = bar.add_task("greedy against random", total=total)
        assert COMPILING in repr_of(bar)
        assert "-:--:--" not in repr_of(bar)
        for _ in range(3):
            bar.advance(task)
        assert COMPILING not in repr_of(bar)
        assert "0:" in repr_of(bar)
        assert count in repr_of(bar)


def test_a_bar_says_what_the_work_has_cost_and_will_cost() -> None:
    answers = PaidAnswers("", Budget(prices=(("gpt", 1.0, 4.0),)))
    answers.add("key", "gpt", Completion("text", "stop", (1_000_000, 500_000), "gpt-1", 1.0))
    bar = progress_bar()
    task = bar.add_task("gpt", total=60, answers=answers)
    assert COMPILING not in repr_of(bar), "a slow model is not compiled"
    bar.advance(task, 3)
    assert "gpt (cost 3.00 of about 60.00)" in repr_of(bar)


def test_a_cell_of_a_notebook_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Jupyter gives commands a terminal, and keeps every redrawing of a bar in the notebook."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("JPY_PARENT_PID", "1")
    with progress_bar() as bar:
        task = bar.add_task("grading", total=50)
        for _ in range(50):
            bar.advance(task)
            bar.refresh()
    assert capsys.readouterr() == ("", "")


def test_without_a_terminal_it_is_a_line_a_minute(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "_A_MINUTE", 0.01)

    def wait_for(line: str) -> None:
        seen, patience = "", time.monotonic() + 10
        while not re.search(line, seen):
            assert time.monotonic() < patience, seen
            time.sleep(0.01)
            seen += capsys.readouterr().err

    with progress_bar() as bar:
        task = bar.add_task("greedy against random", total=60)
        wait_for(rf"^greedy against random: 0/60, {COMPILING} \(0 s\)\n")
        bar.advance(task, 3)
        time.sleep(0.02)
        bar.advance(task, 3)
        wait_for(r"\ngreedy against random: 6/60, \d:\d\d:\d\d left\n")
