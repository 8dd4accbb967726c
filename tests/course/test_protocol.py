"""The lines between grader and submission: both ends read what the other writes, and nothing else."""

from __future__ import annotations

import pytest

from tkm_env.course.protocol import Answer, Ask, Children, Look, Position, Value, parse_answer, parse_ask, parse_look, parse_reply
from tkm_env.errors import ProtocolError


@pytest.mark.parametrize("ask", [Ask("evaluate", "a position | with a bar"), Ask("minimax", "here", 3, "min")])
def test_a_question_is_read_as_it_was_asked(ask: Ask) -> None:
    assert parse_ask(str(ask)) == ask


def test_words_of_a_question_that_are_not_known_are_ignored() -> None:
    assert parse_ask("ask count depth=3 colour=red root=max | here") == Ask("count", "here", 3)


@pytest.mark.parametrize(
    "reply", [Children(()), Children(((1, "max", "choose 1"), (2, "over", "move east"))), Value(-7), Position("x y")]
)
def test_a_reply_is_read_as_it_was_written(reply: Children | Value | Position) -> None:
    assert parse_reply(str(reply), type(reply)) == reply


@pytest.mark.parametrize("answer", [Answer(3), Answer(-0.25), Answer(1e-9), Answer(None)])
def test_an_answer_is_read_as_it_was_given(answer: Answer) -> None:
    assert parse_look(str(answer)) == answer


@pytest.mark.parametrize(
    "line",
    [
        "",
        "answer",
        "answer nan",
        "answer inf",
        "answer 1e999",
        "answer 1 2",
        "answer \u0661",
        "value x",
        "children -1",
        "score 100",
        "answer " + "9" * 19,
    ],
)
def test_anything_else_is_refused(line: str) -> None:
    with pytest.raises(ProtocolError):
        parse_look(line)
    if not line.startswith(("children", "value")):
        with pytest.raises(ProtocolError):
            parse_answer(line)


def test_looking_is_read() -> None:
    assert parse_look("value 17") == Look("value", 17)
