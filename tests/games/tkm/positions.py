"""Random play through the public interfaces, and positions that several tests share.

These are the tests of texts, observations and interfaces.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tkm_env import ACTIONS, Game
from tkm_env.games.tkm.engine.powers import POWERS
from tkm_env.games.tkm.notation import FIELDS

#: Settings that switch on conceding and draws.
TALK = {"concede": True, "draws": True}

#: The standard start.
START = "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1"
#: "focus present" wins for white.
WHITE_WINS = (
    "W.../..../..../...B|W.../..../..../....|W.../..../..../.... - w f PF - 4/4 - ---/--- -/- 9"
)
#: "focus present" wins for black.
BLACK_WINS = (
    "W.../..../..../...B|..../..../..../...B|..../..../..../...B - b f PF - 4/4 - ---/--- -/- 10"
)
#: "focus present" wins for neither player.
NOBODY_WINS = (
    "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w f PF - 4/4 - ---/--- -/- 9"
)
#: Revealed powers to draft from, which need no chapter.
REVEALED = "overtime,fixation,express,doorway"

#: Positions with every piece, step and mark between them; no one game leads to them.
VARIED: tuple[str, ...] = (
    START,
    WHITE_WINS,
    "..../.w../*.../b..B|..../.W#./#.../...B|W.T./..>./T.../^..B G b c NF - 2/3 - ---/--- -/- 23",
    "W.../*.../..../...B|W.../..../..../...B|W.v./.<../..../...B G w 1 PF P1 4/4 - ---/--- -/- 4",
    "W.I./..O./..../...B|W.I./..O./E.../...B|W.../I.O./E.../...B I w 2 NF N1 4/4 - ---/--- -/- 14",
    "W..D/B.../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M w f NF - 4/3 - w-w/bb- -/- 31",
    (
        "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b "
        "-/- 12"
    ),
    (
        "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2+ NF N1 2/3 b "
        "-w-/--b green-thumb/loyalty 12"
    ),
    (
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w f PF P1 4/4 - ---/--- "
        "overtime/overtime! 3"
    ),
    "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - b c= FN - 4/4 - ---/--- -/- 2",
    (
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w a NN - 4/4 - ---/--- "
        "second-wind/- 200"
    ),
    (
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w d -- - 4/4 - ---/--- "
        f"{REVEALED}/-/express 1"
    ),
    (
        "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - b o -- - 4/4 - ---/--- "
        f"{REVEALED}/overtime 1"
    ),
)


def with_fields(text: str, **fields: str) -> str:
    """The text with some of its fields replaced; a name's underscores stand for spaces."""
    parts = dict(zip(FIELDS, text.split(" "), strict=True))
    for name, value in fields.items():
        assert name.replace("_", " ") in parts
        parts[name.replace("_", " ")] = value
    return " ".join(parts.values())


def random_action(mask: np.ndarray, generator: np.random.Generator) -> int:
    """A legal action, all equally likely."""
    return int(generator.choice(mask.nonzero()[0]))


def random_game(
    game: Game, seed: int, *, without: tuple[str, ...] = ("concede",)
) -> Iterator[Game]:
    """The same game before each random step and after the last one."""
    generator = np.random.default_rng(seed)
    yield game
    while game.result is None:
        mask = game.action_mask()
        mask[[ACTIONS.index(name) for name in without]] = 0
        game.play(random_action(mask, generator))
        yield game


def facts_of(game: Game) -> tuple[Any, ...]:
    """Everything a game reports, as one value to compare."""
    return (
        game.position,
        game.config,
        game.result,
        game.winner,
        game.is_truncated,
        game.to_act,
        game.turn,
        game.history,
        game.legal_actions(),
        game.action_mask().tobytes(),
        game.observation("white").tobytes(),
        game.observation("black").tobytes(),
        hash(game),
        str(game),
    )


POWER_NAMES = [power.name for power in POWERS]
EVERY_CHAPTER = with_fields(
    START, chapters="GIM", board="|".join(["W..D/..O./..../L..B"] * 3), statues="wb"
)

#: Positions that between them reach the highest value of every plane.
EXTREME = [
    *VARIED,
    "w.../*.../..../...B|w.../*.../..../...B|w.../..../..../...B G w f PP F1 4/4 - ---/--- -/- 100",
    (
        "WIE./..O./..../...B|WIE./..O./..../...B|WIE./..O./..../...B I b 2 NP P16 4/4 - ---/--- "
        "-/- 9999"
    ),
    (
        "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M b 1 FN N16 4/4 - www/bbb "
        "-/- 9999"
    ),
    (
        "W..D/..../..../L..B|W..D/..../..../L..B|W..D/..../..../L..B M b 1 FN F16 4/4 - bbb/www "
        "-/- 9999"
    ),
    (
        "W.../..../..../...B|W.../..../..../...B|Wv>./.<../^.T./...B G w 1 PF F1 4/4 - ---/--- "
        "-/- 9999"
    ),
    "W.../..../..../...B|W.../#.../..../...B|W.../#.../..../...B G w 1 PF F1 4/4 - ---/--- -/- 1",
    (
        "..../..../..../....|..../..../..../....|..../..../..../.... - w f FP - 7/7 - ---/--- "
        "second-wind/second-wind 99"
    ),
    with_fields(START, powers="overtime!/overtime!"),
    *(with_fields(EVERY_CHAPTER, powers=f"{name}/{name}") for name in POWER_NAMES),
    *(
        with_fields(
            EVERY_CHAPTER,
            step="d",
            focus="--",
            powers=",".join([*POWER_NAMES[first:], *POWER_NAMES][:4]) + "/-",
        )
        for first in range(len(POWER_NAMES))
    ),
]
