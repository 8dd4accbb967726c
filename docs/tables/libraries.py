"""The libraries of `docs/libraries.toml`, and how trying them went.

The outcomes are in ``docs/libraries.json``, which `benchmarks/libraries.py` writes.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tables.markdown import table
from tkm_env import Game, TerminusGame

_DOCS = Path(__file__).parents[1]
_LIBRARIES: list[dict[str, Any]] = tomllib.loads((_DOCS / "libraries.toml").read_text("utf-8"))[
    "library"
]
_FOUND: dict[str, Any] = json.loads((_DOCS / "libraries.json").read_text("utf-8"))


def libraries(examples: bool) -> str:
    """How to use the environments with each library, with or without its example."""
    rows = []
    for row in _LIBRARIES:
        example = row["example"].split()[0]
        link = [f"[`{example}`](../examples/libraries/{example})"] if examples else []
        rows.append((row["name"], row["face"], row["mask"], *link))
    return table(
        (
            "library",
            "what to pass to it",
            "where the mask goes",
            *(["example"] if examples else []),
        ),
        rows,
    )


def refused() -> str:
    """What does not work with each library."""
    return "\n\n".join(
        f"**{row['name']}**\n\n" + "\n".join(f"- {reason}" for reason in row["refused"])
        for row in _LIBRARIES
        if row["refused"]
    )


def tried() -> str:
    """The results of trying each library, with versions that omit the name of a build."""
    rows = []
    for row in _LIBRARIES:
        found = _FOUND[row["name"]]
        extra = f"`[{row['extra']}]`" if "extra" in row else "none"
        versions = ", ".join(
            f"{package} {version.partition('+')[0]}"
            for package, version in found["versions"].items()
        )
        rows.append(
            (
                row["name"],
                extra,
                versions or "none",
                found["python"],
                str(found["passed"]),
                found["score"],
                f"{found['megabytes']:,}",
            )
        )
    return table(
        ("library", "extra", "versions", "Python", "tests", "score of the example", "MB installed"),
        rows,
    )


def interfaces() -> str:
    """The pages of interfaces, in the order of their table of contents.

    Each row has the title, the first sentence, and where the mask is.
    """
    folder = _DOCS / "faces"
    rows = []
    for name in re.findall(
        r"^[\w-]+$", (folder / "index.md").read_text("utf-8").partition(":hidden:")[2], re.MULTILINE
    ):
        page = (folder / f"{name}.md").read_text("utf-8")
        title, purpose = page.removeprefix("# ").split("\n\n")[:2]
        mask = re.search(r"^\| mask \| (.*) \|$", page, re.MULTILINE)
        assert mask is not None
        rows.append((f"[{title}]({name}.md)", purpose, mask[1]))
    return table(("interface", "what it is for", "where the mask is"), rows)


BLOCKS: dict[str, Callable[[], str]] = {
    "libraries": lambda: libraries(examples=True),
    "masks": lambda: libraries(examples=False),
    "refused": refused,
    "tried": tried,
    "interfaces": interfaces,
    "observation": lambda: (
        f"int8 of shape {Game.observation_shape}, or {TerminusGame.observation_shape} for "
        '*Terminus*; one-dimensional float32 with `observation="compact"`'
    ),
    "action space": lambda: (
        f"`Discrete({len(Game.action_names)})`, "
        f"or `Discrete({len(TerminusGame.action_names)})` for *Terminus*"
    ),
    "number of actions of both games": lambda: (
        f"`MultiDiscrete([{len(Game.action_names)}] * n)`, "
        f"or `MultiDiscrete([{len(TerminusGame.action_names)}] * n)` for *Terminus*"
    ),
}
