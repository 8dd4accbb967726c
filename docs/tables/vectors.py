"""Test vectors for other implementations of the rules, and what the page shows of them.

`docs/generate.py` writes them to ``docs/vectors.json``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from tables.markdown import table
from tkm_env import Game, TerminusGame
from tkm_env.core.settings import changed_settings
from tkm_env.games.tkm.engine.powers import POWER_NAMES, SECOND_EFFECTS

KIND = "tkm_env test vectors"
_TESTS = Path(__file__).parents[2] / "tests"
_ALL = ("growth", "influence", "memory")
#: The settings under which there are vectors, by game.
_SETTINGS: dict[Any, list[dict[str, Any]]] = {
    Game: [
        *(
            {"chapters": chapters, "edition": edition}
            for chapters in ("standard", *_ALL, _ALL)
            for edition in ("2021", "2022")
        ),
        *(
            {"chapters": _ALL, "powers": pair}
            for pair in zip(POWER_NAMES[::2], POWER_NAMES[1::2], strict=True)
        ),
        *(
            {"chapters": _ALL, "powers": (power, None), "power_texts": 2}
            for power in SECOND_EFFECTS
        ),
        {"timeline": "draft_powers"},
        {"timeline": "power_share", "concede": True},
        {"max_turns": 2},
        {
            "concede": True,
            "draws": True,
            "max_turns": 6,
            "first_player": "black",
            "handicap": (0, 2),
        },
    ],
    TerminusGame: [{}],
}
#: Random games under each settings, and how many actions they go on.
_GAMES, _ACTIONS = 4, 160
#: How many legal actions, or outcomes of them, have to be new in a position.
_NEW = 6
#: How many of the counts the page shows.
_COLUMNS = 8
#: How many actions the longest counted lines of Terminus have.
_LONGEST = 4


def _positions(game_class: Any, settings: dict[str, Any], anywhere: set[str]) -> Iterator[Any]:
    """Games at positions of random play where something new is legal, or ends the game.

    Args:
        game_class: the game.
        settings: its settings.
        anywhere: the actions and results of earlier positions; new ones are added.

    Yields:
        Games at positions where much was not legal before, or something is not in ``anywhere``.
    """
    seen: set[tuple[str, str]] = set()
    for seed in range(_GAMES):
        game, generator = game_class(seed=seed, **settings), np.random.default_rng(seed)
        while game.result is None and len(game.history) < _ACTIONS:
            found = {(name, _after(game, name).result or "") for name in game.legal_names()}
            words = {word for pair in found for word in pair}
            if (len(found - seen) >= _NEW or words - anywhere) and not _shuffles(game):
                yield game.copy()
                seen |= found
                anywhere |= words
            game.play(generator.choice(game.legal_actions()))


def _shuffles(game: Any) -> bool:
    """Whether an action here shuffles the deck of Terminus.

    Only this package's random numbers shuffle it the same way.
    """
    chance = _chance(game)
    return game.hides() and any(
        _chance(_after(game, name)) != chance for name in game.legal_names()
    )


def _chance(game: Any) -> str:
    return game.position.rpartition(" ")[2]


def _after(game: Any, name: str) -> Any:
    after = game.copy()
    after.play(name)
    return after


@cache
def vectors() -> tuple[dict[str, Any], ...]:
    """Positions, what is legal there, and what follows."""
    return tuple(
        {
            "game": game_class.name,
            "config": changed_settings(game.config),
            "position": game.position,
            "legal": [
                {"action": name, "index": index, "position": after.position, "result": after.result}
                for index, name in zip(game.legal_actions(), game.legal_names(), strict=True)
                for after in [_after(game, name)]
            ],
        }
        for game_class, all_settings in _SETTINGS.items()
        for anywhere in [set()]
        for settings in all_settings
        for game in _positions(game_class, settings, anywhere)
    )


@cache
def perft() -> tuple[dict[str, Any], ...]:
    """The number of lines of play from positions.

    They are the tables that the tests compare the engine with, and a few of Terminus.
    """
    rows = []
    for line in (_TESTS / "data/perft.txt").read_text("utf-8").splitlines():
        edition, position, counts = line.split(" | ")
        lines = [int(count) for count in counts.split(", ")]
        rows.append(
            {
                "game": Game.name,
                "config": {"edition": edition},
                "position": position,
                "lines": lines,
            }
        )
    for game in (TerminusGame(seed=seed) for seed in range(3)):
        lines = [_lines(game, length) for length in range(1, _LONGEST + 1)]
        rows.append({"game": game.name, "config": {}, "position": game.position, "lines": lines})
    return tuple(rows)


def _lines(game: Any, length: int) -> int:
    """How many lines of play there are, by the number of actions."""
    assert length == 1 or not _shuffles(game), "its counts depend on how it shuffles"
    names = game.legal_names() if game.result is None else []
    return (
        len(names) if length == 1 else sum(_lines(_after(game, name), length - 1) for name in names)
    )


def vectors_file() -> str:
    """The whole file, with a line for each vector."""
    parts = {"vectors": vectors(), "perft": perft()}
    lists = ",\n".join(
        f'"{name}": [\n' + ",\n".join(map(json.dumps, rows)) + "\n]" for name, rows in parts.items()
    )
    return f'{{"kind": "{KIND}",\n{lists}}}\n'


def example() -> str:
    """The first vector, as the file has it."""
    return f"```json\n{json.dumps(vectors()[0], indent=1)}\n```"


def first_counts() -> str:
    """The counts from the starts under each set of chapters, in the first edition."""
    rows = []
    for row in perft():
        _, chapters, side, _, _, _, _, _, _, powers, turn = (
            row["position"].split(" ") if row["game"] == Game.name else [""] * 11
        )
        if (side, powers, turn, row["config"]) == ("w", "-/-", "1", {"edition": "2021"}):
            rows.append((f"`{chapters}`", *(f"{count:,}" for count in row["lines"][:_COLUMNS])))
    return table(("chapters", *map(str, range(1, _COLUMNS + 1))), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "vector": example,
    "number of vectors": lambda: str(len(vectors())),
    "number of counts": lambda: str(len(perft())),
    "perft": first_counts,
}
