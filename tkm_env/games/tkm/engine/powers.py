"""RULES §11: the table of powers.

The effect of a power is implemented next to the rule that it changes, by checking `state.power` there; the new actions that powers add
are in `power_actions`.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tkm_env.games.tkm.engine.state import GROWTH, INFLUENCE, MEMORY


class Power(NamedTuple):
    """One power: its name, the set it belongs to, the chapters it requires (bits), its effect in one sentence, its module."""

    name: str
    set: str
    requires: int
    effect: str
    module: str


#: All powers, in the order of RULES §11. The fields ``power`` and ``revealed`` of a state are indices into this table.
POWERS: Final = (
    Power(
        "overtime",
        "tempo",
        0,
        "Once per game, after your second action, you may take one more action with the active copy.",
        "turn",
    ),
    Power("fixation", "tempo", 0, "You may leave your focus in the same era.", "turn"),
    Power(
        "express",
        "tempo",
        0,
        "You may travel between past and future in one action, whatever stands in the present.",
        "power_actions",
    ),
    Power(
        "doorway", "tempo", 0, "Walls do not stop the active copy's own move: it enters at the other end of the line.", "movement"
    ),
    Power("second-wind", "self", 0, "Your copies that die go back to your supply.", "push"),
    Power(
        "afterimage",
        "self",
        0,
        "You may travel forward and leave a new copy from your supply on the space you left.",
        "power_actions",
    ),
    Power("exchange", "self", 0, "You may swap places with a copy beside you, of either colour.", "power_actions"),
    Power("kinship", "self", 0, "Your copies make no paradoxes: one that moves or is pushed into another pushes it on.", "push"),
    Power("brushwood", "matter", GROWTH, "Your active copy may move into a shrub or a fallen tree, which is removed.", "movement"),
    Power("green-thumb", "matter", GROWTH, "Your first plant or remove action of each turn does not count as an action.", "turn"),
    Power("ripple", "matter", INFLUENCE, "Statue steps in the era of your action are passed on to the earlier eras too.", "push"),
    Power(
        "impose",
        "matter",
        INFLUENCE,
        "You may build where a seed, a copy or a pushable object stands: it is removed or pushed.",
        "influence",
    ),
    Power("whisperer", "beasts", MEMORY, "You may also command an elephant that wears no hat.", "memory"),
    Power("loyalty", "beasts", MEMORY, "Your opponent cannot train an elephant that wears your hat; memory stops at it.", "memory"),
    Power(
        "grapple", "beasts", 0, "Moving directly away from an opponent's copy, you may pull it into the space you left.", "movement"
    ),
    Power("bulldoze", "beasts", 0, "An opponent's copy that you move into is pushed one more space, if it survives.", "movement"),
)

POWER_NAMES: Final = tuple(power.name for power in POWERS)

#: The names of each set's four powers.
POWER_SETS: Final = {
    name: tuple(power.name for power in POWERS if power.set == name) for name in dict.fromkeys(power.set for power in POWERS)
}

# The index of each power.
OVERTIME, FIXATION, EXPRESS, DOORWAY = map(POWER_NAMES.index, POWER_SETS["tempo"])
SECOND_WIND, AFTERIMAGE, EXCHANGE, KINSHIP = map(POWER_NAMES.index, POWER_SETS["self"])
BRUSHWOOD, GREEN_THUMB, RIPPLE, IMPOSE = map(POWER_NAMES.index, POWER_SETS["matter"])
WHISPERER, LOYALTY, GRAPPLE, BULLDOZE = map(POWER_NAMES.index, POWER_SETS["beasts"])
