"""The engine's entry points on a GPU, with one thread for each game.

The rules are those of `tkm_env.games.tkm.engine.turn`.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.array_types import (
    Actions,
    Flags,
    Mask,
    Masks,
    PlayerOfEach,
    Results,
    States,
    StreamOfEach,
    StreamTable,
    WordRows,
)
from tkm_env.compiled.cuda import ROWS, kernel, target
from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.kernels import (
    BEGIN,
    NO_ACTION,
    PLAY,
    PLAY_AT_RANDOM,
    PREPARE,
    REFRESH,
    STEP,
    UNDECIDED,
    draw_legal,
)
from tkm_env.compiled.random_numbers import CHANCE, OPENING, OPPONENT, draw
from tkm_env.games.tkm.engine.actions import NUM_ACTIONS
from tkm_env.games.tkm.engine.geometry import NUM_SPACES
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS
from tkm_env.games.tkm.engine.observation import write_observation
from tkm_env.games.tkm.engine.planes import NUM_PLANES
from tkm_env.games.tkm.engine.scratch import SCRATCH, Scratch
from tkm_env.games.tkm.engine.state import NOBODY, OVER, STATE, State
from tkm_env.games.tkm.engine.turn import play, write_mask

#: The number of words of an observation.
_ROW_WORDS: Final = NUM_PLANES * NUM_SPACES // 8
#: The distance from row to row in shared memory: one word more avoids bank conflicts.
_STRIDE: Final = _ROW_WORDS + 1
_play_or_forfeit: Final = ENTRY_POINTS.play_or_forfeit
#: More turns than any game has.
_NEVER: Final = 2**31


@kernel
def work(
    task: int,
    states: States,
    starts: States,
    actions: Actions,
    players: PlayerOfEach,
    masks: Masks,
    results: Results,
    illegal: Flags,
    streams: StreamTable,
    to_act: PlayerOfEach,
    origins: States,
    thresholds: NDArray[np.int64],
    below: int,
    turns: int,
    tries: int,
    failed: NDArray[np.int64],
) -> None:
    """Perform a task on each game, as `EntryPoints.work` does on CPUs.

    It also draws the next start of games that begin: one of the origins, and then random turns.
    `PREPARE` draws the next starts of games whose action is `BEGIN`, without restarting them.

    Args:
        task: the task, one of those in `tkm_env.compiled.kernels`.
        states: the games: records of shape (n,).
        starts: where games begin again: records of shape (n,).
        actions: what to play in each game: int64 of shape (n,). In a `STEP`, or a `PLAY` that does
            not begin a game, an action that does not exist counts as an illegal one.
        players: the player until whose turn a game is played at random: int64 of shape (n,).
        masks: the legal actions: int8 of shape (n, actions).
        results: how each game ended: int8 of shape (n,).
        illegal: whether the last action was illegal: bool of shape (n,).
        streams: random numbers by purpose: uint64 of shape (`STREAMS`, n).
        to_act: where to write the player to act: int64 of shape (n,).
        origins: the states in which games may begin: records of shape (k,).
        thresholds: how an origin is selected if ``below`` is not 0: int64 of shape (k,). An integer
            from 0 to ``below`` - 1 is drawn, and the first threshold above it selects the origin.
        below: the exclusive upper bound of that draw; 0 for the first origin.
        turns: the number of random turns to play from there.
        tries: how often to try again while a game ends within these turns.
        failed: set to 1 if all tries end so: int64 of shape (1,).
    """
    game = target.grid(1)
    if game >= states.shape[0]:
        return
    mask = masks[game]
    scratch = target.local.array(1, SCRATCH)
    scratch[0].log = 0
    scratch[0].noting = 0
    own = target.local.array(1, STATE)
    own[0] = states[game]
    begins = actions[game] == BEGIN and (task in (PLAY, PREPARE))
    if task == PLAY_AT_RANDOM:
        _play_at_random(own[0], players[game], _NEVER, mask, streams[OPPONENT], game, scratch[0])
    elif task == REFRESH:
        write_mask(own[0], mask, scratch[0])
    elif task == STEP or (task == PLAY and not begins):
        illegal[game] = False
        if task == STEP or actions[game] != NO_ACTION:
            action = actions[game]
            if not 0 <= action < NUM_ACTIONS:  # unchecked until now: treated as an illegal action
                action = 0
                mask[action] = 0
            illegal[game] = _play_or_forfeit(own[0], action, mask, scratch[0])
    result = own[0].result
    if task == STEP and result != UNDECIDED:
        begins = True
    if task != PREPARE:
        if begins:
            own[0] = starts[game]
            write_mask(own[0], mask, scratch[0])
            illegal[game] = illegal[game] and task == STEP
        states[game] = own[0]
        results[game] = result if task == STEP else own[0].result
        to_act[game] = own[0].to_act
    if begins and (below != 0 or turns != 0 or task == PREPARE):
        opened = target.local.array(NUM_ACTIONS, np.int8)
        for _ in range(tries):
            own[0] = origins[_draw_start(streams[CHANCE], game, below, thresholds)]
            if turns == 0:
                break
            write_mask(own[0], opened, scratch[0])
            _play_at_random(
                own[0], NOBODY, own[0].turn + turns, opened, streams[OPENING], game, scratch[0]
            )
            if own[0].step != OVER:
                break
        starts[game] = own[0]
        if own[0].step == OVER:
            failed[0] = 1


@inlined
def _play_at_random(
    state: State,
    player: int,
    until: int,
    mask: Mask,
    streams: StreamOfEach,
    game: int,
    scratch: Scratch,
) -> None:
    """Play legal actions, all equally likely.

    This ends when the game is over, ``player`` is to act, or the turn ``until`` begins.
    """
    while state.step != OVER and state.to_act != player and state.turn < until:
        play(state, draw_legal(mask, streams, game), mask, scratch)


@inlined
def _draw_start(streams: StreamOfEach, game: int, below: int, thresholds: NDArray[np.int64]) -> int:
    """The index of an origin, drawn by the thresholds; 0 if ``below`` is 0."""
    number = 0
    if below != 0:
        drawn = draw(streams, game, below)
        while drawn >= thresholds[number]:
            number += 1
    return number


@kernel
def observe(states: States, viewers: PlayerOfEach, observations: WordRows) -> None:
    """Write what a player sees of each game.

    Each of a block's `ROWS` threads writes to shared memory, from where the block copies all rows
    in coalesced writes.

    Args:
        states: the games: records of shape (n,).
        viewers: the player who sees each game: int64 of shape (n,).
        observations: where to write: uint64 of shape (n, words of an observation).
    """
    rows = target.shared.array((ROWS, _STRIDE), np.uint64)
    game, thread = target.grid(1), target.threadIdx.x
    if game < states.shape[0]:
        write_observation(states[game], viewers[game], rows[thread].view(np.int8), rows[thread])
    target.syncthreads()
    first = game - thread
    for word in range(thread, min(ROWS, states.shape[0] - first) * _ROW_WORDS, ROWS):
        row = word // _ROW_WORDS
        observations[first + row, word - row * _ROW_WORDS] = rows[row, word - row * _ROW_WORDS]
