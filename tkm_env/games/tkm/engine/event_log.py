"""What happens to pieces while an action resolves: an entry for each change on the board.

Entries are logged if `attach_log` has given the workspace a log. `tkm_env.games.tkm.events` turns
them into typed events.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.atomics import array_at
from tkm_env.compiled.decorators import host_only, inlined
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import COPY, TREE

#: The kinds of log entries, in index order; the first four are ways to die.
KINDS: Final = (
    *(
        "squish",
        "paradox",
        "crush",
        "trample",
        "returned",
        "walked",
        "pushed",
        "pulled",
        "commanded",
        "toppled",
    ),
    *(
        "travelled",
        "copied",
        "exchanged",
        "planted",
        "grew",
        "removed",
        "built",
        "trained",
        "untrained",
    ),
)
SQUISH, PARADOX, CRUSH, TRAMPLE, RETURNED, WALKED, PUSHED, PULLED, COMMANDED, TOPPLED = range(10)
TRAVELLED, COPIED, EXCHANGED, PLANTED, GREW, REMOVED, BUILT_HERE, TRAINED, UNTRAINED = range(
    10, len(KINDS)
)

#: More entries than one action can log: each statue step moves at most three pieces, at most 14
#: copies die, and at most 15 plants leave the board.
MAX_LOG_ENTRIES: Final = 256

#: The dtype of an event log.
LOG: Final = np.dtype(
    [
        ("length", np.int64),  # the number of entries
        # By kind and player, added up until the caller clears them.
        ("totals", np.int64, (len(KINDS), 2)),
        # Of the last action: kind, era, space, piece, to.
        ("entries", np.int8, (MAX_LOG_ENTRIES, 5)),
    ]
)
#: The number of words of a log before its entries.
_WORDS: Final = 1 + 2 * len(KINDS)


def attach_log(scratch: NDArray[np.void]) -> NDArray[np.void]:
    """An empty event log of shape (1,), which the engine fills from now on.

    It does so whenever it works in ``scratch``, of shape (1,); keep a reference to both.
    """
    log = np.zeros(1, LOG)
    scratch["log"] = log.ctypes.data
    return log


@host_only
@inlined
def begin_log(scratch: Scratch) -> None:
    """Forget the last action's entries."""
    if scratch.log:
        array_at(scratch.log, 1, 8).view(np.int64)[0, 0] = 0


@host_only
@inlined
def note(scratch: Scratch, kind: int, era: int, space: int, piece: int, to: int) -> None:
    """Log an event, if the caller wants events.

    Args:
        scratch: the workspace.
        kind: an index into `KINDS`.
        era: the era, 0 to 2.
        space: the space, 0 to 15, or `NOWHERE`.
        piece: the code of the piece that it happened to.
        to: the space or era where the piece went, or the player whose hat it is; `NOWHERE` if
            neither applies.
    """
    if scratch.noting:
        # The length, then the totals.
        words = array_at(scratch.log, 1, 8 * _WORDS).view(np.int64)[0]
        entry = array_at(scratch.log + 8 * _WORDS, MAX_LOG_ENTRIES, 5)[words[0]]
        entry[0] = kind
        entry[1] = era
        entry[2] = space
        entry[3] = piece
        entry[4] = to
        words[0] += 1
        # What happens to a copy counts for its owner, everything else for the player who acts.
        whose = piece - COPY if COPY <= piece < TREE else scratch.actor
        words[1 + 2 * kind + whose] += 1
