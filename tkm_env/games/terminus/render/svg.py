"""The drawing of Terminus: `parts` turns what both players see into the slots of `CANVAS`.

The glyphs and colours are those of ``glyphs.svg``. An era is 60 wide, and its middle is the origin
of every glyph.
"""

from collections.abc import Iterator
from itertools import accumulate
from typing import Final, NamedTuple

from tkm_env.foundations.files import packaged_text
from tkm_env.foundations.message import joined
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import CARD_WIDTH, HAND_SIZE, PLAYERS
from tkm_env.games.terminus.view import TERMINUS, PublicView
from tkm_env.render.canvas import Canvas, Scene, themes_in
from tkm_env.render.shapes import DrawnText, box, definitions, draw_text, length, use

_SHEET: Final = packaged_text(__package__, "glyphs.svg")
#: The definitions of all glyphs.
GLYPHS: Final = definitions(_SHEET)
#: The colours by name, in each theme.
THEMES: Final = themes_in(_SHEET)

#: The glyph of each era by its letter.
ERA_GLYPHS: Final = {
    ".": "empty-era",
    "R": "red-shield",
    "B": "blue-shield",
    "G": "grow-era",
    "F": "freeze-era",
    "S": "swap-era",
    "A": "approaches-era",
    "I": "impetus-era",
    "T": "terminus-era",
}


class TimelineLayout(NamedTuple):
    """Positions and sizes, in units of the drawing."""

    width: float = 924
    height: float = 508
    margin: float = 40
    #: The maximum width of an era of the timeline, and the timeline's vertical middle.
    era: float = 58
    timeline: float = 156
    #: The width below which eras are hard to read: a timeline that would need it has two rows.
    wrapped: float = 47
    #: An era of a hand's cards, and the space between cards.
    held: float = 42
    gap: float = 12
    #: Vertical positions: the line of text, the row beside the timeline, the players, their hands.
    situation: float = 34
    beside: float = 304
    players: float = 380
    hands: float = 434


LAYOUT: Final = TimelineLayout()

_ERA: Final = 60
_HALF_CARD: Final = CARD_WIDTH * LAYOUT.held / 2
_MIDDLE: Final = LAYOUT.width / 2
_DECK_HEADINGS: Final = {"aside": "terminus beside the deck", "deck": "terminus in the deck"}
#: How many `A` have an effect when played.
_APPROACHES: Final = 3

#: What all drawings have in common.
CANVAS: Final = Canvas(
    LAYOUT.width,
    LAYOUT.height,
    GLYPHS,
    f'<rect width="{LAYOUT.width:g}" height="{LAYOUT.height:g}" rx="14" fill="var(--ground)"/>'
    f'<path d="M{LAYOUT.margin:g} {LAYOUT.players - 26:g}H{LAYOUT.width - LAYOUT.margin:g}" '
    'stroke="var(--rule)" stroke-width="1.4"/>',
    dict.fromkeys(
        (
            "turn",
            "situation",
            "action",
            "places",
            "timeline",
            "approached",
            "deck",
            *PLAYERS,
            "marks",
            "targets",
        ),
        "",
    ),
    THEMES,
)


def icon_of(player: str) -> str:
    """A player's symbol: a shield."""
    return use(f"{player}-shield")


def parts(scene: Scene[PublicView]) -> dict[str, str]:
    """The content of each non-empty slot."""
    view = scene.view
    drawn = {
        "turn": draw_text(f"turn {view.turn}", 9, "faint", LAYOUT.margin, LAYOUT.situation),
        "situation": _situation(view),
        "action": draw_text(
            scene.action, 9, "mark", LAYOUT.width - LAYOUT.margin, LAYOUT.situation, 1
        )
        if scene.action
        else "",
        "places": "".join(_numbers(view)),
        "timeline": "".join(_timeline(view)),
        "approached": "".join(_draw_approaches(view)),
        "deck": "".join(_deck(view)),
        **{player: joined("", _hand(view, player)) for player in PLAYERS},
        "marks": "".join(_marks(scene)),
        "targets": "".join(_targets(scene)),
    }
    return {slot: content for slot, content in drawn.items() if content}


