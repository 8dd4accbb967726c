"""Alpha-beta over whole turns: principal variations, a transposition table, iterative deepening.

A node is a position between two turns, its moves are the different positions one turn can lead to. The search is the textbook's
principal variation search in negamax form (Marsland and Campbell, "Parallel search of strongly ordered game trees", 1982;
chessprogramming.org, "Principal Variation Search"). A transposition is met by its key alone: the rules know no repetition, so a
position's value does not depend on how it came about. Won and lost are exact: nothing is left out and nothing reduced, so a win in n turns
is a proof, and at depth n every win in n turns is found.
"""

from __future__ import annotations

import time
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.core.jit import compiled, entry_point
from tkm_env.games.tkm.engine.state import OVER, STATE, WON
from tkm_env.games.tkm.search.evaluation import NUM_TERMS, WEIGHTS, evaluate
from tkm_env.games.tkm.search.hashing import position_key, words_of
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

__all__ = ["MAX_DEPTH", "MAX_TURNS", "WIN", "Found", "Searcher", "turns_to_end"]

#: A win at once; a win in n turns is worth WIN - n.
WIN: Final = 1_000_000
#: No evaluation reaches this; what does is a proven win.
_PROVEN: Final = WIN - 1000
_INFINITY: Final = WIN + 1
#: The deepest search, in whole turns.
MAX_DEPTH: Final = 64

# What a value in the table is.
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
_TOP: Final = 0  # how much of the pool is taken
_NODES: Final = 1  # positions searched, ever
_AGE_NOW: Final = 2  # the age of new entries
_COUNT_TURNS: Final = 3  # 1 where the turn limit is near
_EXCLUDED: Final = 4  # how many first turns are left out
_PLY: Final = 5  # where the search stands: at which distance from the root,
_ENTERING: Final = 6  # and 1 where it has not looked at that node yet
_NUM_COUNTERS: Final = 7

# The columns of a frame: a node on the path.
_TO_SEARCH: Final = 0  # how many turns deep
_ALPHA: Final = 1
_BETA: Final = 2
_BEST: Final = 3  # the best value so far
_BEST_TURN: Final = 4
_NODE_KEY: Final = 5
_KNOWN: Final = 6  # the turn that the table names
_STAGE: Final = 7
_BEGIN: Final = 8  # its part of the pool,
_END: Final = 9
_NEXT: Final = 10  # and where to go on in it
_TURN_IN_HAND: Final = 11
_AGAIN: Final = 12  # 1 where that turn is to be searched again, with the whole window
_FRAME_COLUMNS: Final = 13

# The stages of a node.
_TRY_KNOWN: Final = 0
_LIST: Final = 1
_GO_THROUGH: Final = 2

_POOL: Final = 1 << 16
_KILLERS: Final = 2
#: The most turns that can be asked for at once.
MAX_TURNS: Final = 1 << 10

#: The half-width of the window an iteration begins with, about the score it expects.
_ASPIRATION: Final = 60
#: Actions played a second, before that is measured.
_SLOWEST: Final = 5000.0
#: The clock is read every so many seconds.
_PIECE: Final = 0.01

#: What must stay the same for a table to be of use.
_SETTINGS: Final = ("chapters", "edition", "power_share", "concede", "draws", "max_turns")

# Where children are searched that are not ordered by evaluation.
_KILLER_FIRST: Final = WIN // 2


class Room(NamedTuple):
    """All that a search writes to, allocated once."""

    path: Any  # (MAX_DEPTH + 2,) STATE: the position at each distance from the root
    path_words: Any
    frames: Any  # (MAX_DEPTH + 2, _FRAME_COLUMNS) int64
    walk: Walk
    pool: Any  # (_POOL,) STATE: positions after each turn of the nodes on the path
    pool_turns: Any  # (_POOL,) int64
    pool_orders: Any  # (_POOL,) int64: where the best looks best
    table: Any  # (n, 2, _COLUMNS) int64: a place for the deepest search, and one for the last
    killers: Any  # (MAX_DEPTH + 2, _KILLERS) int64: turns that were too good elsewhere at the same distance from the root
    counters: Any  # (_NUM_COUNTERS,) int64
    excluded: Any  # (MAX_TURNS,) int64
    weights: Any  # as `evaluation.WEIGHTS`
    terms: Any  # room for an evaluation
    copies: Any
    mask: Any  # (1, NUM_ACTIONS) int8


