"""The positions that ``alphazero.py`` learns from; needs torch, in the extra ``[train]``."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor


class Memory:
    """The latest fully searched positions.

    Each has an observation, the shares of visits, and the final reward of the player to act.
    """

    def __init__(self, room: int, inputs: int, actions: int) -> None:
        self.seen, self.policies = (
            np.zeros((room, inputs), np.float32),
            np.zeros((room, actions), np.float32),
        )
        self.results = np.zeros(room, np.float32)
        self.added = 0

    def add(self, seen: NDArray[Any], policy: NDArray[Any], result: float) -> None:
        """Add a position, which replaces the oldest if the memory is full."""
        place = self.added % len(self.results)
        self.seen[place], self.policies[place], self.results[place] = seen, policy, result
        self.added += 1

    def draw(self, count: int, generator: np.random.Generator) -> tuple[Tensor, Tensor, Tensor]:
        """Draw random positions."""
        rows = generator.integers(min(self.added, len(self.results)), size=count)
        return (
            torch.from_numpy(self.seen[rows]),
            torch.from_numpy(self.policies[rows]),
            torch.from_numpy(self.results[rows]),
        )
