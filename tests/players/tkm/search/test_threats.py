"""The copies in danger, as networks read them, against every way to play a turn."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS
from tests.games.tkm.random_games import seed_of
from tests.players.tkm.search.helpers import DANGERS, MORE, inputs_of
from tkm_env import Game
from tkm_env.games.tkm.engine.geometry import ERAS, NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import PLAYERS
from tkm_env.games.tkm.events import Died, Exchanged, Moved
from tkm_env.players.tkm.search.network_inputs import KINDS


def endangered(game: Game, *, knows_powers: bool = True) -> set[tuple[str, int]]:
    """The copies that the side to act could kill, as networks read it."""
    shape = NUM_ERAS * NUM_ERAS, len(KINDS), NUM_ERAS, NUM_SPACES
    active = inputs_of(game.state, knows_powers=knows_powers)
    read = [np.unravel_index(number, shape) for number in active & DANGERS]
    return {
        (ERAS[era], int(space) + 1)
        for _, kind, era, space in read
        if KINDS[kind] == "their copy in danger"
    }


def killed(game: Game) -> set[tuple[str, int]]:
    """The copies that die in some way to play the turn, each by where it stands now."""
    player = game.to_act
    prey = next(other for other in PLAYERS if other != player)
    dead = set()

    def walk(before: Game, places: dict[tuple[str, int], tuple[str, int]]) -> None:
        for action in before.legal_actions():
            after, now = before.copy(), dict(places)
            after.play(action)
            for event in after.events:
                if isinstance(event, Died) and event.player == prey:
                    dead.add(now.pop((event.era, event.space)))
                elif isinstance(event, Moved) and event.piece == f"{prey} copy":
                    now[event.era, event.to] = now.pop((event.era, event.space))
                elif isinstance(event, Exchanged) and (event.era, event.to) in now:
                    now[event.era, event.space] = now.pop((event.era, event.to))
            # At the step "f" one may still take an action that `overtime` adds.
            if after.result is None and after.turn == before.turn:
                walk(after, now)

    spaces = np.argwhere(game.state["cell"][0] == 1 + PLAYERS.index(prey))
    walk(
        Game(position=game.position),
        {(ERAS[era], space + 1): (ERAS[era], space + 1) for era, space in spaces.tolist()},
    )
    return dead


def turns_of_random_games(
    chapters: tuple[str, ...], number: int, power: str | None = None
) -> Iterator[Game]:
    """Positions at the beginning of turns; both sides have the power."""
    generator = np.random.default_rng(seed_of("dangers", chapters))
    while number:
        game = Game(chapters=chapters, powers=(power, power), max_turns=40)
        while game.result is None and number:
            if game.step_text == "c":
                yield Game(position=game.position)
                number -= 1
            game.play(int(generator.choice(game.legal_actions())))


@pytest.mark.slow
@pytest.mark.parametrize("chapters", CHAPTER_SETS)
def test_nearly_all_copies_that_can_be_killed_are_in_danger_and_few_others(
    chapters: tuple[str, ...],
) -> None:
    pairs = [
        (endangered(game), killed(game)) for game in turns_of_random_games(chapters, 15 * MORE)
    ]
    both = sum(len(found & true) for found, true in pairs)
    found, true = (sum(map(len, column)) for column in zip(*pairs, strict=True))
    precision, recall = both / max(1, found), both / max(1, true)
    exact = "influence" not in chapters
    assert precision >= (0.99 if exact else 0.9), (
        f"of {found} copies in danger {both} can be killed: {precision:.2f}"
    )
    assert recall >= (0.99 if exact else 0.8), (
        f"of {true} copies that can be killed {both} are in danger: {recall:.2f}"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("power", "chapters"),
    [
        ("overtime", ()),
        ("express", ()),
        ("doorway", ()),
        ("bulldoze", ()),
        ("brushwood", ("growth",)),
        ("whisperer", ("growth", "influence", "memory")),
        ("loyalty", ("memory",)),
    ],
)
def test_dangers_by_powers_are_known(power: str, chapters: tuple[str, ...]) -> None:
    games = [*turns_of_random_games(chapters, 15 * MORE, power)]
    true = [killed(game) for game in games]
    blind, seeing = (
        [endangered(game, knows_powers=knows) for game in games] for knows in (False, True)
    )
    total, found = sum(map(len, true)), sum(map(len, seeing))
    both, without = (
        sum(len(each & dead) for each, dead in zip(dangers, true, strict=True))
        for dangers in (seeing, blind)
    )
    assert both / max(1, found) >= 0.85, f"of {found} copies in danger {both} can be killed"
    least = 0.8 if "influence" in chapters else 0.9
    assert both / max(1, total) >= least, f"of {total} that can be killed {both} are in danger"
    assert both >= without, f"{both} in danger, without powers {without}"
    if power == "whisperer":
        assert without / total < 0.2, f"of {total} {without} are in danger without powers"


@pytest.mark.parametrize(
    ("how", "board", "rest", "expected"),
    [
        (
            "a push against the wall",
            "..../..WB/..../....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            {("past", 8)},
        ),
        (
            "two pushes",
            "..../.WB./..../....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            {("past", 7)},
        ),
        (
            "no third push",
            "..../WB../..../....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            set(),
        ),
        (
            "a move and a push",
            "..../..../.W../..B.|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            {("past", 15)},
        ),
        (
            "a push, and a turn",
            "..../..../.WB./..B.|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            {("past", 11), ("past", 15)},
        ),
        (
            "a paradox",
            "..../..../.WBB/....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 -",
            {("past", 11), ("past", 12)},
        ),
        (
            "travel with a supply",
            "B.../..../..../....|.W../..../..../...B|W.../..../..../...B",
            "- w c NF - 1/1 -",
            {("past", 1)},
        ),
        (
            "no travel without",
            "B.../..../..../....|.W../..../..../...B|W.../..../..../...B",
            "- w c NF - 0/1 -",
            set(),
        ),
        (
            "a falling tree",
            "..../..../..../....|..../..../..../...B|..../WTB./..../...B",
            "G w c FF - 0/0 -",
            {("future", 7)},
        ),
        (
            "a shrub behind it",
            ".*../..../..../....|..../.#BW/..../...B|W.../..../..../...B",
            "G w c NF - 0/0 -",
            {("present", 7), ("present", 16)},
        ),
        (
            "a statue's step",
            "..../W.O./..../....|W.../..OB/..../...B|W.../..O./..../...B",
            "I w c PF - 0/0 wb",
            {("present", 8)},
        ),
        (
            "a built statue",
            "..W./..../..../.O..|...B/B.../..../.O..|..../..../..../.O..",
            "I w c PF - 0/0 wb",
            {("present", 4)},
        ),
        (
            "a trained elephant",
            "...D/..../..../L..B|...D/..../..../L...|..WD/...B/..../L...",
            "M w c FF - 0/0 -",
            {("future", 8)},
        ),
        (
            "an elephant's two steps",
            "...D/..../..../L..B|...D/..../..../L...|W..D/..B./..../L...",
            "M w c FF - 0/0 - --w/---",
            {("future", 7)},
        ),
        (
            "no elephant of the other side",
            "...D/..../..../L..B|...D/..../..../L...|W..D/...B/..../L...",
            "M w c FF - 0/0 - --b/---",
            set(),
        ),
    ],
)
def test_a_copy_is_in_danger_by(
    how: str, board: str, rest: str, expected: set[tuple[str, int]]
) -> None:
    game = Game(position=f"{board} {rest if rest.endswith('/---') else f'{rest} ---/---'} -/- 9")
    assert killed(game) == expected, f"{how}: the position is not what the row says"
    assert endangered(game) == expected, how


@pytest.mark.parametrize(
    ("power", "board", "rest", "expected"),
    [
        (
            "doorway",
            "...B/W.../..../....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 - ---/---",
            {("past", 4)},
        ),
        (
            "express",
            "..W./..../..../....|..W./..../..../...B|...B/..../..../....",
            "- w c PF - 0/0 - ---/---",
            {("future", 4)},
        ),
        (
            "whisperer",
            "...D/..../..../L..B|...D/..../..../L...|W..D/...B/..../L...",
            "M w c FF - 0/0 - ---/---",
            {("future", 8)},
        ),
        (
            "bulldoze",
            "..../..../W.B./....|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 - ---/---",
            {("past", 11)},
        ),
        (
            "overtime",
            "..../..../W.../..B.|..../..../..../...B|W.../..../..../...B",
            "- w c PF - 0/0 - ---/---",
            {("past", 15)},
        ),
        (
            "ripple",
            "..../..OB/..../....|..../WO../..../...B|..../..O./..../W...",
            "I w c NF - 0/0 wb ---/---",
            {("past", 8)},
        ),
        (
            "brushwood",
            "..*./..../..../...B|.W#B/..../..../....|W.T./..../..../...B",
            "G w c NF - 0/0 - ---/---",
            {("present", 4)},
        ),
    ],
)
def test_a_copy_is_in_danger_by_a_power_alone(
    power: str, board: str, rest: str, expected: set[tuple[str, int]]
) -> None:
    game = Game(position=f"{board} {rest} {power}/- 9")
    assert killed(game) == expected, "the position is not what the row says"
    assert endangered(game) == expected
    assert endangered(game, knows_powers=False) == set()
