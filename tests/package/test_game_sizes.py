"""The number of positions on the page about the game."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

DOCS = str(Path(__file__).parents[2] / "docs")


@pytest.fixture(scope="module")
def complexity() -> Any:
    sys.path.insert(0, DOCS)
    try:
        from tables import complexity
    finally:
        sys.path.remove(DOCS)
    return complexity


def test_placements_are_those_that_can_be_counted_one_by_one(complexity: Any) -> None:
    def of(copies: int) -> list[set[int]]:
        return [
            {*spaces}
            for spaces in combinations(range(48), copies)
            if len({space // 16 for space in spaces}) > 1
        ]

    twos, threes = of(2), of(3)
    assert complexity.placements(2, 2) == sum(not one & other for one in twos for other in twos)
    few = threes[::97]
    share = sum(not one & other for one in few for other in twos) / len(few)
    assert complexity.placements(3, 2) == pytest.approx(share * len(threes), rel=0.01)


def test_two_copies_a_side_are_the_positions_that_the_second_solver_finds(complexity: Any) -> None:
    endgames = Path(DOCS, "endgames.md").read_text("utf-8")
    # It takes the side to act for white.
    assert f"{complexity.positions(copies=2, supply=0) // 2:,} positions" in endgames


def test_large_numbers_are_powers_of_ten(complexity: Any) -> None:
    assert complexity.in_tens(6.83e16) == "6.8\u00a0\u00d7\u00a010¹⁶"
