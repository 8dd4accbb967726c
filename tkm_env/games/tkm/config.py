"""The settings of a game, all validated here, and the starts that they allow."""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Iterable
from typing import Any, Final, TypedDict

import numpy as np

from tkm_env.compiled.random_numbers import draw_from
from tkm_env.core.settings import Exclusion, reduce_config, setting
from tkm_env.core.state_arrays import copy_states
from tkm_env.foundations.checks import checked_choice, checked_flag, checked_integer, whole_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.message import Message
from tkm_env.games.tkm.config_values import (
    CONVERGENCE,
    MAX_HANDICAP,
    POWER_SHARE,
    RANDOM,
    STANDARD,
    TIMELINES,
    Chapters,
    checked_chapters,
    checked_handicap,
    checked_power_set,
    checked_powers,
    is_number,
    parse_chapters,
    parse_handicap,
    parse_powers,
)
from tkm_env.games.tkm.engine.planes import MAX_TURNS_LIMIT
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

#: A start is drawn by a random number below this.
DRAWS: Final = 2**32


class GameSettings(TypedDict, total=False):
    """The keywords of `GameConfig`, for type checkers."""

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


_MIXTURES: Final = tuple(
    "+".join(names)
    for size in range(1, len(CHAPTERS) + 1)
    for names in itertools.combinations(CHAPTERS, size)
)


