"""The lines that the grader and a submission exchange about questions.

``docs/protocol.md`` describes the lines about games.

The grader writes an `Ask`. The submission may then inspect the game tree: the grader replies to
each `Look` with a line that repeats the verb. Finally, the submission writes an `Answer`. To a
`Call` of a function with several lists of arguments, it replies with the results. The `str` of
these values is their line, without a newline.
"""

import dataclasses
import json
import math
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from tkm_env.foundations.errors import ProtocolError

#: The kinds of nodes: the first player is to act, the second player is, something is to be drawn,
#: or the game is over.
MAX: Final = "max"
MIN: Final = "min"
CHANCE: Final = "chance"
OVER: Final = "over"

#: A node as a submission sees it: its number, its kind, and the action that leads to it, or the
#: probability of the draw that does.
ShownNode = tuple[int, str, str]

_ASK: Final = re.compile(r"ask (\w+)((?: \S+=\S+)*) \| (.+)")
_LOOK: Final = re.compile(r"(children|value|position) (\d{1,9})", re.ASCII)
#: A bound on the digits of counts and values.
_INTEGER: Final = re.compile(r"-?\d{1,18}", re.ASCII)
_DECIMAL: Final = re.compile(r"-?\d{1,18}(?:\.\d{1,30})?(?:e[-+]?\d{1,3})?", re.ASCII)
_NONE: Final = "none"
_CALL: Final = re.compile(r"call (\w+) \| (\[.*\])")


@dataclasses.dataclass(frozen=True)
class Ask:
    """A question about a position.

    Attributes:
        task: the name of the function that answers it.
        position: the position in text, as both players may see it.
        depth: the depth of the search, in actions; None if the question is not about a tree.
        root: the kind of the root, node 0.
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
    """A submission's request for the ``"children"``, ``"value"`` or ``"position"`` of a node.

    Attributes:
        what: one of these words.
        node: the number of the node.
    """

    what: str
    node: int

    def __str__(self) -> str:
        return f"{self.what} {self.node}"


@dataclasses.dataclass(frozen=True)
class Answer:
    """The answer to an `Ask`: a finite number, or None for no answer."""

    number: int | float | None

    def __str__(self) -> str:
        return f"answer {_NONE if self.number is None else self.number}"


@dataclasses.dataclass(frozen=True)
class Call:
    """A call of the function named ``task`` with each of these lists of arguments."""

    task: str
    arguments: Sequence[Sequence[Any]]

    def __str__(self) -> str:
        return f"call {self.task} | {json.dumps(self.arguments)}"


def parse_call(line: str) -> Call:
    """Parse a call.

    Raises:
        ProtocolError: if the line is not a call.
    """
    found = _CALL.fullmatch(line)
    if found is None:
        raise ProtocolError(line, "a call is written call TASK | [[ARGUMENT, ...], ...]")
    return Call(found[1], json.loads(found[2]))


def format_results(values: Sequence[Any]) -> str:
    """Format the results of a `Call`: lists of numbers, or None for no answer yet."""
    return f"results {json.dumps(values)}"


def parse_results(line: str, count: int) -> list[Any]:
    """Parse the results of a `Call`.

    Args:
        line: the line, as `format_results` writes it.
        count: the required number of results.

    Returns:
        The results.

    Raises:
        ProtocolError: if the line is anything else.
    """
    verb, _, text = line.partition(" ")
    try:
        values = json.loads(text) if verb == "results" else None
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, list) or len(values) != count:
        raise ProtocolError(
            line,
            "the answer to this call is results [...], "
            f"with a result for each of its {count} lists of arguments",
        )
    return values


def parse_ask(line: str) -> Ask:
    """Parse a question; unknown words in it are ignored.

    Raises:
        ProtocolError: if the line is not a question.
    """
    found = _ASK.fullmatch(line)
    if found is None:
        raise ProtocolError(line, "a question is written ask TASK name=value | POSITION")
    task, words, position = found.groups()
    named = dict(word.split("=", 1) for word in words.split())
    return Ask(
        task, position, int(named["depth"]) if "depth" in named else None, named.get("root", MAX)
    )


def parse_response(line: str) -> Look | Answer:
    """Parse what a submission writes after a question.

    Raises:
        ProtocolError: if the line is neither a look nor an answer.
    """
    if found := _LOOK.fullmatch(line):
        return Look(found[1], int(found[2]))
    verb, _, text = line.partition(" ")
    if verb == "answer" and text == _NONE:
        return Answer(None)
    if verb == "answer" and _INTEGER.fullmatch(text):
        return Answer(int(text))
    if verb == "answer" and _DECIMAL.fullmatch(text) and math.isfinite(float(text)):
        return Answer(float(text))
    raise ProtocolError(
        line, "after a question, write children NODE, value NODE, position NODE or answer NUMBER"
    )


def format_children(nodes: Iterable[ShownNode]) -> str:
    """Format the reply to a look at the children of a node."""
    shown = "; ".join(f"{number}:{kind}:{action}" for number, kind, action in nodes)
    return f"children {shown}".rstrip()


def parse_children(text: str) -> list[ShownNode]:
    parts = (node.split(":", 2) for node in filter(None, text.split("; ")))
    return [(int(number), kind, action) for number, kind, action in parts]


def parse_reply(line: str, what: str) -> str:
    """Parse the grader's reply to a look.

    Args:
        line: the line.
        what: what the submission asked for, as in `Look`.

    Returns:
        The reply, without the verb.

    Raises:
        ProtocolError: if the line begins with another verb.
    """
    verb, _, payload = line.partition(" ")
    if verb != what:
        raise ProtocolError(line, f"the reply must begin with {what!r}")
    return payload
