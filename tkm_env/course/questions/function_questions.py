"""Questions about functions: each called on its own, or all of them in a training.

The results of a submission's function are compared with those of the solution in `function_tasks`.
"""

import dataclasses
from collections.abc import Sequence
from contextlib import closing
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.arena.playing.referee import Player
from tkm_env.core.game import BaseGame
from tkm_env.course.questions.function_tasks import TASKS
from tkm_env.course.questions.linear_training import InvalidResultError, LinearTraining, as_array
from tkm_env.course.questions.marks import Finding
from tkm_env.course.questions.match_question import MatchQuestion
from tkm_env.course.questions.question import (
    MAX_FAULTS,
    Answered,
    Question,
    QuestionContext,
    QuestionOutcome,
    describe_fault,
    plural,
)
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.errors import PlayerError, repr_of
from tkm_env.learn.value_training import value_game
from tkm_env.players.model_file import Model

#: An opponent that is not one of the game's own players.
_UNTRAINED = "untrained"
#: The largest difference between a right answer and the grader's.
_TOLERANCE = 1e-6


@dataclasses.dataclass(frozen=True, kw_only=True)
class FunctionQuestion(Question):
    """A question that calls a function with arguments drawn from the seed."""

    function: str
    cases: int = 20

    kind = "function"
    meaning = "a function returns the right results for arguments drawn from the seed"
    usual_hint = (
        "Call your function with two or three numbers. Work out the answer by hand, step by step, "
        "and compare each step with what your function computes."
    )
    keys: ClassVar = {
        "function": f"which function: {', '.join(f'`{name}`' for name in TASKS)}",
        "cases": "the number of calls; by default 20",
    }
    ranges: ClassVar = {"cases": (1, 1000)}

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_choice("function", self.function, TASKS)

    @property
    def instruction(self) -> str:
        return TASKS[self.function].meaning

    def check(self, context: QuestionContext) -> None:
        """It can be asked about any game."""

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        task, source = TASKS[self.function], self.source(context)
        generator = np.random.default_rng(source.secret("cases"))
        cases = [task.draw(generator) for _ in range(self.cases)]
        game = context.spec.game_class(context.config)
        answered = Answered(self.cases, "call", findings, self.seconds)
        with closing(self.client(submission, context)) as client:
            for case in cases:
                call = f"{self.function}({', '.join(map(repr_of, case))})"
                try:
                    (answer,) = client.call(game, self.function, [case])
                except PlayerError as error:
                    answered.add_fault(error, Finding(call))
                    client.restart()
                else:
                    words = _mistake(answer, np.asarray(task.solve(*case), np.float64))
                    answered.add(not words, Finding(f"{call}: {words}") if words else None)
                if answered.is_over:
                    break
        return answered.outcome()


def _mistake(answer: Any, expected: NDArray[np.float64]) -> str:
    """Describe what is wrong with an answer; empty if nothing is."""
    numbers = as_array(answer, len(expected))
    if numbers is not None and np.allclose(numbers, expected, rtol=0, atol=_TOLERANCE):
        return ""
    given = "no answer yet" if answer is None else f"the answer {repr_of(answer)} is wrong"
    return f"{given}; the right answer is {repr_of(expected.round(6).tolist())}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingQuestion(MatchQuestion):
    """A match of a network that the grader trains with the submission's functions.

    The grader plays the games of self-play and keeps the weights; the functions decide and learn.
    """

    player: str = "net:file=value.npz"
    training_games: int = 2_000

    kind = "training"
    meaning = (
        "the grader trains with `plan`, `turn_chances`, `lambda_returns` and `update`, and plays a "
        "match with the weights; their share of the points counts"
    )
    usual_hint = (
        "First get each function right in its own question. Then print the targets and weights "
        "over the first games: do they grow and settle?"
    )
    keys: ClassVar = {
        **MatchQuestion.keys,
        "opponent": (
            "one of the game's own players, or `untrained`: the same player before it has learned "
            "anything"
        ),
        "training_games": "the number of games of self-play; by default 2,000",
        "player": (
            "the player that represents the submission on the ladder, as in a match; by default "
            "`net:file=value.npz`"
        ),
    }
    ranges: ClassVar = {"training_games": (1, 10**6)}

    def check(self, context: QuestionContext) -> None:
        value_game(context.spec.name)
        if self.opponent != _UNTRAINED:
            super().check(context)

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        try:
            model, faults = self._trained(submission, context)
        except InvalidResultError as error:
            return QuestionOutcome(0.0, str(error))
        if not faults:
            return self._match(self._playing(model, context), context, findings)
        words = f"{plural(len(faults), 'call')} of the training failed and decided nothing: "
        words += describe_fault(faults[0], self.seconds)
        findings.append(Finding(words))
        outcome = self._match(self._playing(model, context), context, findings)
        return outcome._replace(words=f"{outcome.words}; {words}", fault=faults[0].kind)

    def train(self, submission: Submission, context: QuestionContext) -> Model:
        """Train a model with a submission's functions, within the question's ``seconds``.

        A fault costs what the call was to decide: turns are drawn with equal chances, or nothing is
        learned. Faults in the plan or at the start, faults that are late, and three in a row end
        the training.

        Args:
            submission: the submission whose functions are called.
            context: what all questions of the assignment depend on.

        Returns:
            The trained model.

        Raises:
            PlayerError: naming the submission's fault.
            InvalidResultError: if a function returned something that cannot be learned from.
        """
        return self._trained(submission, context)[0]

    def _trained(
        self, submission: Submission, context: QuestionContext
    ) -> tuple[Model, list[PlayerError]]:
        """Return the trained model, and the faults that were forgiven."""
        generator = np.random.default_rng(self.source(context).secret("training"))
        training = LinearTraining(context.spec, context.config, generator)
        with closing(self.client(submission, context)) as client:
            calls = _ForgivingCalls(client, context.spec.game_class(context.config))
            return training.run(self.training_games, calls), calls.faults

    def _opponent(self, context: QuestionContext) -> Player:
        if self.opponent != _UNTRAINED:
            return super()._opponent(context)
        untrained = LinearTraining(context.spec, context.config, np.random.default_rng(0))
        return self._playing(untrained.model(), context)

    def _playing(self, model: Model, context: QuestionContext) -> Player:
        agent = value_game(context.spec.name).player(model)
        return Player(
            self.player, context.spec.name, context.conditions, config=context.config, agent=agent
        )


class _ForgivingCalls:
    """Calls a submission's functions for a training, which goes on after a rare fault.

    Args:
        client: the conversation with the submission.
        game: a game of the assignment.

    Attributes:
        faults: the faults that were forgiven.
    """

    def __init__(self, client: SubmissionClient, game: BaseGame) -> None:
        self._client = client
        self._game = game
        self._faults_in_a_row = 0
        self.faults: list[PlayerError] = []

    def __call__(self, function: str, arguments: Sequence[Sequence[Any]]) -> list[Any] | None:
        """Return the result of each call; None for a fault that is forgiven."""
        try:
            results = self._client.call(self._game, function, arguments)
        except PlayerError as error:
            self._faults_in_a_row += 1
            is_last = self._faults_in_a_row >= MAX_FAULTS or error.kind == "timeout"
            if is_last or error.starting or function == "plan":
                raise
            self.faults.append(error)
            self._client.restart()
            return None
        self._faults_in_a_row = 0
        return results