#: How the default of ``chapters`` is shown.
_DEFAULT_CHAPTERS: Final = "standard, or drawn with a timeline"


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
    """The settings of a game, which the whole package takes as keywords.

    Attributes:
        chapters: which chapters are in play. ``"standard"``: none. ``"growth"``, ``"influence"``,
            ``"memory"``: that one. ``"convergence"``: two, drawn for each game from its seed (RULES
            §8). An integer from 0 to 4: the rulebook's chapter of that number, 0 for the standard
            game. A collection of names, or names joined by plus signs as in ``"growth+memory"``:
            these together, stored as a tuple in the rulebook's order.
            None: the standard game, or with a ``timeline`` the chapters on its cards (RULES §10).
        edition: ``"2021"``, the English rulebook, or ``"2022"``, the revised rules for planting and
            blocked builds.
        first_player: ``"white"`` or ``"black"``; with a timeline, the player who drafts first.
        handicap: the number of copies missing from white's and from black's supply, 0 to 3 each
            (EN 4).
        powers: white's and black's power, names or None. Every chapter they require must be in
            play.
        timeline: ``"draft_powers"`` (each player takes a power) or ``"power_share"`` (one power for
            both), drafted in the game itself.
        power_set: with a timeline, the powers to draft from: the name of a set, four powers' names,
            or ``"random"``, the default.
        power_texts: 1 for the powers' original texts, 2 for second texts of five powers, which
            balance the powers within a set.
        max_turns: the number of turns, counting both players', after which a game without a winner
            is truncated; 1 to 9999.
        concede: whether conceding is an action.
        draws: whether a draw may be offered.

    Raises:
        ConfigError: naming the keyword, what was given and what is allowed.

    >>> GameConfig(chapters=["memory", "growth"], powers=("brushwood", None)).chapters
    ('growth', 'memory')
    """

    chapters: Chapters = setting(
        None,
        "standard, growth, influence, memory, convergence, 0 to 4, or several joined by +.",
        default=_DEFAULT_CHAPTERS,
        choices=(STANDARD, *_MIXTURES, CONVERGENCE),
        parse=parse_chapters,
        words=(
            "Growth adds seeds and trees, influence statues, memory elephants. Begin with the "
            "standard game."
        ),
        names={
            **{name: name.replace("+", ", ") for name in _MIXTURES},
            _DEFAULT_CHAPTERS: "standard game (a draft draws chapters)",
            STANDARD: "standard game",
            CONVERGENCE: "two chapters, drawn",
        },
        is_first=True,
        excludes=_exclusions_of_powers(),
    )
    edition: str = setting(
        "2021",
        "2021, or 2022: the revised rules.",
        choices=EDITIONS,
        words=(
            "Which rulebook to play by. The revised rules let you plant seeds under copies, for "
            "example."
        ),
        names={"2021": "2021, the first", "2022": "2022, revised"},
    )
    first_player: str = setting(
        "white",
        "white or black.",
        choices=PLAYERS,
        label="first turn",
        words="Who takes the first turn, or drafts first.",
    )
    handicap: tuple[int, int] = setting(
        (0, 0),
        "Copies missing from white's and black's supply, such as 0,2.",
        default="none",
        kind="pair",
        choices=tuple(map(str, range(MAX_HANDICAP + 1))),
        parse=parse_handicap,
        words="How many copies each supply lacks at the start; take some from the stronger player.",
    )
    powers: tuple[str | None, str | None] | None = setting(
        None,
        "White's and black's power, such as doorway,none.",
        default="none",
        kind="pair",
        choices=("none", *POWER_NAMES),
        parse=parse_powers,
        words="A lasting ability for each player. Some need a chapter in play.",
    )
    timeline: str | None = setting(
        None,
        "A draft of powers at the start of the game: draft_powers or power_share.",
        default="no draft",
        choices=TIMELINES,
        label="draft of powers",
        words=(
            "Before the game four powers are revealed. Each player takes one, or both use the one "
            "that is taken."
        ),
        names={"draft_powers": "each takes one", POWER_SHARE: "both use one"},
        excludes=(
            Exclusion("", "power_set", "Choose a draft of powers first."),
            *(Exclusion(name, "powers", "The powers are drafted.") for name in TIMELINES),
        ),
    )
    power_set: str | tuple[str, ...] | None = setting(
        None,
        "With a timeline, the powers to draft from: the name of a set, four names joined by "
        "commas, or random.",
        default="random, with a timeline",
        kind="text",
        choices=(RANDOM, *POWER_SETS),
        parse=lambda text: tuple(text.split(",")) if "," in text else text,
        label="powers to draft from",
        words="Only with a draft: the name of a set, or random.",
    )
    power_texts: int = setting(
        1,
        "1 for the powers' original texts, 2 for second texts of five powers, which balance the "
        "powers within a set.",
        choices=tuple(map(str, POWER_TEXTS)),
        parse=lambda text: int(text) if is_number(text) else text,
        label="texts of powers",
        words="Which texts the powers have. The second texts balance the powers within a set.",
        names={"1": "the first", "2": "the second, balanced"},
    )
    max_turns: int = setting(
        200,
        "Turns after which a game is truncated.",
        kind="number",
        label="turn limit",
        words="After this many turns, counting both players', the game ends without a winner.",
    )
    concede: bool = setting(
        False,
        "Conceding is an action.",
        kind="switch",
        label="conceding",
        words="A player may give up.",
    )
    draws: bool = setting(
        False,
        "Draws may be offered.",
        kind="switch",
        label="draw offers",
        words="A player may offer a draw, which the other accepts or declines.",
    )

    def __post_init__(self) -> None:
        self._set("chapters", checked_chapters(self.chapters))
        if (year := str(whole_number(self.edition))) in EDITIONS:
            self._set("edition", year)
        checked_choice("edition", self.edition, EDITIONS)
        checked_choice("first_player", self.first_player, PLAYERS)
        self._set("handicap", checked_handicap(self.handicap))
        self._set("powers", checked_powers(self.powers))
        if self.timeline is not None:
            checked_choice("timeline", self.timeline, TIMELINES)
        self._set("power_set", checked_power_set(self.power_set, self.timeline))
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
        """R16, RULES §10: the chapters that powers require must be in play.

        With a timeline, powers are drafted, not given.
        """
        if self.timeline is not None:
            if self.powers is not None:
                raise ConfigError(
                    "powers",
                    self.powers,
                    Message(
                        "with a timeline, powers are drafted; power_set names those to draft from"
                    ),
                )
            if not self._sets_to_reveal():
                required = _names_of(_requirements(self._candidate_sets()[0]))
                raise ConfigError(
                    "chapters",
                    self.chapters,
                    Message(
                        "the powers of {power_set!r} require {chapters} in play",
                        power_set=self.power_set,
                        chapters=required,
                    ),
                )
        for name in self.powers or ():
            requires = _requirements([name] if name else [])
            if requires & ~self._certain_chapters():
                raise ConfigError(
                    "powers",
                    self.powers,
                    Message(
                        "{name!r} requires {chapters} in play",
                        name=name,
                        chapters=_names_of(requires),
                    ),
                )

    def _certain_chapters(self) -> int:
        """The chapters that are in play regardless of draws, as bits."""
        if self.chapters is None or self.chapters == CONVERGENCE:
            return 0
        assert isinstance(self.chapters, tuple)
        return sum(1 << CHAPTERS.index(name) for name in self.chapters)

    def _candidate_sets(self) -> list[tuple[str, ...]]:
        """The sets to draft from, whatever they require; an empty one without a timeline."""
        if isinstance(self.power_set, str):
            return [names for name, names in POWER_SETS.items() if self.power_set in (name, RANDOM)]
        return [self.power_set or ()]

    def _sets_to_reveal(self) -> list[tuple[str, ...]]:
        """The sets that may be revealed, all equally likely.

        They are those whose chapters are in play or may be drawn.
        """
        sets = self._candidate_sets()
        return [
            names
            for names in sets
            if self.chapters is None or not _requirements(names) & ~self._certain_chapters()
        ]

    def starts(self) -> tuple[np.ndarray, np.ndarray]:
        """Every position from which a game may start, and its probability.

        Returns:
            Read-only arrays of shape (k,), of the engine's dtype and of float64.
        """
        return _starts(self)

    @property
    def begins_by_chance(self) -> bool:
        """Whether a game may start in more than one way."""
        return len(self.starts()[0]) > 1

    def thresholds(self) -> np.ndarray:
        """How an integer from 0 to `DRAWS` - 1 selects a start.

        Returns:
            Ascending thresholds: int64 of shape (k,). The first one above the integer selects the
                start.
        """
        return np.round(np.cumsum(self.starts()[1]) * DRAWS).astype(np.int64)

    def draw(self, chance: Any) -> np.ndarray:
        """Draw a starting position: what the settings leave open comes from a stream.

        Args:
            chance: the stream: uint64 of shape (1,).

        Returns:
            An array of the engine's dtype and shape (1,).
        """
        starts = self.starts()[0]
        number = (
            0
            if len(starts) == 1
            else int(self.thresholds().searchsorted(draw_from(chance, DRAWS), side="right"))
        )
        return copy_states(starts[number : number + 1])

    def _chapters_to_draw(self, required: int) -> list[int]:
        """The chapters that may come into play, as bits, given those that powers require.

        All are equally likely.
        """
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
    """The chapters on each combination of ``number`` of these cards, as bits."""
    return [sum(hand) for hand in itertools.combinations(cards, number)]


def _requirements(powers: Iterable[str]) -> int:
    """The chapters that these powers require together, as bits."""
    return functools.reduce(
        operator.or_, (POWERS[POWER_NAMES.index(name)].requires for name in powers), 0
    )


def _names_of(chapters: int) -> str:
    return " and ".join(repr(name) for bit, name in enumerate(CHAPTERS) if chapters >> bit & 1)
