"""Bots are told nothing about hidden decks and openings, other players' seeds, or later games."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tkm_env.arena.match import Match

#: Plays the first legal action, and notes every seed that it is given.
SPY = """
import sys
for line in sys.stdin:
    words = dict(word.split("=", 1) for word in line.split("|")[0].split() if "=" in word)
    if "seed" in words:
        print(words["seed"], file=open(sys.argv[1] + "/notes", "a"))
    if line.startswith("tkm"):
        print("tkm 1 name=spy", flush=True)
    elif line.startswith("go"):
        print("play", words["legal"].split(",")[0], flush=True)
"""


def spied(folder: Path, **settings: Any) -> tuple[list[int], list[dict[str, Any]]]:
    """The seeds that a bot was given in a match of two games of Terminus, and the records."""
    (folder / "spy.py").write_text(SPY)
    records = [
        *Match(
            f"cmd:{sys.executable} {folder / 'spy.py'} {folder}",
            "random",
            2,
            game="terminus",
            **settings,
        ).play()
    ]
    assert all("fault" not in record for record in records)
    return [int(line) for line in (folder / "notes").read_text().split()], records


def guesses(number: int, bases: Iterable[int]) -> list[int]:
    """The seeds, among or near these, whose first number is the one that the bot was given."""
    near = [
        seed
        for base in bases
        for start in (
            base,
            base // 2,
            int(np.random.SeedSequence(base, spawn_key=(0,)).generate_state(1, np.uint64)[0]) >> 2,
        )
        for seed in (start, 2 * start, 2 * start + 1)
    ]
    return [
        seed
        for seed in near
        for more in ([], [0], [1])
        if number == int(np.random.default_rng([seed, *more]).integers(2**62))
    ]


def test_no_small_seed_explains_what_a_bot_is_told(tmp_path: Path) -> None:
    seeds, records = spied(tmp_path)
    for seed in guesses(seeds[0], range(300)):
        pytest.fail(f"it comes from the seed {seed}, as does the deck of {records[0]['position']}")


def test_what_is_published_explains_nothing_that_a_bot_is_told(tmp_path: Path) -> None:
    seeds, records = spied(tmp_path, seed=2**62 + 12345)
    for seed in guesses(seeds[0], [record["seed"] for record in records]):
        pytest.fail(f"it comes from the seed {seed}, which the record shows")


def test_what_a_bot_is_told_says_nothing_about_what_it_is_told_next(tmp_path: Path) -> None:
    seeds, _ = spied(tmp_path)
    assert len({*seeds}) == len(seeds) > 4
    for first, second in pairwise(seeds):
        assert second not in np.random.default_rng(first).integers(2**62, size=9)


def test_every_purpose_has_numbers_of_its_own() -> None:
    fixtures = [*Match("random", "greedy", 20, seed=5, game="terminus").fixtures()]
    numbers = {
        int(fixture.generator(side).integers(2**62))
        for fixture in fixtures
        for side in fixture.players
    }
    numbers |= {fixture.seed for fixture in fixtures}
    assert len(numbers) == 3 * len(fixtures), (
        "two players, two games of a pair or two pairs have the same ones"
    )


def test_nobody_chooses_the_seed_unless_it_is_given() -> None:
    assert Match("random", "random", 2).seed != Match("random", "random", 2).seed
    assert max(Match("random", "random", 2).seed or 0 for _ in range(9)) > 2**100
