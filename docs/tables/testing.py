"""Numbers of tests, counted in the tests' own data."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from tables.arena import hostile_bots
from tables.markdown import table

_DATA = Path(__file__).parents[2] / "tests/data"


def lines(name: str) -> list[str]:
    """The lines of a file of the tests' data."""
    return [line for line in (_DATA / name).read_text("utf-8").splitlines() if line.strip()]


def testing() -> str:
    """The kinds of tests and their numbers."""
    perft = [line.split("|")[-1].split(",") for line in lines("perft.txt") if line.count("|") > 2]
    scenarios = lines("scenarios.jsonl")
    sources = ", ".join(sorted({json.loads(line)["source"].split()[0] for line in scenarios}))
    rows: list[tuple[str, object, str]] = [
        (
            "worked positions of the rulebooks",
            len(scenarios),
            f"what a page of a rulebook ({sources}) or a ruling says: "
            "before, after, legal, illegal",
        ),
        (
            "worked cases of powers",
            len(lines("powers.jsonl")),
            "every power, in every situation that it changes",
        ),
        (
            "worked cases of *Terminus*",
            len(lines("terminus.jsonl")),
            "its rulebook, in the same form",
        ),
        (
            "perft",
            f"{len(perft)} tables, {sum(int(counts[-1]) for counts in perft):,} lines of play",
            "the number of lines of each length: a single wrong action anywhere changes it",
        ),
        (
            "tactical positions",
            len(lines("tactics.jsonl")),
            "forced wins and defences: alpha-beta finds what exhaustive search finds",
        ),
        (
            "recorded games",
            len([*(_DATA / "playthroughs").glob("*.txt")]),
            "each position, the legal actions and the one played, as readable text: "
            "any change shows in a diff",
        ),
        (
            "hostile bots",
            len(hostile_bots()["ATTACKS"]),
            "each attacks at every level of isolation; "
            "the match goes on and reports [what the bot did](sandbox.md)",
        ),
        (
            "attacks",
            sum(
                path.suffix in (".c", ".py")
                for path in (_DATA.parent / "isolation" / "attacks").glob("*/*")
            ),
            "small programs that try one thing each at every level of isolation; "
            "[what came of them](attacks.md)",
        ),
    ]
    return table(
        ("what", "how much", "what it checks"),
        [(what, str(count), checks) for what, count, checks in rows],
    )


BLOCKS: dict[str, Callable[[], str]] = {"testing": testing}
