"""What works on which system, from ``docs/systems.toml``, and the supported Pythons.

These are from ``pyproject.toml``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from tables.markdown import table

_ROOT = Path(__file__).parents[2]


def systems() -> str:
    """A row for each feature."""
    rows = tomllib.loads((_ROOT / "docs/systems.toml").read_text("utf-8"))["row"]
    cells = [
        (
            row["what"],
            "tested",
            *(
                "no" if system in row.get("refused", ()) else "simulated"
                for system in ("macos", "windows")
            ),
        )
        for row in rows
    ]
    return table(("what", "Linux", "macOS", "Windows"), cells)


def pythons() -> str:
    """The oldest and the newest Python that the classifiers promise."""
    found = re.findall(
        r'"Programming Language :: Python :: (3\.\d+)"',
        (_ROOT / "pyproject.toml").read_text("utf-8"),
    )
    return f"{found[0]} to {found[-1]}"


BLOCKS = {"systems": systems, "pythons": pythons}
