"""Alpha-beta over whole turns: principal variations, a transposition table, iterative deepening.

A node is a position between two turns; its moves are the different positions one turn can lead to. The search is the textbook
principal variation search in negamax form (Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982;
chessprogramming.org, "Principal Variation Search"). A transposition is identified by its key alone: there is no repetition rule, so a
position's value does not depend on how it was reached. Wins and losses are exact: nothing is pruned heuristically or reduced, so a win in
n turns is a proof, and at depth n every win in n turns is found.

The rules would let a game go in circles up to the turn limit. A turn that leads to a position which the game has been through is therefore
searched like any other, but unless a win or a loss is proven it is worth `CIRCLE`, less than a draw. Only turns from the root are valued
so, and what the table keeps of such a root counts only as a proof and as the turn to try first: whatever it holds is true in every game.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.concurrency import no_concurrent_use
from tkm_env.game.state_arrays import words_of
from tkm_env.games.tkm.engine.state import OVER, STATE, WON
from tkm_env.games.tkm.search.evaluation import Evaluator, evaluate, new_evaluator
from tkm_env.games.tkm.search.hashing import position_key
from tkm_env.games.tkm.search.history import CIRCLE, NOTHING_SEEN, is_seen
from tkm_env.games.tkm.search.turns import (
    NO_TURN,
    Walk,
    begin_walk,
    list_turns,
    new_walk,
    next_turn,
    pack_turn,
    packed,
    replay_turn,
    unpack_turn,
)
from tkm_env.time_budget import TimeBudget

#: An immediate win; a win in n turns is worth WIN - n.
WIN: Final = 1_000_000
#: No evaluation reaches this; a value that does is a proven win.
_PROVEN: Final = WIN - 1000
_INFINITY: Final = WIN + 1
#: The deepest search, in whole turns.
MAX_DEPTH: Final = 64

# The kinds of bounds in the table.
_EXACT: Final = 0
_AT_LEAST: Final = 1
_AT_MOST: Final = 2

# The columns of the table. An entry is empty while its key is 0.
_KEY: Final = 0
_TURN: Final = 1
_VALUE: Final = 2
_DEPTH: Final = 3
_BOUND: Final = 4
_AGE: Final = 5
_COLUMNS: Final = 6

# The counters.
_TOP: Final = 0  # how much of the pool is in use
_NODES: Final = 1  # positions searched in total
_AGE_NOW: Final = 2  # the age of new entries
_COUNT_TURNS: Final = 3  # 1 where the turn limit is near
_EXCLUDED: Final = 4  # how many first turns are excluded
_PLY: Final = 5  # the search's current distance from the root,
_ENTERING: Final = 6  # and 1 if it has not entered that node yet
_NUM_COUNTERS: Final = 7

# The columns of a frame: a node on the path.
_TO_SEARCH: Final = 0  # how many turns deep
_ALPHA: Final = 1
_BETA: Final = 2
_BEST: Final = 3  # the best value so far
_BEST_TURN: Final = 4
_NODE_KEY: Final = 5
_KNOWN: Final = 6  # the turn from the table
_STAGE: Final = 7
_BEGIN: Final = 8  # its slice of the pool,
_END: Final = 9
_NEXT: Final = 10  # and the next entry to search
_TURN_IN_HAND: Final = 11
_AGAIN: Final = 12  # 1 if that turn is to be searched again with the full window
_CIRCLES: Final = 13  # 1 if the turn that leads here from the root goes in a circle
_FRAME_COLUMNS: Final = 14

# The stages of a node.
_TRY_KNOWN: Final = 0
_LIST: Final = 1
_GO_THROUGH: Final = 2

_POOL: Final = 1 << 16
_KILLERS: Final = 2
#: The most turns that can be requested at once.
MAX_TURNS: Final = 1 << 10

#: The half-width of an iteration's initial window around the expected score.
_ASPIRATION: Final = 60
#: Actions played per second, before that is measured.
_SLOWEST: Final = 5000.0

#: The settings that must stay the same for the table to remain valid.
_SETTINGS: Final = ("chapters", "edition", "power_share", "concede", "draws", "max_turns")

# The order of killers, which are not ordered by evaluation.
_KILLER_FIRST: Final = WIN // 2


class SearchBuffers(NamedTuple):
    """Everything that a search writes to, allocated once."""

    path: Any  # (MAX_DEPTH + 2,) STATE: the position at each distance from the root
    path_words: Any
    frames: Any  # (MAX_DEPTH + 2, _FRAME_COLUMNS) int64
    walk: Walk
    pool: Any  # (_POOL,) STATE: positions after each turn of the nodes on the path
    pool_turns: Any  # (_POOL,) int64
    pool_orders: Any  # (_POOL,) int64: the highest is searched first
    table: Any  # (n, 2, _COLUMNS) int64: a slot for the deepest search, and one for the latest
    killers: Any  # (MAX_DEPTH + 2, _KILLERS) int64: turns that caused a cutoff elsewhere at the same ply
    counters: Any  # (_NUM_COUNTERS,) int64
    excluded: Any  # (MAX_TURNS,) int64
    seen: Any  # (n,) int64: the keys of the positions that the game has been through, ascending
    evaluator: Evaluator
    mask: Any  # (1, NUM_ACTIONS) int8

    def __reduce__(self) -> tuple[Any, ...]:
        """In a copy, or in what a pickle gives, the path and its words share their memory again."""
        return _joined, (*self,)


def _joined(path: Any, path_words: Any, *others: Any) -> SearchBuffers:
    """Buffers of these arrays, but for the words, which are those of the path."""
    return SearchBuffers(path, words_of(path), *others)


def _new_buffers(table_bits: int, evaluator: Evaluator) -> SearchBuffers:
    path = np.zeros(MAX_DEPTH + 2, STATE)
    walk = new_walk()
    return SearchBuffers(
        path,
        words_of(path),
        np.zeros((MAX_DEPTH + 2, _FRAME_COLUMNS), np.int64),
        walk,
        np.zeros(_POOL, STATE),
        np.zeros(_POOL, np.int64),
        np.zeros(_POOL, np.int64),
        np.zeros((1 << (table_bits - 1), 2, _COLUMNS), np.int64),
        np.zeros((MAX_DEPTH + 2, _KILLERS), np.int64),
        np.zeros(_NUM_COUNTERS, np.int64),
        np.zeros(MAX_TURNS, np.int64),
        NOTHING_SEEN,
        evaluator,
        np.zeros_like(walk.masks[:1]),
    )


@inlined
def _final_value(state: Any, distance: int) -> int:
    """The value of a finished game, ``distance`` turns from the root, to the side that is not in ``to_act``."""
    return distance - WIN if state.result == WON + state.to_act else 0


@inlined
def _find(table: Any, key: int) -> int:
    """Which of its two slots in the table holds the key, or -1."""
    row = key & (table.shape[0] - 1)
    if table[row, 0, _KEY] == key:
        return 0
    return 1 if table[row, 1, _KEY] == key else -1


@inlined
def _from_root(value: int, ply: int) -> int:
    """A table value, whose wins are counted from the position, converted to one counted from the root."""
    if value >= _PROVEN:
        return value - ply
    return value + ply if value <= -_PROVEN else value


@inlined
def _settles(table: Any, row: int, place: int, ply: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether an entry makes searching its position unnecessary. A proof does at any depth."""
    stored = table[row, place, _VALUE]
    if table[row, place, _DEPTH] < depth and -_PROVEN < stored < _PROVEN:
        return False
    value, bound = _from_root(stored, ply), table[row, place, _BOUND]
    deep = table[row, place, _DEPTH] >= depth
    return bool((bound == _EXACT and deep) or (bound != _AT_MOST and value >= beta) or (bound != _AT_LEAST and value <= alpha))


