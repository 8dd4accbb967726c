"""Players, from random to strong: `random`, `greedy`, `mcts`, `alphabeta`. Imports nothing before a player is asked for.

All keep to `Agent`: ``act(game)`` answers with an action, ``reset(seed)`` begins anew, ``name`` tells them apart. `ladder` gives one of
each, every one of which beats the one before in three games of four and more; with more depth, iterations or time they play better.
"""

from __future__ import annotations

from tkm_env.agents.alphabeta import AlphaBetaAgent
from tkm_env.agents.greedy import GreedyAgent
from tkm_env.agents.mcts import MCTSAgent
from tkm_env.agents.protocol import Agent
from tkm_env.agents.random import RandomAgent

__all__ = ["Agent", "AlphaBetaAgent", "GreedyAgent", "MCTSAgent", "RandomAgent", "ladder"]


def ladder() -> list[Agent]:
    """The players from weakest to strongest, at settings that take no more than some milliseconds an action.

    >>> [player.name for player in ladder()]
    ['random', 'greedy', 'alphabeta depth=2', 'mcts iterations=1000']
    """
    return [RandomAgent(), GreedyAgent(), AlphaBetaAgent(depth=2), MCTSAgent(iterations=1000)]
