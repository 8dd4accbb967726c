"""The three boards as text, readable without colour."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from tkm_env.games.tkm.engine.actions import ACTIONS
from tkm_env.games.tkm.engine.geometry import ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.state import CHAPTERS, EMPTY, PIECES, PLAYERS
from tkm_env.games.tkm.notation import CELLS, CHAPTER_OF_CELL, format_powers
from tkm_env.games.tkm.view import View, view_of

if TYPE_CHECKING:
    from tkm_env.games.tkm.game import Game

_CELL_WIDTH: Final = 3
_BOARD_WIDTH: Final = WIDTH * _CELL_WIDTH
_GAP: Final = "   |   "
_EMPTY: Final = "."


def _meaning(letter: str) -> str:
    piece, seed = CELLS[letter]
    name = PIECES[piece].removeprefix("standing ").replace("trunk to the ", "trunk ")
    return ("seed" if piece == EMPTY else f"{name} on a seed") if seed else name


#: The meanings of the letters of each chapter, in the order of the chapters.
_LEGEND: Final = {letter: _meaning(letter) for letter in CHAPTER_OF_CELL}
#: The letters of the elephants, in the order of their numbers.
_ELEPHANTS: Final = [letter for letter, meaning in _LEGEND.items() if "elephant" in meaning]


def draw(
    game: Game,
    eras: Sequence[int] = range(len(ERAS)),
    *,
    numbered: bool = False,
    empty: str = _EMPTY,
) -> str:
    """Several lines of text.

    They say whose step it is, and show the boards with the focus tokens, the pieces off the board
    and the last action.

    Args:
        game: the game.
        eras: the indices of the eras, in the order in which they are drawn.
        numbered: whether empty spaces show their numbers.
        empty: the sign of an empty space without its number.

    Returns:
        The lines.
    """
    view = view_of(game)
    lines = [f"turn {view.turn}: {view.situation}", _GAP.join(_heading(view, era) for era in eras)]
    boards = [_board(view, era, numbered, empty) for era in eras]
    lines += [_GAP.join(rows) for rows in zip(*boards, strict=True)]
    lines.append(_off_board(view, format_powers(game.state[0])))
    letters = [letter for letter in _LEGEND if letter in view.cells]
    if letters:
        lines.append(", ".join(f"{letter} {_LEGEND[letter]}" for letter in letters))
    if game.history:
        lines.append(f"last action: {ACTIONS[game.history[-1]]}")
    return "\n".join(line.rstrip() for line in lines)


def _heading(view: View, era: int) -> str:
    tokens = "".join(
        player[0].upper() for player, focus in zip(PLAYERS, view.focus, strict=True) if focus == era
    )
    return f" {ERAS[era]} {tokens}".ljust(_BOARD_WIDTH)


def _board(view: View, era: int, numbered: bool, empty: str) -> list[str]:
    cells = view.era(era)
    wearer = {letter: view.hats[elephant][era] for elephant, letter in enumerate(_ELEPHANTS)}
    hats = {letter: PLAYERS[player][0] for letter, player in wearer.items() if player is not None}
    drawn = [
        f" {cell}{hats.get(cell, ' ')}"
        if cell != _EMPTY
        else f"{space:2} "
        if numbered
        else f" {empty} "
        for space, cell in enumerate(cells, 1)
    ]
    if view.active is not None and view.active[0] == era:
        space = view.active[1]
        drawn[space] = f"[{cells[space]}]"
    return ["".join(drawn[row : row + WIDTH]) for row in range(0, NUM_SPACES, WIDTH)]


def _off_board(view: View, powers: str) -> str:
    parts = [
        "supply: "
        + ", ".join(
            f"{player} {supply}" for player, supply in zip(PLAYERS, view.supply, strict=True)
        )
    ]
    if CHAPTERS[1] in view.chapters:
        to_build = [
            player for player, unbuilt in zip(PLAYERS, view.unbuilt, strict=True) if unbuilt
        ]
        parts.append(f"statues to build: {' and '.join(to_build) or 'none'}")
    if view.chapters:
        parts.append(f"chapters: {', '.join(view.chapters)}")
    if view.revealed or any(view.powers):
        parts.append(f"powers: {powers}")
    return "; ".join(parts)
