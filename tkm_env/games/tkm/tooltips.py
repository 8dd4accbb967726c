"""What pieces and belongings are, in a sentence or two: the page's tooltips."""

from __future__ import annotations

from typing import Final, NamedTuple

from tkm_env.games.tkm.engine.geometry import DIRECTIONS
from tkm_env.games.tkm.engine.powers import POWERS


class Piece(NamedTuple):
    """What stands on a space, by its letter: its name, and what it does."""

    name: str
    tip: str


_SEED_TIP: Final = "The copy stands on a seed."


def _copy(player: str, other: str) -> str:
    return (
        f"A copy of {player}. Pushed against a wall, it dies; pushed into another copy of {player}, both die. "
        f"{other.capitalize()} wins at the end of a turn of {other} that leaves {player} with copies in a single era, or in none."
    )


def _statue(whose: str) -> str:
    return (
        f"{whose} It can be pushed and pulled. Whenever it takes a step, so does the same statue in the later eras, pushing what stands "
        "in its way."
    )


def _elephant(shade: str) -> str:
    return (
        f"The {shade} elephant. A copy beside it can train it: it gets a hat here and in the later eras. The owner of the hat can command "
        "it from any space of the era: it walks one space, and a copy there dies. Nothing pushes an elephant."
    )


_BLOCKS: Final = "Nothing moves into it, and a copy that is pushed against it dies."

#: By the letters of NOTATION.
PIECES: Final = {
    ".": Piece("empty", "An empty space. Copies and pieces can move here."),
    "W": Piece("white copy", _copy("white", "black")),
    "B": Piece("black copy", _copy("black", "white")),
    "w": Piece("white copy on a seed", f"{_copy('white', 'black')} {_SEED_TIP}"),
    "b": Piece("black copy on a seed", f"{_copy('black', 'white')} {_SEED_TIP}"),
    "*": Piece(
        "seed",
        "A seed. Copies may stand on it. It grows into a shrub an era later and a tree in the era after that, which vanish with it.",
    ),
    "#": Piece("shrub", f"A shrub, grown from a seed an era earlier. {_BLOCKS}"),
    "T": Piece("tree", "A standing tree. Pushed, it falls over, and a copy it falls on dies."),
    **{
        letter: Piece(f"fallen tree, trunk to the {direction}", f"A fallen tree. {_BLOCKS}")
        for letter, direction in zip("^>v<", DIRECTIONS, strict=True)
    },
    "O": Piece("orange statue", _statue("The neutral statue.")),
    "I": Piece("white statue", _statue("The statue that white built.")),
    "E": Piece("black statue", _statue("The statue that black built.")),
    "D": Piece("dark elephant", _elephant("dark")),
    "L": Piece("light elephant", _elephant("light")),
}

ERA_TIPS: Final = {
    "past": "The past. What is planted or built here has consequences in the present and the future.",
    "present": "The present, between past and future.",
    "future": "The future. Copies travel here from the present.",
}

#: What lies beside the boards.
BELONGINGS: Final = {
    "supply": "Copies in supply. Travelling backward places one on the space left behind; without one you cannot travel backward.",
    "lost": "Copies of this player that have died in this game.",
    "statue": "A statue to build, once per game, on an empty space beside the active copy.",
    "hats": "Hats left to train elephants with.",
    "seeds": "Seeds left to plant.",
    "shrubs": "Shrubs left. Without one, seeds do not grow.",
    "trees": "Trees left. Without one, shrubs do not grow into trees.",
}

#: Each power's effect, by name.
POWER_TIPS: Final = {power.name: power.effect for power in POWERS}
