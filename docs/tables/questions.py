"""Kinds of questions, an example of each, and how well they are guessed."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tables.markdown import glossary, table
from tkm_env.core.registry import game_spec
from tkm_env.questions import Question, QuestionKind, kinds_of, make_question
from tkm_env.questions.question import LINE_KEYS

DOCS = Path(__file__).parents[1]
GAMES = ("tkm", "terminus")
#: The widest line of an example.
_WIDTH = 118
#: Settings of the examples, by kind; the default ones for other kinds.
_SETTINGS: dict[str, dict[str, Any]] = {
    "position": {"chapters": "growth"},
    "power-actions": {"powers": ("doorway", "express")},
    "power-position": {"powers": ("bulldoze", "kinship")},
}
#: Difficulties of the examples, by kind; the second usual one for other kinds.
_DIFFICULTIES = {"deaths": 4, "endgame": 5}


def _kinds() -> Iterator[tuple[QuestionKind, list[str]]]:
    """Each kind, with the games that have it."""
    names = dict.fromkeys(name for game in GAMES for name in kinds_of(game_spec(game)))
    for name in names:
        games = [game for game in GAMES if name in kinds_of(game_spec(game))]
        yield kinds_of(game_spec(games[0]))[name], games


def kinds() -> str:
    """What each kind asks, of which games, and what its difficulty counts."""
    rows = []
    for kind, games in _kinds():
        measures = dict.fromkeys(kind.measure_of(game_spec(game)) for game in games)
        usual = dict.fromkeys(
            ", ".join(map(str, kind.usual_difficulties(game_spec(game)))) for game in games
        )
        both = "both" if len(games) > 1 else game_spec(games[0]).title
        rows.append((f"`{kind.name}`", kind.about, both, "; ".join(measures), "; ".join(usual)))
    return table(("kind", "asks", "game", "difficulty counts", "usual"), rows)


def _example(kind: QuestionKind, game: str) -> Question:
    usual = kind.usual_difficulties(game_spec(game))
    difficulty = _DIFFICULTIES.get(kind.name, usual[min(1, len(usual) - 1)])
    return make_question(kind.name, difficulty, 1, game=game, **_SETTINGS.get(kind.name, {}))


def _folded(text: str) -> str:
    """A text whose long lines are broken."""
    return "\n".join(
        "\n".join(textwrap.wrap(line, _WIDTH, drop_whitespace=False)) if line else line
        for line in text.splitlines()
    )


def examples() -> str:
    """A question of each kind, with its answer."""
    shown = []
    for kind, games in _kinds():
        question = _example(kind, games[0])
        text = _folded(f"{question.prompt.user}\n\nANSWER: {question.answer}")
        shown.append(f"```{{dropdown}} {kind.name}\n~~~text\n{text}\n~~~\n```")
    return "\n\n".join(shown)


@cache
def _figures() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads((DOCS / "questions.json").read_text("utf-8"))
    return rows


def _share(value: float) -> str:
    return f"{value:.1%}"


def _interval(values: list[float]) -> str:
    share, low, high = values
    return f"{share:.1%} ({low:.1%} to {high:.1%})"


def guesses() -> str:
    """How often answers are guessed without reading the position."""
    rows = [
        (
            game_spec(row["game"]).title,
            f"`{row['kind']}`",
            f"{row['questions']:,}",
            f"{row['answers']:,}",
            _share(row["frequent"]),
            _interval(row["words"]),
            _interval(row["characters"]),
        )
        for row in _figures()
        if "words" in row
    ]
    head = (
        *("game", "kind", "questions", "different answers", "most frequent answer"),
        *("guessed from words", "guessed from characters"),
    )
    return table(head, rows)


def _lucky() -> str:
    """How often a random turn is right where a turn is asked for."""
    rows = [row for row in _figures() if "words" not in row]
    return " and ".join(f"{row['frequent']:.1%} ({row['game']})" for row in rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "kinds of questions": kinds,
    "examples of questions": examples,
    "guesses of questions": guesses,
    "lucky turns": _lucky,
    "keys of questions": lambda: glossary(LINE_KEYS),
}