@inlined
def _store(buffers: SearchBuffers, key: int, ply: int, depth: int, value: int, bound: int, turn: int) -> None:
    """Store what a search found: in the first slot if that is shallower or older, else in the second."""
    table = buffers.table
    row = key & (table.shape[0] - 1)
    first = table[row, 0]
    place = 0
    if first[_KEY] != key and first[_AGE] == buffers.counters[_AGE_NOW] and first[_DEPTH] > depth:
        place = 1
    entry = table[row, place]
    entry[_KEY] = key
    entry[_TURN] = turn
    entry[_VALUE] = _from_root(value, -ply)
    entry[_DEPTH] = depth
    entry[_BOUND] = bound
    entry[_AGE] = buffers.counters[_AGE_NOW]


@inlined
def _value_now(buffers: SearchBuffers, state: Any, ply: int) -> int:
    """The value of a position without search."""
    return _final_value(state, ply) if state.step == OVER else evaluate(state, buffers.evaluator)


@inlined
def _search_last_turn(buffers: SearchBuffers, ply: int, alpha: int, beta: int) -> tuple[int, int]:
    """The best turn at depth 1 and its value, or the first turn that reaches ``beta``; positions are evaluated as they are found."""
    best, best_turn = -_INFINITY, NO_TURN
    begin_walk(buffers.walk, buffers.path, ply)
    length = next_turn(buffers.walk)
    while length >= 0:
        state = buffers.walk.states[length]
        value = -_value_now(buffers, state, ply + 1)
        if ply == 0 and is_seen(buffers.seen, buffers.walk.words, length):
            value = _in_a_circle(value)
        if value > best and not (ply == 0 and _is_excluded(buffers, pack_turn(buffers.walk, length))):
            best, best_turn = value, pack_turn(buffers.walk, length)
            if best >= beta:
                break
        length = next_turn(buffers.walk)
    return best, best_turn


