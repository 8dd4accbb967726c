"""The Gymnasium environments of Terminus, version 0: one game, and many. Imports `envs`, `terminus` and below."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from tkm_env.config import checked_integer, configured_as
from tkm_env.core.batch import MAX_GAMES
from tkm_env.envs.opponents import OpponentLike
from tkm_env.envs.single import SingleFace
from tkm_env.envs.vector import VectorFace
from tkm_env.games import TERMINUS
from tkm_env.terminus.batch import TerminusBatch
from tkm_env.terminus.config import TerminusConfig
from tkm_env.terminus.engine.actions import ACTIONS
from tkm_env.terminus.engine.state import PLAYERS
from tkm_env.terminus.game import TerminusGame
from tkm_env.terminus_v0 import observation_space

__all__ = ["TerminusEnv", "TerminusVectorEnv"]


class TerminusEnv(SingleFace):
    """One game against an opponent: ``gymnasium.make("tkm_env/Terminus-v0", …)``.

    Observations are int8 of shape (838,), actions indices of ``TerminusGame.action_names``, see ``docs/terminus.md``.
    ``options={"position": text}`` of `reset` begins there.

    Args:
        opponent: ``"random"``, ``"greedy"``, ``"ismcts"``, an agent (an object with ``act(game) -> action``), or a function
            ``(observation, info) -> action``, where ``info`` holds "action_mask" and "to_act".
        side: ``"red"``, ``"blue"``, or ``"random"``: drawn anew for each game.
        render_mode: None, ``"ansi"`` (`render` returns text), ``"rgb_array"`` (it returns pixels) or ``"human"`` (each step is shown in a
            window); the last two need the extra ``[render]``.
        **settings: the keywords of `TerminusConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.
        DeckError: naming the card that cannot be.
        FileError: if a file is no deck file.

    >>> import gymnasium
    >>> env = gymnasium.make("tkm_env/Terminus-v0", opponent="random", side="blue")
    >>> observation, info = env.reset(seed=1)
    >>> observation, reward, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
    >>> observation.shape, reward, info["side"]
    ((838,), 0.0, 'blue')
    """

    metadata: dict[str, Any] = {"render_modes": ["human", "ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 as Gymnasium has it
    players = PLAYERS
    action_names = ACTIONS
    game_name = TERMINUS

    def __init__(
        self, *, opponent: OpponentLike = "random", side: str = "red", render_mode: str | None = None, **settings: Any
    ) -> None:
        super().__init__(observation_space(), opponent, side, render_mode)
        self.config = configured_as(TerminusConfig, None, settings)

    def _new_game(self, generator: np.random.Generator, options: dict[str, Any]) -> TerminusGame:
        return TerminusGame(self.config, seed=generator, position=options.get("position"))


class TerminusVectorEnv(VectorFace):
    """Many games: ``gymnasium.make_vec("tkm_env/Terminus-v0", num_envs=…, vectorization_mode="vector_entry_point", …)``.

    Args:
        num_envs: how many games.
        opponent: as for `TerminusEnv`, where a function gets the observations of all games in which it is to act, int8 of shape
            (k, 838), ``info`` with "action_mask" (k, 355) and "to_act" (k,), and answers k actions; or ``"self"``: the learner plays
            whoever is to act.
        side: ``"red"``, ``"blue"``, or ``"random"``: drawn anew for each game; without meaning in self-play.
        autoreset_mode: a `gymnasium.vector.AutoresetMode` or its value: when games that ended begin anew.
        num_threads: on how many cores at most; what is played does not depend on it.
        render_mode: None, ``"ansi"``, or ``"rgb_array"``, which needs the extra ``[render]``.
        **settings: the keywords of `TerminusConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.
        DeckError: naming the card that cannot be.
        FileError: if a file is no deck file.

    >>> import gymnasium
    >>> envs = gymnasium.make_vec("tkm_env/Terminus-v0", num_envs=500, vectorization_mode="vector_entry_point", opponent="self")
    >>> observations, info = envs.reset(seed=1)
    >>> observations, rewards, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
    >>> observations.shape, info["action_mask"].shape, info["rewards"].shape
    ((500, 838), (500, 355), (500, 2))
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi", "rgb_array"], "render_fps": 2}  # noqa: RUF012 as Gymnasium has it
    game_name = TERMINUS

    def __init__(
        self,
        num_envs: int = 1,
        *,
        opponent: OpponentLike = "random",
        side: str = "red",
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        num_threads: int = 1,
        render_mode: str | None = None,
        **settings: Any,
    ) -> None:
        batch = TerminusBatch(checked_integer("num_envs", num_envs, 1, MAX_GAMES), num_threads=num_threads, **settings)
        super().__init__(batch, observation_space(), opponent, side, autoreset_mode, render_mode)
        self.config = batch.config
