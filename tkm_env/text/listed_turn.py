"""Players that always answer with the first or last number of a list: baselines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tkm_env.core.agent import TurnAgent
from tkm_env.core.game import BaseGame
from tkm_env.players.player_spec import PlayerKind, PlayerRequest
from tkm_env.text.prompt import listed_turns

#: The index of the turn to play, by the name of the player.
_INDICES: Final = {"first": 0, "last": -1}


class ListedTurnAgent(TurnAgent):
    """Plays the first or the last legal turn as prompts list them.

    A language model that always answers ``TURN: 1`` plays like ``turn:first``.

    Args:
        which: ``"first"`` or ``"last"``.
        seed: unused, since the lists follow from the positions.

    >>> from tkm_env import Game
    >>> from tkm_env.players import make_agent
    >>> make_agent("turn:first").act(Game())
    0
    """

    def __init__(self, which: str, *, seed: int | np.random.Generator | None = None) -> None:
        self._index = _INDICES[which]
        super().__init__(f"turn:{which}", seed)

    def _plan_turn(self, game: BaseGame) -> Sequence[int]:
        return listed_turns(game)[self._index].actions


class _ListedTurnKind(PlayerKind):
    """Players described by ``turn:first`` or ``turn:last``."""

    form = "|".join(_INDICES)

    def make(self, request: PlayerRequest) -> ListedTurnAgent:
        which = request.spec.subject
        if which not in _INDICES:
            raise request.refuse(f"it must be {' or '.join(f'turn:{name}' for name in _INDICES)}")
        agent: ListedTurnAgent = request.build(ListedTurnAgent, which)
        return agent


PLAYER_KIND: Final = _ListedTurnKind()
