"""The random player."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import draw_from, new_stream
from tkm_env.core.agent import game_over_error

if TYPE_CHECKING:
    from tkm_env.core.game import BaseGame


class RandomAgent:
    """Plays a random legal action: the baseline that every other agent must beat.

    All legal actions are equally likely, in any game that has ``action_mask()``.

    Args:
        seed: where its random numbers come from; None draws a seed from the system.

    >>> from tkm_env import Game
    >>> RandomAgent(seed=1).act(Game())
    0
    """

    draws_from_streams: ClassVar = True

    def __init__(self, *, seed: int | np.random.Generator | None = None) -> None:
        self.name = "random"
        self.reset(seed)

    def reset(self, seed: int | np.random.Generator | None = None) -> None:
        """Start a new stream of random numbers from ``seed``."""
        self._stream = new_stream(seed)

    def act(self, game: Any) -> int:
        """The index of a random legal action.

        Raises:
            IllegalActionError: if the game is over.
        """
        legal = game.action_mask().nonzero()[0]
        if not len(legal):
            raise game_over_error()
        return int(legal[draw_from(self._stream, len(legal))])

    def plan_turn(self, game: BaseGame) -> list[int]:
        """The random legal actions that `act` would choose until the turn ends.

        Raises:
            IllegalActionError: if the game is over.
        """
        if game.result is not None:
            raise game_over_error()
        opponent = game.players[game.to_act == game.players[0]]
        return game.copy().play_at_random(self._stream, opponent, turns=1)

    def probabilities(self, game: Any) -> dict[int, float]:
        """The probability of each legal action, by index."""
        legal: list[int] = game.action_mask().nonzero()[0].tolist()
        return dict.fromkeys(legal, 1 / max(1, len(legal)))

    def answer_one(self, game: BaseGame, player: str) -> None:
        """Play until the game is over or ``player`` is to act.

        Args:
            game: the game to play on.
            player: the name of the player to stop for.
        """
        game.play_at_random(self._stream, player)

    def answer_all(self, batch: Any, players: NDArray[np.int64]) -> None:
        """Play each game until it is over or a given player is to act.

        Args:
            batch: the games, a `tkm_env.core.batch.BaseBatch`, whose own streams the actions are
                drawn from.
            players: the index of the player to stop for in each game: int64 of shape (games,).
        """
        batch.play_at_random(players)
