"""Playing in a terminal. Needs rich, from the extra ``[cli]``."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from tkm_env.core.records import write_record
from tkm_env.errors import TKMError, UnknownActionError
from tkm_env.play.adapter import Choice, LogEntry
from tkm_env.play.session import Session

__all__ = ["menu", "play_in_terminal"]

_HELP: Final = "Type a number or the name of an action; or undo, position, save FILE, quit."


def menu(choices: Sequence[Choice]) -> list[str]:
    """The choices as lines, numbered, one line for each group.

    >>> menu([Choice("move east", "Move", "", None), Choice("move south", "Move", "", None), Choice("travel forward", "Travel", "", None)])
    ['Move    1 move east   2 move south', 'Travel  3 travel forward']
    """
    width = max(len(choice.group) for choice in choices)
    numbered = enumerate(choices, 1)
    return [
        f"{group:{width}}  {'   '.join(f'{number} {choice.name}' for number, choice in members)}"
        for group, members in groupby(numbered, key=lambda item: item[1].group)
    ]


def play_in_terminal(session: Session[Any], console: Console, ask: Callable[[str], str] = input) -> None:
    """Play a session to its end, or until the person leaves: shows the game, takes numbers, names and commands.

    Args:
        session: the game and its players.
        console: where to show it.
        ask: asks for a line of text; `EOFError` or `KeyboardInterrupt` from it ends the session, as does the latter while an agent thinks.
    """
    adapter = session.adapter
    _say(console, _HELP)
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
            _say(console, f"\n{session.game}\n")
            for line in menu(choices):
                _say(console, f"  {line}")
        try:
            answer = ask(f"{session.game.to_act}> ").strip()
        except (EOFError, KeyboardInterrupt):
            return
        if answer == "quit":
            return
        _follow(session, console, answer, [choice.name for choice in choices])
    _say(console, f"\n{session.game}\n\n{session.game.situation}")


def _say(console: Console, text: str) -> None:
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _sentence(entry: LogEntry) -> str:
    return f"{entry.action}: {entry.text}" if entry.text else entry.action


def _follow(session: Session[Any], console: Console, answer: str, names: Sequence[str]) -> None:
    """Carry out a line of input, or print why that is not possible."""
    command, _, rest = answer.partition(" ")
    try:
        if answer in (numbers := list(map(str, range(1, len(names) + 1)))):
            session.play(names[numbers.index(answer)])
        elif answer == "undo":
            session.undo()
        elif answer == "position":
            _say(console, session.adapter.position(session.game))
        elif command == "save" and rest:
            write_record(Path(rest), session.to_record())
            _say(console, f"added to {rest}")
        else:
            session.play(answer)
    except UnknownActionError:
        _say(console, f"{_HELP} Numbers go from 1 to {len(names)}.")
    except (TKMError, OSError) as error:
        _say(console, str(error))
