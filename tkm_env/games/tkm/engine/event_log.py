"""What happens to pieces while an action resolves, one entry for each change on the board, where `attach_log` has given the workspace a
log. `tkm_env.games.tkm.events` turns entries into typed events.
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

#: More entries than one action can log: each statue step moves at most three pieces, and at most 14 copies die and 15 plants go.
MAX_LOG_ENTRIES: Final = 256

#: The dtype of an event log.
LOG: Final = np.dtype(
    [
        ("length", np.int64),  # how many entries there are
        (
            "totals",
            np.int64,
            (len(KINDS), 2),
        ),  # by kind and player, added up until the caller clears them
        (
            "entries",
            np.int8,
            (MAX_LOG_ENTRIES, 5),
        ),  # of the last action: kind, era, space, piece, to
    ]
)
#: The words of a log before its entries.
_WORDS: Final = 1 + 2 * len(KINDS)


def attach_log(scratch: NDArray[np.void]) -> NDArray[np.void]:
    """An empty event log, of shape (1,), that the engine fills from now on while it works in ``scratch`` (1,); keep a reference to both."""
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
    """Log an event of that kind for ``piece`` on that space; ``to`` is where it went, or whose hat it is."""
    if scratch.noting:
        words = array_at(scratch.log, 1, 8 * _WORDS).view(np.int64)[
            0
        ]  # the length, then the totals
        entry = array_at(scratch.log + 8 * _WORDS, MAX_LOG_ENTRIES, 5)[words[0]]
        entry[0] = kind
        entry[1] = era
        entry[2] = space
        entry[3] = piece
        entry[4] = to
        words[0] += 1
        # What happens to copies counts for their owner, everything else for the player who acts.
        whose = piece - COPY if COPY <= piece < TREE else scratch.actor
        words[1 + 2 * kind + whose] += 1
