"""What the staff derive questions of their own from.

A class in a Python file beside the assignment becomes a kind of question: positions or games go in,
points and feedback come out. The class runs in the grader; the submissions that it asks run
isolated, as for all other kinds.
"""

import dataclasses
from abc import abstractmethod
from collections.abc import Iterator, Sequence, Sized
from typing import Any, ClassVar, NamedTuple

import numpy as np

from tkm_env.core.game import BaseGame
from tkm_env.core.record_files import from_record
from tkm_env.course.game_tree import GameTree
from tkm_env.course.materials import teaching_material
from tkm_env.course.question_protocol import Ask
from tkm_env.course.questions.linear_training import InvalidResultError, as_array
from tkm_env.course.questions.match_question import SUBMISSION, MatchQuestion
from tkm_env.course.questions.position_questions import Judgement, PositionQuestion
from tkm_env.course.questions.position_sampler import sample_positions, take
from tkm_env.course.questions.question import QuestionContext
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.foundations.checks import real_number
from tkm_env.foundations.errors import ConfigError, PlayerError, repr_of

__all__ = ["Judgement", "StaffMatch", "StaffQuestion", "Student"]


class Searched(NamedTuple):
    """What a function of a submission returned that was given a tree.

    Attributes:
        answer: the number that it returned; None for no answer yet.
        visits: the number of positions whose children or value it asked for.
        tree: the tree, as the grader holds it.
    """

    answer: int | float | None
    visits: int
    tree: GameTree


class Student:
    """What a question of the staff's may ask of a submission.

    A fault in the submission ends the method with a `tkm_env.PlayerError`: leave it to the grader,
    which marks the position as wrong, says why, and goes on with the next.

    Args:
        client: the conversation with the submission.
        context: what the questions of the assignment depend on.
        secret: the key of the secret numbers in the values of trees.
    """

    def __init__(self, client: SubmissionClient, context: QuestionContext, secret: bytes) -> None:
        self._client = client
        self._context = context
        self._secret = secret

    def number(self, function: str, game: BaseGame) -> int | float | None:
        """Call a function of the submission with a game.

        Args:
            function: the name of the function in the submission's file.
            game: the game; the function gets a copy, without what its side cannot see.

        Returns:
            The number that it returned; None for no answer yet.
        """
        return self._client.ask(game, Ask(function, game.visible_position))

    def numbers(self, function: str, *arguments: Any) -> list[float] | None:
        """Call a function of the submission with any arguments.

        Args:
            function: the name of the function in the submission's file.
            *arguments: what JSON can hold: numbers, strings, lists, dicts.

        Returns:
            The list of finite numbers that it returned; None for no answer yet.

        Raises:
            PlayerError: if it returned anything else.
        """
        game = self._context.spec.game_class(self._context.config)
        answer = self._client.call(game, function, [arguments])[0]
        if answer is None:
            return None
        numbers = as_array(answer, len(answer)) if isinstance(answer, Sized) else None
        if numbers is None:
            reason = str(InvalidResultError(function, answer, "a list of finite numbers"))
            raise PlayerError(SUBMISSION, reason, "protocol")
        return [float(number) for number in numbers]

    def search(self, function: str, game: BaseGame, depth: int) -> Searched:
        """Call a function of the submission with the node of a position, and a depth.

        Args:
            function: the name of the function in the submission's file.
            game: the game at the root.
            depth: the depth, in actions.

        Returns:
            The answer, and what was visited for it.
        """
        tree = GameTree(game, teaching_material(self._context.spec).worth, self._secret)
        answer = self._client.ask(game, tree.ask(function, depth), tree)
        return Searched(answer, len(tree.visited), tree)

    def turn(self, game: BaseGame) -> BaseGame:
        """Let the submission's ``Bot`` play a turn.

        Args:
            game: the game, which is not changed.

        Returns:
            The game after the turn.
        """
        after = game.copy()
        self._client.play_turn(after)
        return after


