"""`docs/testing.md`: how the package is tested, in figures counted from the tests' own data; `docs/generate.py` writes it."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tables import table

TESTS = Path(__file__).parents[1] / "tests"
NOTE = "<!-- Written by `python docs/generate.py` from the files of `tests`; edit `docs/testing_page.py` instead. -->"


def _lines(name: str) -> list[str]:
    return [line for line in (TESTS / "data" / name).read_text("utf-8").splitlines() if line.strip()]


def testing() -> str:
    """``docs/testing.md``."""
    perft = [line.split("|")[-1].split(",") for line in _lines("perft.txt") if line.count("|") > 2]
    leaves = sum(int(counts[-1]) for counts in perft)
    scenarios = [json.loads(line) for line in _lines("scenarios.jsonl")]
    sources = sorted({scenario["source"].split()[0] for scenario in scenarios})
    attacks = len(re.findall(r"^    (?:Attack|_same)\(", (TESTS / "arena" / "hostile.py").read_text("utf-8"), re.MULTILINE))
    rows = [
        (
            "worked positions of the rulebooks",
            f"{len(scenarios)}",
            f"each from a page of a rulebook ({', '.join(sources)}) or a ruling: before, after, legal, illegal",
        ),
        (
            "worked cases of powers",
            str(len(_lines("powers.jsonl"))),
            "the same, for every power in every situation that it changes",
        ),
        ("worked cases of *Terminus*", str(len(_lines("terminus.jsonl"))), "the same"),
        (
            "perft",
            f"{len(perft)} tables, {leaves:,} lines of play",
            "how many lines of each length there are: one wrong action anywhere, and the counts differ",
        ),
        (
            "tactical positions",
            str(len(_lines("tactics.jsonl"))),
            "won or saved by force; alpha-beta finds exactly what trying everything finds",
        ),
        (
            "recorded games",
            str(len(list((TESTS / "data" / "playthroughs").glob("*.txt")))),
            "each position, what was legal and what was played, in text that people read: what changes is seen",
        ),
        (
            "hostile bots",
            str(attacks),
            "each does its worst at both levels of isolation; the match goes on, and says [what they did](arena.md#isolation)",
        ),
    ]
    return f"""{NOTE}

# How it is tested

An environment that is wrong teaches wrong play, and nobody notices. So the rules are tested in ways that have little in common with how they
are written.

{table(("what", "how much", "what it says"), rows)}

## The rules

- **Worked positions.** Examples of the rulebooks, and situations in which an engine could err, are a position before, a position after, and what
  is legal in between.
- **Perft.** From many positions the lines of play are counted to a depth; the figures stand in a file, and `tkm perft` counts them anew. An
  engine that errs anywhere below a position counts other lines.
- **Random games.** Under every set of chapters, edition, pair of powers and draft, invariants hold in each position, and what a game says of
  itself in several ways agrees. `pytest --games 1000` makes hours of it.
- **Symmetries.** The image of a game is a game: what is legal, seen and won is the image, too.
- **Both ways.** The same games as plain Python and compiled, one by one and in batches, on one thread and on several. Every line of the engines
  is covered by tests that pass without compilation, but for two in a hundred at most.

## The interfaces

- PettingZoo's and Gymnasium's own checkers, Stable-Baselines3's as well.
- The same game through every interface: same observations, masks, rewards and ends.
- Each library's example is run, and ends with a score: [libraries](libraries.md).
- What is refused changes nothing: positions, records, models and settings that are mutated at random are read as they were, or refused by a typed
  error that says why.

## Matches

- Hostile bots, as above. A match that is killed at any moment goes on, and ends with the same file.
- Intervals hold what they promise in simulations, ratings find the strengths that games were drawn from.

## This site

- Every program on these pages runs in the tests, every link leads somewhere, every public name is documented.
- Generated pages are written anew and compared.

`CONTRIBUTING.md` says how to run all of it: [contributing](contributing.md).
"""
