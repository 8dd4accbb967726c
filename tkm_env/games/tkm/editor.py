"""Putting together a position by hand, from its text (NOTATION)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from tkm_env.errors import ConfigError, PositionError
from tkm_env.games.tkm.config import STANDARD
from tkm_env.games.tkm.engine.geometry import ERAS, NUM_SPACES, WIDTH
from tkm_env.games.tkm.engine.powers import POWER_NAMES
from tkm_env.games.tkm.engine.state import CHAPTERS, COPIES_EACH, ELEPHANTS, PLAYERS, SUPPLY_AT_START
from tkm_env.games.tkm.explanations import PIECES
from tkm_env.games.tkm.notation import CHAPTER_OF_CELL, ERA_LETTERS, FIELDS, parse_position
from tkm_env.games.tkm.render.svg import Scene, parts, symbol_of
from tkm_env.games.tkm.view import SPACE_NAMES, View
from tkm_env.play.editor import Edited, Field, Tool
from tkm_env.render.canvas import use

_GROWTH, _INFLUENCE, _MEMORY = CHAPTERS
_CHAPTER_LETTERS: Final = "GIM"
_MIXTURES: Final = {
    " and ".join(names) or STANDARD: "".join(
        letter for letter, name in zip(_CHAPTER_LETTERS, CHAPTERS, strict=True) if name in names
    )
    or "-"
    for bits in range(1 << len(CHAPTERS))
    for names in [[name for bit, name in enumerate(CHAPTERS) if bits >> bit & 1]]
}
#: What each era holds one of, with the space on which it begins, from 1; and the statues, of which it holds one at most.
_FIXED: Final = {"I": {"O": 7}, "M": {"D": 4, "L": 13}}
_AT_MOST_ONE: Final = "OIEDL"
_COPIES: Final = ("Ww", "Bb")
_STATUES: Final = "IE"
_PLAYER_LETTERS: Final = "wb"
_HATS: Final = {f"{player} hat": letter for player, letter in zip(PLAYERS, _PLAYER_LETTERS, strict=True)}
_NO_POWER: Final = "none"
_EMPTY: Final = "."


class PositionEditor:
    """Changes a position piece by piece. What follows from the board is filled in: statues still to build, hats of elephants.

    >>> from tkm_env import Game
    >>> game = Game()
    >>> EDITOR.edited(game.position, "F16", ".", config=game.config).problem
    ''
    >>> EDITOR.edited(game.position, "chapters", "influence", config=game.config).position.count("O")
    3
    """

    def edited(self, position: str, field: str, value: str, *, config: Any) -> Edited:
        fields = _read(position)
        if field:
            changes = {**dict.fromkeys(SPACE_NAMES, _place), **_CHANGES}
            if field not in changes:
                raise ConfigError("field", field, "it must be a space such as 'N7', or one of the fields")
            changes[field](fields, field, value)
        _complete(fields)
        problem = _problem(fields, config)
        if problem and fields["step"] == "c":
            skipping = fields | {"step": "f"}
            if not _problem(skipping, config):  # there is nothing to choose, so the turn is skipped
                fields, problem = skipping, ""
        view = _view(fields)
        labels = {name: f"{name}: {PIECES[letter].name}" for name, letter in zip(SPACE_NAMES, view.cells, strict=True)}
        return Edited(_text(fields), problem, parts(Scene(view)), labels, _tools(view), _fields(view))


def _read(position: str) -> dict[str, Any]:
    """The fields of a text; the board as a list of 48 letters.

    Raises:
        PositionError: if it is not made of fields.
    """
    texts = position.split(" ")
    if len(texts) != len(FIELDS):
        raise PositionError("position", position, f"{len(FIELDS)} fields separated by spaces are needed")
    fields: dict[str, Any] = dict(zip(FIELDS, texts, strict=True))
    cells = [letter for letter in fields["board"] if letter not in "/|"]
    if len(cells) != len(SPACE_NAMES) or not set(cells) <= set(PIECES):
        raise PositionError("board", fields["board"], f"{len(SPACE_NAMES)} letters of pieces are needed")
    focus, supply, hats, powers = (fields[name] for name in ("focus", "supply", "hats", "powers"))
    fields |= {
        "board": cells,
        "chapters": fields["chapters"] if fields["chapters"] in _MIXTURES.values() else "-",
        "to act": fields["to act"] if fields["to act"] in ("w", "b") else "w",
        "focus": list(focus) if len(focus) == len(PLAYERS) and set(focus) <= set(ERA_LETTERS) else ["P", "F"],
        "supply": [int(part) if part in "01234567" and part else SUPPLY_AT_START for part in _pair(supply)],
        "hats": [list(part) if len(part) == len(ERAS) and set(part) <= set("wb-") else ["-"] * len(ERAS) for part in _pair(hats)],
        "powers": [name if (name := part.removesuffix("!")) in POWER_NAMES else "-" for part in _pair(powers)],
        "active copy": "-",
    }
    return fields


def _pair(text: str) -> list[str]:
    halves = text.split("/")
    return halves if len(halves) == len(PLAYERS) else ["", ""]


def _text(fields: dict[str, Any]) -> str:
    cells = "".join(fields["board"])
    rows = [cells[start : start + WIDTH] for start in range(0, len(cells), WIDTH)]
    eras = ["/".join(rows[era * WIDTH : (era + 1) * WIDTH]) for era in range(len(ERAS))]
    joined = fields | {
        "board": "|".join(eras),
        "focus": "".join(fields["focus"]),
        "supply": "/".join(map(str, fields["supply"])),
        "hats": "/".join("".join(letters) for letters in fields["hats"]),
        "powers": "/".join(fields["powers"]),
    }
    return " ".join(joined[name] for name in FIELDS)


# Changes: each takes the fields, the name of one, and the new value.


def _refused(field: str, value: str) -> ConfigError:
    return ConfigError(field, value, "there is no such value")


def _place(fields: dict[str, Any], field: str, value: str) -> None:
    """Put a piece on a space, or a hat on an elephant; what an era has only one of moves there."""
    number = SPACE_NAMES.index(field)
    era, board = number // NUM_SPACES, fields["board"]
    if value in _HATS:
        if board[number] in _FIXED["M"]:
            hats = fields["hats"][list(_FIXED["M"]).index(board[number])]
            hats[era] = "-" if hats[era] == _HATS[value] else _HATS[value]
        return
    if value not in PIECES:
        raise _refused(field, value)
    if value in _AT_MOST_ONE:
        for space in range(era * NUM_SPACES, (era + 1) * NUM_SPACES):
            if board[space] == value:
                board[space] = _EMPTY
    board[number] = value


def _choose_chapters(fields: dict[str, Any], field: str, value: str) -> None:
    """Take the pieces of other chapters off the board, and put those on it that must be there."""
    if value not in _MIXTURES:
        raise _refused(field, value)
    fields["chapters"] = letters = _MIXTURES[value]
    bits = sum(1 << bit for bit, letter in enumerate(_CHAPTER_LETTERS) if letter in letters)
    plain = {"w": "W", "b": "B"}
    board = fields["board"]
    board[:] = [plain.get(cell, _EMPTY) if CHAPTER_OF_CELL.get(cell, 0) & ~bits else cell for cell in board]
    for chapter in letters:
        for piece, space in _FIXED.get(chapter, {}).items():
            for first in range(0, len(board), NUM_SPACES):
                era = board[first : first + NUM_SPACES]
                if piece not in era and _EMPTY in era:
                    board[first + (space - 1 if era[space - 1] == _EMPTY else era.index(_EMPTY))] = piece


def _choose_player(fields: dict[str, Any], field: str, value: str) -> None:
    if value not in PLAYERS:
        raise _refused(field, value)
    fields["to act"] = _PLAYER_LETTERS[PLAYERS.index(value)]


def _of_player(name: str, values: dict[str, Any]) -> Callable[[dict[str, Any], str, str], None]:
    """A change of one player's part of a field."""

    def change(fields: dict[str, Any], field: str, value: str) -> None:
        if value not in values:
            raise _refused(field, value)
        fields[name][[field.startswith(player) for player in PLAYERS].index(True)] = values[value]

    return change


