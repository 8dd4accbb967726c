"""Random play of many games at once, and invariants that hold in every position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tkm_env.compiled.kernels import NO_ACTION, UNDECIDED
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine import state as s
from tkm_env.games.tkm.engine.actions import (
    ANSWERS,
    CHOICES,
    CONCEDE,
    DRAFTS,
    FOCUSES,
    MOVES,
    NUM_ACTIONS,
    OFFER,
    ORDERS,
    OVERTIME,
    TRAVELS_FAR,
)
from tkm_env.games.tkm.engine.bitboards import as_spaces
from tkm_env.games.tkm.engine.geometry import FUTURE, NEIGHBOUR, NOWHERE, NUM_SPACES, PAST
from tkm_env.games.tkm.engine.planes import NUM_PLANES, PLANES

TALK = (CONCEDE, OFFER + 1)
#: The actions that belong to each step, as ranges of indices.
BELONGS = {
    s.CHOOSE: [(CHOICES, MOVES), TALK],
    s.ACT: [(MOVES, FOCUSES), (TRAVELS_FAR, OVERTIME), (CONCEDE, OFFER)],
    s.SHIFT: [(FOCUSES, TRAVELS_FAR), (OVERTIME, DRAFTS), TALK],
    s.DRAFT: [(DRAFTS, ORDERS)],
    s.ORDER: [(ORDERS, CONCEDE)],
    s.ANSWER: [(ANSWERS, NUM_ACTIONS)],
}
HIGHEST = np.array([plane.high for plane in PLANES], np.int8)[None, :, None]


def random_actions(masks: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """One legal action for each game, all equally likely; NO_ACTION where nothing is legal."""
    actions = ((1 - generator.random(masks.shape, np.float32)) * masks).argmax(
        1
    )  # in (0, 1]: a legal one is never 0
    return np.where(masks.any(1), actions, NO_ACTION)


def play_games(
    config: GameConfig,
    games: int,
    seed: int,
    visit: Callable[[np.ndarray, np.ndarray, np.ndarray], None],
    batch: int = 512,
) -> Counter[int]:
    """Play that many random games, several side by side; return how often each result came.

    ``visit(states, masks, observations)`` is called after each step with the games that are in
    progress or have just ended.
    """
    generator = np.random.default_rng(seed)
    results: Counter[int] = Counter()
    while (left := games - results.total()) > 0:
        playing = Batch(min(batch, left), config)
        playing.reset(generator.integers(2**32, size=playing.num_games).tolist())
        lasting = np.ones(playing.num_games, np.bool_)
        while lasting.any():
            indices = lasting.nonzero()[0]
            observations = playing.observations_of(
                indices, generator.integers(2, size=len(indices))
            )
            visit(
                playing.states[indices],
                playing.masks[indices],
                observations.reshape(-1, NUM_PLANES, NUM_SPACES),
            )
            lasting = ~playing.over
            playing.play(random_actions(playing.masks, generator))
            assert not playing.illegal.any()
        results.update(playing.results.tolist())
    return results


def check_invariants(states: np.ndarray, masks: np.ndarray, observations: np.ndarray) -> None:
    """What is true in every position (RULES §1, §5 to §9), and of every mask and observation."""
    check_board(states)
    check_growth(states)
    check_influence(states)
    check_memory(states)
    check_turn(states, masks)
    assert ((observations >= 0) & (observations <= HIGHEST)).all(), (
        "an observation exceeds its bounds"
    )


def holds(condition: np.ndarray, states: np.ndarray, what: str) -> None:
    """Fail with the first position in which the condition does not hold."""
    if not condition.all():
        from tkm_env.games.tkm.notation import format_position

        raise AssertionError(f"{what}: {format_position(states[int(np.argmin(condition))])}")


def in_play(states: np.ndarray, chapter: int) -> np.ndarray:
    return (states["chapters"] & chapter) != 0


def counts(states: np.ndarray, piece: int) -> np.ndarray:
    """How often a piece is in each era: shape (n, 3)."""
    return (states["cell"] == piece).sum(2)


def check_board(states: np.ndarray) -> None:
    cell, seed = states["cell"], as_spaces(states["seed"])
    holds(((cell >= 0) & (cell < s.NUM_PIECES)).all((1, 2)), states, "unknown piece")
    holds((seed <= (cell <= s.COPY + 1)).all((1, 2)), states, "a seed under an object")
    for player in range(2):
        copies = counts(states, s.COPY + player).sum(1) + states["supply"][:, player]
        holds(copies <= s.COPIES_EACH, states, "more copies than there are")


def check_growth(states: np.ndarray) -> None:
    cell, growth = states["cell"], in_play(states, s.GROWTH)
    shrub = cell == s.SHRUB
    fallen = (cell >= s.FALLEN) & (cell < s.FALLEN + 4)
    tree = fallen | (cell == s.TREE)
    for name, there in (("seeds", as_spaces(states["seed"])), ("shrubs", shrub), ("trees", tree)):
        holds(
            there.sum((1, 2)) <= np.where(growth, s.PIECES_OF_GROWTH, 0), states, f"too many {name}"
        )
    holds(~shrub[:, PAST].any(1), states, "a shrub in the past")
    holds(~tree[:, :FUTURE].any((1, 2)), states, "a tree before the future")
    for trunk in range(4):
        edge = NEIGHBOUR[trunk] == NOWHERE
        holds(
            ~(cell[:, :, edge] == s.FALLEN + trunk).any((1, 2)),
            states,
            "a trunk that points off the board",
        )


def check_influence(states: np.ndarray) -> None:
    influence = in_play(states, s.INFLUENCE)
    holds((counts(states, s.ORANGE) == influence[:, None]).all(1), states, "orange statues")
    for player in range(2):
        there = counts(states, s.STATUE + player)
        holds((there <= influence[:, None]).all(1), states, "two statues of one player in an era")
        holds(
            ~((there[:, 0] > 0) & (there[:, 1] == 0) & (there[:, 2] > 0)),
            states,
            "a statue in past and future only",
        )
        holds(
            (there.any(1) ^ (states["unbuilt"][:, player] != 0)) == influence,
            states,
            "a statue neither built nor unbuilt",
        )


def check_memory(states: np.ndarray) -> None:
    memory = in_play(states, s.MEMORY)
    for elephant in range(2):
        holds(
            (counts(states, s.ELEPHANT + elephant) == memory[:, None]).all(1), states, "elephants"
        )
    hat = states["hat"]
    holds((hat == s.NOBODY).all((1, 2)) | memory, states, "hats without memory")
    holds(
        ((hat[:, 0] != hat[:, 1]) | (hat[:, 0] == s.NOBODY)).all(1),
        states,
        "two hats of one player in an era",
    )


def check_turn(states: np.ndarray, masks: np.ndarray) -> None:
    step, era, space = states["step"], states["active_era"], states["active_space"]
    rows = np.arange(len(states))
    active = era != NOWHERE
    owner = np.where(active, states["cell"][rows, era, space], s.COPY + states["to_act"])
    holds(owner == s.COPY + states["to_act"], states, "the active copy is not the acting player's")
    holds(active | (step != s.ACT), states, "no active copy while acting")
    holds((states["actions_left"] > 0) == (step == s.ACT), states, "actions left")
    over = step == s.OVER
    holds((states["result"] != UNDECIDED) == over, states, "result")
    holds(masks.any(1) == ~over, states, "something is legal exactly while the game goes on")
    holds((states["turn"] >= 1) & (states["turn"] <= states["max_turns"]), states, "turn")
    for number, ranges in BELONGS.items():
        allowed = np.zeros(NUM_ACTIONS, np.bool_)
        for first, last in ranges:
            allowed[first:last] = True
        holds(
            (step != number) | ~masks[:, ~allowed].any(1),
            states,
            "an action of another step is legal",
        )
    for player in range(2):
        eras = (counts(states, s.COPY + 1 - player) > 0).sum(1)
        won = states["result"] == 1 + player
        holds(
            ~won | (eras <= 1) | (states["concede"] != 0),
            states,
            "won against a player in two eras",
        )


def sampled(states: np.ndarray, generator: np.random.Generator, share: float) -> list[Any]:
    """Some of the states, each with that probability."""
    return [
        state
        for state, chance in zip(states, generator.random(len(states)), strict=True)
        if chance < share
    ]
