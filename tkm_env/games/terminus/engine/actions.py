"""The single enumeration of actions.

Indices, documentation and tests are made from the table `GROUPS`.
"""

from typing import Final

from tkm_env.core.action_groups import ActionGroup
from tkm_env.games.terminus.engine.state import CARD_WIDTH, HAND_SIZE, MAX_LENGTH

#: The cards of a hand, the lowest number first.
RANKS: Final = ("first", "second", "third")
assert len(RANKS) == HAND_SIZE

#: Both ends, then the places where a card covers something. These are named by the era under the
#: card's right-hand era, counted from 1 from the left. A card can overhang on the right by two
#: eras. Before its last card, a timeline is at most `MAX_LENGTH` - `CARD_WIDTH` long.
_PLACES: Final = ("left", "right", *(str(era) for era in range(1, MAX_LENGTH - CARD_WIDTH + 2 + 1)))
NUM_PLACES: Final = len(_PLACES)
#: The first two places.
ENDS: Final = 2
LEFT, RIGHT = range(ENDS)


def _names(verb: str, places: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(
        f"{verb} {rank}{flipped} at {place}"
        for rank in RANKS
        for flipped in ("", " flipped")
        for place in places
    )


GROUPS: Final = (
    ActionGroup(
        _names("play", _PLACES),
        "play that card from your hand, as printed or flipped, directly at an end of the timeline, "
        "or with its right-hand era on that era of the timeline, counted from 1 from the left",
        "step 1",
        "A turn 1",
    ),
    ActionGroup(
        _names("grow", _PLACES[:ENDS]),
        "resolve a grow: play a card at an end",
        "a grow was covered",
        "A turn 2",
    ),
    ActionGroup(
        tuple(f"freeze {rank}" for rank in RANKS),
        "resolve a freeze: that card is frozen",
        "a freeze was covered",
        "A turn 2",
    ),
    ActionGroup(
        tuple(f"swap {rank} for {theirs}" for rank in RANKS for theirs in RANKS),
        "resolve a swap: exchange that card from your hand for that card from the opponent's hand",
        "a swap was covered",
        "A turn 2",
    ),
    ActionGroup(("done",), "skip the remaining events, and draw", "an event is left", "A turn 2"),
)

#: All action names in index order.
ACTIONS: Final[tuple[str, ...]] = tuple(name for group in GROUPS for name in group.names)
NUM_ACTIONS: Final = len(ACTIONS)

# The first index of each group. Within plays and grows an index is (rank * 2 + flipped) * places +
# place.
PLAYS, GROWS, FREEZES, SWAPS, DONE = (ACTIONS.index(group.names[0]) for group in GROUPS)
