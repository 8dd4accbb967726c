"""The drawing of a position: three eras side by side, as SVG. Imports `look`, `text`, the tables of names and `events`.

A drawing is made of parts, each the content of a slot: a space, a player's things, the last action. They name their colours
(``var(--ink)``) and glyphs (``#tkm-tree``), so that a page can share glyphs and change the theme; `draw` puts the parts together and
settles both.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.geometry import DIRECTIONS, ERAS, NEIGHBOUR, NOWHERE, NUM_SPACES, WIDTH
from tkm_env.engine.state import CHAPTERS, PIECES_OF_GROWTH, PLAYERS, SUPPLY_AT_START
from tkm_env.errors import ConfigError
from tkm_env.events import (
    Built,
    Copied,
    Died,
    Event,
    Exchanged,
    Grew,
    Moved,
    Planted,
    Removed,
    Returned,
    Toppled,
    Trained,
    Travelled,
    Untrained,
)
from tkm_env.render.look import GLYPHS, LETTERS, MEASURES, THEMES, TURNED, Placed, Shape, box
from tkm_env.render.text import situation

if TYPE_CHECKING:
    from tkm_env.game import Game

__all__ = ["SLOTS", "STROKES", "Scene", "assembled", "background", "draw", "glyphs", "parts", "place_of", "scene_of"]

_ERA_LETTERS: Final = "PNF"
_COLUMNS: Final = tuple(x + (WIDTH - 1) / 2 * MEASURES.pitch for x, _ in MEASURES.boards)
_SHIFT: Final = "focus "
_HATS_EACH: Final = 3


class Scene(NamedTuple):
    """All that a drawing shows.

    Attributes:
        position: the position's text.
        action: the name of the last action, if it is to be shown.
        events: what it did.
        focus_before: the position's field of the focus tokens before it.
        legal: the names of the actions whose targets are to be shown.
    """

    position: str
    action: str | None = None
    events: Sequence[Event] = ()
    focus_before: str = "--"
    legal: Sequence[str] = ()


def scene_of(game: Game, *, last: bool = True, legal: bool = False) -> Scene:
    """What a game shows: its position, its last action, the targets of the legal actions."""
    names = tuple(game.legal_names()) if legal else ()
    if not last or not game.history:
        return Scene(game.position, legal=names)
    action = ACTIONS[game.history[-1]]
    before = _focus_before(game) if action.startswith(_SHIFT) else "--"
    return Scene(game.position, action, game.events, before, names)


def _focus_before(game: Game) -> str:
    """Where the focus tokens were before the last action, which shifted one of them."""
    shifts = [name for name in (ACTIONS[action] for action in game.history) if name.startswith(_SHIFT)]
    focus = [*game.position.split(" ")[4]]
    # While the game goes on, the turn is the other player's now.
    mover = PLAYERS.index(game.to_act) if game.result is not None else 1 - PLAYERS.index(game.to_act)
    # Players take turns, and each turn has one shift.
    if len(shifts) > 2:
        focus[mover] = _era_letter(shifts[-3])
    else:
        start = game.start.position.split(" ")[4]
        focus[mover] = start[mover] if start != "--" else "PF"[len(shifts) - 1]
    return "".join(focus)


def _era_letter(shift: str) -> str:
    return _ERA_LETTERS[ERAS.index(shift.removeprefix(_SHIFT))]


#: How all lines end and bend: attributes of the `svg` element.
STROKES: Final = 'stroke-linecap="round" stroke-linejoin="round"'

# Text.


@lru_cache(4096)
def _written(text: str, height: float, colour: str, x: float, y: float, anchor: float = 0, weight: float = 1.25) -> str:
    """A line of capitals, its middle at height ``y``; ``anchor`` 0 begins at ``x``, 0.5 is centred there, 1 ends there."""
    spacing, scale = 2.6, height / 10
    pen, strokes = 0.0, []
    for letter in text.upper():
        width, lines = LETTERS[letter]
        strokes += [f"M{pen + left:.4g} {top:g}{line}" for left, top, line in lines]
        pen += width + spacing
    left = x - anchor * (pen - spacing) * scale
    return (
        f'<path transform="translate({left:.5g} {y - height / 2:g})scale({scale:g})" d="{"".join(strokes)}" fill="none" '
        f'stroke="var(--{colour})" stroke-width="{weight:g}"/>'
    )


@lru_cache(256)
def _length(text: str, height: float) -> float:
    """How wide a line of capitals is."""
    return (sum(LETTERS[letter][0] + 2.6 for letter in text.upper()) - 2.6) * height / 10


# Glyphs.


def _use(glyph: str, x: float = 0, y: float = 0, *, turn: int = 0, scale: float = 1, opacity: float = 1) -> str:
    """A glyph in its place."""
    turned = (f"rotate({turn})" if turn else "") + (f"scale({scale:g})" if scale != 1 else "")
    shifted = (f' x="{x:g}"' if x else "") + (f' y="{y:g}"' if y else "")
    where = f' transform="translate({x:g} {y:g}){turned}"' if turned else shifted
    faded = f' opacity="{opacity:g}"' if opacity != 1 else ""
    return f'<use href="#tkm-{glyph}"{where}{faded}/>'


def _path(shape: Shape) -> str:
    fill = f"var(--{shape.fill})" if shape.fill else "none"
    line = f' stroke="var(--{shape.line})" stroke-width="{shape.width:g}"' if shape.line else ""
    return f'<path d="{shape.path}" fill="{fill}"{line}/>'


def _part(part: Shape | Placed) -> str:
    return _path(part) if isinstance(part, Shape) else _use(part.glyph, part.x, part.y, scale=part.scale)


@lru_cache(1)
def glyphs() -> str:
    """The definitions of all glyphs."""
    groups = (f'<g id="tkm-{name}">{"".join(map(_part, shapes))}</g>' for name, shapes in GLYPHS.items())
    return f"<defs>{''.join(groups)}</defs>"


# Where things are.


def _spot(era: int, space: int) -> tuple[float, float]:
    """The middle of a space; spaces count from 0."""
    x, y = MEASURES.boards[era]
    return x + space % WIDTH * MEASURES.pitch, y + space // WIDTH * MEASURES.pitch


def _token_spot(player: int, era: int) -> tuple[float, float]:
    """Where a player's focus token lies: white's before the era's name, black's behind it."""
    aside = _length(ERAS[era], 12) / 2 + 26
    return _COLUMNS[era] + (aside if player else -aside), MEASURES.names


@lru_cache(1)
def background() -> str:
    """What is the same in every drawing: the ground, the spaces with their numbers, the eras' names."""
    drawn = [f'<rect width="{MEASURES.width:g}" height="{MEASURES.height:g}" rx="14" fill="var(--ground)"/>']
    half = MEASURES.tile / 2
    for era, name in enumerate(ERAS):
        tiles = []
        for space in range(NUM_SPACES):
            x, y = _spot(era, space)
            tiles.append(box(x - half, y - half, MEASURES.tile, MEASURES.tile, 7))
            drawn.append(_written(str(space + 1), 5.5, "faint", x - half + 6, y - half + 8.5))
        drawn.insert(1, f'<path fill="var(--{name})" d="{"".join(tiles)}"/>')
        drawn.append(_written(name, 12, "ink", _COLUMNS[era], MEASURES.names, 0.5, 1.4))
    # Time goes on from era to era.
    for left, right in pairwise(_COLUMNS):
        middle = (left + right) / 2
        drawn.append(
            f'<path d="M{middle - 48:g} {MEASURES.names:g}h96m-6-5l6 5-6 5" fill="none" stroke="var(--rule)" stroke-width="1.8" />'
        )
    return "".join(drawn)


