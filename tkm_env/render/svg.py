"""The drawing of a position: three eras side by side. Imports `canvas`, `letters`, `look`, `text`, the tables of names and `events`.

`parts` turns a scene into parts for the slots of `CANVAS`; `draw` makes them an SVG document.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from tkm_env.engine.actions import ACTIONS
from tkm_env.engine.geometry import DIRECTIONS, ERAS, NEIGHBOUR, NOWHERE, NUM_SPACES, WIDTH
from tkm_env.engine.state import CHAPTERS, PIECES_OF_GROWTH, PLAYERS, SUPPLY_AT_START
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
from tkm_env.render.canvas import Canvas, bow, box, definitions, use
from tkm_env.render.letters import length, struck, written
from tkm_env.render.look import GLYPHS, MEASURES, THEMES, TURNED
from tkm_env.render.text import situation

if TYPE_CHECKING:
    from tkm_env.game import Game

__all__ = ["CANVAS", "Scene", "box_of", "draw", "parts", "place_of", "scene_of"]

_ERA_LETTERS: Final = "PNF"
_COLUMNS: Final = tuple(x + (WIDTH - 1) / 2 * MEASURES.pitch for x, _ in MEASURES.boards)
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
    focus_before = game.at(-1).position.split(" ")[4]
    return Scene(game.position, ACTIONS[game.history[-1]], game.events, focus_before, names)


# Where things are.


def _spot(era: int, space: int) -> tuple[float, float]:
    """The middle of a space; spaces count from 0."""
    x, y = MEASURES.boards[era]
    return x + space % WIDTH * MEASURES.pitch, y + space // WIDTH * MEASURES.pitch


def _token_spot(player: int, era: int) -> tuple[float, float]:
    """Where a player's focus token lies: white's before the era's name, black's behind it."""
    aside = length(ERAS[era], 12) / 2 + 26
    return _COLUMNS[era] + (aside if player else -aside), MEASURES.names


def _background() -> str:
    """The ground, the spaces with their numbers, the eras' names."""
    drawn = [f'<rect width="{MEASURES.width:g}" height="{MEASURES.height:g}" rx="14" fill="var(--ground)"/>']
    half = MEASURES.tile / 2
    for era, name in enumerate(ERAS):
        tiles = []
        for space in range(NUM_SPACES):
            x, y = _spot(era, space)
            tiles.append(box(x - half, y - half, MEASURES.tile, MEASURES.tile, 7))
            drawn.append(written(str(space + 1), 5.5, "faint", x - half + 6, y - half + 8.5))
        drawn.insert(1, f'<path fill="var(--{name})" d="{"".join(tiles)}"/>')
        drawn.append(written(name, 12, "ink", _COLUMNS[era], MEASURES.names, 0.5, 1.4))
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
#: What all drawings have in common.
CANVAS: Final = Canvas(
    MEASURES.width,
    MEASURES.height,
    definitions(GLYPHS),
    _background(),
    dict.fromkeys(("turn", "situation", "action", "frame", "focus", "white", "shared", "black", "arrows"), "")
    | {slot: f"translate({x:g} {y:g})" for slot, (x, y) in _SPOTS.items()}
    | dict.fromkeys(("marks", "targets"), ""),
    THEMES,
)

_CELLS: Final = {
    "W": use("white-copy"),
    "B": use("black-copy"),
    "w": use("white-copy") + use("seed", 19, 17, scale=0.62),
    "b": use("black-copy") + use("seed", 19, 17, scale=0.62),
    "*": use("seed"),
    "#": use("shrub"),
    "T": use("tree"),
    **{letter: use("fallen-tree", turn=TURNED[way]) for letter, way in zip("^>v<", DIRECTIONS, strict=True)},
    "O": use("orange-statue"),
    "I": use("white-statue"),
    "E": use("black-statue"),
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
        "turn": written(f"turn {turn}", 9, "faint", 40, MEASURES.situation),
        "situation": _situation(to_act, step),
        "focus": "".join(use(f"{player}-focus", *_token_spot(number, era)) for number, player, era in _tokens(focus)),
        "shared": _shared(board, chapters, step, powers),
    }
    if scene.action is not None:
        drawn["action"] = written(scene.action, 9, "mark", MEASURES.width - 40, MEASURES.situation, 1)
    drawn["frame"] = "".join(_frame(era) for _, player, era in _tokens(focus) if player[0] == to_act and step in "c=12+f")
    for number, player in enumerate(PLAYERS):
        drawn[player] = _things(number, board, chapters, supply, statues, hats, powers, step)
    cells = board.replace("/", "").replace("|", "")
    for slot, letter in zip(_SPACE_SLOTS, cells, strict=True):
        if letter != ".":
            drawn[slot] = _CELLS.get(letter) or _elephant(letter, hats, _ERA_LETTERS.index(slot[0]))
    if active != "-":
        drawn[active] = use("active") + drawn[active]
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
    width, middle = length(told, 11), MEASURES.width / 2
    hat = "" if told.startswith("over") else use(f"{player}-hat", middle - width / 2 - 12, MEASURES.situation + 5, scale=1.2)
    return hat + written(told, 11, "ink", middle + (14 if hat else 0), MEASURES.situation, 0.5, 1.4)


