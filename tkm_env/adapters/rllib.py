"""Environments for RLlib's new API stack and its module that masks actions.

Ray is needed only where they are used.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
from gymnasium.wrappers import DtypeObservation, FlattenObservation

from tkm_env.adapters.masked_observation import MaskedObservation


class RLlibEnv(MaskedObservation):
    """One game against an opponent, with the observations that RLlib masks actions by.

    Experimental: it may change in any minor version.

    ``PPOConfig().environment(RLlibEnv, env_config={"opponent": "greedy"})`` uses it. Observations
    are what RLlib's ``ActionMaskingTorchRLModule`` takes: dicts of "observations" (float32, flat)
    and "action_mask" (float32, 1 for each legal action).

    Args:
        config: the keywords of the Gymnasium environment, and "env_id", by default
            ``"tkm_env/TKM-v0"``.

    Raises:
        ConfigError: naming the invalid keyword.

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
