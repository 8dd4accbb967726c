"""Players, from random to strong, each imported on first use.

The players `random`, `greedy`, `net`, `mcts`, `gumbel` and `alphabeta` follow the `Agent` protocol:
``act(game)`` returns an action, ``reset(seed)`` starts over, and ``name`` identifies the player.
`ladder` returns some of each kind, weakest first; each beats the previous one in at least three
games out of four. More depth, iterations or time makes them stronger. The stub beside this file
says where each name is defined.

>>> from tkm_env import Game
>>> from tkm_env.players import GreedyAgent
>>> GreedyAgent(seed=1).act(Game())
0
"""

from __future__ import annotations

import lazy_loader

from tkm_env.core.agent import Agent
from tkm_env.core.function_agent import FunctionAgent
from tkm_env.core.random_agent import RandomAgent

__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["Agent", "FunctionAgent", "RandomAgent"]


def __dir__() -> list[str]:
    return __all__
