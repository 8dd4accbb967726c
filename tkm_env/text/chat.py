"""Questions to a server with the usual chat interface, and their answers.

The extra ``[llm]`` is required. The key comes from the environment; nothing that leaves this module
contains it, whatever a server sends back.
"""

from __future__ import annotations

import math
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from tkm_env.foundations.errors import ConfigError, MachineError, extra, repr_of
from tkm_env.text.completion import (
    Completion,
    NoCompletionError,
    ServerWords,
    completion_in,
    words_of,
)
from tkm_env.text.picture import merged

if TYPE_CHECKING:
    import openai

#: The environment variables with the key and, unless the player's line names one, the server.
KEY, BASE_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"

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
#: How often in a row to ask a server again that answers, but not with a completion.
_MOST_ODD: Final = 3
#: The most characters of an odd answer to show.
_MOST_SHOWN: Final = 300


#: The servers and models that know no system messages, as far as is known.
_WITHOUT_SYSTEM: Final[set[tuple[str | None, str]]] = set()


class _NoSystemError(Exception):
    """A refusal because of a system message."""


class _OddAnswerError(Exception):
    """An answer that is no completion.

    Args:
        shown: what the server says, without the key.
        spent: what it may have cost.
    """

    def __init__(self, shown: str, spent: Completion) -> None:
        super().__init__(shown)
        self.shown, self.spent = shown, spent


class _BusyError(Exception):
    """A failure that may pass.

    Args:
        reason: what failed.
        pause: the seconds after which the server wants to be asked again; None if it does not say.
    """

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.reason, self.pause = reason, pause


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
    base_url: str | None,
    request: dict[str, Any],
    seconds: float,
    patience: float = math.inf,
    waste: Callable[[Completion], object] = bool,
) -> Completion:
    """Send a request of the chat interface, again and again while the network or server fails.

    A model that knows no system messages gets the system's text as the beginning of the first one
    of the user. What a server says about how long to wait is followed if there is the time.

    Args:
        base_url: the server; None for the one that the environment names.
        request: the body of the request, with ``model`` and ``messages``.
        seconds: how long an answer may take, retries included.
        patience: for how many of these seconds the network or the server may fail.
        waste: called with each answer that is no completion, which may have cost something.

    Returns:
        The answer.

    Raises:
        TimeoutError: if there is no answer in time.
        MachineError: if no request got through in time, or within ``patience``.
        ConfigError: if the server refuses the request, or answers something else than completions.
    """
    began, pause, odd = time.monotonic(), _FIRST_PAUSE, 0
    deadline, doing = began + seconds, f"asking {request['model']}"
    trouble: Exception = TimeoutError()
    while (left := deadline - time.monotonic()) > 0:
        asked: float | None = None
        try:
            return _try(base_url, request, left)
        except TimeoutError:
            break
        except _OddAnswerError as error:
            waste(error.spent)
            odd += 1
            reason = f"the server's answers are no chat completions: {repr_of(error.shown)}"
            if odd == _MOST_ODD:
                raise ConfigError("model", request["model"], reason) from None
            trouble = MachineError(doing, reason)
        except _BusyError as error:
            trouble, odd, asked = MachineError(doing, error.reason), 0, error.pause
        left = deadline - time.monotonic()
        wait = asked if asked is not None and asked < left else pause
        if time.monotonic() + wait > began + patience:
            break
        time.sleep(max(0.0, min(wait, left)))
        pause = min(2 * pause, _LONGEST_PAUSE)
    raise trouble


def _try(base_url: str | None, request: dict[str, Any], seconds: float) -> Completion:
    """The answer to a request; it is sent twice if the model knows no system messages."""
    asked = (base_url, request["model"])
    if asked in _WITHOUT_SYSTEM:
        return _send(base_url, _without_system(request), seconds)
    try:
        return _send(base_url, request, seconds)
    except _NoSystemError:
        _WITHOUT_SYSTEM.add(asked)
        return _send(base_url, _without_system(request), seconds)


def _without_system(request: dict[str, Any]) -> dict[str, Any]:
    """The request with the text of the system before that of the user."""
    system, user, *rest = request["messages"]
    if system["role"] != "system":
        return request
    first = {"role": "user", "content": merged(system["content"], user["content"])}
    return request | {"messages": [first, *rest]}


