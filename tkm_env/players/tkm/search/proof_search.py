"""The search behind proofs: whether a side can force a win within some turns.

A proof is an AND/OR tree: where the attacker is to act one turn must win, where the defender is to
act every turn must lose. The tree is searched depth-first, to a depth that the caller deepens turn
by turn, with a transposition table (`tkm_env.players.tkm.search.proof_table`) in which a position
and its images under the rules' symmetries share an entry
(`tkm_env.players.tkm.search.symmetric_keys`). At a node

1. the turns that did well before are tried: the one from the table, and the "killers", which
   decided other nodes at the same distance from the root (Akl and Newborn, "The principal
   continuation and the killer heuristic", 1977);
2. all turns are generated, and each position after one is looked up in the table before any is
   searched: one that is known may decide the node at once ("enhanced transposition cutoffs": Plaat,
   Schaeffer, Pijls and De Bruin, "Exploiting graph properties of game trees", 1996);
3. the positions that are left are searched, those with the best evaluation for the side that moved
   first.

Most positions never get that far: `tkm_env.players.tkm.search.survival` sees that the attacker
cannot win there. Compiled code keeps the nodes from the root to the current one in arrays instead
of recursing, so that a search can stop anywhere and continue.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.core.state_arrays import integer_record, words_of
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.state import ACT, OVER, STATE, WON
from tkm_env.games.tkm.engine.turn_generator import (
    MAX_TURNS,
    NO_TURN,
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
    pack_turn,
    replay_turn,
    unpack_turn,
)
from tkm_env.players.tkm.search.evaluation import Evaluator, evaluate, new_evaluator
from tkm_env.players.tkm.search.proof_table import (
    FAILS,
    UNKNOWN,
    WINS,
    known_result,
    known_turn,
    new_table,
    store_result,
)
from tkm_env.players.tkm.search.survival import HORIZON, cannot_win
from tkm_env.players.tkm.search.symmetric_keys import NUM_IMAGES, symmetric_key

#: The deepest search, in turns.
MAX_DEPTH: Final = 64

#: How many killers are remembered at each distance from the root.
_KILLERS: Final = 4

# The stages of a node: what is to be done next there.
_TRY_FIRST_TURNS: Final = 0
_GENERATE: Final = 1
_SEARCH_CHILDREN: Final = 2

_NODE_FIELDS: Final = (
    "depth",  # how many turns are left
    "is_attacker",  # 1 if the attacker is to act, 0 if the defender is
    "result",  # `WINS`, `FAILS` or `UNKNOWN`: whether the attacker wins within ``depth`` turns
    "stage",
    "key",  # of the position, as `symmetric_key` returns it
    "best_turn",  # packed: the turn that is being searched, or the one that decided the node
    "first",  # the children still to be searched are ``first`` to ``end`` - 1 in the pool
    "end",
    "played_before",  # how many actions had been played when the search came here
)
#: A node on the path from the root.
_NODE: Final = integer_record(" ".join(_NODE_FIELDS))

#: A position after a turn, to be searched: its key; the packed turn; and an order, the highest
#: first.
_CHILD: Final = integer_record("key turn order")
#: The order of the turn that has been tried already: it leads to a position of which much is known.
_TRIED_ORDER: Final = 1 << 40

#: Actions played per second, before that is measured.
_SLOWEST: Final = 5000.0


class ProofBuffers(NamedTuple):
    """Everything that a search writes to, allocated once.

    The *ply* of a node is its distance from the root.
    """

    path: Any  # (MAX_DEPTH + 2,) STATE: the position at each ply
    words: Any  # the same memory as words
    nodes: Any  # (MAX_DEPTH + 1,) _NODE: the node at each ply
    turns: TurnGenerator
    pool: Any  # (n,) STATE: the positions of the children of the nodes on the path, node by node
    children: Any  # (n,) _CHILD: what else is known of these
    table: Any  # as `new_table` returns it
    killers: (
        Any  # (MAX_DEPTH + 1, _KILLERS) int64: turns that decided nodes at each ply, latest first
    )
    images: Any  # (NUM_IMAGES,) uint64: a workspace for keys
    evaluator: Evaluator
    ply: Any  # (1,) int64: of the current node
    attacker: Any  # (1,) int64: a player
    turn_counts: Any  # (1,) int64: 1 if the turn limit is near, so that the turn counts in keys


@inlined
def _decisive(node: Any) -> int:
    """The result of one child that is enough to decide a node."""
    return WINS if node.is_attacker else FAILS


@inlined
def _key(buffers: ProofBuffers, state: Any, words: Any, index: int) -> int:
    """The key of a position, which is also ``words[index]``."""
    return symmetric_key(
        state, words, index, buffers.attacker[0], buffers.turn_counts[0], buffers.images
    )


@inlined
def _judge(
    buffers: ProofBuffers, state: Any, words: Any, index: int, depth: int
) -> tuple[int, int]:
    """What is known of a position after a turn without searching it.

    Args:
        buffers: of the search.
        state: the position, of dtype STATE.
        words: (n, k) uint64: positions as words, among them this one.
        index: where it is in ``words``.
        depth: how many turns are left.

    Returns:
        `WINS`, `FAILS` or `UNKNOWN`; and the position's key, 0 if it was not needed.
    """
    if state.step == OVER:
        return (WINS if state.result == WON + buffers.attacker[0] else FAILS), 0
    if cannot_win(state, buffers.attacker[0], depth):
        return FAILS, 0
    key = _key(buffers, state, words, index)
    return known_result(buffers.table, key, depth), key


@inlined
def _begin_node(
    buffers: ProofBuffers, ply: int, depth: int, is_attacker: bool, key: int, first: int
) -> None:
    """Set up the node for ``path[ply]``, whose children go to the pool from ``first`` on."""
    node = buffers.nodes[ply]
    node.depth, node.is_attacker, node.key = depth, int(is_attacker), key
    node.result, node.best_turn, node.stage = UNKNOWN, NO_TURN, _TRY_FIRST_TURNS
    node.first, node.end = first, first
    node.played_before = buffers.turns.played[0]


@inlined
def _begin_child(buffers: ProofBuffers, ply: int, key: int) -> None:
    """Set up the node for ``path[ply + 1]``, a position after a turn of the node at ``ply``."""
    node = buffers.nodes[ply]
    _begin_node(buffers, ply + 1, node.depth - 1, not node.is_attacker, key, node.end)


@inlined
def _play(buffers: ProofBuffers, ply: int, turn: int) -> bool:
    """Play a packed turn on the path, from ``ply`` to ``ply + 1``; return its legality."""
    return replay_turn(buffers.path, ply, turn, buffers.turns.masks, buffers.turns.scratch[0])


@inlined
def _next_child(buffers: ProofBuffers, ply: int) -> bool:
    """Put the next position to search on the path, at ``ply + 1``.

    Returns:
        Whether there is one. If not, the result of the node at ``ply`` is known now.
    """
    node = buffers.nodes[ply]
    if node.stage == _TRY_FIRST_TURNS:
        node.stage = _GENERATE
        key = _try_first_turns(buffers, ply)
        if node.result != UNKNOWN:
            return False
        if node.best_turn != NO_TURN:
            _play(buffers, ply, node.best_turn)
            _begin_child(buffers, ply, key)
            return True
    if node.stage == _GENERATE:
        node.stage = _SEARCH_CHILDREN
        _generate(buffers, ply)
        if node.result != UNKNOWN:
            return False
    return _take_child(buffers, ply)


@inlined
def _try_first_turns(buffers: ProofBuffers, ply: int) -> int:
    """Look at the positions after the turns that did well before: one may decide the node.

    If none does, ``best_turn`` becomes the first of those whose result is unknown, or `NO_TURN`.

    Args:
        buffers: of the search.
        ply: of the node.

    Returns:
        The key of the position after ``best_turn``; 0 without one, or if it decides the node.
    """
    node, hopeful, hopeful_key = buffers.nodes[ply], NO_TURN, 0
    for index in range(-1, _KILLERS):
        turn = buffers.killers[ply, index] if index >= 0 else known_turn(buffers.table, node.key)
        buffers.turns.played[0] += 1
        if turn != NO_TURN and _play(buffers, ply, turn):
            result, key = _judge(
                buffers, buffers.path[ply + 1], buffers.words, ply + 1, node.depth - 1
            )
            if result == _decisive(node):
                node.result, node.best_turn = result, turn
                return 0
            if result == UNKNOWN and hopeful == NO_TURN:
                hopeful, hopeful_key = turn, key
    node.best_turn = hopeful
    return hopeful_key


@inlined
def _generate(buffers: ProofBuffers, ply: int) -> None:
    """Look at the positions after all turns: one may decide the node.

    If none does, those whose results are unknown are its children in the pool.
    """
    node, turns = buffers.nodes[ply], buffers.turns
    depth = node.depth - 1
    examined = NO_TURN
    begin_turns(turns, buffers.path, ply)
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        result, key = _judge(buffers, state, turns.words, turns.length[0], depth)
        if result == _decisive(node):
            node.result, node.best_turn = result, pack_turn(turns)
            return
        if result == UNKNOWN:
            _add_child(buffers, node, state, key, pack_turn(turns))
        elif node.is_attacker and node.depth < HORIZON:
            examined = _skip_hopeless(buffers, node.depth, examined)


@inlined
def _add_child(buffers: ProofBuffers, node: Any, state: Any, key: int, turn: int) -> None:
    """Add the position after a turn of a node to its children."""
    child = buffers.children[node.end]
    buffers.pool[node.end] = state
    child.key, child.turn = key, turn
    child.order = _TRIED_ORDER if turn == node.best_turn else -evaluate(state, buffers.evaluator)
    node.end += 1


@inlined
def _skip_hopeless(buffers: ProofBuffers, depth: int, examined: int) -> int:
    """Skip the turns with the beginning of the one just found, if none of them can win.

    The positions after the first and after the second action of that turn are looked at, unless
    these actions are the ones that were looked at last: the generator goes through all turns that
    begin alike before it changes the beginning.

    Args:
        buffers: of the search, with the turn that its generator has found.
        depth: how many turns are left, with this one.
        examined: what the last call returned; `NO_TURN` at first.

    Returns:
        The two actions, as one number.
    """
    turns = buffers.turns
    beginning = turns.next_action[0] | turns.next_action[1] << 32
    if beginning != examined:
        for length in range(1, min(turns.length[0], 3)):
            state = turns.states[length]
            if state.step == ACT and cannot_win(state, buffers.attacker[0], depth):
                # No action is left to try from here on.
                turns.next_action[length : turns.length[0]] = NUM_ACTIONS
                break
    return beginning


@inlined
def _take_child(buffers: ProofBuffers, ply: int) -> bool:
    """Take the best child that is left out of the pool, and put it on the path.

    Searching the others may have shown its result by now: it then decides the node, or is dropped.
    If none is left, no turn has the decisive result, and so the node has the other one.

    Returns:
        Whether there is a child to search.
    """
    node = buffers.nodes[ply]
    decisive = _decisive(node)
    while node.end > node.first:
        best = _best_child(buffers, node)
        key = buffers.children[best].key
        node.best_turn = buffers.children[best].turn
        buffers.path[ply + 1] = buffers.pool[best]
        # The last child takes its place.
        node.end -= 1
        buffers.pool[best] = buffers.pool[node.end]
        buffers.children[best] = buffers.children[node.end]
        result = known_result(buffers.table, key, node.depth - 1)
        if result == decisive:
            node.result = result
            return False
        if result == UNKNOWN:
            _begin_child(buffers, ply, key)
            return True
    node.result = FAILS if node.is_attacker else WINS
    return False


@inlined
def _best_child(buffers: ProofBuffers, node: Any) -> int:
    """Where the child with the highest order is in the pool."""
    best = node.first
    for index in range(node.first + 1, node.end):
        if buffers.children[index].order > buffers.children[best].order:
            best = index
    return best


@inlined
def _store(buffers: ProofBuffers, ply: int) -> None:
    """Store the result of a node, and the turn that decided it, if one did, among the killers."""
    node = buffers.nodes[ply]
    cost = buffers.turns.played[0] - node.played_before
    turn = node.best_turn if node.result == _decisive(node) else NO_TURN
    store_result(buffers.table, node.key, node.depth, node.result, turn, cost)
    if turn != NO_TURN:
        _move_to_front(buffers.killers[ply], turn)


@inlined
def _move_to_front(killers: Any, turn: int) -> None:
    """Make a turn the first of the killers (_KILLERS,); the last one is dropped if it is new."""
    place = _KILLERS - 1
    for index in range(_KILLERS):
        if killers[index] == turn:
            place = index
            break
    for index in range(place, 0, -1):
        killers[index] = killers[index - 1]
    killers[0] = turn


@kernel
def _begin(buffers: ProofBuffers, states: Any, attacker: int, depth: int) -> None:
    """Prepare to search whether ``attacker`` can win ``states[0]`` within ``depth`` turns."""
    buffers.path[0] = states[0]
    buffers.attacker[0] = attacker
    buffers.ply[0] = 0
    _begin_node(buffers, 0, depth, states[0].to_act == attacker, 0, 0)
    # The root has no key, so there is nothing to look up.
    buffers.nodes[0].stage = _SEARCH_CHILDREN
    _generate(buffers, 0)


@nogil_kernel
def _continue(buffers: ProofBuffers, actions: int) -> int:
    """Continue until ``actions`` actions have been played in total; returns the root's result."""
    ply = buffers.ply[0]
    while buffers.turns.played[0] < actions:
        node = buffers.nodes[ply]
        if node.result == UNKNOWN and _next_child(buffers, ply):
            ply += 1
            continue
        if ply == 0:
            return node.result
        _store(buffers, ply)
        ply -= 1
        parent = buffers.nodes[ply]
        if node.result == _decisive(parent):
            parent.result = node.result
    buffers.ply[0] = ply
    return UNKNOWN


