import tkm_env.core.agent
import tkm_env.core.function_agent
import tkm_env.core.random_agent

from .factory import ladder as ladder
from .factory import make_agent as make_agent
from .model_file import card_of as card_of
from .policy import PolicyAgent as PolicyAgent
from .policy import write_policy as write_policy
from .solved_positions import SolvedPosition as SolvedPosition
from .solved_positions import read_solved_positions as read_solved_positions
from .tkm.alphabeta import AlphaBetaAgent as AlphaBetaAgent
from .tkm.endgame_positions import draw_endgames as draw_endgames
from .tkm.endgame_positions import endgame_split as endgame_split
from .tkm.greedy import GreedyAgent as GreedyAgent
from .tkm.greedy import NetAgent as NetAgent
from .tkm.gumbel import GumbelAgent as GumbelAgent
from .tkm.mcts import MCTSAgent as MCTSAgent

Agent = tkm_env.core.agent.Agent
FunctionAgent = tkm_env.core.function_agent.FunctionAgent
RandomAgent = tkm_env.core.random_agent.RandomAgent