def _new_room(table_bits: int, weights: np.ndarray[Any, Any]) -> Room:
    path = np.zeros(MAX_DEPTH + 2, STATE)
    walk = new_walk()
    return Room(
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
        weights,
        np.zeros(NUM_TERMS, np.int64),
        np.zeros((2, 3), np.int64),
        np.zeros_like(walk.masks[:1]),
    )


@compiled
def _final_value(state: Any, distance: int) -> int:
    """The value of a finished game to the side that is not in ``to_act``, so many turns from the root."""
    return distance - WIN if state.result == WON + state.to_act else 0


@compiled
def _find(table: Any, key: int) -> int:
    """Which of its two places in the table holds the key, or -1."""
    row = key & (table.shape[0] - 1)
    if table[row, 0, _KEY] == key:
        return 0
    return 1 if table[row, 1, _KEY] == key else -1


@compiled
def _from_root(value: int, ply: int) -> int:
    """A value of the table, where wins are counted from the position, as one counted from the root."""
    if value >= _PROVEN:
        return value - ply
    return value + ply if value <= -_PROVEN else value


@compiled
def _settles(table: Any, row: int, place: int, ply: int, depth: int, alpha: int, beta: int) -> bool:
    """Whether an entry makes the search of its position needless. A proof does at any depth."""
    stored = table[row, place, _VALUE]
    if table[row, place, _DEPTH] < depth and -_PROVEN < stored < _PROVEN:
        return False
    value, bound = _from_root(stored, ply), table[row, place, _BOUND]
    deep = table[row, place, _DEPTH] >= depth
    return bool((bound == _EXACT and deep) or (bound != _AT_MOST and value >= beta) or (bound != _AT_LEAST and value <= alpha))


@compiled
def _store(room: Room, key: int, ply: int, depth: int, value: int, bound: int, turn: int) -> None:
    """Remember what a search found: over what is less deep or older in the first place, else in the second."""
    table = room.table
    row = key & (table.shape[0] - 1)
    first = table[row, 0]
    place = 0
    if first[_KEY] != key and first[_AGE] == room.counters[_AGE_NOW] and first[_DEPTH] > depth:
        place = 1
    entry = table[row, place]
    entry[_KEY] = key
    entry[_TURN] = turn
    entry[_VALUE] = _from_root(value, -ply)
    entry[_DEPTH] = depth
    entry[_BOUND] = bound
    entry[_AGE] = room.counters[_AGE_NOW]


@compiled
def _value_now(room: Room, state: Any, ply: int) -> int:
    """The value of a position without search."""
    return _final_value(state, ply) if state.step == OVER else evaluate(state, room.weights, room.terms, room.copies)


@compiled
def _search_last_turn(room: Room, ply: int, alpha: int, beta: int) -> tuple[int, int]:
    """The best turn at depth 1 and its value, or the first one that reaches ``beta``: positions are evaluated as they are found."""
    best, best_turn = -_INFINITY, NO_TURN
    begin_walk(room.walk, room.path, ply)
    length = next_turn(room.walk)
    while length >= 0:
        state = room.walk.states[length]
        value = -_value_now(room, state, ply + 1)
        if value > best and not (ply == 0 and _is_excluded(room, pack_turn(room.walk, length))):
            best, best_turn = value, pack_turn(room.walk, length)
            if best >= beta:
                break
        length = next_turn(room.walk)
    return best, best_turn


