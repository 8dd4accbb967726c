"""*Terminus* as people play it."""

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from tkm_env.core.rulebook_text import RulesSection
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.render.svg import box_of, card_of, place_of, preview_of
from tkm_env.games.terminus.rulebook_text import GOAL, TERMS, notation_for
from tkm_env.games.terminus.view import (
    ERA_NAMES,
    TERMINUS,
    HandCard,
    PublicView,
    card_name,
    over,
    plies,
    view_of,
)
from tkm_env.play.adapter import Board, Cell, Choice, LogEntry, PlayAdapter, SidePanel, Thing
from tkm_env.play.tasks import Task, read_tasks
from tkm_env.play.terminus.tooltips import ERA_TIPS, NEXT, RULES, TERMINUS_TIPS
from tkm_env.render.shapes import use

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


class TerminusAdapter(PlayAdapter[TerminusGame]):
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
            "Who played it last turn. The opponent may not cover all of it.",
            use("red-shield"),
        ),
        Thing("snowflake", "A frozen card, which its owner can play at any time.", use("frozen")),
    )
    styles = _STYLES
    terms = TERMS

    def view(self, game: TerminusGame) -> PublicView:
        return view_of(game)

    def choice(self, action: str, view: PublicView) -> Choice:
        heading, effect = _describe(action, view)
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
        """The timeline and the hands; what is drawn between them is told by `sides`."""
        view = view_of(game)
        width, half = game.canvas.width, game.canvas.width / 2
        timeline = Board(
            "timeline",
            "the timeline",
            "All eras that can be seen.",
            0,
            66,
            width,
            134,
            [[*_timeline_cells(view)]],
        )
        hands = [
            Board(
                player,
                _hand_label(view, player),
                "",
                number * half,
                306,
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
        tip = f"{TERMINUS_TIPS[view.terminus]} It counts {view.terminus_number}. The third A makes it count 0."
        deck = Thing(
            "in the deck",
            "Cards left to draw. Their order is hidden.",
            use("back", scale=0.7),
            view.deck,
        )
        common = SidePanel("", [deck, Thing(label, tip, use("approached"), view.approaches)])
        return [*(SidePanel(player, ()) for player in PLAYERS), common]

    def ending(self, game: TerminusGame) -> str:
        """Why a game ended: who has how many victories."""
        view = view_of(game)
        if view.winner is None:
            return ""
        counts = ", ".join(f"{player} {count}" for player, count in view.victories.items())
        tie = (
            " On a tie, whoever played Terminus loses."
            if len({*view.victories.values()}) == 1
            else ""
        )
        return f"Terminus was played. Visible victories: {counts}.{tie}"

    def notation_for(self, game: TerminusGame | None) -> Sequence[RulesSection]:
        return notation_for(TerminusGame.default_config if game is None else game.config)

    def tasks(self) -> Mapping[str, Sequence[Task]]:
        return read_tasks(__package__)

    def what_next(self, game: TerminusGame) -> str:
        return NEXT["play" if game.step_text == "p" else "events"]

    def log(self, game: TerminusGame) -> list[LogEntry]:
        """All actions so far, labelled like their buttons."""
        entries = []
        for ply in plies(game):
            label = _label(ply.action, ply.before)
            entries.append(
                LogEntry(
                    ply.before.turn,
                    ply.before.to_act,
                    ply.action,
                    "; ".join(ply.consequences),
                    label=label,
                )
            )
        return entries


def _where(action: str, view: PublicView) -> str:
    """What an action's button says below its heading: "left end", "eras 3 to 5"."""
    verb, *words = action.split(" ")
    if verb not in ("play", "grow"):
        return _label(action, view)
    return over(view, words[-1]).removeprefix("at the ").removeprefix("over ")


def _label(action: str, view: PublicView) -> str:
    """What the log calls an action: "card 7, flipped, over eras 3 to 5"."""
    verb, *words = action.split(" ")
    if verb == "done":
        return "go on"
    card = card_name(view.hands[view.to_act][RANKS.index(words[0])].card)
    if verb in ("play", "grow"):
        return f"{card}{', flipped,' if 'flipped' in words else ''} {over(view, words[-1])}"
    return f"{verb} {_describe(action, view)[1]}" if verb == "swap" else f"freeze {card}"


def _describe(name: str, view: PublicView) -> tuple[str, str]:
    """The heading under which an action is listed, and what it does."""
    verb, *words = name.split(" ")
    if verb == "done":
        return "Go on", "skip the remaining events, and draw"
    held = view.hands[view.to_act][RANKS.index(words[0])]
    card = card_name(held.card)
    if verb == "freeze":
        return "Freeze a card", f"{card} can be played at any time"
    if verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(view.to_act)]
        return (
            "Swap cards",
            f"{card} for {card_name(view.hands[other][RANKS.index(words[-1])].card)}",
        )
    is_flipped = "flipped" in words
    shown = ", ".join(
        ERA_NAMES[letter] for letter in (held.eras[::-1] if is_flipped else held.eras)
    )
    return (
        f"{verb.capitalize()} {card}{' flipped' if is_flipped else ''}: {shown}",
        f"{card} as {shown}",
    )


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
