"""The workspace of one compiled call.

Nothing in it outlives the call, so one record serves any number of games played one after another.
"""

from __future__ import annotations

from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.geometry import NUM_SPACES
from tkm_env.games.tkm.engine.state import STATE

__all__ = ["MAX_LOG_ENTRIES", "MAX_STATUE_STEPS", "NUM_KINDS", "SCRATCH", "Scratch", "new_scratch"]

#: More steps than statues can take in one action. A build makes the most: none in its own era (two with `impose`), at most
#: 5 of its own in each later era (three spaces of displacement, two statues pushed) and 3 for each step passed on.
MAX_STATUE_STEPS: Final = 64

#: More entries than one action can log: each statue step moves at most three pieces, and at most 14 copies die and 15 plants go.
MAX_LOG_ENTRIES: Final = 256

#: The number of kinds of log entries.
NUM_KINDS: Final = 19

#: A record of dtype `SCRATCH`; type checkers cannot see its fields.
Scratch: TypeAlias = Any

_SCRATCH_FIELDS = [
    ("trial", STATE),  # a game to try an action in,
    ("first_acts", np.int8, (NUM_ACTIONS,)),  # the legal actions before it,
    ("second_acts", np.int8, (NUM_ACTIONS,)),  # and after it
    ("capacity", np.int8, (NUM_SPACES,)),  # of the copies in the focus era
    ("step_statue", np.int64, (MAX_STATUE_STEPS,)),  # the steps that statues took, in order: the statue piece
    ("step_direction", np.int64, (MAX_STATUE_STEPS,)),
    ("steps", np.int64),  # how many there are
    ("recording", np.int64),  # 1 if the caller wants an event log; the rest is then filled in:
    ("noting", np.int64),  # 1 while an action resolves (and not while one is only tried)
    ("actor", np.int64),  # the player whose action it is
    ("log", np.int8, (MAX_LOG_ENTRIES, 5)),  # of the last action: kind, era, space, piece, to
    ("log_length", np.int64),  # the length of the log
    ("totals", np.int64, (NUM_KINDS, 2)),  # by kind and player, added up until the caller clears them
]

#: The dtype of the workspace of one compiled call.
SCRATCH: Final = np.dtype((np.record, np.dtype(_SCRATCH_FIELDS, align=True)))


def new_scratch() -> np.ndarray:
    """An array of shape (1,), dtype `SCRATCH`."""
    return np.zeros(1, SCRATCH)