# Slots.

_SPACE_SLOTS: Final = tuple(f"{letter}{space + 1}" for letter in _ERA_LETTERS for space in range(NUM_SPACES))
_SPOTS: Final = {
    f"{letter}{space + 1}": _spot(era, space) for era, letter in enumerate(_ERA_LETTERS) for space in range(NUM_SPACES)
}
#: The names of the slots from the back to the front, each with the transformation of its content.
SLOTS: Final[dict[str, str]] = (
    dict.fromkeys(("turn", "situation", "action", "frame", "focus", "white", "shared", "black", "arrows"), "")
    | {slot: f"translate({x:g} {y:g})" for slot, (x, y) in _SPOTS.items()}
    | dict.fromkeys(("marks", "targets"), "")
)

_CELLS: Final = {
    "W": _use("white-copy"),
    "B": _use("black-copy"),
    "w": _use("white-copy") + _use("seed", 19, 17, scale=0.62),
    "b": _use("black-copy") + _use("seed", 19, 17, scale=0.62),
    "*": _use("seed"),
    "#": _use("shrub"),
    "T": _use("tree"),
    **{letter: _use("fallen-tree", turn=TURNED[way]) for letter, way in zip("^>v<", DIRECTIONS, strict=True)},
    "O": _use("orange-statue"),
    "I": _use("white-statue"),
    "E": _use("black-statue"),
}
#: The dark elephant looks west, the light one east; hats sit on their heads.
_ELEPHANTS: Final = {"D": ("dark-elephant", -1), "L": ("light-elephant", 1)}


