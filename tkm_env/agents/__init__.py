"""Players, from random to strong: `random`, `greedy`, `net`, `mcts`, `gumbel`, `alphabeta`. Each is imported on first use.

All follow the `Agent` protocol: ``act(game)`` returns an action, ``reset(seed)`` starts over, ``name`` identifies them. `ladder` returns
some of each; each beats the previous one in at least three games out of four. More depth, iterations or time makes them stronger.
The stub beside this file says where each name is defined.

>>> from tkm_env import Game
>>> from tkm_env.agents import GreedyAgent
>>> GreedyAgent(seed=1).act(Game())
0
"""

from __future__ import annotations

from typing import Any

import lazy_loader

from tkm_env.game.registry import default_game, game_spec, load

#: Agents of the first game, whose rows name their classes; games stand above this room.
_OF_GAME = ["AlphaBetaAgent", "GreedyAgent", "GumbelAgent", "MCTSAgent", "NetAgent"]

_getattr, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += _OF_GAME


def __getattr__(name: str) -> Any:
    if name not in _OF_GAME:
        return _getattr(name)
    return load(next(agent for agent in game_spec(default_game()).agents.values() if agent.endswith(f":{name}")))


def __dir__() -> list[str]:
    return __all__
