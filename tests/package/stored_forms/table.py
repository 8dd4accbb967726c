"""The rows of ``docs/stored_forms.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[3]
_TABLE: Final = ROOT / "docs/stored_forms.toml"
FORMS: Final[dict[str, dict[str, Any]]] = {
    row["name"]: row for row in tomllib.loads(_TABLE.read_text("utf-8"))["form"]
}
