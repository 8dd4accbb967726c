"""The move generator: every different position that one whole turn can lead to, once, with actions that lead there."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.kernels import NO_ACTION, next_legal
from tkm_env.core.state_arrays import words_of
from tkm_env.core.turns import TurnKernels
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS, OFFER, OVERTIME
from tkm_env.games.tkm.engine.hashing import position_key
from tkm_env.games.tkm.engine.powers import OVERTIME as HAS_OVERTIME
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import OVER, SHIFT, STATE
from tkm_env.games.tkm.engine.turn import play, write_mask

#: More actions than one turn has: deciding the order, a choice, two actions, a free one, `overtime` and one more, the focus: 8.
MAX_ACTIONS: Final = 9

#: More than the different positions that one turn can lead to.
MAX_TURNS: Final = 1 << 14

#: In place of a packed turn: no turn.
NO_TURN: Final = 0

# A packed turn holds 7 bits for each action, the first one lowest: the action's index + 1, and 0 after the last. 9 fit in 63 bits.
_BITS: Final = 7
_ACTION_BITS: Final = (1 << _BITS) - 1

_TABLE_BITS: Final = 14


class TurnGenerator(NamedTuple):
    """A depth-first walk through the ways to play one turn: the decisions on the path, and the positions visited."""

    states: Any  # (MAX_ACTIONS + 1,) STATE: before each decision, and after the last
    words: Any  # the same memory as words
    masks: Any  # (MAX_ACTIONS + 1, NUM_ACTIONS) int8
    next_action: Any  # (MAX_ACTIONS + 1,) int64: the next action to try at each decision
    length: Any  # (1,) int64: how many actions lead to the position found: its index in ``states``
    visited: Any  # (2**_TABLE_BITS, 2) int64: a hash table of positions that several ways lead to: key, and number of the walk
    played: Any  # (2,) int64: actions played so far in all walks; number of the walk
    scratch: Any  # (1,) SCRATCH

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle gives a new workspace, in which states and words share their memory again."""
        return new_turn_generator, ()


def new_turn_generator() -> TurnGenerator:
    """A generator, for one turn at a time."""
    states = np.zeros(MAX_ACTIONS + 1, STATE)
    return TurnGenerator(
        states,
        words_of(states),
        np.zeros((MAX_ACTIONS + 1, NUM_ACTIONS), np.int8),
        np.zeros(MAX_ACTIONS + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros((1 << _TABLE_BITS, 2), np.int64),
        np.zeros(2, np.int64),
        new_scratch(),
    )


@inlined
def begin_turns(turns: TurnGenerator, states: Any, number: int) -> None:
    """Start to generate the turns, or the ways to finish the turn, of the side to act in ``states[number]``, which is not over."""
    turns.states[0] = states[number]
    write_mask(turns.states[0], turns.masks[0], turns.scratch[0])
    turns.length[0] = 1
    turns.next_action[0] = 0
    turns.played[1] += 1


@inlined
def _is_new(turns: TurnGenerator, level: int) -> bool:
    """Whether a position after a turn's last action, or after the turn, is new in this walk; remembers it."""
    key = position_key(turns.words, level, turns.masks[level, OVERTIME] != 0, False)
    slot = key & ((1 << _TABLE_BITS) - 1)
    for _ in range(1 << _TABLE_BITS):  # there are fewer such positions
        if turns.visited[slot, 1] != turns.played[1]:
            turns.visited[slot, 0] = key
            turns.visited[slot, 1] = turns.played[1]
            return True
        if turns.visited[slot, 0] == key:
            return False
        slot = (slot + 1) & ((1 << _TABLE_BITS) - 1)
    return True


@inlined
def next_turn(turns: TurnGenerator) -> bool:
    """Advance to the next position in which the other side is to act, or the game is over, each once; returns whether there is one. It lies
    at ``turns.length[0]`` in ``turns.states``. Conceding and offering a draw are left out.
    """
    level = turns.length[0] - 1
    while level >= 0:
        mask = turns.masks[level]
        action = next_legal(mask, turns.next_action[level])
        while action in (CONCEDE, OFFER):
            action = next_legal(mask, action + 1)
        turns.next_action[level] = action + 1
        if action == NUM_ACTIONS:
            level -= 1
            continue
        after = level + 1
        turns.states[after] = turns.states[level]
        play(turns.states[after], action, turns.masks[after], turns.scratch[0])
        turns.played[0] += 1
        state = turns.states[after]
        player = turns.states[0].to_act
        if state.step == OVER or state.to_act != player:
            # Positions that differ only in the active copy, on which `overtime` depends, lead to the same ends.
            if state.power[player] == HAS_OVERTIME and not _is_new(turns, after):
                continue
            turns.length[0] = after
            return True
        if state.step == SHIFT and not _is_new(turns, after):
            continue
        level = after
        turns.next_action[level] = 0
    turns.length[0] = 0
    return False


@inlined
def pack_turn(turns: TurnGenerator) -> int:
    """The actions that lead to the position found by `next_turn`, as one number."""
    turn = 0
    for number in range(turns.length[0]):
        turn |= turns.next_action[number] << (_BITS * number)
    return turn


@inlined
def replay_turn(states: Any, number: int, turn: int, masks: Any, scratch: Any) -> bool:
    """Play a packed turn from ``states[number]`` into ``states[number + 1]``; returns whether it was legal and a whole turn."""
    state = states[number + 1]
    states[number + 1] = states[number]
    write_mask(state, masks[0], scratch)
    player = state.to_act
    while turn != NO_TURN:
        action = (turn & _ACTION_BITS) - 1
        if state.step == OVER or state.to_act != player or masks[0, action] == 0:
            return False
        play(state, action, masks[0], scratch)
        turn >>= _BITS
    return bool(state.step == OVER or state.to_act != player)


@nogil_kernel
def write_turns(
    turns: TurnGenerator,
    states: Any,
    indices: Any,
    first: int,
    offsets: Any,
    ends: Any,
    actions: Any,
    keys: Any,
    results: Any,
) -> int:
    """Write every turn of the games ``indices[first:]``, as `tkm_env.core.turns.TurnKernels` describes."""
    row = offsets[first]
    for number in range(first, indices.shape[0]):
        if states[indices[number]].step != OVER:
            begin_turns(turns, states, indices[number])
            while next_turn(turns):
                if row == ends.shape[0]:
                    return number
                length = turns.length[0]
                ends[row] = turns.states[length]
                keys[row] = key_of(turns.words[length])
                results[row] = turns.states[length].result
                for place in range(MAX_ACTIONS):
                    actions[row, place] = (
                        turns.next_action[place] - 1 if place < length else NO_ACTION
                    )
                row += 1
        offsets[number + 1] = row
    return indices.shape[0]


#: How this game lists turns.
TURN_KERNELS: Final = TurnKernels(write_turns, new_turn_generator, MAX_ACTIONS)


def unpack_turn(turn: int) -> list[int]:
    """The actions of a packed turn."""
    actions = []
    while turn:
        actions.append((turn & _ACTION_BITS) - 1)
        turn >>= _BITS
    return actions


def pack_actions(actions: Iterable[int]) -> int:
    """A turn of these actions, packed."""
    return sum((action + 1) << (_BITS * number) for number, action in enumerate(actions))
