"""Questions about single positions: which is better, how to play a turn, and what a search of the tree below finds."""

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, ClassVar, Final, TypeVar

from tkm_env.core.chance import ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions, unfinished_game
from tkm_env.core.registry import GameSpec
from tkm_env.course.game_tree import GameTree, alpha_beta, count_lines, expectimax, play_at_random
from tkm_env.course.marks import Finding
from tkm_env.course.materials import teaching_material
from tkm_env.course.position_sampler import (
    PositionSource,
    is_lost_within,
    sample_draws,
    sample_pairs,
    sample_prunable_roots,
    sample_roots,
    sample_tactics,
)
from tkm_env.course.question import Outcome, Question, QuestionContext
from tkm_env.course.question_protocol import Ask
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.solvers import SOLVERS

_Root = TypeVar("_Root")
_VALUE: Final = "its value at depth {depth} is {answer}"
#: How to find the right answer to each kind of question about trees, and the answer in words.
_SOLUTIONS: Final[dict[str, tuple[Callable[[GameTree, int], float], str]]] = {
    "count": (count_lines, "there are {answer} lines of {depth} actions"),
    "minimax": (expectimax, _VALUE),
    "alphabeta": (alpha_beta, _VALUE),
    "expectimax": (expectimax, "its expected value at depth {depth} is {answer:.2f}"),
}
#: How far the right answer may be from the grader's: an expected value is a sum of fractions.
_TOLERANCE: Final = 0.01


@dataclasses.dataclass(frozen=True, kw_only=True)
class PositionQuestion(Question):
    """A question whose share is that of the positions, or pairs of positions, that the submission gets right."""

    positions: int | tuple[str, ...]

    #: What is asked about, and whether its file may list them instead of how many to sample.
    item: ClassVar[str] = "position"
    may_list: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.positions
        if (
            self.may_list
            and isinstance(given, (list, tuple))
            and given
            and all(isinstance(text, str) for text in given)
        ):
            object.__setattr__(self, "positions", tuple(given))
        elif self.may_list and isinstance(given, (list, tuple, str)):
            raise ConfigError(
                "positions", given, "it must be a whole number, or a list of positions in text"
            )
        else:
            object.__setattr__(self, "positions", checked_integer("positions", given, 1, 200))

    def check(self, spec: GameSpec, config: Any) -> None:
        if isinstance(self.positions, tuple):
            InitialPositions(spec.game_class, config, positions=self.positions)

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> Outcome:
        generator = self.source(context).submission_generator()
        total = 0
        with closing(SubmissionClient(submission, context, self.seconds, generator)) as client:
            for finding in self._ask_each(client, context):
                total += 1
                findings += [finding] if finding else []
        right = total - len(findings)
        return Outcome(right / total, f"{right} of {total} {self.item}s right")

    @abstractmethod
    def _ask_each(
        self, client: SubmissionClient, context: QuestionContext
    ) -> Iterator[Finding | None]:
        """Ask about each item in turn; yields the mistake, or None if the answer is right."""

    def _games(
        self, context: QuestionContext, sample: Callable[[int], Sequence[_Root]]
    ) -> Sequence[_Root | BaseGame]:
        """The games at its positions, which are sampled unless they are listed."""
        if isinstance(self.positions, int):
            return sample(self.positions)
        return [
            unfinished_game(context.spec.game_class, context.config, text)
            for text in self.positions
        ]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationQuestion(PositionQuestion):
    """Telling which of two positions is better."""

    positions: int = 20

    kind = "evaluate"
    item = "pair"
    may_list = False

    def _ask_each(
        self, client: SubmissionClient, context: QuestionContext
    ) -> Iterator[Finding | None]:
        source = self.source(context)
        order = source.submission_generator()
        for better, worse, (high, low) in sample_pairs(source, self.positions):
            # In random order, so that the order gives nothing away.
            games = (worse, better) if order.integers(2) else (better, worse)
            value = {
                id(game): client.ask(game, Ask(self.kind, game.visible_position)) for game in games
            }
            first, second = value[id(better)], value[id(worse)]
            if first is not None and second is not None and first > second:
                yield None
                continue
            side = context.spec.players[0]
            words = f"it says {first} for the better position for {side}, and {second} for the worse one"
            captions = tuple(
                f"{word} for {side}, who gets {share:.0%} of the points"
                for word, share in (("better", high), ("worse", low))
            )
            yield Finding(words, (better.visible_position, worse.visible_position), captions)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TacticsQuestion(PositionQuestion):
    """Finding a forced win."""

    turns: int = 1
    positions: int | tuple[str, ...] = 8

    kind = "tactics"
    ranges: ClassVar = {"turns": (1, 3)}

    def check(self, spec: GameSpec, config: Any) -> None:
        super().check(spec, config)
        if self.turns > 1 and SOLVERS.of(spec).analyse is None:
            raise ConfigError(
                "turns",
                self.turns,
                f"it must be 1: {spec.title} has no analysis to prove longer wins",
            )

    def _ask_each(
        self, client: SubmissionClient, context: QuestionContext
    ) -> Iterator[Finding | None]:
        source = self.source(context)
        for game in self._games(context, lambda count: sample_tactics(source, count, self.turns)):
            after = game.copy()
            client.play_turn(after)
            is_still_won = (
                after.result is None
                and self.turns > 1
                and is_lost_within(context.spec, after, self.turns - 1)
            )
            if after.winner == game.to_act or is_still_won:
                yield None
                continue
            played = "; ".join(after.action_names[action] for action in after.history)
            yield Finding(
                f"{game.to_act} can force a win, but not by {played}", (game.visible_position,)
            )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TreeQuestion(PositionQuestion):
    """A question about game trees."""

    depth: int
    positions: int | tuple[str, ...] = 4

    ranges: ClassVar = {"depth": (1, 64)}

    def _ask_each(
        self, client: SubmissionClient, context: QuestionContext
    ) -> Iterator[Finding | None]:
        source = self.source(context)
        worth = teaching_material(context.spec).worth
        for root in self._games(context, lambda count: self._roots(source, count)):
            game = root.game if isinstance(root, ChanceState) else root
            tree, reference = (GameTree(root, worth, source.tree_secret) for _ in range(2))
            answer = client.ask(game, tree.ask(self.kind, self.depth), tree)
            words = self._mistake(answer, reference)
            limit = self._max_visits(reference)
            if not words and len(tree.visited) > limit:
                words = f"{len(tree.visited)} positions visited; at most {limit} may be"
            due = (
                ("before a draw, so that the cards last drawn are not known yet",)
                if isinstance(root, ChanceState)
                else ()
            )
            yield Finding(words, (game.visible_position,), due) if words else None

    def _mistake(self, answer: float | None, reference: GameTree) -> str:
        """What is wrong with an answer, given a tree that the grader searches; empty if nothing is."""
        solve, solution = _SOLUTIONS[self.kind]
        expected = solve(reference, self.depth)
        if answer is not None and abs(answer - expected) <= _TOLERANCE:
            return ""
        given = "no answer yet" if answer is None else f"the answer {answer} is wrong"
        return f"{given}; {solution.format(depth=self.depth, answer=expected)}"

    def _roots(self, source: PositionSource, count: int) -> Sequence[BaseGame | ChanceState]:
        """Positions to ask about."""
        return sample_roots(source, count, self.depth)

    def _max_visits(self, reference: GameTree) -> float:
        """How many positions may be visited, given a tree that the grader has searched."""
        return math.inf


