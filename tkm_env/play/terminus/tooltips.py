"""What the page says about eras, Terminus and actions, in a sentence or two."""

from collections.abc import Mapping
from typing import Final

from tkm_env.foundations.message import Message

#: The meaning of each era, by its letter in NOTATION.
ERA_TIPS: Final[Mapping[str, str]] = {
    ".": Message("An empty era. It counts for neither player."),
    "R": Message("A victory for red. Whoever has more visible victories at the end wins."),
    "B": Message("A victory for blue. Whoever has more visible victories at the end wins."),
    "G": Message("Grow. Whoever covers it may play another card at either end of the timeline."),
    "F": Message(
        "Freeze. Whoever covers it may freeze a card, which can then be played at any time."
    ),
    "S": Message("Swap. Whoever covers it may exchange a card with the opponent."),
    "A": Message(
        "Terminus approaches. It cannot be covered. The second one played "
        "shuffles Terminus into the deck."
    ),
    "I": Message("Impetus, the start of the timeline. It cannot be covered."),
    "T": Message("Terminus, which ends the game."),
}

#: Where Terminus is.
TERMINUS_TIPS: Final[Mapping[str, str]] = {
    "aside": Message("Terminus lies beside the deck. The second A shuffles it in."),
    "deck": Message("Terminus is in the deck."),
    "hand": Message("Terminus is in a hand."),
    "timeline": Message("Terminus was played."),
}

#: What to do next.
NEXT: Final[Mapping[str, str]] = {
    "play": Message(
        "Next: play the framed card. Click a green dot to lay it there; click the card to flip it."
    ),
    "events": Message("Next: resolve the events you have covered, in any order, or skip them."),
}

#: The rules in short, after the goal.
RULES: Final = (
    Message(
        "You play your card with the lowest number, as it is or flipped, over "
        "one to three eras or directly at either end of the timeline. It may "
        "not cover A or I, nor all three eras of a card that your opponent has "
        "just played."
    ),
    Message(
        "Grow: play another card at either end. Freeze: one of your cards can "
        "be played whenever you like. Swap: exchange a card with your opponent. "
        "You may skip any of them."
    ),
    Message(
        "The second A played shuffles Terminus into the deck. Terminus counts "
        "as 18; from the third A on, it counts as 0."
    ),
)
