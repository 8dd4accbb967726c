"""RULES §11: the table of powers. Imports `state`."""

from __future__ import annotations

from typing import Final, NamedTuple

from tkm_env.engine.state import GROWTH, INFLUENCE, MEMORY

__all__ = ["POWERS", "POWER_NAMES", "POWER_SETS", "SECOND_WIND", "Power"]


class Power(NamedTuple):
    """One power: its name, the set it belongs to, the chapters it requires (bits), its effect in one sentence."""

    name: str
    set: str
    requires: int
    effect: str


#: All powers, in the order of RULES §11. The fields ``power`` and ``revealed`` of a state are indices into this table.
POWERS: Final = (
    Power("overtime", "tempo", 0, "Once per game, after your second action, you may take one more action with the active copy."),
    Power("fixation", "tempo", 0, "You may leave your focus in the same era."),
    Power("express", "tempo", 0, "You may travel between past and future in one action, whatever stands in the present."),
    Power("doorway", "tempo", 0, "Walls do not stop the active copy's own move: it enters at the other end of the line."),
    Power("second-wind", "self", 0, "Your copies that die go back to your supply."),
    Power("afterimage", "self", 0, "You may travel forward and leave a new copy from your supply on the space you left."),
    Power("exchange", "self", 0, "You may swap places with a copy beside you, of either colour."),
    Power("kinship", "self", 0, "Your copies make no paradoxes: one that is moved or pushed into another pushes it on."),
    Power("brushwood", "matter", GROWTH, "Your active copy may move into a shrub or a fallen tree, which is removed."),
    Power(
        "green-thumb",
        "matter",
        GROWTH,
        "Your first plant or remove-seed action of each turn does not count as one of your actions.",
    ),
    Power(
        "ripple",
        "matter",
        INFLUENCE,
        "The steps that statues take in the era of your action are passed on to the earlier eras too.",
    ),
    Power(
        "impose",
        "matter",
        INFLUENCE,
        "You may build also where a seed, a copy or a pushable object stands; it is removed or pushed.",
    ),
    Power("whisperer", "beasts", MEMORY, "You may also command an elephant that wears no hat."),
    Power("loyalty", "beasts", MEMORY, "Your opponent cannot train an elephant that wears your hat; memory stops at it."),
    Power(
        "grapple", "beasts", 0, "Moving directly away from an opponent's copy, your active copy may pull it into the space it left."
    ),
    Power("bulldoze", "beasts", 0, "An opponent's copy that your active copy moves into is pushed one more space, if it survives."),
)

POWER_NAMES: Final = tuple(power.name for power in POWERS)

#: The names of each set's four powers.
POWER_SETS: Final = {
    name: tuple(power.name for power in POWERS if power.set == name) for name in dict.fromkeys(power.set for power in POWERS)
}

SECOND_WIND: Final = POWER_NAMES.index("second-wind")
