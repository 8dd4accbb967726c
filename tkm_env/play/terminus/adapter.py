"""*Terminus* as people play it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.render.svg import box_of, card_of, place_of, preview_of
from tkm_env.games.terminus.rulebook_text import GOAL
from tkm_env.games.terminus.view import (
    ERA_NAMES,
    TERMINUS,
    HandCard,
    PublicView,
    card_name,
    over,
    view_of,
)
from tkm_env.play.adapter import Board, Cell, Choice, PlayAdapter, SidePanel, Thing
from tkm_env.play.exercises import Exercise, read_exercises
from tkm_env.play.terminus.tooltips import ERA_TIPS, NEXT, RULES, TERMINUS_TIPS
from tkm_env.render.shapes import use
from tkm_env.text.terminus import TerminusWords, effect_of, label_of

_STYLES: Final = MappingProxyType(
    {
        "^turn .*": "bold",
        r"(?m)(?<=\s)R(?=\s|$)|\bred\b": "bold red",
        r"(?m)(?<=\s)B(?=\s|$)|\bblue\b": "bold blue",
        r"(?m)(?<=\s)[GFS](?=\s|$)": "green",
        r"(?m)(?<=\s)[AIT](?=\s|$)": "yellow",
        r"(?m)(?<=\s)\.(?=\s|$)": "dim",
    }
)


class TerminusAdapter(TerminusWords, PlayAdapter[TerminusGame]):
    """Headings, places and tooltips of *Terminus*.

    Cards are drawn when a turn ends, so every action within a turn can be undone.
    """

    rules = (*GOAL, *RULES)
    goal = GOAL[-1]
    marks = (
        Thing("green frame", "A card that can be played, swapped or frozen.", use("target")),
        Thing("green dot", "Where a card's right-hand era can go.", use("target")),
        Thing(
            "shield below a card",
            "The player who played it last turn. The opponent may not cover all of it.",
            use("red-shield"),
        ),
        Thing("snowflake", "A frozen card, which its owner can play at any time.", use("frozen")),
    )
    styles = _STYLES

    def view(self, game: TerminusGame) -> PublicView:
        return view_of(game)

    def choice(self, action: str, view: PublicView) -> Choice:
        heading, effect = effect_of(action, view)
        place, card = place_of(action, view.to_act), card_of(action, view.to_act)
        return Choice(
            action,
            heading,
            effect,
            place,
            _where(action, view),
            card,
            preview=preview_of(action, view),
        )

    def boards(self, game: TerminusGame) -> Sequence[Board]:
        """The timeline and the hands; `sides` tells what is drawn between them."""
        view = view_of(game)
        width = game.renderer().canvas.width
        half = width / 2
        timeline = Board(
            "timeline",
            "the timeline",
            "All eras that can be seen.",
            0,
            66,
            width,
            180,
            [[*row] for _, row in groupby(_timeline_cells(view), key=lambda cell: cell.y)],
        )
        hands = [
            Board(
                player,
                _hand_label(view, player),
                "",
                number * half,
                352,
                half,
                132,
                [[*_hand_cells(view, player)]],
                cards=True,
            )
            for number, player in enumerate(PLAYERS)
        ]
        return [timeline, *hands]

    def sides(self, game: TerminusGame) -> Sequence[SidePanel]:
        view = view_of(game)
        label = f"{'approach' if view.approaches == 1 else 'approaches'} of Terminus"
        tip = (
            f"{TERMINUS_TIPS[view.terminus]} It counts {view.terminus_number}. "
            "The third A makes it count 0."
        )
        deck = Thing(
            "in the deck",
            "Cards left to draw. Their order is hidden.",
            use("back", scale=0.7),
            view.deck,
        )
        common = SidePanel("", [deck, Thing(label, tip, use("approached"), view.approaches)])
        return [*(SidePanel(player, ()) for player in PLAYERS), common]

    def exercises(self) -> Mapping[str, Sequence[Exercise]]:
        return read_exercises(__package__)

    def what_next(self, game: TerminusGame) -> str:
        return NEXT["play" if game.step_text == "p" else "events"]


def _where(action: str, view: PublicView) -> str:
    """What an action's button says below its heading, such as "left end" or "eras 3 to 5"."""
    verb, *words = action.split(" ")
    if verb not in ("play", "grow"):
        return label_of(action, view)
    return over(view, words[-1]).removeprefix("at the ").removeprefix("over ")


def _timeline_cells(view: PublicView) -> Iterator[Cell]:
    """The places of the timeline, including those beyond its ends."""
    length = len(view.eras)
    yield Cell(
        "left", "left end", "A card can be played directly at this end.", *box_of("left", view)
    )
    for number, letter in enumerate(view.eras, 1):
        yield Cell(
            str(number),
            f"era {number}: {ERA_NAMES[letter]}",
            ERA_TIPS[letter],
            *box_of(str(number), view),
        )
    for number in (length + 1, length + 2):
        yield Cell(
            str(number),
            f"beyond era {length}",
            "A card can hang over the end.",
            *box_of(str(number), view),
        )
    yield Cell(
        "right", "right end", "A card can be played directly at this end.", *box_of("right", view)
    )


def _hand_label(view: PublicView, player: str) -> str:
    count = view.victories[player]
    return f"{player}'s hand; {count} visible {'victory' if count == 1 else 'victories'}"


def _hand_cells(view: PublicView, player: str) -> Iterator[Cell]:
    for rank, held in zip(RANKS, view.hands[player], strict=False):
        place = f"{player} {rank}"
        eras = ", ".join(ERA_NAMES[letter] for letter in held.eras) + (
            ", frozen" if held.frozen else ""
        )
        yield Cell(
            place,
            f"{player}'s {card_name(held.card)}: {eras}",
            _card_tip(view, held),
            *box_of(place, view),
        )


def _card_tip(view: PublicView, held: HandCard) -> str:
    if held.frozen:
        return "Frozen: its owner can play it at any time."
    if held.card == TERMINUS:
        return f"It counts {view.terminus_number}. Playing it ends the game."
    return "Of your unfrozen cards you play the one with the lowest number."


ADAPTER: Final = TerminusAdapter()