def parts(scene: Scene) -> dict[str, str]:
    """The content of each slot that has any.

    >>> start = "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w c PF - 4/4 - ---/--- -/- 1"
    >>> parts(Scene(start))["N16"]
    '<use href="#tkm-black-copy"/>'
    """
    fields = scene.position.split(" ")
    board, chapters, to_act, step, focus, active, supply, statues, hats, powers, turn = fields
    drawn = {
        "turn": _written(f"turn {turn}", 9, "faint", 40, MEASURES.situation),
        "situation": _situation(to_act, step),
        "focus": "".join(_use(f"{player}-focus", *_token_spot(number, era)) for number, player, era in _tokens(focus)),
        "shared": _shared(board, chapters, step, powers),
    }
    if scene.action is not None:
        drawn["action"] = _written(scene.action, 9, "mark", MEASURES.width - 40, MEASURES.situation, 1)
    drawn["frame"] = "".join(_frame(era) for _, player, era in _tokens(focus) if player[0] == to_act and step in "c=12+f")
    for number, player in enumerate(PLAYERS):
        drawn[player] = _things(number, board, chapters, supply, statues, hats, powers, step)
    cells = board.replace("/", "").replace("|", "")
    for slot, letter in zip(_SPACE_SLOTS, cells, strict=True):
        if letter != ".":
            drawn[slot] = _CELLS.get(letter) or _elephant(letter, hats, _ERA_LETTERS.index(slot[0]))
    if active != "-":
        drawn[active] = _use("active") + drawn[active]
    drawn["arrows"], drawn["marks"] = _happened(scene, cells)
    drawn["targets"] = "".join(_targets(scene, cells))
    return {slot: content for slot, content in drawn.items() if content}


def _tokens(focus: str) -> Iterator[tuple[int, str, int]]:
    """Each focus token on the board: the player's number and name, and the era."""
    for number, letter in enumerate(focus):
        if letter != "-":
            yield number, PLAYERS[number], _ERA_LETTERS.index(letter)


def _frame(era: int) -> str:
    """A line around the era in which the turn is."""
    (left, top), (right, bottom) = _spot(era, 0), _spot(era, NUM_SPACES - 1)
    out = MEASURES.tile / 2 + 7
    return (
        f'<rect x="{left - out:g}" y="{top - out:g}" width="{right - left + 2 * out:g}" height="{bottom - top + 2 * out:g}" rx="13" '
        f'fill="none" stroke="var(--ink)" stroke-width="1.8"/>'
    )


@lru_cache(256)
def _situation(to_act: str, step: str) -> str:
    player = PLAYERS["wb".index(to_act)]
    told = situation(to_act, step)
    width, middle = _length(told, 11), MEASURES.width / 2
    hat = "" if told.startswith("over") else _use(f"{player}-hat", middle - width / 2 - 12, MEASURES.situation + 5, scale=1.2)
    return hat + _written(told, 11, "ink", middle + (14 if hat else 0), MEASURES.situation, 0.5, 1.4)


def _elephant(letter: str, hats: str, era: int) -> str:
    glyph, looks = _ELEPHANTS[letter]
    hat = hats.split("/")["DL".index(letter)][era]
    body = f'<use href="#tkm-{glyph}"' + (' transform="scale(-1 1)"/>' if looks < 0 else "/>")
    return body + (_use(f"{PLAYERS['wb'.index(hat)]}-hat", 10 * looks, -12) if hat != "-" else "")


# What is off the board.


@lru_cache(4096)
def _row(glyph: str, x: float, y: float, pitch: float, scale: float, there: int, places: int) -> str:
    """Glyphs in a row: those that are there, and faint ones for those that are not."""
    return "".join(
        _use(glyph, x + pitch * number, y, scale=scale, opacity=1 if number < there else 0.16)
        for number in range(max(there, places))
    )


