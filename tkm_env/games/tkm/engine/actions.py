"""The single enumeration of actions (NOTATION).

Indices, documentation and tests are made from the table `GROUPS`.
"""

from typing import Final

from tkm_env.core.action_groups import ActionGroup
from tkm_env.games.tkm.engine.geometry import DIRECTIONS, ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.state import ELEPHANTS


def _toward(prefix: str, suffix: str = "") -> tuple[str, ...]:
    return tuple(f"{prefix} {direction}{suffix}" for direction in DIRECTIONS)


def _commands(suffix: str = "") -> tuple[str, ...]:
    return tuple(name for elephant in ELEPHANTS for name in _toward(f"command {elephant}", suffix))


GROUPS: Final = (
    ActionGroup(
        tuple(f"choose {space + 1}" for space in range(NUM_SPACES)),
        "act with your copy on that space, in the era of your focus",
        "always",
        "§2",
    ),
    ActionGroup(_toward("move"), "step one space, pushing what stands there", "always", "§3, §4"),
    ActionGroup(
        _toward("move", " pull"),
        "move, pulling the statue that stands behind the active copy (with `grapple`, the "
        "opponent's copy that stands there)",
        "Influence or `grapple`",
        "§6, §11",
    ),
    ActionGroup(
        ("travel forward", "travel backward"),
        "travel to the same space of the next or the previous era",
        "always",
        "§3",
    ),
    ActionGroup(("plant here", *_toward("plant")), "plant a seed", "Growth", "§5"),
    ActionGroup(("remove here", *_toward("remove")), "remove a seed", "Growth", "§5"),
    ActionGroup(_toward("build"), "build your statue, once per game", "Influence", "§6"),
    ActionGroup(
        tuple(f"train {elephant}" for elephant in ELEPHANTS),
        "put your hat on that elephant, which stands beside the active copy",
        "Memory",
        "§7",
    ),
    ActionGroup(_commands(), "move an elephant that wears your hat", "Memory", "§7"),
    ActionGroup(
        _commands(" pull"),
        "move an elephant that wears your hat; it pulls the statue behind it",
        "Influence and Memory",
        "§8",
    ),
    ActionGroup(
        tuple(f"focus {era}" for era in ERAS),
        "shift the focus, which ends the turn",
        "always",
        "§2",
    ),
    ActionGroup(
        ("travel forward far", "travel backward far"),
        "travel between past and future",
        "`express`",
        "§11",
    ),
    ActionGroup(
        ("travel forward leave",),
        "travel forward, leaving a new copy behind",
        "`afterimage`",
        "§11",
    ),
    ActionGroup(
        _toward("exchange"),
        "swap places with the copy that stands beside the active one in that direction",
        "`exchange`",
        "§11",
    ),
    ActionGroup(
        ("overtime",), "take one more action after the last, once per game", "`overtime`", "§11"
    ),
    ActionGroup(
        tuple(f"draft {number + 1}" for number in range(4)),
        "take that one of the four revealed powers",
        "a draft",
        "§10",
    ),
    ActionGroup(
        ("go first", "go second"),
        "the player who drafted second takes the first turn, or leaves it to the other",
        "a draft",
        "§10",
    ),
    ActionGroup(
        ("concede",),
        "the opponent wins",
        "conceding switched on; at every step of your turn",
        "§2, §9",
    ),
    ActionGroup(("offer draw",), "offer a draw, once a turn", "draws switched on", "§9"),
    ActionGroup(("accept draw", "decline draw"), "answer the offer", "draws switched on", "§9"),
)

#: All action names in index order: the same for every chapter and power.
ACTIONS: Final[tuple[str, ...]] = tuple(name for group in GROUPS for name in group.names)
NUM_ACTIONS: Final = len(ACTIONS)

# The first index of each group.
_FIRSTS = [ACTIONS.index(group.names[0]) for group in GROUPS]
(
    CHOICES,
    MOVES,
    MOVES_PULLING,
    TRAVELS,
    PLANTS,
    REMOVES,
    BUILDS,
    TRAINS,
    COMMANDS,
    COMMANDS_PULLING,
) = _FIRSTS[:10]
(
    FOCUSES,
    TRAVELS_FAR,
    TRAVEL_LEAVING,
    EXCHANGES,
    OVERTIME,
    DRAFTS,
    ORDERS,
    CONCEDE,
    OFFER,
    ANSWERS,
) = _FIRSTS[10:]

#: Within plants and removes, the active copy's own space comes first, then the four directions.
HERE: Final = 0
