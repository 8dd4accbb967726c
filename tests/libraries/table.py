"""The table of libraries in `docs/libraries.toml`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

__all__ = ["LIBRARIES", "ROOT"]

ROOT = Path(__file__).parents[2]
#: Its rows, by the name of the library.
LIBRARIES: dict[str, dict[str, Any]] = {
    row["name"]: row for row in tomllib.loads((ROOT / "docs/libraries.toml").read_text("utf-8"))["library"]
}
