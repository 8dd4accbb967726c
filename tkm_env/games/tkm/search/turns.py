"""The ways to play a whole turn: every different position that one turn can lead to, with actions that lead there.

A turn is about four decisions, and many sequences end in the same position; each position is found once.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import next_legal
from tkm_env.game.state_arrays import words_of
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS, OFFER, OVERTIME
from tkm_env.games.tkm.engine.scratch import new_scratch
from tkm_env.games.tkm.engine.state import OVER, SHIFT, STATE
from tkm_env.games.tkm.engine.turn import play, write_mask
from tkm_env.games.tkm.search.hashing import position_key

#: More actions than one turn has: deciding the order, a choice, two actions, a free one, `overtime` and one more, the focus: 8.
MAX_ACTIONS: Final = 9

#: More different positions than one turn can lead to.
MOST_WAYS: Final = 1 << 14

#: In place of a packed turn: no turn.
NO_TURN: Final = 0

# A packed turn holds 7 bits for each action, the first one lowest: the action's index + 1, and 0 after the last. 9 fit in 63 bits.
_BITS: Final = 7
_ACTION_BITS: Final = (1 << _BITS) - 1

_SEEN_BITS: Final = 14
_PROBES: Final = 16


class Walk(NamedTuple):
    """A walk through the ways to play one turn: the decisions on the path, and the positions already seen."""

    states: Any  # (MAX_ACTIONS + 1,) STATE: before each decision, and after the last
    words: Any  # the same memory as words
    masks: Any  # (MAX_ACTIONS + 1, NUM_ACTIONS) int8
    next_action: Any  # (MAX_ACTIONS + 1,) int64: the next action to try at each decision
    level: Any  # (1,) int64: the current decision
    seen: Any  # (2**_SEEN_BITS, 2) int64: keys seen after the last action, and in which walk
    played: Any  # (2,) int64: actions played so far in all walks; the number of the walk
    scratch: Any  # (1,) SCRATCH

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy, or what a pickle gives, is a workspace of its own, in which states and words share their memory again."""
        return new_walk, ()


def new_walk() -> Walk:
    """A workspace for walks, one at a time."""
    states = np.zeros(MAX_ACTIONS + 1, STATE)
    return Walk(
        states,
        words_of(states),
        np.zeros((MAX_ACTIONS + 1, NUM_ACTIONS), np.int8),
        np.zeros(MAX_ACTIONS + 1, np.int64),
        np.zeros(1, np.int64),
        np.zeros((1 << _SEEN_BITS, 2), np.int64),
        np.zeros(2, np.int64),
        new_scratch(),
    )


@inlined
def begin_walk(walk: Walk, states: Any, number: int) -> None:
    """Start to walk the turns, or the rest of the turn, of the side to act in ``states[number]``, which is not over."""
    walk.states[0] = states[number]
    write_mask(walk.states[0], walk.masks[0], walk.scratch[0])
    walk.level[0] = 0
    walk.next_action[0] = 0
    walk.played[1] += 1


@inlined
def _is_new(walk: Walk, level: int) -> bool:
    """Whether the position after a turn's actions is new in this walk; remembers it.

    Only `overtime` depends on the active copy. If the table is crowded, a position may count as new again, which only costs time.
    """
    key = position_key(walk.words, level, walk.masks[level, OVERTIME] != 0, False)
    slot = key & ((1 << _SEEN_BITS) - 1)
    for _ in range(_PROBES):
        if walk.seen[slot, 1] != walk.played[1]:
            walk.seen[slot, 0] = key
            walk.seen[slot, 1] = walk.played[1]
            return True
        if walk.seen[slot, 0] == key:
            return False
        slot = (slot + 1) & ((1 << _SEEN_BITS) - 1)
    return True


@inlined
def next_turn(walk: Walk) -> int:
    """Advance to the next position in which the other side is to act, or the game is over.

    Returns its index in ``walk.states``, which is also the number of actions that lead there, or -1 if there are no more. Conceding
    and offering a draw are left out.
    """
    level = walk.level[0]
    while level >= 0:
        mask = walk.masks[level]
        action = next_legal(mask, walk.next_action[level])
        while action in (CONCEDE, OFFER):
            action = next_legal(mask, action + 1)
        walk.next_action[level] = action + 1
        if action == NUM_ACTIONS:
            level -= 1
            continue
        after = level + 1
        walk.states[after] = walk.states[level]
        play(walk.states[after], action, walk.masks[after], walk.scratch[0])
        walk.played[0] += 1
        state = walk.states[after]
        if state.step == OVER or state.to_act != walk.states[0].to_act:
            walk.level[0] = level
            return after
        if state.step == SHIFT and not _is_new(walk, after):
            continue
        level = after
        walk.next_action[level] = 0
    walk.level[0] = level
    return -1


@inlined
def pack_turn(walk: Walk, length: int) -> int:
    """The actions that led to the position found by `next_turn`, as one number."""
    turn = 0
    for number in range(length):
        turn |= walk.next_action[number] << (_BITS * number)
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


@kernel
def list_turns(walk: Walk, states: Any, turns: Any, positions: Any) -> int:
    """Write the ways to play the turn in ``states[0]``, packed, and the positions they lead to; returns how many there are.

    Shapes: ``turns`` (n,) int64, ``positions`` (n,) STATE; if there are more than n, only n are written.
    """
    count = 0
    begin_walk(walk, states, 0)
    length = next_turn(walk)
    while length >= 0:
        if count < turns.shape[0]:
            turns[count] = pack_turn(walk, length)
            positions[count] = walk.states[length]
        count += 1
        length = next_turn(walk)
    return count


def unpack_turn(turn: int) -> list[int]:
    """The actions of a packed turn.

    >>> unpack_turn(1 + (18 << 7))
    [0, 17]
    """
    actions = []
    while turn:
        actions.append((turn & _ACTION_BITS) - 1)
        turn >>= _BITS
    return actions


def packed(actions: Iterable[int]) -> int:
    """These actions as one number.

    >>> unpack_turn(packed([3, 1, 2]))
    [3, 1, 2]
    """
    return sum((action + 1) << (_BITS * number) for number, action in enumerate(actions))
