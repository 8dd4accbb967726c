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
            "each compares a position, the one after it, and legal and illegal actions with "
            f"a page of a rulebook ({sources}) or a ruling",
        ),
        (
            "worked cases of powers",
            len(lines("powers.jsonl")),
            "together they try every power in every situation that it changes",
        ),
        (
            "worked cases of *Terminus*",
            len(lines("terminus.jsonl")),
            "each compares the game with its rulebook, in the same form",
        ),
        (
            "perft",
            f"{len(perft)} tables, {sum(int(counts[-1]) for counts in perft):,} lines of play",
            "each counts the lines of play of each length; "
            "a single wrong action anywhere changes the count",
        ),
        (
            "tactical positions",
            len(lines("tactics.jsonl")),
            "in each, alpha-beta must find the forced win or the defence "
            "that exhaustive search finds",
        ),
        (
            "recorded games",
            len([*(_DATA / "playthroughs").glob("*.txt")]),
            "each lists all positions, legal actions and actions played as readable text, "
            "so that any change shows in a diff",
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
            "each is a small program that tries one thing at every level of isolation "
            "([outcomes](attacks.md))",
        ),
    ]
    return table(
        ("tests", "how many", "what they do"),
        [(what, str(count), checks) for what, count, checks in rows],
    )


BLOCKS: dict[str, Callable[[], str]] = {"testing": testing}