@inlined
def _in_a_circle(value: int) -> int:
    """The value of a turn from the root to a position that the game has been through, where ``value`` is that of any other turn there."""
    return CIRCLE if -_PROVEN < value < _PROVEN else value


@inlined
def _is_excluded(buffers: SearchBuffers, turn: int) -> bool:
    for number in range(buffers.counters[_EXCLUDED]):  # noqa: SIM110 numba compiles no generator expressions
        if buffers.excluded[number] == turn:
            return True
    return False


@inlined
def _collect(buffers: SearchBuffers, ply: int, first: int) -> int:
    """Put the position after each turn except ``first`` into the pool; returns how many, or just 1 if a turn wins at once."""
    top = buffers.counters[_TOP]
    count = 0
    begin_walk(buffers.walk, buffers.path, ply)
    length = next_turn(buffers.walk)
    while length >= 0 and top + count < _POOL:
        turn = pack_turn(buffers.walk, length)
        state = buffers.walk.states[length]
        if turn != first and not (ply == 0 and _is_excluded(buffers, turn)):
            buffers.pool[top + count] = state
            buffers.pool_turns[top + count] = turn
            buffers.pool_orders[top + count] = _order(buffers, ply, state, turn)
            count += 1
            if state.step == OVER and state.result == WON + state.to_act:
                buffers.pool[top] = state
                buffers.pool_turns[top] = turn
                return 1
        length = next_turn(buffers.walk)
    return count


@inlined
def _order(buffers: SearchBuffers, ply: int, state: Any, turn: int) -> int:
    """How early to search a turn: killers first, then by evaluation."""
    if state.step == OVER:
        return 0
    if turn == buffers.killers[ply, 0] or turn == buffers.killers[ply, 1]:
        return _KILLER_FIRST
    return -evaluate(state, buffers.evaluator)


