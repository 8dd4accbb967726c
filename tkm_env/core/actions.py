"""How a game lists its actions: in groups, from which indices, documents and tests are made."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["ActionGroup"]


class ActionGroup(NamedTuple):
    """Actions that differ in one thing only, in index order.

    Attributes:
        names: the actions' names.
        meaning: what they do, in a few words.
        when: with which settings they exist.
        rules: the section of the rules.
    """

    names: tuple[str, ...]
    meaning: str
    when: str
    rules: str
