"""Questions about single positions: which is better, and how to play a turn."""

from __future__ import annotations

import dataclasses
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any, ClassVar, Final, TypeVar

from tkm_env.batch.initial_positions import InitialPositions, unfinished_game
from tkm_env.checks import checked_integer
from tkm_env.course.marks import Finding
from tkm_env.course.position_sampler import is_lost_within, sample_pairs, sample_tactics
from tkm_env.course.question import Outcome, Question, QuestionContext
from tkm_env.course.question_protocol import Ask
from tkm_env.course.submission import Submission
from tkm_env.course.submission_client import SubmissionClient
from tkm_env.errors import ConfigError
from tkm_env.game.base import BaseGame
from tkm_env.game.registry import GameSpec

_Root = TypeVar("_Root")
#: The meaning of the key of that name; its default goes in.
POSITIONS: Final = "how many positions to sample from the seed, or a list of positions in text; by default {}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class PositionQuestion(Question):
    """A question whose share is that of the positions, or pairs of positions, that the submission gets right."""

    positions: int | tuple[str, ...]

    item: ClassVar[str] = "position"

    def __post_init__(self) -> None:
        super().__post_init__()
        given: Any = self.positions
        if isinstance(given, (list, tuple)) and given and all(isinstance(text, str) for text in given):
            object.__setattr__(self, "positions", tuple(given))
        elif isinstance(given, (list, tuple, str)):
            raise ConfigError("positions", given, "it must be a whole number, or a list of positions in text")
        else:
            object.__setattr__(self, "positions", checked_integer("positions", given, 1, 200))

    def check(self, spec: GameSpec, config: Any) -> None:
        if isinstance(self.positions, tuple):
            InitialPositions(spec.game_class, config, positions=self.positions)

    def ask(self, submission: Submission, context: QuestionContext, findings: list[Finding]) -> Outcome:
        generator = self.source(context).submission_generator()
        total = 0
        with closing(SubmissionClient(submission, context, self.seconds, generator)) as client:
            for finding in self._ask_each(client, context):
                total += 1
                findings += [finding] if finding else []
        right = total - len(findings)
        return Outcome(right / total, f"{right} of {total} {self.item}s right")

    @abstractmethod
    def _ask_each(self, client: SubmissionClient, context: QuestionContext) -> Iterator[Finding | None]:
        """Ask about each item in turn; yields the mistake, or None if the answer is right."""

    def _games(self, context: QuestionContext, sample: Callable[[int], Sequence[_Root]]) -> Sequence[_Root | BaseGame]:
        """The games at its positions, which are sampled unless they are listed."""
        if isinstance(self.positions, int):
            return sample(self.positions)
        return [unfinished_game(context.spec.game_class, context.config, text) for text in self.positions]


@dataclasses.dataclass(frozen=True, kw_only=True)
class EvaluationQuestion(PositionQuestion):
    """Telling which of two positions is better."""

    positions: int = 20

    kind = "evaluate"
    meaning = (
        "`evaluate(game)` returns a number that is higher for the position that is better for the first player; of each pair, one brings"
        " that player far more points when `greedy` plays on from there"
    )
    usual_hint = "What does the better position of each pair have more of? The number is the first player's, whoever is to act."
    keys: ClassVar = {"positions": "how many pairs of positions to sample from the seed; by default 20"}
    item = "pair"

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("positions", self.positions, 1, 200)

    def _ask_each(self, client: SubmissionClient, context: QuestionContext) -> Iterator[Finding | None]:
        source = self.source(context)
        order = source.submission_generator()
        for better, worse, (high, low) in sample_pairs(source, self.positions):
            # In random order, so that the order gives nothing away.
            games = (worse, better) if order.integers(2) else (better, worse)
            value = {id(game): client.ask(game, Ask(self.kind, game.visible_position)) for game in games}
            first, second = value[id(better)], value[id(worse)]
            if first is not None and second is not None and first > second:
                yield None
                continue
            side = context.spec.players[0]
            words = f"it says {first} for the better position for {side}, and {second} for the worse one"
            captions = tuple(
                f"{word} for {side}, who gets {share:.0%} of the points" for word, share in (("better", high), ("worse", low))
            )
            yield Finding(words, (better.visible_position, worse.visible_position), captions)


@dataclasses.dataclass(frozen=True, kw_only=True)
class TacticsQuestion(PositionQuestion):
    """Finding a forced win."""

    turns: int = 1
    positions: int | tuple[str, ...] = 8

    kind = "tactics"
    meaning = "`Bot` plays a turn in positions where few ways to play it force a win"
    usual_hint = "Try every way to play the whole turn, not only the next action, and look where it leaves the opponent."
    keys: ClassVar = {
        "positions": POSITIONS.format(8),
        "turns": "within how many of its own turns the win is forced; by default 1, this turn; more where the game has an analysis",
    }

    def __post_init__(self) -> None:
        super().__post_init__()
        checked_integer("turns", self.turns, 1, 3)

    def check(self, spec: GameSpec, config: Any) -> None:
        super().check(spec, config)
        if self.turns > 1 and spec.analyse is None:
            raise ConfigError("turns", self.turns, f"it must be 1: {spec.title} has no analysis to prove longer wins")

    def _ask_each(self, client: SubmissionClient, context: QuestionContext) -> Iterator[Finding | None]:
        source = self.source(context)
        for game in self._games(context, lambda count: sample_tactics(source, count, self.turns)):
            after = game.copy()
            client.play_turn(after)
            is_still_won = after.result is None and self.turns > 1 and is_lost_within(context.spec, after, self.turns - 1)
            if after.winner == game.to_act or is_still_won:
                yield None
                continue
            played = "; ".join(after.action_names[action] for action in after.history)
            yield Finding(f"{game.to_act} can force a win, but not by {played}", (game.visible_position,))


#: All kinds of these questions.
POSITION_QUESTIONS: Final = (EvaluationQuestion, TacticsQuestion)