@compiled
def _is_excluded(room: Room, turn: int) -> bool:
    for number in range(room.counters[_EXCLUDED]):  # noqa: SIM110 numba compiles no generator expressions
        if room.excluded[number] == turn:
            return True
    return False


@compiled
def _collect(room: Room, ply: int, first: int) -> int:
    """Put the position after each turn but ``first`` into the pool, and answer how many there are; after a win at once only that."""
    top = room.counters[_TOP]
    count = 0
    begin_walk(room.walk, room.path, ply)
    length = next_turn(room.walk)
    while length >= 0 and top + count < _POOL:
        turn = pack_turn(room.walk, length)
        state = room.walk.states[length]
        if turn != first and not (ply == 0 and _is_excluded(room, turn)):
            room.pool[top + count] = state
            room.pool_turns[top + count] = turn
            room.pool_orders[top + count] = _order(room, ply, state, turn)
            count += 1
            if state.step == OVER and state.result == WON + state.to_act:
                room.pool[top] = state
                room.pool_turns[top] = turn
                return 1
        length = next_turn(room.walk)
    return count


@compiled
def _order(room: Room, ply: int, state: Any, turn: int) -> int:
    """How early to search a turn: those that refuted elsewhere first, then by evaluation."""
    if state.step == OVER:
        return 0
    if turn == room.killers[ply, 0] or turn == room.killers[ply, 1]:
        return _KILLER_FIRST
    return -evaluate(state, room.weights, room.terms, room.copies)


@compiled
def _bring_best_forward(room: Room, start: int, end: int) -> None:
    """Swap the pool's best of ``start`` to ``end`` - 1 by order to ``start``."""
    best = start
    for number in range(start + 1, end):
        if room.pool_orders[number] > room.pool_orders[best]:
            best = number
    if best != start:
        # The position at ``start`` moves; the best one is about to be copied to the path, and its place is free then.
        turn, order = room.pool_turns[best], room.pool_orders[best]
        room.path[MAX_DEPTH + 1] = room.pool[best]
        room.pool[best] = room.pool[start]
        room.pool[start] = room.path[MAX_DEPTH + 1]
        room.pool_turns[best], room.pool_orders[best] = room.pool_turns[start], room.pool_orders[start]
        room.pool_turns[start], room.pool_orders[start] = turn, order


@compiled
def _note_killer(room: Room, ply: int, turn: int) -> None:
    if room.killers[ply, 0] != turn:
        room.killers[ply, 1] = room.killers[ply, 0]
        room.killers[ply, 0] = turn


@compiled
def _begin_node(room: Room, ply: int, depth: int, alpha: int, beta: int) -> None:
    """Set what is to be searched at ``path[ply]``: how many turns deep, and between which bounds its value matters."""
    frame = room.frames[ply]
    frame[_TO_SEARCH] = depth
    frame[_ALPHA] = alpha
    frame[_BETA] = beta


@compiled
def _enter(room: Room, ply: int) -> bool:
    """Begin with a node, and answer whether its value is known at once.

    It is where the game is over, where the table knows it, and where one turn is left to search.
    """
    counters, frame, state = room.counters, room.frames[ply], room.path[ply]
    alpha, beta = frame[_ALPHA], frame[_BETA]
    counters[_NODES] += 1
    if state.step == OVER:
        frame[_BEST] = _final_value(state, ply)
        return True
    # A win in this turn is the best there can be.
    if ply > 0 and alpha >= WIN - ply - 1:
        frame[_BEST] = alpha
        return True
    key = position_key(room.path_words, ply, True, counters[_COUNT_TURNS] != 0)
    place = _find(room.table, key)
    frame[_NODE_KEY] = key
    frame[_BEST] = -_INFINITY
    frame[_BEST_TURN] = NO_TURN
    frame[_KNOWN] = NO_TURN
    if place >= 0:
        row = key & (room.table.shape[0] - 1)
        frame[_KNOWN] = room.table[row, place, _TURN]
        if ply > 0 and _settles(room.table, row, place, ply, frame[_TO_SEARCH], alpha, beta):
            frame[_BEST] = _from_root(room.table[row, place, _VALUE], ply)
            return True
    if frame[_TO_SEARCH] == 1:
        frame[_BEST], frame[_BEST_TURN] = _search_last_turn(room, ply, alpha, beta)
        _remember(room, ply)
        return True
    if ply == 0 and _is_excluded(room, frame[_KNOWN]):
        frame[_KNOWN] = NO_TURN
    frame[_STAGE] = _TRY_KNOWN
    frame[_AGAIN] = 0
    return False


