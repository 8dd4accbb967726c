"""The stored forms, from ``docs/stored_forms.toml``."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tables.markdown import table

_FORMS = Path(__file__).parents[1] / "stored_forms.toml"


def stored_forms() -> str:
    """A row for each form that the package reads again."""
    rows = tomllib.loads(_FORMS.read_text("utf-8"))["form"]
    cells = [
        (
            row["what"],
            row["where"],
            str(row.get("version", "none")),
            row.get("field") or row["unversioned"],
        )
        for row in rows
        if row["reads"]
    ]
    return table(("what", "where", "version", "which is"), cells)


BLOCKS = {"stored forms": stored_forms}
