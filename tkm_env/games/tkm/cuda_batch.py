"""Many games as arrays on a GPU."""

from __future__ import annotations

from typing import ClassVar, Unpack

from tkm_env.core.cuda_batch import BaseCudaBatch, CudaKernels
from tkm_env.core.settings import make_config
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.config import DRAWS, GameConfig, GameSettings
from tkm_env.games.tkm.engine.cuda_kernels import observe, work
from tkm_env.games.tkm.game import Game


class CudaBatch(BaseCudaBatch[Game]):
    """Games side by side on a GPU: a `Batch` whose arrays are CuPy's and stay on the device.

    Experimental: it may change in any minor version.

    Seeds give the same games as on CPUs, bit for bit, and `from_batch` and `to_batch` move games
    between the two. Methods take arrays of any library that supports ``__cuda_array_interface__``,
    such as torch tensors, without copying them; ``torch.from_dlpack`` takes what they return, also
    without a copy. NumPy arrays are checked and copied to the device.

    Values on the device are not checked beforehand, since that would mean waiting for them: an
    index that is no action's loses the game like an illegal action. Calls return before their work
    is done; all of it runs on the default stream, in order.

    Args:
        num_games: the number of games, 1 to 16,777,216. Each takes about 410 bytes of the device's
            memory, and 1,344 more for an observation.
        config: the settings; keywords replace or override them.
        **settings: the keywords of `GameConfig`.

    Raises:
        MissingExtraError: without the extra ``[cuda]``.
        ConfigError: if there is no GPU, or naming the invalid keyword.

    For example, with a GPU::

        batch = CudaBatch(2**18, chapters="growth")
        batch.reset(seed=1)
        observations = batch.new_observations()
        for _ in range(200):
            batch.step(batch.random_actions(), observations)
        torch.from_dlpack(observations).float().mean()
    """

    game_class = Game
    host_class = Batch
    kernels: ClassVar = CudaKernels(work, observe)

    def __init__(
        self, num_games: int, config: GameConfig | None = None, **settings: Unpack[GameSettings]
    ) -> None:
        config = make_config(GameConfig, config, settings)
        super().__init__(
            num_games,
            config,
            config.starts()[0],
            config.thresholds(),
            DRAWS if config.begins_by_chance else 0,
        )