def _elephant(letter: str, hats: str, era: int) -> str:
    glyph, looks = _ELEPHANTS[letter]
    hat = hats.split("/")["DL".index(letter)][era]
    body = f'<use href="#tkm-{glyph}"' + (' transform="scale(-1 1)"/>' if looks < 0 else "/>")
    return body + (use(f"{PLAYERS['wb'.index(hat)]}-hat", 10 * looks, -12) if hat != "-" else "")


# What is off the board.


@lru_cache(4096)
def _row(glyph: str, x: float, y: float, pitch: float, scale: float, there: int, places: int) -> str:
    """Glyphs in a row: those that are there, and faint ones for those that are not."""
    return "".join(
        use(glyph, x + pitch * number, y, scale=scale, opacity=1 if number < there else 0.16)
        for number in range(max(there, places))
    )


def _things(player: int, board: str, chapters: str, supply: str, statues: str, hats: str, powers: str, step: str) -> str:
    """A player's name, power, supply of copies, statue to build and hats at hand."""
    name, letter = PLAYERS[player], "wb"[player]
    left = _COLUMNS[2 * player] - (WIDTH * MEASURES.pitch - 4) / 2
    drawn = [written(name, 9, "ink", left, MEASURES.players, 0, 1.4)]
    power = _power_of(player, powers, step)
    if power != "-":
        at = left + length(name, 9) + 14
        spent = power.endswith("!")
        drawn.append(written(power.rstrip("!"), 9, "faint" if spent else "active", at, MEASURES.players))
        if spent:
            drawn.append(struck(power.rstrip("!"), 9, at, MEASURES.players))
    there = int(supply.split("/")[player])
    drawn.append(_row(f"{name}-copy", left + 10, MEASURES.things, 27, 0.56, there, SUPPLY_AT_START))
    if "I" in chapters:
        drawn.append(_row(f"{name}-statue", left + 241, MEASURES.things, 0, 0.56, int(letter in statues), 1))
    if "M" in chapters:
        at_hand = _HATS_EACH - hats.count(letter)
        drawn.append(_row(f"{name}-hat", left + 182, MEASURES.players + 4, 29, 0.9, at_hand, _HATS_EACH))
    return "".join(drawn)


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
    drawn = [written(names, 7.5, "faint", middle, MEASURES.players, 0.5)]
    if "G" in chapters:
        for number, (glyph, letters) in enumerate(_GROWTH_PIECES.items()):
            left = PIECES_OF_GROWTH - sum(map(board.count, letters))
            x = middle - 88 + 76 * number
            drawn.append(use(glyph, x, MEASURES.things, scale=0.56, opacity=1 if left else 0.16))
            drawn.append(written(str(left), 9, "ink" if left else "faint", x + 22, MEASURES.things))
    return "".join(drawn)


