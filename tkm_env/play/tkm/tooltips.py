"""What the page says about pieces, belongings and actions, in a sentence or two."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from tkm_env.foundations.message import Message


class Piece(NamedTuple):
    """What stands on a space.

    Attributes:
        name: its name.
        tip: what it does.
    """

    name: str
    tip: str


def _copy(colour: str, other: str) -> Piece:
    return Piece(
        Message(f"{colour} copy"),
        Message(
            "A copy of {colour}. Pushed against a wall, it dies; pushed into another copy of "
            "{colour}, both die. {other} wins by ending a turn with {colour} in no more than one "
            "era.",
            colour=colour.capitalize(),
            other=other.capitalize(),
        ),
    )


def _on_a_seed(copy: Piece) -> Piece:
    return Piece(
        Message("{copy} on a seed", copy=copy.name),
        Message("{tip} The copy stands on a seed.", tip=copy.tip),
    )


def _fallen_tree(direction: str) -> Piece:
    return Piece(
        Message("fallen tree, trunk to the {direction}", direction=direction),
        Message("A fallen tree. Nothing moves into it, and a copy pushed against it dies."),
    )


def _statue(name: str, what: str) -> Piece:
    return Piece(
        Message(name),
        Message(
            "{what} It can be pushed and pulled. Whenever it takes a step, so does the same statue "
            "in the later eras, pushing whatever stands in its way.",
            what=what,
        ),
    )


def _elephant(kind: str) -> Piece:
    return Piece(
        Message("{kind} elephant", kind=kind),
        Message(
            "The {kind} elephant. A copy beside it can train it: it gets a hat here and in the "
            "later eras. The owner of the hat can command it from any space of the era: it walks "
            "one space, and a copy there dies. Nothing pushes an elephant.",
            kind=kind,
        ),
    )


_WHITE: Final = _copy("white", "black")
_BLACK: Final = _copy("black", "white")

#: The pieces, by the letters of NOTATION.
PIECES: Final[Mapping[str, Piece]] = {
    ".": Piece(Message("empty"), Message("An empty space. Copies and pieces can move here.")),
    "W": _WHITE,
    "B": _BLACK,
    "w": _on_a_seed(_WHITE),
    "b": _on_a_seed(_BLACK),
    "*": Piece(
        Message("seed"),
        Message(
            "A seed. Copies may stand on it. It grows into a shrub one era later and a tree the "
            "era after that, which vanish with it."
        ),
    ),
    "#": Piece(
        Message("shrub"),
        Message(
            "A shrub, grown from a seed one era earlier. Nothing moves into it, and a copy pushed "
            "against it dies."
        ),
    ),
    "T": Piece(
        Message("tree"),
        Message("A standing tree. Pushed, it falls over, and a copy it falls on dies."),
    ),
    "^": _fallen_tree("north"),
    ">": _fallen_tree("east"),
    "v": _fallen_tree("south"),
    "<": _fallen_tree("west"),
    "O": _statue("orange statue", Message("The neutral statue.")),
    "I": _statue("white statue", Message("The statue that White built.")),
    "E": _statue("black statue", Message("The statue that Black built.")),
    "D": _elephant("dark"),
    "L": _elephant("light"),
}

#: The eras, by name.
ERA_TIPS: Final[Mapping[str, str]] = {
    "past": Message(
        "The past. What is planted or built here has consequences in the present and the future."
    ),
    "present": Message("The present, between past and future."),
    "future": Message("The future. Copies travel here from the present."),
}

#: What lies beside the boards.
BELONGINGS: Final[Mapping[str, str]] = {
    "supply": Message(
        "Copies in supply. Travelling backward places one on the space left "
        "behind; without one you cannot travel backward."
    ),
    "lost": Message("Copies of this player that have died in this game."),
    "statue": Message(
        "A statue to build, once per game, on an empty space beside the active copy."
    ),
    "hats": Message("Hats left to train elephants with."),
    "seeds": Message("Seeds left to plant."),
    "shrubs": Message("Shrubs left. Without one, seeds do not grow."),
    "trees": Message("Trees left. Without one, shrubs do not grow into trees."),
}

#: The headings under which actions are listed, by the first word of their names.
HEADINGS: Final[Mapping[str, str]] = {
    "choose": Message("Choose a copy"),
    "move": Message("Move"),
    "travel": Message("Travel in time"),
    "plant": Message("Plant a seed"),
    "remove": Message("Remove a seed"),
    "build": Message("Build your statue"),
    "train": Message("Train an elephant"),
    "command": Message("Command an elephant"),
    "exchange": Message("Change places"),
    "overtime": Message("One more action"),
    "focus": Message("Shift your focus"),
    "draft": Message("Take a power"),
    "go": Message("Decide who goes first"),
    "concede": Message("Talk"),
    "offer": Message("Talk"),
    "accept": Message("Talk"),
    "decline": Message("Talk"),
}

#: The rules in short, after the goal.
RULES: Final = (
    Message(
        "A turn: choose one of your copies in the era of your focus (the "
        "watch), act twice with it, then shift the focus to another era."
    ),
    Message(
        "A move pushes whatever stands in the way. A copy pushed against a wall "
        "dies; two copies of one colour pushed together both die."
    ),
    Message(
        "A copy travels forward to the same space one era later, or backward to "
        "the same space one era earlier; then a copy from your supply fills "
        "the space it left."
    ),
)

#: What to do next, by the letter of the step in a position.
NEXT: Final[Mapping[str, str]] = {
    "c": Message("Next: choose the copy that acts. Click one that is marked."),
    "2": Message(
        "Next: act with the copy in the gold frame, twice. Click a dot: beside "
        "it to step, in another era to travel."
    ),
    "1": Message("Next: act once more with the copy in the gold frame. Click a dot."),
    "f": Message("Next: move your watch. Click the era where your next turn begins."),
}
