"""Questions about functions: each called with drawn arguments, and all together as what the grader learns with.

What a submission returns is compared with what the functions here do. A value is the chance to win of the side to act, from -1 (it loses)
to 1 (it wins). A position is a list of the numbers of its active features; its value is the hyperbolic tangent of the sum of their weights
(Sutton and Barto, "Reinforcement Learning", 2018, 9 and 12).
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import partial
from typing import Any, ClassVar, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tkm_env.arena.referee import Player
from tkm_env.core.registry import GameSpec
from tkm_env.course.linear_training import InvalidResultError, LinearTraining, as_array
from tkm_env.course.marks import Finding
from tkm_env.course.match_question import MatchQuestion
from tkm_env.course.question import TEXTS, Outcome, Question, QuestionContext
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.errors import ConfigError, repr_of
from tkm_env.learn.value_training import value_game
from tkm_env.players.model_file import Model

_FEATURES: Final = 40


def draw_chances(deck: int, wanted: int, draws: int) -> list[float]:
    """The probability of each number of wanted cards, from 0 to ``draws``, among the cards that are drawn: hypergeometric."""
    ways = [
        math.comb(wanted, found) * math.comb(deck - wanted, draws - found)
        for found in range(draws + 1)
    ]
    return [number / math.comb(deck, draws) for number in ways]


def lambda_returns(values: Any, result: float, trace: float) -> list[float]:
    """What to learn each value from: the result at the end, else ``1 - trace`` of the next value and ``trace`` of the next target."""
    targets = [float(result)] * len(values)
    for number in range(len(values) - 2, -1, -1):
        targets[number] = (1 - trace) * values[number + 1] + trace * targets[number + 1]
    return targets


def turn_chances(values: Any, temperature: float) -> NDArray[np.float64]:
    """The chance of each turn: proportional to the exponential of its value divided by the temperature."""
    scaled = np.asarray(values, np.float64) / temperature
    odds = np.exp(scaled - scaled.max())
    chances: NDArray[np.float64] = odds / odds.sum()
    return chances


def update(weights: Any, positions: Any, targets: Any, rate: float) -> NDArray[np.float64]:
    """The weights after a step along the gradient of half the squared errors, summed over the positions."""
    before = np.asarray(weights, np.float64)
    after: NDArray[np.float64] = before.copy()
    for active, target in zip(positions, targets, strict=True):
        value = math.tanh(before[active].sum())
        after[active] += rate * (target - value) * (1 - value * value)
    return after


def interval(points: Any) -> tuple[float, float]:
    """A 95% interval of a player's share of the points, from those of each pair of games, 0 to 2: 1.96 standard errors to both sides."""
    shares = np.asarray(points, np.float64) / 2
    margin = 1.96 * shares.std(ddof=1) / math.sqrt(len(shares))
    return max(0.0, shares.mean() - margin), min(1.0, shares.mean() + margin)


class FunctionTask(NamedTuple):
    """A function that a submission writes; the texts of the kind say what it returns."""

    draw: Callable[[np.random.Generator], list[Any]]  # draws arguments of one call
    solve: Callable[..., Any]  # the function itself


def _draw_deck(generator: np.random.Generator) -> list[int]:
    deck = int(generator.integers(3, 17))
    return [deck, int(generator.integers(1, deck)), int(generator.integers(1, 4))]


def _draw_values(generator: np.random.Generator) -> list[float]:
    drawn: list[float] = generator.uniform(-1, 1, int(generator.integers(2, 30))).round(6).tolist()
    return drawn


def _draw_update(generator: np.random.Generator) -> list[Any]:
    count = int(generator.integers(2, 8))
    positions = [
        generator.choice(_FEATURES, int(generator.integers(3, 12)), replace=False).tolist()
        for _ in range(count)
    ]
    weights, targets = (
        generator.normal(0, 0.3, _FEATURES).round(6),
        generator.uniform(-1, 1, count).round(6),
    )
    return [weights.tolist(), positions, targets.tolist(), float(generator.uniform(0.01, 0.2))]


