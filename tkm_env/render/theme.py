"""Colours and marks shared by the drawings of all games, light and dark."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tkm_env.render.canvas import Shape, disc

#: Marks a place that a legal action leads to.
TARGET: Final = (Shape(disc(0, 0, 7.5), "target", "ground", 2),)

#: The colours by name, in each theme; pages around a drawing also use them.
THEMES: Final[dict[str, dict[str, str]]] = {
    "light": {
        "ground": "#faf7f0",
        "ink": "#2f2c33",
        "faint": "#6b6256",
        "rule": "#d9d0c0",
        "leaf": "#7fa06f",
        "leaf-line": "#33502f",
        "mark": "#c4472f",
        "active": "#b97f0c",
        "active-ink": "#8f6209",
        "target": "#2e7d84",
    },
    "dark": {
        "ground": "#1d1f25",
        "ink": "#ece5d6",
        "faint": "#a7a29a",
        "rule": "#3f4047",
        "leaf": "#7fa06f",
        "leaf-line": "#16240f",
        "mark": "#ee6a4d",
        "active": "#e8b53c",
        "active-ink": "#e8b53c",
        "target": "#59b3b8",
    },
}


def themes_with(own: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, str]]:
    """The themes with a game's own colours added to the common ones.

    >>> themes_with({"light": {"sea": "#005577"}, "dark": {"sea": "#66aacc"}})["dark"]["sea"]
    '#66aacc'
    """
    return {theme: colours | dict(own[theme]) for theme, colours in THEMES.items()}
