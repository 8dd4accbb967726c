"""Play in a terminal."""

import textwrap
from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from tkm_env.core.game import BaseGame
from tkm_env.core.record_files import write_record
from tkm_env.core.registry import GameSpec
from tkm_env.core.rulebook_text import RulesSection
from tkm_env.foundations.errors import (
    ConfigError,
    TKMError,
    UnknownActionError,
    did_you_mean,
    repr_of,
)
from tkm_env.foundations.untrusted_text import visible
from tkm_env.play.adapter import ADAPTERS, Choice
from tkm_env.play.exercises import OPEN, SOLVED
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session

_HELP: Final = (
    "Type a number or the name of an action; ? for the rules; "
    "or undo, position, save FILE, q to leave."
)
#: Replaces a space at which no line may end.
_NO_BREAK: Final = "\N{NO-BREAK SPACE}"
_INDENT: Final = "  "


def menu(choices: Sequence[Choice], width: int = 80) -> list[str]:
    """List the choices, numbered, group by group.

    If the choices of a group do different things, each has a line of its own that says what it
    does.

    Args:
        choices: the choices.
        width: the most characters of a line.

    Returns:
        The lines.

    >>> menu([Choice("draft 1", "Take", "to stay", None), Choice("draft 2", "Take", "to go", None)])
    ['Take  1 draft 1: to stay', '      2 draft 2: to go']
    """
    column = max(len(choice.group) for choice in choices) + 2
    lines = []
    for group, members in groupby(enumerate(choices, 1), key=lambda item: item[1].group):
        helps = {f"{number} {choice.name}": choice.help for number, choice in members}
        if len({*helps.values()}) > 1:
            paragraphs = [f"{text}: {help_text}" for text, help_text in helps.items()]
        else:
            paragraphs = ["   ".join(text.replace(" ", _NO_BREAK) for text in helps)]
        heading = group
        for paragraph in paragraphs:
            for line in textwrap.wrap(
                paragraph, max(1, width - column), break_long_words=False, break_on_hyphens=False
            ):
                lines.append(f"{heading:{column}}{line.replace(_NO_BREAK, ' ')}")
                heading = ""
    return lines


def play_in_terminal(
    session: Session[Any],
    console: Console,
    ask: Callable[[str], str] = input,
    kept: KeptGames | None = None,
) -> Session[Any]:
    """Play a session, and in a match those after it, to its end or until the person leaves.

    A person leaves when ``ask`` raises `EOFError` or `KeyboardInterrupt`, or by Ctrl-C while an
    agent thinks.

    Args:
        session: the session.
        console: where it is shown.
        ask: called with a prompt; returns a line of input.
        kept: keeps the session after each action, until it is over; None keeps nothing.

    Returns:
        The last session.
    """
    kept = KeptGames(None) if kept is None else kept
    _say(console, _HELP)
    while True:
        _show_match(session, console)
        _play_game(session, console, ask, kept)
        if session.game.result is None:
            return session
        if session.match is None:
            kept.forget(session.id)
        _show(console, session)
        _say(console, session.game.situation)
        if session.match is None:
            return session
        _show_match(session, console)
        while answer := _answer(ask, "Enter for the next game, or quit> "):
            _follow(session, console, ask, answer, [])
            kept.keep(session)
        if answer is None:
            return session
        session = session.next_in_match()


def learn_in_terminal(spec: GameSpec, console: Console, ask: Callable[[str], str] = input) -> None:
    """Offer a game's lessons and puzzles, and play those chosen until the person leaves.

    Args:
        spec: the game's entry in the registry.
        console: where they are shown.
        ask: called with a prompt; returns a line of input.

    Raises:
        ConfigError: if the game has none.
    """
    sets = [*ADAPTERS.of(spec).exercises().items()]
    if not sets:
        raise ConfigError("game", spec.name, "it has no lessons")
    for number, (name, exercises) in enumerate(sets, 1):
        _say(console, f"{number} {name} ({len(exercises)})")
    if (chosen := _number(ask, f"Which? 1 to {len(sets)}, q to leave> ", len(sets), 1)) is None:
        return
    _say(console, _HELP)
    (name, exercises), number = sets[chosen - 1], 1
    while number <= len(exercises):
        exercise = exercises[number - 1]
        session = Session.of_exercise(spec, name, number - 1)
        grade = f" ({exercise.grade})" if exercise.grade else ""
        _say(console, f"\n{number} of {len(exercises)}: {exercise.title}{grade}", "bold")
        _say(console, exercise.before)
        _play_game(session, console, ask, KeptGames(None))
        judgement = exercise.judge(session.game)
        if judgement == OPEN:
            return
        _show(console, session)
        _say(console, exercise.text(judgement), "bold")
        following = number + (judgement == SOLVED)
        what = (
            "to try again"
            if following == number
            else "for the next one"
            if following <= len(exercises)
            else "to finish"
        )
        if (
            chosen := _number(
                ask, f"Enter {what}, or 1 to {len(exercises)}> ", len(exercises), following
            )
        ) is None:
            return
        number = chosen


