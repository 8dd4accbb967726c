"""Self-play for a value network: what games played with it teach about positions between turns.

Temporal difference learning with eligibility in the form of λ-returns (Sutton and Barto, "Reinforcement Learning", 2018, §12.1), applied to
the positions after whole turns as TD-Gammon did (Tesauro, "Temporal difference learning and TD-Gammon", 1995).
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.decorators import inlined, nogil_kernel
from tkm_env.compiled.network import Network, Workspace, new_workspace, output_of
from tkm_env.compiled.random_numbers import draw
from tkm_env.games.tkm.engine.state import DRAFT, ORDER, OVER, STATE, WON
from tkm_env.games.tkm.search.inputs import MAX_INPUTS, write_inputs
from tkm_env.games.tkm.search.turns import Walk, begin_walk, new_walk, next_turn

_UNIT: Final = 1 << 24
#: Positions on the bench: before the turn, after the one chosen, after one drawn at random.
_NOW: Final = 0
_CHOSEN: Final = 1
_DRAWN: Final = 2


class Bench(NamedTuple):
    """The workspace of one thread."""

    walk: Walk
    states: Any  # (3,) STATE
    inputs: NDArray[np.int16]  # (MAX_INPUTS,)
    values: NDArray[np.float64]  # (most turns,): of each turn to who played it
    explored: NDArray[np.int8]  # (most turns,)
    found: NDArray[np.float64]  # (1,): the value of the best turn
    hidden: Workspace


def new_bench(network: Network, most_turns: int) -> Bench:
    return Bench(
        new_walk(),
        np.zeros(3, STATE),
        np.zeros(MAX_INPUTS, np.int16),
        np.zeros(most_turns, np.float64),
        np.zeros(most_turns, np.int8),
        np.zeros(1, np.float64),
        new_workspace(network),
    )


@inlined
def _value_after(state: Any, network: Network, inputs: Any, hidden: Workspace) -> float:
    """The value, from -1 to 1, of the position after a turn to who played it."""
    if state.step == OVER:
        if state.result == WON + state.to_act:
            return 1.0
        return -1.0 if state.result == WON + 1 - state.to_act else 0.0
    count = write_inputs(state, inputs)
    return -math.tanh(output_of(network, inputs, count, hidden))


@inlined
def _chance(streams: Any, number: int) -> float:
    """A number above 0 and below 1."""
    return (draw(streams, number, _UNIT) + 0.5) / _UNIT


@inlined
def _find_turn(network: Network, bench: Bench, streams: Any, number: int, temperature: float) -> int:
    """Write the positions after a turn chosen by softmax and after one drawn at random; returns how many ways there are to play the turn.

    A sample of a softmax is the largest of values with Gumbel noise, so one pass is enough.
    """
    bench.found[0] = -2.0
    highest = -math.inf
    count = 0
    begin_walk(bench.walk, bench.states, _NOW)
    length = next_turn(bench.walk)
    while length >= 0:
        state = bench.walk.states[length]
        value = _value_after(state, network, bench.inputs, bench.hidden)
        bench.found[0] = max(bench.found[0], value)
        noisy = value - temperature * math.log(-math.log(_chance(streams, number)))
        if value == 1.0:
            noisy = math.inf
        if noisy > highest:
            highest = noisy
            bench.states[_CHOSEN] = state
        count += 1
        if draw(streams, number, count) == 0:
            bench.states[_DRAWN] = state
        length = next_turn(bench.walk)
    return count


@inlined
def _play_game(network: Network, how: Any, bench: Bench, streams: Any, number: int, samples: Any, row: int) -> int:
    """Play one game from ``bench.states[0]``, and write its samples from ``row`` on; returns the row after the last."""
    opening = draw(streams, number, how.opening_turns) + 1 if how.opening_turns else 0
    turn = 0
    while turn < how.most_turns and bench.states[_NOW].step != OVER:
        if bench.states[_NOW].step in (DRAFT, ORDER):
            opening = max(opening, turn + 1)  # powers are drafted at random
        _find_turn(network, bench, streams, number, how.temperature)
        learns = turn >= opening
        won = bench.found[0] == 1.0
        explored = not learns or (not won and _chance(streams, number) < how.exploration)
        if learns:
            samples.counts[row + turn - opening] = write_inputs(bench.states[_NOW], samples.inputs[row + turn - opening])
        bench.values[turn] = bench.found[0] if won else how.discount * bench.found[0]
        bench.explored[turn] = explored or won
        bench.states[_NOW] = bench.states[_DRAWN if explored else _CHOSEN]
        turn += 1
    target = 0.0
    for earlier in range(turn - 1, opening - 1, -1):
        if bench.explored[earlier]:
            target = bench.values[earlier]
        else:
            target = (1.0 - how.trace) * bench.values[earlier] - how.trace * how.discount * target
        samples.targets[row + earlier - opening] = target
    return row + max(0, turn - opening)


@nogil_kernel
def play_games(network: Network, how: Any, starts: Any, streams: Any, bench: Bench, samples: Any) -> int:
    """Play a game from each of ``starts`` (n,) of dtype STATE, with its own of ``streams`` (n,) uint64; returns how many samples there are.

    ``how`` is a `tkm_env.learn.value_game.SelfPlayConfig`, ``samples`` a `tkm_env.learn.value_game.Samples` with room for n times
    ``how.most_turns``.
    """
    row = 0
    for number in range(starts.shape[0]):
        bench.states[_NOW] = starts[number]
        row = _play_game(network, how, bench, streams, number, samples, row)
    return row
