"""The players that a game has by name: its agents, and the levels that people choose from."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from tkm_env.core.per_game import PerGame
from tkm_env.core.random_agent import RandomAgent


class Level(NamedTuple):
    """A level of play.

    Attributes:
        name: its name.
        player: the player, as `tkm_env.players.factory.make_agent` reads it.
    """

    name: str
    player: str


def random_agent() -> type[RandomAgent]:
    """The class of the agent that every game has."""
    return RandomAgent


@dataclass(frozen=True)
class Roster:
    """The players of a game.

    An entry point of the group ``tkm_env.rosters``, named after the game, names a roster.

    Attributes:
        agents: for each agent's name, a function that imports and returns its class.
        ladder: agents of all kinds, weakest first, as `tkm_env.players.factory.make_agent` reads
            them.
        levels: the levels that people choose from, weakest first.
    """

    agents: Mapping[str, Callable[[], type[Any]]] = field(
        default_factory=lambda: {"random": random_agent}
    )
    ladder: tuple[str, ...] = ("random",)
    levels: tuple[Level, ...] = (Level("beginner", "random"),)

    @property
    def offered(self) -> tuple[str, ...]:
        """The players that anyone may choose, even over a network: the ladder and the levels.

        Other lines may start programs, read files, or think without limit.
        """
        return tuple(dict.fromkeys((*self.ladder, *(level.player for level in self.levels))))


#: The players of each game; a game without a roster has a random player.
ROSTERS: Final = PerGame("tkm_env.rosters", Roster, Roster())
