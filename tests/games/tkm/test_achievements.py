"""Each feat is seen when it is done, by the player who did it, and not otherwise."""

from __future__ import annotations

import pytest

from tkm_env import Game
from tkm_env.games.tkm.achievements import achieved

STATUES = (
    "..../.WO./..../...B|W.../..OB/..../....|W.../..O{}/..../...B I w 2 PF P6 {} wb ---/--- -/- 7"
)


@pytest.mark.parametrize(
    ("position", "actions", "feats"),
    [
        pytest.param(
            (
                "..B./..W./..W./....|W.../..../..../...B|W.../..../..../...B - b 2 FP P3 3/4 - "
                "---/--- -/- 8"
            ),
            ["move south", "move west", "focus present", "concede"],
            [("two-of-a-kind", "black")],
            id="two copies by one paradox",
        ),
        pytest.param(
            (
                "W.../..../..W./..WB|W.../..../..../...B|W.../..../..../...B - w 2 PF P11 2/4 - "
                "---/--- -/- 9"
            ),
            ["move south", "focus future", "concede"],
            [],
            id="a paradox of one's own is no feat",
        ),
        pytest.param(
            (
                "W.../..../.**./...B|W.../..../.##./...B|..../..../WTTB/.... G w 2 FF F9 4/4 - "
                "---/--- -/- 7"
            ),
            ["move east", "move west", "focus past", "concede"],
            [("dominoes", "white")],
            id="a tree that another tree pushed",
        ),
        pytest.param(
            (
                "W.../..../.*../...B|W.../..../.#../...B|..../..../WTB./.... G w 2 FF F9 4/4 - "
                "---/--- -/- 7"
            ),
            ["move east", "move west", "focus past", "concede"],
            [],
            id="one tree alone is no domino",
        ),
        pytest.param(
            (
                "..../..W./..../....|.W../...B/..../....|..../..../...B/...B - w c PF - 4/4 - "
                "---/--- -/- 7"
            ),
            ["choose 7", "travel forward", "move east", "focus future"],
            [("on-the-brink", "white"), ("unharmed", "white")],
            id="win with one era left",
        ),
        pytest.param(
            (
                "W..D/...B/...B/L...|W..D/..../..../L..B|W..D/..../..../L..B M w 2 PF P1 4/3 - "
                "w--/--- -/- 9"
            ),
            ["command dark south", "command dark south", "focus present", "concede"],
            [("stampede", "white")],
            id="two copies trampled in one turn",
        ),
        pytest.param(
            (
                "..../..WB/..../....|W.../..../..B./...B|W.../..../..../.... - w c PF - 4/4 - "
                "---/--- -/- 7"
            ),
            ["choose 7", "move east", "move west", "focus present"],
            [("stay-at-home", "white"), ("unharmed", "white")],
            id="win without travelling or losing a copy",
        ),
        pytest.param(
            STATUES.format(".", "4/4"),
            ["move east", "move west", "focus present", "concede"],
            [("long-arm", "white")],
            id="kill in a later era",
        ),
        pytest.param(
            STATUES.format("W", "3/4"),
            ["move east", "move west", "focus present", "concede"],
            [("long-arm", "white"), ("together", "white")],
            id="kill one of each by one action",
        ),
        pytest.param(
            (
                "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2+ PF P6 4/4 - "
                "---/--- green-thumb/- 7"
            ),
            ["plant north", "plant east", "plant south", "focus present", "concede"],
            [("green-fingers", "white")],
            id="three trees grown",
        ),
        pytest.param(
            (
                "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - "
                "---/--- -/- 1"
            ),
            ["concede"],
            [],
            id="a concession wins nothing",
        ),
    ],
)
def test_feats(position: str, actions: list[str], feats: list[tuple[str, str]]) -> None:
    game = Game(position=position, concede=True)
    told: list[tuple[str, str]] = []
    for action in actions:
        game.play(action)
        assert achieved(game)[: len(told)] == told, "a feat stays completed"
        told = achieved(game)
    assert game.result is not None
    assert told == feats


@pytest.mark.parametrize(
    ("position", "actions", "completed_by"),
    [
        (
            (
                "..B./..W./..W./....|W.../..../..../...B|W.../..../..../...B - b 2 FP P3 3/4 - "
                "---/--- -/- 8"
            ),
            ["move south", "move west"],
            1,
        ),
        (
            (
                "..../.W../..../...B|W.../..../..../...B|W.../..../..../...B G w 2+ PF P6 4/4 - "
                "---/--- green-thumb/- 7"
            ),
            ["plant north", "plant east", "plant south"],
            3,
        ),
        (
            (
                "..../..WB/..../....|W.../..../..B./...B|W.../..../..../.... - w c PF - 4/4 - "
                "---/--- -/- 7"
            ),
            ["choose 7", "move east", "move west", "focus present"],
            4,
        ),
    ],
)
def test_a_feat_counts_from_the_action_that_completes_it(
    position: str, actions: list[str], completed_by: int
) -> None:
    game = Game(position=position)
    for number, action in enumerate(actions, 1):
        game.play(action)
        assert bool(achieved(game)) == (number >= completed_by), f"after {number} actions"


def test_the_first_to_complete_a_feat_has_it() -> None:
    game = Game(
        position=(
            "..B./..W./..W./....|..W./..B./..B./....|W.../..../..../...B - b 2 NP P3 3/3 - "
            "---/--- -/- 8"
        ),
        concede=True,
    )
    for action in ("move south", "move west", "focus future"):
        game.play(action)
    for action in ("choose 3", "move south", "move west", "focus future", "concede"):
        game.play(action)
    assert achieved(game) == [("two-of-a-kind", "black")]
