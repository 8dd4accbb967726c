"""The games there are, by name. Imports `errors`; a game when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from tkm_env.errors import ConfigError

if TYPE_CHECKING:
    from tkm_env.core.game import CompiledGame

__all__ = ["GAMES", "TERMINUS", "TKM", "checked_game", "game_class"]

TKM: Final = "tkm"
TERMINUS: Final = "terminus"

_HOME_OF: Final = {TKM: ("tkm_env.game", "Game"), TERMINUS: ("tkm_env.terminus.game", "TerminusGame")}

#: The names of the games; they stand in records and on command lines.
GAMES: Final = tuple(_HOME_OF)


def game_class(name: str) -> type[CompiledGame]:
    """The class of a game by that name, one of `GAMES`.

    >>> game_class("terminus").players
    ('red', 'blue')
    """
    module, what = _HOME_OF[name]
    found: type[CompiledGame] = getattr(import_module(module), what)
    return found


def checked_game(given: str) -> str:
    """``given`` if it is the name of a game.

    Raises:
        ConfigError: otherwise.
    """
    if given not in GAMES:
        raise ConfigError("game", given, f"it must be {' or '.join(map(repr, GAMES))}")
    return given
