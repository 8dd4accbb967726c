"""The engine's entry points."""

from typing import Final

import numpy as np

from tkm_env.compiled.array_types import Actions, Mask, States
from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.entry_points import entry_points_of
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS
from tkm_env.games.tkm.engine.observation import write_observation
from tkm_env.games.tkm.engine.planes import OBSERVATION_HIGH
from tkm_env.games.tkm.engine.scratch import SCRATCH, Scratch
from tkm_env.games.tkm.engine.state import STATE, State
from tkm_env.games.tkm.engine.turn import play, write_mask


@inlined
def _forfeit(state: State, mask: Mask, scratch: Scratch) -> None:
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
def replay(states: States, actions: Actions, mask: Mask, scratch: States) -> None:
    """Play actions in a single game, one after another.

    Args:
        states: the game: a record of shape (1,).
        actions: the actions, each legal when it is played: int64 of shape (k,).
        mask: where to write the legal actions: int8 of shape (actions,).
        scratch: the workspace: a record of shape (1,).
    """
    for number in range(actions.shape[0]):
        play(states[0], actions[number], mask, scratch[0])
