"""Players, from random to strong: `random`, `greedy`, `net`, `mcts`, `gumbel`, `alphabeta`. Each is imported on first use.

All follow the `Agent` protocol: ``act(game)`` returns an action, ``reset(seed)`` starts over, ``name`` identifies them. `ladder` returns
some of each; each beats the previous one in at least three games out of four. More depth, iterations or time makes them stronger.
The stub beside this file says where each name is defined.

>>> from tkm_env import Game
>>> from tkm_env.players import GreedyAgent
>>> GreedyAgent(seed=1).act(Game())
0
"""

from __future__ import annotations

from typing import Any

import lazy_loader

from tkm_env.core.registry import load

#: What is defined elsewhere: what the environment itself needs, and the agents of the first game.
_ELSEWHERE = {
    "Agent": "tkm_env.core.agent:Agent",
    "FunctionAgent": "tkm_env.core.function_agent:FunctionAgent",
    "RandomAgent": "tkm_env.core.random_agent:RandomAgent",
    "AlphaBetaAgent": "tkm_env.players.tkm.alphabeta:AlphaBetaAgent",
    "GreedyAgent": "tkm_env.players.tkm.greedy:GreedyAgent",
    "GumbelAgent": "tkm_env.players.tkm.gumbel:GumbelAgent",
    "MCTSAgent": "tkm_env.players.tkm.mcts:MCTSAgent",
    "NetAgent": "tkm_env.players.tkm.greedy:NetAgent",
}

_getattr, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += _ELSEWHERE


def __getattr__(name: str) -> Any:
    return load(_ELSEWHERE[name]) if name in _ELSEWHERE else _getattr(name)


def __dir__() -> list[str]:
    return __all__
