"""Editing a position by hand: what can be placed and chosen, and why the result is not a position yet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol


class Tool(NamedTuple):
    """Something to place: its value in requests, its name, an explanation, and its symbol."""

    value: str
    label: str
    tip: str
    icon: str


class Field(NamedTuple):
    """Something to choose: its name, its possible values and the current one."""

    name: str
    choices: Sequence[str]
    value: str


class Edited(NamedTuple):
    """A position while it is being edited.

    Attributes:
        position: its text, from which the next change starts.
        problem: why no game can begin from it; empty if one can.
        parts: its drawing, as contents of slots.
        labels: what stands on each place of the boards, by the place's name.
        tools: what can be placed.
        fields: what can be chosen.
    """

    position: str
    problem: str
    parts: Mapping[str, str]
    labels: Mapping[str, str]
    tools: Sequence[Tool]
    fields: Sequence[Field]


class Editor(Protocol):
    """Changes texts of positions, step by step."""

    def edited(self, position: str, field: str, value: str, *, config: Any) -> Edited:
        """A position with one change.

        Args:
            position: its text, from `Edited` or of any position.
            field: the name of a place or of a field; empty for no change.
            value: what to place or choose.
            config: the settings of the game that is to begin from it.

        Raises:
            PositionError: if the text cannot be read.
            ConfigError: if there is no such field or value.
        """
        ...
