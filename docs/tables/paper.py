"""Single figures in the text of ``docs/paper/paper.tex``, and tables that only the paper has."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tables.complexity import positions
from tables.markdown import table
from tables.the_game import chapter_figures, share_of_white
from tkm_env import ACTIONS, PLANES, POWERS
from tkm_env.arena.benchmark.endgame_tasks import ENDGAME_TASKS
from tkm_env.arena.benchmark.report import read_report
from tkm_env.arena.benchmark.suite import FROZEN, FROZEN_FILE, FROZEN_KEYS
from tkm_env.arena.benchmark.valued_positions import valued_positions
from tkm_env.foundations.files import read_json
from tkm_env.players.tkm.evaluators import shipped_networks

_DOCS = Path(__file__).parents[1]
_GAME: dict[str, Any] = json.loads((_DOCS / "the_game.json").read_text("utf-8"))
_METHODS: dict[str, Any] = json.loads((_DOCS / "from_nothing.json").read_text("utf-8"))["methods"]


def _choices(chapters: str) -> str:
    return f"{chapter_figures()[chapters]['choices']:.0f}"


def _from_nothing(method: str) -> str:
    """The mean score of a method at the end of its training, in percent."""
    ends = [seed["curve"][-1]["score"]["share"] for seed in _METHODS[method]["seeds"].values()]
    return f"{100 * sum(ends) / len(ends):.0f}"


def _kept() -> str:
    return f"{_net_in_endgames()['rows'][-1]['kept']['share']:.0%}"


def _converted() -> str:
    return f"{_net_in_endgames()['played_out'][-1]['won']['share']:.0%}"


def _net_in_endgames() -> dict[str, Any]:
    task: dict[str, Any] = read_report(_DOCS / "endgame_benchmark/net.json")["tasks"][0]
    return task


def _minutes() -> str:
    """The CPU minutes that the networks of the package learned, from the least to the most."""
    minutes = [network.card.minutes for _, network in shipped_networks()]
    return f"{min(minutes):.0f} to {max(minutes):.0f}"


def matches() -> str:
    """The matches of `net` and of alpha-beta with networks, by chapters."""
    found = json.loads((_DOCS / "learning.json").read_text("utf-8"))
    shares: dict[str, dict[str, str]] = {}
    for name, match in found.items():
        if name.startswith("match "):
            chapters, _, pair = name.removeprefix("match ").partition(": ")
            shares.setdefault(chapters, {})[pair] = f"{100 * match['score'][0]:.0f}"
    pairs = [*dict.fromkeys(pair for by_pair in shares.values() for pair in by_pair)]
    rows = [(chapters, *(by_pair[pair] for pair in pairs)) for chapters, by_pair in shares.items()]
    return table(("chapters", *pairs), rows)


def anchors() -> str:
    """The mean credit of each anchor of the suite for language models."""
    frozen = read_json(FROZEN_FILE, FROZEN, FROZEN_KEYS)["anchors"]
    rows = [(f"`{name}`", f"{sum(each) / len(each):.2f}") for name, each in frozen.items()]
    return table(("anchor", "credit"), rows)


def _credit_of_the_first_turn() -> str:
    frozen = read_json(FROZEN_FILE, FROZEN, FROZEN_KEYS)["anchors"]["turn:first"]
    return f"{sum(frozen) / len(frozen):.2f}"


def guesses() -> str:
    """How often answers to questions about the game are guessed, in percent."""
    rows = []
    for row in json.loads((_DOCS / "questions.json").read_text("utf-8")):
        if row["game"] == "tkm" and "words" in row:
            shares = row["frequent"], row["words"][0], row["characters"][0]
            rows.append((f"`{row['kind']}`", *(f"{100 * share:.0f}" for share in shares)))
    return table(("kind", "frequent", "words", "characters"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "number of actions": lambda: str(len(ACTIONS)),
    "number of planes": lambda: str(len(PLANES)),
    "number of powers": lambda: str(len(POWERS)),
    "number of graded positions": lambda: str(len(valued_positions())),
    "number of endgame positions": lambda: f"{len(ENDGAME_TASKS['endgames-2'].positions):,}",
    "undecided standard games": lambda: f"{chapter_figures()['standard']['undecided']:.0%}",
    "white's share a copy down": lambda: share_of_white("handicap 1-0"),
    "white's share a copy up": lambda: share_of_white("handicap 0-1"),
    "solved endgames": lambda: f"{sum(_GAME['endgames']['turns']):,}",
    "endgames without symmetry": lambda: f"{positions(copies=2, supply=0) // 2:,}",
    "results that net keeps": _kept,
    "wins that net converts": _converted,
    "minutes of the networks": _minutes,
    "matches by chapters": matches,
    "credit of the anchors": anchors,
    "credit of the first turn": _credit_of_the_first_turn,
    "guesses of questions about the game": guesses,
    **{
        f"choices in {name}": partial(_choices, name)
        for name in ("standard", "growth", "growth+influence+memory")
    },
    **{
        f"score from nothing of {name}": partial(_from_nothing, name)
        for name in ("value", "turn-ppo", "ppo", "alphazero", "sb3")
    },
}
