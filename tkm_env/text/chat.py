"""Questions to a server with the usual chat interface, and their answers.

The extra ``[llm]`` is required. The key comes from the environment; nothing that leaves this module
contains it, whatever a server sends back.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tkm_env.foundations.errors import ConfigError, MachineError, extra, repr_of
from tkm_env.text.reply import CUT_OFF, REFUSED

if TYPE_CHECKING:
    import openai

#: The environment variables with the key and, unless the player's line names one, the server.
KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"

#: Errors of servers that end an answer, even before its first token, such as for a question that is
#: too long for the model.
_ENDS: Final = {
    **{end: end for end in REFUSED},
    **dict.fromkeys(("context_length_exceeded", "exceed_context_size_error"), CUT_OFF),
}

#: Replaces the key where a server repeats it.
_HIDDEN: Final = "(the key)"
#: A shorter key is not hidden: it may be any word.
_SHORTEST_KEY: Final = 8
#: The most bytes to accept from a server: many times the longest answer of a model.
_MOST_BYTES: Final = 16 << 20
#: Seconds to wait for a connection, but at most half of the time left.
_CONNECTING: Final = 10.0
#: Seconds before the first retry, doubled for each later one, and their maximum.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
#: Status codes after which a retry may succeed, as it may from 500 on.
_PASSING: Final = (408, 409, 425, 429)
_LONGEST_NAME: Final = 200
_MOST_TOKENS: Final = 10**9


class Completion(NamedTuple):
    """What a model answered.

    Attributes:
        text: the answer.
        end: why it ended, as the server says: "stop", `tkm_env.text.reply.CUT_OFF` or one of
            `tkm_env.text.reply.REFUSED`.
        tokens: the tokens of the question and of the answer, thoughts included, as the server
            counts them; 0 if it does not.
        model: the model, as the server names it.
        seconds: how long it took.
    """

    text: str
    end: str
    tokens: tuple[int, int]
    model: str
    seconds: float


def check_server(base_url: str | None) -> None:
    """Check that a question could be sent.

    Raises:
        ConfigError: if records must not show the address, or there is no key.
    """
    if base_url is not None and not re.fullmatch(r"https?://[^@?#\s]+", str(base_url)):
        shown = re.sub("^.*@|[?#].*", "", str(base_url))
        reason = (
            "it must be http://… or https://…, without a password or a query, "
            "which records would show"
        )
        raise ConfigError("base_url", shown, reason)
    key = os.environ.get(KEY, "")
    if not re.fullmatch("[!-~]*", key):
        raise ConfigError(KEY, _HIDDEN, "it has characters that no key has")
    if not key and not (base_url or os.environ.get(BASE_URL)):
        raise ConfigError(
            KEY,
            "",
            f"the environment must hold a key, "
            f"or name a server that wants none by {BASE_URL} or base_url",
        )
    _client(base_url, key)


@lru_cache(maxsize=8)
def _client(base_url: str | None, key: str) -> openai.OpenAI:
    with extra("llm"):
        import openai
    return openai.OpenAI(api_key=key or "none", base_url=base_url, max_retries=0)


def ask(
    base_url: str | None, request: dict[str, Any], seconds: float, patience: float = math.inf
) -> Completion:
    """Send a request of the chat interface, again and again while the network or server fails.

    Args:
        base_url: the server; None for the one that the environment names.
        request: the body of the request, with ``model`` and ``messages``.
        seconds: how long an answer may take, retries included.
        patience: for how many of these seconds the network or the server may fail.

    Returns:
        The answer.

    Raises:
        TimeoutError: if there is no answer in time.
        MachineError: if no request got through in time, or within ``patience``.
        ConfigError: if the server refuses the request.
    """
    began, pause = time.monotonic(), _FIRST_PAUSE
    deadline = began + seconds
    trouble: Exception = TimeoutError()
    while (left := deadline - time.monotonic()) > 0:
        try:
            return _try(base_url, request, left)
        except TimeoutError:
            break
        except MachineError as error:
            trouble = error
        if time.monotonic() + pause > began + patience:
            break
        time.sleep(max(0.0, min(pause, deadline - time.monotonic())))
        pause = min(2 * pause, _LONGEST_PAUSE)
    raise trouble


def _try(base_url: str | None, request: dict[str, Any], seconds: float) -> Completion:
    """The answer to a request that is sent once."""
    import openai

    key, model, began, content = (
        os.environ.get(KEY, ""),
        request["model"],
        time.monotonic(),
        bytearray(),
    )
    timeout = openai.Timeout(seconds, connect=min(_CONNECTING, seconds / 2))
    try:
        with _client(base_url, key).chat.completions.with_streaming_response.create(
            **request, timeout=timeout
        ) as response:
            # The client limits the time between bytes only, which a server that sends one now and
            # then never exceeds.
            for part in response.iter_bytes():
                content += part
                if len(content) > _MOST_BYTES:
                    raise ValueError
                if time.monotonic() > began + seconds:
                    raise TimeoutError
        return _read(json.loads(content), key, time.monotonic() - began)
    except openai.APIStatusError as error:
        if end := next(
            (end for name, end in _ENDS.items() if name in (error.code, error.type)), ""
        ):
            return Completion("", end, (0, 0), model, time.monotonic() - began)
        reason = str(error)
        if error.status_code < 500 and (
            error.status_code not in _PASSING or error.code == "insufficient_quota"
        ):
            raise ConfigError(
                "model", model, f"the server answers: {repr_of(_without(key, reason))}"
            ) from None
    except TimeoutError:
        raise
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        reason = "what the server answers is no chat completion"
    # An error of the client or, while the body arrives, one of the library that it uses.
    except Exception as error:
        if "ReadTimeout" in (type(error).__name__, type(error.__cause__).__name__):
            raise TimeoutError from None
        reason = (
            f"{error} ({error.__cause__})"
            if error.__cause__
            else f"{type(error).__name__}: {error}"
        )
    raise MachineError(f"asking {model}", _without(key, reason))


def _read(body: Any, key: str, seconds: float) -> Completion:
    choice, usage = body["choices"][0], body.get("usage") or {}
    message = choice["message"]
    end = "refusal" if message.get("refusal") else str(choice.get("finish_reason") or "")
    text, end, model = (
        _without(key, part + "")
        for part in (message.get("content") or "", end, body.get("model") or "")
    )
    tokens = _tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens"))
    return Completion(text, end[:_LONGEST_NAME], tokens, model[:_LONGEST_NAME], seconds)


def _tokens(given: object) -> int:
    return given if type(given) is int and 0 <= given <= _MOST_TOKENS else 0


def _without(key: str, text: str) -> str:
    """Return text without the key that can be encoded."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace(key, _HIDDEN) if len(key) >= _SHORTEST_KEY else text