@inlined
def _bring_best_forward(buffers: SearchBuffers, start: int, end: int) -> None:
    """Swap the best entry by order, among ``start`` to ``end`` - 1 in the pool, to ``start``."""
    best = start
    for number in range(start + 1, end):
        if buffers.pool_orders[number] > buffers.pool_orders[best]:
            best = number
    if best != start:
        # The position at ``start`` moves; the best one is about to be copied to the path, and its place is free then.
        turn, order = buffers.pool_turns[best], buffers.pool_orders[best]
        buffers.path[MAX_DEPTH + 1] = buffers.pool[best]
        buffers.pool[best] = buffers.pool[start]
        buffers.pool[start] = buffers.path[MAX_DEPTH + 1]
        buffers.pool_turns[best], buffers.pool_orders[best] = buffers.pool_turns[start], buffers.pool_orders[start]
        buffers.pool_turns[start], buffers.pool_orders[start] = turn, order


@inlined
def _note_killer(buffers: SearchBuffers, ply: int, turn: int) -> None:
    if buffers.killers[ply, 0] != turn:
        buffers.killers[ply, 1] = buffers.killers[ply, 0]
        buffers.killers[ply, 0] = turn


@inlined
def _begin_node(buffers: SearchBuffers, ply: int, depth: int, alpha: int, beta: int) -> None:
    """Set up the search of ``path[ply]``: how many turns deep, and within which window.

    Of a position that the root leads back to only a proof counts, which no window may hide.
    """
    frame = buffers.frames[ply]
    frame[_CIRCLES] = ply == 1 and is_seen(buffers.seen, buffers.path_words, ply)
    if frame[_CIRCLES]:
        alpha, beta = -_INFINITY, _INFINITY
    frame[_TO_SEARCH] = depth
    frame[_ALPHA] = alpha
    frame[_BETA] = beta


@inlined
def _enter(buffers: SearchBuffers, ply: int) -> bool:
    """Enter a node; returns whether its value is known at once.

    It is if the game is over, if the table settles it, or if one turn is left to search.
    """
    counters, frame, state = buffers.counters, buffers.frames[ply], buffers.path[ply]
    alpha, beta = frame[_ALPHA], frame[_BETA]
    counters[_NODES] += 1
    if state.step == OVER:
        frame[_BEST] = _final_value(state, ply)
        return True
    # A win in this turn is the best possible value.
    if ply > 0 and alpha >= WIN - ply - 1:
        frame[_BEST] = alpha
        return True
    key = position_key(buffers.path_words, ply, True, counters[_COUNT_TURNS] != 0)
    place = _find(buffers.table, key)
    frame[_NODE_KEY] = key
    frame[_BEST] = -_INFINITY
    frame[_BEST_TURN] = NO_TURN
    frame[_KNOWN] = NO_TURN
    if place >= 0:
        row = key & (buffers.table.shape[0] - 1)
        frame[_KNOWN] = buffers.table[row, place, _TURN]
        if ply > 0 and _settles(buffers.table, row, place, ply, frame[_TO_SEARCH], alpha, beta):
            frame[_BEST] = _from_root(buffers.table[row, place, _VALUE], ply)
            return True
    if frame[_TO_SEARCH] == 1:
        frame[_BEST], frame[_BEST_TURN] = _search_last_turn(buffers, ply, alpha, beta)
        _remember(buffers, ply)
        return True
    if ply == 0 and _is_excluded(buffers, frame[_KNOWN]):
        frame[_KNOWN] = NO_TURN
    frame[_STAGE] = _TRY_KNOWN
    frame[_AGAIN] = 0
    return False


