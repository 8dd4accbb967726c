"""The three boards as text, readable without colour. Reads a `Game`; imports nothing else of the package but names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.geometry import ERAS
from tkm_env.engine.state import CHAPTERS, PLAYERS

if TYPE_CHECKING:
    from tkm_env.game import Game

__all__ = ["draw", "situation"]

_CELL_WIDTH: Final = 3
_BOARD_WIDTH: Final = 4 * _CELL_WIDTH
_GAP: Final = "   |   "

_LEGEND: Final = {
    "w": "white copy on a seed",
    "b": "black copy on a seed",
    "*": "seed",
    "#": "shrub",
    "T": "tree",
    "^": "fallen tree, trunk north",
    ">": "fallen tree, trunk east",
    "v": "fallen tree, trunk south",
    "<": "fallen tree, trunk west",
    "O": "orange statue",
    "I": "white's statue",
    "E": "black's statue",
    "D": "dark elephant",
    "L": "light elephant",
}
_STEPS: Final = {
    "c": "to choose a copy",
    "1": "to act, 1 action left",
    "2": "to act, 2 actions left",
    "f": "to shift the focus",
    "d": "to draft a power",
    "o": "to decide who goes first",
    "a": "to answer a draw offer",
}
_RESULTS: Final = {"1-0": "white won", "0-1": "black won", "1/2": "drawn", "*": "cut off at the turn limit"}


def draw(game: Game) -> str:
    """Text of several lines: whose step it is, the boards with the focus tokens, what is off the board, the last action.

    The active copy stands in brackets; an elephant's hat, w or b, is written behind it.

    >>> from tkm_env import Game
    >>> print(draw(Game()))
    turn 1: white to choose a copy
     past W        |    present       |    future B
     W  .  .  .    |    W  .  .  .    |    W  .  .  .
     .  .  .  .    |    .  .  .  .    |    .  .  .  .
     .  .  .  .    |    .  .  .  .    |    .  .  .  .
     .  .  .  B    |    .  .  .  B    |    .  .  .  B
    supply: white 4, black 4
    """
    board, chapters, to_act, step, focus, active, supply, statues, hats, powers, turn = game.position.split(" ")
    boards = [_board(number, text, active, hats) for number, text in enumerate(board.split("|"))]
    headings = [_heading(number, focus) for number in range(len(ERAS))]
    lines = [f"turn {turn}: {situation(to_act, step)}", _GAP.join(headings)]
    lines += [_GAP.join(rows) for rows in zip(*boards, strict=True)]
    lines.append(_off_board(chapters, supply, statues, powers))
    letters = [letter for letter in _LEGEND if letter in board]
    if letters:
        lines.append(", ".join(f"{letter} {_LEGEND[letter]}" for letter in letters))
    if game.history:
        lines.append(f"last action: {ACTIONS[game.history[-1]]}")
    return "\n".join(line.rstrip() for line in lines)


def situation(to_act: str, step: str) -> str:
    """Who is to do what, or how the game ended, by those fields of a position.

    >>> situation("b", "2+")
    'black to act, 2 actions left, one of them free'
    """
    if step in _RESULTS:
        return f"over, {_RESULTS[step]}"
    player = PLAYERS["wb".index(to_act)]
    marks = (", one of them free" if "+" in step else "") + (", a draw was offered" if "=" in step else "")
    return f"{player} {_STEPS[step[0]]}{marks}"


def _heading(era: int, focus: str) -> str:
    tokens = "".join(player for player, letter in zip("WB", focus, strict=True) if letter == "PNF"[era])
    return f" {ERAS[era]} {tokens}".ljust(_BOARD_WIDTH)


def _board(era: int, text: str, active: str, hats: str) -> list[str]:
    cells = list(text.replace("/", ""))
    hat = {letter: hats.split("/")[elephant][era] for elephant, letter in enumerate("DL")}
    drawn = [f" {cell}{hat.get(cell, '-').replace('-', ' ')}" for cell in cells]
    if active.startswith("PNF"[era]):
        space = int(active[1:]) - 1
        drawn[space] = f"[{cells[space]}]"
    return ["".join(drawn[row : row + 4]) for row in range(0, len(cells), 4)]


def _off_board(chapters: str, supply: str, statues: str, powers: str) -> str:
    white, black = supply.split("/")
    parts = [f"supply: white {white}, black {black}"]
    if "I" in chapters:
        to_build = [player for player in PLAYERS if player[0] in statues]
        parts.append(f"statues to build: {' and '.join(to_build) or 'none'}")
    if chapters != "-":
        parts.append(f"chapters: {', '.join(CHAPTERS['GIM'.index(letter)] for letter in chapters)}")
    if powers != "-/-":
        parts.append(f"powers: {powers}")
    return "; ".join(parts)
