"""Compiled functions that XLA calls itself.

They follow version 0 of its foreign function interface (``xla/ffi/api/c_api.h``). XLA passes the
address of C structs of 64-bit words. Before the first call it asks, through an extension of an
otherwise empty frame, for which version a function was made.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Masks, Row, Rows, WordRows, Words
from tkm_env.compiled.atomics import array_at
from tkm_env.compiled.decorators import COMPILES, inlined

#: The version of the interface whose structs are read here.
MAJOR_VERSION: Final = 0
_FIRST_MINOR: Final = 1

# Offsets in the structs, in bytes.
_FRAME_EXTENSION: Final = 8
_FRAME_API: Final = 16
_FRAME_STAGE: Final = 32
_FRAME_OPERANDS: Final = 72
_FRAME_RESULTS: Final = 112
_FRAME_NUM_ATTRIBUTES: Final = 136
_FRAME_ATTRIBUTES: Final = 160
_EXTENSION_KIND: Final = 8
_EXTENSION_METADATA: Final = 24
_METADATA_MAJOR: Final = 24
_METADATA_TRAITS: Final = 32
_API_MINOR: Final = 36
_BUFFER_DATA: Final = 24
_BUFFER_RANK: Final = 32
_BUFFER_SIZES: Final = 40
_ATTRIBUTE_SIZE: Final = 8
_ATTRIBUTE_DATA: Final = 16

# The attributes of a call to observe, in the order of their names: those of a `GatherPlan`.
_FACTORS: Final = 0
_PLANS: Final = 1
#: The type code of float32 factors; all others are int8.
_FLOATS: Final = 11

#: The kind of extension that asks for a function's metadata, and the stage in which the function
#: does its work.
_METADATA: Final = 1
_EXECUTE: Final = 3


@inlined
def _word(address: int) -> int:
    return array_at(address, 1, 8).view(np.int64)[0, 0]


@inlined
def _half(address: int) -> int:
    return array_at(address, 1, 4).view(np.int32)[0, 0]


@inlined
def begins_work(frame: int) -> bool:
    """Whether XLA wants the work done; any other request has been answered."""
    extension = _word(frame + _FRAME_EXTENSION)
    if extension != 0 and _half(extension + _EXTENSION_KIND) == _METADATA:
        metadata = _word(extension + _EXTENSION_METADATA)
        version = array_at(metadata + _METADATA_MAJOR, 1, 8).view(np.int32)[0]
        # Minor versions only add to the structs, so any that XLA has will do; the first one does
        # not name it here.
        api = _word(frame + _FRAME_API)
        version[0] = MAJOR_VERSION
        version[1] = _half(api + _API_MINOR) if api != 0 else _FIRST_MINOR
        traits = array_at(metadata + _METADATA_TRAITS, 1, 4)[0]
        traits[:] = 0
        return False
    return _half(frame + _FRAME_STAGE) == _EXECUTE


@inlined
def _operand(frame: int, number: int) -> int:
    """The address of an operand's elements."""
    return _word(_word(_word(frame + _FRAME_OPERANDS) + 8 * number) + _BUFFER_DATA)


@inlined
def result(frame: int, number: int) -> int:
    """The address of the memory that receives a result.

    Args:
        frame: the address of the call's frame.
        number: the index of the result.

    Returns:
        The address.
    """
    return _word(_word(_word(frame + _FRAME_RESULTS) + 8 * number) + _BUFFER_DATA)


@inlined
def _attribute(frame: int, number: int) -> int:
    """The address of an attribute that is an array."""
    return _word(_word(frame + _FRAME_ATTRIBUTES) + 8 * number)


@inlined
def _games(frame: int) -> int:
    """The number of elements of the second operand."""
    buffer = _word(_word(frame + _FRAME_OPERANDS) + 8)
    games = 1
    for axis in range(_word(buffer + _BUFFER_RANK)):
        games *= _word(_word(buffer + _BUFFER_SIZES) + 8 * axis)
    return games


