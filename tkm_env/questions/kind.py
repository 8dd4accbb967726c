"""A kind of question: which positions it takes, what it asks, and two ways to its answer."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import checked_integer
from tkm_env.questions.answer_form import AnswerForm
from tkm_env.questions.random_positions import RandomPositions
from tkm_env.questions.task import Task
from tkm_env.text.options import TextOptions
from tkm_env.text.renaming import renaming_of


class QuestionKind(ABC):
    """A kind of question; an instance asks it about every game that has the kind.

    A task has exactly one canonical answer, or `is_right` says which answers are right.

    Attributes:
        name: its name in commands, files and tables.
        about: what it asks, as a clause.
        measure: what its difficulty counts, as a plural.
        usual: difficulties that stand for all others.
        easiest: the smallest difficulty.
        hardest: the largest difficulty.
        answers: how an answer looks, as a sentence of the prompt.
    """

    name: ClassVar[str]
    about: ClassVar[str]
    measure: ClassVar[str]
    usual: ClassVar[tuple[int, ...]]
    easiest: ClassVar[int] = 1
    hardest: ClassVar[int]
    answers: ClassVar[str]

    def is_about(self, spec: GameSpec) -> bool:
        """Whether it can be asked about a game at all; by default about every game."""
        return True

    def check(self, spec: GameSpec, config: Any, difficulty: int) -> None:
        """Check that questions of this difficulty can be asked about a game.

        Args:
            spec: the game.
            config: its settings.
            difficulty: the difficulty.

        Raises:
            ConfigError: naming what does not fit.
        """
        checked_integer("difficulty", difficulty, self.easiest, self.hardest)

    def usual_difficulties(self, spec: GameSpec) -> tuple[int, ...]:
        """Difficulties that stand for all others of a game; by default `usual`."""
        return self.usual

    def measure_of(self, spec: GameSpec) -> str:
        """What its difficulty counts for a game; by default `measure`."""
        return self.measure

    def balanced_answers(self, difficulty: int) -> int:
        """The number of answers that are all equally frequent; 1 if no answer is frequent."""
        return 1

    def answer_class(self, task: Task, answer: str) -> int:
        """The place of an answer among the `balanced_answers`.

        Args:
            task: what the question is about.
            answer: the canonical answer.

        Returns:
            The index, from 0.
        """
        return 0

    @abstractmethod
    def propose(self, source: RandomPositions, difficulty: int) -> Task | None:
        """Draw the next candidate.

        Args:
            source: where positions are drawn from.
            difficulty: the difficulty.

        Returns:
            The candidate; None if what was drawn is not fit for a question.
        """

    @abstractmethod
    def ask(self, task: Task) -> str:
        """The question, in the game's own words; positions and letters are between backticks."""

    @abstractmethod
    def answer(self, task: Task) -> str:
        """The canonical answer, by the engine or by a proof."""

    @abstractmethod
    def objection(self, task: Task, answer: str) -> str:
        """Check an answer by a second path, which shares as little as possible with the first.

        Args:
            task: what the question is about.
            answer: the canonical answer.

        Returns:
            What is found instead; empty if the answer is confirmed.
        """

    @abstractmethod
    def form(self, task: Task) -> AnswerForm:
        """How answers are written and read."""

    def is_right(self, task: Task, given: str, answer: str, options: TextOptions) -> bool:
        """Whether an answer that was read is right.

        Args:
            task: what the question is about.
            given: what the form read.
            answer: the canonical answer.
            options: the options of the prompt.

        Returns:
            Whether it is right. By default it must be the canonical answer.

        Raises:
            ValueError: if it only now turns out not to be in the form.
        """
        form, rename = self.form(task), renaming_of(type(task.game), options.rename).prose
        return given == form.read(form.write(answer, rename), rename)
