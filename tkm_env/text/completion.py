"""What a chat server answered: the many shapes of a completion, read into one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from tkm_env.text.flaws import CUT_OFF, REFUSED
from tkm_env.text.picture import size_of
from tkm_env.text.wrapping import split_thoughts

_LONGEST_NAME: Final = 200
_MOST_TOKENS: Final = 10**9
#: Characters of a token at least, in the texts of this package: what is estimated is not too low.
_CHARACTERS_OF_TOKEN: Final = 2.3
#: Tokens of a picture at most, at the size in which this package sends them.
_TOKENS_OF_PICTURE: Final = 1_500

#: Codes and types of errors that end an answer, even before its first token.
_ENDS: Final = {
    **{end: end for end in REFUSED},
    **dict.fromkeys(
        ("context_length_exceeded", "exceed_context_size_error", "string_above_max_length"), CUT_OFF
    ),
}
#: How servers say that a question is too long for the model, where no code says so.
_TOO_LONG: Final = re.compile(
    "|".join(
        [
            "maximum (context|prompt|model) length",
            "reduce the length of the messages",
            "prompt is too long",
            "input is too long",
            "too many tokens",
            "exceeds? (the )?(maximum number of tokens|available context size)",
            "exceeds? (the )?context (length|limit|window)",
            "exceeds the model's (maximum )?context",
            "context (length|limit|window) (is )?exceeded",
            "context length of only",
            r"tokens`? \+ `?max_new_tokens`? must be <=",
            "longer than the (maximum )?(model|context) length",
        ]
    ),
    re.IGNORECASE,
)
#: How servers say that the model knows no system messages.
_NO_SYSTEM: Final = re.compile(
    "|".join(
        [
            "system (role|messages?|prompts?|instructions?) (is |are )?(not|un)[ -]?supported",
            "(not|n't) support (the )?system",
            "developer instruction is not enabled",
            "roles must alternate",
            "only user(,| and) assistant",
            r"(unknown|unexpected|invalid) role:? ['\"`]?system",
        ]
    ),
    re.IGNORECASE,
)


class Completion(NamedTuple):
    """What a model answered.

    Attributes:
        text: the answer, without thoughts that the server tells apart or that stand between tags
            such as ``<think>``.
        end: why it ended, as the server says: "stop", `tkm_env.text.flaws.CUT_OFF` or one of
            `tkm_env.text.flaws.REFUSED`.
        tokens: the tokens of the question and of the answer, thoughts included, as the server
            counts them; None if it does not.
        model: the model, as the server names it.
        seconds: how long it took.
        thoughts: what the model thought, as far as the server shows it.
        calls: the tool calls, as JSON; empty if there are none.
        reasoning: the tokens of thoughts, as the server counts them; None if it does not.
        cached: the tokens of the question that the server had kept; None if it does not say.
        estimate: the tokens of the question and of the answer by their length; None if the server
            counts them.
    """

    text: str
    end: str
    tokens: tuple[int | None, int | None]
    model: str
    seconds: float
    thoughts: str = ""
    calls: str = ""
    reasoning: int | None = None
    cached: int | None = None
    estimate: tuple[int, int] | None = None

    @property
    def said(self) -> str:
        """All that may hold the turn: the text, and below it the tool calls."""
        return "\n".join(filter(None, (self.text, self.calls)))

    @property
    def counted(self) -> tuple[int, int]:
        """The tokens that limits count: the server's or, where it counts none, the estimate."""
        estimate = self.estimate or (0, 0)
        read, written = (
            guess if known is None else known
            for known, guess in zip(self.tokens, estimate, strict=True)
        )
        return read, written

    def estimated(self, messages: list[dict[str, Any]]) -> Completion:
        """The same with an estimate of its tokens, if the server does not count them all.

        Args:
            messages: what the model was asked.

        Returns:
            The completion.
        """
        if None not in self.tokens:
            return self
        sizes = [size_of(message["content"]) for message in messages]
        asked = tokens_of(sum(size for size, _ in sizes))
        asked += _TOKENS_OF_PICTURE * sum(pictures for _, pictures in sizes)
        written = len(self.text) + len(self.thoughts) + len(self.calls)
        return self._replace(estimate=(asked, tokens_of(written)))