@dataclasses.dataclass(frozen=True, kw_only=True)
class StaffQuestion(PositionQuestion):
    """A question of the staff's own, about positions.

    A class that is derived from it needs `judge`. Its docstring says what is asked, unless
    ``meaning`` does, and ``usual_hint`` what to look at. Other fields that it declares become keys
    of its table.
    """

    positions: int | tuple[str, ...] = 10

    usual_hint = ""
    keys: ClassVar = {}

    @abstractmethod
    def judge(self, game: Any, student: Student) -> Judgement | bool | float:
        """Ask about a position, and judge the answer.

        Args:
            game: the game at the position, of which the question may keep or change nothing.
            student: asks the submission.

        Returns:
            Whether the answer is right, how right it is from 0 to 1, or a `Judgement` that also
                says what is wrong with it.
        """

    def candidates(self, generator: np.random.Generator, context: QuestionContext) -> Iterator[Any]:
        """Yield positions, without end, until enough of them fit.

        Args:
            generator: the source of everything random: it depends only on the assignment's seed
                and the question's id.
            context: the game, its settings and the seed.

        Yields:
            Games; by default at the beginning of a turn, after 2 to 11 random turns.
        """
        yield from sample_positions(self.source(context), generator)

    def fits(self, game: Any) -> bool:
        """Whether to ask about a position; by default, about every one.

        Args:
            game: the game at the position.

        Returns:
            Whether it is asked about.
        """
        return True

    def _items(self, context: QuestionContext) -> Sequence[Any]:
        return self._games(context, lambda count: self._sampled(context, count))

    def _sampled(self, context: QuestionContext, count: int) -> list[Any]:
        candidates = self.candidates(self.source(context).generator(), context)
        return take(count, candidates, self.fits, f"fit {type(self).__name__}")

    def _ask_about(
        self, item: Any, client: SubmissionClient, context: QuestionContext
    ) -> Judgement:
        student = Student(client, context, self.source(context).tree_secret)
        return _as_verdict(self, self.judge(item.copy(), student))


@dataclasses.dataclass(frozen=True, kw_only=True)
class StaffMatch(MatchQuestion):
    """A question of the staff's own, about games, played as in a match.

    A class that is derived from it needs `judge`.
    """

    usual_hint = ""
    keys: ClassVar = {}

    @abstractmethod
    def judge(self, game: Any, side: str) -> Judgement | bool | float:
        """Judge a game.

        Args:
            game: the game after its last action, with its `history`.
            side: the side that the submission had.

        Returns:
            Whether the submission gets the game's point, its share of it from 0 to 1, or a
                `Judgement` that also says what was wrong.
        """

    def points_in(self, record: dict[str, Any], seat: int) -> float:
        return self._verdict(record, seat).share

    def words_for(self, record: dict[str, Any], points: float) -> str:
        if points == 1:
            return ""
        seat = [*record["players"].values()].index(SUBMISSION)
        return self._verdict(record, seat).words or f"{points:g} of 1 point"

    def _verdict(self, record: dict[str, Any], seat: int) -> Judgement:
        game = from_record(record)
        return _as_verdict(self, self.judge(game, game.players[seat]))


def _as_verdict(question: StaffQuestion | StaffMatch, given: Any) -> Judgement:
    """Check what a class of the staff's returned."""
    if isinstance(given, (bool, np.bool_)):
        given = float(given)
    verdict = given if isinstance(given, Judgement) else Judgement(given, "")
    share = real_number(verdict.share)
    if share is None or not 0 <= share <= 1:
        raise ConfigError(
            "kind",
            f"{question.kind}.judge",
            f"it returned {repr_of(given)}; it must return True, False, a share from 0 to 1, or "
            "Judgement(share, words)",
        )
    words = "" if share == 1 else verdict.words or "the answer is wrong"
    return Judgement(share, words, verdict.hint)