# Positions.


class _Row(NamedTuple):
    """A row of the timeline: its first and last column, and its vertical middle."""

    first: int
    last: int
    middle: float


class _Timeline(NamedTuple):
    """Where the eras of a timeline lie; columns continue beyond both ends."""

    rows: tuple[_Row, ...]
    scale: float

    @property
    def above(self) -> float:
        """How far above the middle of a row its numbers are."""
        return 44 * self.scale + 4

    def row(self, number: int) -> _Row:
        """The row of an era, counted from 1."""
        return next(row for row in self.rows if number <= row.last)

    def column(self, number: float, row: _Row) -> float:
        """The middle of an era in a row; of several, the middle between their numbers."""
        return _MIDDLE + (number - (row.first + row.last) / 2) * _ERA * self.scale

    def spot(self, number: int) -> tuple[float, float]:
        """The middle of an era."""
        row = self.row(number)
        return self.column(number, row), row.middle


def _lay_out(view: PublicView) -> _Timeline:
    """The timeline with room for a card beyond each end.

    One that is too long for a row continues in a second one, behind the card nearest its middle.
    """
    first, last = 1 - CARD_WIDTH, len(view.eras) + CARD_WIDTH
    room = LAYOUT.width - LAYOUT.margin
    largest, columns = LAYOUT.era, [(first, last)]
    if room / (last - first + 1) < LAYOUT.wrapped:
        ends = accumulate(len(run.eras) for run in view.timeline[:-1])
        end = min(ends, key=lambda end: abs((end - first) - (last - end)))
        largest, columns = LAYOUT.wrapped, [(first, end), (end + 1, last)]
    scale = min(largest, room / max(end - start + 1 for start, end in columns)) / _ERA
    # From the marks above a row to the names below it.
    height = 78 * scale + 29
    top = LAYOUT.timeline - len(columns) * height / 2 + 44 * scale + 14
    return _Timeline(
        tuple(_Row(*both, top + number * height) for number, both in enumerate(columns)), scale
    )


def _card_spot(player: str, rank: int) -> tuple[float, float]:
    """The middle of a card in a hand: red's hand starts at the left, blue's ends at the right."""
    pitch = 2 * _HALF_CARD + LAYOUT.gap
    first = LAYOUT.margin + _HALF_CARD
    if player != PLAYERS[0]:
        first = LAYOUT.width - first - (HAND_SIZE - 1) * pitch
    return first + rank * pitch, LAYOUT.hands


# Pieces.


def _card(eras: str, name: str) -> str:
    """A card, or its visible part; an era is 60 wide, and the origin is in the middle."""
    width = len(eras) * _ERA
    ground = "terminus" if name == TERMINUS else "card"
    path = box(2 - width / 2, -28, width - 4, 56, 8)
    drawn = (
        f'<path d="{path}" fill="var(--{ground})" stroke="var(--{ground}-line)" '
        'stroke-width="1.8"/>'
    )
    return drawn + "".join(
        use(ERA_GLYPHS[letter], (number + 0.5) * _ERA - width / 2)
        for number, letter in enumerate(eras)
    )


def _transform(content: str, x: float, y: float, scale: float) -> str:
    return f'<g transform="translate({x:.5g} {y:.5g})scale({scale:.4g})">{content}</g>'


def _situation(view: PublicView) -> str:
    player = view.winner or view.to_act
    situation, middle = view.situation, _MIDDLE + 14
    shield = use(
        f"{player}-shield", middle - length(situation, 11) / 2 - 22, LAYOUT.situation, scale=0.62
    )
    return shield + draw_text(situation, 11, "ink", middle, LAYOUT.situation, 0.5, 1.4)


def _numbers(view: PublicView) -> Iterator[str]:
    """The numbers of the places above the timeline, and an arrow where a row continues."""
    laid = _lay_out(view)
    height = min(7, 9 * laid.scale)
    for number in range(1, len(view.eras) + 1):
        x, y = laid.spot(number)
        yield draw_text(str(number), height, "faint", x, y - laid.above, 0.5)
    for row in laid.rows[:-1]:
        x = laid.column(row.last + 1, row) - 20 * laid.scale
        yield (
            f'<path d="M{x:.5g} {row.middle - 7:.5g}l7 7-7 7" fill="none" stroke="var(--faint)" '
            'stroke-width="1.8"/>'
        )


