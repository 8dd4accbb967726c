"""The PettingZoo environment, version 0: `env` and `raw_env`. Imports `envs.aec`, `game` and below."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from tkm_env.config import configured
from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.geometry import WIDTH
from tkm_env.engine.observation import PLANES
from tkm_env.engine.state import PLAYERS
from tkm_env.envs.aec import AECFace, CheckedCalls
from tkm_env.game import Game

__all__ = ["env", "observation_space", "raw_env"]


def observation_space() -> spaces.Box:
    """The space of observations, with the exact bounds of each plane: int8 of shape (84, 4, 4)."""
    high = np.repeat([plane.high for plane in PLANES], WIDTH * WIDTH).astype(np.int8)
    return spaces.Box(np.int8(0), high.reshape(len(PLANES), WIDTH, WIDTH), dtype=np.int8)


class raw_env(AECFace):
    """The game without checks: an illegal action raises `IllegalActionError` and changes nothing.

    Agents are ``white_0`` and ``black_0``. A turn is several steps: choose a copy, act twice, shift the focus; so one agent often
    acts several times in a row.

    Args:
        render_mode: None, ``"ansi"`` (`render` returns text), ``"rgb_array"`` (it returns pixels) or ``"human"`` (each step is shown in a
            window); the last two need the extra ``[render]``.
        **settings: the keywords of `tkm_env.GameConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.

    >>> environment = raw_env(chapters="growth")
    >>> environment.reset(seed=1)
    >>> observation, reward, termination, truncation, info = environment.last()
    >>> observation["observation"].shape, int(observation["action_mask"].sum())
    ((84, 4, 4), 1)
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "tkm_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    players: ClassVar = {f"{player}_0": player for player in PLAYERS}
    action_names = ACTIONS

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        super().__init__(observation_space(), render_mode)
        self.config = configured(None, settings)

    def _new_game(self, generator: np.random.Generator, options: dict[str, Any]) -> Game:
        """A game from the start, or from ``options["position"]``, a position's text."""
        return Game(self.config, seed=generator, position=options.get("position"))


class _CheckedEnv(CheckedCalls, raw_env):
    """`raw_env` with checks."""


def env(*, render_mode: str | None = None, **settings: Any) -> _CheckedEnv:
    """The game with checks: what most users want. Arguments as for `raw_env`.

    >>> environment = env()
    >>> environment.reset(seed=1)
    >>> for agent in environment.agent_iter():
    ...     observation, reward, termination, truncation, info = environment.last()
    ...     done = termination or truncation
    ...     action = None if done else environment.action_space(agent).sample(info["action_mask"])
    ...     environment.step(action)
    >>> environment.agents
    []
    """
    return _CheckedEnv(render_mode=render_mode, **settings)