@compiled
def _next_child(room: Room, ply: int) -> bool:
    """Put the next position to search on the path, and answer whether there is one.

    The turn the table knows comes first, before the others are even listed.
    """
    frame = room.frames[ply]
    alpha = max(frame[_ALPHA], frame[_BEST])
    if frame[_AGAIN]:
        _begin_node(room, ply + 1, frame[_TO_SEARCH] - 1, -frame[_BETA], -alpha)
        return True
    if frame[_BEST] >= frame[_BETA]:
        return False
    if frame[_STAGE] == _TRY_KNOWN:
        frame[_STAGE] = _LIST
        if frame[_KNOWN] != NO_TURN and replay_turn(room.path, ply, frame[_KNOWN], room.mask, room.walk.scratch[0]):
            frame[_TURN_IN_HAND] = frame[_KNOWN]
            _begin_node(room, ply + 1, frame[_TO_SEARCH] - 1, -frame[_BETA], -alpha)
            return True
        frame[_KNOWN] = NO_TURN
    if frame[_STAGE] == _LIST:
        frame[_STAGE] = _GO_THROUGH
        # The pool holds the children of the nodes on the path, one node's after the other's.
        frame[_BEGIN] = room.counters[_TOP]
        frame[_NEXT] = frame[_BEGIN]
        frame[_END] = frame[_NEXT] + _collect(room, ply, frame[_KNOWN])
        room.counters[_TOP] = frame[_END]
    if frame[_NEXT] == frame[_END]:
        return False
    _bring_best_forward(room, frame[_NEXT], frame[_END])
    room.path[ply + 1] = room.pool[frame[_NEXT]]
    frame[_TURN_IN_HAND] = room.pool_turns[frame[_NEXT]]
    frame[_NEXT] += 1
    # A null window asks only whether the turn is better than the best; the first turn has none to compare with.
    lowest = -frame[_BETA] if frame[_BEST] == -_INFINITY else -alpha - 1
    _begin_node(room, ply + 1, frame[_TO_SEARCH] - 1, lowest, -alpha)
    return True


@compiled
def _take(room: Room, ply: int, value: int) -> None:
    """Take the value of the turn in hand: the best so far, worse, or, within the window after a null window, to be searched again."""
    frame = room.frames[ply]
    whole_window = room.frames[ply + 1, _ALPHA] == -frame[_BETA]
    if not whole_window and max(frame[_ALPHA], frame[_BEST]) < value < frame[_BETA]:
        frame[_AGAIN] = 1
        return
    frame[_AGAIN] = 0
    if value > frame[_BEST]:
        frame[_BEST] = value
        frame[_BEST_TURN] = frame[_TURN_IN_HAND]
        if value >= frame[_BETA]:
            _note_killer(room, ply, frame[_BEST_TURN])


@compiled
def _remember(room: Room, ply: int) -> None:
    """Store what was found at a node, unless some of its turns were left out."""
    frame = room.frames[ply]
    if ply == 0 and room.counters[_EXCLUDED] > 0:
        return
    best = frame[_BEST]
    bound = _AT_LEAST if best >= frame[_BETA] else (_EXACT if best > frame[_ALPHA] else _AT_MOST)
    _store(room, frame[_NODE_KEY], ply, frame[_TO_SEARCH], best, bound, frame[_BEST_TURN])


