"""Finding the answer in a reply: what stands for the turn, before it is read for a game."""

from __future__ import annotations

import ast
import itertools
import json
import re
import warnings
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from tkm_env.text.flaws import FORM, RefusedReplyError
from tkm_env.text.prompt import TURN
from tkm_env.text.wrapping import LINE_START, QUOTES

#: A line with an answer, maybe behind signs and behind "Final answer:"; not "turn: 7 of 200".
_LINE: Final = re.compile(
    LINE_START + r"(?:(?:(?:my|the) )?(?:final )?answer[*_` \t]*[:\uff1a][*_` \t]*)?"
    r"TURN[*_` \t]*[:\uff1a](?![*_` \t]*[0-9]+ of [0-9])(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
#: A line that calls the tool, such as ``play(turn=1)``.
CALL: Final = re.compile(
    r"^[ \t>*`#-]*(?:print\()?(?:\w+\.)*play\([ \t]*(?:turn[ \t]*[=:])?([^()\n]*)\)[)` \t;]*$",
    re.MULTILINE,
)
#: What may stand around an answer without being part of it.
MARKS: Final = f"{QUOTES}*_"
_STRAIGHT: Final = str.maketrans("\u201c\u201d\u201e\u2018\u2019", '"""\'\'')
#: A fence around a block of code.
_FENCE: Final = re.compile(r"[ \t]*(?:```|~~~)[ \t]*\w*[ \t]*")
_BULLET: Final = re.compile(r"[ \t]*(?:[-*+\u2022\u2013][ \t]+)?")
#: Where an object can begin, in JSON, with other quotes, or without any.
_OBJECT: Final = re.compile(
    rf"""\{{(?=\s*(?:["'}}\u201c\u201d\u201e\u2018\u2019]|{TURN}\s*:))""", re.IGNORECASE
)
_BEGINS_ANSWER: Final = re.compile(
    rf"""\{{\s*["'\u201c\u201d\u201e\u2018\u2019]?{TURN}\b""", re.IGNORECASE
)
#: The keys of a tool call that lead to its arguments.
_CALL_KEYS: Final = frozenset(
    ["tool_call", "tool_calls", "function", "arguments", "args", "parameters", "input"]
)
#: How deep the arguments of a tool call may lie, in objects and lists.
_DEEPEST: Final = 6
#: The most characters of an answer that is not quite JSON, or that is the whole reply.
MOST_CHARACTERS: Final = 4_000


class Answer(NamedTuple):
    """What stands for the turn in a reply.

    Attributes:
        value: a JSON value, or the text of a line.
        is_open: whether more of it could have followed the end of the reply.
    """

    value: Any
    is_open: bool = False


class _Pairs(list[tuple[str, Any]]):
    """A JSON object, as pairs, since keys may occur twice."""


class _Text(str):
    """A reply in which the JSON parser's errors count no lines.

    Counting them for each error would take time that grows with the square of the length.
    """

    __slots__ = ()

    def count(self, *_: Any) -> int:
        return 0

    def rfind(self, *_: Any) -> int:
        return -1


_DECODER: Final = json.JSONDecoder(object_pairs_hook=_Pairs)


def marked_answer(reply: str) -> Answer | None:
    """The last answer in a reply that is marked as one; None if there is none."""
    last, found, text = -1, None, _Text(reply)
    for line in _LINE.finditer(reply):
        last = line.start()
    if last >= 0:
        found = _on_line(reply, _LINE.match(reply, last))
    for call in CALL.finditer(reply):
        if call.start() > last:
            last, found = call.start(), Answer(python_value(call[1][:MOST_CHARACTERS]))
    end = 0
    for start in _OBJECT.finditer(reply):
        at = start.start()
        if at < end:  # within an object
            continue
        try:
            value, end = _DECODER.raw_decode(text, at)
        except ValueError:
            value = _almost_json(reply, at)
        except RecursionError:
            raise RefusedReplyError(FORM, "The reply has JSON that is nested too deep.") from None
        if at > last and (value is not None or _BEGINS_ANSWER.match(reply, at)):
            last, found = at, Answer(value)
    if found is None:
        return None
    if found.value is None:
        raise RefusedReplyError(
            FORM, f'The last JSON object, which begins with "{TURN}", is incomplete or not JSON.'
        )
    return found._replace(value=_turn_in(found.value)) if _is_object(found.value) else found


def _on_line(reply: str, line: re.Match[str] | None) -> Answer:
    """The answer behind a mark or, if nothing is there, in the lines below it."""
    assert line is not None
    if line[1].strip(MARKS):
        return Answer(line[1].strip(MARKS), is_open=line.end() == len(reply))
    below = reply[line.end() : line.end() + MOST_CHARACTERS]
    block = itertools.takewhile(str.strip, below.lstrip("\r\n").splitlines())
    lines = [_BULLET.sub("", each, count=1) for each in block if not _FENCE.fullmatch(each)]
    return Answer("; ".join(each.strip("` ") for each in lines), is_open=True)


def _is_object(value: Any) -> bool:
    return isinstance(value, _Pairs)


def _turn_in(found: _Pairs) -> Any:
    """The only turn that an object gives."""
    given = [*_turns_in(found, _DEEPEST)]
    if len(given) != 1:
        raise RefusedReplyError(
            FORM, f'The last JSON object has {"more than one" if given else "no"} "{TURN}".'
        )
    return given[0]


def _turns_in(value: Any, deepest: int) -> Iterator[Any]:
    """What an object gives as its turn, or else as that of the tool calls in it."""
    if deepest and isinstance(value, str) and value.lstrip().startswith("{"):
        try:
            value = _DECODER.decode(value)
        except (ValueError, RecursionError):
            return
    if not deepest or not isinstance(value, list):
        return
    if not _is_object(value):
        for part in value:
            yield from _turns_in(part, deepest - 1)
        return
    own = [given for key, given in value if key.casefold() == TURN]
    yield from own
    for key, part in value:
        if not own and key in _CALL_KEYS:
            yield from _turns_in(part, deepest - 1)


def python_value(text: str) -> Any:
    """The value that a string is to Python, or the string."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python thinks of a model's style is of no interest
        try:
            return ast.literal_eval(text.strip())
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text.strip(MARKS)


def _almost_json(reply: str, at: int) -> _Pairs | None:
    """The answer that begins here if it is an object to Python, though not to JSON.

    That is so with single quotes, with curved ones, without any around the key, and with a comma
    behind the last element.
    """
    piece = reply[at : reply.find("}", at, at + MOST_CHARACTERS) + 1].translate(_STRAIGHT)
    piece = re.sub(rf"\A\{{\s*{TURN}\s*:", f'{{"{TURN}":', piece, flags=re.IGNORECASE)
    keys = re.findall(rf"""["']{TURN}["']\s*:""", piece, re.IGNORECASE)
    if not _BEGINS_ANSWER.match(piece) or len(keys) > 1:
        return None
    value = python_value(piece)
    return _Pairs(value.items()) if isinstance(value, dict) else None