def _things(player: int, board: str, chapters: str, supply: str, statues: str, hats: str, powers: str, step: str) -> str:
    """A player's name, power, supply of copies, statue to build and hats at hand."""
    name, letter = PLAYERS[player], "wb"[player]
    left = _COLUMNS[2 * player] - (WIDTH * MEASURES.pitch - 4) / 2
    drawn = [_written(name, 9, "ink", left, MEASURES.players, 0, 1.4)]
    power = _power_of(player, powers, step)
    if power != "-":
        at = left + _length(name, 9) + 14
        spent = power.endswith("!")
        drawn.append(_written(power.rstrip("!"), 9, "faint" if spent else "active", at, MEASURES.players))
        if spent:
            drawn.append(_struck(at, power.rstrip("!"), 9, MEASURES.players))
    there = int(supply.split("/")[player])
    drawn.append(_row(f"{name}-copy", left + 10, MEASURES.things, 27, 0.56, there, SUPPLY_AT_START))
    if "I" in chapters:
        drawn.append(_row(f"{name}-statue", left + 241, MEASURES.things, 0, 0.56, int(letter in statues), 1))
    if "M" in chapters:
        at_hand = _HATS_EACH - hats.count(letter)
        drawn.append(_row(f"{name}-hat", left + 182, MEASURES.players + 4, 29, 0.9, at_hand, _HATS_EACH))
    return "".join(drawn)


def _struck(x: float, text: str, height: float, y: float) -> str:
    """A line through a text."""
    return f'<path d="M{x - 3:.5g} {y:g}h{_length(text, height) + 6:.4g}" stroke="var(--faint)" stroke-width="1.4"/>'


def _power_of(player: int, powers: str, step: str) -> str:
    """A player's power, or "-"; with Power Share, while it is drafted, both have the one that was picked."""
    slots = powers.split("/")
    if step in "do":
        slots = slots[1:] * (2 if len(slots) == 2 else 1)
    return slots[player]


#: What both players plant, by glyph, each with its letters on the board.
_GROWTH_PIECES: Final = {"seed": "*wb", "shrub": "#", "tree": "T^>v<"}


def _shared(board: str, chapters: str, step: str, powers: str) -> str:
    """The powers to draft, or the chapters and what both players plant."""
    middle = _COLUMNS[1]
    if step in "do":
        revealed, *taken = powers.split("/")
        return "".join(_revealed(number, power, power in taken) for number, power in enumerate(revealed.split(",")))
    names = " · ".join(CHAPTERS["GIM".index(letter)] for letter in chapters if letter != "-")
    drawn = [_written(names, 7.5, "faint", middle, MEASURES.players, 0.5)]
    if "G" in chapters:
        for number, (glyph, letters) in enumerate(_GROWTH_PIECES.items()):
            left = PIECES_OF_GROWTH - sum(map(board.count, letters))
            x = middle - 88 + 76 * number
            drawn.append(_use(glyph, x, MEASURES.things, scale=0.56, opacity=1 if left else 0.16))
            drawn.append(_written(str(left), 9, "ink" if left else "faint", x + 22, MEASURES.things))
    return "".join(drawn)


