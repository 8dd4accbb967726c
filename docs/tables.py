"""Markdown that the generated documents share; `docs/generate.py` writes them."""

from __future__ import annotations

from collections.abc import Sequence


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ("---",) * len(head), *rows])


def numbered(first: int, length: int) -> str:
    """A range of so many numbers from ``first`` on."""
    return f"{first}" if length == 1 else f"{first}–{first + length - 1}"
