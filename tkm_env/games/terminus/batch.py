"""Many games of Terminus as arrays."""

from __future__ import annotations

from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import NDArray

from tkm_env.compiled.random_numbers import CHANCE
from tkm_env.core.compiled_batch import CompiledBatch
from tkm_env.core.settings import make_config
from tkm_env.games.terminus.config import TerminusConfig, TerminusSettings
from tkm_env.games.terminus.engine.kernels import ENTRY_POINTS, set_up_some
from tkm_env.games.terminus.game import TerminusGame


class TerminusBatch(CompiledBatch[TerminusGame]):
    """Games of Terminus side by side, with one deck; used like `tkm_env.Batch`.

    Args:
        num_games: the number of games, 1 to 16,777,216. Each takes about 990 bytes, and 838 more
            for an observation.
        config: the settings; keywords replace or override them.
        num_threads: the maximum number of cores, 1 to 256; limited to those available to this
            process.
        **settings: the keywords of `TerminusConfig`.

    Raises:
        ConfigError: naming the invalid argument.
        DeckError: naming the invalid card.
        FileError: if a file is not a deck file.

    >>> batch = TerminusBatch(1000)
    >>> batch.reset(seed=1)
    >>> observations = batch.new_observations()
    >>> for _ in range(50):
    ...     batch.step(batch.random_actions(), observations)
    >>> observations.shape
    (1000, 838)
    """

    game_class = TerminusGame
    kernels: ClassVar = ENTRY_POINTS

    def __init__(
        self,
        num_games: int,
        config: TerminusConfig | None = None,
        *,
        num_threads: int = 1,
        **settings: Unpack[TerminusSettings],
    ) -> None:
        super().__init__(num_games, make_config(TerminusConfig, config, settings), num_threads)

    def _first_starts(self) -> NDArray[np.void]:
        return np.repeat(self.config.blank(), self.num_games)

    @property
    def possible_starts(self) -> tuple[NDArray[np.void], NDArray[np.float64]]:
        return self.config.blank(), np.ones(1)

    def _draw_starts(self, mask: NDArray[np.bool_]) -> None:
        set_up_some(self._starts, mask.nonzero()[0], self._streams[CHANCE])
