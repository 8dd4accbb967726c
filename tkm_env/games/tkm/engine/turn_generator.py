"""The move generator: every different position that one whole turn can lead to, once.

Each position comes with actions that lead there.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import Actions, Control, Indices, Masks, States, WordRows
from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.kernels import NO_ACTION, next_legal
from tkm_env.compiled.ordered_output import (
    claim_chunk,
    items_of_chunk,
    note_rows,
    rows_of_chunk,
    wait_for_rows,
)
from tkm_env.core.state_arrays import words_of
from tkm_env.core.turns import KeptTurns, TurnKernels, TurnRows
from tkm_env.games.tkm.engine.actions import CONCEDE, NUM_ACTIONS, OFFER, OVERTIME
from tkm_env.games.tkm.engine.hashing import position_key
from tkm_env.games.tkm.engine.powers import OVERTIME as HAS_OVERTIME
from tkm_env.games.tkm.engine.scratch import Scratch, new_scratch
from tkm_env.games.tkm.engine.state import OVER, SHIFT, STATE
from tkm_env.games.tkm.engine.turn import play, write_mask

#: More actions than one turn has, which are at most 8: deciding the order, a choice, two actions, a
#: free one, `overtime` and one more, the focus.
MAX_ACTIONS: Final = 9

#: More than the different positions that one turn can lead to.
MAX_TURNS: Final = 1 << 14

#: Instead of a packed turn: no turn.
NO_TURN: Final = 0

# A packed turn holds 7 bits for each action, the first one lowest: the action's index + 1, and 0
# after the last action. Nine actions fit in 63 bits.
_BITS: Final = 7
_ACTION_BITS: Final = (1 << _BITS) - 1

_TABLE_BITS: Final = 14


class TurnGenerator(NamedTuple):
    """A depth-first walk through the ways to play one turn.

    It holds the decisions on the path, and the positions visited.
    """

    #: The game before each decision, and after the last: of dtype `STATE` and shape
    #: (MAX_ACTIONS + 1,).
    states: States
    #: The same memory as words.
    words: WordRows
    #: The legal actions at each decision: of shape (MAX_ACTIONS + 1, actions).
    masks: Masks
    #: The next action to try at each decision: of shape (MAX_ACTIONS + 1,).
    next_action: Actions
    #: The number of actions that lead to the position found, its index in ``states``: of shape
    #: (1,).
    length: NDArray[np.int64]
    #: A hash table of positions that several ways lead to, each with its key and the number of the
    #: walk: of shape (2**_TABLE_BITS, 2).
    visited: NDArray[np.int64]
    #: The number of actions played so far in all walks, and of the walk: of shape (2,).
    played: NDArray[np.int64]
    #: The workspace: of dtype `SCRATCH` and shape (1,).
    scratch: NDArray[np.void]

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle gives a new workspace.

        Its states and words share their memory again.
        """
        return new_turn_generator, ()


def new_turn_generator() -> TurnGenerator:
    """A generator that works on one turn at a time."""
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
def begin_turns(turns: TurnGenerator, states: States, number: int) -> None:
    """Begin to generate the turns of the side to act, or the ways to finish its turn.

    Args:
        turns: the generator.
        states: games: records of shape (n,).
        number: the index of the game, which is not over.
    """
    turns.states[0] = states[number]
    write_mask(turns.states[0], turns.masks[0], turns.scratch[0])
    turns.length[0] = 1
    turns.next_action[0] = 0
    turns.played[1] += 1


