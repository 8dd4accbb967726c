"""Questions about positions: comparing them, finding tactics, searching game trees."""

import dataclasses
import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any, ClassVar, Final, NamedTuple, TypeVar

from tkm_env.core.chance import ChanceState
from tkm_env.core.game import BaseGame
from tkm_env.core.initial_positions import InitialPositions, unfinished_game
from tkm_env.core.registry import GameSpec
from tkm_env.course.game_tree import (
    GameTree,
    TreeSizeError,
    alpha_beta,
    alternating_minimax,
    count_lines,
    expectimax,
    play_at_random,
    swapped_minimax,
)
from tkm_env.course.materials import teaching_material
from tkm_env.course.question_protocol import Ask
from tkm_env.course.questions.marks import Finding
from tkm_env.course.questions.position_sampler import (
    Pair,
    is_lost_within,
    sample_draws,
    sample_estimable_draws,
    sample_pairs,
    sample_prunable_roots,
    sample_roots,
    sample_tactics,
)
from tkm_env.course.questions.position_source import PositionSource
from tkm_env.course.questions.question import (
    Answered,
    Question,
    QuestionContext,
    QuestionOutcome,
    plural,
)
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.checks import checked_integer, checked_number
from tkm_env.foundations.errors import ConfigError, PlayerError
from tkm_env.players.solvers import SOLVERS

_Root = TypeVar("_Root")


class Judgement(NamedTuple):
    """What an answer about one item is worth.

    Attributes:
        share: how right it is, from 0 to 1.
        words: what is wrong with it, in a sentence without its full stop; empty for nothing.
        hint: what to look at, in a sentence; empty for the hint of the question.
    """

    share: float
    words: str = ""
    hint: str = ""


RIGHT: Final = Judgement(1.0)
#: The caption of a position at which something is to be drawn.
_BEFORE_DRAW: Final = "before a draw: the cards last drawn are not known yet"
#: The largest difference between a right answer and the grader's: an expected value is a sum of
#: fractions.
_TOLERANCE: Final = 0.01


