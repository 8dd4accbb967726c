"""The action mask as a part of the observation, for libraries that look for it there."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from tkm_env.foundations.errors import ConfigError


class MaskedObservation(gymnasium.Wrapper[Any, int, Any, int], RecordConstructorArgs):
    """Observations as dicts that hold the mask too, under the names that a library looks for.

    Tianshou's are ``"obs"`` and ``"mask"``, RLlib's are those of `tkm_env.adapters.rllib.RLlibEnv`. ``info`` holds no texts, since such
    libraries keep it in arrays of numbers; how a game ended is in ``env.unwrapped.game.result``. Raises a `ConfigError` if both keys are
    the same, or ``env`` observes anything but an array.

    Args:
        env: an environment of one game, or wrappers around one.
        observation: the key of what ``env`` observes.
        mask: the key of the mask, of shape (actions,) and the observation's dtype: 1 for each legal action.

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
                "env", env, "it must have an array for an observation, and numbers for actions"
            )
        if observation == mask:
            raise ConfigError("mask", mask, "it is the observation's key")
        RecordConstructorArgs.__init__(self, observation=observation, mask=mask)
        super().__init__(env)
        self._observation, self._mask, self._dtype = observation, mask, seen.dtype
        self.observation_space = spaces.Dict(
            {observation: seen, mask: spaces.Box(0, 1, (int(actions.n),), seen.dtype.type)}
        )

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """As the environment's `reset`, with the mask in the observation."""
        seen, info = self.env.reset(seed=seed, options=options)
        return self._merge_mask(seen, info)

    def step(self, action: int) -> tuple[dict[str, NDArray[Any]], Any, bool, bool, dict[str, Any]]:
        """As the environment's `step`, with the mask in the observation."""
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
