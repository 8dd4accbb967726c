"""Alpha-beta over whole turns, as principal variation search in negamax form.

This is the algorithm of Marsland and Campbell ("Parallel search of strongly ordered game trees",
1982; chessprogramming.org, "Principal Variation Search"), with iterative deepening, aspiration
windows, killers and a transposition table (`tkm_env.players.tkm.search.transposition_table`). It
differs from that of a chess program in these points:

* A node is a position between two turns, and its moves are the different positions that one turn
  leads to, of which there can be hundreds.
* Nothing is pruned heuristically or reduced: a win in n turns is a proof, and depth n finds every
  one.
* A turn from the root that repeats a position of the game is worth `REPETITION_VALUE`, less than a
  draw, unless it is proven to win or lose. The table stores such a root only as a proof and as the
  turn to try first, so that everything in the table holds in every game.

Values are to the side to act: hundredths of a logit of winning, or ``WIN - n`` for a win in n
turns. Compiled code keeps the nodes from the root to the current one in arrays instead of
recursing, so that a search can stop anywhere and continue. The *ply* of a node is its distance from
the root, in turns.
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
from tkm_env.games.tkm.engine.turn_generator import (
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
from tkm_env.players.tkm.search.transposition_table import (
    is_cutoff,
    new_table,
    slot_of,
    store_value,
    value_from_root,
)

#: A win in n turns is worth WIN - n.
WIN: Final = WINS
_INFINITY: Final = WIN + 1
#: The deepest search, in whole turns.
MAX_DEPTH: Final = 64
#: The most turns that `Searcher.best_turns` can return.
MAX_LINES: Final = 1 << 10
#: The largest limit on nodes, more than any search reaches.
MAX_NODES: Final = 1 << 62

# The stages of a node: what to do next there.
_TRY_TABLE_TURN: Final = 0
_GENERATE: Final = 1
_SEARCH_CHILDREN: Final = 2

_NODE_FIELDS: Final = (
    "depth",  # the depth to search from here, in turns
    "alpha",  # the window: values outside it need not be exact
    "beta",
    "best",  # the best value so far
    "best_turn",  # the turn with that value, packed
    "key",  # the key of the position
    "table_turn",  # the turn that the table knows, packed, or `NO_TURN`
    "stage",
    "first",  # the index of the node's first child in the pool
    "next",  # the index of the child to search next
    "end",  # the index after that of the last child
    "turn",  # the turn that is being searched, packed
    "is_researched",  # whether that turn must be searched again, with the full window
    "is_repetition",  # whether the turn that leads to this node repeats a position of the game
)
#: A node on the path from the root.
_NODE: Final = integer_record(" ".join(_NODE_FIELDS))

_PROGRESS_FIELDS: Final = (
    "ply",  # the ply of the current node
    "is_entering",  # whether the current node has not been entered yet
    "pool_used",  # the number of entries of the pool in use
    "num_nodes",  # the number of nodes searched, in all searches
    "age",  # the age of the search, for the table
    "turn_counts",  # whether the turn limit is near, so that keys include the turn
    "num_excluded",  # the number of turns excluded at the root
)
#: The progress of the search.
_PROGRESS: Final = integer_record(" ".join(_PROGRESS_FIELDS))

_POOL_SIZE: Final = 1 << 16
_KILLERS: Final = 2
#: Killers are searched before all turns that are ordered by evaluation.
_KILLER_ORDER: Final = WIN // 2

#: The half-width of the aspiration window around the expected score of an iteration.
_ASPIRATION: Final = 60
#: The assumed speed before the first measurement, in actions per second.
_SLOWEST: Final = 5000.0

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


class SearchBuffers(NamedTuple):
    """Everything that a search writes to, allocated once."""

    path: Any  # (MAX_DEPTH + 2,) STATE: the position at each ply; the last one is a workspace
    nodes: Any  # (MAX_DEPTH + 2,) _NODE: the node at each ply
    turns: TurnGenerator
    pool: Any  # (_POOL_SIZE,) STATE: the children of the nodes on the path, node by node
    pool_turns: Any  # (_POOL_SIZE,) int64: the turns that lead to them, packed
    pool_orders: Any  # (_POOL_SIZE,) int64: the highest is searched first
    table: Any  # as `new_table` returns it
    killers: (
        Any  # (MAX_DEPTH + 2, _KILLERS) int64: turns that caused a cutoff at each ply, latest first
    )
    progress: Any  # (1,) _PROGRESS
    excluded: Any  # (MAX_LINES,) int64: turns that are not searched at the root, packed
    history: Any  # (n,) int64: the keys of the game's earlier positions
    evaluator: Evaluator
    mask: Any  # (1, NUM_ACTIONS) int8


def _new_buffers(table_bits: int, evaluator: Evaluator) -> SearchBuffers:
    return SearchBuffers(
        path=np.zeros(MAX_DEPTH + 2, STATE),
        nodes=np.zeros(MAX_DEPTH + 2, _NODE),
        turns=new_turn_generator(),
        pool=np.zeros(_POOL_SIZE, STATE),
        pool_turns=np.zeros(_POOL_SIZE, np.int64),
        pool_orders=np.zeros(_POOL_SIZE, np.int64),
        table=new_table(table_bits),
        killers=np.zeros((MAX_DEPTH + 2, _KILLERS), np.int64),
        progress=np.zeros(1, _PROGRESS),
        excluded=np.zeros(MAX_LINES, np.int64),
        history=NO_HISTORY,
        evaluator=evaluator,
        mask=np.zeros((1, NUM_ACTIONS), np.int8),
    )


@inlined
def _final_value(state: Any, ply: int) -> int:
    """Return a finished game's value at ``ply``, to the side that did not play the last turn."""
    return ply - WIN if state.result == WON + state.to_act else 0


