"""Many games as arrays: a forward model for thousands of games at once."""

from __future__ import annotations

from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import CHANCE
from tkm_env.core.compiled_batch import CompiledBatch
from tkm_env.core.settings import make_config
from tkm_env.games.tkm.config import DRAWS, GameConfig, GameSettings
from tkm_env.games.tkm.engine.kernels import ENTRY_POINTS
from tkm_env.games.tkm.game import Game


class Batch(CompiledBatch[Game]):
    """Games side by side under the same settings.

    All arrays have one row per game and are changed in place by each call. The calls allocate
    nothing of that size, and run in compiled code on ``num_threads`` cores; results do not depend
    on the number of threads.

    An array, an index or seeds of the wrong shape, dtype or content raise an `ArrayError`, any
    other invalid argument a `ConfigError`; each names the argument, and nothing has changed then. A
    second Python thread gets a `ConcurrentUseError`.

    Args:
        num_games: the number of games, 1 to 16,777,216. Each takes about 400 bytes, and 1,344 more
            for an observation.
        config: the settings; keywords replace or override them.
        num_threads: the maximum number of cores, 1 to 256; limited to those available to this
            process.
        **settings: the keywords of `GameConfig`.

    >>> batch = Batch(1000, chapters="growth")
    >>> batch.reset(seed=1)
    >>> observations = batch.new_observations()
    >>> for _ in range(200):
    ...     batch.step(batch.random_actions(), observations)
    >>> observations.shape
    (1000, 84, 4, 4)
    """

    game_class = Game
    kernels: ClassVar = ENTRY_POINTS

    def __init__(
        self,
        num_games: int,
        config: GameConfig | None = None,
        *,
        num_threads: int = 1,
        **settings: Unpack[GameSettings],
    ) -> None:
        config = make_config(GameConfig, config, settings)
        self._possible_starts, self._thresholds = config.starts()[0], config.thresholds()
        super().__init__(num_games, config, num_threads)

    def _first_starts(self) -> NDArray[np.void]:
        return np.repeat(self._possible_starts[:1], self.num_games)

    @property
    def possible_starts(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        return self.config.starts()

    def _draw_starts(self, mask: NDArray[np.bool_]) -> None:
        """Draw the next starting positions of the selected games."""
        if len(self._possible_starts) > 1 and mask.any():
            drawn = self._draw(mask.nonzero()[0], DRAWS, CHANCE)
            self._starts[mask] = self._possible_starts[
                self._thresholds.searchsorted(drawn, side="right")
            ]
