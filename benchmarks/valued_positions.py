"""Make the positions of the benchmark's task `turns`: ``python -m benchmarks.valued_positions``.

Positions are reached by random play. Those are taken in which the choice matters: the best turn is
worth clearly more than the mean. Values come from a search to a fixed depth; positions that it can
prove have exact ones.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkm_env import Game
from tkm_env.arena.benchmark.valued_positions import write_valued_positions
from tkm_env.core.settings import changed_settings
from tkm_env.players.solvers import SOLVERS

#: The settings of each group, and how many positions it has.
GROUPS: Final[dict[str, dict[str, Any]]] = {
    "standard": {},
    "growth": {"chapters": "growth"},
    "influence": {"chapters": "influence"},
    "memory": {"chapters": "memory"},
    "all chapters": {"chapters": ("growth", "influence", "memory")},
}
COUNT: Final = 20
SEED: Final = 20_261_128
#: The turns, of both sides, that are played at random before a position.
TURNS: Final = (2, 24)
#: The depth of the search, in turns.
DEPTH: Final = 3
#: How much more the best turn is worth than the mean, at least, and how many turns there are.
SPREAD: Final = 0.1
CHOICES: Final = (8, 60)


def position(generator: np.random.Generator, settings: dict[str, Any]) -> Game | None:
    """A position at the beginning of a turn, reached by random turns; None if the game ended."""
    game = Game(seed=0, **settings)
    for _ in range(int(generator.integers(*TURNS))):
        turns = game.turns()
        for action in turns[generator.integers(len(turns))].actions:
            game.play(action)
        if game.result is not None:
            return None
    return game.restart()


def valued(game: Game) -> dict[str, float]:
    """The values of all turns in a position, best first; empty if the choice matters little."""
    count = len(game.turns())
    if not CHOICES[0] <= count <= CHOICES[1]:
        return {}
    analyse = SOLVERS.of(game.name).analyse
    assert analyse is not None
    lines = analyse(game.state, lines=count, depth=DEPTH)
    values = {"; ".join(line.turns[0]): round(line.chance, 4) for line in lines}
    mean = sum(values.values()) / count
    return values if len(values) == count and max(values.values()) - mean > SPREAD else {}


def rows() -> list[dict[str, Any]]:
    """The positions of all groups."""
    made = []
    for number, (group, settings) in enumerate(GROUPS.items()):
        generator = np.random.default_rng([SEED, number])
        found = 0
        while found < COUNT:
            game = position(generator, settings)
            values = {} if game is None else valued(game)
            if game is not None and values:
                found += 1
                made.append(
                    {
                        "group": group,
                        "game": game.name,
                        "settings": changed_settings(game.config),
                        "position": game.position,
                        "values": values,
                    }
                )
    return made


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the positions of the task `turns`.")
    parser.add_argument("file", type=Path)
    write_valued_positions(rows(), parser.parse_args().file)
