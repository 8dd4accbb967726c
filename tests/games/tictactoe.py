"""Tic-tac-toe as a game of its own, in plain Python.

This package does not know it; `tkm_env.register_game` registers it.
"""

from __future__ import annotations

import dataclasses
import re
from functools import partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tkm_env import GameParts, GameSpec, PositionError
from tkm_env.core.game import BaseGame
from tkm_env.core.renderer import Renderer
from tkm_env.core.settings import make_config
from tkm_env.render.canvas import THEMES, Canvas
from tkm_env.render.shapes import use

EMPTY, SIGNS = ".", "xo"
SPACES = tuple(
    f"{row} {column}"
    for row in ("top", "middle", "bottom")
    for column in ("left", "centre", "right")
)
LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
GLYPHS = """<defs>
<g id="tkm-x"><path d="M-20-20l40 40M20-20l-40 40"
 fill="none" stroke="var(--ink)" stroke-width="6"/></g>
<g id="tkm-o"><circle r="22" fill="none" stroke="var(--ink)" stroke-width="6"/></g>
<g id="tkm-last"><circle r="38" fill="none" stroke="var(--mark)" stroke-width="2"/></g>
<g id="tkm-target"><circle r="7.5"
 fill="var(--target)" stroke="var(--ground)" stroke-width="2"/></g>
</defs>"""
SPOTS = [(60 + 90 * (space % 3), 60 + 90 * (space // 3)) for space in range(9)]
GRID = (
    '<rect width="300" height="300" fill="var(--ground)"/>'
    '<path d="M105 20v260M195 20v260M20 105h260M20 195h260" stroke="var(--rule)"/>'
)
CANVAS = Canvas(300, 300, GLYPHS, GRID, dict.fromkeys(("signs", "marks"), ""), THEMES)


class TicTacToeRenderer(Renderer):
    """Draws the grid, the signs, and marks."""

    canvas = CANVAS

    def parts(self, game: TicTacToe, *, last: bool = True, legal: bool = False) -> dict[str, str]:
        signs = "".join(
            use(cell, *SPOTS[space]) for space, cell in enumerate(game.position) if cell != EMPTY
        )
        marks = [use("target", *SPOTS[space]) for space in game.legal_actions() if legal]
        if last and game.history:
            marks.append(use("last", *SPOTS[game.history[-1]]))
        return {"signs": signs, "marks": "".join(marks)}

    def icon(self, player: str) -> str:
        return use(SIGNS[TicTacToe.players.index(player)])


@dataclasses.dataclass(frozen=True)
class TicTacToeConfig:
    """There is nothing to choose."""

    max_turns: ClassVar = 9
    begins_by_chance: ClassVar = False


class TicTacToe(BaseGame):
    """Three in a row win.

    A position is the nine spaces, from the top left to the bottom right, like ``x.o......``.
    """

    name = "tictactoe"
    title = "Tic-tac-toe"
    players = ("cross", "nought")
    action_names = SPACES
    results: ClassVar = {1: "1-0", 2: "0-1", 3: "1/2"}
    observation_high = np.ones((3, 3, 3), np.int8)  # mine, theirs, empty
    default_config = TicTacToeConfig()

    def __init__(
        self, config: Any = None, *, seed: Any = None, position: str | None = None, **settings: Any
    ) -> None:
        self._begin(make_config(TicTacToeConfig, config, settings))
        self._cells = self._first = EMPTY * 9 if position is None else position
        if not isinstance(self._cells, str) or not re.fullmatch("[.xo]{9}", self._cells):
            raise PositionError("position", position, "nine of the letters . x o are needed")
        if self._cells.count("x") - self._cells.count("o") not in (0, 1):
            raise PositionError(
                "position", position, "crosses and noughts take turns, crosses first"
            )

    @property
    def position(self) -> str:
        return self._cells

    @property
    def turn(self) -> int:
        return 1 + len(self._cells) - self._cells.count(EMPTY)

    @property
    def to_act(self) -> str:
        return self.players[(self.turn - (1 if self.result is None else 2)) % 2]

    @property
    def result(self) -> str | None:
        rows = {"".join(self._cells[space] for space in line) for line in LINES}
        if "xxx" in rows:
            return "1-0"
        if "ooo" in rows:
            return "0-1"
        return None if EMPTY in self._cells else "1/2"

    def action_mask(self) -> NDArray[np.int8]:
        return np.array([cell == EMPTY and self.result is None for cell in self._cells], np.int8)

    def _observe(self, viewer: int, observation: NDArray[np.int8]) -> None:
        for plane, sign in enumerate((SIGNS[viewer], SIGNS[1 - viewer], EMPTY)):
            observation[plane].flat = [cell == sign for cell in self._cells]

    def _play(self, action: int) -> None:
        sign = SIGNS[self.players.index(self.to_act)]
        self._cells = self._cells[:action] + sign + self._cells[action + 1 :]

    @property
    def start(self) -> TicTacToe:
        return TicTacToe(self.config, position=self._first)

    @classmethod
    def renderer(cls) -> Renderer:
        return TicTacToeRenderer()

    def __str__(self) -> str:
        return f"turn {self.turn}: {self.situation}\n" + "\n".join(
            " ".join(self._cells[row : row + 3]) for row in (0, 3, 6)
        )


#: Its row: all that the package needs to know.
SPEC = GameSpec(
    name=TicTacToe.name,
    title=TicTacToe.title,
    env_id="tests/TicTacToe-v0",
    load=partial(GameParts, TicTacToe),
)
