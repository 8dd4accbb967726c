"""Alpha-beta over whole turns: principal variation search with a transposition table and iterative deepening, in negamax form (Marsland and
Campbell, 1982; chessprogramming.org, "Principal Variation Search").

A node is a position between two turns; its moves are the different positions that one turn can lead to. Nothing is pruned heuristically or
reduced, so a win in n turns is a proof, and at depth n every one is found. A turn from the root that repeats a position of the game is
worth `REPETITION_VALUE`, less than a draw, unless a win or a loss is proven; the table's entry for such a root counts only as a proof and
as the turn to try first, so that everything in the table holds in every game.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.core.state_arrays import integer_record
from tkm_env.core.turns import list_turns
from tkm_env.foundations.concurrency import no_concurrent_use
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.hashing import position_key
from tkm_env.games.tkm.engine.state import OVER, STATE, WON
from tkm_env.games.tkm.engine.turns import (
    NO_TURN,
    TURN_KERNELS,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_actions,
    pack_turn,
    replay_turn,
    unpack_turn,
)
from tkm_env.players.tkm.search.endgames import UNKNOWN, turns_to_decision
from tkm_env.players.tkm.search.evaluation import PROVEN, WINS, Evaluator, evaluate, new_evaluator
from tkm_env.players.tkm.search.repetition import NO_HISTORY, is_repetition, value_of_repetition

#: An immediate win; a win in n turns is worth WIN - n.
WIN: Final = WINS
_PROVEN: Final = PROVEN
_INFINITY: Final = WIN + 1
#: The deepest search, in whole turns.
MAX_DEPTH: Final = 64
#: The most lines that can be requested at once.
MAX_LINES: Final = 1 << 10

# The kinds of bounds in the transposition table.
_EXACT: Final = 0
_LOWER: Final = 1
_UPPER: Final = 2

# The stages of a node.
_TRY_TABLE_TURN: Final = 0
_GENERATE: Final = 1
_TRY_ALL: Final = 2


#: An entry of the transposition table. It is empty while its key is 0.
_ENTRY: Final = integer_record("key turn value depth bound age")

#: A node on the path: how many turns deep to search and within which window; the best value and turn so far; the key, and the turn from the
#: table; the stage; the node's slice of the pool and the next one in it to search; the turn that is being searched, whether to search it
#: again with the full window, and whether the turn that leads to this node repeats a position of the game.
_NODE: Final = integer_record(
    "depth alpha beta best best_turn key table_turn stage first end next turn is_researched is_repetition"
)

#: The search: the distance of the current node from the root, and whether it has not been entered yet; how much of the pool is in use;
#: nodes searched in total; the age of new entries; whether the turn limit is near, so that the turn counts in keys; how many turns at
#: the root are excluded.
_PROGRESS: Final = integer_record(
    "ply is_entering pool_used num_nodes age turn_counts num_excluded"
)

_POOL_SIZE: Final = 1 << 16
_KILLERS: Final = 2

#: The half-width of an iteration's initial window around the expected score.
_ASPIRATION: Final = 60
#: Actions played per second, before that is measured.
_SLOWEST: Final = 5000.0

#: The most nodes of a search: more than any has.
MAX_NODES: Final = 1 << 62

#: The settings under which the table stays valid.
_SETTINGS: Final = (
    "chapters",
    "edition",
    "power_texts",
    "power_share",
    "concede",
    "draws",
    "max_turns",
)

#: The order of killers, which are not ordered by evaluation.
_KILLER_ORDER: Final = WIN // 2


class SearchBuffers(NamedTuple):
    """Everything that a search writes to, allocated once."""

    path: Any  # (MAX_DEPTH + 2,) STATE: the position at each distance from the root
    nodes: Any  # (MAX_DEPTH + 2,) _NODE
    turns: TurnGenerator
    pool: Any  # (_POOL_SIZE,) STATE: positions after each turn of the nodes on the path
    pool_turns: Any  # (_POOL_SIZE,) int64
    pool_orders: Any  # (_POOL_SIZE,) int64: the highest is searched first
    table: Any  # (n, 2) _ENTRY: a slot for the deepest search, and one for the latest
    killers: (
        Any  # (MAX_DEPTH + 2, _KILLERS) int64: turns that caused a cutoff elsewhere at the same ply
    )
    progress: Any  # (1,) _PROGRESS
    excluded: Any  # (MAX_LINES,) int64: turns that are not searched at the root
    history: Any  # (n,) int64: the keys of the positions that the game has been through
    evaluator: Evaluator
    mask: Any  # (1, NUM_ACTIONS) int8


def _new_buffers(table_bits: int, evaluator: Evaluator) -> SearchBuffers:
    return SearchBuffers(
        np.zeros(MAX_DEPTH + 2, STATE),
        np.zeros(MAX_DEPTH + 2, _NODE),
        new_turn_generator(),
        np.zeros(_POOL_SIZE, STATE),
        np.zeros(_POOL_SIZE, np.int64),
        np.zeros(_POOL_SIZE, np.int64),
        np.zeros((1 << (table_bits - 1), 2), _ENTRY),
        np.zeros((MAX_DEPTH + 2, _KILLERS), np.int64),
        np.zeros(1, _PROGRESS),
        np.zeros(MAX_LINES, np.int64),
        NO_HISTORY,
        evaluator,
        np.zeros((1, NUM_ACTIONS), np.int8),
    )


@inlined
def _final_value(state: Any, ply: int) -> int:
    """The value of a finished game, ``ply`` turns from the root, to the side that is not in ``to_act``."""
    return ply - WIN if state.result == WON + state.to_act else 0


@inlined
def _value_from_root(value: int, ply: int) -> int:
    """A value whose wins are counted from the position, converted to one counted from the root."""
    if value >= _PROVEN:
        return value - ply
    return value + ply if value <= -_PROVEN else value


@inlined
def _key(buffers: SearchBuffers, ply: int) -> int:
    """The key of ``path[ply]``, by way of the generator, which also has its states as words."""
    buffers.turns.states[0] = buffers.path[ply]
    return position_key(buffers.turns.words, 0, True, buffers.progress[0].turn_counts != 0)


@inlined
def _is_cutoff(entry: Any, ply: int, node: Any) -> bool:
    """Whether an entry makes searching its position unnecessary. A proof does at any depth."""
    if entry.depth < node.depth and -_PROVEN < entry.value < _PROVEN:
        return False
    value, is_deep = _value_from_root(entry.value, ply), entry.depth >= node.depth
    return bool(
        (entry.bound == _EXACT and is_deep)
        or (entry.bound != _UPPER and value >= node.beta)
        or (entry.bound != _LOWER and value <= node.alpha)
    )


@inlined
def _store(buffers: SearchBuffers, ply: int) -> None:
    """Store what was found at a node in the table: in the first slot if that is shallower or older, else in the second. Nothing is stored
    if turns were excluded. The value of a root with a history is that of this game alone, so it is stored as if it came without search.
    """
    node, progress = buffers.nodes[ply], buffers.progress[0]
    if ply == 0 and progress.num_excluded > 0:
        return
    depth = 0 if ply == 0 and buffers.history.shape[0] > 0 else node.depth
    row = node.key & (buffers.table.shape[0] - 1)
    entry = buffers.table[row, 0]
    if entry.key != node.key and entry.age == progress.age and entry.depth > depth:
        entry = buffers.table[row, 1]
    entry.key = node.key
    entry.turn = node.best_turn
    entry.value = _value_from_root(node.best, -ply)
    entry.depth = depth
    entry.bound = (
        _LOWER if node.best >= node.beta else (_EXACT if node.best > node.alpha else _UPPER)
    )
    entry.age = progress.age


@inlined
def _is_excluded(buffers: SearchBuffers, ply: int, turn: int) -> bool:
    if ply == 0:
        for number in range(buffers.progress[0].num_excluded):
            if buffers.excluded[number] == turn:
                return True
    return False


@inlined
def _search_last_turn(buffers: SearchBuffers, ply: int) -> None:
    """Search a node at depth 1, up to the first turn that reaches beta; positions are evaluated as they are found."""
    node, turns = buffers.nodes[ply], buffers.turns
    best, best_turn = -_INFINITY, NO_TURN
    begin_turns(turns, buffers.path, ply)
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        value = (
            _final_value(state, ply + 1)
            if state.step == OVER
            else _value_from_root(evaluate(state, buffers.evaluator), ply + 1)
        )
        value = -value
        if ply == 0 and is_repetition(buffers.history, turns.words, turns.length[0]):
            value = value_of_repetition(value)
        if value > best and not _is_excluded(buffers, ply, pack_turn(turns)):
            best, best_turn = value, pack_turn(turns)
            if best >= node.beta:
                break
    node.best, node.best_turn = best, best_turn


@inlined
def _generate(buffers: SearchBuffers, ply: int) -> int:
    """Put the position after each turn but the one from the table into the pool; returns how many, or just 1 if a turn wins at once."""
    first, skipped, turns = (
        buffers.progress[0].pool_used,
        buffers.nodes[ply].table_turn,
        buffers.turns,
    )
    count = 0
    begin_turns(turns, buffers.path, ply)
    while first + count < _POOL_SIZE and next_turn(turns):
        turn = pack_turn(turns)
        state = turns.states[turns.length[0]]
        if turn != skipped and not _is_excluded(buffers, ply, turn):
            buffers.pool[first + count] = state
            buffers.pool_turns[first + count] = turn
            buffers.pool_orders[first + count] = _order(buffers, ply, state, turn)
            count += 1
            if state.step == OVER and state.result == WON + state.to_act:
                buffers.pool[first] = state
                buffers.pool_turns[first] = turn
                return 1
    return count


@inlined
def _order(buffers: SearchBuffers, ply: int, state: Any, turn: int) -> int:
    """How early to search a turn: killers first, then by evaluation."""
    if state.step == OVER:
        return 0
    if turn == buffers.killers[ply, 0] or turn == buffers.killers[ply, 1]:
        return _KILLER_ORDER
    return -evaluate(state, buffers.evaluator)


@inlined
def _swap_best_to(buffers: SearchBuffers, start: int, end: int) -> None:
    """Swap the best entry by order, among ``start`` to ``end`` - 1 in the pool, to ``start``."""
    pool, turns, orders = buffers.pool, buffers.pool_turns, buffers.pool_orders
    best = start
    for number in range(start + 1, end):
        if orders[number] > orders[best]:
            best = number
    if best != start:
        buffers.path[MAX_DEPTH + 1] = pool[best]
        pool[best] = pool[start]
        pool[start] = buffers.path[MAX_DEPTH + 1]
        turns[start], turns[best] = turns[best], turns[start]
        orders[start], orders[best] = orders[best], orders[start]


@inlined
def _begin_node(buffers: SearchBuffers, ply: int, depth: int, alpha: int, beta: int) -> None:
    """Set up the search of ``path[ply]``. If the turn from the root repeats a position only a proof counts, which no window may hide."""
    node = buffers.nodes[ply]
    node.is_repetition = 0
    if ply == 1 and buffers.history.shape[0]:
        buffers.turns.states[0] = buffers.path[ply]
        node.is_repetition = is_repetition(buffers.history, buffers.turns.words, 0)
    node.depth = depth
    node.alpha = -_INFINITY if node.is_repetition else alpha
    node.beta = _INFINITY if node.is_repetition else beta


@inlined
def _enter(buffers: SearchBuffers, ply: int) -> bool:
    """Enter a node; returns whether its value is known at once: at the end, by a table, or by searching the one turn that is left."""
    progress, node, state = buffers.progress[0], buffers.nodes[ply], buffers.path[ply]
    progress.num_nodes += 1
    if state.step == OVER:
        node.best = _final_value(state, ply)
        return True
    # A win in this turn is the best possible value.
    if ply > 0 and node.alpha >= WIN - ply - 1:
        node.best = node.alpha
        return True
    if ply > 0 and turns_to_decision(state, buffers.evaluator.endgames) != UNKNOWN:
        node.best = _value_from_root(evaluate(state, buffers.evaluator), ply)
        return True
    node.key = _key(buffers, ply)
    node.best = -_INFINITY
    node.best_turn = NO_TURN
    node.table_turn = NO_TURN
    row = node.key & (buffers.table.shape[0] - 1)
    entry = buffers.table[row, 0]
    if entry.key != node.key:
        entry = buffers.table[row, 1]
    if entry.key == node.key:
        node.table_turn = entry.turn
        if ply > 0 and _is_cutoff(entry, ply, node):
            node.best = _value_from_root(entry.value, ply)
            return True
    if node.depth == 1:
        _search_last_turn(buffers, ply)
        _store(buffers, ply)
        return True
    if _is_excluded(buffers, ply, node.table_turn):
        node.table_turn = NO_TURN
    node.stage = _TRY_TABLE_TURN
    node.is_researched = 0
    return False


@inlined
def _next_child(buffers: SearchBuffers, ply: int) -> bool:
    """Put the next position to search on the path, the table's turn first, before others are generated; whether there is one."""
    node, progress = buffers.nodes[ply], buffers.progress[0]
    alpha = max(node.alpha, node.best)
    if node.is_researched:
        _begin_node(buffers, ply + 1, node.depth - 1, -node.beta, -alpha)
        return True
    if node.best >= node.beta:
        return False
    if node.stage == _TRY_TABLE_TURN:
        node.stage = _GENERATE
        if node.table_turn != NO_TURN and replay_turn(
            buffers.path, ply, node.table_turn, buffers.mask, buffers.turns.scratch[0]
        ):
            node.turn = node.table_turn
            _begin_node(buffers, ply + 1, node.depth - 1, -node.beta, -alpha)
            return True
        node.table_turn = NO_TURN
    if node.stage == _GENERATE:
        node.stage = _TRY_ALL
        # The pool holds the children of the nodes on the path, node by node.
        node.first = progress.pool_used
        node.next = node.first
        node.end = node.first + _generate(buffers, ply)
        progress.pool_used = node.end
    if node.next == node.end:
        return False
    _swap_best_to(buffers, node.next, node.end)
    buffers.path[ply + 1] = buffers.pool[node.next]
    node.turn = buffers.pool_turns[node.next]
    node.next += 1
    # A null window only tests whether the turn is better than the best so far; the first turn has nothing to compare with.
    lowest = -node.beta if node.best == -_INFINITY else -alpha - 1
    _begin_node(buffers, ply + 1, node.depth - 1, lowest, -alpha)
    return True