_ERA_VALUES: Final = dict(zip(ERAS, ERA_LETTERS, strict=True))
_SUPPLY_VALUES: Final = {str(number): number for number in range(COPIES_EACH + 1)}
_POWER_VALUES: Final = {_NO_POWER: "-"} | {name: name for name in POWER_NAMES}
_CHANGES: Final = {
    "chapters": _choose_chapters,
    "to act": _choose_player,
    **{f"{player}'s focus": _of_player("focus", _ERA_VALUES) for player in PLAYERS},
    **{f"{player}'s supply": _of_player("supply", _SUPPLY_VALUES) for player in PLAYERS},
    **{f"{player}'s power": _of_player("powers", _POWER_VALUES) for player in PLAYERS},
}


def _complete(fields: dict[str, Any]) -> None:
    """Fill in what follows from the rest: nobody has acted yet in this turn; statues and copies are on the board or to come."""
    board = fields["board"]
    fields["step"] = "c"
    fields["turn"] = "1"
    for player, letters in enumerate(_COPIES):
        copies = sum(map(board.count, letters))
        fields["supply"][player] = min(fields["supply"][player], max(COPIES_EACH - copies, 0))
    if "I" in fields["chapters"]:
        unbuilt = [player for player, letter in zip(_PLAYER_LETTERS, _STATUES, strict=True) if letter not in board]
        fields["statues"] = "".join(unbuilt) or "-"
    else:
        fields["statues"] = "-"
    if "M" not in fields["chapters"]:
        fields["hats"] = [["-"] * len(ERAS) for _ in ELEPHANTS]