class ProofSearcher:
    """A search for forced wins with its memory, for one thread at a time.

    Args:
        turns: how many turns it can look ahead, 1 to `MAX_DEPTH`, counted over both sides.
        table_bits: its transposition table has 2**``table_bits`` entries of 24 bytes.
    """

    def __init__(self, turns: int, table_bits: int) -> None:
        room = turns * MAX_TURNS
        path = np.zeros(MAX_DEPTH + 2, STATE)
        self._buffers = ProofBuffers(
            path=path,
            words=words_of(path),
            nodes=np.zeros(MAX_DEPTH + 1, _NODE),
            turns=new_turn_generator(),
            pool=np.zeros(room, STATE),
            children=np.zeros(room, _CHILD),
            table=new_table(table_bits),
            killers=np.zeros((MAX_DEPTH + 1, _KILLERS), np.int64),
            images=np.zeros(NUM_IMAGES, np.uint64),
            evaluator=new_evaluator(knows_endgames=False),
            ply=np.zeros(1, np.int64),
            attacker=np.zeros(1, np.int64),
            turn_counts=np.zeros(1, np.int64),
        )
        self._time_budget = TimeBudget(_SLOWEST)

    @property
    def actions(self) -> int:
        """How many actions have been played in all searches so far: steps of the engine."""
        return int(self._buffers.turns.played[0])

    def winning_turn(
        self,
        states: np.ndarray[Any, Any],
        attacker: int,
        turns: int,
        on_progress: Callable[[float], object] = lambda done: None,
    ) -> tuple[int, ...] | None:
        """The turn with which a side can force a win.

        Args:
            states: of dtype STATE; the position is ``states[0]``, and is not over.
            attacker: the side that is to win, as a player's index.
            turns: within how many turns, counted over both sides; no more than the searcher can
                look ahead. The attacker must be the side that plays the last of them.
            on_progress: called now and then with ``turns`` less the share of the first turns that
                are still to be searched.

        Returns:
            The indices of the turn's actions; empty if the other side is to act, and loses whatever
            it plays; None if the attacker cannot force a win within that many turns.
        """
        buffers = self._buffers
        buffers.turn_counts[0] = states["turn"][0] + MAX_DEPTH >= states["max_turns"][0]
        _begin(buffers, states, attacker, turns)
        root = buffers.nodes[0]
        count = int(root["end"])
        for actions in self._time_budget.pieces():
            result = _continue(buffers, self.actions + actions)
            if result != UNKNOWN:
                break
            on_progress(turns - int(root["end"]) / count)
        if result == FAILS:
            return None
        return tuple(unpack_turn(int(root["best_turn"]))) if root["is_attacker"] else ()
