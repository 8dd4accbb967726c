"""Reading a language model's reply: a turn, or the reason why it is not one.

The form is forgiving wherever it leaves no doubt; nothing is ever guessed from prose.
"""

from __future__ import annotations

import ast
import json
import re
import unicodedata
import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import repr_of
from tkm_env.text.options import DEFAULT_OPTIONS, LISTED, TextOptions
from tkm_env.text.prompt import sentences
from tkm_env.text.renaming import renaming_of

#: The key of an answer.
TURN: Final = "turn"
#: The kinds of refusals, which are kinds of `tkm_env.core.record_schema.FAULTS`: a turn that may
#: not be played, and no turn at all.
ILLEGAL, PROTOCOL = "illegal", "protocol"

#: A line with an answer, maybe among Markdown's marks. "turn: 7 of 200" is the prompt's own line.
_LINE: Final = re.compile(
    r"^[ \t>*_`#-]*TURN:(?![*_` \t]*[0-9]+ of [0-9])(.*)$", re.MULTILINE | re.IGNORECASE
)
_MARKS: Final = " \t\r*_`'\"\u201c\u201d\u2018\u2019"
#: Where an object can begin, in JSON or with Python's quotes.
_OBJECT: Final = re.compile(r"""\{(?=\s*["'}])""")
_BEGINS_ANSWER: Final = re.compile(rf"""\{{\s*["']{TURN}["']""")
#: The most characters of an answer that is not quite JSON.
_MOST: Final = 4_000
#: A turn's number, maybe as in a list, and maybe with a note in parentheses.
_NUMBER: Final = re.compile(r"#?\s*([0-9]{1,9})(?:\.0+)?\s*[.):]?\s*(?:\([^()]*\))?")
#: A number in front of names, as in a list.
_NUMBERED: Final = re.compile(r"#?\s*([0-9]{1,9})\s*[.):]\s+(?=\S)")
_NO_ANSWER: Final = object()


@dataclass(frozen=True)
class Refusal:
    """Why a reply is not a turn.

    Attributes:
        kind: the kind of fault: ``"protocol"`` for no turn at all, or ``"illegal"`` for one that
            may not be played.
        sentence: what is wrong, in a sentence.
        message: what to send back: the sentence, and the request to answer again.
    """

    kind: str
    sentence: str
    message: str


class _RefusedError(Exception):
    """A reply that is refused: its kind and the sentence."""


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


def read_reply(
    game: BaseGame, reply: str, options: TextOptions = DEFAULT_OPTIONS
) -> tuple[int, ...] | Refusal:
    """Read the turn in a reply to `prompt_for`.

    The answer is the last JSON object or the last line that begins with ``TURN:``, whichever comes
    later. Its form may differ from the one that was asked for as long as there is no doubt: a
    number as in a list (``1.``, ``#1``), with the listed actions behind it or a note in
    parentheses, a semicolon at the end, capitals, quotes, Python's commas. No reply raises an
    error.

    Args:
        game: the game.
        reply: what the model replied.
        options: the options of the prompt.

    Returns:
        The indices of actions that can be played one after another, or why there is no turn.

    >>> from tkm_env import Game
    >>> read_reply(Game(), '{"turn": ["choose 1", "move east", "travel forward", "focus present"]}')
    (0, 17, 24, 59)
    >>> read_reply(Game(), "TURN: choose 1; move north", TextOptions(legal="none")).sentence
    "Action 2, 'move north', may not be played after 'choose 1'."
    """
    try:
        return _played(game, _actions(game, _answer(reply), options), options)
    except _RefusedError as refused:
        kind, sentence = refused.args
        return Refusal(kind, sentence, sentences(options)("refused", reason=sentence))


