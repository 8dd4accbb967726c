"""A game frame by frame, for whatever shows it: the page, the GIF. Nothing here knows any rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from tkm_env.render.canvas import Canvas

__all__ = ["Frame", "Replay", "Side", "title_of"]


class Side(NamedTuple):
    """One of the sides.

    Attributes:
        name: what it is called in the game, such as "white".
        player: who played it; "" where nobody knows.
        icon: its sign, drawn with the canvas's glyphs; 60 wide and 60 high, the origin in the middle.
    """

    name: str
    player: str
    icon: str


class Frame(NamedTuple):
    """The game after one action, or before the first.

    Attributes:
        parts: the drawing, as contents of the canvas's slots; a slot that is missing is empty.
        turn: in which turn the action was taken.
        side: whose action it was, as an index of the sides; None before the first action.
        action: its name; None before the first action.
        events: what it did, one clause each.
    """

    parts: Mapping[str, str]
    turn: int
    side: int | None = None
    action: str | None = None
    events: Sequence[str] = ()


class Replay(NamedTuple):
    """A whole game.

    Attributes:
        title: one line.
        about: what is worth knowing of the game before it begins, a few words each.
        sides: who plays.
        canvas: what all drawings have in common. Its themes "light" and "dark" name the colours "ground", "ink", "faint", "rule", "mark"
            and "active", in which what is around the drawing is shown, too.
        frames: the start, and the game after each action.
        result: how it ended, in a few words.
    """

    title: str
    about: Sequence[str]
    sides: Sequence[Side]
    canvas: Canvas
    frames: Sequence[Frame]
    result: str


def title_of(sides: Sequence[Side], otherwise: str) -> str:
    """Who plays whom, or another title where nobody knows.

    >>> title_of((Side("white", "greedy", ""), Side("black", "random", "")), "A game")
    'greedy against random'
    """
    return " against ".join(side.player for side in sides) if any(side.player for side in sides) else otherwise
