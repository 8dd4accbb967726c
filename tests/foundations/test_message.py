"""Messages are English texts that keep what they were made of."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from tkm_env.foundations.errors import ConfigError
from tkm_env.foundations.message import Message, joined


def test_a_message_is_its_english_text() -> None:
    message = Message("{player} to act", player=Message("white"))
    assert message == "white to act"
    assert f"{message}." == "white to act."
    assert json.dumps([message]) == '["white to act"]'
    assert hash(message) == hash("white to act")


@pytest.mark.parametrize(
    ("count", "text"), [(0, "0 turns"), (1, "1 turn"), (2, "2 turns")], ids=str
)
def test_a_count_chooses_between_singular_and_plural(count: int, text: str) -> None:
    assert Message("{count} turn", "{count} turns", count=count) == text


def test_what_a_message_is_made_of_outlives_copies_and_str() -> None:
    message = Message("{count} turn", "{count} turns", count=2)
    for other in (
        str(message),
        Message(message),
        copy.deepcopy(message),
        pickle.loads(pickle.dumps(message)),
    ):
        assert isinstance(other, Message)
        assert (other, other.template, other.plural, other.filling) == (
            "2 turns",
            "{count} turn",
            "{count} turns",
            {"count": 2},
        )


def test_braces_of_a_text_without_filling_are_its_own() -> None:
    assert Message("{}") == "{}"


def test_joined_texts_remain_messages() -> None:
    whole = joined("; ", [Message("one"), "two"])
    assert whole == "one; two"
    assert [*whole.filling.values()] == ["one", "two"]
    assert joined("; ", []) == ""


def test_an_error_tells_its_reason_as_a_message() -> None:
    error = ConfigError("seed", -1, Message("it must be {most}", most=3))
    message = str(error)
    assert message == "seed=-1 is invalid: it must be 3"
    assert isinstance(message, Message)
    assert message.filling["reason"].template == "it must be {most}"