@inlined
def _static_value(buffers: SearchBuffers, state: Any, ply: int) -> int:
    """Return the evaluation of a position for the side to act, counted from the root."""
    return value_from_root(evaluate(state, buffers.evaluator), ply)


@inlined
def _key(buffers: SearchBuffers, ply: int) -> int:
    """Return the key of ``path[ply]``, through the generator, which has its states as words."""
    buffers.turns.states[0] = buffers.path[ply]
    return position_key(buffers.turns.words, 0, True, buffers.progress[0].turn_counts != 0)


@inlined
def _store(buffers: SearchBuffers, ply: int) -> None:
    """Store the value of a node in the table, except at a root with excluded turns.

    The value of a root with a history holds only in this game, so it is stored as if it came
    without a search.
    """
    node, progress = buffers.nodes[ply], buffers.progress[0]
    if ply == 0 and progress.num_excluded > 0:
        return
    depth = 0 if ply == 0 and buffers.history.shape[0] > 0 else node.depth
    store_value(
        buffers.table,
        node.key,
        node.best_turn,
        node.best,
        ply,
        depth,
        node.alpha,
        node.beta,
        progress.age,
    )


@inlined
def _is_excluded(buffers: SearchBuffers, ply: int, turn: int) -> bool:
    """Whether a turn is excluded from the search, which happens only at the root."""
    if ply == 0:
        for index in range(buffers.progress[0].num_excluded):
            if buffers.excluded[index] == turn:
                return True
    return False


@inlined
def _search_last_turn(buffers: SearchBuffers, ply: int) -> None:
    """Search a node of depth 1: evaluate positions as they are generated, up to a cutoff."""
    node, turns = buffers.nodes[ply], buffers.turns
    best, best_turn = -_INFINITY, NO_TURN
    begin_turns(turns, buffers.path, ply)
    while next_turn(turns):
        value = -_value_of_last_turn(buffers, ply + 1)
        if ply == 0 and is_repetition(buffers.history, turns.words, turns.length[0]):
            value = value_of_repetition(value)
        if value > best and not _is_excluded(buffers, ply, pack_turn(turns)):
            best, best_turn = value, pack_turn(turns)
            if best >= node.beta:
                break
    node.best, node.best_turn = best, best_turn


