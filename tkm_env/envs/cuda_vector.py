"""Gymnasium for thousands of games on a GPU: a `VectorEnv` whose arrays never leave it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from tkm_env.batch.base import MAX_GAMES
from tkm_env.batch.factory import make_cuda_batch
from tkm_env.checks import checked_integer
from tkm_env.compiled.kernels import BEGIN
from tkm_env.envs.reset_options import checked_options
from tkm_env.envs.single import RANDOM_SIDE, checked_side
from tkm_env.envs.spaces import action_space, observation_space
from tkm_env.envs.vector import SELF_PLAY
from tkm_env.errors import ConfigError
from tkm_env.game.observation_encoder import PLANES, ObservationEncoder
from tkm_env.game.registry import game_spec

_RANDOM: Final = "random"


class CudaVectorEnv(VectorEnv[Any, Any, Any]):
    """Many games on a GPU: ``gymnasium.make_vec("tkm_env/TKM-v0", num_envs=…, vectorization_mode="vector_entry_point", device="cuda")``.

    It plays as `tkm_env.envs.vector.GameVectorEnv` does with ``AutoresetMode.NEXT_STEP``, seed for seed; but what it returns are arrays
    of CuPy's on the device, of the same shapes and dtypes, which ``torch.from_dlpack`` takes without a copy, and actions may be a tensor
    there. They never change afterwards. Actions on the device are not looked at before they are played: one that is none loses the game,
    like an illegal one.

    ``info`` holds "action_mask" (int8 of shape (n, actions)); "to_act" in self-play, else "side" (int8 of shape (n,)); in self-play
    "rewards" (float64 of shape (n, players)); and, in place of the texts that only processors know, "results" (int8 of shape (n,)): 0 in
    games in progress, else a key of the game's ``results``.

    Args:
        game: which game, by its name in the registry.
        num_envs: how many games.
        opponent: ``"self"``: the learner plays both sides; or ``"random"``.
        side: a player's name, by default the first player's, or ``"random"``: drawn for each game; ignored in self-play.
        opening_turns: how many turns are played at random before each game.
        positions: texts of positions; each game begins from one of them, drawn at random. None for the usual start.
        observation: ``"planes"`` or ``"compact"``.
        **settings: the keywords of the game's config.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value, or ``device`` if there is no GPU.
        MissingExtraError: without the extra ``[cuda]``.
    """

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 as Gymnasium has it

    def __init__(
        self,
        game: str,
        num_envs: int = 1,
        *,
        opponent: str = SELF_PLAY,
        side: str | None = None,
        opening_turns: int = 0,
        positions: Collection[str] | None = None,
        observation: str = PLANES,
        **settings: Any,
    ) -> None:
        spec = game_spec(game)
        self.config = spec.config(settings, CudaVectorEnv)
        if opponent not in (SELF_PLAY, _RANDOM):
            raise ConfigError("opponent", opponent, f"on a GPU it must be {SELF_PLAY!r} or {_RANDOM!r}")
        batch = make_cuda_batch(spec, checked_integer("num_envs", num_envs, 1, MAX_GAMES), **settings)
        self._encoder = ObservationEncoder(spec.game_class, self.config, observation)
        batch.set_initial_positions(opening_turns, positions, self._encoder)
        self._batch = batch
        self._arrays = batch.arrays
        self._self_play = opponent == SELF_PLAY
        self._wanted_side = checked_side(side, batch.players)
        self.num_envs = batch.num_games
        self.single_observation_space = observation_space(self._encoder)
        self.single_action_space = action_space(spec)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self._all = self._arrays.ones(self.num_envs, np.bool_)
        self._numbers = self._arrays.arange(self.num_envs)
        self._players = self._arrays.zeros(self.num_envs, np.int64)
        #: The games that ended and have not been reset; None before the first reset.
        self._done: Any = None

    @property
    def batch(self) -> Any:
        """The games, to be looked at, not changed: a `tkm_env.batch.cuda.BaseCudaBatch`."""
        return self._batch

    def reset(
        self, *, seed: int | Sequence[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin new games; where the opponent goes first, it has already moved.

        Args:
            seed: one number, to which game i adds i, or one for each game; None continues with the current streams.
            options: "reset_mask", bool of shape (n,): which games to reset, by default all.

        Raises:
            ArrayError: if the mask or the seeds are invalid; nothing has changed then.
            ConfigError: if there is another option; nothing has changed then.
        """
        mask = checked_options(options, "reset_mask").get("reset_mask")
        if self._done is None and mask is not None:
            raise ResetNeeded("the first reset() must reset all games")
        self._batch.reset(seed, mask)
        begun = self._all if mask is None else self._arrays.asarray(mask)
        self._answer(begun)
        self._done = (self._all if self._done is None else self._done) & ~begun
        return self._observe()

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play an action in each game, and the opponent's replies; those of games that ended in the previous step are ignored, and these
        games are reset.

        Args:
            actions: whole numbers of shape (n,), on the device or not.

        Raises:
            ArrayError: if the shape or the dtype is wrong; nothing has changed then.
            gymnasium.error.ResetNeeded: before the first reset.
        """
        if self._done is None:
            raise ResetNeeded("call reset() before step()")
        xp, batch, begun = self._arrays, self._batch, self._done
        given = batch.actions_on_device(actions)
        played = xp.where(begun, BEGIN, xp.where(given < 0, batch.num_actions, given))  # no code in place of an action
        actors = batch.to_act.copy() if self._self_play else self._players
        batch.play(played)
        self._answer(begun)
        ended = batch.over & ~begun
        results = batch.results * ended
        truncations = batch.ends.truncated[results]
        earned = batch.ends.rewards[results]
        self._done = ended
        observations, info = self._observe()
        info["results"] = results
        if self._self_play:
            info["rewards"] = earned
        return observations, earned[self._numbers, actors], ended & ~truncations, truncations, info

    def _answer(self, begun: Any) -> None:
        """Draw sides for games that have just begun; then let the opponent move wherever it is to act."""
        if self._self_play:
            return
        if self._wanted_side != RANDOM_SIDE:
            self._players[begun] = self._batch.players.index(self._wanted_side)
        else:
            self._players[begun] = self._batch.draw(begun, len(self._batch.players))
        self._batch.play_at_random(self._players)

    def _observe(self) -> tuple[Any, dict[str, Any]]:
        viewers = self._batch.to_act if self._self_play else self._players
        observations = self._batch.new_observations(self._encoder)
        self._batch.observe(observations, viewers, self._encoder)
        side = "to_act" if self._self_play else "side"
        return observations, {"action_mask": self._batch.masks.copy(), side: viewers.astype(np.int8)}
