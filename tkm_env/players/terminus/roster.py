"""The players of *Terminus* by name."""

from typing import TYPE_CHECKING, Final

from tkm_env.players.roster import Level, Roster, random_agent

if TYPE_CHECKING:
    from tkm_env.players.terminus.greedy import GreedyAgent
    from tkm_env.players.terminus.ismcts import ISMCTSAgent

__all__ = ["ROSTER"]


def _greedy() -> "type[GreedyAgent]":
    from tkm_env.players.terminus.greedy import GreedyAgent

    return GreedyAgent


def _ismcts() -> "type[ISMCTSAgent]":
    from tkm_env.players.terminus.ismcts import ISMCTSAgent

    return ISMCTSAgent


ROSTER: Final = Roster(
    agents={"random": random_agent, "greedy": _greedy, "ismcts": _ismcts},
    ladder=("random", "greedy", "ismcts"),
    levels=(
        Level("newcomer", "ismcts:iterations=15"),
        Level("beginner", "ismcts:iterations=32"),
        Level("casual", "ismcts:iterations=70"),
        Level("regular", "ismcts:iterations=160"),
        Level("skilled", "ismcts:iterations=400"),
        Level("expert", "ismcts:iterations=1200"),
        Level("strongest", "ismcts:seconds=3"),
    ),
)
