"""The spaces shared by all environments of a game."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from tkm_env.core.registry import GameSpec

__all__ = ["action_space", "observation_space"]


def observation_space(spec: GameSpec) -> spaces.Box:
    """The space of a game's observations, with the exact upper bound of each element: int8, from 0.

    >>> from tkm_env.core.registry import game_spec
    >>> observation_space(game_spec("tkm")).shape
    (84, 4, 4)
    """
    return spaces.Box(np.int8(0), spec.game_class.observation_high, dtype=np.int8)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """The space of a game's actions: indices of its ``action_names``."""
    return spaces.Discrete(len(spec.game_class.action_names))
