"""The lines between the grader and a submission, both ways, as values: for questions what ``docs/protocol.md`` is for games.

The grader writes `Ask`. A submission may then look around in the tree of play, by `Look`, to which the grader replies with `Children`,
`Value` or `Position`, as often as it likes; in the end it writes `Answer`. A line's `str` is its text, without the end of line.

>>> str(Ask("minimax", "here", depth=3, root="max"))
'ask minimax depth=3 root=max | here'
>>> parse_look("children 0")
Look(what='children', node=0)
>>> str(Children(((1, "max", "choose 1"), (2, "over", "focus past"))))
'children 1:max:choose 1; 2:over:focus past'
"""

from __future__ import annotations

import dataclasses
import math
import re
from typing import Any, Final

from tkm_env.errors import ProtocolError

#: What a node is: the first player is to act, the second is, or nobody.
MAX: Final = "max"
MIN: Final = "min"
OVER: Final = "over"

_ASK: Final = re.compile(r"ask (\w+)((?: \S+=\S+)*) \| (.+)")
_LOOK: Final = re.compile(r"(children|value|position) (\d{1,9})", re.ASCII)
#: No count of lines and no value has more digits.
_NUMBER: Final = re.compile(r"-?\d{1,18}", re.ASCII)
_FRACTION: Final = re.compile(r"-?\d{1,18}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?", re.ASCII)
_NONE: Final = "none"


@dataclasses.dataclass(frozen=True)
class Ask:
    """A question.

    Attributes:
        task: what is asked, one of the functions of an assignment.
        position: the text of the position, as both players may see it.
        depth: how many actions deep, where the question is about a tree.
        root: `MAX` or `MIN`, there; the root's number is 0.
    """

    task: str
    position: str
    depth: int | None = None
    root: str = MAX

    def __str__(self) -> str:
        tree = "" if self.depth is None else f" depth={self.depth} root={self.root}"
        return f"ask {self.task}{tree} | {self.position}"


@dataclasses.dataclass(frozen=True)
class Look:
    """A submission looks at a node: at its ``"children"``, its ``"value"`` or its ``"position"``."""

    what: str
    node: int

    def __str__(self) -> str:
        return f"{self.what} {self.node}"


@dataclasses.dataclass(frozen=True)
class Children:
    """The nodes after each legal action: their numbers, `MAX`, `MIN` or `OVER`, and the actions."""

    nodes: tuple[tuple[int, str, str], ...]

    def __str__(self) -> str:
        return f"children {'; '.join(f'{number}:{kind}:{action}' for number, kind, action in self.nodes)}".rstrip()


@dataclasses.dataclass(frozen=True)
class Value:
    """What a node is worth to the first player."""

    worth: int

    def __str__(self) -> str:
        return f"value {self.worth}"


@dataclasses.dataclass(frozen=True)
class Position:
    """The text of a node's position."""

    text: str

    def __str__(self) -> str:
        return f"position {self.text}"


#: What the grader replies to a `Look`.
Reply = Children | Value | Position


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer to an `Ask`: a finite number, or None for no answer."""

    number: int | float | None

    def __str__(self) -> str:
        return f"answer {_NONE if self.number is None else self.number}"


def parse_ask(line: str) -> Ask:
    """A question; words that are not known are ignored.

    Raises:
        ProtocolError: if it is none.
    """
    found = _ASK.fullmatch(line)
    if found is None:
        raise ProtocolError(line, "a question is written ask TASK name=value | POSITION")
    task, words, position = found.groups()
    named = dict(word.split("=", 1) for word in words.split())
    return Ask(task, position, int(named["depth"]) if "depth" in named else None, named.get("root", MAX))


def parse_look(line: str) -> Look | Answer:
    """What a submission writes after a question.

    Raises:
        ProtocolError: saying what is wrong.
    """
    if found := _LOOK.fullmatch(line):
        return Look(found[1], int(found[2]))
    return parse_answer(line)


def parse_answer(line: str) -> Answer:
    """An answer.

    Raises:
        ProtocolError: saying what is wrong.

    >>> parse_answer("answer -12"), parse_answer("answer 0.5"), parse_answer("answer none")
    (Answer(number=-12), Answer(number=0.5), Answer(number=None))
    """
    verb, _, text = line.partition(" ")
    if verb == "answer" and text == _NONE:
        return Answer(None)
    if verb == "answer" and _NUMBER.fullmatch(text):
        return Answer(int(text))
    if verb == "answer" and _FRACTION.fullmatch(text) and math.isfinite(float(text)):
        return Answer(float(text))
    raise ProtocolError(line, "after a question come children NODE, value NODE, position NODE, or answer NUMBER")


def parse_reply(line: str, kind: type[Reply]) -> Any:
    """What the grader replies, which must be of this kind.

    Raises:
        ProtocolError: if it is not.
    """
    verb, _, text = line.partition(" ")
    if verb == "children" and kind is Children:
        parts = [node.split(":", 2) for node in filter(None, text.split("; "))]
        return Children(tuple((int(number), side, action) for number, side, action in parts))
    if verb == "value" and kind is Value:
        return Value(int(text))
    if verb == "position" and kind is Position:
        return Position(text)
    raise ProtocolError(line, "it is no reply to what was asked")