@inlined
def _value_of_last_turn(buffers: SearchBuffers, ply: int) -> int:
    """Return the value of the generator's position, at ``ply``, to the side to act."""
    state = buffers.turns.states[buffers.turns.length[0]]
    if state.step == OVER:
        return _final_value(state, ply)
    return _static_value(buffers, state, ply)


@inlined
def _generate(buffers: SearchBuffers, ply: int) -> int:
    """Put the children of a node, except the one from the table, into the pool.

    Returns:
        The number of children, from ``pool_used`` on; just 1 if a turn wins at once.
    """
    first, turns = buffers.progress[0].pool_used, buffers.turns
    skipped = buffers.nodes[ply].table_turn
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
    """Return the order of a turn that leads to ``state``: killers first, then by evaluation."""
    if state.step == OVER:
        return 0
    if turn == buffers.killers[ply, 0] or turn == buffers.killers[ply, 1]:
        return _KILLER_ORDER
    return -evaluate(state, buffers.evaluator)


@inlined
def _swap_best_to(buffers: SearchBuffers, start: int, end: int) -> None:
    """Swap the child of the highest order from ``start`` to ``end - 1`` to ``start``."""
    pool, turns, orders = buffers.pool, buffers.pool_turns, buffers.pool_orders
    best = start
    for index in range(start + 1, end):
        if orders[index] > orders[best]:
            best = index
    if best != start:
        buffers.path[MAX_DEPTH + 1] = pool[best]
        pool[best] = pool[start]
        pool[start] = buffers.path[MAX_DEPTH + 1]
        turns[start], turns[best] = turns[best], turns[start]
        orders[start], orders[best] = orders[best], orders[start]


@inlined
def _begin_node(buffers: SearchBuffers, ply: int, depth: int, alpha: int, beta: int) -> None:
    """Set up the search of ``path[ply]``.

    If the turn from the root repeats a position, only a proof counts there, which a window must not
    hide.
    """
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
    """Enter a node.

    Returns:
        Whether its value, ``best``, is now known: because the game is over, nothing here can
            matter, a table has the position, or only one turn was left, which has been searched.
    """
    progress, node, state = buffers.progress[0], buffers.nodes[ply], buffers.path[ply]
    progress.num_nodes += 1
    if state.step == OVER:
        node.best = _final_value(state, ply)
        return True
    # The best possible result here is a win in this turn, which would not raise alpha.
    if ply > 0 and node.alpha >= WIN - ply - 1:
        node.best = node.alpha
        return True
    if ply > 0 and turns_to_decision(state, buffers.evaluator.endgames) != UNKNOWN:
        node.best = _static_value(buffers, state, ply)
        return True
    node.key = _key(buffers, ply)
    node.best = -_INFINITY
    node.best_turn = NO_TURN
    if _look_up(buffers, ply):
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
def _look_up(buffers: SearchBuffers, ply: int) -> bool:
    """Look a node up in the transposition table; return whether that gives its value."""
    node, table = buffers.nodes[ply], buffers.table
    node.table_turn = NO_TURN
    entry = table[node.key & (table.shape[0] - 1), slot_of(table, node.key)]
    if entry.key != node.key:
        return False
    node.table_turn = entry.turn
    if ply > 0 and is_cutoff(entry, ply, node.depth, node.alpha, node.beta):
        node.best = value_from_root(entry.value, ply)
        return True
    return False


@inlined
def _next_child(buffers: SearchBuffers, ply: int) -> bool:
    """Put the next position to search on the path, at ``ply + 1``, with its window.

    The table's turn comes first: if it causes a cutoff, the others need not be generated.

    Returns:
        Whether there is a next position.
    """
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
        node.stage = _SEARCH_CHILDREN
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
    # A null window only tests whether the turn is better than the best so far; the first turn needs
    # the full window.
    lowest = -node.beta if node.best == -_INFINITY else -alpha - 1
    _begin_node(buffers, ply + 1, node.depth - 1, lowest, -alpha)
    return True


