"""What the tests of the search share: positions, their turns, and plain minimax."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.kernels import terms_of
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import Game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.state_arrays import words_of
from tkm_env.core.turns import list_turns
from tkm_env.games.tkm.engine.geometry import NUM_ERAS
from tkm_env.games.tkm.engine.hashing import write_keys
from tkm_env.games.tkm.engine.state import OVER, STATE, WON
from tkm_env.games.tkm.engine.turn_generator import TURN_KERNELS
from tkm_env.players.tkm.search.alphabeta import WIN, Searcher
from tkm_env.players.tkm.search.evaluation_terms import NUM_TERMS, WEIGHTS
from tkm_env.players.tkm.search.network_inputs import GROUPS, KINDS, MAX_INPUTS, write_all_inputs

#: How many times as much may be done where the code is compiled.
MORE = 8 if COMPILES else 1

_PIECES = np.arange(GROUPS[0].size).reshape(GROUPS[0].shape)
#: The inputs of networks that say which copies are in danger.
DANGERS = set(
    _PIECES[:, :, [number for number, kind in enumerate(KINDS) if kind.endswith("in danger")]]
    .ravel()
    .tolist()
)


def positions(
    chapters: tuple[str, ...], edition: str, number: int, *, seed: int = 0, **settings: Any
) -> list[Game]:
    """Unfinished games after some random actions."""
    generator = np.random.default_rng(seed_of(chapters, edition, seed))
    games: list[Game] = []
    while len(games) < number:
        for powers in power_pairs(chapters, generator, 3):
            game = Game(chapters=chapters, edition=edition, powers=powers, **settings)
            for _ in range(int(generator.integers(5, 60))):
                if game.result is None:
                    game.play(int(generator.choice(game.legal_actions())))
            if game.result is None:
                games.append(game)
    return games[:number]


def inputs_of(states: np.ndarray[Any, Any], *, knows_powers: bool = True) -> set[int]:
    """The active inputs of networks in the first state."""
    inputs, counts = np.zeros((1, MAX_INPUTS), np.int16), np.zeros(1, np.int16)
    write_all_inputs(states[:1], inputs, counts, knows_powers)
    found = set(inputs[0, : counts[0]].tolist())
    assert len(found) == counts[0], "an input is listed twice"
    return found


def joined(games: list[Game]) -> np.ndarray[Any, Any]:
    """The games' states in one array; joining makes plain void of records."""
    return np.concatenate([game._states for game in games]).view(STATE)


def terms(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    counts = np.zeros((len(states), NUM_TERMS), np.int64)
    terms_of(states, counts, np.zeros((2, NUM_ERAS), np.int64))
    return counts


def values(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The evaluation for the side to act, worked out without the compiled sum."""
    return (terms(states) * WEIGHTS[states["chapters"]]).sum(1)


def turns_of(states: np.ndarray[Any, Any]) -> tuple[list[tuple[int, ...]], np.ndarray[Any, Any]]:
    _, rows = list_turns(TURN_KERNELS, states, np.zeros(1, np.int64))
    return rows.ways, rows.states


def keys(
    states: np.ndarray[Any, Any], *, with_active: bool = True, with_turn: bool = False
) -> list[int]:
    written = np.zeros(len(states), np.int64)
    write_keys(words_of(states), written, with_active, with_turn)
    return written.tolist()


def position_keys(states: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    return np.unique(np.array(keys(states), np.int64))


def minimax(states: np.ndarray[Any, Any], depth: int, distance: int = 0) -> int:
    """The value to the side to act, by trying everything: no window, no table, no order.

    Near the turn limit, the table distinguishes positions of different turns, so that no position
    is valued by a deeper search than here.
    """
    _, after = turns_of(states)
    over = after["step"] == OVER
    found = np.where(after["result"] == WON + after["to_act"], WIN - distance - 1, 0)
    if depth == 1:
        found = np.where(over, found, -values(after))
    else:
        for number in (~over).nonzero()[0]:
            found[number] = -minimax(after[number : number + 1], depth - 1, distance + 1)
    return int(found.max())


def clock_of(searcher: Searcher) -> SimpleNamespace:
    """A clock for a machine that plays a million actions per second and needs no other time."""
    return SimpleNamespace(perf_counter=lambda: searcher.played / 1e6)
