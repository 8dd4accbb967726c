"""The engine's entry points."""

from typing import Any, Final

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.entry_points import entry_points_of
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS
from tkm_env.games.tkm.engine.observation import write_observation
from tkm_env.games.tkm.engine.planes import OBSERVATION_HIGH
from tkm_env.games.tkm.engine.scratch import SCRATCH
from tkm_env.games.tkm.engine.state import STATE
from tkm_env.games.tkm.engine.turn import play, write_mask


@inlined
def _forfeit(state: Any, mask: Any, scratch: Any) -> None:
    play(state, CONCEDE, mask, scratch)


ENTRY_POINTS: Final = entry_points_of(
    EngineRules(
        __name__,
        STATE,
        SCRATCH,
        NUM_ACTIONS,
        OBSERVATION_HIGH.size,
        np.uint64,
        write_mask,
        play,
        _forfeit,
        write_observation,
    )
)


@kernel
def replay(states: Any, actions: Any, mask: Any, scratch: Any) -> None:
    """Play ``actions`` (k,) int64 in the single game, one after the other; each must be legal in its turn."""
    for number in range(actions.shape[0]):
        play(states[0], actions[number], mask, scratch[0])
