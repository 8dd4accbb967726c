"""Names in narrow columns."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tkm_env.arena.report.short_names import short_names

LONG = "bots/contest/entry.py:Planner:depth=4,width=20,seconds=0.50,table=large,quiet=True"

PARTS = st.sampled_from(
    ["a", "b", "…", "1", "2", "alphabeta:", "depth=4,", "seconds=0.5,", "x" * 30, "y" * 30]
)
NAMES = st.lists(st.lists(PARTS, max_size=12).map("".join) | st.text(max_size=60), max_size=8)


def test_names_that_fit_are_left_alone() -> None:
    assert short_names(["random", "alphabeta:depth=4"], 17) == ["random", "alphabeta:depth=4"]


@pytest.mark.parametrize(
    "other",
    [
        LONG.replace("0.50", "0.55"),
        LONG.replace("width=20", "width=25"),
        LONG[:-1],
        LONG + "!",
        LONG.replace("bots", "pots"),
        LONG + LONG,
    ],
)
def test_two_long_names_show_where_they_differ(other: str) -> None:
    for width in (16, 24, 40):
        one, two = short_names([LONG, other], width)
        assert one != two
        assert max(len(one), len(two)) <= width
        assert "…" in one


@given(NAMES, st.integers(12, 40))
def test_different_names_stay_different_and_fit(names: list[str], width: int) -> None:
    short = short_names(names, width)
    assert len(short) == len(names)
    assert all(len(name) <= width for name in short)
    assert [names.index(name) for name in names] == [short.index(name) for name in short], short
