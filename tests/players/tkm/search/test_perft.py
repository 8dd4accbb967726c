"""The numbers of lines of play from positions, which reveal errors of the engine anywhere below.

Each line of `data/perft.txt` is ``edition | position | lines of 1 step, of 2 steps, …``.
A step is one action; lines end where the game does.
"""

from __future__ import annotations

import itertools
from typing import NamedTuple

import pytest

from tests.cases import DATA
from tkm_env import ACTIONS, Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.state import EDITIONS
from tkm_env.players.tkm.search.perft import perft

#: The most lines that the quick test follows.
QUICK = 1000 if COMPILES else 100


class Case(NamedTuple):
    edition: str
    position: str
    counts: tuple[int, ...]

    def first(self, most: int) -> tuple[int, ...]:
        """The counts that can be checked by playing at most this number of lines.

        The last action of a line is counted without playing it.
        """
        return self.counts[
            : 1 + len([*itertools.takewhile(lambda count: count <= most, self.counts[:-1])])
        ]


def read_cases() -> list[Case]:
    cases = []
    for line in (DATA / "perft.txt").read_text("utf-8").splitlines():
        edition, position, counts = line.split(" | ")
        cases.append(Case(edition, position, tuple(int(count) for count in counts.split(", "))))
    return cases


CASES = read_cases()
every_case = pytest.mark.parametrize("case", CASES)


def lines(game: Game, depth: int) -> list[int]:
    """How many sequences of 1, 2, … ``depth`` legal actions there are."""
    counts = [0] * depth
    following = [(game, 0)]
    while following:
        game, played = following.pop()
        legal = game.legal_actions()
        counts[played] += len(legal)
        if played + 1 < depth:
            for action in legal:
                after = game.copy()
                after.play(action)
                following.append((after, played + 1))
    return counts


def check(case: Case, expected: tuple[int, ...]) -> None:
    game = Game(position=case.position, edition=case.edition)
    counted = lines(game, len(expected))
    if counted == list(expected):
        return
    depth = next(
        depth
        for depth, (one, other) in enumerate(zip(counted, expected, strict=True), 1)
        if one != other
    )
    shares = []
    for action in game.legal_actions():
        after = game.copy()
        after.play(action)
        shares.append(f"  {ACTIONS[action]}: {lines(after, depth - 1)[-1] if depth > 1 else 1}")
    pytest.fail(
        f"{case.position} (edition {case.edition})\n"
        f"lines of {depth} steps: {counted[depth - 1]}, not {expected[depth - 1]}\n"
        + "\n".join(shares)
    )


@every_case
def test_short_lines_of_play_are_counted_right(case: Case) -> None:
    check(case, case.first(QUICK))


@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@every_case
def test_compiled_counts_are_the_same(case: Case) -> None:
    position = Game(position=case.position, edition=case.edition).state
    assert perft(position, len(case.counts)) == list(case.counts)


@pytest.mark.slow
@every_case
def test_long_lines_of_play_are_counted_right(case: Case) -> None:
    check(case, case.counts)


def test_the_counted_positions_show_everything_there_is() -> None:
    """The positions have all sets of chapters in both editions, all pieces, and sixteen powers.

    Both sides have hats on both elephants.
    """
    fields = [case.position.split(" ") for case in CASES]
    assert {(case.edition, part[1]) for case, part in zip(CASES, fields, strict=True)} == {
        (edition, chapters)
        for edition in EDITIONS
        for chapters in ("-", "G", "I", "M", "GI", "GM", "IM", "GIM")
    }
    boards = "".join(part[0] for part in fields)
    assert set("WB.*#T^>v<OIEDLwb") <= set(boards)
    assert {
        (elephant, hat)
        for part in fields
        for elephant, hats in enumerate(part[8].split("/"))
        for hat in hats
    } == {(elephant, hat) for elephant in range(2) for hat in "wb-"}
    powers = {name.rstrip("!") for part in fields for name in part[9].split("/")} - {"-"}
    assert len(powers) >= 16, sorted(powers)
