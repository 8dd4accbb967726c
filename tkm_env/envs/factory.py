"""The choice of a vector environment by device."""

from __future__ import annotations

from typing import Any

from tkm_env.checks import checked_choice
from tkm_env.envs.vector import GameVectorEnv


def make_vector_env(game: str, num_envs: int = 1, *, device: str = "cpu", **keywords: Any) -> Any:
    """What ``gymnasium.make_vec`` makes: on ``"cpu"`` a `tkm_env.envs.vector.GameVectorEnv`, on ``"cuda"`` a
    `tkm_env.envs.cuda_vector.CudaVectorEnv`, which take the other arguments.
    """
    if checked_choice("device", device, ("cpu", "cuda")) == "cpu":
        return GameVectorEnv(game, num_envs, **keywords)
    from tkm_env.envs.cuda_vector import CudaVectorEnv

    return CudaVectorEnv(game, num_envs, **keywords)
