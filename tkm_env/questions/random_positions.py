"""Positions of random games, from which questions are drawn."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.random_numbers import CHANCE, OPENING, streams_of
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec

#: The largest number of a turn from which questions are drawn, unless a game names its own.
LATEST_TURN: Final = 60


class RandomPositions:
    """Positions of games that both sides play at random.

    Args:
        spec: the game.
        config: its settings.
        seed: the seed of all that is drawn, an integer from 0.
        turns: the smallest and the largest number of turns that are played.

    Attributes:
        generator: draws whatever else a question leaves to chance.
    """

    def __init__(
        self, spec: GameSpec, config: Any, seed: int, turns: tuple[int, int] = (0, LATEST_TURN)
    ) -> None:
        self.spec, self.config = spec, config
        self.generator = np.random.default_rng(seed)
        most = min(turns[1], config.max_turns - 1)
        self._turns = min(turns[0], most), most

    def turn(self) -> BaseGame | None:
        """The next position at the beginning of a turn; None if its game has ended before."""
        low, high = self._turns
        turns = int(self.generator.integers(low, high + 1))
        streams = streams_of(self.generator)
        game = self.spec.game_class.from_chance(self.config, streams[CHANCE])
        game.play_at_random(streams[OPENING], turns=turns)
        return game.restart() if game.result is None else None

    def decision(self, beyond: int) -> BaseGame | None:
        """The next position in a turn, after up to ``beyond`` - 1 of its actions.

        It is None if the game has ended before.
        """
        game = self.turn()
        if game is None:
            return None
        self.play(game, int(self.generator.integers(beyond)))
        return game.restart() if game.result is None else None

    def play(self, game: BaseGame, actions: int) -> None:
        """Play random actions, as long as the game is not over.

        Args:
            game: the game to play.
            actions: how many.
        """
        for _ in range(actions):
            legal = game.legal_actions()
            if not legal:
                return
            game.play(legal[int(self.generator.integers(len(legal)))])
