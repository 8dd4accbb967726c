"""The suite for language models: named tiers of trials, with frozen prompts and anchors.

A trial asks for one turn in each of some fixed positions, told in one way. A tier is a set of
trials, as large as somebody wants to pay for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from tkm_env.arena.benchmark.valued_positions import valued_positions
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.files import read_json
from tkm_env.questions.valued_position import ValuedPosition
from tkm_env.text.options import TextOptions

#: The version of the suite; any change of its positions or prompts needs a new one.
VERSION: Final = 1
#: The kind of the file with the frozen part, which `benchmarks/suite.py` writes.
FROZEN: Final = "tkm_env suite"
FROZEN_FILE: Final = Path(__file__).with_name(f"suite-{VERSION}.json")
#: The keys of that file: the version, the digest of the positions, the versions of the prompts by
#: trial, and by anchor its credit in each position.
FROZEN_KEYS: Final = ("suite", "positions", "prompts", "anchors")


class Trial(NamedTuple):
    """One way to tell the positions.

    Attributes:
        options: the options of the prompts that differ from the defaults.
        meaning: what the trial shows beside the plain one.
    """

    options: Mapping[str, Any]
    meaning: str

    @property
    def text_options(self) -> TextOptions:
        """The options of the prompts."""
        return TextOptions(**self.options)


#: The trial that all tiers have, and that players are ranked by.
PLAIN: Final = "plain"
#: The trials by name, in the order of tables.
TRIALS: Final[Mapping[str, Trial]] = {
    PLAIN: Trial({}, "the choice among listed turns"),
    "unlisted": Trial({"legal": "none"}, "what applying the rules without a list costs"),
    "renamed": Trial({"rename": 1}, "what the game's own words are worth"),
    "turned": Trial({"turned": 1}, "what remembered positions are worth"),
    "restructured": Trial(
        {"eras": 1, "layout": 1, "numbers": 1},
        "what the usual form of positions and numbers of spaces are worth",
    ),
    "seen": Trial({"board": "picture"}, "what a picture tells a model that sees"),
}


class Tier(NamedTuple):
    """A set of trials.

    Attributes:
        trials: their names.
        of_each: the number of positions of each group.
    """

    trials: tuple[str, ...]
    of_each: int

    @property
    def positions(self) -> tuple[ValuedPosition, ...]:
        """The positions of each trial; those of a smaller tier are among a larger one's."""
        return tuple(valued_positions()[index] for index in self.indices)

    @property
    def indices(self) -> tuple[int, ...]:
        """The indices of these positions among all."""
        found: dict[str, list[int]] = {}
        for index, position in enumerate(valued_positions()):
            found.setdefault(position.group, []).append(index)
        return tuple(index for own in found.values() for index in own[: self.of_each])

    def trials_of(self, *, is_model: bool) -> tuple[str, ...]:
        """The names of a player's trials.

        They differ in what a language model is told, so any other player has the plain one only.
        """
        return self.trials if is_model else (PLAIN,)

    @property
    def answers(self) -> int:
        """The number of answers of a language model."""
        return len(self.trials) * len(self.indices)


#: The tiers by name, from the cheapest on.
TIERS: Final[Mapping[str, Tier]] = {
    "small": Tier((PLAIN,), 5),
    "medium": Tier((PLAIN, "unlisted", "renamed"), 10),
    "large": Tier((PLAIN, "unlisted", "renamed", "turned", "restructured"), 20),
    "seeing": Tier((PLAIN, "seen"), 10),
}
#: Players of known strength, beside which all others stand.
ANCHORS: Final = (
    *("turn:first", "random", "greedy", "alphabeta:depth=1,net=None"),
    *("alphabeta:depth=2,net=None", "alphabeta:depth=3,net=None"),
)


def tier_of(name: str) -> Tier:
    """The tier with a name.

    Raises:
        ConfigError: if there is none.
    """
    return TIERS[checked_choice("suite", name, TIERS)]


@cache
def frozen() -> Mapping[str, Any]:
    """What stays the same in a version of the suite, by `FROZEN_KEYS`."""
    return read_json(FROZEN_FILE, FROZEN, FROZEN_KEYS)
