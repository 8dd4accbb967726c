"""Players, from random to strong: `random`, `greedy`, `net`, `mcts`, `gumbel`, `alphabeta`. Each is imported on first use.

All follow the `Agent` protocol: ``act(game)`` returns an action, ``reset(seed)`` starts over, ``name`` identifies them. `ladder` returns
some of each; each beats the previous one in at least three games out of four. More depth, iterations or time makes them stronger.
The stub beside this file names the classes for type checkers.

>>> from tkm_env import Game
>>> from tkm_env.agents import GreedyAgent
>>> GreedyAgent(seed=1).act(Game())
0
"""

from __future__ import annotations

from typing import Any, Final

from tkm_env.game.registry import default_game, game_spec, load

__all__ = [
    "Agent",
    "AlphaBetaAgent",
    "FunctionAgent",
    "GreedyAgent",
    "GumbelAgent",
    "MCTSAgent",
    "NetAgent",
    "PolicyAgent",
    "RandomAgent",
    "card_of",
    "ladder",
    "make_agent",
    "write_policy",
]

_HOME_OF: Final = {
    "Agent": "tkm_env.agents.protocol:Agent",
    "FunctionAgent": "tkm_env.agents.function:FunctionAgent",
    "PolicyAgent": "tkm_env.agents.policy:PolicyAgent",
    "RandomAgent": "tkm_env.agents.random:RandomAgent",
    "card_of": "tkm_env.agents.model_file:card_of",
    "ladder": "tkm_env.agents.specs:ladder",
    "make_agent": "tkm_env.agents.specs:make_agent",
    "write_policy": "tkm_env.agents.policy:write_policy",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for; the agents' classes come from the first game's row in the registry."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    agents = {reference.partition(":")[2]: reference for reference in game_spec(default_game()).agents.values()}
    return load((agents | _HOME_OF)[name])
