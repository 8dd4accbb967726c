"""Gymnasium for thousands of games on a GPU: a `VectorEnv` whose arrays stay on it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tkm_env.compiled.kernels import BEGIN
from tkm_env.compiled.random_numbers import SIDE
from tkm_env.core.batch import MAX_GAMES
from tkm_env.core.batch_factory import make_cuda_batch
from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.core.registry import game_spec
from tkm_env.envs.interface import action_space, checked_options, observation_space
from tkm_env.envs.opponents import SELF_PLAY
from tkm_env.envs.single import RANDOM_SIDE
from tkm_env.envs.vector import check_open
from tkm_env.foundations.checks import checked_choice, checked_integer
from tkm_env.foundations.errors import ConfigError

_RANDOM: Final = "random"


class CudaVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games on a GPU: ``gymnasium.make_vec("tkm_env/TKM-v0", …, device="cuda")``.

    Experimental: it may change in any minor version.

    It plays like `tkm_env.envs.vector.GameVectorEnv` with ``AutoresetMode.NEXT_STEP``, seed for
    seed. Instead of NumPy arrays, it returns CuPy arrays of the same shapes and dtypes, which
    ``torch.from_dlpack`` takes without a copy; actions may be a tensor on the device. Returned
    arrays never change afterwards. Actions on the device are not checked before they are played: an
    invalid one loses the game, like an illegal one.

    ``info`` holds

    - "action_mask": int8 of shape (n, actions);
    - in self-play, "to_act", the player to act: int8 of shape (n,);
    - in self-play, after a step, "rewards": float64 of shape (n, players);
    - against an opponent, "side", the learner's index: int8 of shape (n,);
    - after a step, "results", which stands for the texts in "result", since a device holds no text:
      int8 of shape (n,), 0 in games in progress, else a key of the game's ``results``.

    Args:
        game: the name of the game in the registry.
        num_envs: the number of games, n.
        opponent: ``"self"``, so that the learner plays both sides; or ``"random"``.
        side: the learner's side: a player's name, or ``"random"`` to draw it for each game; ignored
            in self-play.
        opening_turns: the number of random turns that begin each game.
        positions: the texts of positions to begin from, ``"shipped"`` or None, as for
            `tkm_env.envs.single.GameEnv`.
        observation: ``"planes"`` or ``"compact"``, as for `tkm_env.envs.single.GameEnv`.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value, or ``device`` if
            there is no GPU.
        MissingExtraError: without the extra ``[cuda]``.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 as Gymnasium has it
        "render_modes": [],
        "autoreset_mode": AutoresetMode.NEXT_STEP,
    }

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: str = SELF_PLAY,
        side: str = RANDOM_SIDE,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        observation: str = PLANES,
        **settings: Any,
    ) -> None:
        spec = game_spec(game)
        self.config = spec.config(settings, CudaVectorEnv)
        if opponent not in (SELF_PLAY, _RANDOM):
            raise ConfigError(
                "opponent", opponent, f"on a GPU it must be {SELF_PLAY!r} or {_RANDOM!r}"
            )
        batch = make_cuda_batch(
            spec, checked_integer("num_envs", num_envs, 1, MAX_GAMES), **settings
        )
        self._encoder = ObservationEncoder(spec.game_class, self.config, observation)
        batch.set_initial_positions(opening_turns, positions, self._encoder)
        #: The games, a `tkm_env.core.cuda_batch.BaseCudaBatch`, to inspect but not to change.
        self.batch = batch
        self._arrays = batch.arrays
        self._self_play = opponent == SELF_PLAY
        self._wanted_side = checked_choice("side", side, (*batch.players, RANDOM_SIDE))
        self.num_envs = batch.num_games
        self.single_observation_space = observation_space(self._encoder)
        self.single_action_space = action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = self._arrays.ones(self.num_envs, np.bool_)
        self._players = self._arrays.zeros(self.num_envs, np.int64)
        #: The games that ended and have not been reset; None before the first reset.
        self._done: Any = None

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games; where the opponent goes first, it has already moved.

        Args:
            seed: an integer from 0, to which game i adds i, or one integer for each game; None
                continues with the current streams.
            options: may hold "reset_mask", bool of shape (n,): which games to reset; by default
                all.

        Returns:
            The observations and the ``info``.

        Raises:
            ArrayError: if the mask or the seeds are invalid.
            ConfigError: if there is another option.
            gymnasium.error.ResetNeeded: if the first reset has a mask.
            gymnasium.error.ClosedEnvironmentError: after `close`.
        """
        check_open(self)
        mask = checked_options(options, "reset_mask").get("reset_mask")
        if self._done is None and mask is not None:
            raise ResetNeeded("the first reset() must reset all games")
        self.batch.reset(seed, mask)
        begun = self._all if mask is None else self._arrays.asarray(mask)
        self._answer(begun)
        self._done = (self._all if self._done is None else self._done) & ~begun
        return self._observe()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in each game, and the opponent's replies.

        Games that ended in the previous step are reset instead.

        Args:
            actions: integers of shape (n,), on the device or not.

        Returns:
            Observations, rewards, terminations, truncations and the ``info``.

        Raises:
            ArrayError: if the shape or the dtype is wrong, or an action that does not come from the
                device is not the index of one; nothing changes.
            gymnasium.error.ResetNeeded: before the first reset.
            gymnasium.error.ClosedEnvironmentError: after `close`.
        """
        check_open(self)
        if self._done is None:
            raise ResetNeeded("call reset() before step()")
        xp, batch, begun = self._arrays, self.batch, self._done
        given = batch.actions_on_device(actions)
        played = xp.where(
            begun, BEGIN, xp.where(given < 0, batch.num_actions, given)
        )  # so that no negative action is mistaken for a code such as `BEGIN`
        actors = batch.to_act.copy() if self._self_play else self._players
        batch.play(played)
        self._answer(begun)
        outcomes = batch.outcomes(played, actors)
        self._done = outcomes.over
        observations, info = self._observe()
        info["results"] = batch.results * outcomes.over
        if self._self_play:
            info["rewards"] = outcomes.earned
        return (observations, outcomes.rewards, outcomes.terminated, outcomes.truncated, info)

    def _answer(self, begun: Any) -> None:
        """Draw sides for games that have just begun; then let the opponent reply in all."""
        if self._self_play:
            return
        if self._wanted_side != RANDOM_SIDE:
            self._players[begun] = self.batch.players.index(self._wanted_side)
        else:
            self._players[begun] = self.batch.draw(begun, len(self.batch.players), SIDE)
        self.batch.play_at_random(self._players)

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        viewers = self.batch.to_act if self._self_play else self._players
        observations = self.batch.new_observations(self._encoder)
        self.batch.observe(observations, viewers, self._encoder)
        side = "to_act" if self._self_play else "side"
        return observations, {"action_mask": self.batch.masks.copy(), side: viewers.astype(np.int8)}
