"""The drawing of a position, three eras side by side.

`parts` turns a scene into the contents of the slots of `CANVAS`. The glyphs and colours are those
of ``glyphs.svg``. A space is 60 wide, and its middle is the origin of every glyph.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Any, Final, NamedTuple

from tkm_env.foundations.files import packaged_text
from tkm_env.foundations.message import Message, joined
from tkm_env.games.tkm import events
from tkm_env.games.tkm.engine.geometry import (
    DIRECTIONS,
    ERAS,
    NEIGHBOUR,
    NOWHERE,
    NUM_SPACES,
    WIDTH,
)
from tkm_env.games.tkm.engine.state import (
    CHAPTERS,
    COPY,
    ELEPHANT,
    ELEPHANTS,
    EMPTY,
    FALLEN,
    ORANGE,
    PIECES_OF_GROWTH,
    PLAYERS,
    SHRUB,
    STATUE,
    SUPPLY_AT_START,
    TREE,
)
from tkm_env.games.tkm.events import Event
from tkm_env.games.tkm.notation import CELLS
from tkm_env.games.tkm.view import SPACE_NAMES, View, space_name
from tkm_env.render.canvas import Canvas, Scene, themes_in
from tkm_env.render.shapes import (
    DrawnText,
    bow,
    box,
    definitions,
    draw_text,
    length,
    strike_out,
    use,
)

_SHEET: Final = packaged_text(__package__, "glyphs.svg")
#: The definitions of all glyphs.
GLYPHS: Final = definitions(_SHEET)
#: The colours by name, in each theme.
THEMES: Final = themes_in(_SHEET)

#: How far marks that point east are rotated, by direction.
TURNED: Final = {"north": -90, "east": 0, "south": 90, "west": 180}


class BoardsLayout(NamedTuple):
    """Positions and sizes, in units of the drawing."""

    width: float = 924
    height: float = 462
    #: The middle of the first space of each era.
    boards: tuple[tuple[float, float], ...] = ((70, 140), (366, 140), (662, 140))
    pitch: float = 64
    tile: float = 60
    #: Vertical positions of the lines of text: the situation, the eras' names, the players, their
    #: belongings.
    situation: float = 34
    names: float = 84
    players: float = 396
    things: float = 430


LAYOUT: Final = BoardsLayout()

_COLUMNS: Final = tuple(x + (WIDTH - 1) / 2 * LAYOUT.pitch for x, _ in LAYOUT.boards)
#: How many hats each player has.
HATS_EACH: Final = 3
_GROWTH, _INFLUENCE, _MEMORY = CHAPTERS
_LETTER_OF: Final = {cell: letter for letter, cell in CELLS.items()}
_EMPTY: Final = _LETTER_OF[EMPTY, 0]
_ELEPHANT_LETTERS: Final = {
    name: _LETTER_OF[ELEPHANT + number, 0] for number, name in enumerate(ELEPHANTS)
}


# Positions.


def _spot(era: int, space: int) -> tuple[float, float]:
    """The middle of a space; spaces count from 0."""
    x, y = LAYOUT.boards[era]
    return x + space % WIDTH * LAYOUT.pitch, y + space // WIDTH * LAYOUT.pitch


def _token_spot(player: int, era: int) -> tuple[float, float]:
    """The place of a player's focus token: white's before the era's name, black's after it."""
    aside = length(ERAS[era], 12) / 2 + 26
    return _COLUMNS[era] + (aside if player else -aside), LAYOUT.names


def _background() -> Message:
    """The ground, the spaces with their numbers, the eras' names."""
    drawn = [
        f'<rect width="{LAYOUT.width:g}" height="{LAYOUT.height:g}" rx="14" fill="var(--ground)"/>'
    ]
    half = LAYOUT.tile / 2
    for era, name in enumerate(ERAS):
        tiles = []
        for space in range(NUM_SPACES):
            x, y = _spot(era, space)
            tiles.append(box(x - half, y - half, LAYOUT.tile, LAYOUT.tile, 7))
            drawn.append(draw_text(str(space + 1), 5.5, "faint", x - half + 6, y - half + 8.5))
        drawn.insert(1, f'<path fill="var(--{name})" d="{"".join(tiles)}"/>')
        drawn.append(DrawnText(name, 12, 12, "ink", _COLUMNS[era], LAYOUT.names, 0.5, 1.4))
    # Time passes from era to era.
    for left, right in pairwise(_COLUMNS):
        x = (left + right) / 2 - 48
        drawn.append(
            f'<path d="M{x:g} {LAYOUT.names:g}h96m-6-5l6 5-6 5" '
            'fill="none" stroke="var(--rule)" stroke-width="1.8" />'
        )
    return joined("", drawn)


