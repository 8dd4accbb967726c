"""The games that people can play, by name. Imports each game's `GameKind`, and `games`."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.games import TERMINUS, TKM
from tkm_env.play.killed_me import KILLED_ME
from tkm_env.play.kind import GameKind
from tkm_env.play.terminus import TERMINUS_KIND

__all__ = ["KINDS"]

#: The kinds of the games of `tkm_env.games.GAMES`.
KINDS: Final[dict[str, GameKind[Any]]] = {TKM: KILLED_ME, TERMINUS: TERMINUS_KIND}
