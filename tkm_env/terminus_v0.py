"""The PettingZoo environment of Terminus, version 0: `env` and `raw_env`. Imports `envs.aec`, `terminus` and below."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces

from tkm_env.config import configured_as
from tkm_env.envs.aec import AECFace, CheckedCalls
from tkm_env.terminus.config import TerminusConfig
from tkm_env.terminus.engine.actions import ACTIONS
from tkm_env.terminus.engine.observation import FEATURES
from tkm_env.terminus.engine.state import PLAYERS
from tkm_env.terminus.game import TerminusGame

__all__ = ["env", "observation_space", "raw_env"]


def observation_space() -> spaces.Box:
    """The space of observations, with the exact bounds of each feature: int8 of shape (838,)."""
    high = np.repeat([feature.high for feature in FEATURES], [feature.length for feature in FEATURES])
    return spaces.Box(np.int8(0), high.astype(np.int8), dtype=np.int8)


class raw_env(AECFace):
    """The game without checks: an illegal action raises `IllegalActionError` and changes nothing.

    Agents are ``red_0`` and ``blue_0``. A turn is one step, and more where events were covered: one for each that is resolved, and
    one that leaves out the rest.

    Args:
        render_mode: None, ``"ansi"`` (`render` returns text), ``"rgb_array"`` (it returns pixels) or ``"human"`` (each step is shown in a
            window); the last two need the extra ``[render]``.
        **settings: the keywords of `tkm_env.TerminusConfig`.

    Raises:
        ConfigError: naming the keyword that cannot be.
        DeckError: naming the card that cannot be.
        FileError: if a file is no deck file.

    >>> environment = raw_env()
    >>> environment.reset(seed=1)
    >>> observation, reward, termination, truncation, info = environment.last()
    >>> observation["observation"].shape, int(observation["action_mask"].sum())
    ((838,), 8)
    """

    metadata: ClassVar[dict[str, Any]] = {
        "name": "terminus_v0",
        "render_modes": ["human", "ansi", "rgb_array"],
        "is_parallelizable": False,
        "render_fps": 2,
    }
    players: ClassVar = {f"{player}_0": player for player in PLAYERS}
    action_names = ACTIONS

    def __init__(self, *, render_mode: str | None = None, **settings: Any) -> None:
        super().__init__(observation_space(), render_mode)
        self.config = configured_as(TerminusConfig, None, settings)

    def _new_game(self, generator: np.random.Generator, options: dict[str, Any]) -> TerminusGame:
        """A game from the start, or from ``options["position"]``, a position's text."""
        return TerminusGame(self.config, seed=generator, position=options.get("position"))


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