@inlined
def _is_new(turns: TurnGenerator, level: int) -> bool:
    """Whether a position is new in this walk, which remembers it.

    The position comes after a turn's last action, or after the turn.
    """
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
    """Advance to the next position after the turn; return whether there is one.

    The other side is to act there, or the game is over. Each such position comes once. It lies at
    ``turns.length[0]`` in ``turns.states``. Conceding and offering a draw are left out.
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
            # Positions that differ only in the active copy, on which `overtime` depends, lead to
            # the same ends.
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
    """The actions that lead to the position found by `next_turn`, packed into one integer."""
    turn = 0
    for number in range(turns.length[0]):
        turn |= turns.next_action[number] << (_BITS * number)
    return turn


@inlined
def replay_turn(states: States, number: int, turn: int, masks: Masks, scratch: Scratch) -> bool:
    """Play a packed turn.

    Args:
        states: games: records of shape (n,), n at least ``number`` + 2.
        number: the index of the game to play from; the game after the turn is written to the next
            index.
        turn: the packed turn.
        masks: memory for a mask: int8 of shape (1 or more, actions).
        scratch: the workspace.

    Returns:
        Whether the actions were legal and made up a whole turn.
    """
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


@inlined
def _write_turn(turns: TurnGenerator, rows: TurnRows, row: int) -> None:
    """Write the turn found by `next_turn` to a row, if there is such a row."""
    if row < rows.keys.shape[0]:
        length = turns.length[0]
        rows.states[row] = turns.states[length]
        rows.keys[row] = key_of(turns.words[length])
        rows.results[row] = turns.states[length].result
        for place in range(MAX_ACTIONS):
            rows.actions[row, place] = turns.next_action[place] - 1 if place < length else NO_ACTION


@inlined
def _move_turns(kept: KeptTurns, first: int, count: int, rows: TurnRows, to: int) -> None:
    """Copy kept rows to their place in the list, as far as there is room."""
    own = kept.rows
    for row in range(min(count, rows.keys.shape[0] - to)):
        rows.states[to + row] = own.states[first + row]
        rows.keys[to + row] = own.keys[first + row]
        rows.results[to + row] = own.results[first + row]
        for place in range(MAX_ACTIONS):
            rows.actions[to + row, place] = own.actions[first + row, place]


@inlined
def _move_offsets(offsets: Indices, first: int, until: int, by: int) -> None:
    """Correct where the rows of some games end."""
    for number in range(first, until):
        offsets[number + 1] += by


@inlined
def _place_kept(
    control: Control,
    thread: int,
    kept: KeptTurns,
    chunk: int,
    waits: bool,
    offsets: Indices,
    rows: TurnRows,
) -> bool:
    """Add up the rows before a chunk, and move the kept ones among them to their place.

    Args:
        control: what the threads share.
        thread: the index of the calling thread.
        kept: what the thread keeps.
        chunk: the chunk.
        waits: whether to wait for chunks that other threads have not counted yet.
        offsets: where the rows of each game end, from the second element on.
        rows: the list.

    Returns:
        Whether the place of the chunk is known.
    """
    at = kept.progress[0]
    while at.counted < chunk:
        count = rows_of_chunk(control, at.counted)
        if count < 0:
            if not waits:
                return False
            wait_for_rows(control, thread, at.counted)
        else:
            if at.placed < at.kept and kept.chunks[at.placed, 0] == at.counted:
                start = kept.chunks[at.placed, 1]
                first, until = items_of_chunk(control, at.counted)
                _move_offsets(offsets, first, until, at.rows - start)
                _move_turns(kept, start, count, rows, at.rows)
                at.placed += 1
            at.rows += count
            at.counted += 1
    if at.placed == at.kept:
        at.placed = at.kept = at.kept_rows = 0
    return True


@nogil_kernel
def write_turns(
    control: Control,
    thread: int,
    turns: TurnGenerator,
    kept: KeptTurns,
    states: States,
    indices: Indices,
    offsets: Indices,
    rows: TurnRows,
) -> None:
    """Write every turn of some games, as `tkm_env.core.turns.TurnKernels` describes.

    Args:
        control: what the threads share, as `tkm_env.compiled.ordered_output` describes.
        thread: the index of the calling thread.
        turns: the thread's generator.
        kept: the thread's memory for turns whose place in the list is not known yet.
        states: games: records of shape (n,).
        indices: the games whose turns to list: int64 of shape (k,).
        offsets: where to write where the rows of each game end, from the second element on: int64
            of shape (k + 1,).
        rows: where to write the turns.
    """
    at = kept.progress[0]
    at.counted = at.rows = at.placed = at.kept = at.kept_rows = 0
    chunk = claim_chunk(control)
    first, until = items_of_chunk(control, chunk)
    while first < until:
        is_full = at.kept == kept.chunks.shape[0]
        is_placed = _place_kept(control, thread, kept, chunk, is_full, offsets, rows)
        start = at.rows if is_placed else at.kept_rows
        row = start
        for number in range(first, until):
            if states[indices[number]].step != OVER:
                begin_turns(turns, states, indices[number])
                while next_turn(turns):
                    if not is_placed and row == kept.rows.keys.shape[0]:
                        is_placed = _place_kept(control, thread, kept, chunk, True, offsets, rows)
                        _move_offsets(offsets, first, number, at.rows - start)
                        _move_turns(kept, start, row - start, rows, at.rows)
                        row += at.rows - start
                        start = at.rows
                    if is_placed:
                        _write_turn(turns, rows, row)
                    else:
                        _write_turn(turns, kept.rows, row)
                    row += 1
            offsets[number + 1] = row
        if not is_placed:
            kept.chunks[at.kept, 0] = chunk
            kept.chunks[at.kept, 1] = start
            at.kept += 1
            at.kept_rows = row
        note_rows(control, chunk, row - start)
        chunk = claim_chunk(control)
        first, until = items_of_chunk(control, chunk)
    if at.kept > 0:
        last = kept.chunks[at.kept - 1, 0]
        _place_kept(control, thread, kept, last + 1, True, offsets, rows)


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
