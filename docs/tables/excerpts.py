"""Excerpts from the source of tic-tac-toe, which the tests register as a third game."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

_GAME = Path(__file__).parents[2] / "tests/games/tictactoe.py"
_POSITION = "    @property\n    def position"
#: Each excerpt's first words, and those that follow it.
_EXCERPTS = {
    "settings": ("@dataclasses.dataclass", "class TicTacToe(BaseGame)"),
    "class": ("class TicTacToe(BaseGame)", "    def __init__"),
    "start": ("    def __init__", _POSITION),
    "rules": (_POSITION, "    @classmethod\n    def renderer"),
    "glyphs": ("GLYPHS =", "class TicTacToeRenderer"),
    "renderer": ("class TicTacToeRenderer", "@dataclasses.dataclass"),
    "text": ("    def __str__", "#: Its row"),
    "row": ("#: Its row", None),
}


def excerpt(first: str, after: str | None) -> str:
    """Return a part of the file as ``py``.

    Blocks of ``python`` are whole programs, which the tests run.
    """
    source = _GAME.read_text("utf-8")
    part = source[source.index(first) : None if after is None else source.index(after)].strip("\n")
    return f"```py\n{part}\n```"


BLOCKS: dict[str, Callable[[], str]] = {
    f"tictactoe {name}": partial(excerpt, *ends) for name, ends in _EXCERPTS.items()
}