def _problem(fields: dict[str, Any], config: Any) -> str:
    """Why no game can begin there; empty if one can."""
    try:
        parse_position(
            _text(fields), edition=config.edition, max_turns=config.max_turns, concede=config.concede, draws=config.draws
        )
    except PositionError as error:
        return error.reason
    for player, letters in zip(PLAYERS, _COPIES, strict=True):
        if not set(letters) & set(fields["board"]):
            return f"{player} has no copies"
    return ""


def _view(fields: dict[str, Any]) -> View:
    """What there is to draw, whether or not it is a position."""
    none: tuple[Any, ...] = (None, None)
    hats = tuple(
        tuple(None if letter == "-" else _PLAYER_LETTERS.index(letter) for letter in letters) for letters in fields["hats"]
    )
    return View(
        _text(fields),
        "".join(fields["board"]),
        tuple(name for letter, name in zip(_CHAPTER_LETTERS, CHAPTERS, strict=True) if letter in fields["chapters"]),
        _PLAYER_LETTERS.index(fields["to act"]),
        fields["step"],
        free_action=False,
        offered=False,
        focus=tuple(map(ERA_LETTERS.index, fields["focus"])),
        active=None,
        supply=tuple(fields["supply"]),
        unbuilt=tuple(letter in fields["statues"] for letter in _PLAYER_LETTERS),
        hats=hats,
        powers=tuple(None if name == "-" else name for name in fields["powers"]) or none,
        spent=(False, False),
        revealed=(),
        power_share=False,
        powers_text="/".join(fields["powers"]),
        turn=1,
    )


def _tools(view: View) -> list[Tool]:
    """The pieces of the chapters in play."""
    bits = sum(1 << bit for bit, name in enumerate(CHAPTERS) if name in view.chapters)
    tools = [
        Tool(letter, piece.name, piece.tip, symbol_of(letter))
        for letter, piece in PIECES.items()
        if not CHAPTER_OF_CELL.get(letter, 0) & ~bits
    ]
    if _MEMORY in view.chapters:
        tools += [
            Tool(name, name, "For an elephant; a second time takes it off again.", use(name.replace(" ", "-"), scale=2))
            for name in _HATS
        ]
    return tools


def _fields(view: View) -> list[Field]:
    chapters = " and ".join(view.chapters) or STANDARD
    of_players = [
        field
        for number, player in enumerate(PLAYERS)
        for field in (
            Field(f"{player}'s focus", ERAS, ERAS[view.focus[number] or 0]),
            Field(f"{player}'s supply", [*_SUPPLY_VALUES], str(view.supply[number])),
            Field(f"{player}'s power", [*_POWER_VALUES], view.powers[number] or _NO_POWER),
        )
    ]
    return [Field("chapters", [*_MIXTURES], chapters), Field("to act", PLAYERS, PLAYERS[view.to_act]), *of_players]


EDITOR: Final = PositionEditor()
