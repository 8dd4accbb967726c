"""The settings of a game, all validated here, and the starts that they allow."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
import re
from collections.abc import Collection, Iterable
from typing import Any, Final, TypeAlias, TypedDict

import numpy as np

from tkm_env.compiled.random_numbers import draw_from
from tkm_env.core.settings import Exclusion, reduce_config, setting
from tkm_env.core.state_arrays import copy_states
from tkm_env.foundations.checks import checked_choice, checked_flag, checked_integer, whole_number
from tkm_env.foundations.errors import ConfigError, did_you_mean
from tkm_env.foundations.files import packaged_json
from tkm_env.games.tkm.engine.observation import MAX_TURNS_LIMIT
from tkm_env.games.tkm.engine.powers import POWER_NAMES, POWER_SETS, POWERS
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    EDITIONS,
    NO_POWER,
    PLAYERS,
    POWER_TEXTS,
    STATE,
    set_up,
)

#: What may be given as ``chapters``.
Chapters: TypeAlias = str | int | Collection[str] | None

STANDARD: Final = "standard"
CONVERGENCE: Final = "convergence"
POWER_SHARE: Final = "power_share"
TIMELINES: Final = ("draft_powers", POWER_SHARE)
RANDOM: Final = "random"
_POWERS_REVEALED: Final = 4

#: How commands and forms present the settings.
_TEXTS: Final[dict[str, dict[str, Any]]] = packaged_json(__package__, "settings.json")

#: A start is drawn by a random number below this.
DRAWS: Final = 2**32

#: EN 4: a grandmaster starts with three copies fewer.
MAX_HANDICAP: Final = 3


class GameSettings(TypedDict, total=False):
    """The keywords of `GameConfig`, for type checkers: whatever takes settings takes these."""

    chapters: Chapters
    edition: str | int
    first_player: str
    handicap: tuple[int, int]
    powers: tuple[str | None, str | None] | None
    timeline: str | None
    power_set: str | tuple[str, ...] | None
    power_texts: int
    max_turns: int
    concede: bool
    draws: bool


def _parse_chapters(text: str) -> Any:
    names = re.split("[, ]+", text)
    if len(names) > 1 and {*names} <= {*CHAPTERS}:
        raise ConfigError(
            "chapters", text, f"several chapters are joined by a plus sign: {'+'.join(names)}"
        )
    return int(text) if _is_number(text) else text.split("+") if "+" in text else text


def _parse_handicap(text: str) -> Any:
    parts = text.split(",")
    return tuple(map(int, parts)) if all(map(_is_number, parts)) else text


def _is_number(text: str) -> bool:
    return re.fullmatch("[0-9]{1,9}", text) is not None


def _parse_powers(text: str) -> Any:
    return (
        tuple(None if name in ("", "none", "-") else name for name in text.split(","))
        if "," in text
        else text
    )


_MIXTURES: Final = tuple(
    "+".join(names)
    for size in range(1, len(CHAPTERS) + 1)
    for names in itertools.combinations(CHAPTERS, size)
)


def _exclusions_of_powers() -> tuple[Exclusion, ...]:
    """For each choice of chapters, the powers that need another one."""
    found = []
    for choice in ("", STANDARD, *_MIXTURES, CONVERGENCE):
        needed = [name for name in CHAPTERS if name not in choice.split("+")]
        for chapter in needed:
            powers = tuple(
                power.name for power in POWERS if power.requires >> CHAPTERS.index(chapter) & 1
            )
            found.append(Exclusion(choice, "powers", f"needs {chapter}", powers))
    return tuple(found)


@dataclasses.dataclass(frozen=True)
class GameConfig:
    """The settings of a game, which the whole package takes as keywords. Raises a `ConfigError` naming the keyword, what was given and what
    is allowed.

    Attributes:
        chapters: which chapters are in play. ``"standard"``: none. ``"growth"``, ``"influence"``, ``"memory"``: that one.
            ``"convergence"``: two, drawn for each game from its seed (RULES §8). A number from 0 to 4: the rulebook's chapter. A
            collection of names: those together, stored as a tuple in the rulebook's order. None: the standard game, or with a
            ``timeline`` the chapters on its cards (RULES §10).
        edition: ``"2021"``, the English rulebook, or ``"2022"``, the revised rules for planting and blocked builds.
        first_player: ``"white"`` or ``"black"``; with a timeline, the player who drafts first.
        handicap: how many copies are missing from white's and from black's supply, 0 to 3 each (EN 4).
        powers: white's and black's power, names or None. Every chapter they require must be in play.
        timeline: ``"draft_powers"`` (each player takes a power) or ``"power_share"`` (one power for both), drafted in the game itself.
        power_set: with a timeline, the powers to draft from: the name of a set, four powers' names, or ``"random"``, the default.
        power_texts: 1, or 2: the second texts of five powers, by which the powers of a set are about equally strong.
        max_turns: how many turns, counted over both players, until a game without a winner is truncated; 1 to 9999.
        concede: whether conceding is an action.
        draws: whether a draw may be offered.

    >>> GameConfig(chapters=["memory", "growth"], powers=("brushwood", None)).chapters
    ('growth', 'memory')
    """

    chapters: Chapters = setting(
        None,
        choices=(STANDARD, *_MIXTURES, CONVERGENCE),
        parse=_parse_chapters,
        is_first=True,
        excludes=_exclusions_of_powers(),
        **_TEXTS["chapters"]
        | {
            "names": {name: name.replace("+", ", ") for name in _MIXTURES}
            | _TEXTS["chapters"]["names"]
        },
    )
    edition: str = setting("2021", choices=EDITIONS, **_TEXTS["edition"])
    first_player: str = setting("white", choices=PLAYERS, **_TEXTS["first_player"])
    handicap: tuple[int, int] = setting(
        (0, 0),
        kind="pair",
        choices=tuple(map(str, range(MAX_HANDICAP + 1))),
        parse=_parse_handicap,
        **_TEXTS["handicap"],
    )
    powers: tuple[str | None, str | None] | None = setting(
        None, kind="pair", choices=("none", *POWER_NAMES), parse=_parse_powers, **_TEXTS["powers"]
    )
    timeline: str | None = setting(
        None,
        choices=TIMELINES,
        excludes=(
            Exclusion("", "power_set", "Choose a draft of powers first."),
            *(Exclusion(name, "powers", "The powers are drafted.") for name in TIMELINES),
        ),
        **_TEXTS["timeline"],
    )
    power_set: str | tuple[str, ...] | None = setting(
        None,
        kind="text",
        choices=(RANDOM, *POWER_SETS),
        parse=lambda text: tuple(text.split(",")) if "," in text else text,
        **_TEXTS["power_set"],
    )
    power_texts: int = setting(
        1,
        choices=tuple(map(str, POWER_TEXTS)),
        parse=lambda text: int(text) if _is_number(text) else text,
        **_TEXTS["power_texts"],
    )
    max_turns: int = setting(200, kind="number", **_TEXTS["max_turns"])
    concede: bool = setting(False, kind="switch", **_TEXTS["concede"])
    draws: bool = setting(False, kind="switch", **_TEXTS["draws"])

    def __post_init__(self) -> None:
        self._set("chapters", _checked_chapters(self.chapters))
        if (year := str(whole_number(self.edition))) in EDITIONS:
            self._set("edition", year)
        checked_choice("edition", self.edition, EDITIONS)
        checked_choice("first_player", self.first_player, PLAYERS)
        self._set("handicap", _checked_handicap(self.handicap))
        self._set("powers", _checked_powers(self.powers))
        if self.timeline is not None:
            checked_choice("timeline", self.timeline, TIMELINES)
        self._set("power_set", _checked_power_set(self.power_set, self.timeline))
        self._set("power_texts", checked_integer("power_texts", self.power_texts, *POWER_TEXTS))
        self._set("max_turns", checked_integer("max_turns", self.max_turns, 1, MAX_TURNS_LIMIT))
        self._set("concede", checked_flag("concede", self.concede))
        self._set("draws", checked_flag("draws", self.draws))
        self._check_powers_fit()

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_config(self)

    def _set(self, keyword: str, value: object) -> None:
        object.__setattr__(self, keyword, value)

    def _check_powers_fit(self) -> None:
        """R16, RULES §10: the chapters that powers require must be in play; with a timeline, powers are drafted, not given."""
        if self.timeline is not None:
            if self.powers is not None:
                raise ConfigError(
                    "powers",
                    self.powers,
                    "with a timeline powers are drafted; power_set says from which",
                )
            if not self._sets_to_reveal():
                required = _names_of(_requirements(self._candidate_sets()[0]))
                raise ConfigError(
                    "chapters",
                    self.chapters,
                    f"the powers of {self.power_set!r} require {required} in play",
                )
        for name in self.powers or ():
            requires = _requirements([name] if name else [])
            if requires & ~self._certain_chapters():
                raise ConfigError(
                    "powers", self.powers, f"{name!r} requires {_names_of(requires)} in play"
                )

    def _certain_chapters(self) -> int:
        """The bits of the chapters that are in play regardless of draws."""
        if self.chapters is None or self.chapters == CONVERGENCE:
            return 0
        assert isinstance(self.chapters, tuple)
        return sum(1 << CHAPTERS.index(name) for name in self.chapters)

    def _candidate_sets(self) -> list[tuple[str, ...]]:
        """The sets of powers to draft from, whatever chapters they require; an empty one without a timeline."""
        if isinstance(self.power_set, str):
            return [names for name, names in POWER_SETS.items() if self.power_set in (name, RANDOM)]
        return [self.power_set or ()]

    def _sets_to_reveal(self) -> list[tuple[str, ...]]:
        """The sets that may be revealed, all equally likely: only those whose chapters are in play or may be drawn."""
        sets = self._candidate_sets()
        return [
            names
            for names in sets
            if self.chapters is None or not _requirements(names) & ~self._certain_chapters()
        ]

    def starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Every position a game may start from, and its probability: read-only arrays of the engine's dtype and of float64."""
        return _starts(self)

    @property
    def begins_by_chance(self) -> bool:
        """Whether a game may start in more than one way."""
        return len(self.starts()[0]) > 1

    def thresholds(self) -> np.ndarray:
        """How a start is drawn: of the numbers below `DRAWS`, those below the first threshold draw the first start, and so on: int64."""
        return np.round(np.cumsum(self.starts()[1]) * DRAWS).astype(np.int64)

    def draw(self, chance: Any) -> np.ndarray:
        """A starting position, of the engine's dtype and shape (1,); what the settings leave open is drawn from the stream ``chance``."""
        starts = self.starts()[0]
        number = (
            0
            if len(starts) == 1
            else int(self.thresholds().searchsorted(draw_from(chance, DRAWS), side="right"))
        )
        return copy_states(starts[number : number + 1])

    def _chapters_to_draw(self, required: int) -> list[int]:
        """The bits of the chapters that may come into play, all equally likely, given those that powers require."""
        if self.chapters == CONVERGENCE:  # RULES §8
            return _hands([1 << chapter for chapter in range(len(CHAPTERS))], 2)
        if self.chapters is None and self.timeline is not None:  # RULES §10
            cards = [
                _BASICS_CARD,
                *(1 << chapter for chapter in range(len(CHAPTERS)) if not required >> chapter & 1),
            ]
            return [required | drawn for drawn in _hands(cards, max(0, 2 - required.bit_count()))]
        return [self._certain_chapters()]


