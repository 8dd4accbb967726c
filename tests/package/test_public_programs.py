"""The table of other people's programs is complete, and still says what comes."""

from __future__ import annotations

import pytest

from benchmarks.public_programs import (
    LOSES,
    STOPS,
    WORKS,
    Program,
    outcomes,
    programs,
    surprise,
    tried,
)

_ROWS = programs()
_FOUND = outcomes()
#: Programs that need nothing but this package's own dependencies.
_DEFAULT = [row for row in _ROWS.values() if {*row.packages} <= {"gymnasium", "pettingzoo"}]


def test_every_row_has_an_outcome_and_every_outcome_a_row() -> None:
    assert [*_FOUND] == [*_ROWS]
    assert len(_ROWS) >= 30


@pytest.mark.parametrize("row", _ROWS.values(), ids=[*_ROWS])
def test_what_came_is_what_the_row_states(row: Program) -> None:
    found = _FOUND[row.name]
    assert surprise(row, found) == ""
    assert [*found["versions"]] == [*row.packages]
    assert ("commit" in found) == bool(row.repository)
    if row.outcome == STOPS:
        assert row.error, "a program that stops says with what error"
        assert row.why, "a program that stops says why"
    if row.outcome == LOSES:
        assert row.why, "a program that learns to lose says why"
    if row.least is not None:
        assert "%" in found["figure"]
    assert row.outcome in (WORKS, LOSES, STOPS)


def test_an_outcome_that_differs_is_named() -> None:
    row = _ROWS["aec_to_parallel"]
    assert surprise(row, {"outcome": WORKS}).startswith("aec_to_parallel: works instead of stops")
    other = {"outcome": STOPS, "error": "ImportError: nothing there"}
    assert "another reason: ImportError" in surprise(row, other)


@pytest.mark.parametrize(
    "row",
    [
        pytest.param(
            row,
            id=row.name,
            marks=[] if _FOUND.get(row.name, {}).get("cpu_seconds", 9) < 3 else pytest.mark.slow,
        )
        for row in _DEFAULT
        if not row.repository
    ],
)
def test_it_comes_again(row: Program) -> None:
    assert surprise(row, tried(row)) == ""