@inlined
def _next_child(buffers: SearchBuffers, ply: int) -> bool:
    """Put the next position to search on the path; returns whether there is one.

    The turn from the table comes first, before the others are even listed.
    """
    frame = buffers.frames[ply]
    alpha = max(frame[_ALPHA], frame[_BEST])
    if frame[_AGAIN]:
        _begin_node(buffers, ply + 1, frame[_TO_SEARCH] - 1, -frame[_BETA], -alpha)
        return True
    if frame[_BEST] >= frame[_BETA]:
        return False
    if frame[_STAGE] == _TRY_KNOWN:
        frame[_STAGE] = _LIST
        if frame[_KNOWN] != NO_TURN and replay_turn(buffers.path, ply, frame[_KNOWN], buffers.mask, buffers.walk.scratch[0]):
            frame[_TURN_IN_HAND] = frame[_KNOWN]
            _begin_node(buffers, ply + 1, frame[_TO_SEARCH] - 1, -frame[_BETA], -alpha)
            return True
        frame[_KNOWN] = NO_TURN
    if frame[_STAGE] == _LIST:
        frame[_STAGE] = _GO_THROUGH
        # The pool holds the children of the nodes on the path, node by node.
        frame[_BEGIN] = buffers.counters[_TOP]
        frame[_NEXT] = frame[_BEGIN]
        frame[_END] = frame[_NEXT] + _collect(buffers, ply, frame[_KNOWN])
        buffers.counters[_TOP] = frame[_END]
    if frame[_NEXT] == frame[_END]:
        return False
    _bring_best_forward(buffers, frame[_NEXT], frame[_END])
    buffers.path[ply + 1] = buffers.pool[frame[_NEXT]]
    frame[_TURN_IN_HAND] = buffers.pool_turns[frame[_NEXT]]
    frame[_NEXT] += 1
    # A null window only tests whether the turn is better than the best so far; the first turn has nothing to compare with.
    lowest = -frame[_BETA] if frame[_BEST] == -_INFINITY else -alpha - 1
    _begin_node(buffers, ply + 1, frame[_TO_SEARCH] - 1, lowest, -alpha)
    return True


@inlined
def _take(buffers: SearchBuffers, ply: int, value: int) -> None:
    """Take the value of the turn in hand: the best so far, worse, or, if inside the window after a null window, to be searched again."""
    frame = buffers.frames[ply]
    frame[_AGAIN] = 0
    whole_window = buffers.frames[ply + 1, _ALPHA] == -frame[_BETA]
    if buffers.frames[ply + 1, _CIRCLES]:
        value = _in_a_circle(value)
    elif not whole_window and max(frame[_ALPHA], frame[_BEST]) < value < frame[_BETA]:
        frame[_AGAIN] = 1
        return
    if value > frame[_BEST]:
        frame[_BEST] = value
        frame[_BEST_TURN] = frame[_TURN_IN_HAND]
        if value >= frame[_BETA]:
            _note_killer(buffers, ply, frame[_BEST_TURN])


@inlined
def _remember(buffers: SearchBuffers, ply: int) -> None:
    """Store what was found at a node, unless some of its turns were excluded.

    The root's value is that of this game alone if it has been somewhere; it is stored as if it came without search.
    """
    frame = buffers.frames[ply]
    if ply == 0 and buffers.counters[_EXCLUDED] > 0:
        return
    best = frame[_BEST]
    bound = _AT_LEAST if best >= frame[_BETA] else (_EXACT if best > frame[_ALPHA] else _AT_MOST)
    depth = 0 if ply == 0 and buffers.seen.shape[0] > 0 else frame[_TO_SEARCH]
    _store(buffers, frame[_NODE_KEY], ply, depth, best, bound, frame[_BEST_TURN])


@inlined
def _leave(buffers: SearchBuffers, ply: int) -> None:
    """Finish a node whose turns have been searched."""
    frame = buffers.frames[ply]
    _remember(buffers, ply)
    if frame[_STAGE] == _GO_THROUGH:
        # Free this node's slice of the pool.
        buffers.counters[_TOP] = frame[_BEGIN]


@kernel
def _begin(buffers: SearchBuffers, depth: int, alpha: int, beta: int) -> None:
    """Prepare to search ``path[0]``."""
    buffers.counters[_TOP] = 0
    buffers.counters[_PLY] = 0
    buffers.counters[_ENTERING] = 1
    buffers.frames[0, _BEST_TURN] = NO_TURN
    _begin_node(buffers, 0, depth, alpha, beta)


