"""Stable-Baselines3's `VecEnv` over a vector environment. Needs stable_baselines3, from the extra ``[train]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from tkm_env.envs.vector import SELF_PLAY
from tkm_env.errors import ConfigError

__all__ = ["SB3VecEnv"]


class SB3VecEnv(VecEnv):
    """Many games as Stable-Baselines3 and sb3-contrib take them: ``MaskablePPO("MlpPolicy", SB3VecEnv(num_envs=64))``.

    Games that end are reset in the same step; the last observation is in ``infos[i]["terminal_observation"]``, and
    ``infos[i]["TimeLimit.truncated"]`` says whether the game was truncated. ``env_method("action_masks")`` returns the masks, which is
    where `sb3_contrib` looks for them.

    Args:
        env_id: the id of a registered, natively batched environment.
        num_envs: how many games.
        **settings: the keywords of that environment: ``opponent``, ``side``, ``num_threads``, ``chapters`` and so on. Self-play is not
            supported, since in Stable-Baselines3 every reward is that of a single learner.

    Raises:
        ConfigError: naming the invalid keyword.
    """

    def __init__(self, env_id: str = "tkm_env/TKM-v0", num_envs: int = 1, **settings: Any) -> None:
        if settings.get("opponent") == SELF_PLAY:
            raise ConfigError("opponent", SELF_PLAY, "Stable-Baselines3 needs an opponent: a reward here is always the learner's")
        self._envs: Any = gymnasium.make_vec(
            env_id, num_envs, "vector_entry_point", autoreset_mode=AutoresetMode.SAME_STEP, **settings
        ).unwrapped
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    def _get_render_mode(self) -> list[str | None]:
        return [self._envs.render_mode] * self.num_envs

    def reset(self) -> NDArray[Any]:
        """Restart all games, with the seeds set by `seed` if it was called since the last reset.

        Raises:
            ConfigError: if options were set.
        """
        if any(self._options):
            raise ConfigError("options", self._options, "this environment takes none")
        seeds = None if self._seeds[0] is None else [seed for seed in self._seeds if seed is not None]
        observations, info = self._envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._infos_of(info)
        seen: NDArray[Any] = observations
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        observations, rewards, terminations, truncations, info = self._envs.step(self._actions)
        infos = self._infos_of(info)
        done = terminations | truncations
        for number in done.nonzero()[0].tolist():
            infos[number]["terminal_observation"] = info["final_obs"][number]
            infos[number]["TimeLimit.truncated"] = bool(truncations[number])
            infos[number]["result"] = info["final_info"]["result"][number]
        return observations, rewards.astype(np.float32), done, infos

    def _infos_of(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"action_mask": mask} for mask in info["action_mask"]]

    def close(self) -> None:
        self._envs.close()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method that returns one value per game; the values for the games in ``indices``."""
        values = getattr(self._envs, method_name)(*args, **kwargs)
        return [values[number] for number in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self._envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set an attribute for all games, since they share their attributes."""
        setattr(self._envs, attr_name, value)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """A picture of each game, uint8 of shape (480, 960, 3), in the render mode ``"rgb_array"``; an empty list in other modes."""
        return list(self._envs.render()) if self._envs.render_mode == "rgb_array" else []