def _runs(view: PublicView) -> Iterator[tuple[str, str, float, float]]:
    """The name of each card on the timeline, its visible eras, and their middle."""
    laid = _lay_out(view)
    first = 1
    for run in view.timeline:
        row = laid.row(first)
        yield (run.card, run.eras, laid.column(first + (len(run.eras) - 1) / 2, row), row.middle)
        first += len(run.eras)


def _timeline(view: PublicView) -> Iterator[str]:
    """The cards, each above its number, with a shield on those played in a last turn."""
    scale = _lay_out(view).scale
    height = max(6, 11 * scale)
    for name, eras, x, y in _runs(view):
        yield _transform(_card(eras, name), x, y, scale)
        below = y + 34 * scale + 9
        yield draw_text(name, height, "ink", x, below, 0.5)
        for player, cards in view.fresh.items():
            if name in cards:
                yield use(f"{player}-shield", x - length(name, height) / 2 - 12, below, scale=0.32)


def _draw_approaches(view: PublicView) -> Iterator[str]:
    """An hourglass for each `A` that was played, and faint ones for those still to come."""
    left, y = LAYOUT.margin, LAYOUT.beside
    yield draw_text("terminus approaches", 7.5, "faint", left, y - 46)
    for number in range(max(_APPROACHES, view.approaches)):
        yield use(
            "approached",
            left + 18 + 40 * number,
            y,
            scale=0.62,
            opacity=1 if number < view.approaches else 0.2,
        )


def _deck(view: PublicView) -> Iterator[str]:
    """The deck with its number of cards, and what is beside it.

    That is Terminus, beside the deck or in it, and the events to resolve.
    """
    right, y = LAYOUT.width - LAYOUT.margin - 20, LAYOUT.beside
    yield draw_text(
        _DECK_HEADINGS.get(view.terminus, "deck"),
        7.5,
        "faint",
        LAYOUT.width - LAYOUT.margin,
        y - 46,
        1,
    )
    for number in range(min(view.deck, 4)):
        yield use("back", right - 3 * number, y - 2 * number, scale=0.66)
    if not view.deck:
        yield use("back", right, y, scale=0.66, opacity=0.16)
    yield draw_text(str(view.deck), 14, "ink" if view.deck else "faint", right - 38, y, 1)
    if view.terminus == "aside":
        yield use("stone", right - 96, y, scale=0.66)
    elif view.terminus == "deck":
        yield use("stone", right - 96, y, scale=0.42, opacity=0.55)
    if view.winner is None and view.step != "p":
        for number, letter in enumerate(view.step):
            yield use(
                ERA_GLYPHS[letter], _MIDDLE + 56 * (number - (len(view.step) - 1) / 2), y, scale=0.8
            )


def _hand(view: PublicView, player: str) -> Iterator[str]:
    """A player's name, the number of their visible victories, and their cards with numbers."""
    scale = LAYOUT.held / _ERA
    left = _card_spot(player, 0)[0] - _HALF_CARD
    colour = "active-ink" if player == view.to_act and view.winner is None else "ink"
    yield DrawnText(player, 3, 9, colour, left, LAYOUT.players - 5, 0, 1.4)
    at = left + length(player, 9) + 20
    yield use(f"{player}-shield", at, LAYOUT.players - 5, scale=0.42)
    yield draw_text(str(view.victories[player]), 9, "ink", at + 13, LAYOUT.players - 5)
    for rank, held in enumerate(view.hands[player]):
        x, y = _card_spot(player, rank)
        yield _transform(_card(held.eras, held.card), x, y, scale)
        number = f"terminus · {view.terminus_number}" if held.card == TERMINUS else held.card
        yield draw_text(number, 9, "ink", x, y + 34, 0.5)
        if held.frozen:
            yield use("frozen", x + _HALF_CARD - 3, y - 18, scale=0.4)


# What the last action did.