@nogil_kernel
def _go_on(buffers: SearchBuffers, limit: int) -> bool:
    """Continue the search until ``limit`` actions have been played in total; returns whether it is done. Frames replace recursion."""
    ply, entering = buffers.counters[_PLY], buffers.counters[_ENTERING] != 0
    while buffers.walk.played[0] < limit:
        if not (entering and _enter(buffers, ply)):
            if _next_child(buffers, ply):
                ply += 1
                entering = True
                continue
            _leave(buffers, ply)
        if ply == 0:
            return True
        ply -= 1
        entering = False
        _take(buffers, ply, -buffers.frames[ply + 1, _BEST])
    buffers.counters[_PLY] = ply
    buffers.counters[_ENTERING] = int(entering)
    return False


class Found(NamedTuple):
    """The result of a search.

    Attributes:
        turn: the actions of the best turn.
        score: its value to the side to act: hundredths of a logit of winning, or a proof (see `turns_to_end`).
        depth: how many turns deep the search was complete; 0 if time ran out before depth 1.
    """

    turn: tuple[int, ...]
    score: int
    depth: int


def turns_to_end(score: int) -> int | None:
    """How many turns, counted over both sides, until a proven win or loss; None if the score is not a proof.

    >>> turns_to_end(WIN - 3), turns_to_end(2 - WIN), turns_to_end(150)
    (3, 2, None)
    """
    return WIN - abs(score) if abs(score) >= _PROVEN else None


def _is_settled(score: int, depth: int) -> bool:
    """Whether no deeper search can change a score: a proof that lies entirely within the depth."""
    end = turns_to_end(score)
    return end is not None and end <= depth


