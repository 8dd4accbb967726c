"""Reading a language model's reply: a turn, or the reason why it is not one.

The form is forgiving wherever it leaves no doubt; nothing is ever guessed from prose.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from tkm_env.core.game import BaseGame
from tkm_env.foundations.errors import did_you_mean, repr_of
from tkm_env.text.flaws import (
    BROKEN,
    CUT_OFF,
    EMPTY,
    FLAWS,
    FORM,
    INCOMPLETE,
    NOT_ANSWERED,
    REFUSED,
    UNFINISHED,
    UNKNOWN,
    RefusedReplyError,
)
from tkm_env.text.marked_answer import (
    CALL,
    MARKS,
    MOST_CHARACTERS,
    Answer,
    marked_answer,
    python_value,
)
from tkm_env.text.options import DEFAULT_OPTIONS, TextOptions
from tkm_env.text.prompt import (
    TURN,
    actions_in_words,
    image_of,
    listed_turns,
    sentences,
    way_to_answer,
)
from tkm_env.text.renaming import renaming_of
from tkm_env.text.words import WORDS
from tkm_env.text.wrapping import Thoughtful, split_thoughts, unwrapped

#: The most characters of an answer with a note behind it.
_LONGEST_NOTE: Final = 500
#: The mark of a block of code around a whole reply.
_FENCE: Final = re.compile(r"\A\s*(?:```|~~~)\w*\n(.*)\n(?:```|~~~)\s*\Z", re.DOTALL)
#: A turn's number, maybe as in a list.
_NUMBER: Final = re.compile(r"#?\s*([0-9]{1,9})(?:\.0+)?\s*[.):]?")
#: A sentence that says nothing but a number, such as "The answer is 5."
_SAID: Final = re.compile(
    r"(?:(?:my|the) )?(?:final )?(?:answer|choice)(?: is:?|:) (?:(?:turn|number) )?(#?[0-9]+) ?\.?",
    re.IGNORECASE,
)
#: A number in front of names, as in a list.
_NUMBERED: Final = re.compile(r"#?\s*([0-9]{1,9})\s*[.):][*_`]*\s+(?=\S)")
#: A note behind an answer: in parentheses, behind a dash, or as a comment.
_NOTE: Final = re.compile(r"(.*?\S)\s*(?:\(([^()]*)\)|\s[-\u2013\u2014]+\s(.*)|\s(?:#|//)\s?(.*))")
#: A sentence behind an answer.
_SENTENCE: Final = re.compile(r"([^.]*)\.\s+(\S.*)")
#: Words by which a note takes an answer back.
_DOUBT: Final = re.compile(r"\b(?:or|instead|rather|alternatively|wait|no)\b", re.IGNORECASE)
#: What stands between the actions of a turn, and the words that may follow it.
_SEPARATORS: Final = (";", "\u2192", "->", "=>", "|", " / ", ",")
_THEN: Final = re.compile(r"\A(?:(?:and|then|next|finally)\b[ ,:]*)+", re.IGNORECASE)
#: The punctuation of other languages and scripts.
_PUNCTUATION: Final = str.maketrans("\u061b\u060c\u3001\u3002\u21d2", ";,,.\u2192")
#: Replaces the marks of Markdown and of code by nothing.
_NO_MARKS: Final = str.maketrans(dict.fromkeys("*_`"))
#: Pictures at the end of an answer.
_PICTURES: Final = "".join(map(chr, (*range(0x2600, 0x27C0), *range(0x1F300, 0x1FB00))))


@dataclass(frozen=True)
class Refusal:
    """Why a reply is not a turn.

    Attributes:
        flaw: what is wrong, by name: ``"empty"``, ``"refused"``, ``"cut off"``, ``"form"``,
            ``"unknown name"``, ``"unfinished"`` or ``"rule broken"``.
        sentence: what is wrong, in a sentence.
        message: what to send back: the sentence, and the request to answer again.
    """

    flaw: str
    sentence: str
    message: str

    @property
    def kind(self) -> str:
        """The kind of fault.

        It is ``"protocol"`` for no turn at all, or ``"illegal"`` for one that may not be played.
        """
        return FLAWS[self.flaw].kind


def read_reply(
    game: BaseGame,
    reply: str,
    options: TextOptions = DEFAULT_OPTIONS,
    *,
    end: str = "",
    tool: str = "",
) -> tuple[int, ...] | Refusal:
    """Read the turn in a reply to `prompt_for`.

    The answer is the last JSON object or the last line that begins with ``TURN:``, whichever comes
    later; a reply that is nothing but an answer needs neither. Its form may differ from the one
    that was asked for as long as there is no doubt: a number as in a list (``1.``, ``#1``), with
    the listed actions behind it, a note in parentheses or behind a dash, a semicolon at the end,
    capitals, quotes, Python's commas, a tool call. Thoughts, tags and the signs of LaTeX do not
    count. No reply raises an error.

    Args:
        game: the game.
        reply: what the model replied.
        options: the options of the prompt.
        end: why the reply ended, as the server says; empty if that is not known.
        tool: the name of the tool that takes turns, as for `prompt_for`.

    Returns:
        The indices of actions that can be played one after another, or why there is no turn.

    >>> from tkm_env import Game
    >>> read_reply(Game(), '{"turn": ["choose 1", "move east", "travel forward", "focus present"]}')
    (0, 17, 24, 59)
    >>> read_reply(Game(), "TURN: choose 1; move north", TextOptions(legal="none")).sentence
    "Action 2, 'move north', may not be played after 'choose 1': a wall is in the way."
    """
    try:
        told, images = image_of(game, options)
        answer = _answer(told, split_thoughts(reply), options, end, tool)
        actions = _actions(told, answer, options)
        return tuple(images.index(action) for action in _played(told, actions, options))
    except RefusedReplyError as refused:
        flaw, sentence = refused.args
        fill = sentences(options)
        again = fill(f"again{way_to_answer(options, tool)}", tool=tool)
        message = fill("refused", reason=sentence, again=again).strip()
        return Refusal(flaw, sentence, message)


#: What tools take as a turn, as a JSON schema.
TURN_SCHEMA: Final[Mapping[str, Any]] = {
    "anyOf": [
        {"type": "integer", "minimum": 1},
        {"type": "array", "items": {"type": "string"}, "minItems": 1},
        {"type": "string"},
    ],
    "description": (
        "A whole turn: the number of a listed turn, such as 3; all of its actions in order, as a "
        "list; or the same as one string, with semicolons between them."
    ),
}


def reply_of(turn: object, tool: str) -> str:
    """The reply that stands for a turn that is given to a program.

    Args:
        turn: the number of a legal turn; the names of the actions; or text, which may be a whole
            reply. `read_reply` refuses anything else.
        tool: the name of the tool to which it is given, as for `prompt_for`; the text given to a
            tool may also be the answer alone, as behind ``TURN:``.

    Returns:
        What `read_reply` reads.

    >>> reply_of(3, "play"), reply_of("3", "play"), reply_of(["choose 1", "concede"], "play")
    ('{"turn": 3}', 'TURN: 3', '{"turn": ["choose 1", "concede"]}')
    >>> reply_of("The answer is 3.", "")
    'The answer is 3.'
    """
    if not isinstance(turn, str):
        return json.dumps({TURN: turn}, default=repr)
    is_marked = "{" in turn or "turn" in turn.casefold() or CALL.search(turn) or _said(turn)
    is_whole = not tool or is_marked or "\n" in turn.strip()
    return turn if is_whole else f"TURN: {turn}"


def write_reply(
    game: BaseGame, actions: Sequence[int], options: TextOptions = DEFAULT_OPTIONS
) -> str:
    """The reply with these actions, in the form that the prompt asks for.

    Args:
        game: the game.
        actions: the indices of the actions.
        options: the options of the prompt.

    Returns:
        The reply: a line with the number of the turn, if that is listed, or with its actions.

    >>> from tkm_env import Game
    >>> write_reply(Game(), [0, 17, 24, 59], TextOptions(legal="none"))
    'TURN: choose 1; move east; travel forward; focus present'
    >>> write_reply(Game(), [0, 17, 24, 59])
    'TURN: 7'
    """
    told, images = image_of(game, options)
    shown = tuple(images[action] for action in actions)
    if options.lists_turns:
        for number, turn in enumerate(listed_turns(told), 1):
            if turn.actions == shown:
                return f"TURN: {number}"
    names = actions_in_words(type(game), options)
    return f"TURN: {'; '.join(names[action] for action in shown)}"


def _answer(game: BaseGame, replied: Thoughtful, options: TextOptions, end: str, tool: str) -> Any:
    """What represents the turn in a reply: a JSON value, or the text of a line."""
    reply = unwrapped(replied.said)
    try:
        found = marked_answer(reply) or _alone(game, reply, options)
    except RefusedReplyError:
        if end in (CUT_OFF, *REFUSED):
            found = None
        else:
            raise
    if found is not None and not (found.is_open and end == CUT_OFF):
        return found.value
    if end in REFUSED:
        raise RefusedReplyError(NOT_ANSWERED, "The model refused to answer, or its provider did.")
    if end == CUT_OFF:
        raise RefusedReplyError(
            INCOMPLETE,
            "The reply was cut off before its turn was complete: "
            "think less, and end with the turn.",
        )
    if tool:
        raise _not_a_turn(replied.said.strip() or replied.thoughts.strip(), options)
    if replied.is_open:
        raise RefusedReplyError(
            FORM, "The reply ends inside its thoughts: close them, then end with the turn."
        )
    if not reply.strip() and not replied.thoughts.strip():
        raise RefusedReplyError(EMPTY, "The reply is empty.")
    where = " behind its thoughts" if replied.thoughts else ""
    raise RefusedReplyError(
        FORM,
        f'The reply has no turn{where}: there is neither a JSON object with "{TURN}" '
        "nor a line that begins with TURN:.",
    )


def _alone(game: BaseGame, reply: str, options: TextOptions) -> Answer | None:
    """The answer that is the whole reply, such as ``5`` or ``The answer is 5.``.

    None if the reply is something else.
    """
    block = _FENCE.match(reply[: MOST_CHARACTERS + 1])
    text = (block[1] if block else reply).strip()
    if not text or len(text) > MOST_CHARACTERS or "\n" in text:
        return None
    if text.startswith("["):
        value = python_value(text)
        return Answer(value) if isinstance(value, list) else None
    text = _said(text) or text
    known = _indices(type(game), options)
    number, names = _read_text(text, known)
    is_number = re.fullmatch("#?[0-9]+[.)]?", unicodedata.normalize("NFKC", text).strip(MARKS))
    is_answer = (
        is_number is not None and options.lists_turns
        if not names
        else all(_plain(name) in known for name in names)
    )
    return Answer(text, is_open=True) if is_answer else None


def _said(text: str) -> str:
    """The number in a sentence that says nothing else; empty if the text is something else."""
    said = _SAID.fullmatch(" ".join(text.translate(_NO_MARKS).split()))
    return said[1] if said else ""


def _read_text(text: str, known: Mapping[str, int]) -> tuple[int | None, list[str]]:
    """The number and the names in an answer's text; one of the two may be missing.

    A note behind them is left out, unless it makes a number doubtful.
    """
    text = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION)
    text = text.rstrip(MARKS + _PICTURES).lstrip(MARKS).rstrip("; ")
    if _plain(text) in known:
        return None, [text]
    if alone := _NUMBER.fullmatch(text):
        return int(alone[1]), []
    head, note = _noted(text)
    if alone := _NUMBER.fullmatch(head):
        return _noted_number(int(alone[1]), note, known)
    parts = _parts(text, known)
    parts[-1] = _without_note(parts[-1], known)
    heads = [_NUMBERED.match(part) for part in parts]
    tails = [_without_number(part) for part in parts]
    numbers = [head and int(head[1]) for head in heads]
    if len(parts) > 1 and numbers == [*range(1, len(parts) + 1)]:  # a list of the actions
        return None, tails
    names = [tails[0], *parts[1:]]
    if heads[0] and ";" not in text and not any(_plain(name) in known for name in names):
        return _noted_number(int(heads[0][1]), text[heads[0].end() :], known)  # a sentence
    return numbers[0], names


def _noted(text: str) -> tuple[str, str]:
    """An answer without the note behind it, and the note."""
    found = _NOTE.fullmatch(text) if len(text) <= _LONGEST_NOTE else None
    return (found[1].strip(MARKS), found[2] or found[3] or found[4] or "") if found else (text, "")


def _without_note(part: str, known: Mapping[str, int]) -> str:
    """The last part of an answer without the note or the sentence behind the name in it."""
    if _plain(part) in known:
        return part
    notes = [_noted(part)]
    if sentence := _SENTENCE.fullmatch(part[:_LONGEST_NOTE]):
        notes.append((sentence[1].strip(MARKS), sentence[2]))
    for head, note in notes:
        if _plain(_without_number(head)) not in known:
            continue
        said = _plain(note)
        if _DOUBT.search(note) and any(
            re.search(rf"\b{re.escape(name)}\b", said) for name in known
        ):
            raise RefusedReplyError(
                FORM, f"What stands behind {head!r} names other actions: answer with one turn."
            )
        return head
    return part.removesuffix(".")


def _parts(text: str, known: Mapping[str, int]) -> list[str]:
    """The parts of an answer between its separators."""
    separator = next((sign for sign in _SEPARATORS if sign in text), ";")
    parts = [part.strip(MARKS) for part in text.split(separator)]
    return [part if _plain(part) in known else _THEN.sub("", part) for part in parts]


def _without_number(part: str) -> str:
    """A part of an answer without the number in front of it."""
    head = _NUMBERED.match(part)
    return part[head.end() if head else 0 :].strip(MARKS)


def _noted_number(number: int, note: str, known: Mapping[str, int]) -> tuple[int | None, list[str]]:
    """A number, and the actions that a note behind it names."""
    names = _parts(note, known)
    if all(_plain(name) in known for name in names):
        return number, names
    if re.search("[0-9]", note) or _DOUBT.search(note):
        raise RefusedReplyError(
            FORM,
            f"What stands behind the number {number} leaves a doubt: answer with one number alone.",
        )
    return number, []


def _listed(
    game: BaseGame, number: int, names: Sequence[str], known: Mapping[str, int]
) -> list[int]:
    """The actions of the turn of a number; names behind the number must be theirs."""
    turns = listed_turns(game)
    if not 1 <= number <= len(turns):
        numbers = (
            "the only legal turn has the number 1"
            if len(turns) == 1
            else f"the legal turns are numbered from 1 to {len(turns)}"
        )
        raise RefusedReplyError(UNKNOWN, f"There is no turn {number}: {numbers}.")
    actions = [*turns[number - 1].actions]
    given = [known.get(_plain(name)) for name in names]
    if names and given != actions[-len(names) :]:  # a grouped list has the last ones only
        raise RefusedReplyError(
            FORM,
            f"The actions behind the number {number} are not those of turn {number}: "
            "give the number or the actions.",
        )
    return actions


def _actions(game: BaseGame, answer: Any, options: TextOptions) -> list[int]:
    """The actions that an answer names, or those of the turn whose number it gives."""
    known = _indices(type(game), options)
    number: int | None = None
    names: list[str] = []
    if isinstance(answer, str) and answer.startswith("[") and len(answer) <= MOST_CHARACTERS:
        answer = python_value(answer)
    if type(answer) is list and len(answer) == 1:
        (answer,) = answer
    if isinstance(answer, str):
        number, names = _read_text(answer, known)
    elif type(answer) is int or (type(answer) is float and answer.is_integer()):
        number = int(answer)
    if number is not None and options.lists_turns:
        return _listed(game, number, names, known)
    if isinstance(answer, str):
        answer = names if number is None else [answer]
    if type(answer) is not list or not all(isinstance(name, str) for name in answer):
        raise _not_a_turn(answer, options)
    if not any(map(str.strip, answer)):
        raise RefusedReplyError(FORM, "The turn has no actions.")
    indices: list[int] = []
    for number, name in enumerate(answer, 1):
        index = known.get(_plain(name))
        if index is None:
            raise RefusedReplyError(UNKNOWN, _unknown(number, name, len(answer), known, options))
        indices.append(index)
    return indices


def _not_a_turn(given: object, options: TextOptions) -> RefusedReplyError:
    """The refusal of what is neither a number nor a list of names."""
    wanted = "a list of names of actions" + (
        ", or the number of a legal turn" if options.lists_turns else ""
    )
    return RefusedReplyError(FORM, f'"{TURN}" must be {wanted}, not {repr_of(given)}.')


def _unknown(
    number: int, name: str, count: int, known: Mapping[str, int], options: TextOptions
) -> str:
    """What to answer where no action has a name."""
    sentence = f"Action {number}, {repr_of(name)}, is not the name of an action"
    has_number = re.search("[0-9]", name) if count == 1 else name.isdecimal()
    if has_number and options.lists_turns:
        return f"{sentence}: answer with one number alone, or with all actions of the turn."
    return f"{sentence}{did_you_mean(_plain(name), known) or '.'}"


def _played(game: BaseGame, actions: list[int], options: TextOptions) -> tuple[int, ...]:
    """These actions, if they form one whole turn."""
    rename = renaming_of(type(game), options.rename).prose
    told = actions_in_words(type(game), options)
    names = [repr(told[action]) for action in actions]
    now = game.copy()
    for number, (action, name) in enumerate(zip(actions, names, strict=True)):
        after = f" after {', '.join(names[:number])}" if number else ""
        if number and not now.is_in_turn(game.turn_id):
            raise RefusedReplyError(
                BROKEN, f"Action {number + 1}, {name}, is too much: the turn ends{after}."
            )
        if not now.action_mask()[action]:
            obstacle = WORDS.of(game.name).obstacle(now, game.action_names[action], options)
            why = f": {rename(obstacle)}" if obstacle else ""
            raise RefusedReplyError(
                BROKEN,
                f"Action {number + 1}, {name}, may not be played{after}{why}{_hint(now, options)}.",
            )
        now.play(action)
    if now.is_in_turn(game.turn_id):
        raise RefusedReplyError(
            UNFINISHED, f"The turn is not finished after {', '.join(names)}{_hint(now, options)}."
        )
    return tuple(actions)


def _hint(now: BaseGame, options: TextOptions) -> str:
    """What may be played, if a prompt would list it."""
    if not options.lists_turns or now.result is not None:
        return ""
    names = actions_in_words(type(now), options)
    return f"; legal there: {', '.join(repr(names[action]) for action in now.legal_actions())}"


def _plain(name: str) -> str:
    """The name of an action without meaningless differences: capitals, widths, extra spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).split()).casefold()


@lru_cache(maxsize=64)
def _indices(game_class: type[BaseGame], options: TextOptions) -> dict[str, int]:
    """The indices of all actions, by their names in the form of `_plain`."""
    names = actions_in_words(game_class, options)
    return {_plain(name): index for index, name in enumerate(names)}
