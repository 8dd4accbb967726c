"""Stable-Baselines3's `VecEnv` over a vector environment. Needs stable_baselines3, from the extra ``[train]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray
from stable_baselines3.common.vec_env import VecEnv

from tkm_env.envs.opponents import OpponentLike
from tkm_env.envs.vector import SELF_PLAY, is_self_play
from tkm_env.errors import ConfigError

#: The keys of an info about a game that ended, besides those that Stable-Baselines3 looks for.
_AT_THE_END: Final = ("result", "side", "opponent")


class SB3VecEnv(VecEnv):
    """Many games as Stable-Baselines3 and sb3-contrib take them: ``MaskablePPO("MlpPolicy", SB3VecEnv(num_envs=64))``.

    Games that end are reset in the same step; the last observation is in ``infos[i]["terminal_observation"]``, and
    ``infos[i]["TimeLimit.truncated"]`` says whether the game was truncated; "result", "side" and, against a
    `tkm_env.OpponentPool`, "opponent" are those of `tkm_env.envs.vector.GameVectorEnv`. ``env_method("action_masks")`` returns the
    masks, which is where `sb3_contrib` looks for them.

    Args:
        env_id: the id of a registered, natively batched environment.
        num_envs: how many games.
        **settings: the keywords of that environment: ``opponent``, ``side``, ``num_threads``, ``chapters`` and so on. In
            Stable-Baselines3 every reward is that of a single learner, so ``opponent="self"`` is refused;
            `tkm_env.learn.sb3.SelfPlayCallback` has the learner play copies of itself.

    Raises:
        ConfigError: naming the invalid keyword.
    """

    def __init__(self, env_id: str = "tkm_env/TKM-v0", num_envs: int = 1, **settings: Any) -> None:
        if is_self_play(settings.get("opponent")):
            reason = "a reward here is always the learner's: have it play copies of itself, with tkm_env.learn.sb3.SelfPlayCallback"
            raise ConfigError("opponent", SELF_PLAY, reason)
        self._envs: Any = gymnasium.make_vec(env_id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **settings).unwrapped
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)
        self.metadata["render_fps"] = self._envs.metadata["render_fps"]

    def set_opponent(self, opponent: OpponentLike) -> None:
        """As `tkm_env.envs.opponent_mixin.OpponentMixin.set_opponent`."""
        self._envs.set_opponent(opponent)

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
            infos[number] |= {key: info["final_info"][key][number] for key in _AT_THE_END if key in info["final_info"]}
        return observations, rewards.astype(np.float32), done, infos

    def _infos_of(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"action_mask": mask} for mask in info["action_mask"]]

    def close(self) -> None:
        self._envs.close()

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call a method, once; its value for each of the games in ``indices``, None if it returns nothing."""
        values = getattr(self._envs, method_name)(*args, **kwargs)
        return [None if values is None else values[number] for number in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """An attribute of the vector environment, which all games share, once for each of the games in ``indices``."""
        return [getattr(self._envs, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set the attribute ``"opponent"``, as `set_opponent`; it is that of all games, and there is no other one to set.

        Raises:
            ConfigError: if it is another attribute, or for some of the games only; nothing has changed then.
        """
        if attr_name != "opponent":
            raise ConfigError("attr_name", attr_name, "it must be 'opponent', the only attribute that can change")
        if {*self._get_indices(indices)} != {*range(self.num_envs)}:
            raise ConfigError("indices", indices, "all games share their opponent: leave it out")
        self.set_opponent(value)

    def env_is_wrapped(self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """A picture of each game, uint8 of shape (480, 960, 3).

        Raises:
            ConfigError: unless the environment was made with ``render_mode="rgb_array"``.
            MissingExtraError: without the extra ``[render]``.
        """
        if self.render_mode != "rgb_array":
            raise ConfigError("render_mode", self.render_mode, "pictures need an environment made with render_mode='rgb_array'")
        return list(self._envs.render())
