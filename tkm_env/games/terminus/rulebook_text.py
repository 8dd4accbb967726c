"""The rules for players, in this project's own words, each with positions that show it."""

from __future__ import annotations

from typing import Final

from tkm_env.game.rulebook_text import Example, Section
from tkm_env.games.terminus.config import TerminusConfig

#: The game in three lines.
GOAL: Final = (
    "Red and Blue write history: a row of eras, in which either lays cards over what is there.",
    "On your turn you play your lowest card, resolve the events that it covers, and draw up to three cards.",
    "When Terminus is played the game is over: you win if more eras of your colour can be seen. On a tie whoever played Terminus "
    "loses.",
)

_COVERS_GROW: Final = "2:R.G|1:.I. b p 6,10,11/4,9,17 ?9 2/- 2 -"
_COVERS_FREEZE: Final = "4:RF.|1:.I. r p 2,6,11/5,9,17 ?9 -/4 2 -"
_COVERS_SWAP: Final = "7:RSR|1:.I. r p 2,6,11/4,9,17 ?9 -/7 2 -"

#: All rules, in the order in which players meet them.
SECTIONS: Final = (
    Section(
        "goal",
        "How the game is won",
        (
            *GOAL,
            "Card 1, Impetus, begins the timeline. Each player has three cards, which both can see; the other cards lie face down"
            " in the deck, and Terminus waits beside it. Whoever has the lowest card goes first.",
        ),
        (
            Example(
                "Red plays Terminus with four visible victories each, and so loses: on a tie it is the other who wins.",
                "14:RS.|16:AR|6:BAR|12:R|1:I.|2:G|11:BA|5:BF.|10:BR r p T,3,13/8,15,17 ?0 -/5 11 -",
                ("play first at 3",),
            ),
        ),
    ),
    Section(
        "playing",
        "Playing a card",
        (
            "Play the lowest-numbered of your cards, as it is or flipped, so that it reads from right to left. Lay it directly at"
            " either end of the timeline, or over one, two or three whole eras; it may stick out beyond an end. What it covers "
            "counts no more.",
            "You may not cover an A or an I. And you may not cover all three eras of a card that your opponent has played in the "
            "turn before: one or two of them you may.",
        ),
        (
            Example("Red lays card 2 at the left end.", "1:.I. r p 2,6,11/4,9,17 ?10 -/- 1 -", ("play first at left",)),
            Example("Blue lays card 4 over two eras of red's card and one of Impetus.", _COVERS_GROW, ("play first at 4",)),
        ),
    ),
    Section(
        "terminus",
        "The A, and Terminus",
        (
            "A says that Terminus approaches. The first A that is played does nothing. With the second, Terminus is shuffled into"
            " the deck. It counts as 18, so it stays in a hand for a while; with the third A it counts as 0 and has to be played "
            "next.",
            "There is no draw, and every game ends.",
        ),
    ),
    Section(
        "grow",
        "Event: grow",
        (
            "An event happens when the card that you have just played covers it. You resolve the events that you covered in any "
            "order, each at most once, and may leave out any.",
            "Grow: play another card by the same rule, at either end of the timeline, so that it covers nothing.",
        ),
        (
            Example(
                "Blue has covered grow, and adds card 9 at the right end.", _COVERS_GROW, ("play first at 4", "grow first at right")
            ),
        ),
    ),
    Section(
        "freeze",
        "Event: freeze",
        (
            "Freeze: one of your cards, though not Terminus, is frozen until it is played, also in another hand. A frozen card "
            "may be played whenever you like, whatever its number; and it does not keep your other cards waiting.",
        ),
        (Example("Red has covered freeze, and freezes card 11.", _COVERS_FREEZE, ("play first at 2", "freeze second")),),
    ),
    Section(
        "swap",
        "Event: swap",
        (
            "Swap: exchange one of your cards for one of your opponent's. A frozen card of theirs costs a frozen card of yours, "
            "or Terminus.",
        ),
        (
            Example(
                "Red has covered swap, and takes card 17 for card 6.", _COVERS_SWAP, ("play first at 2", "swap first for third")
            ),
        ),
    ),
    Section(
        "drawing",
        "Drawing",
        (
            "When your events are over you draw up to three cards, while the deck lasts. Whoever has no cards left when the deck "
            "is empty takes no more turns; the other one plays on.",
        ),
    ),
)


def rules_for(config: TerminusConfig | None = None) -> list[Section]:
    """The sections that can matter in games under these settings: all of them, in the order of `SECTIONS`.

    >>> [section.name for section in rules_for()]
    ['goal', 'playing', 'terminus', 'grow', 'freeze', 'swap', 'drawing']
    """
    return list(SECTIONS)
