"""The table of libraries in `docs/libraries.toml`."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]


def read(path: str) -> dict[str, Any]:
    """A file of the project."""
    return tomllib.loads((ROOT / path).read_text("utf-8"))


#: Its rows, by the name of the library.
LIBRARIES: dict[str, dict[str, Any]] = {
    row["name"]: row for row in read("docs/libraries.toml")["library"]
}
#: The package's extras.
EXTRAS = {*read("pyproject.toml")["project"]["optional-dependencies"]}