@inlined
def _update(buffers: SearchBuffers, ply: int, value: int) -> None:
    """Update a node with the value of the turn just searched, or search it again if a null window has shown it to be better."""
    node, child = buffers.nodes[ply], buffers.nodes[ply + 1]
    node.is_researched = 0
    if child.is_repetition:
        value = value_of_repetition(value)
    elif child.alpha != -node.beta and max(node.alpha, node.best) < value < node.beta:
        node.is_researched = 1
        return
    if value > node.best:
        node.best = value
        node.best_turn = node.turn
        if value >= node.beta and buffers.killers[ply, 0] != node.turn:
            buffers.killers[ply, 1] = buffers.killers[ply, 0]
            buffers.killers[ply, 0] = node.turn


@kernel
def _begin(buffers: SearchBuffers, depth: int, alpha: int, beta: int) -> None:
    """Prepare to search ``path[0]``."""
    progress = buffers.progress[0]
    progress.pool_used = 0
    progress.ply = 0
    progress.is_entering = 1
    buffers.nodes[0].best_turn = NO_TURN
    _begin_node(buffers, 0, depth, alpha, beta)


@nogil_kernel
def _continue(buffers: SearchBuffers, actions: int, nodes: int) -> bool:
    """Search on until so many actions have been played, or positions searched, in total; returns whether it is done."""
    progress = buffers.progress[0]
    ply, is_entering = progress.ply, progress.is_entering != 0
    while buffers.turns.played[0] < actions and progress.num_nodes < nodes:
        if not (is_entering and _enter(buffers, ply)):
            if _next_child(buffers, ply):
                ply += 1
                is_entering = True
                continue
            _store(buffers, ply)
            if buffers.nodes[ply].stage == _TRY_ALL:
                progress.pool_used = buffers.nodes[ply].first
        if ply == 0:
            return True
        ply -= 1
        is_entering = False
        _update(buffers, ply, -buffers.nodes[ply + 1].best)
    progress.ply = ply
    progress.is_entering = int(is_entering)
    return False


