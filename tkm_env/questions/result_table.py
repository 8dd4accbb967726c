"""Questions put to a model, and a table of what its replies are worth."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tkm_env.evaluation.score import Interval, share_of
from tkm_env.foundations.errors import ConfigError
from tkm_env.players.factory import make_agent
from tkm_env.questions.question import Question, Verdict
from tkm_env.text.language_model import LanguageModel
from tkm_env.text.paid_answers import PaidAnswers
from tkm_env.text.prompt import Prompt

#: What answers a prompt with a reply.
Answerer = Callable[[Prompt], str]


class MarkedReply(NamedTuple):
    """A question, a reply to it, and what that is worth."""

    question: Question
    reply: str
    verdict: Verdict


class ResultRow(NamedTuple):
    """A row of the table: the questions of one kind and difficulty.

    Attributes:
        game: the name of the game.
        kind: the name of the kind.
        difficulty: the difficulty; None for all together.
        questions: the number of questions.
        right: the share of right replies, with its 95% interval by Agresti and Coull.
        unreadable: the share of replies without a readable answer, likewise.
    """

    game: str
    kind: str
    difficulty: int | None
    questions: int
    right: Interval
    unreadable: Interval


def answerer_of(player: str, game: str, paid: PaidAnswers | None = None) -> Answerer:
    """What answers for a player, such as ``llm:MODEL``.

    Args:
        player: the player's line, which must be that of a language model.
        game: the name of the game.
        paid: where its answers are kept, and what they may cost; None to keep them in memory.

    Returns:
        A function that asks the model once, and returns its reply.

    Raises:
        ConfigError: if the player is not a language model, or its line is invalid.
    """
    agent = make_agent(player, game=game)
    if not isinstance(agent, LanguageModel):
        raise ConfigError("player", player, "only language models answer questions: llm:MODEL")
    if paid is not None:
        agent.paid = paid
    return agent.reply


def mark_replies(questions: Iterable[Question], answer: Answerer) -> Iterator[MarkedReply]:
    """Put questions to a model, and mark its replies.

    Args:
        questions: the questions.
        answer: what answers; see `answerer_of`.

    Yields:
        The replies with what they are worth, as they arrive.
    """
    for question in questions:
        reply = answer(question.prompt)
        yield MarkedReply(question, reply, question.mark(reply))


def result_table(marked: Iterable[MarkedReply]) -> tuple[ResultRow, ...]:
    """The table of marked replies, by game, kind and difficulty.

    Args:
        marked: the replies. Questions about the same position count as related.

    Returns:
        For each game and kind a row for each difficulty, ascending, and then one for all together.

    >>> from tkm_env.questions import make_question
    >>> questions = [make_question("win", difficulty=6, seed=seed) for seed in range(8)]
    >>> rows = result_table(mark_replies(questions, lambda prompt: "ANSWER: yes"))
    >>> [(row.difficulty, row.questions, str(row.right)) for row in rows]
    [(6, 8, '50.0% (21.5% to 78.5%)'), (None, 8, '50.0% (21.5% to 78.5%)')]
    """
    found: dict[tuple[str, str, int | None], list[tuple[str, Verdict]]] = defaultdict(list)
    for question, _, verdict in marked:
        game, kind = question.game.name, question.kind.name
        for difficulty in (question.difficulty, None):
            found[game, kind, difficulty].append((question.game.visible_position, verdict))
    order = sorted(found, key=lambda row: (*row[:2], row[2] is None, row[2] or 0))
    return tuple(
        ResultRow(
            *row,
            len(found[row]),
            *(
                share_of([(place, verdict is wanted) for place, verdict in found[row]])
                for wanted in (Verdict.RIGHT, Verdict.UNREADABLE)
            ),
        )
        for row in order
    )
