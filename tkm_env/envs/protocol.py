"""What the adapters ask of a game. Imports nothing of this package."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

__all__ = ["GameProtocol"]


class GameProtocol(Protocol):
    """A game of several players who act one at a time, as a value that can be played on and copied."""

    @property
    def to_act(self) -> str:
        """The player whose decision is next, or was the last."""

    @property
    def result(self) -> str | None:
        """None while the game goes on."""

    @property
    def winner(self) -> str | None:
        """The player who won, if one did."""

    @property
    def is_cut_off(self) -> bool:
        """Whether the game ended for a reason outside its rules: a truncation."""

    def about(self) -> dict[str, Any]:
        """What was chosen or drawn for this game, and once it is over what is worth telling of it, for ``info``."""

    def play(self, action: int) -> None:
        """Carry out a legal action, or raise `tkm_env.errors.IllegalActionError` and stay as it was."""

    def action_mask(self) -> np.ndarray:
        """1 for each legal action of the player to act: int8; a new array."""

    def observation(self, player: str | None = None) -> Any:
        """What a player sees; a new object."""