def _power_spot(number: int) -> tuple[float, float]:
    """Where a revealed power stands: two by two."""
    return _COLUMNS[1] - 120 + number % 2 * 134, (MEASURES.players, MEASURES.things - 6)[number // 2]


def _revealed(number: int, power: str, taken: bool) -> str:
    x, y = _power_spot(number)
    drawn = written(str(number + 1), 9, "faint", x, y) + written(power, 9, "faint" if taken else "ink", x + 14, y)
    return drawn + (struck(power, 9, x + 14, y) if taken else "")


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
    marks.append(_shift(scene))
    return "".join(arrows), "".join(marks)


def _deaths(deaths: Sequence[Died], cells: str) -> Iterator[str]:
    """A cross in the corner of each space where copies died, and where it is empty now who died, faintly."""
    for number, event in enumerate(deaths):
        x, y = _at(event)
        before = sum(_at(other) == (x, y) for other in deaths[:number])
        if cells[_cell(event)] == "." and not before:
            yield use(f"{event.player}-copy", x, y, opacity=0.28)
        yield use(f"{event.player}-died", x + 20 - 24 * before, y - 20)


def _cell(event: Any) -> int:
    """The number of an event's space among all 48."""
    return ERAS.index(event.era) * NUM_SPACES + int(event.space) - 1


def _at(event: Any) -> tuple[float, float]:
    return _spot(ERAS.index(event.era), event.space - 1)


def _beside(space: int, direction: str) -> tuple[int, bool]:
    """The space beside another, from 0, and whether that is around the edge, at the other end of the line."""
    beside = int(NEIGHBOUR[DIRECTIONS.index(direction), space])
    return (space + _ACROSS[direction], True) if beside == NOWHERE else (beside, False)


_ACROSS: Final = {"north": 12, "east": -3, "south": -12, "west": 3}
#: For each step from space to space, both from 1: the turn of what leads east, and whether it goes around the edge.
_STEPS: Final = {
    (space + 1, to + 1): (TURNED[direction], around)
    for direction in DIRECTIONS
    for space in range(NUM_SPACES)
    for to, around in [_beside(space, direction)]
}


def _step(event: Moved) -> str:
    x, y = _at(event)
    turn, around = _STEPS[event.space, event.to]
    if not around:
        return use("step", x, y, turn=turn)
    return use("step-out", x, y, turn=turn) + use("step-in", *_spot(ERAS.index(event.era), event.to - 1), turn=turn)


#: How a mark for an event is drawn, from the event and the letters of all cells after it.
_Mark: TypeAlias = Callable[[Any, str], str]


def _between(glyph: str) -> _Mark:
    """A mark between the space where something was and the one to which it went."""

    def drawn(event: Any, cells: str) -> str:
        turn, around = _STEPS[event.space, event.to]
        return use("step-out" if around else glyph, *_at(event), turn=turn)

    return drawn


def _on(glyph: str) -> _Mark:
    """A mark on the space where something happened."""
    return lambda event, cells: use(glyph, *_at(event))


def _on_elephant(glyph: str) -> _Mark:
    """A mark on the space of the elephant to whose hat something happened."""

    def drawn(event: Trained | Untrained, cells: str) -> str:
        first = ERAS.index(event.era) * NUM_SPACES
        space = cells.index(event.elephant[0].upper(), first) - first
        return use(glyph, *_spot(ERAS.index(event.era), space))

    return drawn


def _travel(event: Travelled, cells: str) -> str:
    """An arrow from era to era."""
    (x, y), (to, _) = _at(event), _spot(ERAS.index(event.to), event.space - 1)
    return bow(x, to, y - 20, height=62, aside=15)


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
            return bow(x, _token_spot(player, _ERA_LETTERS.index(after))[0], y - 15, height=34, aside=5)
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
        space, _ = _beside(space, rest[0])
    return f"{_ERA_LETTERS[era]}{space + 1}"


def box_of(place: str) -> tuple[float, float, float, float]:
    """Where a place lies on the drawing: left, top, width and height. An era is all of its board, with its name.

    >>> box_of("P1")
    (38.0, 108.0, 64, 64)
    """
    pitch = MEASURES.pitch
    if place in _SPOTS:
        x, y = _SPOTS[place]
        return x - pitch / 2, y - pitch / 2, pitch, pitch
    if place in ERAS:
        left, top = _spot(ERAS.index(place), 0)
        height = WIDTH * pitch + top - pitch / 2 - MEASURES.names + 18
        return left - pitch / 2, MEASURES.names - 18, WIDTH * pitch, height
    x, y = _power_spot(int(place) - 1)
    return x - 20, y - 12, 130, 24


def _targets(scene: Scene, cells: str) -> Iterator[str]:
    """A mark for each place to which a legal action leads."""
    for place in dict.fromkeys(place_of(name, scene.position) for name in scene.legal):
        if place in _SPOTS:
            glyph = "target" if cells[_SPACE_SLOTS.index(place)] == "." else "target-piece"
            yield use(glyph, *_SPOTS[place])
        elif place in ERAS:
            era = ERAS.index(place)
            half = length(place, 12) / 2 + 10
            yield (
                f'<rect x="{_COLUMNS[era] - half:.5g}" y="{MEASURES.names - 14:g}" width="{2 * half:.5g}" height="28" rx="14" '
                'fill="none" stroke="var(--target)" stroke-width="2.6"/>'
            )
        elif place is not None:
            x, y = _power_spot(int(place) - 1)
            yield use("target", x - 14, y, scale=0.7)


def draw(game: Game, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
    """The drawing of a game as an SVG document; see `tkm_env.Game.svg`."""
    scene = scene_of(game, last=last, legal=legal)
    fields = scene.position.split(" ")
    title = f"turn {fields[10]}: {situation(fields[2], fields[3])}" + (f"; last action: {scene.action}" if scene.action else "")
    return CANVAS.document(parts(scene), size=size, theme=theme, title=title, description=scene.position)
