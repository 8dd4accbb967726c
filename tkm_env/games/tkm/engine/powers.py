"""RULES §11: the table of powers. A power's effect stands with the rule that it changes, its new actions in `power_actions`."""

from typing import Any, Final, NamedTuple

from tkm_env.foundations.files import packaged_json
from tkm_env.games.tkm.engine.state import CHAPTERS


class Power(NamedTuple):
    """One power: its name, the set it belongs to, the chapters it requires (bits), its effect in one sentence, its module."""

    name: str
    set: str
    requires: int
    effect: str
    module: str


_TABLE: Final[dict[str, dict[str, dict[str, Any]]]] = packaged_json(__package__, "powers.json")
#: All powers, in the order of RULES §11. The fields ``power`` and ``revealed`` of a state are indices into this table.
POWERS: Final = tuple(
    Power(
        name,
        set_,
        sum(1 << CHAPTERS.index(chapter) for chapter in row["requires"]),
        row["effect"],
        row["module"],
    )
    for set_, rows in _TABLE.items()
    for name, row in rows.items()
)
POWER_NAMES: Final = tuple(power.name for power in POWERS)

#: The effects that differ under the setting ``power_texts=2``, by which the powers of a set are about equally strong.
SECOND_EFFECTS: Final[dict[str, str]] = {
    name: row["second effect"]
    for rows in _TABLE.values()
    for name, row in rows.items()
    if "second effect" in row
}


def effects_of(name: str) -> list[str]:
    """The text of a power, and its second text if there is one; none if that is no power."""
    first = [power.effect for power in POWERS if power.name == name]
    return [*first, SECOND_EFFECTS[name]] if name in SECOND_EFFECTS else first


def effect_of(name: str, power_texts: int) -> str:
    """The effect of a power under this setting."""
    return effects_of(name)[:power_texts][-1]


#: The names of each set's four powers.
POWER_SETS: Final = {name: tuple(rows) for name, rows in _TABLE.items()}

# The index of each power.
OVERTIME, FIXATION, EXPRESS, DOORWAY = map(POWER_NAMES.index, POWER_SETS["tempo"])
SECOND_WIND, AFTERIMAGE, EXCHANGE, KINSHIP = map(POWER_NAMES.index, POWER_SETS["self"])
BRUSHWOOD, GREEN_THUMB, RIPPLE, IMPOSE = map(POWER_NAMES.index, POWER_SETS["matter"])
WHISPERER, LOYALTY, GRAPPLE, BULLDOZE = map(POWER_NAMES.index, POWER_SETS["beasts"])