def _number(ask: Callable[[str], str], prompt: str, most: int, default: int) -> int | None:
    """Ask for a number from 1 to ``most``.

    Returns:
        The number; ``default`` for an empty line, None if the person leaves.
    """
    while (answer := _answer(ask, prompt)) is not None:
        if not answer or answer in map(str, range(1, most + 1)):
            return int(answer or default)
    return None


def _answer(ask: Callable[[str], str], prompt: str) -> str | None:
    """Ask for a line of input; None if the person leaves."""
    try:
        answer = ask(prompt).strip()
    except (EOFError, KeyboardInterrupt):
        return None
    return None if answer in ("quit", "q") else answer


def _show_match(session: Session[Any], console: Console) -> None:
    """Show the score of a match and, before a game, what the players can say."""
    if session.match is None:
        return
    status = session.match.status(session.game)
    console.print()
    _say(console, status.title, "bold")
    for line in status.lines:
        _say(console, f"{_INDENT}{line}")
    if _can_say(session):
        for step in session.match.steps():
            _say(console, f"{_INDENT}say {step.name}: {step.label}. {step.tip}")


def _play_game(
    session: Session[Any], console: Console, ask: Callable[[str], str], kept: KeptGames
) -> None:
    """Play until the game is over, its exercise is done, or the person leaves."""
    adapter = session.adapter
    shown = ""
    chosen: str | None = None  # the obvious action, if it was played for the person just now
    passed: list[str] = []  # what else could have been played then
    undone: str | None = None  # the position that an undo led to
    while session.waits_for_agent or session.waits_for_person:
        if session.waits_for_agent:
            try:
                # Shown on a terminal only.
                with console.status(f"{session.game.to_act} is thinking", spinner="line"):
                    session.let_agent_play()
            except KeyboardInterrupt:
                return
            entry = adapter.log(session.game)[-1]
            played = f"{entry.label or entry.action}{entry.text and f': {entry.text}'}"
            _say(console, f"{entry.player} ({session.players[entry.player]}): {played}")
            kept.keep(session)
            continue
        position = session.game.visible_position
        obvious = None if _can_say(session) else adapter.obvious(session.game)
        if obvious is not None and position != undone:
            chosen, passed = obvious, session.game.legal_names()
            session.play(obvious)
            continue
        choices = adapter.choices(session.game)
        if position != shown:
            shown = position
            _show(console, session)
            for line in menu(choices, console.width - len(_INDENT)):
                _say(console, f"{_INDENT}{line}")
        answer = _answer(ask, f"{session.game.to_act}> ")
        if answer is None:
            return
        names = [choice.name for choice in choices]
        if chosen is not None and answer in passed and answer not in names:
            if answer == chosen:
                _say(console, f"{answer} was played for you: no other copy can act.")
                continue
            session.undo()
        chosen = None
        before = len(session.game.history)
        _follow(session, console, ask, answer, names)
        if len(session.game.history) < before:
            undone = session.game.visible_position
        kept.keep(session)


def _can_say(session: Session[Any]) -> bool:
    """Whether the players can say something before this game of a match."""
    return session.match is not None and not session.game.history and bool(session.match.steps())


def _in_pages(console: Console, ask: Callable[[str], str], tell: Callable[[], None]) -> None:
    """Print what ``tell`` prints; on a terminal, one screen at a time."""
    with console.capture() as told:
        tell()
    lines = told.get().splitlines()
    step = max(2, console.height - 1) if console.is_terminal else max(1, len(lines))
    for start in range(0, len(lines), step):
        console.print(Text.from_ansi("\n".join(lines[start : start + step])))
        more = "Enter for more, q to return to the game> "
        if start + step < len(lines) and _answer(ask, more) is None:
            return