# Slots.

_SPOTS: Final = {
    space_name(era, space): _spot(era, space)
    for era in range(len(ERAS))
    for space in range(NUM_SPACES)
}
#: What all drawings have in common.
CANVAS: Final = Canvas(
    LAYOUT.width,
    LAYOUT.height,
    GLYPHS,
    _background(),
    dict.fromkeys(
        ("turn", "situation", "action", "frame", "focus", "white", "shared", "black", "arrows"), ""
    )
    | {slot: f"translate({x:g} {y:g})" for slot, (x, y) in _SPOTS.items()}
    | dict.fromkeys(("marks", "targets"), ""),
    THEMES,
)

#: The glyph of each piece, without its player's colour.
_GLYPH_OF_PIECE: Final = {
    TREE: "tree",
    SHRUB: "shrub",
    ORANGE: "orange-statue",
    **{COPY + player: f"{name}-copy" for player, name in enumerate(PLAYERS)},
    **{STATUE + player: f"{name}-statue" for player, name in enumerate(PLAYERS)},
}
#: The dark elephant looks west, the light one east; hats sit on their heads.
_LOOKS: Final = (-1, 1)


def symbol_of(letter: str, hat: int | None = None) -> str:
    """The drawing of what the letter of a space stands for.

    Args:
        letter: the letter.
        hat: the player whose hat an elephant there wears, or None.

    Returns:
        SVG.
    """
    piece, seed = CELLS[letter]
    if piece == EMPTY:
        return use("seed") if seed else ""
    if piece >= ELEPHANT:
        return _elephant(piece - ELEPHANT, hat)
    if FALLEN <= piece < ELEPHANT:
        return use("fallen-tree", turn=TURNED[DIRECTIONS[piece - FALLEN]])
    return use(_GLYPH_OF_PIECE[piece]) + (use("seed", 19, 17, scale=0.62) if seed else "")


def _elephant(elephant: int, hat: int | None) -> str:
    looks = _LOOKS[elephant]
    body = f'<use href="#tkm-{ELEPHANTS[elephant]}-elephant"' + (
        ' transform="scale(-1 1)"/>' if looks < 0 else "/>"
    )
    return body + ("" if hat is None else use(f"{PLAYERS[hat]}-hat", 10 * looks, -12))


def icon_of(player: str) -> str:
    """A player's symbol: a copy."""
    return use(f"{player}-copy")