def reply_of(turn: str | int | Sequence[str]) -> str:
    """The reply that stands for a turn given to a tool.

    Args:
        turn: a whole reply; the answer alone, as behind ``TURN:``; the number of a legal turn; or
            the names of the actions.

    Returns:
        What `read_reply` reads.

    >>> reply_of(3), reply_of("3"), reply_of(["choose 1", "concede"])
    ('{"turn": 3}', 'TURN: 3', '{"turn": ["choose 1", "concede"]}')
    """
    if not isinstance(turn, str):
        return json.dumps({TURN: turn})
    return turn if "{" in turn or "turn:" in turn.casefold() else f"TURN: {turn}"


def write_reply(
    game: BaseGame, actions: Sequence[int], options: TextOptions = DEFAULT_OPTIONS
) -> str:
    """The reply that `read_reply` reads as these actions.

    Args:
        game: the game.
        actions: the indices of the actions.
        options: the options of the prompt.

    Returns:
        The reply: a JSON object.

    >>> from tkm_env import Game
    >>> write_reply(Game(), [0, 17, 24, 59])
    '{"turn": ["choose 1", "move east", "travel forward", "focus present"]}'
    """
    rename = renaming_of(type(game), options.rename).prose
    return json.dumps({TURN: [rename(game.action_names[action]) for action in actions]})


def _answer(reply: str) -> Any:
    """What represents the turn in a reply: a JSON value, or the text of a line."""
    last, found, text = -1, _NO_ANSWER, _Text(reply)
    for line in _LINE.finditer(reply):
        last, found = line.start(), line[1].strip(_MARKS)
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
            raise _RefusedError(PROTOCOL, "The reply has JSON that is nested too deep.") from None
        if at > last and (value is not None or _BEGINS_ANSWER.match(reply, at)):
            last, found = at, value
    if found is _NO_ANSWER:
        raise _RefusedError(
            PROTOCOL,
            f'The reply has no turn: there is neither a JSON object with "{TURN}" '
            "nor a line that begins with TURN:.",
        )
    if found is None:
        raise _RefusedError(
            PROTOCOL,
            f'The last JSON object, which begins with "{TURN}", is incomplete or not JSON.',
        )
    if not isinstance(found, _Pairs):
        return found
    given = [value for key, value in found if key == TURN]
    if len(given) != 1:
        raise _RefusedError(
            PROTOCOL, f'The last JSON object has {"more than one" if given else "no"} "{TURN}".'
        )
    return given[0]


def _almost_json(reply: str, at: int) -> _Pairs | None:
    """The answer that begins here if it is an object to Python, though not to JSON.

    That is so with single quotes, and with a comma behind the last element.
    """
    piece = reply[at : reply.find("}", at, at + _MOST) + 1]
    if not _BEGINS_ANSWER.match(piece) or len(re.findall(rf"""["']{TURN}["']\s*:""", piece)) > 1:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python thinks of a model's style is of no interest
        try:
            value = ast.literal_eval(piece)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return None
    return _Pairs(value.items()) if isinstance(value, dict) else None


def _read_text(text: str, known: Collection[str]) -> tuple[int | None, list[str]]:
    """The number and the names in an answer's text; one of the two may be missing."""
    text = unicodedata.normalize("NFKC", text).strip(_MARKS).rstrip("; ")
    if _plain(text) in known:
        return None, [text]
    if alone := _NUMBER.fullmatch(text):
        return int(alone[1]), []
    parts = [part.strip(_MARKS) for part in text.split(";" if ";" in text else ",")]
    if _plain(parts[-1]) not in known:
        parts[-1] = parts[-1].removesuffix(".")
    heads = [_NUMBERED.match(part) for part in parts]
    tails = [part[head.end() if head else 0 :] for part, head in zip(parts, heads, strict=True)]
    numbers = [head and int(head[1]) for head in heads]
    if len(parts) > 1 and numbers == [*range(1, len(parts) + 1)]:  # a list of the actions
        return None, tails
    return numbers[0], [tails[0], *parts[1:]]


