"""What each chapter of *That Time You Killed Me* adds to the standard game."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial

from tables.markdown import numbered, table
from tables.testing import lines
from tkm_env import compact_layout
from tkm_env.games.tkm.engine.actions import GROUPS
from tkm_env.games.tkm.engine.planes import PLANES

#: The chapters by name, with the words that tables use for their actions and planes.
CHAPTERS = {
    "standard": (),
    "growth": ("Growth",),
    "influence": ("Influence",),
    "memory": ("Memory",),
    "convergence": ("Growth", "Influence", "Memory"),
}


def cases(chapter: str) -> str:
    """The number of worked cases with exactly this chapter's letter.

    For drawn chapters, it is the number of those with two letters.
    """
    letters = {"standard": {"-"}, "convergence": {"GI", "GM", "IM"}}.get(
        chapter, {chapter[0].upper()}
    )
    return str(
        sum(json.loads(line)["from"].split(" ")[1] in letters for line in lines("scenarios.jsonl"))
    )


def actions(chapter: str) -> str:
    """The actions that a chapter adds; for the standard game, the actions of every game."""
    rows = []
    first = 0
    for group in GROUPS:
        own = (
            any(word in group.when for word in CHAPTERS[chapter])
            and "`" not in group.when.split(" or ")[0]
        )
        if own or (not CHAPTERS[chapter] and group.when == "always"):
            names = [f"`{name}`" for name in group.names]
            if len(names) > 4:
                names[3:-1] = ["…"]
            rows.append(
                (numbered(first, len(group.names)), ", ".join(names), group.meaning, group.rules)
            )
        first += len(group.names)
    return table(("index", "names", "what it does", "rules"), rows)


def planes(chapter: str) -> str:
    """The kinds of planes that vary with a chapter."""
    names = {
        f"`{plane.name}`": None
        for plane in PLANES
        if any(word in plane.varies for word in CHAPTERS[chapter])
    }
    return f"these {len(names)} vary, counted once for all eras: {', '.join(names)}."


def _blocks(chapter: str) -> Iterator[tuple[str, Callable[[], str]]]:
    yield (
        f"numbers of {chapter}",
        lambda: f"({sum(row.length for row in compact_layout(chapters=chapter))},)",
    )
    yield f"cases of {chapter}", partial(cases, chapter)
    yield f"actions of {chapter}", partial(actions, chapter)
    if CHAPTERS[chapter]:
        yield f"planes of {chapter}", partial(planes, chapter)


BLOCKS: dict[str, Callable[[], str]] = {
    name: block for chapter in CHAPTERS for name, block in _blocks(chapter)
}
