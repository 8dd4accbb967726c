"""The drawing of a position of Terminus. Reads a `TerminusGame`; imports `text`, and what `render` offers any game.

The timeline fills rows from left to right, the hands lie below it. Every kind of era has a shape of its own, not only a colour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tkm_env.render.canvas import Canvas, Shape, box, definitions, disc, use
from tkm_env.render.letters import written
from tkm_env.render.look import THEMES as SHARED_THEMES
from tkm_env.terminus.engine.state import CARD_WIDTH, ERAS, HAND_SIZE, MAX_LENGTH, PLAYERS
from tkm_env.terminus.notation import FIELDS
from tkm_env.terminus.text import deck_text, faces_in_hand, situation

if TYPE_CHECKING:
    from tkm_env.terminus.game import TerminusGame

__all__ = ["draw"]

_WIDTH: Final = 1000
_HEIGHT: Final = 500
_ROWS: Final = 3
_COLUMNS: Final = MAX_LENGTH // _ROWS
_CELL: Final = 52
_LEFT: Final = (_WIDTH - _COLUMNS * _CELL) / 2
_ROW_HEIGHT: Final = 86
_TOP: Final = 84
_HANDS_TOP: Final = 400
_HAND_WIDTH: Final = _WIDTH / 2
_CARD_PITCH: Final = CARD_WIDTH * _CELL + 1
_CELL_IN_HAND: Final = 47

_FRAME: Final = box(-24, -24, 48, 48, 5)


def _era(fill: str, line: str, *shapes: Shape) -> tuple[Shape, ...]:
    return (
        Shape(_FRAME, fill, "rule"),
        *(shape if shape.fill or shape.line else Shape(shape.path, None, line, 3) for shape in shapes),
    )


#: What each kind of era looks like, by its letter; the origin is its middle.
_GLYPHS: Final = {
    ".": _era("card", "faint"),
    "R": _era("red", "red-line", Shape("M0-15L13 0L0 15L-13 0z", "red-line")),
    "B": _era("blue", "blue-line", Shape(disc(0, 0, 12), "blue-line"), Shape(disc(0, 0, 5), "blue")),
    "G": _era("card", "ink", Shape("M-5 0h-12M-12-5l-5 5 5 5M5 0h12M12-5l5 5-5 5M0-9v18", None)),
    "F": _era("card", "ink", Shape("M0-15v30M-13-7.5l26 15M13-7.5l-26 15", None)),
    "S": _era("card", "ink", Shape("M-14-6h26M7-11l5 5-5 5M14 6h-26M-7 1l-5 5 5 5", None)),
    "A": _era("fixed", "fixed-line", Shape("M-10-14h20l-20 28h20z", None)),
    "I": _era("fixed", "fixed-line", Shape("M0-15v30M-15 0h30", None)),
    "T": _era("fixed", "fixed-line", Shape("M-13-13l26 26M13-13l-26 26", None)),
}

_COLOURS: Final = {
    "light": {"card": "#fffdf6", "red": "#e9b3a4", "red-line": "#a8321e", "blue": "#b3c6e2", "blue-line": "#23518f"},
    "dark": {"card": "#35373f", "red": "#5c2a22", "red-line": "#ef9080", "blue": "#223a5e", "blue-line": "#8fb4ea"},
}
_FIXED: Final = {"fixed": "#1b1a20", "fixed-line": "#f2ead9"}
_CANVAS: Final = Canvas(
    _WIDTH,
    _HEIGHT,
    definitions({f"era-{ERAS.index(era)}": _GLYPHS[era.letter] for era in ERAS[1:]}),
    f'<path d="M0 0h{_WIDTH}v{_HEIGHT}h-{_WIDTH}z" fill="var(--ground)"/>',
    {"head": "", "timeline": "", "hands": ""},
    {theme: SHARED_THEMES[theme] | colours | _FIXED for theme, colours in _COLOURS.items()},
)
_NUMBER_OF: Final = {era.letter: number for number, era in enumerate(ERAS)}


def draw(game: TerminusGame, *, size: int | None = None, theme: str = "light") -> str:
    """The SVG document, ``size`` pixels wide.

    Raises:
        ConfigError: if the size or the theme cannot be.
    """
    fields = dict(zip(FIELDS, game.position.split(" "), strict=True))
    told = f"turn {fields['turn']}: {situation(game, fields['step'])}"
    victories = " · ".join(f"{player} {count}" for player, count in game.victories.items())
    head = written(told, 15, "ink", 32, 34) + written(f"{victories} · deck: {deck_text(game)}", 13, "faint", _WIDTH - 32, 34, 1)
    hands = "".join(_hand(game, number, hand) for number, hand in enumerate(fields["hands"].split("/")))
    parts = {"head": head, "timeline": _timeline(fields["timeline"]), "hands": hands}
    return _CANVAS.document(parts, size=size, theme=theme, title=f"Terminus, {told}", description=str(game))


def _timeline(text: str) -> str:
    """Every era in its place, counted from 1, above it; under its first era the number of a card, and a line as long as it is seen."""
    drawn, place = [], 0
    for run in text.split("|"):
        name, _, eras = run.partition(":")
        for number, letter in enumerate(eras):
            x, y = _middle(place)
            drawn.append(_placed(letter, x, y) + written(str(place + 1), 7, "faint", x, y - 33, 0.5))
            drawn.append(f'<path d="M{x - 22:g} {y + 29:g}h{_CELL if number < len(eras) - 1 else 44}" stroke="var(--faint)"/>')
            if number == 0:
                drawn.append(written(name, 9, "ink", x - 20, y + 38))
            place += 1
    return "".join(drawn)


def _middle(place: int) -> tuple[float, float]:
    """The middle of an era of the timeline, by its place from 0."""
    row, column = divmod(place, _COLUMNS)
    return _LEFT + (column + 0.5) * _CELL, _TOP + 24 + row * _ROW_HEIGHT


def _placed(letter: str, x: float, y: float) -> str:
    return use(f"era-{_NUMBER_OF[letter]}", x, y)


def _hand(game: TerminusGame, player: int, hand: str) -> str:
    """A player's name, and their cards side by side."""
    left = _LEFT + player * (_HAND_WIDTH - 2)
    mark = "mark" if PLAYERS[player] == game.to_act and game.result is None else "faint"
    drawn = [written(PLAYERS[player], 13, mark, left, _HANDS_TOP - 30)]
    for number, (name, eras, frozen) in enumerate(faces_in_hand(game, hand)[:HAND_SIZE]):
        x = left + number * _CARD_PITCH
        label = f"{name} frozen" if frozen else name
        drawn += [_placed(letter, x + 24 + place * _CELL_IN_HAND, _HANDS_TOP + 24) for place, letter in enumerate(eras)]
        drawn.append(written(label, 10, "ink", x, _HANDS_TOP + 62))
    return "".join(drawn)