@functools.cache
def _starts(config: GameConfig) -> tuple[np.ndarray, np.ndarray]:
    """`GameConfig.starts`, cached."""
    starts, chances = [], []
    reveals = config._sets_to_reveal()
    for revealed in reveals:
        hands = config._chapters_to_draw(_requirements(revealed))
        for chapters in hands:
            starts.append(_start(config, revealed, chapters))
            chances.append(1 / len(reveals) / len(hands))
    both = np.concatenate(starts), np.array(chances)
    for array in both:
        array.flags.writeable = False
    return both


def _start(config: GameConfig, revealed: tuple[str, ...], chapters: int) -> np.ndarray:
    states = np.zeros(1, STATE)
    settings = {
        "power": [
            NO_POWER if name is None else POWER_NAMES.index(name)
            for name in config.powers or (None, None)
        ],
        "revealed": [POWER_NAMES.index(name) for name in revealed] or NO_POWER,
        "power_share": config.timeline == POWER_SHARE,
        "chapters": chapters,
        "edition": EDITIONS.index(config.edition),
        "to_act": PLAYERS.index(config.first_player),
        **{
            name: getattr(config, name) for name in ("power_texts", "max_turns", "concede", "draws")
        },
    }
    for field, value in settings.items():
        states[field] = value
    set_up(states[0], config.handicap)
    return states