def _listed(
    game: BaseGame, number: int, names: Sequence[str], known: Mapping[str, int]
) -> list[int]:
    """The actions of the turn of a number; names behind the number must be theirs."""
    turns = game.turns()
    if not 1 <= number <= len(turns):
        raise _RefusedError(
            ILLEGAL,
            f"There is no turn {number}: the legal turns are numbered from 1 to {len(turns)}.",
        )
    actions = [*turns[number - 1].actions]
    if names and [known.get(_plain(name)) for name in names] != actions:
        raise _RefusedError(
            ILLEGAL,
            f"The actions behind the number {number} are not those of turn {number}: "
            "give the number or the actions.",
        )
    return actions


def _actions(game: BaseGame, answer: Any, options: TextOptions) -> list[int]:
    """The actions that an answer names, or those of the turn whose number it gives."""
    known = _indices(type(game), options)
    if type(answer) is list and len(answer) == 1:
        (answer,) = answer
    number: int | None = None
    names: list[str] = []
    if isinstance(answer, str):
        number, names = _read_text(answer, known)
    elif type(answer) is int or (type(answer) is float and answer.is_integer()):
        number = int(answer)
    if number is not None and options.legal == LISTED:
        return _listed(game, number, names, known)
    if isinstance(answer, str):
        answer = names if number is None else [answer]
    if type(answer) is not list or not all(isinstance(name, str) for name in answer):
        wanted = "a list of names of actions" + (
            ", or the number of a legal turn" if options.legal == LISTED else ""
        )
        raise _RefusedError(PROTOCOL, f'"{TURN}" must be {wanted}, not {repr_of(answer)}.')
    if not any(map(str.strip, answer)):
        raise _RefusedError(PROTOCOL, "The turn has no actions.")
    indices = [known.get(_plain(name)) for name in answer]
    for number, (name, index) in enumerate(zip(answer, indices, strict=True), 1):
        if index is None:
            raise _RefusedError(
                ILLEGAL, f"Action {number}, {repr_of(name)}, is not the name of an action."
            )
    return [index for index in indices if index is not None]


def _played(game: BaseGame, actions: list[int], options: TextOptions) -> tuple[int, ...]:
    """These actions, if they form one whole turn."""
    rename = renaming_of(type(game), options.rename).prose
    names = [repr(rename(game.action_names[action])) for action in actions]
    now = game.copy()
    for number, (action, name) in enumerate(zip(actions, names, strict=True)):
        after = f" after {', '.join(names[:number])}" if number else ""
        if number and not now.is_in_turn(game.turn_id):
            raise _RefusedError(
                ILLEGAL, f"Action {number + 1}, {name}, is too much: the turn ends{after}."
            )
        if not now.action_mask()[action]:
            raise _RefusedError(
                ILLEGAL,
                f"Action {number + 1}, {name}, may not be played{after}{_hint(now, options)}.",
            )
        now.play(action)
    if now.is_in_turn(game.turn_id):
        raise _RefusedError(
            ILLEGAL, f"The turn is not finished after {', '.join(names)}{_hint(now, options)}."
        )
    return tuple(actions)


def _hint(now: BaseGame, options: TextOptions) -> str:
    """What may be played, if a prompt would list it."""
    names = renaming_of(type(now), options.rename).prose(", ".join(map(repr, now.legal_names())))
    return (
        f"; legal there: {names or 'nothing, for the game is over'}"
        if options.legal == LISTED
        else ""
    )


def _plain(name: str) -> str:
    """The name of an action without meaningless differences: capitals, widths, extra spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


@lru_cache(maxsize=64)
def _indices(game_class: type[BaseGame], options: TextOptions) -> dict[str, int]:
    """The indices of all actions, by their names in the form of `_plain`."""
    rename = renaming_of(game_class, options.rename).prose
    return {_plain(rename(name)): index for index, name in enumerate(game_class.action_names)}
