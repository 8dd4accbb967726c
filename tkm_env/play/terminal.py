"""Playing in a terminal. Needs rich, from the extra ``[cli]``."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tkm_env.errors import TKMError, UnknownActionError
from tkm_env.game.base import BaseGame
from tkm_env.game.records import write_record
from tkm_env.game.rulebook_text import Section
from tkm_env.play.adapter import Choice, LogEntry
from tkm_env.play.session import Session

_HELP: Final = "Type a number or the name of an action; ? for the rules; or undo, position, save FILE, quit."
#: In place of a space at which no line may end.
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_INDENT: Final = "  "


def menu(choices: Sequence[Choice], width: int = 80) -> list[str]:
    """The choices as lines of at most so many characters, numbered, group by group.

    In a group of which the choices do different things, each has a line of its own that says what.

    >>> menu([Choice("move east", "Move", "", None), Choice("move south", "Move", "", None), Choice("travel forward", "Travel", "", None)])
    ['Move    1 move east   2 move south', 'Travel  3 travel forward']
    >>> menu([Choice("draft 1", "Take", "to stay", None), Choice("draft 2", "Take", "to go", None)])
    ['Take  1 draft 1: to stay', '      2 draft 2: to go']
    """
    column = max(len(choice.group) for choice in choices) + 2
    return [
        line
        for group, members in groupby(enumerate(choices, 1), key=lambda item: item[1].group)
        for line in _group(group, list(members), column, width)
    ]


def _group(group: str, members: Sequence[tuple[int, Choice]], column: int, width: int) -> Iterator[str]:
    """The lines of one group, whose choices begin at that column."""
    texts = [f"{number} {choice.name}" for number, choice in members]
    if len({choice.help for _, choice in members}) > 1:
        told = [f"{text}: {choice.help}" for text, (_, choice) in zip(texts, members, strict=True)]
    else:
        told = ["   ".join(text.replace(" ", _NO_BREAK) for text in texts)]
    heading = group
    for one in told:
        for line in textwrap.wrap(one, max(1, width - column), break_long_words=False, break_on_hyphens=False):
            yield f"{heading:{column}}{line.replace(_NO_BREAK, ' ')}"
            heading = ""


def play_in_terminal(session: Session[Any], console: Console, ask: Callable[[str], str] = input) -> Session[Any]:
    """Play a session to its end, or until the person leaves: shows the game, takes numbers, names and commands.

    A match goes on, game after game, for as long as the person likes.

    Args:
        session: the game and its players.
        console: where to show it.
        ask: asks for a line of text; `EOFError` or `KeyboardInterrupt` from it ends the session, as does the latter while an agent thinks.

    Returns:
        The session; of a match that of the last game.
    """
    _say(console, _HELP)
    while True:
        _tell_match(session, console)
        _play_game(session, console, ask)
        if session.game.result is None:
            return session
        _show(console, session)
        _say(console, session.game.situation)
        if session.match is None:
            return session
        _tell_match(session, console)
        while answer := _asked(ask, "Enter for the next game, or quit> "):
            _follow(session, console, answer, [])
        if answer is None:
            return session
        session = session.next_in_match()


def _asked(ask: Callable[[str], str], prompt: str) -> str | None:
    """What the person says; None if they leave."""
    try:
        answer = ask(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        return None
    return None if answer == "quit" else answer


def _tell_match(session: Session[Any], console: Console) -> None:
    """How the match stands, if it is one; before a game also what the players can say."""
    if session.match is None:
        return
    standing = session.match.standing(session.game)
    console.print()
    _say(console, standing.title, "bold")
    for line in standing.lines:
        _say(console, f"{_INDENT}{line}")
    if not session.game.history:
        for step in session.match.steps():
            _say(console, f"{_INDENT}say {step.name}: {step.label}. {step.tip}")


def _play_game(session: Session[Any], console: Console, ask: Callable[[str], str]) -> None:
    """Play until the game is over, or the person leaves."""
    adapter = session.adapter
    shown = ""
    while session.game.result is None:
        if session.waits_for_agent:
            try:
                session.let_agent_play()
            except KeyboardInterrupt:
                return
            entry = adapter.log(session.game)[-1]
            _say(console, f"{entry.player} ({session.players[entry.player]}): {_sentence(entry)}")
            continue
        choices = adapter.choices(session.game)
        if adapter.position(session.game) != shown:
            shown = adapter.position(session.game)
            _show(console, session)
            for line in menu(choices, console.width - len(_INDENT)):
                _say(console, f"{_INDENT}{line}")
        answer = _asked(ask, f"{session.game.to_act}> ")
        if answer is None:
            return
        _follow(session, console, answer, [choice.name for choice in choices])


def _say(console: Console, text: str, style: str = "") -> None:
    """A text in lines that end between words."""
    console.print(Text(text, style))


def _show(console: Console, session: Session[Any]) -> None:
    """The game, in colours where there are any."""
    console.print()
    console.print(_drawn(session, session.game))
    console.print()


def _drawn(session: Session[Any], game: BaseGame) -> Text:
    text = Text(str(game))
    for pattern, style in session.adapter.styles.items():
        text.highlight_regex(pattern, style)
    return text


def _explain(session: Session[Any], console: Console, name: str) -> None:
    """The rules that matter now; or the section of them that is named, with its examples."""
    sections = session.adapter.rules_for(session.game)
    if not sections:
        for line in (_HELP, *session.adapter.rules):
            _say(console, line)
        return
    named = [section for section in sections if section.name == name]
    if named:
        _tell(console, named[0])
        for example in named[0].examples:
            _say(console, f"{example.words} ({', '.join(example.actions)})", "italic")
            console.print(Padding(_drawn(session, example.played(type(session.game))), (1, 0, 1, len(_INDENT)), expand=False))
        return
    if name:
        _say(console, "There is no part of that name in this game.")
    else:
        _say(console, _HELP)
        for section in (sections[0], *(section for section in sections if section.needs)):
            _tell(console, section)
    _say(console, f"help NAME explains more, with examples: {', '.join(section.name for section in sections)}")


def _tell(console: Console, section: Section) -> None:
    console.print()
    _say(console, section.title, "bold")
    for paragraph in section.text:
        console.print(Padding(Text(paragraph), (0, 0, 0, len(_INDENT)), expand=False))
    console.print()


def _sentence(entry: LogEntry) -> str:
    called = entry.label or entry.action
    return f"{called}: {entry.text}" if entry.text else called


def _follow(session: Session[Any], console: Console, answer: str, names: Sequence[str]) -> None:
    """Carry out a line of input, or print why that is not possible."""
    command, _, rest = answer.partition(" ")
    try:
        if answer in (numbers := list(map(str, range(1, len(names) + 1)))):
            session.play(names[numbers.index(answer)])
        elif command in ("help", "?"):
            _explain(session, console, rest.strip())
        elif answer == "undo":
            session.undo()
        elif answer == "position":
            console.print(session.adapter.position(session.game), highlight=False, markup=False, soft_wrap=True)
        elif command == "save" and rest:
            write_record(Path(rest), session.to_record())
            _say(console, f"added to {rest}")
        elif command == "say" and session.match is not None:
            session.say(rest.strip())
            _tell_match(session, console)
        else:
            session.play(answer)
    except UnknownActionError:
        _say(console, f"{_HELP} Numbers go from 1 to {len(names)}." if names else _HELP)
    except (TKMError, OSError) as error:
        _say(console, str(error))
