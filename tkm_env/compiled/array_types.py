"""The arrays that compiled functions take: what each holds, its dtype, and its shape.

In shapes, n is the number of games. All arrays are C-contiguous.
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

#: One record of an array of records, such as a game's state. Compiled code reads and writes its
#: fields as attributes, of which NumPy's types know nothing.
Record: TypeAlias = Any

#: A game's state each: records of shape (n,).
States: TypeAlias = NDArray[np.void]

#: Which actions are legal, 1 or 0: int8 of shape (actions,), and (n, actions).
Mask: TypeAlias = NDArray[np.int8]
Masks: TypeAlias = NDArray[np.int8]

#: An action each, by its index, or a code in its place: int64 of shape (n,).
Actions: TypeAlias = NDArray[np.int64]

#: A player each, 0 or 1, or `tkm_env.compiled.kernels.NOBODY`: of shape (n,), int64, but int32 as
#: XLA passes them.
PlayerOfEach: TypeAlias = "NDArray[np.int64] | NDArray[np.int32]"

#: How each game ended, `tkm_env.compiled.kernels.UNDECIDED` until then: int8 of shape (n,).
Results: TypeAlias = NDArray[np.int8]

#: Whether something is so: bool of shape (n,).
Flags: TypeAlias = NDArray[np.bool_]

#: Some of the games, by their indices: int64 of shape (k,).
Indices: TypeAlias = NDArray[np.int64]

#: Random numbers for one purpose, of each game: uint64 of shape (n,).
StreamOfEach: TypeAlias = NDArray[np.uint64]

#: Random numbers for all purposes, of each game: uint64 of shape (`STREAMS`, n).
StreamTable: TypeAlias = NDArray[np.uint64]

#: Bytes in a row, such as an observation: int8 of shape (size,); and a row each, (n, size).
Row: TypeAlias = NDArray[np.int8]
Rows: TypeAlias = NDArray[np.int8]

#: Eight bytes, or 64 bits; some of them, of shape (k,); and a row of them each, (n, k).
Word: TypeAlias = np.uint64
Words: TypeAlias = NDArray[np.uint64]
WordRows: TypeAlias = NDArray[np.uint64]

#: What elements of an observation are multiplied by, float32 or int8 of shape (k,); and these
#: elements, once gathered, of the same dtype and shape (n, k).
Factors: TypeAlias = "NDArray[np.float32] | NDArray[np.int8]"
Gathered: TypeAlias = "NDArray[np.float32] | NDArray[np.int8]"

#: What threads that share a task write to each other: the int64 words that
#: `tkm_env.compiled.work_sharing` describes.
Control: TypeAlias = NDArray[np.int64]


class GameArrays(NamedTuple):
    """The arrays of a batch of n games, in the order in which the kernel ``work`` takes them."""

    states: States
    starts: States  # where games begin again
    actions: Actions  # what is played in each game, or was picked for it
    players: PlayerOfEach  # the player who sees each game, or until whose turn it is played
    masks: Masks
    results: Results
    illegal: Flags  # whether the last action was illegal
    streams: StreamTable
