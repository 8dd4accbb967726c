"""The players of *That Time You Killed Me* by name."""

from typing import TYPE_CHECKING, Final

from tkm_env.players.roster import Level, Roster, random_agent

if TYPE_CHECKING:
    from tkm_env.players.tkm.alphabeta import AlphaBetaAgent
    from tkm_env.players.tkm.fallible import FallibleAgent
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


def _fallible() -> "type[FallibleAgent]":
    from tkm_env.players.tkm.fallible import FallibleAgent

    return FallibleAgent


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
        "fallible": _fallible,
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
        Level("newcomer", "fallible:blunder=1,notices=0.025"),
        Level("beginner", "fallible:blunder=1,notices=0.065"),
        Level("novice", "fallible:blunder=1,notices=0.115"),
        Level("casual", "fallible:depth=2,blunder=0.88,notices=0.15"),
        Level("regular", "fallible:depth=2,blunder=0.64,notices=0.15"),
        Level("seasoned", "fallible:depth=2,blunder=0.41,notices=0.15"),
        Level("skilled", "fallible:depth=2,blunder=0.23,notices=0.15"),
        Level("advanced", "fallible:depth=2,blunder=0.07,notices=0.15"),
        Level("expert", "fallible:depth=3,blunder=0.15,notices=0.2"),
        Level("master", "fallible:depth=3"),
        Level("strongest", "alphabeta:seconds=3"),
    ),
)
