"""The event log: what happens to pieces while an action resolves, one entry for each change on the board.

Entries are written only if `scratch.recording` is set. `tkm_env.games.tkm.events` turns them into typed events.
"""

from __future__ import annotations

from typing import Final

from tkm_env.core.jit import compiled
from tkm_env.games.tkm.engine.scratch import Scratch
from tkm_env.games.tkm.engine.state import COPY, TREE

__all__ = [
    "BUILT_HERE",
    "COMMANDED",
    "COPIED",
    "CRUSH",
    "EXCHANGED",
    "GREW",
    "KINDS",
    "PARADOX",
    "PLANTED",
    "PULLED",
    "PUSHED",
    "REMOVED",
    "RETURNED",
    "SQUISH",
    "TOPPLED",
    "TRAINED",
    "TRAMPLE",
    "TRAVELLED",
    "UNTRAINED",
    "WALKED",
    "note",
]

#: The kinds of log entries, in index order. The first four are ways to die.
KINDS: Final = (
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
    "travelled",
    "copied",
    "exchanged",
    "planted",
    "grew",
    "removed",
    "built",
    "trained",
    "untrained",
)
SQUISH: Final = KINDS.index("squish")
PARADOX: Final = KINDS.index("paradox")
CRUSH: Final = KINDS.index("crush")
TRAMPLE: Final = KINDS.index("trample")
RETURNED: Final = KINDS.index("returned")
WALKED: Final = KINDS.index("walked")
PUSHED: Final = KINDS.index("pushed")
PULLED: Final = KINDS.index("pulled")
COMMANDED: Final = KINDS.index("commanded")
TOPPLED: Final = KINDS.index("toppled")
TRAVELLED: Final = KINDS.index("travelled")
COPIED: Final = KINDS.index("copied")
EXCHANGED: Final = KINDS.index("exchanged")
PLANTED: Final = KINDS.index("planted")
GREW: Final = KINDS.index("grew")
REMOVED: Final = KINDS.index("removed")
BUILT_HERE: Final = KINDS.index("built")
TRAINED: Final = KINDS.index("trained")
UNTRAINED: Final = KINDS.index("untrained")


@compiled
def note(scratch: Scratch, kind: int, era: int, space: int, piece: int, to: int) -> None:
    """Log an event of that kind for ``piece`` on that space; ``to`` is where it went, or whose hat it is."""
    if scratch.noting:
        entry = scratch.log[scratch.log_length]
        entry[0] = kind
        entry[1] = era
        entry[2] = space
        entry[3] = piece
        entry[4] = to
        scratch.log_length += 1
        # What happens to copies counts for their owner, everything else for the player who acts.
        whose = piece - COPY if COPY <= piece < TREE else scratch.actor
        scratch.totals[kind, whose] += 1
