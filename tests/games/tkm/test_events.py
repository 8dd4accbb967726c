"""Taken together, events are the difference between the positions before and after an action.

Totals add them up.
"""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.state import EMPTY, PIECES, PLAYERS
from tkm_env.games.tkm.events import (
    Built,
    Copied,
    Died,
    Event,
    Exchanged,
    Grew,
    Moved,
    Planted,
    Removed,
    Returned,
    Toppled,
    Trained,
    Travelled,
    Untrained,
)
from tkm_env.games.tkm.notation import CELLS

#: How long games are.
TURNS = 15 if COMPILES else 6
ELEPHANTS = ("dark", "light")
TRUNKS = {-4: "south", 1: "west", 4: "north", -1: "east"}


def facts(position: str) -> Counter[Any]:
    """What the board, the hats and the supplies of a position say, each fact counted once."""
    board, _, _, _, _, _, supply, _, hats, *_ = position.split(" ")
    found: Counter[Any] = Counter()
    for era, text in zip(ERAS, board.split("|"), strict=True):
        for space, letter in enumerate(text.replace("/", ""), 1):
            piece, seed = CELLS[letter]
            if piece != EMPTY:
                found[era, PIECES[piece], space] += 1
            if seed:
                found[era, "seed", space] += 1
    for player, number in zip(PLAYERS, supply.split("/"), strict=True):
        found["supply", player] = int(number)
    for (elephant, letters), (number, era) in itertools.product(
        zip(ELEPHANTS, hats.split("/"), strict=True), enumerate(ERAS)
    ):
        for player in PLAYERS:
            found["hat", elephant, era, player] = int(letters[number] == player[0])
    return found


def change(event: Event) -> list[tuple[Any, int]]:
    """The facts that an event makes true (1) and false (-1)."""
    match event:
        case Died(era, player, space):
            return [((era, f"{player} copy", space), -1)]
        case Returned(era, player, space):
            return [(("supply", player), 1)]
        case Moved(era, piece, space, to):
            return [((era, piece, space), -1), ((era, piece, to), 1)]
        case Toppled(era, space, to):
            return [
                ((era, "standing tree", space), -1),
                ((era, f"fallen tree, trunk to the {TRUNKS[to - space]}", to), 1),
            ]
        case Travelled(era, player, space, to):
            return [((era, f"{player} copy", space), -1), ((to, f"{player} copy", space), 1)]
        case Copied(era, player, space):
            return [((era, f"{player} copy", space), 1), (("supply", player), -1)]
        case Planted(era, space):
            return [((era, "seed", space), 1)]
        case Grew(era, piece, space):
            return [((era, piece, space), 1)]
        case Removed(era, piece, space):
            return [((era, piece, space), -1)]
        case Built(era, player, space):
            return [((era, f"{player}'s statue", space), 1)]
        case Trained(era, elephant, player):
            return [(("hat", elephant, era, player), 1)]
        case Untrained(era, elephant, player):
            return [(("hat", elephant, era, player), -1)]
    raise AssertionError(f"unknown event {event}")


def check_events(before: Game, after: Game) -> None:
    expected = facts(before.position)
    for event in after.events:
        if isinstance(event, Exchanged):
            other = next(
                player for player in PLAYERS if expected[event.era, f"{player} copy", event.to]
            )
            swapped = [
                (event.space, event.player, -1),
                (event.to, event.player, 1),
                (event.to, other, -1),
                (event.space, other, 1),
            ]
            for space, player, by in swapped:
                expected[event.era, f"{player} copy", space] += by
        else:
            for fact, by in change(event):
                expected[fact] += by
    assert +expected == +facts(after.position), (
        f"{before.position} -> {after.position}: {after.events}"
    )


@each_setting
def test_events_are_the_difference_of_positions(chapters: tuple[str, ...], edition: str) -> None:
    generator = np.random.default_rng(seed_of(chapters, edition, "events"))
    for powers in power_pairs(chapters, generator, 2):
        game = Game(chapters=chapters, edition=edition, powers=powers, max_turns=TURNS)
        assert game.events == []
        while game.result is None:
            before = game.copy()
            game.play(int(generator.choice(game.legal_actions())))
            check_events(before, game)


def test_totals_count_every_event_once() -> None:
    generator = np.random.default_rng(11)
    game = Game(
        chapters=["growth", "influence", "memory"],
        powers=("second-wind", "bulldoze"),
        max_turns=4 * TURNS,
    )
    died, planted = Counter[tuple[str, str]](), 0
    while game.result is None:
        game.play(int(generator.choice(game.legal_actions())))
        died.update((event.player, event.how) for event in game.events if isinstance(event, Died))
        planted += sum(isinstance(event, Planted) for event in game.events)
    totals = game.totals
    assert sum(died.values()) > 0
    for player in PLAYERS:
        for how in ("squish", "paradox", "crush", "trample"):
            assert totals[player][how] == died[player, how]
    assert totals["white"]["planted"] + totals["black"]["planted"] == planted > 0


@pytest.mark.parametrize(
    ("position", "action", "events"),
    [
        (
            (
                "..../..WB/..../....|W.../...B/..../....|W.../...B/..../.... - w 2 PF P7 4/4 - "
                "---/--- -/- 7"
            ),
            "move east",
            [Died("past", "black", 8, "squish"), Moved("past", "white copy", 7, 8, "walked")],
        ),
        (
            (
                "W.../..../.*../...B|W.../..../.#../...B|..../..../WTB./.... G w 2 FF F9 4/4 - "
                "---/--- -/- 7"
            ),
            "move east",
            [
                Died("future", "black", 11, "crush"),
                Toppled("future", 10, 11),
                Moved("future", "white copy", 9, 10, "walked"),
            ],
        ),
        (
            (
                "..../..../W*../...B|W.../..../.#../...B|W.../..../..<./...B G w 2 PF P9 4/4 - "
                "---/--- -/- 7"
            ),
            "remove east",
            [
                Removed("past", "seed", 10),
                Removed("present", "shrub", 10),
                Removed("future", "fallen tree, trunk to the west", 11),
            ],
        ),
        (
            (
                "W.../..../..../...B|..../..../.W../...B|W.../..../..../...B - w 2 NF N10 4/4 - "
                "---/--- -/- 7"
            ),
            "travel forward",
            [Travelled("present", "white", 10, "future")],
        ),
        (
            (
                "W.../..../..../...B|..../..../.W../...B|W.../..../..../...B - w 2 NF N10 4/4 - "
                "---/--- -/- 7"
            ),
            "travel backward",
            [Travelled("present", "white", 10, "past"), Copied("present", "white", 10)],
        ),
        (  # there is no such statue in the future that would move with it
            (
                "W.../..O./..../...B|WI../..O./..../...B|W.../..O./..../...B I w 2 NF N1 4/4 b "
                "---/--- -/- 9"
            ),
            "move east",
            [
                Moved("present", "white's statue", 2, 3, "pushed"),
                Moved("present", "white copy", 1, 2, "walked"),
            ],
        ),
        (
            (
                "W..D/..../..../L..B|..WD/..../..../L..B|W..D/..../..../L..B M w 2 NF N3 4/4 - "
                "bbb/--- -/- 7"
            ),
            "train dark",
            [
                Untrained("present", "dark", "black"),
                Trained("present", "dark", "white"),
                Untrained("future", "dark", "black"),
                Trained("future", "dark", "white"),
            ],
        ),
    ],
)
def test_events_tell_who_died_where_and_how(
    position: str, action: str, events: list[Event]
) -> None:
    game = Game(position=position)
    game.play(action)
    assert game.events == events
