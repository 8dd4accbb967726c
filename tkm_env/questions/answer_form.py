"""How an answer is written, and how it is found and read in a model's reply.

The form is forgiving wherever it leaves no doubt; nothing is ever guessed from prose.
"""

from __future__ import annotations

import json
import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final

from tkm_env.foundations.errors import repr_of
from tkm_env.text.wrapping import LINE_START, QUOTES, split_thoughts, without_latex

#: What the line with the answer begins with.
ANSWER: Final = "ANSWER:"
#: The key of an answer in JSON.
KEY: Final = "answer"
#: An element of an `Items` slot that any integer fills.
NUMBER: Final = "NUMBER"
#: Separates the items of an answer.
SEPARATOR: Final = "; "

#: The most characters of a reply that are read, its last ones, and of a JSON object.
_MOST, _MOST_JSON = 100_000, 4_000
_LINE: Final = re.compile(
    LINE_START
    + r"(?:<answer>\s*)?(?:(?:my|the) )?(?:final )?answer[ \t*_`]*:(?:[*_]{1,2}(?=\s))?(.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_FENCE: Final = re.compile(r"^[ \t]*```[^\n`]*\n(.*?)^[ \t]*```[ \t]*$", re.MULTILINE | re.DOTALL)
_TAGGED: Final = re.compile(r"<answer>(.*?)</answer>", re.DOTALL | re.IGNORECASE)
#: Tags and tokens at the end of a line, where no position has a sign of its own.
_LAST_TAGS: Final = re.compile(r"(?:[ \t]*(?:</?\w+>|<\|[^|<>\n]{1,40}\|>))+[ \t]*$", re.MULTILINE)
_OBJECT: Final = re.compile(rf"""\{{\s*"{KEY}"\s*:""", re.IGNORECASE)
#: What may stand around an answer: quotes and Markdown's marks.
_MARKS: Final = f"{QUOTES}*_"
#: What separates items, and what ends a position without belonging to it.
_BETWEEN: Final = re.compile(r"[;,\n\u061b\u060c\u3001]")
_AFTER_NUMBER: Final = re.compile(r"(?<=[0-9])[.*\u3002]+$")
_BULLET: Final = re.compile(r"^(?:[-*\u2022][ \t]+|[0-9]{1,3}[.)][ \t]+)")
_AND: Final = re.compile(r"^and\s+", re.IGNORECASE)

#: Changes the words of a game to those of a renamed prompt.
Rename = Callable[[str], str]


class UnreadableError(ValueError):
    """A reply without an answer in the form that was asked for; the message says why."""


def answer_in(reply: str) -> str:
    r"""The part of a reply that is the answer.

    It is what follows the last ``ANSWER:``: the rest of its line or, if nothing is there, all that
    comes after it. A reply without such a line may have the answer between ``<answer>`` and
    ``</answer>`` or in a JSON object with the key ``answer``, end with a block of code, or consist
    of the answer alone. Thoughts and the signs of LaTeX do not count.

    Args:
        reply: what a model replied.

    Returns:
        The answer, without a block of code around it.

    Raises:
        ValueError: if nothing is there.

    >>> answer_in("It can push twice.\n**Answer:** Yes.")
    'Yes.'
    >>> answer_in("ANSWER:\n```text\nmove east\nmove south\n```")
    'move east\nmove south'
    """
    said, _, is_thinking = split_thoughts(reply[-_MOST:])
    if is_thinking and not said.strip():
        raise UnreadableError("The reply ends inside its thoughts.")
    text = unicodedata.normalize("NFKC", without_latex(said))
    lines = [*_LINE.finditer(text)]
    if lines:
        found = lines[-1][1] if lines[-1][1].strip(_MARKS) else text[lines[-1].end() :]
    elif tagged := _TAGGED.findall(text):
        found = tagged[-1]
    else:
        found = _from_json(text)
    found = _LAST_TAGS.sub("", _without_fence(found)).strip()
    if not found.strip(_MARKS):
        raise UnreadableError("The reply has no answer.")
    return found


def _from_json(text: str) -> str:
    """The answer of the last JSON object with one; without any, the text itself."""
    objects = [*_OBJECT.finditer(text)]
    if not objects:
        return text
    piece = text[objects[-1].start() : objects[-1].start() + _MOST_JSON]
    try:
        value, _ = json.JSONDecoder().raw_decode(piece)
        value = next(value[key] for key in value if key.lower() == KEY)
    except (ValueError, RecursionError):
        raise UnreadableError("The last JSON object is incomplete or not JSON.") from None
    if isinstance(value, list) and all(isinstance(part, (str, int)) for part in value):
        return SEPARATOR.join(map(str, value))
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise UnreadableError("The answer in the JSON object is neither a text nor a list of texts.")


def _without_fence(text: str) -> str:
    """The content of the last block of code, if there is one."""
    blocks = _FENCE.findall(text)
    return blocks[-1] if blocks else text


def plain(text: str) -> str:
    """Text without meaningless differences: capitals, widths, extra spaces, quotes around."""
    return " ".join(unicodedata.normalize("NFKC", text).split()).strip(_MARKS).casefold()


class AnswerForm(ABC):
    """How the answers to a kind of question are written.

    Canonical answers are in the game's own words. A form writes them in the words of a prompt, and
    reads them back.
    """

    @abstractmethod
    def write(self, answer: str, rename: Rename) -> str:
        """Write a canonical answer in the words of a prompt.

        Args:
            answer: the canonical answer.
            rename: changes the game's words to those of the prompt.

        Returns:
            The answer as a model should give it.
        """

    @abstractmethod
    def read(self, given: str, rename: Rename) -> str:
        """Read an answer that `answer_in` found.

        Args:
            given: the answer.
            rename: changes the game's words to those of the prompt.

        Returns:
            What is the same for all forms of the same answer, as for what `write` returns.

        Raises:
            ValueError: if it is not in this form.
        """


@dataclass(frozen=True)
class Items(AnswerForm):
    """One item or several, in any order, separated by semicolons, commas or lines.

    Attributes:
        slots: the words that an item consists of: for each place, those that can stand there, or
            `NUMBER`.
        phrases: items that are phrases of their own, such as names of actions.
        several: whether there may be more than one item.
        repeats: whether an item counts as often as it is given.
    """

    slots: tuple[Collection[str], ...] = ()
    phrases: tuple[str, ...] = ()
    several: bool = True
    repeats: bool = False

    def write(self, answer: str, rename: Rename) -> str:
        return rename(answer)

    def read(self, given: str, rename: Rename) -> str:
        known = {plain(rename(phrase)) for phrase in self.phrases}
        slots = [
            slot if slot == NUMBER else {plain(rename(word)) for word in slot}
            for slot in self.slots
        ]
        whole = _tidy(given)
        parts = [_tidy(part) for part in _BETWEEN.split(given)] if self.several else [whole]
        items = [whole] if whole in known else [part for part in parts if part]
        readable = [item for item in items if item in known or _fills(item, slots)]
        if not readable or (not self.several and len(items) != 1):
            raise UnreadableError(f"{repr_of(given)} is not in the form that was asked for.")
        return SEPARATOR.join(sorted(items if self.repeats else {*items}))


def _tidy(part: str) -> str:
    """An item without bullets, numbers of a list, quotes and a full stop."""
    part = _AND.sub("", _BULLET.sub("", part.strip().strip("[]")))
    return plain(part.strip(_MARKS).rstrip(".\u3002").strip("[]"))


def _fills(item: str, slots: Sequence[Collection[str]]) -> bool:
    """Whether an item has a fitting word in each place."""
    words = item.split()
    return (
        bool(slots)
        and len(words) == len(slots)
        and all(
            word.isdecimal() if slot == NUMBER else word in slot
            for word, slot in zip(words, slots, strict=True)
        )
    )


@dataclass(frozen=True)
class PositionText(AnswerForm):
    """The text of a position, in which capitals matter.

    Attributes:
        fields: the number of its fields, which single spaces separate.
    """

    fields: int

    def write(self, answer: str, rename: Rename) -> str:
        return rename(f"`{answer}`").strip("`")

    def read(self, given: str, rename: Rename) -> str:
        fields = _AFTER_NUMBER.sub("", given.strip(QUOTES)).strip(QUOTES).split()
        if len(fields) != self.fields:
            raise UnreadableError(
                f"{repr_of(given)} has {len(fields)} fields; a position has {self.fields}."
            )
        return " ".join(fields)


@dataclass(frozen=True)
class WholeTurn(AnswerForm):
    """A whole turn: its actions in order, separated by semicolons.

    Attributes:
        phrases: the names of all actions.
    """

    phrases: tuple[str, ...]

    def write(self, answer: str, rename: Rename) -> str:
        return rename(answer)

    def read(self, given: str, rename: Rename) -> str:
        known = {plain(rename(phrase)) for phrase in self.phrases}
        parts = [_tidy(part) for part in _BETWEEN.split(given)]
        if not known.intersection(parts):
            raise UnreadableError(f"{repr_of(given)} names no action.")
        return SEPARATOR.join(part for part in parts if part)
