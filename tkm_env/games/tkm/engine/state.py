"""One game as one NumPy record, so that equality, hash and pickle are those of its bytes.

It has no padding, and no fields that follow from others.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.compiled.kernels import NOBODY as NOBODY
from tkm_env.games.tkm.engine.geometry import FUTURE, NOWHERE, NUM_ERAS, NUM_SPACES, PAST

# Players, and the value for neither.
PLAYERS: Final = ("white", "black")
WHITE, BLACK = range(2)

# Pieces: what one space of one era holds, seeds apart. Their order makes each family a range: a
# player's copy is COPY + player, a player's statue STATUE + player, an elephant ELEPHANT + colour,
# a fallen tree FALLEN + the direction of its trunk. From TREE up to the last statue, pieces can be
# pushed; from IMMOVABLE on they cannot.
PIECES: Final = (
    "empty",
    "white copy",
    "black copy",
    "standing tree",
    "orange statue",
    "white's statue",
    "black's statue",
    "shrub",
    "fallen tree, trunk to the north",
    "fallen tree, trunk to the east",
    "fallen tree, trunk to the south",
    "fallen tree, trunk to the west",
    "dark elephant",
    "light elephant",
)
NUM_PIECES: Final = len(PIECES)
EMPTY: Final = 0
COPY: Final = 1
TREE: Final = 3
ORANGE: Final = 4
STATUE: Final = 5
IMMOVABLE: Final = 7
SHRUB: Final = 7
FALLEN: Final = 8
ELEPHANT: Final = 12
#: What a piece meets at the edge of an era; never on the board.
WALL: Final = NUM_PIECES
#: The code of a seed where pieces and seeds share codes; never in a cell.
SEED: Final = NUM_PIECES + 1

# Elephants.
ELEPHANTS: Final = ("dark", "light")
DARK, LIGHT = range(2)

# Chapters: bits of the field ``chapters``.
CHAPTERS: Final = ("growth", "influence", "memory")
GROWTH, INFLUENCE, MEMORY = 1, 2, 4

# Editions of the rulebook.
EDITIONS: Final = ("2021", "2022")
EDITION_2022: Final = 1

#: Which texts of the powers hold.
POWER_TEXTS: Final = (1, 2)
SECOND_TEXTS: Final = 2

# Steps: what the next action decides.
CHOOSE, ACT, SHIFT, DRAFT, ORDER, ANSWER, OVER = range(7)

# Results. A win of ``player`` is WON + player.
WON: Final = 1
DRAWN: Final = 3
TRUNCATED: Final = 4

#: The field ``power`` of a player without a power; otherwise it is an index into the table of
#: powers.
NO_POWER: Final = -1

# Components (EN 4, 14).
COPIES_EACH: Final = 7
SUPPLY_AT_START: Final = 4
PIECES_OF_GROWTH: Final = 5

#: A record of dtype `STATE`; type checkers cannot see its fields.
State: TypeAlias = Any

_STATE_FIELDS = [
    # Fields are as narrow as their values allow, except those that every step writes: reading a
    # word just after a part of it was written, as hash keys do, stalls the processor. Together they
    # fill whole words, so that there is no padding.
    ("cell", np.uint8, (NUM_ERAS, NUM_SPACES)),  # a piece
    ("seed", np.uint16, (NUM_ERAS,)),  # a bit for each space, 1 where a seed lies
    ("supply", np.int8, (2,)),  # copies by player
    ("hat", np.int8, (2, NUM_ERAS)),  # by elephant and era: whose hat it wears, or NOBODY
    ("unbuilt", np.int8, (2,)),  # 1 while the player's statue is still to build
    ("overtime_spent", np.int8, (2,)),  # by player
    ("revealed", np.int8, (4,)),  # the four powers to draft from, NO_POWER where nothing is drafted
    ("focus", np.int8, (2,)),  # era by player, NOWHERE while drafting
    ("to_act", np.int64),  # a player
    ("step", np.int64),
    ("actions_left", np.int64),  # at step ACT, else 0
    ("active_era", np.int64),  # of the active copy, or NOWHERE
    ("active_space", np.int64),
    ("power", np.int8, (2,)),  # by player, or NO_POWER
    ("free_action", np.int8),  # 1 while `green-thumb` still gives one this turn
    ("offered", np.int8),  # 1 once a draw was offered at this step
    ("turn", np.int16),
    # A setting like those below, placed here to fill the word: 1, or 2 for the second texts.
    ("power_texts", np.int16),
    ("result", np.int8),
    # Settings: constant during a game.
    ("power_share", np.int8),  # 1 where both players use one power
    ("chapters", np.int8),  # bits GROWTH, INFLUENCE, MEMORY
    ("edition", np.int8),
    ("concede", np.int8),  # 1 where conceding is allowed
    ("draws", np.int8),  # 1 where draws may be offered
    ("max_turns", np.int16),
]


#: The dtype of one game.
STATE: Final = np.dtype((np.record, np.dtype(_STATE_FIELDS, align=True)))


def set_up(state: State, handicap: tuple[int, int]) -> None:
    """Write the starting position (RULES §1, and the set-ups of §5, §6, §7).

    The player in ``to_act`` is about to choose a copy or, if powers are revealed (§10), to draft
    one.

    Args:
        state: a record that holds only the settings, the powers and, in ``to_act``, the player who
            goes first or drafts first.
        handicap: the number of copies missing from each supply.
    """
    drafts = state.revealed[0] != NO_POWER
    state.cell[:, 0] = COPY + WHITE
    state.cell[:, 15] = COPY + BLACK
    if state.chapters & INFLUENCE:
        state.cell[:, 6] = ORANGE
    if state.chapters & MEMORY:
        state.cell[:, 3] = ELEPHANT + DARK
        state.cell[:, 12] = ELEPHANT + LIGHT
    state.hat[:] = NOBODY
    state.supply[:] = np.subtract(SUPPLY_AT_START, handicap)
    state.unbuilt[:] = bool(state.chapters & INFLUENCE)
    state.focus[state.to_act] = NOWHERE if drafts else PAST
    state.focus[1 - state.to_act] = NOWHERE if drafts else FUTURE
    state.step = DRAFT if drafts else CHOOSE
    state.active_era = NOWHERE
    state.active_space = NOWHERE
    state.turn = 1
