"""Files of policies that hold random numbers."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np

from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.registry import game_spec
from tkm_env.players import write_policy

Layers = list[tuple[Any, Any]]


def layers_for(
    game: str, observation: str = "planes", hidden: tuple[int, ...] = (16,), **settings: Any
) -> Layers:
    """Random numbers, some of which float16 rounds."""
    spec = game_spec(game)
    encoder = ObservationEncoder(spec.game_class, spec.config(settings), observation)
    sizes = (encoder.high.size, *hidden, len(spec.game_class.action_names))
    generator = np.random.default_rng(1)
    return [
        (generator.normal(size=(wide, narrow)) / 5, generator.normal(size=narrow) / 10)
        for wide, narrow in itertools.pairwise(sizes)
    ]


def compact_policy(folder: Path) -> Path:
    """The file of a policy that sees compact observations of the standard game."""
    path = folder / "compact.npz"
    write_policy(path, layers_for("tkm", "compact"), observation="compact")
    return path
