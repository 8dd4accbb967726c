"""Markdown that the pages' tables share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table."""
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def glossary(meanings: Mapping[str, str], head: Sequence[str] = ("key", "meaning")) -> str:
    """A table of names and what they mean."""
    return table(head, [(f"`{name}`", meaning) for name, meaning in meanings.items()])


def numbered(first: int, length: int) -> str:
    """The range of ``length`` numbers that starts at ``first``."""
    return f"{first}" if length == 1 else f"{first}–{first + length - 1}"


def percentages(score: float, low: float, high: float) -> str:
    """A score with its interval."""
    return f"{score:.1%} ({low:.1%} to {high:.1%})"
