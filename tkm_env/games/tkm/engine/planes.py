"""The table of planes that an observation consists of.

It has one group for each era, and one for the game. The code that writes observations, their
documentation and their tests all follow from it.
"""

from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np

from tkm_env.games.tkm.engine.geometry import DIRECTIONS, ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.powers import POWERS

#: The number of planes that show all powers, one per space.
POWER_PLANES: Final = -(-len(POWERS) // NUM_SPACES)
#: The highest turn limit: the most that the two planes for the turn can hold.
MAX_TURNS_LIMIT: Final = 9_999


class Layout(StrEnum):
    """What the 16 spaces of a plane stand for."""

    #: Each space describes itself.
    SPACES = "spaces"
    #: All 16 hold the same value.
    EVERYWHERE = "everywhere"
    #: Space n stands for the n-th power of the table; in a second such plane, if there is one, for
    #: the n-th from the 17th on.
    NUMBERED = "numbered"


class Varies(StrEnum):
    """Under which settings a plane can differ between positions, in the words of its page."""

    ALWAYS = "always"
    NEVER = "never"
    GROWTH = "Growth"
    GROWTH_SINCE_PRESENT = "Growth, except in the past"
    GROWTH_IN_FUTURE = "Growth, in the future"
    INFLUENCE = "Influence"
    MEMORY = "Memory"
    #: A chapter that is in play in some games, but not in all.
    GROWTH_DRAWN = "Growth, if drawn"
    INFLUENCE_DRAWN = "Influence, if drawn"
    MEMORY_DRAWN = "Memory, if drawn"
    POWERS = "powers"
    GREEN_THUMB = "`green-thumb`"
    OVERTIME = "`overtime`"
    DRAFT = "a draft"
    POWER_SHARE = "Power Share"
    DRAWS = "draws"
    HUNDRED_TURNS = "100 turns or more"
    TWO_TURNS = "2 turns or more"


class Plane(NamedTuple):
    """One plane; `tkm_env.Game.observation_parts` says whether it varies under given settings."""

    name: str
    era: str | None  # None: the whole game
    meaning: str
    high: int = 1  # its largest value, the smallest being 0
    layout: Layout = Layout.SPACES
    varies: Varies = Varies.ALWAYS


def _everywhere(
    name: str, meaning: str, high: int = 1, varies: Varies = Varies.ALWAYS, era: str | None = None
) -> Plane:
    return Plane(name, era, meaning, high, Layout.EVERYWHERE, varies)


def _by_power(name: str, meaning: str, varies: Varies, high: int = 1) -> tuple[Plane, ...]:
    """The planes that show something of each power."""
    return tuple(
        Plane(
            f"{name} {number}" if number > 1 else name, None, meaning, high, Layout.NUMBERED, varies
        )
        for number in range(1, POWER_PLANES + 1)
    )


def _planes_of_era(era: str) -> tuple[Plane, ...]:
    return (
        Plane("mine", era, "my copies"),
        Plane("theirs", era, "their copies"),
        Plane("active", era, "the active copy"),
        Plane("seed", era, "seeds", varies=Varies.GROWTH),
        Plane("shrub", era, "shrubs", varies=Varies.GROWTH_SINCE_PRESENT),
        Plane("tree", era, "standing trees", varies=Varies.GROWTH_IN_FUTURE),
        *(
            Plane(
                f"fallen {direction}",
                era,
                f"fallen trees whose trunk points {direction}",
                varies=Varies.GROWTH_IN_FUTURE,
            )
            for direction in DIRECTIONS
        ),
        Plane("orange statue", era, "the orange statue", varies=Varies.INFLUENCE),
        Plane("my statue", era, "my statue", varies=Varies.INFLUENCE),
        Plane("their statue", era, "their statue", varies=Varies.INFLUENCE),
        Plane("dark elephant", era, "the dark elephant", varies=Varies.MEMORY),
        Plane("light elephant", era, "the light elephant", varies=Varies.MEMORY),
        Plane("my hat", era, "the elephant that wears my hat", varies=Varies.MEMORY),
        Plane("their hat", era, "the elephant that wears their hat", varies=Varies.MEMORY),
        _everywhere("my focus", "1 where my focus is in this era", era=era),
        _everywhere("their focus", "1 where their focus is in this era", era=era),
    )


_PLANES_OF_GAME: Final = (
    _everywhere("white", "1 where I am white"),
    _everywhere("to act", "1 where I am to act"),
    _everywhere("choose", "1 at the step that chooses a copy"),
    _everywhere("act", "1 at the step that takes an action"),
    _everywhere("shift", "1 at the step that shifts the focus"),
    _everywhere("draft", "1 at the step that takes a power", varies=Varies.DRAFT),
    _everywhere("order", "1 at the step that decides who goes first", varies=Varies.DRAFT),
    _everywhere("answer", "1 at the step that answers a draw offer", varies=Varies.DRAWS),
    _everywhere("actions left", "actions still to take", high=2),
    _everywhere(
        "free action",
        "1 while a free action of `green-thumb` is left this turn",
        varies=Varies.GREEN_THUMB,
    ),
    _everywhere("offered", "1 once a draw was offered at this step", varies=Varies.DRAWS),
    _everywhere("my supply", "copies in my supply", high=7),
    _everywhere("their supply", "copies in their supply", high=7),
    _everywhere(
        "my statue unbuilt", "1 while my statue is still to build", varies=Varies.INFLUENCE
    ),
    _everywhere(
        "their statue unbuilt", "1 while their statue is still to build", varies=Varies.INFLUENCE
    ),
    _everywhere("growth", "1 where Growth is in play", varies=Varies.GROWTH_DRAWN),
    _everywhere("influence", "1 where Influence is in play", varies=Varies.INFLUENCE_DRAWN),
    _everywhere("memory", "1 where Memory is in play", varies=Varies.MEMORY_DRAWN),
    _everywhere("edition 2022", "1 where the revised rules hold", varies=Varies.NEVER),
    *_by_power("my power", "1 at my power", Varies.POWERS),
    *_by_power("their power", "1 at their power", Varies.POWERS),
    *_by_power(
        "revealed",
        "while drafting: the place, 1 to 4, in which the power was revealed",
        Varies.DRAFT,
        high=4,
    ),
    _everywhere("my overtime spent", "1 once I have used `overtime`", varies=Varies.OVERTIME),
    _everywhere("their overtime spent", "1 once they have used `overtime`", varies=Varies.OVERTIME),
    _everywhere(
        "power share", "while drafting: 1 where both will use one power", varies=Varies.POWER_SHARE
    ),
    _everywhere(
        "turn, hundreds", "the turn's number, divided by 100", high=99, varies=Varies.HUNDRED_TURNS
    ),
    _everywhere("turn, units", "the turn's number, modulo 100", high=99, varies=Varies.TWO_TURNS),
)

#: The table of planes, in the order of the observation's first axis.
PLANES: Final = (*(plane for era in ERAS for plane in _planes_of_era(era)), *_PLANES_OF_GAME)
NUM_PLANES: Final = len(PLANES)
PLANES_PER_ERA: Final = len(_planes_of_era(ERAS[0]))
#: The largest value of each element of an observation: int8 of shape (planes, 4, 4).
OBSERVATION_HIGH: Final = (
    np.repeat([plane.high for plane in PLANES], NUM_SPACES)
    .astype(np.int8)
    .reshape(-1, WIDTH, WIDTH)
)
