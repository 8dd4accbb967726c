"""A table shows what replies are worth, by kind and difficulty."""

from __future__ import annotations

import numpy as np
import pytest

from tests.questions.rows import rows
from tests.text.chat_server import says, serving
from tkm_env import ConfigError
from tkm_env.questions import (
    MarkedReply,
    Question,
    QuestionPlan,
    Verdict,
    answerer_of,
    make_question,
    mark_replies,
    questions_for_benchmark,
    result_table,
)
from tkm_env.text.prompt import Prompt

#: How often a scripted model errs and says nothing of use, by kind.
ERRORS = {"win": (0.5, 0.0), "deaths": (0.2, 0.1), "victories": (0.0, 0.4)}


def scripted(questions: list[Question]) -> dict[str, str]:
    """A model's replies by prompt, with errors of known rates."""
    generator = np.random.default_rng(1)
    replies = {}
    for question in questions:
        wrong, silent = ERRORS[question.kind.name]
        luck = generator.random()
        reply = f"ANSWER: {question.answer}"
        if luck < wrong:
            reply = {"win": "no" if question.answer == "yes" else "yes"}.get(
                question.kind.name, f"{question.answer}; 9 white past"
            )
        elif luck < wrong + silent:
            reply = "I pass."
        replies["\n".join(question.prompt)] = reply
    return replies


def test_known_rates_of_errors_are_found_in_the_table() -> None:
    plan = QuestionPlan(tuple(row for row in rows(*ERRORS) if row.difficulty in (2, 3, 6, 18)), 900)
    questions = [*plan.questions()]
    replies = scripted(questions)

    def model(prompt: Prompt) -> str:
        return replies["\n".join(prompt)]

    table = result_table(mark_replies(questions, model))
    together = {(row.game, row.kind): row for row in table if row.difficulty is None}
    assert {kind for _, kind in together} == {*ERRORS}
    for (_, kind), row in together.items():
        wrong, silent = ERRORS[kind]
        assert row.right.low <= 1 - wrong - silent <= row.right.high, row
        assert row.unreadable.low <= silent <= row.unreadable.high, row
        parts = [part for part in table if (part.game, part.kind) == row[:2]]
        assert sum(part.questions for part in parts) == 2 * row.questions
    assert [row.difficulty for row in table if row[:2] == ("tkm", "win")] == [6, None]


def test_questions_of_the_same_position_count_as_related() -> None:
    question = make_question("win", 6, 0)
    others = [make_question("win", 6, seed) for seed in range(1, 4)]
    related = 4 * [MarkedReply(question, "", Verdict.RIGHT)]
    apart = [MarkedReply(other, "", Verdict.WRONG) for other in others]
    (row, _) = result_table([*related, *apart])
    assert row.right.high - row.right.low > 0.6


def test_the_questions_of_benchmarks_are_fixed_and_balanced() -> None:
    questions = questions_for_benchmark("terminus")
    assert [question.id for question in questions_for_benchmark("terminus")] == [
        question.id for question in questions
    ]
    assert all(question.seed >= 1_000_001 * 2**20 for question in questions)
    answers = [question.correct for question in questions if question.kind.name == "win"]
    assert answers.count("yes") == answers.count("no") > 0
    with pytest.raises(ConfigError, match="version"):
        questions_for_benchmark("terminus", version=2)


def test_a_player_that_is_no_language_model_answers_nothing() -> None:
    with pytest.raises(ConfigError, match="only language models answer questions"):
        answerer_of("greedy", "tkm")


def test_a_language_model_answers_each_prompt_once() -> None:
    pytest.importorskip("openai", reason="needs the extra [llm]")
    questions = [make_question("win", 6, seed) for seed in range(2)]
    with serving(says("ANSWER: yes")) as server:
        model = answerer_of(f"llm:scripted:base_url={server.url},temperature=0", "tkm")
        marked = [*mark_replies(questions, model)]
    assert [reply for _, reply, _ in marked] == 2 * ["ANSWER: yes"]
    assert {verdict for _, _, verdict in marked} == {Verdict.RIGHT, Verdict.WRONG}
    first = server.asked[0]
    assert first["temperature"] == 0
    assert [message["content"] for message in first["messages"]] == [*questions[0].prompt]