@compiled
def _leave(room: Room, ply: int) -> None:
    """Finish a node whose turns have been searched."""
    frame = room.frames[ply]
    _remember(room, ply)
    if frame[_STAGE] == _GO_THROUGH:
        # What this node took of the pool is free again.
        room.counters[_TOP] = frame[_BEGIN]


@entry_point
def _begin(room: Room, depth: int, alpha: int, beta: int) -> None:
    """Make ready to search ``path[0]``."""
    room.counters[_TOP] = 0
    room.counters[_PLY] = 0
    room.counters[_ENTERING] = 1
    room.frames[0, _BEST_TURN] = NO_TURN
    _begin_node(room, 0, depth, alpha, beta)


@entry_point
def _go_on(room: Room, limit: int) -> bool:
    """Go on with the search until so many actions have been played; answer whether it is done. Frames stand for recursion."""
    ply, entering = room.counters[_PLY], room.counters[_ENTERING] != 0
    while room.walk.played[0] < limit:
        if not (entering and _enter(room, ply)):
            if _next_child(room, ply):
                ply += 1
                entering = True
                continue
            _leave(room, ply)
        if ply == 0:
            return True
        ply -= 1
        entering = False
        _take(room, ply, -room.frames[ply + 1, _BEST])
    room.counters[_PLY] = ply
    room.counters[_ENTERING] = int(entering)
    return False


class Found(NamedTuple):
    """What a search found.

    Attributes:
        turn: the actions of the best turn.
        score: its value to the side to act: hundredths of a logit of winning, or a proof (see `turns_to_end`).
        depth: how many turns deep the search was complete; 0 where time ran out before.
    """

    turn: tuple[int, ...]
    score: int
    depth: int


def turns_to_end(score: int) -> int | None:
    """In how many turns, both sides' counted, a proven win or loss comes; None where a score proves nothing.

    >>> turns_to_end(WIN - 3), turns_to_end(2 - WIN), turns_to_end(150)
    (3, 2, None)
    """
    return WIN - abs(score) if abs(score) >= _PROVEN else None


def _is_settled(score: int, depth: int) -> bool:
    """Whether no deeper search can change a score: a proof whose every turn lies within the depth."""
    end = turns_to_end(score)
    return end is not None and end <= depth


