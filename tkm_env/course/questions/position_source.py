"""What the positions of a question depend on, and the secrets that follow from it."""

import dataclasses
from typing import Any

import numpy as np

from tkm_env.core.registry import GameSpec, game_spec
from tkm_env.foundations.seeds import derived


@dataclasses.dataclass(frozen=True)
class PositionSource:
    """What the positions of a question depend on.

    Attributes:
        game: the name of the game.
        config: its settings.
        seed: the assignment's seed.
        question: the question's id.
    """

    game: str
    config: Any
    seed: int
    question: str

    @property
    def spec(self) -> GameSpec:
        return game_spec(self.game)

    def generator(self) -> np.random.Generator:
        """The random numbers of the positions, from their beginning."""
        return np.random.default_rng(self.secret("positions"))

    def secret(self, purpose: str) -> int:
        """Return the question's secret for a purpose."""
        return derived(self.seed, "question", self.question, purpose)

    @property
    def tree_secret(self) -> bytes:
        """The key of the secret numbers in the values of the question's game trees."""
        return self.secret("values").to_bytes(16, "big")

    def submission_generator(self) -> np.random.Generator:
        """Return a new generator of the seeds that submissions get for their own randomness."""
        return np.random.default_rng(self.secret("submission"))
