"""*Terminus* as people play it."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from types import MappingProxyType
from typing import Final

from tkm_env.foundations.message import Message, joined
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
    span,
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
        Thing(
            Message("green frame"),
            Message("A card that can be played, swapped or frozen."),
            use("target"),
        ),
        Thing(
            Message("green dot"), Message("Where a card's right-hand era can go."), use("target")
        ),
        Thing(
            Message("shield below a card"),
            Message("The player who played it last turn. The opponent may not cover all of it."),
            use("red-shield"),
        ),
        Thing(
            Message("snowflake"),
            Message("A frozen card, which its owner can play at any time."),
            use("frozen"),
        ),
    )
    styles = _STYLES
    variables = MappingProxyType({**dict.fromkeys(RANKS, "rank"), "left": "end", "right": "end"})

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
            Message("the timeline"),
            Message("All eras that can be seen."),
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
                [cells] if (cells := [*_hand_cells(view, player)]) else [],
                cards=True,
            )
            for number, player in enumerate(PLAYERS)
        ]
        return [timeline, *hands]

    def sides(self, game: TerminusGame) -> Sequence[SidePanel]:
        view = view_of(game)
        label = Message("approach of Terminus", "approaches of Terminus", count=view.approaches)
        tip = Message(
            "{where} It counts {number}. The third A makes it count 0.",
            where=TERMINUS_TIPS[view.terminus],
            number=view.terminus_number,
        )
        deck = Thing(
            Message("in the deck"),
            Message("Cards left to draw. Their order is hidden."),
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
    return span(view, words[-1])


def _timeline_cells(view: PublicView) -> Iterator[Cell]:
    """The places of the timeline, including those beyond its ends."""
    length = len(view.eras)
    at_end = Message("A card can be played directly at this end.")
    yield Cell("left", Message("left end"), at_end, *box_of("left", view))
    for number, letter in enumerate(view.eras, 1):
        yield Cell(
            str(number),
            Message("era {number}: {era}", number=number, era=ERA_NAMES[letter]),
            ERA_TIPS[letter],
            *box_of(str(number), view),
        )
    for number in (length + 1, length + 2):
        yield Cell(
            str(number),
            Message("beyond era {number}", number=length),
            Message("A card can hang over the end."),
            *box_of(str(number), view),
        )
    yield Cell("right", Message("right end"), at_end, *box_of("right", view))


def _hand_label(view: PublicView, player: str) -> str:
    return Message(
        "{player}'s hand; {count} visible victory",
        "{player}'s hand; {count} visible victories",
        player=player,
        count=view.victories[player],
    )


def _hand_cells(view: PublicView, player: str) -> Iterator[Cell]:
    for rank, held in zip(RANKS, view.hands[player], strict=False):
        place = f"{player} {rank}"
        eras = joined(
            ", ",
            [
                *(ERA_NAMES[letter] for letter in held.eras),
                *([Message("frozen")] if held.frozen else []),
            ],
        )
        yield Cell(
            place,
            Message(
                "{player}'s {card}: {eras}", player=player, card=card_name(held.card), eras=eras
            ),
            _card_tip(view, held),
            *box_of(place, view),
        )


def _card_tip(view: PublicView, held: HandCard) -> str:
    if held.frozen:
        return Message("Frozen: its owner can play it at any time.")
    if held.card == TERMINUS:
        return Message("It counts {number}. Playing it ends the game.", number=view.terminus_number)
    return Message("Of your unfrozen cards you play the one with the lowest number.")


ADAPTER: Final = TerminusAdapter()
