"""RULES §11: the table of powers. The effect of a power is implemented next to the rule that it changes, by checking `state.power` there;
the new actions that powers add are in `power_actions`.
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


#: By set, of each power: its name, the chapters it requires, its module and its effect.
_TABLE: Final[dict[str, tuple[tuple[str, int, str, str], ...]]] = {
    "tempo": (
        ("overtime", 0, "turn", "Once per game, after your second action, you may take one more action with the active copy."),
        ("fixation", 0, "turn", "You may leave your focus in the same era."),
        ("express", 0, "power_actions", "You may travel between past and future in one action, whatever stands in the present."),
        ("doorway", 0, "movement", "Walls do not stop the active copy's own move: it enters at the other end of the line."),
    ),
    "self": (
        ("second-wind", 0, "push", "Your copies that die go back to your supply."),
        ("afterimage", 0, "power_actions", "You may travel forward and leave a new copy from your supply on the space you left."),
        ("exchange", 0, "power_actions", "You may swap places with a copy beside you, of either colour."),
        ("kinship", 0, "push", "Your copies make no paradoxes: one that moves or is pushed into another pushes it on."),
    ),
    "matter": (
        ("brushwood", GROWTH, "movement", "Your active copy may move into a shrub or a fallen tree, which is removed."),
        ("green-thumb", GROWTH, "turn", "Your first plant or remove action of each turn does not count as an action."),
        ("ripple", INFLUENCE, "push", "Statue steps in the era of your action are passed on to the earlier eras too."),
        (
            "impose",
            INFLUENCE,
            "influence",
            "You may build where a seed, a copy or a pushable object stands: it is removed or pushed.",
        ),
    ),
    "beasts": (
        ("whisperer", MEMORY, "memory", "You may also command an elephant that wears no hat."),
        ("loyalty", MEMORY, "memory", "Your opponent cannot train an elephant that wears your hat; memory stops at it."),
        ("grapple", 0, "movement", "Moving directly away from an opponent's copy, you may pull it into the space you left."),
        ("bulldoze", 0, "movement", "An opponent's copy that you move into is pushed one more space, if it survives."),
    ),
}
#: All powers, in the order of RULES §11. The fields ``power`` and ``revealed`` of a state are indices into this table.
POWERS: Final = tuple(
    Power(name, set_, requires, effect, module) for set_, rows in _TABLE.items() for name, requires, module, effect in rows
)
POWER_NAMES: Final = tuple(power.name for power in POWERS)

#: The effects that differ under the setting ``power_texts=2``, by which the powers of a set are about equally strong.
SECOND_EFFECTS: Final = {
    "fixation": "You may leave your focus in the same era, unless your active copy stands there.",
    "second-wind": "Your copies that die in the future go back to your supply.",
    "whisperer": "With the last action of a turn you may also command an elephant that wears no hat.",
    "bulldoze": "With the first action of a turn, an opponent's copy that you move into is pushed one more space, if it survives.",
}


def effects_of(name: str) -> list[str]:
    """The text of a power, and its second text if there is one; none if that is no power."""
    first = [power.effect for power in POWERS if power.name == name]
    return [*first, SECOND_EFFECTS[name]] if name in SECOND_EFFECTS else first


def effect_of(name: str, power_texts: int) -> str:
    """The effect of a power under this setting.

    >>> effect_of("fixation", 1), effect_of("kinship", 1) == effect_of("kinship", 2)
    ('You may leave your focus in the same era.', True)
    """
    return effects_of(name)[:power_texts][-1]


#: The names of each set's four powers.
POWER_SETS: Final = {name: tuple(power for power, *_ in rows) for name, rows in _TABLE.items()}

# The index of each power.
OVERTIME, FIXATION, EXPRESS, DOORWAY = map(POWER_NAMES.index, POWER_SETS["tempo"])
SECOND_WIND, AFTERIMAGE, EXCHANGE, KINSHIP = map(POWER_NAMES.index, POWER_SETS["self"])
BRUSHWOOD, GREEN_THUMB, RIPPLE, IMPOSE = map(POWER_NAMES.index, POWER_SETS["matter"])
WHISPERER, LOYALTY, GRAPPLE, BULLDOZE = map(POWER_NAMES.index, POWER_SETS["beasts"])
