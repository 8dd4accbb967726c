import tkm_env.core.agent
import tkm_env.core.function_agent
import tkm_env.core.random_agent
import tkm_env.players.tkm.alphabeta
import tkm_env.players.tkm.greedy
import tkm_env.players.tkm.gumbel
import tkm_env.players.tkm.mcts

from .model_file import card_of as card_of
from .policy import PolicyAgent as PolicyAgent
from .policy import write_policy as write_policy
from .specs import ladder as ladder
from .specs import make_agent as make_agent

Agent = tkm_env.core.agent.Agent
AlphaBetaAgent = tkm_env.players.tkm.alphabeta.AlphaBetaAgent
FunctionAgent = tkm_env.core.function_agent.FunctionAgent
GreedyAgent = tkm_env.players.tkm.greedy.GreedyAgent
GumbelAgent = tkm_env.players.tkm.gumbel.GumbelAgent
MCTSAgent = tkm_env.players.tkm.mcts.MCTSAgent
NetAgent = tkm_env.players.tkm.greedy.NetAgent
RandomAgent = tkm_env.core.random_agent.RandomAgent
