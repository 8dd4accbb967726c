"""The values of settings that are more than a choice: names, parsing, and checks."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.foundations.checks import checked_integer, whole_number
from tkm_env.foundations.errors import ConfigError, did_you_mean
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWER_SETS
from tkm_env.games.tkm.engine.state import CHAPTERS, PLAYERS

#: What may be given as ``chapters``.
Chapters: TypeAlias = str | int | Collection[str] | None

STANDARD: Final = "standard"
CONVERGENCE: Final = "convergence"
POWER_SHARE: Final = "power_share"
TIMELINES: Final = ("draft_powers", POWER_SHARE)
RANDOM: Final = "random"
#: EN 4: a grandmaster starts with three copies fewer.
MAX_HANDICAP: Final = 3
#: How many powers a draft chooses from.
_POWERS_REVEALED: Final = 4


def parse_chapters(text: str) -> Any:
    """A setting of chapters from text: an integer if it is one, or else the text itself."""
    return int(text) if is_number(text) else text


def parse_handicap(text: str) -> Any:
    parts = text.split(",")
    return tuple(map(int, parts)) if all(map(is_number, parts)) else text


def parse_powers(text: str) -> Any:
    if "," not in text:
        return text
    return tuple(None if name in ("", "none", "-") else name for name in text.split(","))


def is_number(text: str) -> bool:
    """Whether a text consists of digits, and of few enough for any setting."""
    return re.fullmatch("[0-9]{1,9}", text) is not None


def checked_chapters(given: object) -> str | tuple[str, ...] | None:
    """None, ``"convergence"``, or the names of the chapters in the rulebook's order."""
    names = (STANDARD, *CHAPTERS, CONVERGENCE)
    number = whole_number(given)
    chosen: Any = names[number] if number is not None and 0 <= number < len(names) else given
    if chosen is None:
        return None
    joined = None
    if isinstance(chosen, str) and chosen not in names:
        parts = re.split("[, ]+", chosen)
        joined = "+".join(parts) if len(parts) > 1 and {*parts} <= {*CHAPTERS} else None
        chosen = chosen.split("+") if "+" in chosen else chosen
    if isinstance(chosen, str) and chosen in names:
        if chosen == CONVERGENCE:
            return CONVERGENCE
        return tuple(name for name in CHAPTERS if name == chosen)
    # An array of numpy's stands for a number, not for a collection.
    is_collection = isinstance(chosen, Collection) and not isinstance(
        chosen, (str, bytes, bytearray, np.ndarray)
    )
    if is_collection and all(isinstance(name, str) and name in CHAPTERS for name in chosen):
        return tuple(name for name in CHAPTERS if name in chosen)
    listed = chosen if isinstance(chosen, (list, tuple, set, frozenset)) else (chosen,)
    unknown = next((name for name in listed if isinstance(name, str) and name not in names), None)
    raise ConfigError(
        "chapters",
        given,
        f"it must be None, one of {', '.join(map(repr, names))}, a number from 0 to "
        f"{len(names) - 1}, or a collection of {', '.join(map(repr, CHAPTERS))}, "
        f"also joined by plus signs{did_you_mean(unknown, names)}"
        f"{f'; several chapters are joined by a plus sign: {joined}' if joined else ''}",
    )


def checked_powers(given: object) -> tuple[str | None, str | None] | None:
    """None, or white's and black's power: each a name or None, not both None."""
    if given is None:
        return None
    pair = given if isinstance(given, (tuple, list)) else (given,)
    if len(pair) != len(PLAYERS) or not all(name is None or _is_power(name) for name in pair):
        unknown = next((name for name in pair if not _is_power(name)), None)
        raise ConfigError(
            "powers",
            given,
            "it must be None or a pair, white's and black's: each None or one of "
            f"{', '.join(map(repr, POWER_NAMES))}{did_you_mean(unknown, POWER_NAMES)}",
        )
    white, black = (None if name is None else str(name) for name in pair)
    return None if white is black is None else (white, black)


def _is_power(name: object) -> bool:
    return isinstance(name, str) and name in POWER_NAMES


def checked_power_set(given: object, timeline: str | None) -> str | tuple[str, ...] | None:
    """The powers to draft from.

    Args:
        given: a set's name, "random", four powers' names, or None.
        timeline: how powers are drafted; None if they are not.

    Returns:
        What was given; "random" where nothing was, and None without a timeline.

    Raises:
        ConfigError: if it is none of these, or is given without a timeline.
    """
    if timeline is None and given is not None:
        raise ConfigError(
            "power_set", given, f"it needs a timeline: {' or '.join(map(repr, TIMELINES))}"
        )
    if given is None:
        return None if timeline is None else RANDOM
    if isinstance(given, str) and given in (RANDOM, *POWER_SETS):
        return str(given)
    if (
        isinstance(given, (tuple, list))
        and all(map(_is_power, given))
        and len(given) == len(set(given)) == _POWERS_REVEALED
    ):
        return tuple(map(str, given))
    raise ConfigError(
        "power_set",
        given,
        f"it must be {RANDOM!r}, one of {', '.join(map(repr, POWER_SETS))}, or four different "
        f"names out of {', '.join(map(repr, POWER_NAMES))}"
        f"{did_you_mean(given, (RANDOM, *POWER_SETS))}",
    )


def checked_handicap(given: object) -> tuple[int, int]:
    if not isinstance(given, (tuple, list)) or len(given) != len(PLAYERS):
        raise ConfigError(
            "handicap",
            given,
            "it must be a pair: copies missing from white's and from black's supply",
        )
    white, black = (
        checked_integer("handicap", missing, 0, MAX_HANDICAP, given) for missing in given
    )
    return white, black
