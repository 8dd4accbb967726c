"""What the page says about eras, Terminus and actions, in a sentence or two."""

from collections.abc import Mapping
from typing import Final

#: The meaning of each era, by its letter in NOTATION.
ERA_TIPS: Final[Mapping[str, str]] = {
    ".": "An empty era. It counts for neither player.",
    "R": "A victory for red. Whoever has more visible victories at the end wins.",
    "B": "A victory for blue. Whoever has more visible victories at the end wins.",
    "G": "Grow. Whoever covers it may play another card at either end of the timeline.",
    "F": "Freeze. Whoever covers it may freeze a card, which can then be played at any time.",
    "S": "Swap. Whoever covers it may exchange a card with the opponent.",
    "A": (
        "Terminus approaches. It cannot be covered. The second one played shuffles Terminus into "
        "the deck."
    ),
    "I": "Impetus, the start of the timeline. It cannot be covered.",
    "T": "Terminus, which ends the game.",
}

#: Where Terminus is.
TERMINUS_TIPS: Final[Mapping[str, str]] = {
    "aside": "Terminus lies beside the deck. The second A shuffles it in.",
    "deck": "Terminus is in the deck.",
    "hand": "Terminus is in a hand.",
    "timeline": "Terminus was played.",
}

#: What to do next.
NEXT: Final[Mapping[str, str]] = {
    "play": (
        "Next: play the framed card. Click a green dot to lay it there; click the card to flip it."
    ),
    "events": "Next: resolve the events you have covered, in any order, or skip them.",
}

#: The rules in short, after the goal.
RULES: Final = (
    "You play your card with the lowest number, as it is or flipped, over one to three eras or "
    "directly at either end of the timeline. It may not cover A or I, nor all three eras of a card "
    "that your opponent has just played.",
    "Grow: play another card at either end. Freeze: one of your cards can be played whenever you "
    "like. Swap: exchange a card with your opponent. You may skip any of them.",
    "The second A played shuffles Terminus into the deck. Terminus counts as 18; from the third "
    "A on, it counts as 0.",
)
