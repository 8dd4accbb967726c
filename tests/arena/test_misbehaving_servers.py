"""Servers that misbehave, each in its own way, and what is promised for each.

A server plays, in whatever shape it answers; or it fails for a while, which is waited for; or its
answer is the model's fault; or the match ends with the server's words. In each case the tokens are
counted, or named unknown and estimated.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.arena.test_language_models import NO_SYSTEM, match, pauses, side_of
from tests.text.chat_server import FAILURES, FIRST, KEY, Handler, completion, failing, serving
from tkm_env import ConfigError
from tkm_env.text.paid_answers import PaidAnswers

pytest.importorskip("openai", reason="needs the extra [llm]")

__all__ = ["pauses"]

pytestmark = pytest.mark.usefixtures("chat_key", "pauses")

Model = Callable[[dict[str, Any], Handler], Any]


class Server(NamedTuple):
    """A server that misbehaves, and what is promised.

    Attributes:
        model: what it answers.
        fault: the kind of fault by which the model loses at once; None if it plays.
        end: why its first answer ended, as records say.
        words: what the error says that ends the match; empty if none does.
        asks: how often it is asked for the first answer.
        is_counted: whether the first answer's tokens are known; if not, they are estimated.
    """

    model: Model
    fault: str | None = None
    end: str = "stop"
    words: str = ""
    asks: int = 1
    is_counted: bool = True


def content(value: Any) -> Model:
    """Answers whose message has this content."""

    def model(asked: dict[str, Any], handler: Handler) -> dict[str, Any]:
        body = completion("", asked)
        body["choices"][0]["message"]["content"] = value
        return body

    return model


def choice(**changes: Any) -> Model:
    """Answers whose choice has other values."""
    return lambda asked, handler: completion(FIRST, asked, **changes)


def body(value: Any, status: int = 200, **headers: str) -> Model:
    """Always the same body."""
    return lambda asked, handler: handler.reply(status, value, **headers)


def stream(asked: dict[str, Any], handler: Handler) -> None:
    """Events that nobody asked for."""
    parts: list[Any] = [
        {"choices": [{"delta": {"content": text}}]} for text in ("TURN", ": ", "1\n")
    ]
    parts += [
        {"choices": [{"delta": {}, "finish_reason": "stop"}]},
        {"choices": [], "usage": {"prompt_tokens": 30, "completion_tokens": 4}},
    ]
    lines = "".join(f"data: {json.dumps(part)}\n\n" for part in parts)
    content = f": hello\n\n{lines}data: [DONE]\n\n".encode()
    handler.reply(200, content, Content_Type="text/event-stream")


def without(*keys: str) -> Model:
    """Answers that lack parts."""

    def model(asked: dict[str, Any], handler: Handler) -> dict[str, Any]:
        return {key: value for key, value in completion(FIRST, asked).items() if key not in keys}

    return model


def usage(value: Any) -> Model:
    """Answers with odd numbers of tokens."""
    return lambda asked, handler: completion(FIRST, asked) | {"usage": value}


def no_system(message: str) -> Model:
    """A model that knows no system messages."""

    def model(asked: dict[str, Any], handler: Handler) -> str | None:
        if asked["messages"][0]["role"] == "system":
            return handler.reply(400, {"error": {"message": message}})
        return FIRST

    return model


def error(**values: Any) -> dict[str, Any]:
    return {"error": {"message": "violence", **values}}


#: How servers say that a question is too long.
TOO_LONG = (
    "This model's maximum context length is 8192 tokens. However, you requested 8203 tokens",
    "The input token count (314175) exceeds the maximum number of tokens allowed (131072).",
    "prompt is too long: 200251 tokens > 200000 maximum",
    "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
    "the request exceeds the available context size. try increasing the context size",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000",
    "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    "Input is too long for requested model.",
    "the model is loaded with context length of only 4096 tokens",
    "the input length exceeds the context length",
    "Prompt contains 40000 tokens, too large for model with 32768 maximum context length",
)

SERVERS: dict[str, Server] = {
    # It answers in another shape, and plays.
    "text in parts": Server(
        content([{"type": "text", "text": "I think.\n"}, {"type": "text", "text": "TURN: 1"}])
    ),
    "thoughts in parts": Server(
        content([{"type": "thinking", "thinking": "TURN: 2"}, {"type": "text", "text": "TURN: 1"}])
    ),
    "strings as parts": Server(content(["TURN: 1"])),
    "thoughts in a tag": Server(content("<think>TURN: 2</think>TURN: 1")),
    "thoughts that end only": Server(content("TURN: 2</think>\nTURN: 1")),
    "events": Server(stream),
    "no id, no model": Server(without("id", "object", "created", "model")),
    "no reason to end": Server(choice(finish_reason=None), end=""),
    "an unknown reason to end": Server(choice(finish_reason="eos"), end="eos"),
    "no tokens": Server(without("usage"), is_counted=False),
    "tokens as text": Server(
        usage({"prompt_tokens": "9", "completion_tokens": 1.5}), is_counted=False
    ),
    "negative tokens": Server(
        usage({"prompt_tokens": -9, "completion_tokens": -1}), is_counted=False
    ),
    "no system messages: not supported": Server(no_system(NO_SYSTEM[0]), asks=2),
    "no system messages: must alternate": Server(no_system(NO_SYSTEM[1]), asks=2),
    # It fails for a while, which is waited for.
    **{
        f"fails, way {number}": Server(failing(way), asks=2)
        for number, way in enumerate(FAILURES, 1)
    },
    # Its answer is the model's fault.
    "cut off": Server(
        lambda asked, handler: completion('{"turn": ["cho', asked, finish_reason="length"),
        *("protocol", "length"),
    ),
    "a refusal": Server(
        choice(message={"content": None, "refusal": "No."}), *("protocol", "refusal")
    ),
    "a filter": Server(body(error(code="content_filter"), 400), *("protocol", "content_filter")),
    "too long by its code": Server(
        body(error(code="context_length_exceeded"), 400), *("protocol", "length")
    ),
    "too long by its type": Server(
        body(error(code=400, type="exceed_context_size_error"), 400), *("protocol", "length")
    ),
    **{
        f"too long, words {number}, status {status}": Server(
            body({"error": {"message": message}}, status), *("protocol", "length")
        )
        for number, message in enumerate(TOO_LONG, 1)
        for status in (400, 500)
    },
    "nothing said": Server(content(None), "protocol"),
    # The match ends with its words.
    "a wrong key": Server(body(error(message=f"wrong key: {KEY}"), 401), words="wrong key"),
    "no such model": Server(body(error(code="model_not_found"), 404), words="violence"),
    "no money left": Server(body(error(code="insufficient_quota"), 429), words="violence"),
    "a page": Server(body(b"<html>sign in</html>"), words="sign in", asks=3),
    "an error inside": Server(
        body({"error": {"message": "no credit left", "code": "billing"}}),
        words="no credit left",
        asks=3,
    ),
    "an error in a word": Server(
        body({"error": "model is loading"}), words="model is loading", asks=3
    ),
    "a detail": Server(body({"detail": "not found"}), words="not found", asks=3),
    "an object as content": Server(
        body({"choices": [{"message": {"content": {"text": "TURN: 1"}}}]}), words="TURN", asks=3
    ),
    "an error as the end": Server(
        body({"choices": [{"message": {"content": "x"}, "finish_reason": "error"}]}),
        words="error",
        asks=3,
    ),
    "no choices": Server(body({"choices": []}), words="choices", asks=3),
    "a list": Server(body([1]), words="[1]", asks=3),
    "events without an answer": Server(body(b"data: {}\n\n"), words="data", asks=3),
}


def test_there_are_forty_of_them_and_more() -> None:
    assert len(SERVERS) >= 40


@pytest.mark.parametrize("name", SERVERS)
def test_a_server_gets_what_is_promised(name: str, tmp_path: Path) -> None:
    promised, path = SERVERS[name], tmp_path / "games.jsonl"
    with serving(promised.model) as server:
        games = match(server, ",retries=0", turn_seconds=20).play(path)
        if promised.words:
            with pytest.raises(ConfigError) as caught:
                next(games)
            assert promised.words in str(caught.value)
            assert KEY not in str(caught.value)
            assert len(server.asked) == promised.asks
        else:
            record = next(games)
            games.close()
    spent = PaidAnswers(f"{path}.answers")
    spent.refresh()
    if promised.words:  # a refusal costs nothing, an answer that is unusable may
        assert spent.estimated == (promised.asks if promised.asks > 1 else 0)
        return
    (first, *others) = record["models"][side_of(record)]["answers"]
    fault = record.get("fault")
    assert (fault and fault["kind"]) == promised.fault
    assert first["end"] == promised.end
    assert (first["refused"] is None) == (promised.fault is None)
    assert (None not in first["tokens"]) == promised.is_counted
    assert len(server.asked) == promised.asks + len(others)
    odd = len(server.asked) - 1 - len(others) if name.startswith("fails") else 0
    unknown = [first, *others] if not promised.is_counted else []
    assert len(unknown) <= spent.estimated <= len(unknown) + odd