class SearchResult(NamedTuple):
    """The best turn."""

    turn: tuple[int, ...]  # its actions
    score: int  # its value to the side to act: hundredths of a logit of winning, or a proof (see `turns_to_end`)
    depth: int  # how many turns deep the search was complete; 0 if time or nodes ran out before depth 1


def turns_to_end(score: int) -> int | None:
    """How many turns, counted over both sides, until a proven win or loss; None if the score is not a proof."""
    return WIN - abs(score) if abs(score) >= _PROVEN else None


def _is_final(score: int, depth: int) -> bool:
    """Whether no deeper search can change a score: a proof that lies entirely within the depth."""
    end = turns_to_end(score)
    return end is not None and end <= depth


class Searcher:
    """A search with its memory, allocated once, for one Python thread at a time; without an ``evaluator`` by the weighted terms. The table
    has 2**``table_bits`` entries of 48 bytes. The ``deadline`` of its ``time_budget`` ends a search early, from any thread.
    """

    def __init__(self, *, table_bits: int = 18, evaluator: Evaluator | None = None) -> None:
        self._buffers = _new_buffers(table_bits, evaluator or new_evaluator())
        self._settings = b""
        self._ran_out = False
        #: How many positions have been searched in total when a search ends.
        self._last_node = 0
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        # On first use these are compiled, which should not count towards a time limit.
        _begin(self._buffers, 1, -_INFINITY, _INFINITY)
        _continue(self._buffers, 0, 0)

    @property
    def nodes(self) -> int:
        """The total number of positions between turns that were searched."""
        return int(self._buffers.progress["num_nodes"][0])

    @property
    def played(self) -> int:
        """The total number of actions that were played: the engine's steps."""
        return int(self._buffers.turns.played[0])

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
            self._buffers.table.view(np.int64)[:] = 0
            self._buffers.killers[:] = 0

    def search(
        self,
        states: np.ndarray[Any, Any],
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        history: NDArray[np.int64] = NO_HISTORY,
    ) -> SearchResult:
        """The best turn, or rest of a turn, for the side to act in ``states[0]``, by iterative deepening to that depth, until time runs
        out, so many nodes were searched, or a proof was found. ``history`` is as `history_keys` returns it.
        """
        return self.best_turns(
            states, 1, depth=depth, seconds=seconds, nodes=nodes, history=history
        )[0]

    @no_concurrent_use
    def best_turns(
        self,
        states: np.ndarray[Any, Any],
        count: int,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        history: NDArray[np.int64] = NO_HISTORY,
        on_depth: Callable[[list[SearchResult]], object] = lambda results: None,
    ) -> list[SearchResult]:
        """The best ``count`` turns that lead to different positions, best first; ``on_depth`` is called with the results of each depth."""
        self._set_root(states, history)
        until = self.time_budget.after(seconds)
        self._last_node = MAX_NODES if nodes is None else self.nodes + nodes
        scores: list[list[int]] = [[] for _ in range(count)]
        best: list[SearchResult] = []
        for reached in range(1, min(depth or MAX_DEPTH, MAX_DEPTH) + 1):
            results = self._deepen(reached, scores, until)
            if len(results) < len(best):
                break
            best = results
            on_depth(results)
            if (
                all(_is_final(result.score, reached) for result in results)
                or len(best[0].turn) == 0
            ):
                break
        if self._ran_out:
            # The previous iteration's best turn was searched first, so whatever has replaced it since is better.
            turn = self._best_turn() if count == 1 else ()
            if not best:  # there was no time to search: any turn
                best = [
                    SearchResult(
                        list_turns(TURN_KERNELS, self._buffers.path, np.zeros(1, np.int64))[1].ways[
                            0
                        ],
                        0,
                        0,
                    )
                ]
            best[0] = best[0]._replace(turn=turn or best[0].turn)
        return best

    def _deepen(self, depth: int, scores: list[list[int]], until: float) -> list[SearchResult]:
        """One iteration for each requested turn; fewer if there are no more turns, no more time or no more nodes."""
        results: list[SearchResult] = []
        for earlier in scores:
            self._buffers.progress["num_excluded"] = len(results)
            self._buffers.excluded[: len(results)] = [
                pack_actions(result.turn) for result in results
            ]
            score = self._iterate(depth, earlier, until)
            self._ran_out = score is None
            if score is None or score == -_INFINITY:
                break
            earlier.append(score)
            results.append(SearchResult(self._best_turn(), score, depth))
        return results

    def _best_turn(self) -> tuple[int, ...]:
        """The best turn at the root so far."""
        return tuple(unpack_turn(int(self._buffers.nodes["best_turn"][0])))

    def _set_root(self, states: np.ndarray[Any, Any], history: NDArray[np.int64]) -> None:
        """Make ``states[0]`` the root; the table stays valid as long as the settings are the same."""
        buffers = self._buffers = self._buffers._replace(history=history)
        settings = b"".join(states[field].tobytes() for field in _SETTINGS)
        if settings != self._settings:
            self.forget()
            self._settings = settings
        buffers.path[0] = states[0]
        buffers.killers[:] = 0
        buffers.progress["age"] += 1
        longest = MAX_DEPTH + (0 if states["chapters"][0] else buffers.evaluator.endgames.longest)
        buffers.progress["turn_counts"] = states["turn"][0] + longest >= states["max_turns"][0]

    def _iterate(self, depth: int, scores: list[int], until: float) -> int | None:
        """Search to this depth, in a window around the score from two iterations ago if there is one; None if time or nodes ran out."""
        expected = scores[-2] if len(scores) > 1 else None
        if expected is not None and abs(expected) < _PROVEN:
            score = self._search(depth, expected - _ASPIRATION, expected + _ASPIRATION, until)
            if score is None or abs(score - expected) < _ASPIRATION:
                return score
        return self._search(depth, -_INFINITY, _INFINITY, until)

    def _search(self, depth: int, alpha: int, beta: int, until: float) -> int | None:
        """One search of the root, in short pieces; None if time or nodes ran out."""
        _begin(self._buffers, depth, alpha, beta)
        if self.time_budget.is_over(until):
            return None
        for actions in self.time_budget.pieces(until):
            if _continue(self._buffers, self.played + actions, self._last_node):
                return int(self._buffers.nodes["best"][0])
            if self.nodes >= self._last_node:
                break
        return None
