"""The action mask as part of the observation, for libraries that look for it there."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from tkm_env.foundations.errors import ConfigError


class MaskedObservation(gymnasium.Wrapper[Any, int, Any, int], RecordConstructorArgs):
    """Observations as dicts with the mask, under the keys that a library looks for.

    Tianshou looks for "obs" and "mask"; `tkm_env.adapters.rllib.RLlibEnv` has RLlib's keys.
    ``info`` holds no strings, since such libraries keep it in arrays of numbers; how a game ended
    is in ``env.unwrapped.game.result``.

    Args:
        env: an environment of one game, or wrappers around one.
        observation: the key of what ``env`` observes.
        mask: the key of the mask, of shape (actions,) and the observation's dtype: 1 for each legal
            action.

    Raises:
        ConfigError: if both keys are the same, or ``env`` does not observe arrays and take indices
            as actions.

    >>> import tkm_env
    >>> env = MaskedObservation(gymnasium.make("tkm_env/TKM-v0"), "obs", "mask")
    >>> observation, info = env.reset(seed=1)
    >>> observation["obs"].shape, observation["mask"].nonzero()[0].tolist()
    ((84, 4, 4), [15])
    """

    def __init__(
        self,
        env: gymnasium.Env[Any, int],
        observation: str = "observation",
        mask: str = "action_mask",
    ) -> None:
        seen, actions = env.observation_space, env.action_space
        if not isinstance(seen, spaces.Box) or not isinstance(actions, spaces.Discrete):
            raise ConfigError(
                "env", env, "its observations must be arrays, and its actions indices"
            )
        if observation == mask:
            raise ConfigError("mask", mask, "it must differ from the observation's key")
        RecordConstructorArgs.__init__(self, observation=observation, mask=mask)
        super().__init__(env)
        self._observation, self._mask, self._dtype = observation, mask, seen.dtype
        self.observation_space = spaces.Dict(
            {observation: seen, mask: spaces.Box(0, 1, (int(actions.n),), seen.dtype.type)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Reset the environment.

        Args:
            seed: as the environment takes it.
            options: as the environment takes them.

        Returns:
            The observation with the mask, and the ``info`` without it.
        """
        seen, info = self.env.reset(seed=seed, options=options)
        return self._merge_mask(seen, info)

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], Any, bool, bool, dict[str, Any]]:
        """Step the environment; the observation includes the mask."""
        seen, reward, terminated, truncated, info = self.env.step(action)
        observation, details = self._merge_mask(seen, info)
        return observation, reward, terminated, truncated, details

    def _merge_mask(
        self, seen: NDArray[Any], info: dict[str, Any]
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        observation = {
            self._observation: seen,
            self._mask: np.asarray(info["action_mask"], self._dtype),
        }
        return observation, {
            key: value
            for key, value in info.items()
            if key != "action_mask" and not isinstance(value, str)
        }
