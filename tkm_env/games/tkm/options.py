"""The settings of `GameConfig` as commands and forms present them, and how they are parsed from text."""

from __future__ import annotations

import itertools
import re
from typing import Any, Final

from tkm_env.errors import ConfigError
from tkm_env.game.settings import Setting
from tkm_env.games.tkm.config import CONVERGENCE, MAX_HANDICAP, RANDOM, STANDARD, TIMELINES, GameConfig
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWER_SETS
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS, PLAYERS


def _chapters(text: str) -> Any:
    names = re.split("[, ]+", text)
    if len(names) > 1 and {*names} <= {*CHAPTERS}:
        raise ConfigError("chapters", text, f"several chapters are joined by a plus sign: {'+'.join(names)}")
    return int(text) if _is_number(text) else text.split("+") if "+" in text else text


def _handicap(text: str) -> Any:
    parts = text.split(",")
    return tuple(map(int, parts)) if all(map(_is_number, parts)) else text


def _is_number(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _powers(text: str) -> Any:
    return tuple(None if name in ("", "none", "-") else name for name in text.split(",")) if "," in text else text


def _power_set(text: str) -> Any:
    return tuple(text.split(",")) if "," in text else text


_MIXTURES: Final = tuple(
    "+".join(names) for size in range(1, len(CHAPTERS) + 1) for names in itertools.combinations(CHAPTERS, size)
)

#: The keywords of `GameConfig`, in its order.
OPTIONS: Final = (
    Setting(
        "chapters",
        f"{STANDARD}, growth, influence, memory, {CONVERGENCE}, 0 to 4, or several joined by +.",
        "standard; a timeline draws them",
        "choice",
        (STANDARD, *_MIXTURES, CONVERGENCE),
        _chapters,
        words="Growth adds seeds and trees, influence statues, memory elephants. Begin with the standard game.",
        names={
            "standard; a timeline draws them": "standard game, or drawn with a draft",
            STANDARD: "standard game",
            **{mixture: mixture.replace("+", ", ") for mixture in _MIXTURES},
            CONVERGENCE: "two chapters, drawn",
        },
        is_first=True,
    ),
    Setting(
        "edition",
        "2021, or 2022: the revised rules.",
        "2021",
        "choice",
        EDITIONS,
        words="The rulebook that is played by. The revised one lets seeds be planted under copies, for example.",
        names={"2021": "2021, the first", "2022": "2022, revised"},
    ),
    Setting(
        "first_player",
        "white or black.",
        "white",
        "choice",
        PLAYERS,
        label="first turn",
        words="Who takes the first turn, or drafts first.",
    ),
    Setting(
        "handicap",
        "Copies missing from white's and black's supply, such as 0,2.",
        "none",
        "pair",
        tuple(map(str, range(MAX_HANDICAP + 1))),
        _handicap,
        words="How many copies are missing from each supply: give the stronger player some.",
    ),
    Setting(
        "powers",
        "White's and black's power, such as doorway,none.",
        "none",
        "pair",
        ("none", *POWER_NAMES),
        _powers,
        words="A lasting ability for each player. Some need a chapter in play.",
    ),
    Setting(
        "timeline",
        "Powers are drafted: draft_powers or power_share.",
        "no draft",
        "choice",
        TIMELINES,
        label="draft of powers",
        words="Before the game four powers are revealed, and each player takes one, or both use the one that is taken.",
        names={"draft_powers": "each takes one", "power_share": "both use one"},
    ),
    Setting(
        "power_set",
        "With a timeline: a set, four powers joined by commas, or random.",
        "random, with a timeline",
        "text",
        (RANDOM, *POWER_SETS),
        _power_set,
        label="powers to draft from",
        words="Only with a draft: the name of a set, or drawn at random.",
    ),
    Setting(
        "max_turns",
        "Turns after which a game is truncated.",
        str(GameConfig().max_turns),
        "number",
        label="turn limit",
        words="After so many turns of both players together the game ends without a winner.",
    ),
    Setting(
        "concede",
        "Conceding is an action.",
        "no",
        "switch",
        label="conceding",
        words="A player may give up.",
    ),
    Setting(
        "draws",
        "Draws may be offered.",
        "no",
        "switch",
        label="draw offers",
        words="A player may offer a draw, which the other accepts or declines.",
    ),
)
