"""What a bot is told says nothing about what it may not know: decks, openings, other players' numbers, later games."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

from tkm_env.arena.match import Match
from tkm_env.batch.initial_positions import InitialPositions
from tkm_env.game.registry import game_spec

#: Plays the first legal action, and notes every seed that it is given.
SPY = """
import sys
for line in sys.stdin:
    words = dict(word.split("=", 1) for word in line.split("|")[0].split() if "=" in word)
    if "seed" in words:
        print(words["seed"], file=open(sys.argv[1], "a"))
    if line.startswith("tkm"):
        print("tkm 1 name=spy", flush=True)
    elif line.startswith("go"):
        print("play", words["legal"].split(",")[0], flush=True)
"""


def spied(folder: Path, **settings: Any) -> tuple[list[int], list[dict[str, Any]]]:
    """The seeds that a bot was given in a match of two games of Terminus, and the records."""
    (folder / "spy.py").write_text(SPY)
    notes = folder / "notes"
    records = [*Match(f"cmd:{sys.executable} {folder / 'spy.py'} {notes}", "random", 2, game="terminus", **settings).play()]
    assert all("fault" not in record for record in records)
    return [int(line) for line in notes.read_text().split()], records


def guesses(first: int) -> list[str]:
    """The starts of Terminus, with their decks, that explain a bot's first number by small seeds from which all else is drawn."""
    spec = game_spec("terminus")
    begins = InitialPositions(spec.game_class, spec.config({}), 2)
    found = []
    for base in range(300):
        start = int(np.random.SeedSequence(base, spawn_key=(0,)).generate_state(1, np.uint64)[0]) >> 2
        for seed in (base, start, 2 * start, 2 * start + 1):
            streams = [seed, [seed, 0], [seed, 1]]
            if first in [int(np.random.default_rng(stream).integers(2**62)) for stream in streams]:
                found.append(begins.begin(np.random.default_rng(start)).position)
    return found


def test_no_small_seed_explains_what_a_bot_is_told(tmp_path: Path) -> None:
    seeds, records = spied(tmp_path)
    assert not guesses(seeds[0]), f"the bot knows the deck of its game, {records[0]['position']}"