def _marks(scene: Scene[PublicView]) -> Iterator[str]:
    """A frame around each card that has moved, or has become frozen."""
    if scene.before is None:
        return
    there = {run.card for run in scene.before.timeline}
    scale = _lay_out(scene.view).scale
    for name, eras, x, y in _runs(scene.view):
        if name not in there:
            yield _frame(x, y, len(eras) * _ERA * scale, 58 * scale, "mark")
    for player, hand in scene.view.hands.items():
        for rank, held in enumerate(hand):
            if held not in scene.before.hands[player]:
                yield _frame(*_card_spot(player, rank), 2 * _HALF_CARD, LAYOUT.held, "mark")


def _frame(x: float, y: float, width: float, height: float, colour: str) -> str:
    path = box(x - width / 2 - 3, y - height / 2 - 3, width + 6, height + 6, 8)
    return f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="2.6"/>'


# Legal targets.


def place_of(action: str, to_act: str) -> str | None:
    """The place on the drawing that a legal action leads to.

    Args:
        action: the action's name.
        to_act: the player to act.

    Returns:
        "left", "right", an era's number, a card such as "red first", or None.
    """
    verb, *rest = action.split(" ")
    if verb == "freeze":
        return f"{to_act} {rest[0]}"
    if verb == "swap":
        return f"{PLAYERS[1 - PLAYERS.index(to_act)]} {rest[-1]}"
    return rest[-1] if rest else None


def card_of(action: str, to_act: str) -> str | None:
    """The player's own card that an action places or gives away.

    Args:
        action: the action's name.
        to_act: the player to act.

    Returns:
        A card such as "red first", or None.
    """
    verb, *rest = action.split(" ")
    return f"{to_act} {rest[0]}" if verb in ("play", "grow", "swap") else None


def preview_of(action: str, view: PublicView) -> str:
    """The card that an action places, drawn where it would lie.

    Args:
        action: the action's name.
        view: what both players see before it.

    Returns:
        SVG; nothing for other actions.
    """
    verb, *rest = action.split(" ")
    if verb not in ("play", "grow"):
        return ""
    held = view.hands[view.to_act][RANKS.index(rest[0])]
    eras = held.eras[::-1] if "flipped" in rest else held.eras
    laid, last = _lay_out(view), view.column(rest[-1])
    first = last - CARD_WIDTH + 1
    drawn = []
    # A card over the end of a row continues in the next one.
    for row in laid.rows:
        start, end = max(first, row.first), min(last, row.last)
        if start <= end:
            part = _card(eras[start - first : end - first + 1], held.card)
            x = laid.column((start + end) / 2, row)
            drawn.append(_transform(part, x, row.middle, laid.scale))
    return "".join(drawn)


def box_of(place: str, view: PublicView) -> tuple[float, float, float, float]:
    """The rectangle of a place on the drawing.

    Args:
        place: a place, as `place_of` names it.
        view: what both players see.

    Returns:
        Left, top, width and height; of a card to be played, where its right-hand era goes.
    """
    player, _, rank = place.partition(" ")
    if rank:
        x, y = _card_spot(player, RANKS.index(rank))
        return x - _HALF_CARD, y - 24, 2 * _HALF_CARD, 68
    laid = _lay_out(view)
    (x, y), width = laid.spot(view.column(place)), _ERA * laid.scale
    above = laid.above + 10
    return x - width / 2, y - above, width, above + width / 2


def _targets(scene: Scene[PublicView]) -> Iterator[str]:
    """A mark for each place that a legal action leads to."""
    view, laid = scene.view, _lay_out(scene.view)
    leading = [place(name, view.to_act) for name in scene.legal for place in (place_of, card_of)]
    for place in filter(None, dict.fromkeys(leading)):
        player, _, rank = place.partition(" ")
        if rank:
            yield _frame(
                *_card_spot(player, RANKS.index(rank)), 2 * _HALF_CARD, LAYOUT.held, "target"
            )
            continue
        number = view.column(place)
        x, y = laid.spot(number)
        if not 1 <= number <= len(view.eras):
            yield use("beyond", x, y, scale=laid.scale)
        yield use("target", x, y - laid.above, scale=max(laid.scale, 0.5))
