"""Questions about functions: each called with drawn arguments, and all together as what the grader learns with."""

from __future__ import annotations

import dataclasses
from contextlib import closing
from functools import partial
from typing import Any

import numpy as np

from tkm_env.agents.model_file import Model
from tkm_env.arena.referee import Player
from tkm_env.checks import checked_integer
from tkm_env.course.function_tasks import TASKS
from tkm_env.course.linear_training import InvalidResultError, LinearTraining, as_array
from tkm_env.course.marks import Finding
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.question import TEXTS, Outcome, Question, QuestionContext
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.errors import ConfigError, repr_of
from tkm_env.game.registry import GameSpec
from tkm_env.learn.value_training import value_game

#: An opponent besides the game's own players.
_UNTRAINED = "untrained"
#: How far a right answer may be from the grader's.
_TOLERANCE = 1e-6
assert all(f"`{name}`" in TEXTS["kinds"]["function"]["keys"]["function"] for name in TASKS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FunctionQuestion(Question):
    """A function, called with arguments that are drawn from the seed."""

    function: str
    cases: int = 20

    kind = "function"

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.function not in TASKS:
            raise ConfigError("function", self.function, f"it must be {', '.join(map(repr, TASKS))}")
        checked_integer("cases", self.cases, 1, 1000)
        object.__setattr__(self, "meaning", TASKS[self.function].meaning)

    def check(self, spec: GameSpec, config: Any) -> None:
        """It can be asked about any game."""

    def ask(self, submission: Submission, context: QuestionContext, findings: list[Finding]) -> Outcome:
        task, source = TASKS[self.function], self.source(context)
        generator = np.random.default_rng(source.secret("cases"))
        cases = [task.draw(generator) for _ in range(self.cases)]
        game = context.spec.game_class(context.config)
        with closing(SubmissionClient(submission, context, self.seconds, source.submission_generator())) as client:
            answers = client.call(game, self.function, cases)
        for case, answer in zip(cases, answers, strict=True):
            expected = np.asarray(task.solve(*case), np.float64)
            numbers = as_array(answer, len(expected))
            if numbers is None or not np.allclose(numbers, expected, rtol=0, atol=_TOLERANCE):
                given = "no answer yet" if answer is None else f"{repr_of(answer)} is wrong"
                arguments = ", ".join(map(repr_of, case))
                findings.append(Finding(f"{self.function}({arguments}): {given}; it is {repr_of(expected.round(6).tolist())}"))
        right = self.cases - len(findings)
        return Outcome(right / self.cases, f"{right} of {self.cases} calls right")


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingQuestion(MatchQuestion):
    """A match of what the grader trains with the submission's functions: the grader plays the games of self-play and keeps the weights."""

    player: str = "net:file=value.npz"
    training_games: int = 2_000

    kind = "training"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("training_games", self.training_games, 1, 10**6)

    def check(self, spec: GameSpec, config: Any) -> None:
        value_game(spec.name)
        if self.opponent != _UNTRAINED:
            super().check(spec, config)

    def ask(self, submission: Submission, context: QuestionContext, findings: list[Finding]) -> Outcome:
        try:
            return super().ask(submission, context, findings)
        except InvalidResultError as error:
            return Outcome(0.0, str(error))

    def train(self, submission: Submission, context: QuestionContext) -> Model:
        """The model that a submission's functions learn in ``seconds``. Raises a `PlayerError` naming its fault, and an
        `InvalidResultError` if nothing can be learned with what a function returns.
        """
        source, spec = self.source(context), context.spec
        game, generator = spec.game_class(context.config), np.random.default_rng(source.secret("training"))
        with closing(SubmissionClient(submission, context, self.seconds, source.submission_generator())) as client:
            return LinearTraining(spec, context.config, generator).run(self.training_games, partial(client.call, game))

    def _player(self, submission: Submission, context: QuestionContext) -> Player:
        return self._playing(self.train(submission, context), context)

    def _opponent(self, context: QuestionContext) -> Player:
        if self.opponent != _UNTRAINED:
            return super()._opponent(context)
        return self._playing(LinearTraining(context.spec, context.config, np.random.default_rng(0)).model(), context)

    def _playing(self, model: Model, context: QuestionContext) -> Player:
        agent = value_game(context.spec.name).player(model)
        return Player(self.player, context.spec.name, context.conditions, config=context.config, agent=agent)