def _say(console: Console, text: str, style: str = "") -> None:
    """Print text, wrapped between words."""
    console.print(Text(visible(text, keep="\n"), style))


def _show(console: Console, session: Session[Any]) -> None:
    """Print the game, in colour if the terminal has colours."""
    console.print()
    console.print(_style_board(session, session.game))
    console.print()


def _style_board(session: Session[Any], game: BaseGame) -> Text:
    text = Text(session.adapter.numbered_drawing(game))
    for pattern, style in session.adapter.styles.items():
        text.highlight_regex(pattern, style)
    return text


def _explain(session: Session[Any], console: Console, name: str) -> None:
    """Print the rules in play, or the named section with its examples."""
    sections = session.adapter.rules_for(session.game)
    if not sections:
        for line in (_HELP, *session.adapter.rules):
            _say(console, line)
        return
    named = [section for section in sections if section.name == name]
    if named:
        _print_section(console, named[0])
        for example in named[0].examples:
            _say(console, f"{example.words} ({', '.join(example.actions)})", "italic")
            console.print(
                Padding(
                    _style_board(session, example.played(type(session.game))),
                    (1, 0, 1, len(_INDENT)),
                    expand=False,
                )
            )
        return
    if name:
        _say(console, "The rules of this game have no section of that name.")
    else:
        _say(console, _HELP)
        for section in (sections[0], *(section for section in sections if section.needs)):
            _print_section(console, section)
    _say(
        console,
        "help NAME explains more, with examples: "
        f"{', '.join(section.name for section in sections)}",
    )


def _print_section(console: Console, section: RulesSection) -> None:
    console.print()
    _say(console, section.title, "bold")
    for paragraph in section.text:
        console.print(Padding(Text(paragraph), (0, 0, 0, len(_INDENT)), expand=False))
    console.print()


def _follow(
    session: Session[Any],
    console: Console,
    ask: Callable[[str], str],
    answer: str,
    names: Sequence[str],
) -> None:
    """Carry out a line of input, or print why it cannot be carried out."""
    command, _, rest = answer.partition(" ")
    try:
        if answer in (numbers := list(map(str, range(1, len(names) + 1)))):
            session.play(names[numbers.index(answer)])
        elif command in ("help", "?"):
            _in_pages(console, ask, partial(_explain, session, console, rest.strip()))
        elif answer == "undo":
            session.undo()
        elif answer == "position":
            console.print(
                session.game.visible_position, highlight=False, markup=False, soft_wrap=True
            )
        elif command == "save" and rest:
            write_record(Path(rest), session.to_record())
            _say(console, f"added to {rest}")
        elif command == "say" and session.match is not None:
            session.say(rest.strip())
            _show_match(session, console)
        else:
            session.play(answer)
    except UnknownActionError:
        _say(console, _not_understood(answer, names, session.game.action_names))
    except (TKMError, OSError) as error:
        _say(console, str(error))


def _not_understood(answer: str, names: Sequence[str], known: Sequence[str]) -> str:
    """Tell which part of an answer was not understood, and what could stand there.

    Args:
        answer: what the person typed.
        names: the names of the legal actions; none where no action can be played.
        known: the names of all actions.

    Returns:
        A sentence or two.
    """
    words = answer.split()
    begun = [name.split() for name in known]
    understood = 0
    while understood < len(words) and any(
        name[: understood + 1] == words[: understood + 1] for name in begun
    ):
        understood += 1
    numbers = f" Numbers go from 1 to {len(names)}." if names else ""
    guess = did_you_mean(answer, names)
    if not understood:
        what = f"{repr_of(words[0])} was not understood{guess}. " if words else ""
        return f"{what}{_HELP}{numbers}"
    follows = {
        name.split()[understood]
        for name in names
        if name.split()[:understood] == words[:understood] and len(name.split()) > understood
    }
    after = " ".join(words[:understood])
    options = f" {', '.join(sorted(follows))}" if follows else " nothing that is legal now"
    wrong = f", not {repr_of(words[understood])}" if understood < len(words) else ""
    return f"{repr_of(after)} is followed by{options}{wrong}{guess}"
