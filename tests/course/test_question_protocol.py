"""The lines between grader and submission: each end reads only what the other writes."""

from __future__ import annotations

import pytest

from tkm_env.course.question_protocol import (
    Answer,
    Ask,
    Look,
    format_children,
    parse_ask,
    parse_children,
    parse_reply,
    parse_response,
)
from tkm_env.foundations.errors import ProtocolError


def test_lines_are_read_as_they_were_written() -> None:
    for ask in (Ask("evaluate", "a position | with a bar"), Ask("minimax", "here", 3, "min")):
        assert parse_ask(str(ask)) == ask
    for response in (
        Answer(3),
        Answer(-0.25),
        Answer(1e-9),
        Answer(None),
        Look("value", 17),
        Look("children", 0),
    ):
        assert parse_response(str(response)) == response
    for nodes in ([], [(1, "max", "choose 1"), (2, "over", "move east")]):
        assert parse_children(parse_reply(format_children(nodes), "children")) == nodes
    assert parse_reply("position x y", "position") == "x y"


def test_unknown_words_of_a_question_are_ignored() -> None:
    assert parse_ask("ask count depth=3 colour=red root=max | here") == Ask("count", "here", 3)


def test_anything_else_is_refused() -> None:
    answers = ["nan", "inf", "1e999", "1 2", "\u0661", "9" * 19]
    for line in (
        "",
        "answer",
        *(f"answer {answer}" for answer in answers),
        "value x",
        "children -1",
        "score 100",
    ):
        with pytest.raises(ProtocolError):
            parse_response(line)
    with pytest.raises(ProtocolError, match="must begin with 'value'"):
        parse_reply("children 1:max:choose 1", "value")
