"""The engine's entry points, and how its games begin."""

from typing import Any, Final

import numpy as np

from tkm_env.compiled.array_types import Indices, Mask, Record, Row, States, StreamOfEach
from tkm_env.compiled.atomics import stack_row
from tkm_env.compiled.decorators import c_function, inlined, kernel
from tkm_env.compiled.engine_rules import EngineRules
from tkm_env.compiled.entry_points import entry_points_of
from tkm_env.compiled.random_numbers import draw
from tkm_env.compiled.xla import begins_work, start_arrays
from tkm_env.games.terminus.engine.actions import NUM_ACTIONS
from tkm_env.games.terminus.engine.observation import NUM_FEATURES, write_observation
from tkm_env.games.terminus.engine.state import STATE, State, set_up, shuffle_deck
from tkm_env.games.terminus.engine.turn import forfeit, play, write_mask

_HALF: Final = 2**32
#: The size of a state, which compiled code cannot ask of the dtype.
_STATE_BYTES: Final = STATE.itemsize


@inlined
def _seed(state: State, streams: StreamOfEach, number: int) -> None:
    """Give a game its own random numbers, seeded with two draws joined.

    They thus never run in step with the stream that they were drawn from.
    """
    upper, lower = np.uint64(draw(streams, number, _HALF)), np.uint64(draw(streams, number, _HALF))
    state.stream[0] = max(upper << np.uint64(32) | lower, np.uint64(1))


@kernel
def set_up_some(states: States, indices: Indices, streams: StreamOfEach) -> None:
    """Set up some games, each from its own stream.

    Args:
        states: the games, which hold their cards: records of shape (n,).
        indices: which games: int64 of shape (k,).
        streams: random numbers for each game: uint64 of shape (n,).
    """
    for number in range(indices.shape[0]):
        state = states[indices[number]]
        _seed(state, streams, indices[number])
        set_up(state)


@inlined
def _sort_deck(state: State) -> None:
    for number in range(1, state.deck_size):
        card, place = state.deck[number], number
        while place > 0 and state.deck[place - 1] > card:
            state.deck[place] = state.deck[place - 1]
            place -= 1
        state.deck[place] = card


@kernel
def shuffle_all(states: States, streams: StreamOfEach) -> None:
    """Shuffle the decks, and draw again what determines future shuffles.

    The outcome does not depend on the order that the decks had.

    Args:
        states: the games: records of shape (n,).
        streams: random numbers for each game: uint64 of shape (n,).
    """
    for game in range(states.shape[0]):
        _sort_deck(states[game])
        _seed(states[game], streams, game)
        shuffle_deck(states[game])


@c_function
def xla_start(frame: int) -> int:
    """The function that XLA calls to set up games from blank ones; see `start_arrays`."""
    if begins_work(frame):
        memory, seeds = start_arrays(frame, _STATE_BYTES)
        states, stream = memory.view(STATE), stack_row(8).view(np.uint64)
        for game in range(seeds.shape[0]):
            stream[0] = max(seeds[game], np.uint64(1))
            _seed(states[game], stream, 0)
            set_up(states[game])
    return 0


# This game's rules need no workspace, and write observations byte by byte.


@inlined
def _write_mask(state: State, mask: Mask, scratch: Record) -> None:
    write_mask(state, mask)


@inlined
def _play(state: State, action: int, mask: Mask, scratch: Record) -> None:
    play(state, action, mask)


@inlined
def _forfeit(state: State, mask: Mask, scratch: Record) -> None:
    forfeit(state)
    mask[:] = 0


@inlined
def _write_observation(state: State, viewer: int, row: Row, words: Any) -> None:
    write_observation(state, viewer, row)


_NO_SCRATCH: Final = np.dtype((np.record, np.dtype([("unused", np.int64)])))
ENTRY_POINTS: Final = entry_points_of(
    EngineRules(
        __name__,
        STATE,
        _NO_SCRATCH,
        NUM_ACTIONS,
        NUM_FEATURES,
        np.int8,
        _write_mask,
        _play,
        _forfeit,
        _write_observation,
    )
)._replace(xla_start=xla_start)
