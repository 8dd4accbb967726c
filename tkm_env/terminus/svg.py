"""The drawing of Terminus: the timeline, what lies beside it, both hands. Imports `seen`, `look`, `render.canvas`, `render.letters`.

`parts` turns a scene into parts for the slots of `CANVAS`; `draw` makes them an SVG document. A scene holds what both players see, so
that nothing hidden can be drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from tkm_env.render.canvas import Canvas, box, definitions, use
from tkm_env.render.letters import length, written
from tkm_env.terminus.engine.actions import ACTIONS, RANKS
from tkm_env.terminus.engine.state import CARD_WIDTH, HAND_SIZE, PLAYERS
from tkm_env.terminus.look import ERA_GLYPHS, GLYPHS, MEASURES, THEMES
from tkm_env.terminus.seen import TERMINUS, Held, Seen, seen_of

if TYPE_CHECKING:
    from tkm_env.terminus.game import TerminusGame

__all__ = ["CANVAS", "Scene", "box_of", "draw", "parts", "place_of", "scene_of"]

_ERA: Final = 60
_HALF_CARD: Final = CARD_WIDTH * MEASURES.held / 2
_MIDDLE: Final = MEASURES.width / 2
_DECK_HEADINGS: Final = {"aside": "terminus beside the deck", "deck": "terminus in the deck"}
#: `A` that mean something when they are played.
_APPROACHES: Final = 3


class Scene(NamedTuple):
    """All that a drawing shows.

    Attributes:
        now: the game.
        action: the name of the last action, if it is to be shown.
        before: the game before it.
        legal: the names of the actions whose targets are to be shown.
    """

    now: Seen
    action: str | None = None
    before: Seen | None = None
    legal: Sequence[str] = ()


def scene_of(game: TerminusGame, *, last: bool = True, legal: bool = False) -> Scene:
    """What a game shows: its position, its last action, the targets of the legal actions."""
    names = tuple(game.legal_names()) if legal else ()
    if not last or not game.history:
        return Scene(seen_of(game), legal=names)
    return Scene(seen_of(game), ACTIONS[game.history[-1]], seen_of(game.at(-1)), names)


#: What all drawings have in common.
CANVAS: Final = Canvas(
    MEASURES.width,
    MEASURES.height,
    definitions(GLYPHS),
    f'<rect width="{MEASURES.width:g}" height="{MEASURES.height:g}" rx="14" fill="var(--ground)"/>'
    f'<path d="M{MEASURES.margin:g} {MEASURES.players - 26:g}H{MEASURES.width - MEASURES.margin:g}" stroke="var(--rule)" '
    'stroke-width="1.4"/>',
    dict.fromkeys(("turn", "situation", "action", "places", "timeline", "approached", "deck", *PLAYERS, "marks", "targets"), ""),
    THEMES,
)


def parts(scene: Scene) -> dict[str, str]:
    """The content of each slot that has any."""
    seen = scene.now
    drawn = {
        "turn": written(f"turn {seen.turn}", 9, "faint", MEASURES.margin, MEASURES.situation),
        "situation": _situation(seen),
        "action": written(scene.action, 9, "mark", MEASURES.width - MEASURES.margin, MEASURES.situation, 1) if scene.action else "",
        "places": "".join(_numbers(seen)),
        "timeline": "".join(_timeline(seen)),
        "approached": "".join(_approached(seen)),
        "deck": "".join(_deck(seen)),
        **{player: "".join(_hand(seen, player)) for player in PLAYERS},
        "marks": "".join(_marks(scene)),
        "targets": "".join(_targets(scene)),
    }
    return {slot: content for slot, content in drawn.items() if content}


# Where things are.


def _scale(seen: Seen) -> float:
    """How large an era of the timeline is drawn: all of them, and a card beyond each end, fit beside each other."""
    return min(MEASURES.era, (MEASURES.width - MEASURES.margin) / (len(seen.eras) + 2 * CARD_WIDTH)) / _ERA


def _column(seen: Seen, number: int) -> float:
    """The middle of an era of the timeline; they count from 1, and the columns go on beyond both ends."""
    return _MIDDLE + (number - (len(seen.eras) + 1) / 2) * _ERA * _scale(seen)


def _card_spot(player: str, rank: int) -> tuple[float, float]:
    """The middle of a card in a hand: red's begin at the left, blue's end at the right."""
    pitch = 2 * _HALF_CARD + MEASURES.gap
    first = MEASURES.margin + _HALF_CARD
    if player != PLAYERS[0]:
        first = MEASURES.width - first - (HAND_SIZE - 1) * pitch
    return first + rank * pitch, MEASURES.hands


# What is there.


def _card(eras: str, name: str) -> str:
    """A card, or what is visible of it; an era is 60 wide, and the middle is the origin."""
    width = len(eras) * _ERA
    ground, line = ("terminus", "terminus-line") if name == TERMINUS else ("card", "card-line")
    drawn = (
        f'<path d="{box(2 - width / 2, -28, width - 4, 56, 8)}" fill="var(--{ground})" stroke="var(--{line})" stroke-width="1.8"/>'
    )
    return drawn + "".join(use(ERA_GLYPHS[letter], (number + 0.5) * _ERA - width / 2) for number, letter in enumerate(eras))


def _placed(content: str, x: float, y: float, scale: float) -> str:
    return f'<g transform="translate({x:.5g} {y:.5g})scale({scale:.4g})">{content}</g>'


def _situation(seen: Seen) -> str:
    player = seen.winner or seen.to_act
    told, middle = seen.situation, _MIDDLE + 14
    shield = use(f"{player}-shield", middle - length(told, 11) / 2 - 22, MEASURES.situation, scale=0.62)
    return shield + written(told, 11, "ink", middle, MEASURES.situation, 0.5, 1.4)


def _numbers(seen: Seen) -> Iterator[str]:
    """The numbers of the places above the timeline."""
    height = min(7, 9 * _scale(seen))
    for number in range(1, len(seen.eras) + 1):
        yield written(str(number), height, "faint", _column(seen, number), _above(seen), 0.5)


def _above(seen: Seen) -> float:
    return MEASURES.timeline - 44 * _scale(seen) - 4


def _runs(seen: Seen) -> Iterator[tuple[str, str, float]]:
    """The name of each card on the timeline, its visible eras, and the middle of these."""
    first = 1
    for run in seen.timeline:
        yield run.card, run.eras, _column(seen, 0) + (first + (len(run.eras) - 1) / 2) * _ERA * _scale(seen)
        first += len(run.eras)


def _timeline(seen: Seen) -> Iterator[str]:
    """The cards, beneath each its number, and a shield where a player played it in their last turn."""
    scale = _scale(seen)
    height = max(6, 11 * scale)
    below = MEASURES.timeline + 34 * scale + 9
    for name, eras, middle in _runs(seen):
        yield _placed(_card(eras, name), middle, MEASURES.timeline, scale)
        yield written(name, height, "ink", middle, below, 0.5)
        for player, cards in seen.fresh.items():
            if name in cards:
                yield use(f"{player}-shield", middle, below + 17, scale=0.32)


def _approached(seen: Seen) -> Iterator[str]:
    """An hourglass for each `A` that was played, faint ones for those that are still to come."""
    left, y = MEASURES.margin, MEASURES.beside
    yield written("terminus approaches", 7.5, "faint", left, y - 46)
    for number in range(max(_APPROACHES, seen.approached)):
        yield use("approached", left + 18 + 40 * number, y, scale=0.62, opacity=1 if number < seen.approached else 0.2)


def _deck(seen: Seen) -> Iterator[str]:
    """The deck with the number of its cards; Terminus lies beside it, or its sign on it; the events that may be resolved."""
    right, y = MEASURES.width - MEASURES.margin - 20, MEASURES.beside
    yield written(_DECK_HEADINGS.get(seen.terminus, "deck"), 7.5, "faint", MEASURES.width - MEASURES.margin, y - 46, 1)
    for number in range(min(seen.deck, 4)):
        yield use("back", right - 3 * number, y - 2 * number, scale=0.66)
    if not seen.deck:
        yield use("back", right, y, scale=0.66, opacity=0.16)
    yield written(str(seen.deck), 14, "ink" if seen.deck else "faint", right - 38, y, 1)
    if seen.terminus == "aside":
        yield use("stone", right - 96, y, scale=0.66)
    elif seen.terminus == "deck":
        yield use("stone", right - 96, y, scale=0.42, opacity=0.55)
    if seen.winner is None and seen.step != "p":
        for number, letter in enumerate(seen.step):
            yield use(ERA_GLYPHS[letter], _MIDDLE + 56 * (number - (len(seen.step) - 1) / 2), y, scale=0.8)


def _hand(seen: Seen, player: str) -> Iterator[str]:
    """A player's name, how many of their victories are visible, and their cards with their numbers."""
    scale = MEASURES.held / _ERA
    left = _card_spot(player, 0)[0] - _HALF_CARD
    colour = "active" if player == seen.to_act and seen.winner is None else "ink"
    yield written(player, 9, colour, left, MEASURES.players - 5, 0, 1.4)
    at = left + length(player, 9) + 20
    yield use(f"{player}-shield", at, MEASURES.players - 5, scale=0.42)
    yield written(str(seen.victories[player]), 9, "ink", at + 13, MEASURES.players - 5)
    for rank, held in enumerate(seen.hands[player]):
        x, y = _card_spot(player, rank)
        yield _placed(_card(held.eras, held.card), x, y, scale)
        yield written(_numbered(seen, held), 9, "ink", x, y + 34, 0.5)
        if held.frozen:
            yield use("frozen", x + _HALF_CARD - 3, y - 18, scale=0.4)