class Searcher:
    """A search with its memory, which is allocated once and serves one position after the other.

    Args:
        table_bits: the transposition table has 2**``table_bits`` entries of 48 bytes.
        weights: of the evaluation, by default `evaluation.WEIGHTS`.
    """

    def __init__(self, *, table_bits: int = 18, weights: np.ndarray[Any, Any] = WEIGHTS) -> None:
        self._room = _new_room(table_bits, weights)
        self._settings = b""
        self._rate = _SLOWEST
        self._ran_out = False
        # On first use these wait for the compiler, which no time limit is meant for.
        _begin(self._room, 1, -_INFINITY, _INFINITY)
        _go_on(self._room, 0)

    @property
    def nodes(self) -> int:
        """Positions between turns that were searched, ever."""
        return int(self._room.counters[_NODES])

    @property
    def played(self) -> int:
        """Actions that were played, ever: the engine's steps."""
        return int(self._room.walk.played[0])

    def forget(self) -> None:
        """Empty the table."""
        self._room.table[:] = 0
        self._room.killers[:] = 0

    def search(self, states: np.ndarray[Any, Any], *, depth: int | None = None, seconds: float | None = None) -> Found:
        """The best turn, or rest of a turn, for the side to act in ``states[0]``, by iterative deepening.

        The search ends with the iteration of that depth, or when the time is over, or with a proof that no deeper search could better.
        """
        return self.best_turns(states, 1, depth=depth, seconds=seconds)[0]

    def best_turns(
        self, states: np.ndarray[Any, Any], count: int, *, depth: int | None = None, seconds: float | None = None
    ) -> list[Found]:
        """The best few turns that lead to different positions, best first; fewer where there are no more.

        Each one is the best when those before it are left out.
        """
        self._set_root(states)
        deadline = None if seconds is None else time.perf_counter() + seconds
        scores: list[list[int]] = [[] for _ in range(count)]
        best: list[Found] = []
        for reached in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            found = self._deepen(reached, scores, deadline)
            if len(found) < len(best):
                break
            best = found
            if all(_is_settled(one.score, reached) for one in found) or len(best[0].turn) == 0:
                break
        if self._ran_out:
            # What the last iteration liked best was searched first: whatever has replaced it since is better.
            turn = self._turn_in_first_frame() if count == 1 else ()
            first = best[0] if best else Found(self._any_turn(), 0, 0)
            best[:1] = [first._replace(turn=turn or first.turn)]
        return best

    def _deepen(self, depth: int, scores: list[list[int]], deadline: float | None) -> list[Found]:
        """One iteration for each of the turns asked for; fewer where there are no more turns, or no more time."""
        found: list[Found] = []
        for earlier in scores:
            self._leave_out(found)
            score = self._iterate(depth, earlier, deadline)
            self._ran_out = score is None
            if score is None or score == -_INFINITY:
                break
            earlier.append(score)
            found.append(Found(self._turn_in_first_frame(), score, depth))
        return found

    def _leave_out(self, found: list[Found]) -> None:
        """Search the root without these turns."""
        self._room.counters[_EXCLUDED] = len(found)
        for number, one in enumerate(found):
            self._room.excluded[number] = packed(one.turn)

    def _turn_in_first_frame(self) -> tuple[int, ...]:
        return tuple(unpack_turn(int(self._room.frames[0, _BEST_TURN])))

    def _set_root(self, states: np.ndarray[Any, Any]) -> None:
        """Make ``states[0]`` the root; what the table holds stays of use while the settings stay the same."""
        room = self._room
        settings = b"".join(states[field].tobytes() for field in _SETTINGS)
        if settings != self._settings:
            self._settings = settings
            self.forget()
        room.path[0] = states[0]
        room.killers[:] = 0
        room.counters[_AGE_NOW] += 1
        room.counters[_COUNT_TURNS] = states["turn"][0] + MAX_DEPTH >= states["max_turns"][0]

    def _iterate(self, depth: int, scores: list[int], deadline: float | None) -> int | None:
        """Search that deep, in a window around the score of two iterations ago if there is one; None when time ran out."""
        expected = scores[-2] if len(scores) > 1 else None
        if expected is not None and abs(expected) < _PROVEN:
            score = self._search(depth, expected - _ASPIRATION, expected + _ASPIRATION, deadline)
            if score is None or abs(score - expected) < _ASPIRATION:
                return score
        return self._search(depth, -_INFINITY, _INFINITY, deadline)

    def _search(self, depth: int, alpha: int, beta: int, deadline: float | None) -> int | None:
        """One search of the root, in short pieces between which the clock is read."""
        _begin(self._room, depth, alpha, beta)
        while True:
            began, played = time.perf_counter(), self.played
            if deadline is not None and began >= deadline:
                return None
            piece = _PIECE if deadline is None else min(_PIECE, deadline - began)
            if _go_on(self._room, played + 1 + int(self._rate * piece)):
                return int(self._room.frames[0, _BEST])
            self._rate = min((self.played - played) / (time.perf_counter() - began), 8 * self._rate)

    def _any_turn(self) -> tuple[int, ...]:
        """Some turn, where time was too short for any thought."""
        turns, positions = np.zeros(1, np.int64), np.zeros(1, STATE)
        list_turns(self._room.walk, self._room.path, turns, positions)
        return tuple(unpack_turn(int(turns[0])))
