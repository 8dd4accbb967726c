"""What a game's engine provides, from which its other compiled code is made."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike

from tkm_env.compiled.array_types import Mask, Record, Row, Words


class EngineRules(NamedTuple):
    """A game's rules: functions that are `inlined`, and the sizes of their data."""

    #: The name of the module to which the machine code belongs, which is kept with the engine's.
    module: str
    #: The dtype of one game, with fields "to_act", "turn" and "result", UNDECIDED until it is over.
    state: np.dtype[np.void]
    #: The dtype of the workspace of one call, which begins with zeros.
    scratch: np.dtype[np.void]
    num_actions: int
    #: The number of bytes of an observation.
    observed: int
    #: An observation is written as bytes and, in the same memory, as words of this dtype.
    word: DTypeLike
    #: ``(state, mask, scratch)``: writes which actions are legal, 1 or 0.
    write_mask: Callable[[Record, Mask, Record], object]
    #: ``(state, action, mask, scratch)``: plays a legal action, and writes the mask.
    play: Callable[[Record, int, Mask, Record], None]
    #: ``(state, mask, scratch)``: ends the game, which the player to act loses, and writes the
    #: mask.
    forfeit: Callable[[Record, Mask, Record], None]
    #: ``(state, viewer, row, words)``: writes what a player, 0 or 1, sees.
    write_observation: Callable[[Record, int, Row, Words], None]