@dataclasses.dataclass(frozen=True, kw_only=True)
class PositionQuestion(Question):
    """A question about positions, or pairs of them, marked by the share of right answers."""

    positions: int | tuple[str, ...]

    #: What is asked about.
    item: ClassVar[str] = "position"
    #: Whether the assignment may list the positions, instead of the number to sample.
    may_list: ClassVar[bool] = True

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.positions
        if self.may_list and isinstance(given, (list, tuple, str)):
            checked: int | tuple[str, ...] = _checked_listed(given)
        else:
            checked = checked_integer("positions", given, 1, 200)
        object.__setattr__(self, "positions", checked)

    def check(self, context: QuestionContext) -> None:
        if isinstance(self.positions, tuple):
            InitialPositions(context.spec.game_class, context.config, positions=self.positions)

    def ask(
        self, submission: Submission, context: QuestionContext, findings: list[Finding]
    ) -> QuestionOutcome:
        items = self._items(context)
        answered = Answered(len(items), self.item, findings, self.seconds)
        with closing(self.client(submission, context)) as client:
            for item in items:
                try:
                    verdict = self._ask_about(item, client, context)
                except PlayerError as error:
                    answered.add_fault(error, self._finding("", item, context))
                    client.restart()
                else:
                    is_wrong = verdict.share < 1
                    finding = self._finding(verdict.words, item, context) if is_wrong else None
                    answered.add(verdict.share, finding, verdict.hint)
                if answered.is_over:
                    break
        return answered.outcome()

    @abstractmethod
    def _items(self, context: QuestionContext) -> Sequence[Any]:
        """Return what is asked about, one after the other."""

    @abstractmethod
    def _ask_about(
        self, item: Any, client: SubmissionClient, context: QuestionContext
    ) -> Judgement:
        """Ask about an item, and judge the answer."""

    def _finding(self, words: str, item: Any, context: QuestionContext) -> Finding:
        """Show an item, with what is wrong with the answer."""
        return Finding(words, (item.visible_position,))

    def _games(
        self, context: QuestionContext, sample: Callable[[int], Sequence[_Root]]
    ) -> Sequence[_Root | BaseGame]:
        """Return the games at the question's positions, which are sampled unless listed."""
        if isinstance(self.positions, int):
            return sample(self.positions)
        return [
            unfinished_game(context.spec.game_class, context.config, text)
            for text in self.positions
        ]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationQuestion(PositionQuestion):
    """A question that asks which of two positions is better."""

    positions: int = 20

    kind = "evaluate"
    meaning = (
        "`evaluate(game)` returns a number that is higher the better the position is for the first "
        "player, `game.players[0]`; it is asked about pairs of positions, one of which brings that "
        "player far more points when `greedy` plays on from there"
    )
    usual_hint = (
        "What does the better position of each pair have more of? The number is from the first "
        "player's view, no matter who is to act."
    )
    keys: ClassVar = {
        "positions": "the number of pairs of positions to sample from the seed; by default 20"
    }
    item = "pair"
    may_list = False
    #: The function that answers.
    function: ClassVar[str] = "evaluate"

    def _items(self, context: QuestionContext) -> Sequence[tuple[Pair, bool]]:
        """Return pairs, and whether the submission is asked about the worse position first.

        The order is random, so that it reveals nothing.
        """
        source = self.source(context)
        order = source.submission_generator()
        return [(pair, order.integers(2) == 1) for pair in sample_pairs(source, self.positions)]

    def _ask_about(
        self, item: Any, client: SubmissionClient, context: QuestionContext
    ) -> Judgement:
        (better, worse, _), is_worse_first = item
        games = (worse, better) if is_worse_first else (better, worse)
        values = [client.ask(game, Ask(self.function, game.visible_position)) for game in games]
        of_worse, of_better = values if is_worse_first else reversed(values)
        if of_better is None or of_worse is None:
            return Judgement(0.0, "no answer yet")
        if of_better > of_worse:
            return RIGHT
        side = context.spec.players[0]
        return Judgement(
            0.0,
            f"it returns {of_better} for the position that is better for {side}, "
            f"and {of_worse} for the worse one",
        )

    def _finding(self, words: str, item: Any, context: QuestionContext) -> Finding:
        (better, worse, (high, low)), _ = item
        side = context.spec.players[0]
        return Finding(
            words,
            (better.visible_position, worse.visible_position),
            (
                f"better for {side}, who gets {high:.0%} of the points",
                f"worse for {side}, who gets {low:.0%} of the points",
            ),
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class TacticsQuestion(PositionQuestion):
    """A question that asks for a forced win."""

    turns: int = 1
    positions: int | tuple[str, ...] = 8

    kind = "tactics"
    meaning = "`Bot` plays a turn in positions where only a few ways to play it force a win"
    usual_hint = (
        "Try every way to play the whole turn, not only the next action, and see where it leaves "
        "the opponent."
    )
    keys: ClassVar = {
        "positions": (
            "the number of positions to sample from the seed, or a list of positions in text; by "
            "default 8"
        ),
        "turns": (
            "the number of the side's own turns within which the win is forced; by default 1, this "
            "turn; more only if the game has an analysis"
        ),
    }
    ranges: ClassVar = {"turns": (1, 3)}

    def check(self, context: QuestionContext) -> None:
        super().check(context)
        if self.turns > 1 and SOLVERS.of(context.spec).analyse is None:
            raise ConfigError(
                "turns",
                self.turns,
                f"it must be 1, since {context.spec.title} has no analysis to prove longer wins",
            )

    def _items(self, context: QuestionContext) -> Sequence[BaseGame]:
        source = self.source(context)
        return self._games(context, lambda count: sample_tactics(source, count, self.turns))

    def _ask_about(
        self, item: Any, client: SubmissionClient, context: QuestionContext
    ) -> Judgement:
        after = item.copy()
        client.play_turn(after)
        if self._is_won(context.spec, after, item.to_act):
            return RIGHT
        played = "; ".join(after.action_names[action] for action in after.history)
        return Judgement(0.0, f"{item.to_act} can force a win, but not with {played}")

    def _is_won(self, spec: GameSpec, after: BaseGame, side: str) -> bool:
        """Whether a side has won with its turn, or can still force a win in the turns left."""
        if after.result is not None or self.turns == 1:
            return after.winner == side
        return is_lost_within(spec, after, self.turns - 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TreeQuestion(PositionQuestion):
    """A question about game trees."""

    depth: int
    positions: int | tuple[str, ...] = 4

    #: The function that answers; by default the one named after the kind.
    function: ClassVar[str] = ""
    #: The right answer in words, with ``{answer}`` and ``{depth}``.
    solution: ClassVar[str] = "its value at depth {depth} is {answer}"

    keys: ClassVar = {
        "depth": "the depth of the tree, in actions",
        "positions": (
            "the number of positions to sample from the seed, or a list of positions in text; by "
            "default 4"
        ),
    }
    ranges: ClassVar = {"depth": (1, 64)}

    def _items(self, context: QuestionContext) -> Sequence[BaseGame | ChanceState]:
        source = self.source(context)
        return self._games(context, lambda count: self._roots(source, count))

    def _ask_about(
        self, item: Any, client: SubmissionClient, context: QuestionContext
    ) -> Judgement:
        worth = teaching_material(context.spec).worth
        secret = self.source(context).tree_secret
        tree, reference = (GameTree(item, worth, secret) for _ in range(2))
        answer = client.ask(_game_at(item), tree.ask(self.function, self.depth), tree)
        verdict = self._judge(answer, reference)
        limit = self._max_visits(reference)
        if verdict == RIGHT and len(tree.visited) > limit:
            return self._judge_visits(len(tree.visited), int(limit))
        return verdict

    def _finding(self, words: str, item: Any, context: QuestionContext) -> Finding:
        captions = (_BEFORE_DRAW,) if isinstance(item, ChanceState) else ()
        return Finding(words, (_game_at(item).visible_position,), captions)

    def _judge(self, answer: float | None, reference: GameTree) -> Judgement:
        """Judge an answer; the grader finds the right one by searching ``reference``."""
        expected = self._solve(reference)
        if answer is None:
            return Judgement(0.0, f"no answer yet; {self._in_words(expected)}")
        if abs(answer - expected) <= _TOLERANCE:
            return RIGHT
        hint = ""
        with suppress(TreeSizeError):  # it has been too large to search
            known = self._known_mistakes(reference).items()
            hint = next((hint for hint, wrong in known if answer == wrong()), "")
        return Judgement(0.0, f"the answer {answer} is wrong; {self._in_words(expected)}", hint)

    def _in_words(self, answer: float) -> str:
        """State the right answer."""
        return self.solution.format(depth=self.depth, answer=answer)

    def _known_mistakes(self, reference: GameTree) -> Mapping[str, Callable[[], float]]:
        """Return what gives away each usual mistake: the answer to which it leads, by its hint."""
        return {}

    def _judge_visits(self, visited: int, limit: int) -> Judgement:
        """Judge a right answer for which too many positions were visited."""
        return Judgement(
            0.0, f"the answer is right, but {_visited(visited)}; at most {limit:,} are allowed"
        )

    def _solve(self, tree: GameTree) -> float:
        """Search a tree for the right answer."""
        return expectimax(tree, self.depth)

    def _roots(self, source: PositionSource, count: int) -> Sequence[BaseGame | ChanceState]:
        """Sample the positions to ask about."""
        return sample_roots(source, count, self.depth)

    def _max_visits(self, reference: GameTree) -> float:
        """Return the most positions that may be visited, given a tree the grader has searched."""
        return math.inf


def _game_at(root: BaseGame | ChanceState) -> BaseGame:
    """The game at the root of a tree."""
    game: BaseGame = root.game if isinstance(root, ChanceState) else root
    return game


def _visited(count: int) -> str:
    return f"{plural(count, 'position')} {'was' if count == 1 else 'were'} visited"


class CountQuestion(TreeQuestion):
    """A question that asks to count lines of play."""

    kind = "count"
    function = "count"
    meaning = "`count(node, depth)` returns how many lines of exactly `depth` actions there are"
    usual_hint = (
        "Count two actions deep by hand: a node's count is the sum of its children's counts, and a "
        "line that ends early counts 0."
    )
    solution = "there are {answer} lines of {depth} actions"

    def _solve(self, tree: GameTree) -> float:
        return count_lines(tree, self.depth)

    def _known_mistakes(self, reference: GameTree) -> Mapping[str, Callable[[], float]]:
        return {
            "That is the number of lines that are one action longer: where does your depth end?": (
                lambda: count_lines(reference, self.depth + 1)
            ),
            "That is the number of lines that are one action shorter: where does your depth end?": (
                lambda: count_lines(reference, self.depth - 1) if self.depth > 1 else 1
            ),
        }


class MinimaxQuestion(TreeQuestion):
    """A question that asks for the value of a position if both sides play their best."""

    kind = "minimax"
    function = "minimax"
    meaning = (
        "`minimax(node, depth)` returns the value of a position if both sides play their best for "
        "`depth` actions"
    )
    usual_hint = (
        "A side acts several times in a row: ask each node whether it maximizes, and ask for its "
        "value only where the search ends."
    )

    def _known_mistakes(self, reference: GameTree) -> Mapping[str, Callable[[], float]]:
        return _mistakes_of_minimax(reference, self.depth)


def _mistakes_of_minimax(reference: GameTree, depth: int) -> Mapping[str, Callable[[], float]]:
    """The values to which the usual mistakes in a search lead, by what to look at."""
    return {
        "That would be right if the sides took turns after every action. A side acts several times "
        "in a row: ask each node whether it maximizes.": (
            lambda: alternating_minimax(reference, depth)
        ),
        "That would be right for the other player to move: the first player wants the highest "
        "value, the second the lowest.": lambda: swapped_minimax(reference, depth),
        "That is the value with the wrong sign: values are those of the first player, no matter "
        "who is to act.": lambda: -expectimax(reference, depth),
        "That is the value one action less deep: where does your depth end?": (
            lambda: expectimax(reference, depth - 1)
        ),
        "That is the value of the position itself: it must come from the positions in which the "
        "search ends.": lambda: reference.value(0),
    }


@dataclasses.dataclass(frozen=True, kw_only=True)
class AlphaBetaQuestion(TreeQuestion):
    """A question that asks for the minimax value, with few visited positions."""

    visits: float = 1.0

    kind = "alphabeta"
    function = "alphabeta"
    meaning = (
        "`alphabeta(node, depth)` returns the minimax value and visits few positions: by default "
        "no more than plain alpha-beta, which searches children in the given order; a position is "
        "visited when its children or its value are asked for"
    )
    usual_hint = (
        "Without pruning it is minimax: first get that right, then pass both bounds down, and stop "
        "looking at children once they meet."
    )
    keys: ClassVar = {
        **TreeQuestion.keys,
        "visits": (
            "the number of positions that may be visited, as a multiple of the visits of plain "
            "alpha-beta, which searches children in the given order; by default 1; in sampled "
            "positions minimax visits at least twice as many"
        ),
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_number("visits", self.visits, 0, 1000)

    def _solve(self, tree: GameTree) -> float:
        return alpha_beta(tree, self.depth)

    def _roots(self, source: PositionSource, count: int) -> Sequence[BaseGame | ChanceState]:
        return sample_prunable_roots(source, count, self.depth, self.visits)

    def _max_visits(self, reference: GameTree) -> float:
        return int(self.visits * len(reference.visited))

    def _known_mistakes(self, reference: GameTree) -> Mapping[str, Callable[[], float]]:
        return _mistakes_of_minimax(reference, self.depth)

    def _judge_visits(self, visited: int, limit: int) -> Judgement:
        words = super()._judge_visits(visited, limit).words
        hint = (
            "The values are right, but too little is pruned: are both bounds passed down, and does "
            "the search stop looking at children as soon as they meet, also when they are equal?"
        )
        return Judgement(0.0, words, hint)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _ChanceQuestion(TreeQuestion):
    """A question about trees that begin with a draw."""

    positions: int = 4

    keys: ClassVar = {
        "depth": "the depth of the tree, in actions; random draws are not actions",
        "positions": "the number of positions to sample; by default 4",
    }
    may_list = False

    def check(self, context: QuestionContext) -> None:
        spec = context.spec
        if not spec.game_class.hides():
            raise ConfigError("kind", self.kind, f"nothing is drawn during a game of {spec.title}")


class ExpectimaxQuestion(_ChanceQuestion):
    """A question that asks for the expected value if both sides play their best."""

    kind = "expectimax"
    function = "expectimax"
    meaning = (
        "`expectimax(node, depth)` returns the expected value of a position if both sides play "
        "their best for `depth` actions; random draws are not actions"
    )
    usual_hint = (
        "At a draw, weight the value of each outcome by its probability, and keep the depth: no "
        "one has acted."
    )
    solution = "its expected value at depth {depth} is {answer:.2f}"

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_draws(source, count, self.depth)


@dataclasses.dataclass(frozen=True, kw_only=True)
class EstimateQuestion(_ChanceQuestion):
    """A question that asks for an estimate from a sample, since the tree is too large."""

    visits: int

    kind = "estimate"
    function = "estimate"
    meaning = (
        "`estimate(node, depth)` estimates the mean value of a position after `depth` random "
        "actions, each legal one equally likely, and visits only a part of the tree; it may be off "
        "by three standard errors of the random lines of play that fit into the allowed visits"
    )
    usual_hint = (
        "Walk down at random many times, choosing draws by their probabilities, and take the mean: "
        "is every legal action equally likely?"
    )
    keys: ClassVar = {
        **_ChanceQuestion.keys,
        "visits": (
            "the number of positions that may be visited; the trees have at least four times as "
            "many"
        ),
    }
    ranges: ClassVar = {**TreeQuestion.ranges, "visits": (10, 100_000)}

    def _roots(self, source: PositionSource, count: int) -> Sequence[ChanceState]:
        return sample_estimable_draws(source, count, self.depth, self.visits)

    def _max_visits(self, reference: GameTree) -> float:
        return self.visits

    def _judge(self, answer: float | None, reference: GameTree) -> Judgement:
        average, error = play_at_random(reference, self.depth, self.visits)
        if answer is not None and abs(answer - average) <= 3 * error:
            return RIGHT
        given = "no answer yet" if answer is None else f"the estimate {answer:.0f} is too far off"
        right = (
            f"the mean after {self.depth} random actions is {average:.0f}, and an error of "
            f"{3 * error:.0f} is allowed"
        )
        return Judgement(0.0, f"{given}; {right}")

    def _judge_visits(self, visited: int, limit: int) -> Judgement:
        words = super()._judge_visits(visited, limit).words
        hint = "The estimate is right, but looks at too much: walk down fewer times."
        return Judgement(0.0, words, hint)


def _checked_listed(given: Any) -> tuple[str, ...]:
    """Check a list of positions in text, at least one."""
    is_list = isinstance(given, (list, tuple)) and all(isinstance(text, str) for text in given)
    if not given or not is_list:
        raise ConfigError(
            "positions", given, "it must be an integer, or a list of positions in text"
        )
    return tuple(given)


#: All kinds of these questions.
POSITION_QUESTIONS: Final = (
    CountQuestion,
    MinimaxQuestion,
    AlphaBetaQuestion,
    ExpectimaxQuestion,
    EstimateQuestion,
    EvaluationQuestion,
    TacticsQuestion,
)
