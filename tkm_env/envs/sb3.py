"""Stable-Baselines3's `VecEnv` over a vector environment; needs the extra ``[train]``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from numpy.typing import NDArray

from tkm_env.envs.interface import IllegalActionCounter
from tkm_env.envs.opponents import SELF_PLAY, OpponentLike
from tkm_env.envs.vector import is_self_play
from tkm_env.foundations.errors import ConfigError, extra

with extra("train"):
    from stable_baselines3.common.monitor import Monitor
    from stable_baselines3.common.vec_env import VecEnv

#: The keys of an info about a game that ended, besides those that Stable-Baselines3 looks for.
_AT_THE_END: Final = ("result", "side", "opponent", "illegal_action")
#: What to do if illegal actions lose games.
_ADVICE: Final = (
    "train with sb3_contrib's MaskablePPO, which reads the masks by itself, and pass "
    "action_masks=envs.env_method('action_masks') to predict()"
)


class SB3VecEnv(VecEnv):
    """Many games for Stable-Baselines3: ``MaskablePPO("MlpPolicy", SB3VecEnv(num_envs=64))``.

    Games that end are reset in the same step. ``infos[i]`` then holds what Stable-Baselines3 looks
    for:

    - "terminal_observation" and "TimeLimit.truncated";
    - "episode", as its `Monitor` writes it: the reward "r", the number of the learner's actions "l"
      and the seconds "t" since the environment was made. So ``rollout/ep_rew_mean`` is logged
      without a wrapper.

    It also holds "result", "side", "illegal_action" (in games lost by one) and "opponent" (against
    a `tkm_env.OpponentPool`), as in `tkm_env.envs.vector.GameVectorEnv`.
    ``env_method("action_masks")`` returns the masks, which is where `sb3_contrib` looks for them.
    After ten games lost by illegal actions, a warning says so.

    Args:
        env_id: the id of a registered, natively batched environment; with that of whole turns,
            ``"tkm_env/TKM-Turns-v0"``, observations are dicts, for ``"MultiInputPolicy"``.
        num_envs: the number of games.
        seed: the seed of the first reset, an integer from 0, to which game i adds i; None for one
            from the system.
        **settings: the keywords of that environment, such as ``opponent``, ``side``,
            ``num_threads`` or ``chapters``. ``autoreset_mode`` is refused, since Stable-Baselines3
            knows only one. ``opponent="self"`` is refused too, since each reward belongs to a
            single learner; `tkm_env.learn.sb3.SelfPlayCallback` lets the learner play copies of
            itself.

    Raises:
        ConfigError: naming the invalid keyword.
        MissingExtraError: at import, without the extra ``[train]``.
    """

    def __init__(
        self,
        env_id: str = "tkm_env/TKM-v0",
        num_envs: int = 1,
        seed: int | None = None,
        **settings: Any,
    ) -> None:
        if not isinstance(env_id, str):
            raise ConfigError(
                "env_id",
                env_id,
                "it must be the id of an environment, such as 'tkm_env/TKM-v0'; "
                "num_envs is the number of games",
            )
        if "autoreset_mode" in settings:
            reason = (
                "Stable-Baselines3 takes environments that reset a game in the step in which it "
                "ends: leave it out"
            )
            raise ConfigError("autoreset_mode", settings["autoreset_mode"], reason)
        if is_self_play(settings.get("opponent")):
            reason = (
                "a reward here is always the learner's: let it play copies of itself, "
                "with tkm_env.learn.sb3.SelfPlayCallback"
            )
            raise ConfigError("opponent", SELF_PLAY, reason)
        envs: Any = gymnasium.make_vec(
            env_id, num_envs, autoreset_mode=AutoresetMode.SAME_STEP, **settings
        )
        envs.unwrapped.illegal_actions = IllegalActionCounter(_ADVICE)
        self._envs = envs
        self._actions: NDArray[np.int64] = np.zeros(num_envs, np.int64)
        super().__init__(
            num_envs, self._envs.single_observation_space, self._envs.single_action_space
        )
        self.metadata["render_fps"] = self._envs.metadata["render_fps"]
        if seed is not None:
            self.seed(seed)
        self._began = time.perf_counter()
        #: The number of actions that the learner has taken in each game.
        self._lengths = np.zeros(num_envs, np.int64)

    def set_opponent(self, opponent: OpponentLike) -> None:
        """Play against another opponent, as `GameVectorEnv.set_opponent` does."""
        self._envs.set_attr("opponent", opponent)

    def reset(self) -> NDArray[Any]:
        """Restart all games, with the seeds set by `seed` if it was called since the last reset.

        Raises:
            ConfigError: if options were set.
        """
        if any(self._options):
            raise ConfigError("options", self._options, "this environment takes none")
        seeds = (
            None if self._seeds[0] is None else [seed for seed in self._seeds if seed is not None]
        )
        observations, info = self._envs.reset(seed=seeds)
        self._reset_seeds()
        self._reset_options()
        self.reset_infos = self._infos_of(info)
        self._lengths[:] = 0
        seen: NDArray[Any] = observations
        return seen

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = actions

    def step_wait(
        self,
    ) -> tuple[NDArray[Any], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        observations, rewards, terminations, truncations, info = self._envs.step(self._actions)
        infos = self._infos_of(info)
        done = terminations | truncations
        self._lengths += 1
        for number in done.nonzero()[0].tolist():
            infos[number] |= self._end(number, info["final_info"], float(rewards[number]))
            infos[number]["terminal_observation"] = info["final_obs"][number]
            is_cut_off = truncations[number] and not terminations[number]
            infos[number]["TimeLimit.truncated"] = bool(is_cut_off)
        self._lengths[done] = 0
        return observations, rewards.astype(np.float32), done, infos

    def _end(self, number: int, final: dict[str, Any], reward: float) -> dict[str, Any]:
        """What an info says of a game that ended; a game's reward comes all at its end."""
        ending = {
            key: final[key][number]
            for key in _AT_THE_END
            if key in final and final[f"_{key}"][number]
        }
        seconds = round(time.perf_counter() - self._began, 6)
        return ending | {"episode": {"r": reward, "l": int(self._lengths[number]), "t": seconds}}

    def _infos_of(self, info: dict[str, Any]) -> list[dict[str, Any]]:
        return [{"action_mask": mask} for mask in info["action_mask"]]

    def close(self) -> None:
        self._envs.close()

    def env_method(
        self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any
    ) -> list[Any]:
        """Call a method of the games, as `GameVectorEnv.call` does.

        Args:
            method_name: the name of the method.
            *args: its arguments.
            indices: the games whose values to return, as in Stable-Baselines3: an index, several,
                or None for all.
            **kwargs: its keyword arguments.

        Returns:
            What came of it for each of these games.
        """
        values = self._envs.call(method_name, *args, **kwargs)
        return [values[number] for number in self._get_indices(indices)]

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute of the games, as `GameVectorEnv.get_attr` does.

        Args:
            attr_name: the name of the attribute.
            indices: the games to return it for: an index, several, or None for all.

        Returns:
            The attribute of each of these games.
        """
        values = self._envs.get_attr(attr_name)
        return [values[number] for number in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set the attribute ``"opponent"``, as `set_opponent` does; no other one can be set.

        If it raises, nothing changes.

        Args:
            attr_name: ``"opponent"``.
            value: the new opponent.
            indices: None, or the indices of all games, since they share their opponent.

        Raises:
            ConfigError: if it is another attribute, for some games only, or not an opponent that
                can play.
        """
        if attr_name != "opponent":
            raise ConfigError(
                "attr_name", attr_name, "it must be 'opponent', the only attribute that can change"
            )
        if {*self._get_indices(indices)} != {*range(self.num_envs)}:
            raise ConfigError("indices", indices, "all games share their opponent: leave it out")
        self.set_opponent(value)

    def env_is_wrapped(
        self, wrapper_class: type[gymnasium.Wrapper[Any, Any, Any, Any]], indices: Any = None
    ) -> list[bool]:
        """Return whether games have what a wrapper brings.

        Args:
            wrapper_class: a wrapper; only `Monitor`'s "episode" is in the infos without one.
            indices: the games to answer for: an index, several, or None for all.

        Returns:
            For each game, whether ``wrapper_class`` is `Monitor`.
        """
        return [wrapper_class is Monitor for _ in self._get_indices(indices)]

    def get_images(self) -> Sequence[Any]:
        """Return a picture of each game: uint8 of shape (480, 960, 3).

        Raises:
            ConfigError: unless the environment was made with ``render_mode="rgb_array"``.
            MissingExtraError: without the extra ``[render]``.
        """
        if self.render_mode != "rgb_array":
            raise ConfigError(
                "render_mode",
                self.render_mode,
                "pictures need an environment made with render_mode='rgb_array'",
            )
        return list(self._envs.render())