@inlined
def _update(buffers: SearchBuffers, ply: int, value: int) -> None:
    """Update a node with the value of the turn that has been searched.

    If a null window has only shown that the turn is better, it must be searched again.
    """
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
    """Prepare to search ``path[0]`` to ``depth`` in the window from ``alpha`` to ``beta``."""
    progress = buffers.progress[0]
    progress.pool_used = 0
    progress.ply = 0
    progress.is_entering = 1
    buffers.nodes[0].best_turn = NO_TURN
    _begin_node(buffers, 0, depth, alpha, beta)


@nogil_kernel
def _continue(buffers: SearchBuffers, actions: int, nodes: int) -> bool:
    """Continue the search until it is done, or a total over all searches is reached.

    Args:
        buffers: the buffers of the search.
        actions: the total number of actions played at which to stop.
        nodes: the total number of nodes searched at which to stop.

    Returns:
        Whether it is done; then the root's ``best`` and ``best_turn`` are its result.
    """
    progress = buffers.progress[0]
    ply, is_entering = progress.ply, progress.is_entering != 0
    while buffers.turns.played[0] < actions and progress.num_nodes < nodes:
        if not (is_entering and _enter(buffers, ply)):
            if _next_child(buffers, ply):
                ply += 1
                is_entering = True
                continue
            _store(buffers, ply)
            if buffers.nodes[ply].stage == _SEARCH_CHILDREN:
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
    """The best turn that a search has found."""

    turn: tuple[int, ...]  # the indices of its actions
    score: int  # its value to the side to act: hundredths of a logit, or a proof (`turns_to_end`)
    depth: int  # the depth to which the search was complete, in turns; 0 if not even depth 1 was


def turns_to_end(score: int) -> int | None:
    """Return the number of turns, of both sides, of a proven win or loss; None if not proven."""
    return WIN - abs(score) if abs(score) >= PROVEN else None


def _is_final(score: int, depth: int) -> bool:
    """Whether a score is a proof within the depth, so that a deeper search cannot change it."""
    end = turns_to_end(score)
    return end is not None and end <= depth


