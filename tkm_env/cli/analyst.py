"""Who analyses positions, and how long, as commands take it."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.agents.specs import make_agent, options_of
from tkm_env.errors import ConfigError
from tkm_env.game.registry import GameSpec

ANALYST: Final = "alphabeta"


def limits_of(keyword: str, agent: str, spec: GameSpec) -> dict[str, Any]:
    """The limits in a line such as ``alphabeta:depth=4``, as keywords of the game's analysis.

    Args:
        keyword: the option's name in error messages.
        agent: the line.
        spec: which game.

    Raises:
        ConfigError: if the game has no analysis, or the line is not that of an analyst.
    """
    if spec.analyse is None:
        raise ConfigError("game", spec.name, "analysis is not available for this game")
    name, limits = options_of(agent)
    if name != ANALYST or not set(limits) <= {"depth", "seconds"}:
        raise ConfigError(keyword, agent, f"it must be {ANALYST}, with the options depth and seconds")
    make_agent(agent, keyword, spec.name)  # it refuses what the search could not do
    return limits