class ServerWords(NamedTuple):
    """An error in a server's words.

    Attributes:
        code: its code and its type.
        message: what it says.
    """

    code: tuple[Any, ...]
    message: str

    @property
    def end(self) -> str:
        """Why an answer ended with this error, as `Completion.end`; empty if none did."""
        named = next((end for name, end in _ENDS.items() if name in self.code), "")
        return named or (CUT_OFF if _TOO_LONG.search(self.message) else "")

    @property
    def knows_no_system(self) -> bool:
        """Whether the model must be asked without a system message."""
        return _NO_SYSTEM.search(self.message) is not None


class NoCompletionError(Exception):
    """A body that is no completion, with the server's words if it holds an error.

    Args:
        words: the error in the body; None if there is none.
    """

    def __init__(self, words: ServerWords | None = None) -> None:
        super().__init__()
        self.words = words


def tokens_of(characters: int) -> int:
    """About how many tokens text of this length has, rather too many than too few."""
    return -int(-characters // _CHARACTERS_OF_TOKEN)


def completion_in(content: bytes, seconds: float) -> Completion:
    """Read the body of an answer: an object, or the events of a stream.

    Args:
        content: the body.
        seconds: how long it took.

    Returns:
        The completion.

    Raises:
        NoCompletionError: if it is something else.
    """
    try:
        text = content.decode("utf-8")
        bodies = [*_events(text)] if _is_stream(text) else [json.loads(text)]
        for body in bodies:
            if error := body.get("error"):
                raise NoCompletionError(words_of(error))
        return _read(bodies, seconds)
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise NoCompletionError from None


def words_of(error: Any) -> ServerWords:
    """The words of an error, as bodies hold it: an object, or a string."""
    if not isinstance(error, Mapping):
        return ServerWords((), str(error))
    code = (error.get("code"), error.get("type"), error.get("status"))
    return ServerWords(code, str(error.get("message") or error))


def _is_stream(text: str) -> bool:
    return text.lstrip().startswith(("data:", "event:", ":"))


def _events(text: str) -> Iterator[Any]:
    """The objects of a stream of events."""
    for line in text.splitlines():
        field, _, value = line.partition(":")
        if field == "data" and value.strip() not in ("", "[DONE]"):
            yield json.loads(value)


def _read(bodies: list[Any], seconds: float) -> Completion:
    """The completion of an object, or of the parts of one in events."""
    text, thoughts, calls, end, model = "", "", list[Any](), "", ""
    usage: Mapping[str, Any] = {}
    is_empty = True
    for body in bodies:
        usage, model = body.get("usage") or usage, body.get("model") or model
        for choice in body["choices"][:1]:
            is_empty = False
            key = next((key for key in ("message", "delta") if key in choice), "text")
            message = choice[key] if key != "text" else {"content": choice[key]}
            said, thought = _parts(message.get("content"))
            reasoning = message.get("reasoning_content") or message.get("reasoning")
            text, thoughts = text + said, thoughts + thought + _parts(reasoning)[0]
            calls += message.get("tool_calls") or []
            end = "refusal" if message.get("refusal") else choice.get("finish_reason") or end
    if is_empty or end == "error":
        raise ValueError
    text, more, _ = split_thoughts(text)
    thoughts += more
    details = usage.get("completion_tokens_details") or {}
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    return Completion(
        text,
        str(end)[:_LONGEST_NAME],
        (_tokens(usage.get("prompt_tokens")), _tokens(usage.get("completion_tokens"))),
        (model + "")[:_LONGEST_NAME],
        seconds,
        thoughts,
        json.dumps([_call(call) for call in calls]) if calls else "",
        _tokens(details.get("reasoning_tokens")),
        _tokens(cached),
    )


def _parts(content: Any) -> tuple[str, str]:
    """What is said and what is thought in content: a string, or a list of parts."""
    if not isinstance(content, list):
        return ("" if content is None else content + ""), ""
    said, thought = "", ""
    for part in content:
        if isinstance(part, str):
            said += part
        elif "thinking" in part or part.get("type") in ("thinking", "reasoning"):
            thought += _parts(part.get("thinking") or part.get("text"))[0]
        else:
            said += part.get("text") or ""
    return said, thought


def _call(call: Mapping[str, Any]) -> dict[str, Any]:
    function = call.get("function") or call
    return {"name": function.get("name"), "arguments": function.get("arguments")}


def _tokens(given: object) -> int | None:
    return given if type(given) is int and 0 <= given <= _MOST_TOKENS else None
