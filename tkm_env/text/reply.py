"""Reading a language model's reply: a turn, or the reason why it is not one.

Nothing is ever guessed from prose.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
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

#: A line with an answer, maybe among Markdown's marks.
_LINE: Final = re.compile(r"^[ \t>*_`#-]*TURN:(.*)$", re.MULTILINE)
_MARKS: Final = " \t\r*_`"
#: Where a JSON object can begin.
_OBJECT: Final = re.compile(r'\{(?=\s*["}])')
_BEGINS_ANSWER: Final = re.compile(rf'\{{\s*"{TURN}"')
_NUMBER: Final = re.compile("[0-9]{1,9}")
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
    later. No reply raises an error.

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
            value = None
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


def _actions(game: BaseGame, answer: Any, options: TextOptions) -> list[int]:
    """The actions that an answer names, or those of the turn whose number it gives."""
    known = _indices(type(game), options)
    if isinstance(answer, str):
        answer = (
            int(answer)
            if _NUMBER.fullmatch(answer) and answer not in known and options.legal == LISTED
            else answer.split(";")
        )
    if type(answer) is int and options.legal == LISTED:
        turns = game.turns()
        if not 1 <= answer <= len(turns):
            raise _RefusedError(
                ILLEGAL,
                f"There is no turn {repr_of(answer)}: "
                f"the legal turns are numbered from 1 to {len(turns)}.",
            )
        return [*turns[answer - 1].actions]
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
    """The name of an action without meaningless differences: capitals and extra spaces."""
    return " ".join(name.split()).casefold()


@lru_cache(maxsize=64)
def _indices(game_class: type[BaseGame], options: TextOptions) -> dict[str, int]:
    """The indices of all actions, by their names in the form of `_plain`."""
    rename = renaming_of(game_class, options.rename).prose
    return {_plain(rename(name)): index for index, name in enumerate(game_class.action_names)}
