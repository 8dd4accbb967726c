"""The page on the small game shows what its command prints."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from benchmarks import small_game

PAGE = Path(__file__).parents[3] / "docs/small-game.md"


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(small_game.solution_rows, marks=pytest.mark.slow),
        pytest.param(small_game.candidate_rows, marks=pytest.mark.nightly),
    ],
)
def test_the_tables_of_the_page_are_those_that_the_command_prints(
    rows: Callable[[], Iterator[str]],
) -> None:
    assert "\n".join(rows()) in PAGE.read_text("utf-8")