def parts(scene: Scene[View]) -> dict[str, str]:
    """The content of each non-empty slot."""
    view = scene.view
    drawn = {
        "turn": draw_text(f"turn {view.turn}", 9, "faint", 40, LAYOUT.situation),
        "situation": _situation(None if view.is_over else PLAYERS[view.to_act], view.situation),
        "focus": "".join(
            use(f"{PLAYERS[player]}-focus", *_token_spot(player, era))
            for player, era in _tokens(view)
        ),
        "shared": _draw_middle(view),
    }
    if scene.action is not None:
        drawn["action"] = draw_text(scene.action, 9, "mark", LAYOUT.width - 40, LAYOUT.situation, 1)
    if view.step in _STEPS_WITHIN_A_TURN:
        drawn["frame"] = "".join(
            _frame(era) for player, era in _tokens(view) if player == view.to_act
        )
    for player, name in enumerate(PLAYERS):
        drawn[name] = _things(player, view)
    for number, (name, letter) in enumerate(zip(SPACE_NAMES, view.cells, strict=True)):
        piece, _ = CELLS[letter]
        hat = view.hats[piece - ELEPHANT][number // NUM_SPACES] if piece >= ELEPHANT else None
        drawn[name] = symbol_of(letter, hat)
    if view.active is not None:
        active = space_name(*view.active)
        drawn[active] = use("active") + drawn[active]
    drawn["arrows"], drawn["marks"] = _draw_events(scene)
    drawn["targets"] = "".join(_targets(scene))
    return {slot: content for slot, content in drawn.items() if content}


#: At these steps the era of the focus is framed.
_STEPS_WITHIN_A_TURN: Final = ("c", "1", "2", "f")


def _tokens(view: View) -> Iterator[tuple[int, int]]:
    """Each focus token on the board: the player and the era."""
    for player, era in enumerate(view.focus):
        if era is not None:
            yield player, era


def _frame(era: int) -> str:
    """A frame around the era of the current turn."""
    (left, top), (right, bottom) = _spot(era, 0), _spot(era, NUM_SPACES - 1)
    out = LAYOUT.tile / 2 + 7
    return (
        f'<rect x="{left - out:g}" y="{top - out:g}" '
        f'width="{right - left + 2 * out:g}" height="{bottom - top + 2 * out:g}" rx="13" '
        f'fill="none" stroke="var(--ink)" stroke-width="1.8"/>'
    )


@lru_cache(256)
def _situation(to_act: str | None, situation: str) -> str:
    """The situation in words, after the hat of the player to act, if there is one."""
    middle = LAYOUT.width / 2
    if to_act is None:
        return draw_text(situation, 11, "ink", middle, LAYOUT.situation, 0.5, 1.4)
    left = middle - length(situation, 11) / 2 - 12
    hat = use(f"{to_act}-hat", left, LAYOUT.situation + 5, scale=1.2)
    return hat + draw_text(situation, 11, "ink", middle + 14, LAYOUT.situation, 0.5, 1.4)


# What is off the board.


@lru_cache(4096)
def _row(
    glyph: str, x: float, y: float, pitch: float, scale: float, there: int, places: int
) -> str:
    """Glyphs in a row: solid ones for those present, faint ones for those missing."""
    return "".join(
        use(glyph, x + pitch * number, y, scale=scale, opacity=1 if number < there else 0.16)
        for number in range(max(there, places))
    )


def _things(player: int, view: View) -> str:
    """A player's name, power, supply of copies, statue to build and hats at hand."""
    name = PLAYERS[player]
    left = _COLUMNS[2 * player] - (WIDTH * LAYOUT.pitch - 4) / 2
    drawn = [draw_text(name, 9, "ink", left, LAYOUT.players, 0, 1.4)]
    power = view.powers[player]
    if power is not None:
        at = left + length(name, 9) + 14
        spent = view.spent[player]
        drawn.append(draw_text(power, 9, "faint" if spent else "active-ink", at, LAYOUT.players))
        if spent:
            drawn.append(strike_out(power, 9, at, LAYOUT.players))
    drawn.append(
        _row(
            f"{name}-copy", left + 10, LAYOUT.things, 27, 0.56, view.supply[player], SUPPLY_AT_START
        )
    )
    if _INFLUENCE in view.chapters:
        drawn.append(
            _row(f"{name}-statue", left + 241, LAYOUT.things, 0, 0.56, int(view.unbuilt[player]), 1)
        )
    if _MEMORY in view.chapters:
        at_hand = HATS_EACH - sum(hats.count(player) for hats in view.hats)
        drawn.append(
            _row(f"{name}-hat", left + 182, LAYOUT.players + 4, 29, 0.9, at_hand, HATS_EACH)
        )
    return "".join(drawn)


#: What grows, by glyph, each with its letters on the board.
GROWTH_PIECES: Final = {
    "seed": [letter for letter, (_, seed) in CELLS.items() if seed],
    "shrub": [letter for letter, (piece, _) in CELLS.items() if piece == SHRUB],
    "tree": [
        letter
        for letter, (piece, _) in CELLS.items()
        if piece == TREE or FALLEN <= piece < ELEPHANT
    ],
}


def _draw_middle(view: View) -> str:
    """The powers to draft, or the chapters and the shared growing pieces."""
    middle = _COLUMNS[1]
    if view.revealed:
        return "".join(
            _draw_power(number, power, power in view.powers)
            for number, power in enumerate(view.revealed)
        )
    drawn = [draw_text(" · ".join(view.chapters), 7.5, "faint", middle, LAYOUT.players, 0.5)]
    if _GROWTH in view.chapters:
        for number, (glyph, letters) in enumerate(GROWTH_PIECES.items()):
            left = PIECES_OF_GROWTH - sum(map(view.cells.count, letters))
            x = middle - 88 + 76 * number
            drawn.append(use(glyph, x, LAYOUT.things, scale=0.56, opacity=1 if left else 0.16))
            drawn.append(draw_text(str(left), 9, "ink" if left else "faint", x + 22, LAYOUT.things))
    return "".join(drawn)


def _power_spot(number: int) -> tuple[float, float]:
    """The position of a revealed power, in a grid of two by two."""
    return _COLUMNS[1] - 120 + number % 2 * 134, (LAYOUT.players, LAYOUT.things - 6)[number // 2]


def _draw_power(number: int, power: str, taken: bool) -> str:
    x, y = _power_spot(number)
    drawn = draw_text(str(number + 1), 9, "faint", x, y) + draw_text(
        power, 9, "faint" if taken else "ink", x + 14, y
    )
    return drawn + (strike_out(power, 9, x + 14, y) if taken else "")


# What the last action did.


def _draw_events(scene: Scene[View]) -> tuple[str, str]:
    """The arrows behind the pieces, and the marks in front of them."""
    arrows: list[str] = []
    marks: list[str] = []
    deaths: list[events.Died] = []
    for one in (*scene.earlier, scene):
        for event in one.events:
            if isinstance(event, events.Died):
                deaths.append(event)
            elif isinstance(event, events.Moved) and event.how in _OWN_STEPS:
                arrows.append(_step(event))
            else:
                marks.append(_mark(event, one.view.cells))
        marks.append(_shift(one))
    marks += _deaths(deaths, scene.view.cells)
    return "".join(arrows), "".join(marks)


def _deaths(deaths: Sequence[events.Died], cells: str) -> Iterator[str]:
    """A cross on each space where copies died and, if it is empty now, a faint copy."""
    for number, event in enumerate(deaths):
        x, y = _at(event)
        before = sum(_at(other) == (x, y) for other in deaths[:number])
        if cells[ERAS.index(event.era) * NUM_SPACES + event.space - 1] == _EMPTY and not before:
            yield use(f"{event.player}-copy", x, y, opacity=0.28)
        yield use(f"{event.player}-died", x + 20 - 24 * before, y - 20)


def _at(event: Any) -> tuple[float, float]:
    return _spot(ERAS.index(event.era), event.space - 1)


def _beside(space: int, direction: str) -> tuple[int, bool]:
    """The space beside another, both from 0, and whether it is at the other end of the line."""
    beside = int(NEIGHBOUR[DIRECTIONS.index(direction), space])
    return (space + _ACROSS[direction], True) if beside == NOWHERE else (beside, False)


_ACROSS: Final = {"north": 12, "east": -3, "south": -12, "west": 3}
#: For each step from space to space, both from 1: the rotation of an arrow that points east, and
#: whether it goes around the edge.
_STEPS: Final = {
    (space + 1, to + 1): (TURNED[direction], around)
    for direction in DIRECTIONS
    for space in range(NUM_SPACES)
    for to, around in [_beside(space, direction)]
}


def _step(event: events.Moved) -> str:
    x, y = _at(event)
    turn, around = _STEPS[event.space, event.to]
    if not around:
        return use("step", x, y, turn=turn)
    return use("step-out", x, y, turn=turn) + use(
        "step-in", *_spot(ERAS.index(event.era), event.to - 1), turn=turn
    )


#: The ways in which copies and elephants move on their own.
_OWN_STEPS: Final = ("walked", "commanded")
#: The glyphs that mark events; those of steps stand between the space that a piece left and the one
#: that it entered.
_MARKS: Final[dict[type[Event], str]] = {
    events.Moved: "shove",
    events.Toppled: "shove",
    events.Exchanged: "swap",
    events.Copied: "appear",
    events.Planted: "appear",
    events.Grew: "appear",
    events.Built: "appear",
    events.Removed: "vanish",
    events.Returned: "returned",
    events.Trained: "appear",
    events.Untrained: "untrained",
}


def _mark(event: Any, cells: str) -> str:
    """The mark of an event other than a death.

    ``cells`` are the letters of all spaces after the event.
    """
    era = ERAS.index(event.era)
    if isinstance(event, events.Travelled):
        (x, y), (to, _) = _at(event), _spot(ERAS.index(event.to), event.space - 1)
        return bow(x, to, y - 20, height=62, aside=15)
    glyph = _MARKS[type(event)]
    if isinstance(event, (events.Trained, events.Untrained)):
        first = era * NUM_SPACES
        return use(
            glyph, *_spot(era, cells.index(_ELEPHANT_LETTERS[event.elephant], first) - first)
        )
    if isinstance(event, (events.Moved, events.Toppled, events.Exchanged)):
        turn, around = _STEPS[event.space, event.to]
        return use("step-out" if around else glyph, *_at(event), turn=turn)
    return use(glyph, *_at(event))


def _shift(scene: Scene[View]) -> str:
    """An arrow from a focus token's previous era to its current one."""
    if scene.before is None:
        return ""
    for player, (before, after) in enumerate(
        zip(scene.before.focus, scene.view.focus, strict=True)
    ):
        if before is not None and after is not None and before != after:
            x, y = _token_spot(player, before)
            return bow(x, _token_spot(player, after)[0], y - 15, height=34, aside=5)
    return ""


# Legal targets.


def place_of(action: str, view: View) -> str | None:
    """The place on the drawing that a legal action leads to.

    Args:
        action: the action's name.
        view: the position before it.

    Returns:
        A space such as "N7", an era's name, a revealed power's number, or None.
    """
    verb, *rest = action.split(" ")
    focus = view.focus[view.to_act]
    if verb == "choose" and focus is not None:
        return space_name(focus, int(rest[0]) - 1)
    if verb in ("focus", "draft"):
        return rest[0]
    if view.active is None or not rest:
        return None
    era, space = view.active
    if verb == "travel":
        far = 2 if "far" in rest else 1
        era += far if rest[0] == "forward" else -far
    elif verb in ("train", "command"):
        space = view.era(era).index(_ELEPHANT_LETTERS[rest.pop(0)])
    if rest and rest[0] in DIRECTIONS:
        space, _ = _beside(space, rest[0])
    return space_name(era, space)


def box_of(place: str) -> tuple[float, float, float, float]:
    """The rectangle of a place on the drawing: left, top, width and height.

    An era's is its whole board with its name.
    """
    pitch = LAYOUT.pitch
    if place in _SPOTS:
        x, y = _SPOTS[place]
        return x - pitch / 2, y - pitch / 2, pitch, pitch
    if place in ERAS:
        left, top = _spot(ERAS.index(place), 0)
        height = WIDTH * pitch + top - pitch / 2 - LAYOUT.names + 18
        return left - pitch / 2, LAYOUT.names - 18, WIDTH * pitch, height
    x, y = _power_spot(int(place) - 1)
    return x - 20, y - 12, 130, 24


def _targets(scene: Scene[View]) -> Iterator[str]:
    """A mark for each place that a legal action leads to."""
    for place in dict.fromkeys(place_of(name, scene.view) for name in scene.legal):
        if place in _SPOTS:
            glyph = (
                "target" if scene.view.cells[SPACE_NAMES.index(place)] == _EMPTY else "target-piece"
            )
            yield use(glyph, *_SPOTS[place])
        elif place in ERAS:
            era = ERAS.index(place)
            half = length(place, 12) / 2 + 10
            yield (
                f'<rect x="{_COLUMNS[era] - half:.5g}" y="{LAYOUT.names - 14:g}" '
                f'width="{2 * half:.5g}" height="28" rx="14" '
                'fill="none" stroke="var(--target)" stroke-width="2.6"/>'
            )
        elif place is not None:
            x, y = _power_spot(int(place) - 1)
            yield use("target", x - 14, y, scale=0.7)
