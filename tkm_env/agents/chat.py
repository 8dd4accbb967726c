"""One question to a server with the usual chat interface, and its answer within a time. Needs the extra ``[llm]``.

The key comes from the environment, as the client's base URL may; nothing that leaves this module holds it, whatever a server sends back.
"""

from __future__ import annotations

import json
import os
import queue
import threading
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from tkm_env.errors import ConfigError, MachineError, repr_of
from tkm_env.extras import extra

if TYPE_CHECKING:
    import openai

#: The variables of the environment with the key and, where the player's line names none, the server.
KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
#: Why an answer ended: the limit on its tokens cut it off; or the model, or who runs it, refused to answer.
CUT_OFF, REFUSED = "length", ("refusal", "content_filter")

#: In place of a key, for servers that want none; and of the key where a server repeats it.
_NO_KEY, _HIDDEN = "none", "(the key)"
#: So short a key hides nothing, and may be any word.
_SHORTEST_KEY: Final = 8
#: Seconds to wait for a connection, at most half of the time.
_CONNECTING: Final = 10.0
#: Status codes after which a later try may succeed, like those from 500.
_PASSING: Final = (408, 409, 425, 429)
_LONGEST_NAME: Final = 200
_MOST_TOKENS: Final = 10**9


class Answer(NamedTuple):
    """What a model answered."""

    text: str
    end: str  # why it ended there, as the server says: "stop", `CUT_OFF` or one of `REFUSED`
    tokens_in: int  # of the question, as the server counts them; 0 if it does not
    tokens_out: int  # of the answer, with those of its thoughts
    model: str  # the model as the server names it
    seconds: float  # how long it took


def check_server(base_url: str | None) -> None:
    """Check that a question could be sent. Raises a `ConfigError` if the address is none that records may hold, or there is no key."""
    if base_url is not None:
        parts = urlsplit(base_url) if isinstance(base_url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.username or parts.query:
            address = "an address, http://… or https://…, without a password or a query, since records would show them"
            raise ConfigError("base_url", base_url if parts is None or not parts.username else _HIDDEN, f"it must be {address}")
    key = os.environ.get(KEY, "")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(KEY, _HIDDEN, "it has characters that no key has")
    if not key and not (base_url or os.environ.get(BASE_URL)):
        raise ConfigError(KEY, "", f"the environment must hold a key, or name a server that wants none by {BASE_URL} or base_url")
    _client(base_url, key)


@lru_cache(maxsize=8)
def _client(base_url: str | None, key: str) -> openai.OpenAI:
    with extra("llm"):
        import openai
    return openai.OpenAI(api_key=key or _NO_KEY, base_url=base_url, max_retries=0)


def ask(base_url: str | None, request: dict[str, Any], seconds: float) -> Answer:
    """The answer to a request of the chat interface.

    Raises:
        TimeoutError: if the server has the question, and has not answered within these seconds.
        MachineError: if the network is down, the rate is limited, or the server fails: a later try may succeed.
        ConfigError: if the server refuses the request, such as a wrong key or an unknown model.
    """
    import openai

    key, model, began = os.environ.get(KEY, ""), request["model"], time.monotonic()
    client, outcomes = _client(base_url, key), queue.SimpleQueue[Any]()
    timeout = openai.Timeout(seconds, connect=min(_CONNECTING, seconds / 2))

    def send() -> None:
        try:
            outcomes.put(client.chat.completions.with_raw_response.create(**request, timeout=timeout).http_response.content)
        except Exception as error:
            outcomes.put(error)

    # A server that sends a byte now and then never exceeds the client's time limits.
    threading.Thread(target=send, daemon=True).start()
    try:
        outcome = outcomes.get(timeout=seconds)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(outcome, openai.APITimeoutError) and type(outcome.__cause__).__name__ == "ReadTimeout":
        raise TimeoutError from None
    if isinstance(outcome, openai.APIStatusError) and outcome.status_code < 500:
        if outcome.code in REFUSED:
            return Answer("", outcome.code, 0, 0, model, time.monotonic() - began)
        if outcome.status_code not in _PASSING or outcome.code == "insufficient_quota":
            raise ConfigError("model", model, f"the server answers: {repr_of(_without(key, str(outcome)))}")
    if isinstance(outcome, Exception):
        reason = f"{outcome} ({outcome.__cause__})" if outcome.__cause__ else f"{type(outcome).__name__}: {outcome}"
        raise MachineError(f"asking {model}", _without(key, reason))
    try:
        return _read(json.loads(outcome), key, time.monotonic() - began)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise MachineError(f"asking {model}", "what the server answers is no chat completion") from None


def _read(body: Any, key: str, seconds: float) -> Answer:
    choice, usage = body["choices"][0], body.get("usage") or {}
    message = choice["message"]
    end = "refusal" if message.get("refusal") else str(choice.get("finish_reason") or "")
    tokens_in, tokens_out = (_tokens(usage.get(kind)) for kind in ("prompt_tokens", "completion_tokens"))
    text, end, model = (_without(key, part + "") for part in (message.get("content") or "", end, body.get("model") or ""))
    return Answer(text, end[:_LONGEST_NAME], tokens_in, tokens_out, model[:_LONGEST_NAME], seconds)


def _tokens(given: object) -> int:
    return given if type(given) is int and 0 <= given <= _MOST_TOKENS else 0


def _without(key: str, text: str) -> str:
    """A text that can be written, without the key."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace(key, _HIDDEN) if len(key) >= _SHORTEST_KEY else text
