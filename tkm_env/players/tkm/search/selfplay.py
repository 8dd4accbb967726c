"""Self-play of a value network, which yields samples of positions between turns.

The targets are λ-returns, as in TD(λ) (Sutton and Barto, "Reinforcement Learning", 2018, section
12.1), over the positions after whole turns, as in TD-Gammon (Tesauro, "Temporal difference learning
and TD-Gammon", 1995). They are cut where a turn was played at random, since what follows it says
nothing about best play.
"""

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.network import Network, Workspace, new_workspace, output_of
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.tkm.engine.state import DRAFT, ORDER, OVER, STATE, WON
from tkm_env.games.tkm.engine.turn_generator import (
    TurnGenerator,
    begin_turns,
    new_turn_generator,
    next_turn,
)
from tkm_env.players.tkm.search.network_inputs import MAX_INPUTS, write_inputs

_UNIT: Final = 1 << 24
# The states of a workspace: before the turn, after the sampled one, after one drawn at random.
_NOW: Final = 0
_SAMPLED: Final = 1
_RANDOM: Final = 2


class SelfPlayWorkspace(NamedTuple):
    """The memory that games are played in, one at a time."""

    turns: TurnGenerator
    states: Any  # (3,) STATE
    inputs: NDArray[np.int16]  # (MAX_INPUTS,)
    actions: NDArray[np.int64]  # (3,): how many actions led to each state from that before the turn
    values: NDArray[np.float64]  # (most_turns,): the value of the best turn for its player
    is_explored: NDArray[np.int8]  # (most_turns,): whether the λ-return is cut at a turn
    hidden: Workspace


def new_self_play_workspace(network: Network, most_turns: int) -> SelfPlayWorkspace:
    """Allocate a workspace for self-play.

    Args:
        network: a network of the shape of those that will play.
        most_turns: the largest number of turns in a game.

    Returns:
        The workspace.
    """
    return SelfPlayWorkspace(
        new_turn_generator(),
        np.zeros(3, STATE),
        np.zeros(MAX_INPUTS, np.int16),
        np.zeros(3, np.int64),
        np.zeros(most_turns, np.float64),
        np.zeros(most_turns, np.int8),
        new_workspace(network),
    )


@inlined
def _value_after(
    state: Any, network: Network, inputs: Any, hidden: Workspace, knows_powers: bool
) -> float:
    """Return the value of the position after a turn for the player of that turn, from -1 to 1."""
    if state.step == OVER:
        if state.result == WON + state.to_act:
            return 1.0
        return -1.0 if state.result == WON + 1 - state.to_act else 0.0
    count = write_inputs(state, inputs, knows_powers)
    return -math.tanh(output_of(network, inputs, count, hidden))


@inlined
def _chance(streams: Any, number: int) -> float:
    """Draw a random number above 0 and below 1 from the stream with this index."""
    return (draw(streams, number, _UNIT) + 0.5) / _UNIT


@inlined
def _draw_turns(
    network: Network,
    work: SelfPlayWorkspace,
    streams: Any,
    number: int,
    temperature: float,
    knows_powers: bool,
) -> float:
    """Write the positions after a sampled turn and after one drawn at random to the workspace.

    The sampled turn is drawn from a softmax over values by the Gumbel-max trick. If a turn wins at
    once, such a turn is sampled.

    Returns:
        The value of the best turn, from -1 to 1.
    """
    best, highest = -2.0, -math.inf
    count = 0
    begin_turns(work.turns, work.states, _NOW)
    while next_turn(work.turns):
        state = work.turns.states[work.turns.length[0]]
        value = _value_after(state, network, work.inputs, work.hidden, knows_powers)
        best = max(best, value)
        noisy = value - temperature * math.log(-math.log(_chance(streams, number)))
        if value == 1.0:
            noisy = math.inf
        if noisy > highest:
            highest = noisy
            work.states[_SAMPLED] = state
            work.actions[_SAMPLED] = work.turns.length[0]
        count += 1
        if draw(streams, number, count) == 0:
            work.states[_RANDOM] = state
            work.actions[_RANDOM] = work.turns.length[0]
    return best


@inlined
def _play_game(
    network: Network,
    how: Any,
    work: SelfPlayWorkspace,
    streams: Any,
    number: int,
    samples: Any,
    row: int,
    knows_powers: bool,
) -> int:
    """Play a game from ``work.states[0]``, and write its samples to the rows from ``row`` on.

    Returns:
        The row after the last sample.
    """
    opening = draw(streams, number, how.opening_turns) + 1 if how.opening_turns else 0
    turn = 0
    while turn < how.most_turns and work.states[_NOW].step != OVER:
        if work.states[_NOW].step in (DRAFT, ORDER):
            opening = max(opening, turn + 1)  # powers are drafted at random
        best = _draw_turns(network, work, streams, number, how.temperature, knows_powers)
        learns = turn >= opening
        won = best == 1.0
        explored = not learns or (not won and _chance(streams, number) < how.exploration)
        if learns:
            samples.counts[row + turn - opening] = write_inputs(
                work.states[_NOW], samples.inputs[row + turn - opening], knows_powers
            )
        work.values[turn] = best if won else how.discount * best
        work.is_explored[turn] = explored or won
        drawn = _RANDOM if explored else _SAMPLED
        work.states[_NOW] = work.states[drawn]
        samples.lengths[number] += work.actions[drawn]
        turn += 1
    target = 0.0
    for earlier in range(turn - 1, opening - 1, -1):
        if work.is_explored[earlier]:
            target = work.values[earlier]
        else:
            target = (1.0 - how.trace) * work.values[earlier] - how.trace * how.discount * target
        samples.targets[row + earlier - opening] = target
    return row + max(0, turn - opening)


@nogil_kernel
def play_games(
    network: Network,
    how: Any,
    starts: Any,
    streams: Any,
    work: SelfPlayWorkspace,
    samples: Any,
    knows_powers: bool,
) -> int:
    """Play games, and write samples of their positions.

    Args:
        network: the value network that plays.
        how: a `tkm_env.learn.value_game.SelfPlayConfig`.
        starts: STATE of shape (n,): the position that each game begins at.
        streams: uint64 of shape (n,): the games' streams of random numbers.
        work: a workspace for networks of this shape and ``how.most_turns``.
        samples: `tkm_env.learn.value_game.Samples` with ``n * how.most_turns`` rows, which are
            overwritten, and n lengths, which are 0.
        knows_powers: whether inputs know which copies are in danger by a power alone.

    Returns:
        The number of rows that were written.
    """
    row = 0
    for number in range(starts.shape[0]):
        work.states[_NOW] = starts[number]
        row = _play_game(network, how, work, streams, number, samples, row, knows_powers)
    return row
