"""Playing in a terminal. Imports `session` and, from the extra ``[cli]``, rich."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from rich.console import Console

from tkm_env.engine.actions import ACTIONS, GROUPS
from tkm_env.errors import IllegalActionError
from tkm_env.play.session import Session
from tkm_env.records import write_record

__all__ = ["menu", "play_in_terminal"]

_HELP: Final = "a number or a name plays; undo, save FILE, position, quit"


def menu(names: list[str]) -> list[str]:
    """The legal actions as lines, numbered, one line for each group of actions that belong together.

    >>> menu(["move east", "move south", "travel forward"])
    ['1 move east   2 move south', '3 travel forward']
    """
    group_of = {name: number for number, group in enumerate(GROUPS) for name in group.names}
    lines: dict[int, list[str]] = {}
    for number, name in enumerate(names, 1):
        lines.setdefault(group_of[name], []).append(f"{number} {name}")
    return ["   ".join(parts) for parts in lines.values()]


def play_in_terminal(session: Session, console: Console, ask: Callable[[str], str] = input) -> None:
    """Play a session to its end, or until the person leaves: shows the boards, takes numbers, names and commands.

    Args:
        session: the game and its players.
        console: where to show it.
        ask: asks for a line of text; `EOFError` from it leaves, as the end of input does.
    """
    shown = ""
    while session.game.result is None:
        if not session.waits_for_person:
            player = session.game.to_act
            console.print(f"{player} ({session.players[player]}): {session.let_agent_play()}", highlight=False)
            continue
        if session.game.position != shown:
            shown = session.game.position
            console.print(f"\n{session.game}\n", highlight=False)
            for line in menu(session.game.legal_names()):
                console.print(f"  {line}", highlight=False)
        try:
            answer = ask(f"{session.game.to_act}> ").strip()
        except EOFError:
            return
        if answer == "quit":
            return
        _follow(session, console, answer)
    console.print(f"\n{session.game}\n", highlight=False)


def _follow(session: Session, console: Console, answer: str) -> None:
    """Do what a line asks for; what cannot be done is told."""
    command, _, rest = answer.partition(" ")
    names = session.game.legal_names()
    try:
        if answer.isdigit() and 1 <= int(answer) <= len(names):
            session.play(names[int(answer) - 1])
        elif answer in ACTIONS:
            session.play(answer)
        elif answer == "undo":
            session.undo()
        elif answer == "position":
            console.print(session.game.position, highlight=False, soft_wrap=True)
        elif command == "save" and rest:
            write_record(Path(rest), session.to_record())
            console.print(f"added to {rest}", highlight=False)
        else:
            console.print(f"{_HELP}; numbers go from 1 to {len(names)}", highlight=False)
    except (IllegalActionError, OSError) as error:
        console.print(str(error), highlight=False)