#: RULES §10: the card that puts no chapter into play.
_BASICS_CARD: Final = 0


def _hands(cards: list[int], number: int) -> list[int]:
    """The bits of the chapters on each combination of ``number`` of these cards."""
    return [sum(hand) for hand in itertools.combinations(cards, number)]


def _requirements(powers: Iterable[str]) -> int:
    """The bits of the chapters that these powers require together."""
    return functools.reduce(
        operator.or_, (POWERS[POWER_NAMES.index(name)].requires for name in powers), 0
    )


def _names_of(chapters: int) -> str:
    return " and ".join(repr(name) for bit, name in enumerate(CHAPTERS) if chapters >> bit & 1)


def _checked_chapters(given: object) -> str | tuple[str, ...] | None:
    """None, ``"convergence"``, or the names of the chapters in the rulebook's order."""
    names = (STANDARD, *CHAPTERS, CONVERGENCE)
    number = whole_number(given)
    chosen: Any = names[number] if number is not None and 0 <= number < len(names) else given
    if chosen is None:
        return None
    if isinstance(chosen, str) and chosen in names:
        return (
            CONVERGENCE
            if chosen == CONVERGENCE
            else tuple(name for name in CHAPTERS if name == chosen)
        )
    # An array of numpy's stands for a number, not for a collection.
    is_collection = isinstance(chosen, Collection) and not isinstance(
        chosen, (str, bytes, bytearray, np.ndarray)
    )
    if is_collection and all(isinstance(name, str) and name in CHAPTERS for name in chosen):
        return tuple(name for name in CHAPTERS if name in chosen)
    listed = given if isinstance(given, (list, tuple, set, frozenset)) else (given,)
    unknown = next((name for name in listed if isinstance(name, str) and name not in names), None)
    wanted = f"it must be None, one of {', '.join(map(repr, names))}, a number from 0 to {len(names) - 1}, "
    wanted += f"or a collection of {', '.join(map(repr, CHAPTERS))}{did_you_mean(unknown, names)}"
    raise ConfigError("chapters", given, wanted)


