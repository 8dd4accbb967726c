"""OpenSpiel's tree search against one of this package's players.

It plays 20 games of Terminus against ``greedy``, or whatever you name:

    python examples/libraries/open_spiel_mcts.py
    python examples/libraries/open_spiel_mcts.py --game "tkm_env/tkm-v0(max_turns=60)" --games 4
    python examples/libraries/open_spiel_mcts.py --game tkm_env/tkm-v0 --opponent random
"""

from __future__ import annotations

import argparse

import numpy as np
import pyspiel
from open_spiel.python.algorithms.evaluate_bots import evaluate_bots
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

from tkm_env.adapters.open_spiel import AgentBot


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--game", default="tkm_env/terminus-v0", help="a game, as pyspiel.load_game takes it"
    )
    parser.add_argument("--opponent", default="greedy", help="an agent (default: greedy)")
    parser.add_argument(
        "--games",
        type=int,
        default=20,
        help="number of games; sides change after each (default: 20)",
    )
    parser.add_argument(
        "--simulations",
        type=int,
        default=50,
        help="simulations of the search per action (default: 50)",
    )
    parser.add_argument(
        "--seed", type=int, default=1, help="seed of chance and of both players (default: 1)"
    )
    arguments = parser.parse_args()

    game = pyspiel.load_game(arguments.game)
    generator = np.random.RandomState(arguments.seed)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=generator)
    theirs = MCTSBot(game, 2.0, arguments.simulations, evaluator, random_state=generator)
    ours = AgentBot(game, arguments.opponent, seed=arguments.seed)

    points = 0.0
    for number in range(arguments.games):
        bots = [theirs, ours] if number % 2 == 0 else [ours, theirs]
        returns = evaluate_bots(game.new_initial_state(), bots, generator)
        points += (1 + returns[bots.index(theirs)]) / 2
    print(
        f"MCTS against {arguments.opponent}: {points:g} of {arguments.games}, "
        f"{points / arguments.games:.0%}"
    )


if __name__ == "__main__":
    main()