def _numbered(seen: Seen, held: Held) -> str:
    return f"terminus · {seen.terminus_number}" if held.card == TERMINUS else held.card


# What the last action did.


def _marks(scene: Scene) -> Iterator[str]:
    """A frame around each card that lies where it did not lie before, or is frozen now."""
    if scene.before is None:
        return
    there = {run.card for run in scene.before.timeline}
    for name, eras, middle in _runs(scene.now):
        if name not in there:
            yield _frame(middle, MEASURES.timeline, len(eras) * _ERA * _scale(scene.now), 58 * _scale(scene.now), "mark")
    for player, hand in scene.now.hands.items():
        for rank, held in enumerate(hand):
            if held not in scene.before.hands[player]:
                yield _frame(*_card_spot(player, rank), 2 * _HALF_CARD, MEASURES.held, "mark")


def _frame(x: float, y: float, width: float, height: float, colour: str) -> str:
    """A line around what lies there."""
    path = box(x - width / 2 - 3, y - height / 2 - 3, width + 6, height + 6, 8)
    return f'<path d="{path}" fill="none" stroke="var(--{colour})" stroke-width="2.6"/>'


# Legal targets.


def place_of(action: str, to_act: str) -> str | None:
    """To which place an action leads: "left", "right", an era's number, a card such as "red first", or None if it leads nowhere.

    Args:
        action: the name of an action that is legal.
        to_act: who is to take it.

    >>> place_of("play first flipped at 4", "red"), place_of("swap first for third", "red"), place_of("done", "red")
    ('4', 'blue third', None)
    """
    verb, *rest = action.split(" ")
    if verb == "freeze":
        return f"{to_act} {rest[0]}"
    if verb == "swap":
        return f"{PLAYERS[1 - PLAYERS.index(to_act)]} {rest[-1]}"
    return rest[-1] if rest else None


