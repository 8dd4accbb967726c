"""Questions and single turns as data sets of reasoning-gym.

    python -m pip install -e . -e ../..

Importing this module registers ``tkm_questions`` and ``tkm_turns``, also for composite data sets:

    import reasoning_gym
    import tkm_env_reasoning_gym

    data = reasoning_gym.create_dataset("tkm_turns", size=100, seed=42)
    print(data.score_answer(data[0]["answer"], data[0]))

A question is worth 1 or 0; a turn has credit from 0 for the worst one to 1 for the best.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from reasoning_gym.factory import ProceduralDataset, register_dataset

from tkm_env.questions import BestTurnSet, QuestionSet


@dataclass
class QuestionConfig:
    """Which questions are asked, as `tkm_env.questions.QuestionSet` takes it."""

    size: int = 500
    seed: int | None = None
    kinds: list[str] = field(default_factory=list)
    difficulties: list[int] = field(default_factory=list)
    game: str = "tkm"
    settings: dict[str, Any] = field(default_factory=dict)

    def validate(self) -> None:
        """Refuse what makes no questions."""
        self.made(0)

    def made(self, seed: int) -> QuestionSet:
        """The questions."""
        return QuestionSet(
            *(self.kinds, self.difficulties),
            size=self.size,
            seed=seed,
            game=self.game,
            **self.settings,
        )


@dataclass
class TurnConfig:
    """Which positions are shown, as `tkm_env.questions.BestTurnSet` takes it."""

    size: int = 500
    seed: int | None = None
    depth: int = 2
    game: str = "tkm"
    settings: dict[str, Any] = field(default_factory=dict)

    def validate(self) -> None:
        """Refuse what has no positions."""
        self.made(0)

    def made(self, seed: int) -> BestTurnSet:
        """The positions."""
        return BestTurnSet(
            size=self.size, seed=seed, depth=self.depth, game=self.game, **self.settings
        )


class Dataset(ProceduralDataset):
    """Entries and scores of a set of tkm_env."""

    def __init__(self, config: QuestionConfig | TurnConfig) -> None:
        super().__init__(config=config, seed=config.seed, size=config.size)
        self._made = config.made(self.seed % 2**32)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return {**self._made[index]}

    def score_answer(self, answer: str | None, entry: dict[str, Any]) -> float:
        """The score of an answer, from 0 to 1."""
        return self._made.score_answer(answer, entry)


class QuestionDataset(Dataset):
    """Questions with one right answer."""


class TurnDataset(Dataset):
    """Positions, each to be answered with a turn."""


register_dataset("tkm_questions", QuestionDataset, QuestionConfig)
register_dataset("tkm_turns", TurnDataset, TurnConfig)