def _send(base_url: str | None, request: dict[str, Any], seconds: float) -> Completion:
    import openai

    key, model, began, content = (
        os.environ.get(KEY, ""),
        request["model"],
        time.monotonic(),
        bytearray(),
    )
    has_system = request["messages"][0]["role"] == "system"
    timeout = openai.Timeout(seconds, connect=min(_CONNECTING, seconds / 2))
    pause = None
    try:
        with _client(base_url, key).chat.completions.with_streaming_response.create(
            **request, timeout=timeout
        ) as response:
            # The client limits the time between bytes only, which a server that sends one now and
            # then never exceeds.
            for part in response.iter_bytes():
                content += part
                if len(content) > _MOST_BYTES:
                    break
                if time.monotonic() > began + seconds:
                    raise TimeoutError
        return _completion(bytes(content), key, request, time.monotonic() - began)
    except openai.APIStatusError as error:
        said = "" if error.body is None else words_of(error.body).message
        more = f": {said}" if said and said not in str(error) else ""
        words = ServerWords((error.code, error.type), f"{error}{more}")
        if words.end:
            return _ended(words.end, request, time.monotonic() - began)
        if has_system and words.knows_no_system:
            raise _NoSystemError from None
        reason = words.message
        if error.status_code < 500 and (
            error.status_code not in _PASSING or error.code == "insufficient_quota"
        ):
            raise ConfigError(
                "model", model, f"the server answers: {repr_of(_without(key, reason))}"
            ) from None
        pause = _pause_of(error.response.headers)
    except (TimeoutError, _OddAnswerError, _NoSystemError, _BusyError):
        raise
    # An error of the client or, while the body arrives, one of the library that it uses.
    except Exception as error:
        if "ReadTimeout" in (type(error).__name__, type(error.__cause__).__name__):
            raise TimeoutError from None
        reason = (
            f"{error} ({error.__cause__})"
            if error.__cause__
            else f"{type(error).__name__}: {error}"
        )
    raise _BusyError(_without(key, reason), pause)


def _completion(content: bytes, key: str, request: dict[str, Any], seconds: float) -> Completion:
    """What is in the body of an answer with the status of a success."""
    try:
        read = completion_in(content, seconds)
    except NoCompletionError as error:
        words = error.words
        if words is not None and words.end:
            return _ended(words.end, request, seconds)
        if words is not None and words.knows_no_system and request["messages"][1:]:
            raise _NoSystemError from None
        said = content[:_MOST_SHOWN].decode("utf-8", "replace")
        shown = _without(key, said if words is None else words.message)
        if words is not None and any(_may_pass(code) for code in words.code):
            raise _BusyError(shown) from None
        spent = Completion(shown, "unknown", (None, None), "", seconds)
        raise _OddAnswerError(shown, spent.estimated(request["messages"])) from None
    return read._replace(
        text=_without(key, read.text),
        end=_without(key, read.end),
        model=_without(key, read.model),
        thoughts=_without(key, read.thoughts),
        calls=_without(key, read.calls),
    ).estimated(request["messages"])


def _may_pass(code: object) -> bool:
    """Whether a code of an error is the status of one that may pass."""
    return type(code) is int and (code in _PASSING or code >= 500)


def _ended(end: str, request: dict[str, Any], seconds: float) -> Completion:
    """An answer that ended before its first token, which costs nothing."""
    return Completion("", end, (0, 0), request["model"], seconds)


def _pause_of(headers: Mapping[str, str]) -> float | None:
    """For how many seconds a server wants not to be asked again; None if it does not say."""
    given = headers.get("retry-after", "")
    with suppress(ValueError):
        return max(0.0, float(given))
    with suppress(ValueError, TypeError):
        then = parsedate_to_datetime(given)
        return max(0.0, then.timestamp() - time.time())
    return None


def _without(key: str, text: str) -> str:
    """Return text without the key that can be encoded."""
    text = text.encode("utf-8", "replace").decode("utf-8")
    return text.replace(key, _HIDDEN) if len(key) >= _SHORTEST_KEY else text
