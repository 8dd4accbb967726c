"""The timeline and both hands as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tkm_env.games.terminus.engine.actions import ACTIONS, RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.view import ERA_NAMES, TERMINUS, HandCard, view_of

if TYPE_CHECKING:
    from tkm_env.games.terminus.game import TerminusGame

_CELL_WIDTH: Final = 3


def draw(game: TerminusGame) -> str:
    """Several lines of text.

    They say whose step it is, and show the timeline with each era's place and card, hands, deck and
    the last action.
    """
    view = view_of(game)
    eras = view.eras
    lines = [
        f"turn {view.turn}: {view.situation}",
        _row("place", [str(number) for number in range(1, len(eras) + 1)]),
        _row(" era", list(eras)),
        _row("card", [run.card for run in view.timeline for _ in run.eras]),
    ]
    for player in PLAYERS:
        hand = [
            f"{rank} {_card(held)}" for rank, held in zip(RANKS, view.hands[player], strict=False)
        ]
        lines.append(f"{player}: {', '.join(hand) or 'no cards'}")
    victories = ", ".join(f"{player} {count}" for player, count in view.victories.items())
    among = ", Terminus among them" if view.terminus == "deck" else ""
    lines.append(
        f"visible victories: {victories}; A played: {view.approaches}; "
        f"deck: {view.deck} cards{among}"
    )
    shown = dict.fromkeys(eras + "".join(lines[4:6]))
    lines.append(
        ", ".join(
            f"{letter} {name}"
            for letter, name in ERA_NAMES.items()
            if letter in shown and letter.strip()
        )
    )
    if game.history:
        lines.append(f"last action: {ACTIONS[game.history[-1]]}")
    return "\n".join(line.rstrip() for line in lines)


def _row(head: str, cells: list[str]) -> str:
    return f"{head:5}" + "".join(cell.rjust(_CELL_WIDTH) for cell in cells)


def _card(held: HandCard) -> str:
    return ("Terminus" if held.card == TERMINUS else f"{held.card} {held.eras}") + (
        " frozen" if held.frozen else ""
    )
