"""RULES §11: the table of powers.

A power's effect stands with the rule that it changes, its new actions in `power_actions`.
"""

from typing import Final, NamedTuple

from tkm_env.games.tkm.engine.state import GROWTH, INFLUENCE, MEMORY


class Power(NamedTuple):
    """One power."""

    name: str
    set: str  # the set of four that it belongs to
    requires: int  # the chapters that must be in play, as bits
    effect: str  # what it does, in one sentence
    module: str  # the engine's module in which its effect stands
    #: What it does instead under the setting ``power_texts=2``, which balances the powers of a set;
    #: None if it does the same.
    second_effect: str | None = None


#: All powers, in the order of RULES §11. The fields ``power`` and ``revealed`` of a state are
#: indices into this table.
POWERS: Final = (
    Power(
        "overtime",
        "tempo",
        module="turn",
        requires=0,
        effect=(
            "Once per game, after your second action, you may take one more "
            "action with the active copy."
        ),
    ),
    Power(
        "fixation",
        "tempo",
        module="turn",
        requires=0,
        effect="You may leave your focus in the same era.",
        second_effect=(
            "You may leave your focus in the same era, unless your active copy stands there."
        ),
    ),
    Power(
        "express",
        "tempo",
        module="power_actions",
        requires=0,
        effect=(
            "You may travel between past and future in one action, whatever stands in the present."
        ),
    ),
    Power(
        "doorway",
        "tempo",
        module="movement",
        requires=0,
        effect=(
            "Walls do not stop the active copy's own move: it enters at the other end of the line."
        ),
    ),
    Power(
        "second-wind",
        "self",
        module="push",
        requires=0,
        effect="Your copies that die go back to your supply.",
        second_effect="Your copies that die in the future go back to your supply.",
    ),
    Power(
        "afterimage",
        "self",
        module="power_actions",
        requires=0,
        effect=(
            "You may travel forward and leave a new copy from your supply on the space you left."
        ),
    ),
    Power(
        "exchange",
        "self",
        module="power_actions",
        requires=0,
        effect="You may swap places with a copy beside you, of either colour.",
    ),
    Power(
        "kinship",
        "self",
        module="push",
        requires=0,
        effect=(
            "Your copies make no paradoxes: one that moves or is pushed into another pushes it on."
        ),
    ),
    Power(
        "brushwood",
        "matter",
        module="movement",
        requires=GROWTH,
        effect="Your active copy may move into a shrub or a fallen tree, which is removed.",
    ),
    Power(
        "green-thumb",
        "matter",
        module="turn",
        requires=GROWTH,
        effect="Your first plant or remove action of each turn does not count as an action.",
    ),
    Power(
        "ripple",
        "matter",
        module="push",
        requires=INFLUENCE,
        effect="Statue steps in the era of your action are passed on to the earlier eras too.",
    ),
    Power(
        "impose",
        "matter",
        module="influence",
        requires=INFLUENCE,
        effect=(
            "You may build where a seed, a copy or a pushable object stands: it "
            "is removed or pushed."
        ),
    ),
    Power(
        "whisperer",
        "beasts",
        module="memory",
        requires=MEMORY,
        effect="You may also command an elephant that wears no hat.",
        second_effect=(
            "With the last action of a turn you may also command an elephant that wears no hat."
        ),
    ),
    Power(
        "loyalty",
        "beasts",
        module="memory",
        requires=MEMORY,
        effect="Your opponent cannot train an elephant that wears your hat; memory stops at it.",
        second_effect=(
            "Your opponent cannot train an elephant of the future that wears your"
            " hat; memory stops at it."
        ),
    ),
    Power(
        "grapple",
        "beasts",
        module="movement",
        requires=0,
        effect=(
            "Moving directly away from an opponent's copy, you may pull it into the space you left."
        ),
    ),
    Power(
        "bulldoze",
        "beasts",
        module="movement",
        requires=0,
        effect="An opponent's copy that you move into is pushed one more space, if it survives.",
        second_effect=(
            "With the first action of a turn, an opponent's copy that you move "
            "into is pushed one more space, if it survives."
        ),
    ),
)

POWER_NAMES: Final = tuple(power.name for power in POWERS)
#: The names of each set's four powers.
POWER_SETS: Final = {
    name: tuple(power.name for power in POWERS if power.set == name)
    for name in dict.fromkeys(power.set for power in POWERS)
}
#: The second effects of the powers that have one, by name.
SECOND_EFFECTS: Final = {
    power.name: power.second_effect for power in POWERS if power.second_effect is not None
}

# The index of each power.
OVERTIME, FIXATION, EXPRESS, DOORWAY = map(POWER_NAMES.index, POWER_SETS["tempo"])
SECOND_WIND, AFTERIMAGE, EXCHANGE, KINSHIP = map(POWER_NAMES.index, POWER_SETS["self"])
BRUSHWOOD, GREEN_THUMB, RIPPLE, IMPOSE = map(POWER_NAMES.index, POWER_SETS["matter"])
WHISPERER, LOYALTY, GRAPPLE, BULLDOZE = map(POWER_NAMES.index, POWER_SETS["beasts"])


def effects_of(name: str) -> list[str]:
    """The text of a power, and its second text if it has one.

    The list is empty if there is no such power.
    """
    return [
        effect
        for power in POWERS
        if power.name == name
        for effect in (power.effect, power.second_effect)
        if effect is not None
    ]


def effect_of(name: str, power_texts: int) -> str:
    """The effect of a power under a setting.

    Args:
        name: the power's name.
        power_texts: which texts the powers have, 1 or 2.

    Returns:
        One sentence.
    """
    return effects_of(name)[:power_texts][-1]
