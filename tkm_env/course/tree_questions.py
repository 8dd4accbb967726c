"""Questions about game trees: counting, minimax, alpha-beta, and where something is drawn, expectimax and sampling."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, Final

from tkm_env.checks import checked_integer, checked_number
from tkm_env.course.game_tree import GameTree, alpha_beta, count_lines, expectimax, minimax, play_at_random
from tkm_env.course.marks import Finding
from tkm_env.course.position_questions import POSITIONS, PositionQuestion
from tkm_env.course.position_sampler import PositionSource, sample_draws, sample_prunable_roots, sample_roots
from tkm_env.course.question import QuestionContext
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.course.teaching_material import teaching_material
from tkm_env.errors import ConfigError
from tkm_env.game.base import BaseGame
from tkm_env.game.chance import ChanceState
from tkm_env.game.registry import GameSpec

_VALUE: Final = "its value at depth {depth} is {answer}"
#: How to find the right answer to each kind of question about trees, and the answer in words.
_SOLUTIONS: Final[dict[str, tuple[Callable[[GameTree, int], float], str]]] = {
    "count": (count_lines, "there are {answer} lines of {depth} actions"),
    "minimax": (minimax, _VALUE),
    "alphabeta": (alpha_beta, _VALUE),
    "expectimax": (expectimax, "its expected value at depth {depth} is {answer:.2f}"),
}
_TREE_KEYS: Final = {"depth": "how many actions deep", "positions": POSITIONS.format(4)}
#: How far the right answer may be from the grader's: an expected value is a sum of fractions.
_TOLERANCE: Final = 0.01


@dataclasses.dataclass(frozen=True, kw_only=True)
class TreeQuestion(PositionQuestion):
    """A question about game trees."""

    depth: int
    positions: int | tuple[str, ...] = 4

    keys: ClassVar = _TREE_KEYS

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("depth", self.depth, 1, 64)

    def _ask_each(self, client: SubmissionClient, context: QuestionContext) -> Iterator[Finding | None]:
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
            due = ("before a draw, so that the cards last drawn are not known yet",) if isinstance(root, ChanceState) else ()
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
    meaning = "`count(node, depth)` returns how many lines of exactly `depth` actions there are"
    usual_hint = "Count by hand two actions deep: each child counts the lines below it, and one that ends earlier counts none."


class MinimaxQuestion(TreeQuestion):
    """Finding the value of a position if both sides play their best."""

    kind = "minimax"
    meaning = "`minimax(node, depth)` returns the value of a position if both sides play their best for `depth` actions"
    usual_hint = (
        "A side acts several times in a row: ask each node whether it maximizes, and for its value only where the search ends."
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaBetaQuestion(TreeQuestion):
    """Finding the minimax value from few visited positions."""

    visits: float = 1.0

    kind = "alphabeta"
    meaning = (
        "`alphabeta(node, depth)` returns the minimax value and visits few positions: those whose children or value it asks for, counted by"
        " the grader"
    )
    usual_hint = (
        "Hand both bounds down, and look at no more children once they meet: a right value from too many is pruned too little."
    )
    keys: ClassVar = {
        **_TREE_KEYS,
        "visits": "how many positions may be visited, as a multiple of those that plain alpha-beta visits, which takes children in their"
        " order; by default 1; in sampled positions minimax visits twice as many at least",
    }

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

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("positions", self.positions, 1, 200)

    def check(self, spec: GameSpec, config: Any) -> None:
        if not spec.game_class.hides():
            raise ConfigError("kind", self.kind, f"nothing is drawn during a game of {spec.title}")


class ExpectimaxQuestion(_ChanceQuestion):
    """Finding the expected value of a position if both sides play their best."""

    kind = "expectimax"
    meaning = (
        "`expectimax(node, depth)` returns the expected value of a position if both sides play their best for `depth` actions; a draw is"
        " no action"
    )
    usual_hint = "At a draw, weigh the value below each outcome with its probability, at the same depth: nobody has acted."
    keys: ClassVar = {
        "depth": "how many actions deep; draws are no actions",
        "positions": "how many positions to sample; by default 4",
    }

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_draws(source, count, self.depth)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EstimateQuestion(_ChanceQuestion):
    """Estimating an expected value from a sample, since the tree is too large to be visited."""

    visits: int

    kind = "estimate"
    meaning = (
        "`estimate(node, depth)` returns about what a position is worth on average after `depth` random actions, each legal one equally"
        " likely, and visits only a part of the tree; it may be off by three standard errors of as many random lines of play as that"
    )
    usual_hint = (
        "Walk down at random again and again, by the probabilities at a draw, and take the mean: is every legal action as likely?"
    )
    keys: ClassVar = {
        **ExpectimaxQuestion.keys,
        "visits": "how many positions may be visited; the trees have at least four times as many",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("visits", self.visits, 10, 100_000)

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_draws(source, count, self.depth, self.visits)

    def _max_visits(self, reference: GameTree) -> float:
        return self.visits

    def _mistake(self, answer: float | None, reference: GameTree) -> str:
        average, error = play_at_random(reference, self.depth, self.visits)
        if answer is not None and abs(answer - average) <= 3 * error:
            return ""
        given = "no answer yet" if answer is None else f"the estimate {answer:.0f} is too far off"
        return (
            f"{given}; after {self.depth} random actions it is worth {average:.0f} on average; {3 * error:.0f} more or less will do"
        )


#: All kinds of these questions.
TREE_QUESTIONS: Final = (CountQuestion, MinimaxQuestion, AlphaBetaQuestion, ExpectimaxQuestion, EstimateQuestion)
