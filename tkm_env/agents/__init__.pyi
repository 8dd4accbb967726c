import tkm_env.games.tkm.agents.alphabeta
import tkm_env.games.tkm.agents.greedy
import tkm_env.games.tkm.agents.gumbel
import tkm_env.games.tkm.agents.mcts

from .base import Agent as Agent
from .function import FunctionAgent as FunctionAgent
from .model_file import card_of as card_of
from .policy import PolicyAgent as PolicyAgent
from .policy import write_policy as write_policy
from .random import RandomAgent as RandomAgent
from .specs import ladder as ladder
from .specs import make_agent as make_agent

AlphaBetaAgent = tkm_env.games.tkm.agents.alphabeta.AlphaBetaAgent
GreedyAgent = tkm_env.games.tkm.agents.greedy.GreedyAgent
GumbelAgent = tkm_env.games.tkm.agents.gumbel.GumbelAgent
MCTSAgent = tkm_env.games.tkm.agents.mcts.MCTSAgent
NetAgent = tkm_env.games.tkm.agents.greedy.NetAgent