def box_of(place: str, seen: Seen) -> tuple[float, float, float, float]:
    """Where a place lies on the drawing: left, top, width and height. That of a card to be played is where its right-hand era would lie."""
    player, _, rank = place.partition(" ")
    if rank:
        x, y = _card_spot(player, RANKS.index(rank))
        return x - _HALF_CARD, y - 24, 2 * _HALF_CARD, 68
    width = _ERA * _scale(seen)
    top = _above(seen) - 10
    return _column(seen, seen.column(place)) - width / 2, top, width, MEASURES.timeline + width / 2 - top


def _targets(scene: Scene) -> Iterator[str]:
    """A mark for each place to which a legal action leads."""
    seen = scene.now
    for place in dict.fromkeys(place_of(name, seen.to_act) for name in scene.legal):
        if place is None:
            continue
        player, _, rank = place.partition(" ")
        if rank:
            yield _frame(*_card_spot(player, RANKS.index(rank)), 2 * _HALF_CARD, MEASURES.held, "target")
            continue
        number = seen.column(place)
        x, scale = _column(seen, number), _scale(seen)
        if not 1 <= number <= len(seen.eras):
            yield use("beyond", x, MEASURES.timeline, scale=scale)
        yield use("target", x, _above(seen), scale=max(scale, 0.5))


def draw(game: TerminusGame, *, size: int | None = None, theme: str = "light", last: bool = True, legal: bool = False) -> str:
    """The drawing of a game as an SVG document; see `tkm_env.TerminusGame.svg`."""
    scene = scene_of(game, last=last, legal=legal)
    seen = scene.now
    title = f"turn {seen.turn}: {seen.situation}" + (f"; last action: {scene.action}" if scene.action else "")
    return CANVAS.document(parts(scene), size=size, theme=theme, title=title, description=seen.position)
