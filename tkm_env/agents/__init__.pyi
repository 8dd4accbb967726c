from tkm_env.agents.function import FunctionAgent as FunctionAgent
from tkm_env.agents.model_file import card_of as card_of
from tkm_env.agents.policy import PolicyAgent as PolicyAgent
from tkm_env.agents.policy import write_policy as write_policy
from tkm_env.agents.protocol import Agent as Agent
from tkm_env.agents.random import RandomAgent as RandomAgent
from tkm_env.agents.specs import ladder as ladder
from tkm_env.agents.specs import make_agent as make_agent
from tkm_env.games.tkm.agents.alphabeta import AlphaBetaAgent as AlphaBetaAgent
from tkm_env.games.tkm.agents.greedy import GreedyAgent as GreedyAgent
from tkm_env.games.tkm.agents.greedy import NetAgent as NetAgent
from tkm_env.games.tkm.agents.gumbel import GumbelAgent as GumbelAgent
from tkm_env.games.tkm.agents.mcts import MCTSAgent as MCTSAgent

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