class Searcher:
    """An alpha-beta search with its memory, allocated once, for one Python thread at a time.

    Args:
        table_bits: the transposition table has 2**``table_bits`` entries of 48 bytes.
        evaluator: evaluates positions; None for the weighted terms.

    Attributes:
        time_budget: its ``deadline`` ends a search early, from any thread.
    """

    def __init__(self, *, table_bits: int = 18, evaluator: Evaluator | None = None) -> None:
        self._buffers = _new_buffers(table_bits, evaluator or new_evaluator())
        self._settings = b""
        self._ran_out = False
        #: The total number of nodes at which the search ends.
        self._last_node = 0
        self._users: dict[int, int] = {}
        self.time_budget = TimeBudget(_SLOWEST)
        # Compiling these on first use should not count towards a time limit.
        _begin(self._buffers, 1, -_INFINITY, _INFINITY)
        _continue(self._buffers, 0, 0)

    @property
    def nodes(self) -> int:
        """The number of positions between turns searched in all searches."""
        return int(self._buffers.progress["num_nodes"][0])

    @property
    def played(self) -> int:
        """The number of actions played in all searches: steps of the engine."""
        return int(self._buffers.turns.played[0])

    @no_concurrent_use
    def evaluate_with(self, evaluator: Evaluator) -> None:
        """Use another evaluator from now on, and forget the results of the last one."""
        if evaluator is not self._buffers.evaluator:
            self.forget()
            self._buffers = self._buffers._replace(evaluator=evaluator)

    @no_concurrent_use
    def forget(self) -> None:
        """Empty the table."""
        if self.nodes:  # otherwise it is empty, and its memory need not be touched yet
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
        """Find the best turn, or rest of a turn, by iterative deepening.

        The search ends at the first limit, or when a proof is found.

        Args:
            states: STATE of shape (n,); the position is ``states[0]``, which is not over.
            depth: the number of turns to look ahead, counting both sides, at most `MAX_DEPTH`; None
                for `MAX_DEPTH`.
            seconds: the time of the search, in seconds; None for no limit.
            nodes: the number of positions between turns to search; None for no limit.
            history: int64 of shape (n,): the keys of the game's earlier positions, as
                `history_keys` returns them.

        Returns:
            The best turn of the last complete depth, or a better one found since.
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
        """Find the best turns that lead to different positions.

        Args:
            states: as for `search`.
            count: the number of turns, at most `MAX_LINES`.
            depth: as for `search`.
            seconds: as for `search`, for all turns together.
            nodes: as for `search`, for all turns together.
            history: as for `search`.
            on_depth: called with the results of each complete depth.

        Returns:
            The turns, best first: ``count``, or fewer if there are no more, or a limit is reached.
        """
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
            are_final = all(_is_final(result.score, reached) for result in results)
            if are_final or len(best[0].turn) == 0:
                break
        if self._ran_out:
            if not best:
                best = [SearchResult(self._any_turn(), score=0, depth=0)]
            # The last iteration searched the best turn of the one before first, so whatever has
            # replaced it since is better.
            turn = self._best_turn() if count == 1 else ()
            best[0] = best[0]._replace(turn=turn or best[0].turn)
        return best

    def _deepen(self, depth: int, scores: list[list[int]], until: float) -> list[SearchResult]:
        """Make an iteration for each of the turns that are wanted.

        Args:
            depth: the number of turns to look ahead.
            scores: the scores of earlier iterations for each turn; the new ones are appended.
            until: when to stop, by `time.perf_counter`.

        Returns:
            The turns, best first: fewer if there are no more, or a limit is reached.
        """
        results: list[SearchResult] = []
        for earlier in scores:
            self._exclude(results)
            score = self._iterate(depth, earlier, until)
            self._ran_out = score is None
            if score is None or score == -_INFINITY:
                break
            earlier.append(score)
            results.append(SearchResult(self._best_turn(), score, depth))
        return results

    def _exclude(self, results: list[SearchResult]) -> None:
        """Exclude the turns of these results at the root."""
        turns = [pack_actions(result.turn) for result in results]
        self._buffers.progress["num_excluded"] = len(turns)
        self._buffers.excluded[: len(turns)] = turns

    def _best_turn(self) -> tuple[int, ...]:
        """Return the best turn at the root so far; empty if there is none yet."""
        return tuple(unpack_turn(int(self._buffers.nodes["best_turn"][0])))

    def _any_turn(self) -> tuple[int, ...]:
        """Return some turn at the root, without a search."""
        _, rows = list_turns(TURN_KERNELS, self._buffers.path, np.zeros(1, np.int64))
        return rows.ways[0]

    def _set_root(self, states: np.ndarray[Any, Any], history: NDArray[np.int64]) -> None:
        """Make ``states[0]`` the root.

        The table stays valid as long as the settings are the same.
        """
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
        """Make an iteration, in an aspiration window if a score can be expected.

        Args:
            depth: the number of turns to look ahead.
            scores: the scores of earlier iterations. The one from two iterations ago is expected
                again, since it ended with a turn of the same side.
            until: when to stop, by `time.perf_counter`.

        Returns:
            The score of the best turn; None if a limit was reached.
        """
        expected = scores[-2] if len(scores) > 1 else None
        if expected is not None and abs(expected) < PROVEN:
            score = self._search(depth, expected - _ASPIRATION, expected + _ASPIRATION, until)
            if score is None or abs(score - expected) < _ASPIRATION:
                return score
        return self._search(depth, -_INFINITY, _INFINITY, until)

    def _search(self, depth: int, alpha: int, beta: int, until: float) -> int | None:
        """Search the root once, in short pieces; return its score, None if a limit is reached."""
        _begin(self._buffers, depth, alpha, beta)
        if self.time_budget.is_over(until):
            return None
        for actions in self.time_budget.pieces(until):
            if _continue(self._buffers, self.played + actions, self._last_node):
                return int(self._buffers.nodes["best"][0])
            if self.nodes >= self._last_node:
                break
        return None
