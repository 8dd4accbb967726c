"""The workspace of one compiled call.

Its contents do not outlive the call, so one record serves any number of games in turn.
"""

from typing import Any, Final, TypeAlias

import numpy as np

from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.state import STATE

#: An upper bound for the number of statue steps in one action. A build makes the most: none in its
#: own era (two with `impose`), at most 5 of its own in each later era (three spaces of
#: displacement, two statues pushed) and 3 for each step passed on.
MAX_STATUE_STEPS: Final = 64

#: A record of dtype `SCRATCH`; type checkers cannot see its fields.
Scratch: TypeAlias = Any

_SCRATCH_FIELDS = [
    ("trial", STATE),  # a game to try an action in
    ("first_acts", np.int8, (NUM_ACTIONS,)),  # the legal actions before it
    ("second_acts", np.int8, (NUM_ACTIONS,)),  # the legal actions after it
    # The steps that statues took, in order: the statue's piece, and the direction.
    ("step_statue", np.int8, (MAX_STATUE_STEPS,)),
    ("step_direction", np.int8, (MAX_STATUE_STEPS,)),
    ("steps", np.int64),  # the number of these steps
    ("log", np.int64),  # the address of the event log; 0 unless the caller wants one
    # 1 while an action resolves for such a caller, but not while one is only tried.
    ("noting", np.int64),
    ("actor", np.int64),  # the player whose action it is
]

#: The dtype of the workspace of one compiled call.
SCRATCH: Final = np.dtype((np.record, np.dtype(_SCRATCH_FIELDS, align=True)))


def new_scratch() -> np.ndarray:
    """A new workspace: an array of dtype `SCRATCH` and shape (1,)."""
    return np.zeros(1, SCRATCH)
