"""Players that are given to environments as a line of text."""

from importlib import import_module

from tkm_env.core.agent import Agent


def named_player(line: str, keyword: str = "agent", game: str | None = None) -> Agent:
    """The player that a line of text describes.

    Environments stand below players, and import them only here, once a player is given by name.

    Args:
        line: a line as `tkm_env.players.factory.make_agent` reads it.
        keyword: the argument's name in error messages.
        game: the name of the game that it will play; None for the first in the registry.

    Returns:
        The player.

    Raises:
        ConfigError: if the line describes no player.
        FileError: if it names a file that cannot be read.
    """
    player: Agent = import_module("tkm_env.players.factory").make_agent(line, keyword, game)
    return player
