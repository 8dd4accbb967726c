"""Questions about functions: each called on its own, or all of them in a training.

The results of a submission's function are compared with those of the solution in `function_tasks`.
"""

import dataclasses
from contextlib import closing
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tkm_env.arena.playing.referee import Player
from tkm_env.course.questions.function_tasks import TASKS
from tkm_env.course.questions.linear_training import InvalidResultError, LinearTraining, as_array
from tkm_env.course.questions.marks import Finding
from tkm_env.course.questions.match_question import MatchQuestion
from tkm_env.course.questions.question import Answered, Question, QuestionContext, QuestionOutcome
from tkm_env.course.submission import Submission
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
            return super().ask(submission, context, findings)
        except InvalidResultError as error:
            return QuestionOutcome(0.0, str(error))

    def train(self, submission: Submission, context: QuestionContext) -> Model:
        """Train a model with a submission's functions, within the question's ``seconds``.

        Args:
            submission: the submission whose functions are called.
            context: what all questions of the assignment depend on.

        Returns:
            The trained model.

        Raises:
            PlayerError: naming the submission's fault.
            InvalidResultError: if a function returned something that cannot be learned from.
        """
        source, spec = self.source(context), context.spec
        game = spec.game_class(context.config)
        generator = np.random.default_rng(source.secret("training"))
        training = LinearTraining(spec, context.config, generator)
        with closing(self.client(submission, context)) as client:
            return training.run(self.training_games, partial(client.call, game))

    def _player(self, submission: Submission, context: QuestionContext) -> Player:
        return self._playing(self.train(submission, context), context)

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
