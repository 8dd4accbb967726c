"""The search behind proofs: can one side force a win within so many turns? Yes or no, nothing is estimated.

A tree of and and or: the attacker needs one turn that wins, the defender one that does not lose. It is searched depth-first, by iterative
deepening, with a table of what is known of positions; those that are images of each other under the symmetries of the rules share an
entry. The best turn so far and "killers" are tried first; then, before another position is searched, the table is asked for all that follow
(Plaat et al., "Exploiting graph properties of game trees", 1996, "enhanced transposition cutoffs"), and an evaluation orders them.
"""

from collections.abc import Callable
from typing import Any, Final, NamedTuple

import numpy as np

from tkm_env.compiled.bits import count_bits
from tkm_env.compiled.decorators import inlined, kernel, nogil_kernel
from tkm_env.compiled.hashing import spread, word_hash
from tkm_env.core.state_arrays import integer_record, words_of
from tkm_env.foundations.time_budget import TimeBudget
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.bitboards import ALL_SPACES, beside, has_seed, where, where_below
from tkm_env.games.tkm.engine.geometry import NUM_ERAS, NUM_SPACES
from tkm_env.games.tkm.engine.hashing import words_without
from tkm_env.games.tkm.engine.state import (
    ACT,
    BLACK,
    COPY,
    ELEPHANT,
    EMPTY,
    GROWTH,
    IMMOVABLE,
    INFLUENCE,
    MEMORY,
    NO_POWER,
    NOBODY,
    NUM_PIECES,
    ORANGE,
    OVER,
    SEED,
    STATE,
    WHITE,
    WON,
)
from tkm_env.games.tkm.engine.turns import (
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
from tkm_env.games.tkm.symmetries import SYMMETRIES
from tkm_env.players.tkm.search.evaluation import Evaluator, evaluate, new_evaluator

#: The most turns of a search.
MAX_DEPTH: Final = 64

# What is known of a position: whether the attacker can force a win within the turns that are left.
_UNKNOWN: Final = 0
_FAILS: Final = 1
_WINS: Final = 2

#: What the table knows of a position: the attacker fails within ``fails`` turns, and wins within ``wins``, 0 if nothing is known; ``turn``
#: was the best one. An entry is empty while its key is 0.
_ENTRY: Final = np.dtype(
    (
        np.record,
        [
            ("key", np.int64),
            ("turn", np.int64),
            ("cost", np.int32),
            ("fails", np.int16),
            ("wins", np.int16),
        ],
    )
)

#: A position on the path: how many turns are left, whether the attacker is to act, what is known; the node's slice of the pool; its key,
#: the turn that decided it, how many actions had been played before it was searched; and its stage, 0, then 1 once turns that did well
#: before were tried, then 2 once all were listed.
_NODE: Final = integer_record("depth is_attacker result first end key best_turn began stage")
#: How many killers are remembered for each distance from the root.
_KILLERS: Final = 4
#: With at most so many turns left, positions may be seen to be lost for the attacker without playing turns.
_SEEN: Final = 4

#: A position after a turn of a node on the path, to be searched: the highest order first.
_CHILD: Final = integer_record("key turn order")

#: Actions played per second, before that is measured.
_SLOWEST: Final = 5000.0
_FIRST: Final = 1 << 40

_IMAGES: Final = tuple(symmetry for symmetry in SYMMETRIES if not symmetry.colours)
#: How many of them hold without Memory: those that leave the elephants as they are come first.
_WITHOUT_ELEPHANTS: Final = sum(not symmetry.elephants for symmetry in _IMAGES)
_BITS: Final = np.random.SeedSequence(1).generate_state(
    NUM_ERAS * NUM_SPACES * (SEED + 1) + 2 * NUM_ERAS * 2, np.uint64
)


def _keys_of_pieces() -> np.ndarray[Any, Any]:
    """By era, space and piece, or `SEED`: what it contributes to the key of each image; uint64."""
    bits = _BITS[: NUM_ERAS * NUM_SPACES * (SEED + 1)].reshape(NUM_ERAS, NUM_SPACES, SEED + 1)
    keys = np.zeros((*bits.shape, len(_IMAGES)), np.uint64)
    for number, symmetry in enumerate(_IMAGES):
        pieces = np.append(symmetry.pieces(), np.arange(NUM_PIECES, SEED + 1))
        keys[..., number] = bits[:, symmetry.spaces()][..., pieces]
    return keys


def _keys_of_hats() -> np.ndarray[Any, Any]:
    """By elephant, era and player: what a hat contributes to the key of each image; uint64."""
    bits = _BITS[-2 * NUM_ERAS * 2 :].reshape(2, NUM_ERAS, 2)
    return np.stack([bits[::-1] if symmetry.elephants else bits for symmetry in _IMAGES], -1)


_PIECE_KEYS: Final = _keys_of_pieces()
_HAT_KEYS: Final = _keys_of_hats()
#: The bits of a position that no symmetry changes, and that matter between two turns; without and with the number of the turn.
_REST: Final = np.array(
    [
        words_without("cell", "seed", "hat", "active_era", "active_space", *turn)
        for turn in (("turn",), ())
    ]
)


class ProofBuffers(NamedTuple):
    """Everything that a search writes to, allocated once."""

    path: Any  # (MAX_DEPTH + 1,) STATE: the position at each distance from the root
    words: Any  # the same memory as words
    nodes: Any  # (MAX_DEPTH + 1,) _NODE
    turns: TurnGenerator
    pool: Any  # (n,) STATE: positions after the turns of the nodes on the path
    children: Any  # (n,) _CHILD
    table: Any  # (n, 2) _ENTRY: a slot for what cost most, and one for the latest
    killers: Any  # (MAX_DEPTH + 1, _KILLERS) int64: the turns that last decided a position at the same distance, the latest first
    images: Any  # (len(_IMAGES),) uint64: the keys of a board's images
    evaluator: Evaluator
    ply: Any  # (1,) int64: the distance of the current node from the root
    attacker: Any  # (1,) int64: a player
    turn_counts: Any  # (1,) int64: whether the turn limit is near, so that the turn counts in keys


@inlined
def _key(buffers: ProofBuffers, state: Any, words: Any, number: int) -> int:
    """The key that a position between two turns shares with its images; never 0."""
    images = buffers.images
    count = images.shape[0] if state.chapters & MEMORY else _WITHOUT_ELEPHANTS
    for image in range(count):
        images[image] = np.uint64(0)
    for era in range(NUM_ERAS):
        for space in range(NUM_SPACES):
            piece = state.cell[era, space]
            if piece != EMPTY:
                for image in range(count):
                    images[image] ^= _PIECE_KEYS[era, space, piece, image]
            if state.chapters and has_seed(state, era, space):
                for image in range(count):
                    images[image] ^= _PIECE_KEYS[era, space, SEED, image]
    if state.chapters & MEMORY:
        for elephant in range(2):
            for era in range(NUM_ERAS):
                player = state.hat[elephant, era]
                if player != NOBODY:
                    for image in range(count):
                        images[image] ^= _HAT_KEYS[elephant, era, player, image]
    least = images[0]
    for image in range(1, count):
        least = min(least, images[image])
    rest = _REST[buffers.turn_counts[0]]
    mixed = np.uint64(buffers.attacker[0])
    for word in range(rest.shape[0]):
        mixed ^= word_hash(words[number, word] & rest[word], word)
    key = np.int64(spread(mixed) ^ least)
    return key if key != 0 else np.int64(1)


@inlined
def _known(buffers: ProofBuffers, key: int, depth: int) -> int:
    """What the table knows of a position with ``depth`` turns left."""
    row = key & (buffers.table.shape[0] - 1)
    for slot in range(2):
        entry = buffers.table[row, slot]
        if entry.key == key:
            if depth <= entry.fails:
                return _FAILS
            return _WINS if 0 < entry.wins <= depth else _UNKNOWN
    return _UNKNOWN


@inlined
def _connected(spaces: int, occupied: int) -> int:
    """These spaces, and the occupied ones that are beside them, and beside those, and so on."""
    grown = spaces | beside(spaces) & occupied
    while grown != spaces:
        spaces = grown
        grown = spaces | beside(spaces) & occupied
    return spaces


@inlined
def _moved(state: Any, attacker: int, era: int, shaken: bool) -> int:
    """All spaces of the era where something may move or die in what is left of the attacker's turn, and perhaps more. It is pushed, or
    pushed on, by the active copy or by an elephant in the same era (RULES §3 to §5, §7), twice where the copy has two actions, once after
    a travel; or by a statue that is built in an earlier era (RULES §6). If a statue of an earlier era may move, the era is ``shaken``, and
    all of its spaces count.
    """
    first, mine, occupied = (
        _acting_era(state, attacker),
        _acting(state, attacker),
        ALL_SPACES ^ where(state, era, EMPTY),
    )
    actions, supply = state.actions_left if state.step == ACT else 2, state.supply[attacker]
    acting = mine
    if era != first:
        travels = actions == 2 and (era - first == 1 or (first - era == 1 and supply > 0))
        acting = mine & ~occupied if travels else 0
    if acting and state.chapters & MEMORY:
        acting |= where(state, era, ELEPHANT) | where(state, era, ELEPHANT + 1)
    moved = _connected(acting, occupied)
    if era == first and actions == 2:
        moved = _connected(moved | beside(moved), occupied)
    if state.chapters & INFLUENCE and mine:
        if state.unbuilt[attacker] and era >= first + (supply == 0):
            built = _connected(_around(mine) & occupied, occupied)
            moved |= _connected(built | beside(built), occupied) if built else 0
            shaken |= (
                built & ~(where(state, era, COPY + WHITE) | where(state, era, COPY + BLACK)) != 0
            )
        if shaken:
            return ALL_SPACES
    return moved


@inlined
def _acting_era(state: Any, attacker: int) -> int:
    """Where the attacker's next action takes place."""
    return int(state.active_era if state.step == ACT else state.focus[attacker])


@inlined
def _acting(state: Any, attacker: int) -> int:
    """The spaces of the copies that may take it."""
    return (
        1 << state.active_space
        if state.step == ACT
        else where(state, int(state.focus[attacker]), COPY + attacker)
    )


@inlined
def _around(spaces: int) -> int:
    """The spaces that are at most two steps away."""
    near = spaces | beside(spaces)
    return near | beside(near)


@inlined
def _cannot_win(state: Any, attacker: int, depth: int) -> bool:
    """Whether the attacker cannot win with ``depth`` turns left, its own perhaps begun, as far as that is seen without playing turns: a
    side lives on that has copies in two eras which nobody reaches; or, where no statue stands, in all three, since a turn empties one at
    most. To wait for it, that side steps to and fro before the attacker's last turn, and before the one before, which must not prevent it:
    an action takes one free space in an era, the first only one nearby.
    """
    if depth == 0:
        return True
    if (
        depth > _SEEN
        or state.power[WHITE] != NO_POWER
        or state.power[BLACK] != NO_POWER
        or state.focus[attacker] < 0
    ):
        return False
    defender, focus, eras = 1 - attacker, int(state.focus[1 - attacker]), 0
    for era in range(NUM_ERAS):
        eras += where(state, era, COPY + defender) != 0
    no_statues = state.chapters & INFLUENCE == 0
    if (
        depth % 2 == 0
        and beside(where(state, focus, COPY + defender)) & where(state, focus, EMPTY) == 0
    ):
        return False
    if depth < 3 and no_statues and eras == NUM_ERAS:
        return True
    if depth > 2 and (eras < NUM_ERAS or not no_statues):
        return False
    acting, actions = _acting(state, attacker), state.actions_left if state.step == ACT else 2
    near = acting | beside(acting) if state.chapters & GROWTH else acting
    far = near | beside(near) if actions == 2 else near
    safe, shaken, steps = 0, False, False
    for era in range(NUM_ERAS):
        moved, theirs = _moved(state, attacker, era, shaken), where(state, era, COPY + defender)
        safe += theirs & ~moved != 0
        shaken |= (
            moved & (where_below(state, era, IMMOVABLE) ^ where_below(state, era, ORANGE)) != 0
        )
        if (era == focus) == (depth == 3):
            free, shifted = (
                beside(theirs & ~moved) & where(state, era, EMPTY),
                moved | beside(moved),
            )
            steps |= (
                free & ~(far | shifted) != 0
                or count_bits(free) + (free & (near | shifted) == 0) > actions
            )
    if depth < 3:
        return bool(safe >= 2)
    return bool(safe == NUM_ERAS and steps)


@inlined
def _judge(
    buffers: ProofBuffers, state: Any, words: Any, number: int, depth: int
) -> tuple[int, int]:
    """What is known of a position after a turn, with ``depth`` turns left, and its key if that had to be looked up."""
    if state.step == OVER:
        return (_WINS if state.result == WON + buffers.attacker[0] else _FAILS), 0
    if _cannot_win(state, buffers.attacker[0], depth):
        return _FAILS, 0
    key = _key(buffers, state, words, number)
    return _known(buffers, key, depth), key


@inlined
def _best_known(buffers: ProofBuffers, key: int) -> int:
    """The best turn that the table knows."""
    row, turn = key & (buffers.table.shape[0] - 1), NO_TURN
    for slot in range(2):
        if buffers.table[row, slot].key == key:
            turn = buffers.table[row, slot].turn
    return turn


@inlined
def _skip(buffers: ProofBuffers, depth: int, known: int) -> int:
    """Skip the ways to go on with the first actions of the turn that was found, if they are seen not to win; returns those actions. They
    were looked at before if they are the ``known`` ones.
    """
    turns = buffers.turns
    prefix = turns.next_action[0] | turns.next_action[1] << 32
    if prefix != known:
        for level in range(1, min(turns.length[0], 3)):
            if turns.states[level].step == ACT and _cannot_win(
                turns.states[level], buffers.attacker[0], depth
            ):
                turns.next_action[level : turns.length[0]] = NUM_ACTIONS
                break
    return prefix


@inlined
def _expand(buffers: ProofBuffers, ply: int) -> None:
    """List the positions after each turn of a node: one may decide it; those that do not, and are not known, go to the pool."""
    node, turns = buffers.nodes[ply], buffers.turns
    decisive = _WINS if node.is_attacker else _FAILS
    begin_turns(turns, buffers.path, ply)
    prefix = NO_TURN
    while next_turn(turns):
        state = turns.states[turns.length[0]]
        result, key = _judge(buffers, state, turns.words, turns.length[0], node.depth - 1)
        if result == decisive:
            node.result, node.best_turn = result, pack_turn(turns)
            return
        if result == _UNKNOWN:
            child, turn = buffers.children[node.end], pack_turn(turns)
            buffers.pool[node.end] = state
            child.key, child.turn = key, turn
            child.order = _FIRST if turn == node.best_turn else -evaluate(state, buffers.evaluator)
            node.end += 1
        elif node.is_attacker and node.depth < _SEEN:
            prefix = _skip(buffers, node.depth, prefix)


@inlined
def _descend(buffers: ProofBuffers, ply: int) -> bool:
    """Put the next position to search on the path, unless what others have found decides the node; returns whether there is one. Turns
    that did well before are tried before all are listed.
    """
    node, children = buffers.nodes[ply], buffers.children
    decisive = _WINS if node.is_attacker else _FAILS
    if node.stage == 0:
        node.stage, hopeful = 1, NO_TURN
        for number in range(-1, _KILLERS):
            turn = buffers.killers[ply, number] if number >= 0 else _best_known(buffers, node.key)
            buffers.turns.played[0] += 1
            if turn != NO_TURN and replay_turn(
                buffers.path, ply, turn, buffers.turns.masks, buffers.turns.scratch[0]
            ):
                result, key = _judge(
                    buffers, buffers.path[ply + 1], buffers.words, ply + 1, node.depth - 1
                )
                if result == decisive:
                    node.result, node.best_turn = result, turn
                    return False
                if result == _UNKNOWN and hopeful == NO_TURN:
                    hopeful = turn
        node.best_turn = hopeful
        if hopeful != NO_TURN:
            replay_turn(buffers.path, ply, hopeful, buffers.turns.masks, buffers.turns.scratch[0])
            key = _key(buffers, buffers.path[ply + 1], buffers.words, ply + 1)
            _begin_node(buffers, ply + 1, node.depth - 1, not node.is_attacker, key, node.end)
            return True
    if node.stage == 1:
        node.stage = 2
        _expand(buffers, ply)
        if node.result != _UNKNOWN:
            return False
    while node.end > node.first:
        best = node.first
        for number in range(node.first + 1, node.end):
            if children[number].order > children[best].order:
                best = number
        last = node.end - 1
        key = children[best].key
        node.best_turn = children[best].turn
        buffers.path[ply + 1] = buffers.pool[best]
        buffers.pool[best] = buffers.pool[last]
        children[best] = children[last]
        node.end = last
        result = _known(buffers, key, node.depth - 1)
        if result == decisive:
            node.result = result
            return False
        if result == _UNKNOWN:
            _begin_node(buffers, ply + 1, node.depth - 1, not node.is_attacker, key, last)
            return True
    node.result = _FAILS if node.is_attacker else _WINS
    return False


@inlined
def _begin_node(
    buffers: ProofBuffers, ply: int, depth: int, is_attacker: bool, key: int, first: int
) -> None:
    node = buffers.nodes[ply]
    node.depth, node.is_attacker, node.key = depth, int(is_attacker), key
    node.result, node.best_turn, node.stage = _UNKNOWN, NO_TURN, 0
    node.first, node.end = first, first
    node.began = buffers.turns.played[0]


@inlined
def _store(buffers: ProofBuffers, ply: int) -> None:
    """Store what was found at a node: in the first slot if it cost more than what is there, else in the second."""
    node = buffers.nodes[ply]
    row = node.key & (buffers.table.shape[0] - 1)
    cost = min(buffers.turns.played[0] - node.began, 1 << 30)
    entry = buffers.table[row, 0]
    if entry.key != node.key:
        other = buffers.table[row, 1]
        if other.key == node.key or cost < entry.cost:
            entry = other
        else:
            buffers.table[row, 1] = entry
    if entry.key != node.key:
        entry.key = node.key
        entry.fails = 0
        entry.wins = 0
    entry.cost = cost
    if node.result == (_WINS if node.is_attacker else _FAILS):
        entry.turn = node.best_turn
        killers, place = buffers.killers[ply], _KILLERS - 1
        for number in range(_KILLERS):
            if killers[number] == node.best_turn:
                place = number
                break
        for number in range(place, 0, -1):
            killers[number] = killers[number - 1]
        killers[0] = node.best_turn
    if node.result == _FAILS:
        entry.fails = max(entry.fails, node.depth)
    elif entry.wins == 0 or node.depth < entry.wins:
        entry.wins = node.depth


@kernel
def _begin(buffers: ProofBuffers, states: Any, attacker: int, turns: int) -> None:
    """Prepare to search whether ``attacker`` can win ``states[0]`` within so many turns."""
    buffers.path[0] = states[0]
    buffers.attacker[0] = attacker
    buffers.ply[0] = 0
    _begin_node(buffers, 0, turns, states[0].to_act == attacker, 0, 0)
    buffers.nodes[0].stage = 2
    _expand(buffers, 0)


@nogil_kernel
def _continue(buffers: ProofBuffers, actions: int) -> int:
    """Search on until so many actions were played in total; returns what is known of the root. The path of nodes replaces recursion."""
    ply = buffers.ply[0]
    while buffers.turns.played[0] < actions:
        node = buffers.nodes[ply]
        if node.result == _UNKNOWN and _descend(buffers, ply):
            ply += 1
            continue
        if ply == 0:
            return node.result
        _store(buffers, ply)
        ply -= 1
        above = buffers.nodes[ply]
        if node.result == (_WINS if above.is_attacker else _FAILS):
            above.result = node.result
    buffers.ply[0] = ply
    return _UNKNOWN


class ProofSearcher:
    """A search with its memory: at most so many turns deep, 1 to `MAX_DEPTH`, with a table of 2**``table_bits`` entries of 24 bytes."""

    def __init__(self, turns: int, table_bits: int) -> None:
        room = turns * MAX_TURNS
        path = np.zeros(MAX_DEPTH + 2, STATE)
        self._buffers = ProofBuffers(
            path,
            words_of(path),
            np.zeros(MAX_DEPTH + 1, _NODE),
            new_turn_generator(),
            np.zeros(room, STATE),
            np.zeros(room, _CHILD),
            np.zeros((1 << (table_bits - 1), 2), _ENTRY),
            np.zeros((MAX_DEPTH + 1, _KILLERS), np.int64),
            np.zeros(len(_IMAGES), np.uint64),
            new_evaluator(knows_endgames=False),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
            np.zeros(1, np.int64),
        )
        self._time_budget = TimeBudget(_SLOWEST)

    @property
    def actions(self) -> int:
        """How many actions were played in all searches so far: the engine's steps."""
        return int(self._buffers.turns.played[0])

    def winning_turn(
        self,
        states: np.ndarray[Any, Any],
        attacker: int,
        turns: int,
        on_progress: Callable[[float], object] = lambda done: None,
    ) -> tuple[int, ...] | None:
        """The turn with which ``attacker`` can force a win of ``states[0]`` within so many turns; empty if the other side is to act, None
        if it cannot. ``on_progress`` is called with ``turns``, less the share of the first turns that are still to be searched.
        """
        buffers = self._buffers
        buffers.turn_counts[0] = states["turn"][0] + MAX_DEPTH >= states["max_turns"][0]
        _begin(buffers, states, attacker, turns)
        count = int(buffers.nodes["end"][0])
        for actions in self._time_budget.pieces():
            result = _continue(buffers, self.actions + actions)
            if result != _UNKNOWN:
                break
            on_progress(turns - int(buffers.nodes["end"][0]) / count)
        if result == _FAILS:
            return None
        return (
            tuple(unpack_turn(int(buffers.nodes["best_turn"][0])))
            if buffers.nodes["is_attacker"][0]
            else ()
        )
