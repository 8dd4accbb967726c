"""Players that are given to environments as a line of text."""

from importlib import import_module

from tkm_env.core.agent import Agent


def named_player(line: str, keyword: str = "agent", game: str | None = None) -> Agent:
    """The player that a line describes.

    Environments stand below players and import them only here, when they are given one by name.

    Args:
        line: as `tkm_env.players.specs.make_agent` reads it, whose errors this raises.
        keyword: the argument's name in error messages.
        game: the game it will play; None for the first.
    """
    player: Agent = import_module("tkm_env.players.specs").make_agent(line, keyword, game)
    return player
