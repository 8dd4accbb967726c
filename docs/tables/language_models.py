"""What can be wrong with a language model's reply."""

from __future__ import annotations

from tables.markdown import table
from tkm_env.text.flaws import FLAWS


def reply_flaws() -> str:
    """A row for each flaw."""
    rows = [(f"`{name}`", f"`{flaw.kind}`", flaw.meaning) for name, flaw in FLAWS.items()]
    return table(("flaw", "kind", "the reply has"), rows)


BLOCKS = {"reply_flaws": reply_flaws}