def _checked_powers(given: object) -> tuple[str | None, str | None] | None:
    """None, or white's and black's power: each a name or None, not both None."""
    if given is None:
        return None
    pair = given if isinstance(given, (tuple, list)) else (given,)
    if len(pair) != len(PLAYERS) or not all(name is None or _is_power(name) for name in pair):
        unknown = next((name for name in pair if not _is_power(name)), None)
        allowed = f"it must be None or a pair, white's and black's: each None or one of {', '.join(map(repr, POWER_NAMES))}"
        raise ConfigError("powers", given, allowed + did_you_mean(unknown, POWER_NAMES))
    white, black = (None if name is None else str(name) for name in pair)
    return None if white is black is None else (white, black)


def _is_power(name: object) -> bool:
    return isinstance(name, str) and name in POWER_NAMES


def _checked_power_set(given: object, timeline: str | None) -> str | tuple[str, ...] | None:
    """A set's name, "random", or four powers' names; None without a timeline."""
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
    sets, like = ", ".join(map(repr, POWER_SETS)), did_you_mean(given, (RANDOM, *POWER_SETS))
    wanted = f"it must be {RANDOM!r}, one of {sets}, or four different names out of {', '.join(map(repr, POWER_NAMES))}{like}"
    raise ConfigError("power_set", given, wanted)


def _checked_handicap(given: object) -> tuple[int, int]:
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
