"""Fit the weights of the evaluation to the results of games.

    python benchmarks/fit_evaluation.py --seed 1

In each round, alpha-beta with the weights of the previous round plays games of every set of
chapters, from random openings and with an occasional random turn. Logistic regression then fits
the winning chance of the side to act to the terms of every position between two turns of the last
two rounds. Each set of chapters has weights of its own, drawn towards those that fit all sets
together. The program prints the weights of the terms of
`tkm_env.players.tkm.search.evaluation_terms`, and how the new weights score against those it began
with.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from tkm_env import Game
from tkm_env.games.tkm.engine.state import CHAPTERS, STATE
from tkm_env.players import AlphaBetaAgent, RandomAgent
from tkm_env.players.tkm.search.evaluation_terms import NUM_TERMS, TERMS

sys.path.insert(0, str(Path(__file__).parents[1]))
from benchmarks.kernels import terms_of

SETS = [
    tuple(name for bit, name in enumerate(CHAPTERS) if chapters >> bit & 1)
    for chapters in range(1 << len(CHAPTERS))
]
HUNDREDTHS = 100

#: Set by hand, in the order of `TERMS`: what the first round plays with.
FIRST_GUESS = np.array(
    [(5, 100, -30, 20, 30, 40, 5, 0, 15, 10, 10, 40, 60, -20, -30, -8, -5, 0, 10, 15, 15, 40, -20)]
    * len(SETS)
)


def opening(chapters: tuple[str, ...], turns: int, generator: np.random.Generator) -> Game:
    """A game after the given number of random turns that is not over."""
    player = RandomAgent(seed=generator)
    while True:
        game = Game(
            chapters=chapters, edition=str(generator.choice(["2021", "2022"])), max_turns=100
        )
        while game.turn <= turns and game.result is None:
            game.play(player.act(game))
        if game.result is None:
            return game


def play(
    game: Game, agents: dict[str, AlphaBetaAgent], stray: float, generator: np.random.Generator
) -> tuple[list[np.ndarray], float]:
    """Play to the end, and return the positions between two turns and the result.

    Args:
        game: the game, which is played on.
        agents: the player of each side.
        stray: the probability that a turn is played at random.
        generator: draws these turns and plays them.

    Returns:
        The positions, and white's score.
    """
    random_player = RandomAgent(seed=generator)
    positions, seen, strays = [], 0, False
    while game.result is None:
        if game.turn != seen:
            seen, strays = game.turn, bool(generator.random() < stray)
            positions.append(game._states.copy())
        game.play(random_player.act(game) if strays else agents[game.to_act].act(game))
    return positions, {"white": 1.0, "black": 0.0}.get(game.winner or "", 0.5)


def sample(
    chapters: tuple[str, ...], games: int, weights: np.ndarray, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Terms of positions, and the results for the side to act in them."""
    agent = AlphaBetaAgent(depth=2, weights=weights)
    terms, results = [], []
    for _ in range(games):
        positions, white = play(
            opening(chapters, int(generator.integers(1, 7)), generator),
            {"white": agent, "black": agent},
            0.1,
            generator,
        )
        states = np.concatenate(positions).view(STATE)  # joining makes plain void of records
        counts = np.zeros((len(states), NUM_TERMS), np.int64)
        terms_of(states, counts, np.zeros((2, 3), np.int64))
        terms.append(counts)
        results.append(np.where(states["to_act"] == 0, white, 1 - white))
    return np.concatenate(terms).astype(float), np.concatenate(results)


def logistic(
    terms: np.ndarray, results: np.ndarray, prior: np.ndarray, strength: float
) -> np.ndarray:
    """The maximum a posteriori weights, by Newton's method.

    Args:
        terms: a row for each position.
        results: the score of the side to act, for each position.
        prior: the mean of the normal prior.
        strength: its precision.

    Returns:
        The weights.
    """
    weights = prior.copy()
    for _ in range(25):
        chance = 1 / (1 + np.exp(-terms @ weights))
        gradient = terms.T @ (results - chance) - strength * (weights - prior)
        hessian = (terms * (chance * (1 - chance))[:, None]).T @ terms + strength * np.eye(
            len(weights)
        )
        weights = weights + np.linalg.solve(hessian, gradient)
    return weights


def match(
    new: np.ndarray,
    old: np.ndarray,
    chapters: tuple[str, ...],
    games: int,
    generator: np.random.Generator,
) -> float:
    """The score of ``new`` against ``old``, each opening played from both sides."""
    score = 0.0
    players = AlphaBetaAgent(depth=2, weights=new), AlphaBetaAgent(depth=2, weights=old)
    for _ in range(games // 2):
        start = opening(chapters, 4, generator)
        for first in range(2):
            white = play(
                start.copy(), {"white": players[first], "black": players[1 - first]}, 0.0, generator
            )[1]
            score += white if first == 0 else 1 - white
    return score / (games // 2 * 2)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--games",
        type=int,
        default=500,
        help="games of each set of chapters and round (default: 500)",
    )
    parser.add_argument("--match", type=int, default=200, help="games of each match (default: 200)")
    arguments = parser.parse_args()
    generator = np.random.default_rng(arguments.seed)
    weights, last = FIRST_GUESS.astype(np.int64), None
    for number in range(arguments.rounds):
        samples = [sample(chapters, arguments.games, weights, generator) for chapters in SETS]
        both = [samples] if last is None else [last, samples]
        pooled = [
            tuple(np.concatenate([part[chapters][column] for part in both]) for column in range(2))
            for chapters in range(len(SETS))
        ]
        prior = logistic(
            *(np.concatenate([part[column] for part in pooled]) for column in range(2)),
            np.zeros(NUM_TERMS),
            1.0,
        )
        fitted = np.array([logistic(*part, prior, 200.0) for part in pooled])
        weights = np.rint(HUNDREDTHS * fitted).astype(np.int64)
        last = samples
        print(f"round {number + 1}: {sum(len(part[1]) for part in samples)} positions", flush=True)
        for term, row in zip(TERMS, weights.T.tolist(), strict=True):
            print(f"  {term.name}: weights={tuple(row)},", flush=True)
    for chapters in SETS:
        score = match(weights, FIRST_GUESS.astype(np.int64), chapters, arguments.match, generator)
        print(chapters, f"{score:.3f} against the weights before", flush=True)


if __name__ == "__main__":
    main()
