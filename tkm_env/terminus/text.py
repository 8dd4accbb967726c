"""The timeline and both hands as text. Reads a `TerminusGame`; imports nothing else of the package but names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tkm_env.terminus.engine.actions import ACTIONS, RANKS
from tkm_env.terminus.engine.state import ERAS, PLAYERS, TERMINUS_CARD

if TYPE_CHECKING:
    from tkm_env.terminus.game import TerminusGame

__all__ = ["deck_text", "draw", "faces_in_hand", "situation"]

_CELL_WIDTH: Final = 3
_NAMES: Final = {era.letter: era.name for era in ERAS}


def draw(game: TerminusGame) -> str:
    """Text of several lines: whose step it is, the timeline with each era's place and card, hands, deck, the last action.

    >>> from tkm_env.terminus.game import TerminusGame
    >>> print(draw(TerminusGame(seed=1)))
    turn 1: red to play a card
    place  1  2  3
     era   .  I  .
    card   1  1  1
    red: first 2 R.G, second 6 RAB, third 11 RAB
    blue: first 4 RF., second 9 BR., third 17 RFB
    visible victories: red 0, blue 0; A played: 0; deck: 10 cards
    . empty, R red victory, B blue victory, G grow, F freeze, A terminus approaches, I impetus
    """
    timeline, _, step, hands, _, _, turn, _ = game.position.split(" ")
    state = game.state[0]
    runs = [run.split(":") for run in timeline.split("|")]
    eras = "".join(visible for _, visible in runs)
    cards = [name for name, visible in runs for _ in visible]
    lines = [
        f"turn {turn}: {situation(game, step)}",
        _row("place", [str(number) for number in range(1, len(eras) + 1)]),
        _row(" era", list(eras)),
        _row("card", cards),
    ]
    lines += [f"{player}: {_hand(game, hand)}" for player, hand in zip(PLAYERS, hands.split("/"), strict=True)]
    victories = ", ".join(f"{player} {count}" for player, count in game.victories.items())
    lines.append(f"visible victories: {victories}; A played: {state.approached}; deck: {deck_text(game)}")
    shown = dict.fromkeys(eras + "".join(lines[4:6]))
    lines.append(", ".join(f"{letter} {name}" for letter, name in _NAMES.items() if letter in shown and letter.strip()))
    if game.history:
        lines.append(f"last action: {ACTIONS[game.history[-1]]}")
    return "\n".join(line.rstrip() for line in lines)


def situation(game: TerminusGame, step: str) -> str:
    """Who is to do what, or how the game ended; ``step`` is that field of the position."""
    if game.winner is not None:
        return f"over, {game.winner} won"
    if step == "p":
        return f"{game.to_act} to play a card"
    return f"{game.to_act} may resolve {', '.join(_NAMES[letter] for letter in step)}"


def faces_in_hand(game: TerminusGame, hand: str) -> list[tuple[str, str, bool]]:
    """Of each card in that part of the position: its name, its eras, and whether it is frozen."""
    deck = game.config.deck
    assert isinstance(deck, tuple)
    names = [] if hand == "-" else hand.split(",")
    numbers = [name.removesuffix("*") for name in names]
    return [
        ("Terminus", "TTT", False) if number == "T" else (number, deck[int(number) - 1], name.endswith("*"))
        for name, number in zip(names, numbers, strict=True)
    ]


def deck_text(game: TerminusGame) -> str:
    """How many cards the deck holds, and whether Terminus is one of them."""
    state = game.state[0]
    terminus = ", Terminus among them" if (state.deck == TERMINUS_CARD).any() else ""
    return f"{state.deck_size} cards{terminus}"


def _row(head: str, cells: list[str]) -> str:
    return f"{head:5}" + "".join(cell.rjust(_CELL_WIDTH) for cell in cells)


def _hand(game: TerminusGame, hand: str) -> str:
    cards = zip(RANKS, faces_in_hand(game, hand), strict=False)
    return ", ".join(_card(rank, *card) for rank, card in cards) or "no cards"


def _card(rank: str, name: str, eras: str, frozen: bool) -> str:
    shown = name if name == "Terminus" else f"{name} {eras}"
    return f"{rank} {shown}{' frozen' if frozen else ''}"
