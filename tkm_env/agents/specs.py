"""Players by name. Imports the players and `errors`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tkm_env.agents.random import RandomAgent
from tkm_env.errors import ConfigError

__all__ = ["PLAYERS_BY_NAME", "agent_of"]

#: The players that can be had by name.
PLAYERS_BY_NAME: Final[dict[str, Callable[[], Any]]] = {"random": RandomAgent}


def agent_of(spec: str, keyword: str = "agent") -> Any:
    """The player of that name.

    Raises:
        ConfigError: naming the players there are.

    >>> agent_of("random").name
    'random'
    """
    if spec not in PLAYERS_BY_NAME:
        raise ConfigError(keyword, spec, f"there is no such player; there are {', '.join(map(repr, PLAYERS_BY_NAME))}")
    return PLAYERS_BY_NAME[spec]()
