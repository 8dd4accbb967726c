"""RLlib's environments, for its new API stack and its module that masks actions. Needs Ray only where it is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import DtypeObservation, FlattenObservation

from tkm_env.adapters.masked_observation import MaskedObservation


class RLlibEnv(MaskedObservation):
    """One game against an opponent: ``PPOConfig().environment(RLlibEnv, env_config={"opponent": "greedy"})``.

    Observations are what RLlib's ``ActionMaskingTorchRLModule`` takes: dicts of ``"observations"`` (float32, flat) and ``"action_mask"``
    (float32, 1 for each legal action). Raises a `ConfigError` naming the invalid keyword.

    Args:
        config: the keywords of the Gymnasium environment, and ``"env_id"``, by default ``"tkm_env/TKM-v0"``.

    >>> env = RLlibEnv({"opponent": "greedy", "chapters": "growth"})
    >>> observation, info = env.reset(seed=1)
    >>> observation["observations"].shape, observation["action_mask"].shape
    ((1344,), (79,))
    """

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        settings = {"env_id": "tkm_env/TKM-v0", **(config or {})}
        env = gymnasium.make(settings.pop("env_id"), **settings)
        super().__init__(
            DtypeObservation(FlattenObservation(env), np.float32), "observations", "action_mask"
        )