class Searcher:
    """A search with its memory, which is allocated once and reused from position to position.

    One Python thread at a time may use it; a second one gets a `ConcurrentUseError`.

    Args:
        table_bits: the transposition table has 2**``table_bits`` entries of 48 bytes.
        evaluator: of positions, by default by the weighted terms.

    Attributes:
        time_budget: its ``deadline`` ends a search early, from any thread.
    """

    def __init__(self, *, table_bits: int = 18, evaluator: Evaluator | None = None) -> None:
        self._buffers = _new_buffers(table_bits, evaluator or new_evaluator())
        self._settings = b""
        self._ran_out = False
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        # On first use these are compiled, which should not count towards a time limit.
        _begin(self._buffers, 1, -_INFINITY, _INFINITY)
        _go_on(self._buffers, 0)

    @property
    def nodes(self) -> int:
        """The total number of positions between turns that were searched."""
        return int(self._buffers.counters[_NODES])

    @property
    def played(self) -> int:
        """The total number of actions that were played: the engine's steps."""
        return int(self._buffers.walk.played[0])

    @no_concurrent_use
    def evaluate_with(self, evaluator: Evaluator) -> None:
        """Evaluate positions with another evaluator from now on; what was found with the last one is forgotten."""
        if evaluator is not self._buffers.evaluator:
            self.forget()
            self._buffers = self._buffers._replace(evaluator=evaluator)

    @no_concurrent_use
    def forget(self) -> None:
        """Empty the table."""
        if self.nodes:  # else it is empty, and the system need not provide its memory yet
            self._buffers.table[:] = 0
            self._buffers.killers[:] = 0

    def search(
        self,
        states: np.ndarray[Any, Any],
        *,
        depth: int | None = None,
        seconds: float | None = None,
        seen: NDArray[np.int64] = NOTHING_SEEN,
    ) -> Found:
        """The best turn, or rest of a turn, for the side to act in ``states[0]``, by iterative deepening.

        The search ends after the iteration of that depth, when time runs out, or with a proof that no deeper search could improve.
        ``seen`` are the positions that the game has been through, as `history.positions_seen` returns them.
        """
        return self.best_turns(states, 1, depth=depth, seconds=seconds, seen=seen)[0]

    @no_concurrent_use
    def best_turns(
        self,
        states: np.ndarray[Any, Any],
        count: int,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        seen: NDArray[np.int64] = NOTHING_SEEN,
        deepened: Callable[[list[Found]], object] = lambda found: None,
    ) -> list[Found]:
        """The best ``count`` turns that lead to different positions, best first; fewer if there are no more.

        Each is the best turn with the previous ones excluded. ``deepened`` is called with those of each depth as soon as they are found.
        """
        self._set_root(states, seen)
        until = self.time_budget.after(seconds)
        scores: list[list[int]] = [[] for _ in range(count)]
        best: list[Found] = []
        for reached in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            found = self._deepen(reached, scores, until)
            if len(found) < len(best):
                break
            best = found
            deepened(found)
            if all(_is_settled(one.score, reached) for one in found) or len(best[0].turn) == 0:
                break
        if self._ran_out:
            # The previous iteration's best turn was searched first, so whatever has replaced it since is better.
            turn = self._turn_in_first_frame() if count == 1 else ()
            first = best[0] if best else Found(self._any_turn(), 0, 0)
            best[:1] = [first._replace(turn=turn or first.turn)]
        return best

    def _deepen(self, depth: int, scores: list[list[int]], until: float) -> list[Found]:
        """One iteration for each requested turn; fewer if there are no more turns, or no more time."""
        found: list[Found] = []
        for earlier in scores:
            self._leave_out(found)
            score = self._iterate(depth, earlier, until)
            self._ran_out = score is None
            if score is None or score == -_INFINITY:
                break
            earlier.append(score)
            found.append(Found(self._turn_in_first_frame(), score, depth))
        return found

    def _leave_out(self, found: list[Found]) -> None:
        """Search the root without these turns."""
        self._buffers.counters[_EXCLUDED] = len(found)
        for number, one in enumerate(found):
            self._buffers.excluded[number] = packed(one.turn)

    def _turn_in_first_frame(self) -> tuple[int, ...]:
        return tuple(unpack_turn(int(self._buffers.frames[0, _BEST_TURN])))

    def _set_root(self, states: np.ndarray[Any, Any], seen: NDArray[np.int64]) -> None:
        """Make ``states[0]`` the root; the table stays valid as long as the settings are the same."""
        buffers = self._buffers = self._buffers._replace(seen=seen)
        settings = b"".join(states[field].tobytes() for field in _SETTINGS)
        if settings != self._settings:
            self.forget()
            self._settings = settings
        buffers.path[0] = states[0]
        buffers.killers[:] = 0
        buffers.counters[_AGE_NOW] += 1
        buffers.counters[_COUNT_TURNS] = states["turn"][0] + MAX_DEPTH >= states["max_turns"][0]

    def _iterate(self, depth: int, scores: list[int], until: float) -> int | None:
        """Search to this depth, in a window around the score from two iterations ago if there is one; None if time ran out."""
        expected = scores[-2] if len(scores) > 1 else None
        if expected is not None and abs(expected) < _PROVEN:
            score = self._search(depth, expected - _ASPIRATION, expected + _ASPIRATION, until)
            if score is None or abs(score - expected) < _ASPIRATION:
                return score
        return self._search(depth, -_INFINITY, _INFINITY, until)

    def _search(self, depth: int, alpha: int, beta: int, until: float) -> int | None:
        """One search of the root, in short pieces; None if time ran out."""
        _begin(self._buffers, depth, alpha, beta)
        if self.time_budget.is_over(until):
            return None
        for actions in self.time_budget.pieces(until):
            if _go_on(self._buffers, self.played + actions):
                return int(self._buffers.frames[0, _BEST])
        return None

    def _any_turn(self) -> tuple[int, ...]:
        """Any turn, if there was no time to search."""
        turns, positions = np.zeros(1, np.int64), np.zeros(1, STATE)
        list_turns(self._buffers.walk, self._buffers.path, turns, positions)
        return tuple(unpack_turn(int(turns[0])))
