"""Positions of random games, from which questions are drawn."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from tkm_env.compiled.random_numbers import CHANCE, OPENING, streams_of
from tkm_env.core.game import BaseGame
from tkm_env.core.registry import GameSpec

#: The largest number of a turn from which questions are drawn, unless a game names its own.
LATEST_TURN: Final = 60
#: Positions from the same game are up to this number of turns apart.
_APART: Final = 6


class RandomPositions:
    """Positions of games that both sides play at random.

    Args:
        spec: the game.
        config: its settings.
        seed: the seed of all that is drawn, an integer from 0.
        turns: the smallest number of turns before a position, and the turn with which a game is
            left for the next one.

    Attributes:
        generator: draws whatever else a question leaves to chance.
    """

    def __init__(
        self, spec: GameSpec, config: Any, seed: int, turns: tuple[int, int] = (0, LATEST_TURN)
    ) -> None:
        self.spec, self.config = spec, config
        self.generator = np.random.default_rng(seed)
        self._streams = streams_of(self.generator)
        self._earliest, self._latest = turns
        self._game: BaseGame | None = None

    def turn(self) -> BaseGame | None:
        """The next position at the beginning of a turn; None if the next game has ended before.

        Positions come from one game after another, some turns apart.
        """
        if self._game is None or self._game.result is not None or self._game.turn > self._latest:
            self._game = self.spec.game_class.from_chance(self.config, self._streams[CHANCE])
            self._go_on(self._earliest)
        self._go_on(1 + int(self.generator.integers(_APART)))
        return self._game.restart() if self._game.result is None else None

    def _go_on(self, turns: int) -> None:
        """Play random turns."""
        assert self._game is not None
        self._game.play_at_random(self._streams[OPENING], turns=turns)

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
