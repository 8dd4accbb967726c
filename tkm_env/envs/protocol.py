"""What the adapters ask of a game, and of many. Imports nothing of this package."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["NO_ACTION", "BatchProtocol", "GameProtocol"]

#: In place of an action in one game of a batch: leave it as it is.
NO_ACTION: Final = -1


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

    def play_and_observe(self, action: int) -> Any:
        """`play`, and then `observation`."""

    def action_mask(self) -> np.ndarray:
        """1 for each legal action of the player to act: int8; a new array."""

    def observation(self, player: str | None = None) -> Any:
        """What a player sees; a new object."""

    def svg(self, *, size: int | None = None) -> str:
        """The drawing, ``size`` pixels wide."""


class BatchProtocol(Protocol):
    """Many such games side by side, as arrays with one row a game, changed in place."""

    num_games: int
    num_actions: int
    #: The players' names, by which they are numbered.
    players: tuple[str, ...]
    #: 1 for each legal action of the player to act, all 0 in a game that is over: int8 of shape (n, actions).
    masks: NDArray[np.int8]
    #: Whether the last action was illegal: bool of shape (n,).
    illegal: NDArray[np.bool_]

    @property
    def to_act(self) -> NDArray[np.int64]:
        """The number of the player whose decision is next, or was the last: shape (n,)."""

    @property
    def over(self) -> NDArray[np.bool_]:
        """Which games are over: shape (n,)."""

    def cut_off_of(self, chosen: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Which of some games, by their numbers, ended for a reason outside the rules: shape (k,)."""

    def rewards_of(self, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """What each player earned in some games, by their numbers: shape (k, players)."""

    def results_of(self, chosen: NDArray[np.int64]) -> NDArray[Any]:
        """How some games, by their numbers, ended: object of shape (k,)."""

    def game(self, number: int) -> GameProtocol:
        """One game as a value of its own."""

    def reset(self, seed: int | Sequence[int] | None = None, which: NDArray[np.bool_] | None = None) -> None:
        """Begin all games anew, or some."""

    def begin(self, which: NDArray[np.bool_]) -> None:
        """Begin some games anew, with the randomness there is."""

    def draw(self, which: NDArray[np.bool_], below: int) -> NDArray[np.int64]:
        """A random number for each of some games."""

    def checked_actions(self, actions: Any, anew: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """An action for each game as a new array, or what begins it anew, whatever is given there; or `tkm_env.errors.ArrayError`."""

    def play(self, actions: NDArray[np.int64]) -> None:
        """Play what `checked_actions` answered, or nothing where it is `NO_ACTION`; an illegal action loses for who made it."""

    def play_at_random(self, players: NDArray[np.int64]) -> None:
        """Play random legal actions in each game until it is over or ``players[i]`` is to act."""

    def new_observations(self) -> NDArray[Any]:
        """Room for an observation of each game."""

    def observe(self, observations: NDArray[Any], viewers: NDArray[np.int64] | None = None) -> None:
        """Write what each game's viewer, by default the player to act, sees."""

    def observations_of(self, chosen: NDArray[np.int64], viewers: NDArray[np.int64]) -> NDArray[Any]:
        """What the viewers of some games see: a new array."""
