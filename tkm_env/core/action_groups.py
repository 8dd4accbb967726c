"""How a game lists its actions: in groups of similar ones.

Indices, documentation and tests are generated from the groups.
"""

from __future__ import annotations

from typing import NamedTuple


class ActionGroup(NamedTuple):
    """Actions that differ in a single parameter, in index order.

    Attributes:
        names: the actions' names.
        meaning: what they do, in a few words.
        when: the settings under which they exist.
        rules: the section of the rules that describes them.
    """

    names: tuple[str, ...]
    meaning: str
    when: str
    rules: str
