"""The task of questions: a language model answers each in plain and in invented words."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

from tkm_env.arena.benchmark.question_report import WORDINGS, WordedReply
from tkm_env.arena.playing.referee import DEFAULT_CONDITIONS, Conditions
from tkm_env.arena.playing.schedule import Stoppable
from tkm_env.core.registry import game_names
from tkm_env.foundations.errors import PlayerError
from tkm_env.questions import Answerer, answerer_of, mark_replies
from tkm_env.questions.plan import questions_for_benchmark
from tkm_env.text.paid_answers import SUFFIX, PaidAnswers
from tkm_env.text.prompt import Prompt


@dataclasses.dataclass(frozen=True)
class QuestionBenchmark(Stoppable):
    """The fixed questions about all games, for one language model.

    Raises:
        ConfigError: if the player is not a language model.
    """

    agent: str  # a player such as ``llm:MODEL``
    games: tuple[str, ...] = dataclasses.field(default_factory=lambda: tuple(game_names()))
    conditions: Conditions = DEFAULT_CONDITIONS  # of which only the budget counts

    def __post_init__(self) -> None:
        answerer_of(self.agent, self.games[0])

    def play(self, save: str | os.PathLike[str] | None = None) -> Iterator[WordedReply]:
        """Ask all questions, one after another, until stopped.

        A question to which no answer comes in time counts as unreadable.

        Args:
            save: a file; the answers are kept beside it, with ``.answers`` added to its name, so
                that an interrupted run asks no question twice. None keeps nothing.

        Yields:
            The replies, marked.

        Raises:
            MachineError: if its server fails.
            BudgetError: if the budget is used up.
            ConfigError: if the server refuses a request.
        """
        path = "" if save is None else os.path.realpath(save) + SUFFIX
        paid = PaidAnswers(path, self.conditions.budget)
        for game in self.games:
            answer = _patient(answerer_of(self.agent, game, paid))
            for wording, options in WORDINGS.items():
                questions = questions_for_benchmark(game, options=options)
                for marked in mark_replies(questions, answer):
                    yield WordedReply(wording, marked)
                    if self.is_stopped:
                        return


def _patient(answer: Answerer) -> Answerer:
    """Return what answers nothing where no answer comes in time."""

    def answer_or_nothing(prompt: Prompt) -> str:
        try:
            return answer(prompt)
        except PlayerError:
            return ""

    return answer_or_nothing