class CountQuestion(TreeQuestion):
    """Counting the lines of play."""

    kind = "count"


class MinimaxQuestion(TreeQuestion):
    """Finding the value of a position if both sides play their best."""

    kind = "minimax"


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaBetaQuestion(TreeQuestion):
    """Finding the minimax value from few visited positions."""

    visits: float = 1.0

    kind = "alphabeta"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_number("visits", self.visits, 0, 1000)

    def _roots(self, source: PositionSource, count: int) -> Sequence[BaseGame | ChanceState]:
        return sample_prunable_roots(source, count, self.depth, self.visits)

    def _max_visits(self, reference: GameTree) -> float:
        return int(self.visits * len(reference.visited))


@dataclasses.dataclass(frozen=True, kw_only=True)
class _ChanceQuestion(TreeQuestion):
    """A question about trees with draws; their roots are draws that are due."""

    positions: int = 4

    may_list = False

    def check(self, spec: GameSpec, config: Any) -> None:
        if not spec.game_class.hides():
            raise ConfigError("kind", self.kind, f"nothing is drawn during a game of {spec.title}")


class ExpectimaxQuestion(_ChanceQuestion):
    """Finding the expected value of a position if both sides play their best."""

    kind = "expectimax"

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_draws(source, count, self.depth)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EstimateQuestion(_ChanceQuestion):
    """Estimating an expected value from a sample, since the tree is too large to be visited."""

    visits: int

    kind = "estimate"
    ranges: ClassVar = {**TreeQuestion.ranges, "visits": (10, 100_000)}

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_draws(source, count, self.depth, self.visits)

    def _max_visits(self, reference: GameTree) -> float:
        return self.visits

    def _mistake(self, answer: float | None, reference: GameTree) -> str:
        average, error = play_at_random(reference, self.depth, self.visits)
        if answer is not None and abs(answer - average) <= 3 * error:
            return ""
        given = "no answer yet" if answer is None else f"the estimate {answer:.0f} is too far off"
        return f"{given}; after {self.depth} random actions it is worth {average:.0f} on average; {3 * error:.0f} more or less will do"


#: All kinds of these questions.
POSITION_QUESTIONS: Final = (
    *(CountQuestion, MinimaxQuestion, AlphaBetaQuestion, ExpectimaxQuestion, EstimateQuestion),
    *(EvaluationQuestion, TacticsQuestion),
)
