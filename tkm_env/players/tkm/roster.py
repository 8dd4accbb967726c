"""The players of *That Time You Killed Me* by name."""

from typing import TYPE_CHECKING, Final

from tkm_env.players.roster import Level, Roster, random_agent

if TYPE_CHECKING:
    from tkm_env.players.tkm.alphabeta import AlphaBetaAgent
    from tkm_env.players.tkm.greedy import GreedyAgent, NetAgent
    from tkm_env.players.tkm.gumbel import GumbelAgent
    from tkm_env.players.tkm.mcts import MCTSAgent

__all__ = ["ROSTER"]


def _greedy() -> "type[GreedyAgent]":
    from tkm_env.players.tkm.greedy import GreedyAgent

    return GreedyAgent


def _net() -> "type[NetAgent]":
    from tkm_env.players.tkm.greedy import NetAgent

    return NetAgent


def _alphabeta() -> "type[AlphaBetaAgent]":
    from tkm_env.players.tkm.alphabeta import AlphaBetaAgent

    return AlphaBetaAgent


def _mcts() -> "type[MCTSAgent]":
    from tkm_env.players.tkm.mcts import MCTSAgent

    return MCTSAgent


def _gumbel() -> "type[GumbelAgent]":
    from tkm_env.players.tkm.gumbel import GumbelAgent

    return GumbelAgent


ROSTER: Final = Roster(
    agents={
        "random": random_agent,
        "greedy": _greedy,
        "net": _net,
        "alphabeta": _alphabeta,
        "mcts": _mcts,
        "gumbel": _gumbel,
    },
    ladder=(
        "random",
        "greedy",
        "mcts:iterations=200",
        "alphabeta:depth=4,net=None",
        "gumbel:iterations=400",
    ),
    levels=(
        Level("beginner", "random"),
        Level("casual", "greedy"),
        Level("intermediate", "mcts:iterations=200"),
        Level("advanced", "alphabeta:depth=4,net=None"),
        Level("expert", "alphabeta:depth=4"),
        Level("master", "gumbel:iterations=400"),
        Level("strongest", "alphabeta:seconds=3"),
    ),
)