#: By the name of the function.
TASKS: Final[Mapping[str, FunctionTask]] = {
    "draw_chances": FunctionTask(_draw_deck, draw_chances),
    "lambda_returns": FunctionTask(
        lambda generator: [
            _draw_values(generator),
            float(generator.integers(-1, 2)),
            float(generator.uniform(0, 1)),
        ],
        lambda_returns,
    ),
    "turn_chances": FunctionTask(
        lambda generator: [_draw_values(generator), float(10 ** generator.uniform(-3.5, -0.3))],
        turn_chances,
    ),
    "update": FunctionTask(_draw_update, update),
    "interval": FunctionTask(
        lambda generator: [(generator.integers(0, 5, int(generator.integers(4, 60))) / 2).tolist()],
        interval,
    ),
}
#: An opponent besides the game's own players.
_UNTRAINED = "untrained"
#: How far a right answer may be from the grader's.
_TOLERANCE = 1e-6
_TEXTS: Final = TEXTS["kinds"]["function"]
assert all(f"`{name}`" in _TEXTS["keys"]["function"] for name in TASKS)


@dataclasses.dataclass(frozen=True, kw_only=True)
class FunctionQuestion(Question):
    """A function, called with arguments that are drawn from the seed."""

    function: str
    cases: int = 20

    kind = "function"
    ranges: ClassVar = {"cases": (1, 1000)}

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.function not in TASKS:
            raise ConfigError(
                "function", self.function, f"it must be {', '.join(map(repr, TASKS))}"
            )
        object.__setattr__(self, "meaning", _TEXTS["functions"][self.function])

    def check(self, spec: GameSpec, config: Any) -> None:
        """It can be asked about any game."""

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> Outcome:
        task, source = TASKS[self.function], self.source(context)
        generator = np.random.default_rng(source.secret("cases"))
        cases = [task.draw(generator) for _ in range(self.cases)]
        game = context.spec.game_class(context.config)
        with closing(
            SubmissionClient(submission, context, self.seconds, source.submission_generator())
        ) as client:
            answers = client.call(game, self.function, cases)
        for case, answer in zip(cases, answers, strict=True):
            expected = np.asarray(task.solve(*case), np.float64)
            numbers = as_array(answer, len(expected))
            if numbers is None or not np.allclose(numbers, expected, rtol=0, atol=_TOLERANCE):
                given = "no answer yet" if answer is None else f"{repr_of(answer)} is wrong"
                arguments = ", ".join(map(repr_of, case))
                findings.append(
                    Finding(
                        f"{self.function}({arguments}): {given}; it is {repr_of(expected.round(6).tolist())}"
                    )
                )
        right = self.cases - len(findings)
        return Outcome(right / self.cases, f"{right} of {self.cases} calls right")


@dataclasses.dataclass(frozen=True, kw_only=True)
class TrainingQuestion(MatchQuestion):
    """A match of what the grader trains with the submission's functions: the grader plays the games of self-play and keeps the weights."""

    player: str = "net:file=value.npz"
    training_games: int = 2_000

    kind = "training"
    ranges: ClassVar = {"training_games": (1, 10**6)}

    def check(self, spec: GameSpec, config: Any) -> None:
        value_game(spec.name)
        if self.opponent != _UNTRAINED:
            super().check(spec, config)

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> Outcome:
        try:
            return super().ask(submission, context, findings)
        except InvalidResultError as error:
            return Outcome(0.0, str(error))

    def train(self, submission: Submission, context: QuestionContext) -> Model:
        """The model that a submission's functions learn in ``seconds``. Raises a `PlayerError` naming its fault, and an
        `InvalidResultError` if nothing can be learned with what a function returns.
        """
        source, spec = self.source(context), context.spec
        game, generator = (
            spec.game_class(context.config),
            np.random.default_rng(source.secret("training")),
        )
        with closing(
            SubmissionClient(submission, context, self.seconds, source.submission_generator())
        ) as client:
            return LinearTraining(spec, context.config, generator).run(
                self.training_games, partial(client.call, game)
            )

    def _player(self, submission: Submission, context: QuestionContext) -> Player:
        return self._playing(self.train(submission, context), context)

    def _opponent(self, context: QuestionContext) -> Player:
        if self.opponent != _UNTRAINED:
            return super()._opponent(context)
        return self._playing(
            LinearTraining(context.spec, context.config, np.random.default_rng(0)).model(), context
        )

    def _playing(self, model: Model, context: QuestionContext) -> Player:
        agent = value_game(context.spec.name).player(model)
        return Player(
            self.player, context.spec.name, context.conditions, config=context.config, agent=agent
        )