def _power_spot(number: int) -> tuple[float, float]:
    """Where a revealed power stands: two by two."""
    return _COLUMNS[1] - 120 + number % 2 * 134, (MEASURES.players, MEASURES.things - 6)[number // 2]


def _revealed(number: int, power: str, taken: bool) -> str:
    x, y = _power_spot(number)
    drawn = _written(str(number + 1), 9, "faint", x, y) + _written(power, 9, "faint" if taken else "ink", x + 14, y)
    return drawn + (_struck(x + 14, power, 9, y) if taken else "")


# What the last action did.


def _happened(scene: Scene, cells: str) -> tuple[str, str]:
    """The arrows behind the pieces, and the marks before them."""
    arrows: list[str] = []
    marks: list[str] = []
    for event in scene.events:
        if isinstance(event, Moved) and event.how in _OWN_STEPS:
            arrows.append(_step(event))
        elif type(event) in _MARKS:
            marks.append(_MARKS[type(event)](event, cells))
    marks += _deaths([event for event in scene.events if isinstance(event, Died)], cells)
    if scene.action is not None and scene.action.startswith(_SHIFT):
        marks.append(_shift(scene))
    return "".join(arrows), "".join(marks)


def _deaths(deaths: Sequence[Died], cells: str) -> Iterator[str]:
    """A cross in the corner of each space where copies died, and where it is empty now who died, faintly."""
    for number, event in enumerate(deaths):
        x, y = _at(event)
        before = sum(_at(other) == (x, y) for other in deaths[:number])
        if cells[_cell(event)] == "." and not before:
            yield _use(f"{event.player}-copy", x, y, opacity=0.28)
        yield _use(f"{event.player}-died", x + 20 - 24 * before, y - 20)


def _cell(event: Any) -> int:
    """The number of an event's space among all 48."""
    return ERAS.index(event.era) * NUM_SPACES + int(event.space) - 1


def _at(event: Any) -> tuple[float, float]:
    return _spot(ERAS.index(event.era), event.space - 1)


def _way(space: int, to: int) -> tuple[int, bool]:
    """In which direction a step leads, as the turn of what leads east, and whether it goes around the edge."""
    for direction, name in enumerate(DIRECTIONS):
        if NEIGHBOUR[direction, space - 1] == to - 1:
            return TURNED[name], False
    # Around the edge it is three spaces to the other side.
    return TURNED[{3: "west", -3: "east", 12: "north", -12: "south"}[to - space]], True


def _step(event: Moved) -> str:
    x, y = _at(event)
    turn, around = _way(event.space, event.to)
    if not around:
        return _use("step", x, y, turn=turn)
    return _use("step-out", x, y, turn=turn) + _use("step-in", *_spot(ERAS.index(event.era), event.to - 1), turn=turn)


#: How a mark for an event is drawn, from the event and the letters of all cells after it.
_Mark: TypeAlias = Callable[[Any, str], str]


def _between(glyph: str) -> _Mark:
    """A mark between the space where something was and the one to which it went."""

    def drawn(event: Any, cells: str) -> str:
        turn, around = _way(event.space, event.to)
        return _use("step-out" if around else glyph, *_at(event), turn=turn)

    return drawn


def _on(glyph: str) -> _Mark:
    """A mark on the space where something happened."""
    return lambda event, cells: _use(glyph, *_at(event))


def _on_elephant(glyph: str) -> _Mark:
    """A mark on the space of the elephant to whose hat something happened."""

    def drawn(event: Trained | Untrained, cells: str) -> str:
        first = ERAS.index(event.era) * NUM_SPACES
        space = cells.index(event.elephant[0].upper(), first) - first
        return _use(glyph, *_spot(ERAS.index(event.era), space))

    return drawn


def _travel(event: Travelled, cells: str) -> str:
    """An arrow from era to era."""
    (x, y), (to, _) = _at(event), _spot(ERAS.index(event.to), event.space - 1)
    return _bow(x, y - 20, to, y - 20, 62, 15)


def _bow(x: float, y: float, to_x: float, to_y: float, height: float, aside: float) -> str:
    """A bent arrow from one point to another, both on one height."""
    way = 1 if to_x > x else -1
    start, tip = x + way * aside, to_x - way * aside
    # The arrow's head goes on in the direction in which the bow arrives.
    over = (start + tip) / 2
    run, fall = tip - over, height
    length = (run * run + fall * fall) ** 0.5
    ahead, down = run / length, fall / length
    foot_x, foot_y = tip - 13 * ahead, to_y - 13 * down
    head = (
        f"M{tip:.5g} {to_y:.5g}L{foot_x - 7 * down:.5g} {foot_y + 7 * ahead:.5g}L{foot_x + 7 * down:.5g} {foot_y - 7 * ahead:.5g}z"
    )
    line = f"M{start:.5g} {y:.5g}Q{over:.5g} {to_y - height:.5g} {foot_x:.5g} {foot_y:.5g}"
    return (
        f'<path d="{line}" fill="none" stroke="var(--mark)" stroke-width="4"/>'
        f'<path d="{head}" fill="var(--mark)" stroke="var(--mark)" stroke-width="2"/>'
    )


#: How copies and elephants move by themselves.
_OWN_STEPS: Final = ("walked", "commanded")
_MARKS: Final[dict[type[Event], _Mark]] = {
    Moved: _between("shove"),
    Toppled: _between("shove"),
    Exchanged: _between("swap"),
    Travelled: _travel,
    Copied: _on("appear"),
    Planted: _on("appear"),
    Grew: _on("appear"),
    Built: _on("appear"),
    Removed: _on("vanish"),
    Returned: _on("returned"),
    Trained: _on_elephant("appear"),
    Untrained: _on_elephant("untrained"),
}


def _shift(scene: Scene) -> str:
    """An arrow from where a focus token was to where it is."""
    focus = scene.position.split(" ")[4]
    for player, (before, after) in enumerate(zip(scene.focus_before, focus, strict=True)):
        if before not in ("-", after):
            x, y = _token_spot(player, _ERA_LETTERS.index(before))
            return _bow(x, y - 15, _token_spot(player, _ERA_LETTERS.index(after))[0], y - 15, 34, 5)
    return ""


# Legal targets.


def place_of(action: str, position: str) -> str | None:
    """To which place an action leads: a space, like "N7", an era's name, a revealed power's number, or None if it leads nowhere.

    Args:
        action: the name of an action that is legal there.
        position: the position's text.

    >>> place_of("move east", "W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1")
    'P2'
    """
    verb, *rest = action.split(" ")
    board, _, to_act, _, focus, active, *_ = position.split(" ")
    if verb == "choose":
        return f"{focus['wb'.index(to_act)]}{rest[0]}"
    if verb in ("focus", "draft"):
        return rest[0]
    if active == "-" or not rest:
        return None
    era, space = _ERA_LETTERS.index(active[0]), int(active[1:]) - 1
    if verb == "travel":
        far = 2 if "far" in rest else 1
        era += far if rest[0] == "forward" else -far
    elif verb in ("train", "command"):
        space = board.split("|")[era].replace("/", "").index("D" if rest.pop(0) == "dark" else "L")
    if rest and rest[0] in DIRECTIONS:
        beside = int(NEIGHBOUR[DIRECTIONS.index(rest[0]), space])
        space = beside if beside != NOWHERE else _around(space, rest[0])
    return f"{_ERA_LETTERS[era]}{space + 1}"


def _around(space: int, direction: str) -> int:
    """The other end of the line."""
    across = {"east": -3, "west": 3, "north": 12, "south": -12}
    return space + across[direction]


def _targets(scene: Scene, cells: str) -> Iterator[str]:
    """A mark for each place to which a legal action leads."""
    for place in dict.fromkeys(place_of(name, scene.position) for name in scene.legal):
        if place in _SPOTS:
            glyph = "target" if cells[_SPACE_SLOTS.index(place)] == "." else "target-piece"
            yield _use(glyph, *_SPOTS[place])
        elif place in ERAS:
            era = ERAS.index(place)
            half = _length(place, 12) / 2 + 10
            yield (
                f'<rect x="{_COLUMNS[era] - half:.5g}" y="{MEASURES.names - 14:g}" width="{2 * half:.5g}" height="28" rx="14" '
                'fill="none" stroke="var(--target)" stroke-width="2.6"/>'
            )
        elif place is not None:
            x, y = _power_spot(int(place) - 1)
            yield _use("target", x - 14, y, scale=0.7)


# The whole.

_NAMED: Final = re.compile(r"var\(--([a-z-]+)\)|tkm-")


def draw(game: Game, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
    """The drawing of a game as an SVG document; see `tkm_env.Game.svg`."""
    return assembled(scene_of(game, last=last, legal=legal), size=size, theme=theme)


def assembled(scene: Scene, *, size: int | None = None, theme: str = "light") -> str:
    """The SVG document of a scene."""
    if theme not in THEMES:
        raise ConfigError("theme", theme, f"it must be {' or '.join(map(repr, THEMES))}")
    if size is not None and (isinstance(size, bool) or not isinstance(size, int) or size < 1):
        raise ConfigError("size", size, "it must be None or a number of pixels from 1 on")
    drawn = parts(scene)
    content = "".join(
        f'<g transform="{SLOTS[slot]}">{drawn[slot]}</g>' if SLOTS[slot] else drawn[slot] for slot in SLOTS if slot in drawn
    )
    prefix = f"tkm-{hashlib.sha256(f'{theme}{content}'.encode()).hexdigest()[:8]}-"
    pixels = f' width="{size}" height="{size * MEASURES.height / MEASURES.width:g}"' if size else ""
    fields = scene.position.split(" ")
    title = f"turn {fields[10]}: {situation(fields[2], fields[3])}" + (f"; last action: {scene.action}" if scene.action else "")
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {MEASURES.width:g} {MEASURES.height:g}"{pixels} {STROKES} role="img">'
        f"<title>{escape(title)}</title><desc>{escape(scene.position)}</desc>"
        f"{_unchanging(theme, prefix)}{_settled(content, theme, prefix)}</svg>"
    )


def _settled(content: str, theme: str, prefix: str) -> str:
    """The content with a theme's colours, and with ids of its own."""
    colours = THEMES[theme]
    return _NAMED.sub(lambda found: colours[found[1]] if found[1] else prefix, content)


@lru_cache(len(THEMES))
def _coloured(theme: str) -> str:
    return _settled(glyphs() + background(), theme, "tkm-")


def _unchanging(theme: str, prefix: str) -> str:
    return _coloured(theme).replace("tkm-", prefix)