@inlined
def _copied_states(frame: int, size: int) -> tuple[Rows]:
    """Copy the first operand to the first result, unless XLA gave both the same memory.

    The copy is int8 of shape (1, size), in a tuple.
    """
    states = array_at(result(frame, 0), 1, size)
    if _operand(frame, 0) != result(frame, 0):
        words, given = (
            states.view(np.uint64)[0],
            array_at(_operand(frame, 0), 1, size).view(np.uint64)[0],
        )
        for number in range(words.shape[0]):
            words[number] = given[number]
    return (states,)


@inlined
def start_arrays(frame: int, record: int) -> tuple[Row, Words]:
    """What a call to set up n games reads and writes.

    Args:
        frame: the address of the call's frame.
        record: the number of bytes of a state.

    Returns:
        Copies of blank states, to be set up, as bytes: int8 of shape (n * ``record``,); and their
            random numbers: uint64 of shape (n,).
    """
    games = _games(frame) // 2
    return _copied_states(frame, games * record)[0][0], array_at(
        _operand(frame, 1), 1, 8 * games
    ).view(np.uint64)[0]


@inlined
def play_arrays(
    frame: int, record: int, num_actions: int
) -> tuple[Row, NDArray[np.int32], Masks, NDArray[np.int32]]:
    """What a call to play n games reads and writes.

    Args:
        frame: the address of the call's frame.
        record: the number of bytes of a state.
        num_actions: the number of actions. In the actions, it stands for any action that is not
            legal, and `NO_ACTION` asks for the mask only.

    Returns:
        Copies of the states, as bytes: int8 of shape (n * ``record``,); the actions: int32 of shape
            (n,); the masks, to write to; and, to write to, each player to act plus twice the
            result: int32 of shape (n,).
    """
    games = _games(frame)
    actions = array_at(_operand(frame, 1), 1, 4 * games).view(np.int32)[0]
    statuses = array_at(result(frame, 2), 1, 4 * games).view(np.int32)[0]
    return (
        _copied_states(frame, games * record)[0][0],
        actions,
        array_at(result(frame, 1), games, num_actions),
        statuses,
    )


@inlined
def observe_arrays(frame: int, record: int) -> tuple[Row, NDArray[np.int32]]:
    """What a call to observe n games reads.

    Args:
        frame: the address of the call's frame.
        record: the number of bytes of a state.

    Returns:
        The states, as bytes: int8 of shape (n * ``record``,); and the viewers: int32 of shape (n,).
    """
    games = _games(frame)
    return array_at(_operand(frame, 0), 1, games * record)[0], array_at(
        _operand(frame, 1), 1, 4 * games
    ).view(np.int32)[0]


@inlined
def gathered_bytes(frame: int) -> int:
    """The size of each element that a call to observe gathers, in bytes.

    It is 0 if the call has no plan.
    """
    if _word(frame + _FRAME_NUM_ATTRIBUTES) == 0:
        return 0
    return 4 if _half(_attribute(frame, _FACTORS)) == _FLOATS else 1


@inlined
def plans_and_factors(frame: int, players: int) -> tuple[WordRows, Row]:
    """The plans and the factors of a call to observe.

    Args:
        frame: the address of the call's frame.
        players: the number of players, each with a plan.

    Returns:
        The plans: uint64 of shape (players, m); and the factors, as bytes: int8 of shape (bytes,).
    """
    plans, factors = _attribute(frame, _PLANS), _attribute(frame, _FACTORS)
    words = _word(plans + _ATTRIBUTE_SIZE) // players
    size = _word(factors + _ATTRIBUTE_SIZE) * gathered_bytes(frame)
    return (
        array_at(_word(plans + _ATTRIBUTE_DATA), players, 8 * words).view(np.uint64),
        array_at(_word(factors + _ATTRIBUTE_DATA), 1, size)[0],
    )


def address_of(function: Any) -> int | None:
    """Where C code finds a `c_function`, which is compiled now; None if nothing is compiled."""
    if not COMPILES:
        return None
    from numba import int64

    function.compile((int64,))
    compiled = function.overloads[(int64,)]
    return compiled.library.get_pointer_to_function(compiled.fndesc.llvm_cfunc_wrapper_name)
