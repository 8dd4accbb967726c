"""The spaces shared by all environments of a game."""

from __future__ import annotations

from gymnasium import spaces

from tkm_env.game.observation_encoder import ObservationEncoder
from tkm_env.game.registry import GameSpec


def observation_space(encoder: ObservationEncoder) -> spaces.Box:
    """The space of observations, with the exact upper bound of each element: from 0, of the encoder's shape and dtype."""
    high = encoder.high
    return spaces.Box(high.dtype.type(0), high, dtype=high.dtype.type)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """The space of a game's actions: indices of its ``action_names``."""
    return spaces.Discrete(len(spec.game_class.action_names))
