"""Players, from random to strong: `random`, `greedy`, `mcts`, `alphabeta`. Each is imported on first use.

All follow the `Agent` protocol: ``act(game)`` returns an action, ``reset(seed)`` starts over, ``name`` identifies them. `ladder` returns
one of each; each beats the previous one in at least three games out of four. More depth, iterations or time makes them stronger.

>>> from tkm_env import Game
>>> from tkm_env.agents import GreedyAgent
>>> GreedyAgent(seed=1).act(Game())
0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from tkm_env.agents.function import FunctionAgent
    from tkm_env.agents.protocol import Agent
    from tkm_env.agents.random import RandomAgent
    from tkm_env.agents.specs import ladder, make_agent
    from tkm_env.agents.specs import make_agent as agent_of
    from tkm_env.games.tkm.agents.alphabeta import AlphaBetaAgent
    from tkm_env.games.tkm.agents.greedy import GreedyAgent
    from tkm_env.games.tkm.agents.mcts import MCTSAgent

__all__ = [
    "Agent",
    "AlphaBetaAgent",
    "FunctionAgent",
    "GreedyAgent",
    "MCTSAgent",
    "RandomAgent",
    "agent_of",
    "ladder",
    "make_agent",
]

_HOME_OF: Final = {
    "Agent": "tkm_env.agents.protocol",
    "AlphaBetaAgent": "tkm_env.games.tkm.agents.alphabeta",
    "FunctionAgent": "tkm_env.agents.function",
    "GreedyAgent": "tkm_env.games.tkm.agents.greedy",
    "MCTSAgent": "tkm_env.games.tkm.agents.mcts",
    "RandomAgent": "tkm_env.agents.random",
    "agent_of": "tkm_env.agents.specs",  # the former name of make_agent
    "ladder": "tkm_env.agents.specs",
    "make_agent": "tkm_env.agents.specs",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME_OF[name]), name)
