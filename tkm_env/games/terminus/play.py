"""*Terminus* as people play it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Final

from tkm_env.core.rules import Section
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import PLAYERS
from tkm_env.games.terminus.game import TerminusGame
from tkm_env.games.terminus.render.replay import called, plies
from tkm_env.games.terminus.render.svg import box_of, place_of
from tkm_env.games.terminus.rules import rules_for
from tkm_env.games.terminus.view import PublicView, view_of
from tkm_env.play.adapter import LogEntry, PlayAdapter

__all__ = ["ADAPTER", "TerminusAdapter"]

_RULES: Final = (
    "Two empires, red and blue, write one row of eras. When Terminus is played, the game is over: the player with more visible eras of "
    "their colour wins, and on a tie the player who played Terminus loses.",
    "A turn: play a card, resolve the special events that it covered, draw up to three cards.",
    "You play your card with the lowest number, as it is or flipped: over one to three eras, or directly at an end. It may not cover A or "
    "I, nor all three eras of a card that your opponent has just played.",
    "Grow: play another card at an end. Freeze: one of your cards can be played whenever you like. Swap: exchange a card with your "
    "opponent. You may skip any of them.",
    "The second A that is played shuffles Terminus into the deck. Terminus counts 18; from the third A on it counts 0.",
)


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
    """*Terminus* as people play it. Cards are drawn when a turn ends, so within a turn every action can be undone.

    >>> ADAPTER.choices(TerminusGame(seed=1))[0]
    Choice(name='play first at left', group='Play card 2 as R.G', help='card 2 as R.G', place='left')
    """

    rules = _RULES
    styles = _STYLES

    def view(self, game: TerminusGame) -> PublicView:
        return view_of(game)

    def heading(self, action: str, view: PublicView) -> str:
        return _described(action, view)[0]

    def help(self, action: str, view: PublicView) -> str:
        return _described(action, view)[1]

    def place(self, action: str, view: PublicView) -> str | None:
        return place_of(action, view.to_act)

    def box(self, place: str, view: PublicView) -> tuple[float, float, float, float]:
        return box_of(place, view)

    def label(self, place: str) -> str:
        """What to call a place: "era 4", "left end", "blue's third card"."""
        player, _, rank = place.partition(" ")
        if rank:
            return f"{player}'s {rank} card"
        return f"era {place}" if place.isdigit() else f"{place} end"

    def rules_for(self, game: TerminusGame) -> list[Section]:
        return rules_for(game.config)

    def log(self, game: TerminusGame) -> list[LogEntry]:
        return [LogEntry(ply.before.turn, ply.before.to_act, ply.action, "; ".join(ply.events)) for ply in plies(game)]


def _described(name: str, view: PublicView) -> tuple[str, str]:
    """The heading under which an action is listed, and what it does."""
    verb, *words = name.split(" ")
    if verb == "done":
        return "Go on", "skip the remaining events, and draw"
    held = view.hands[view.to_act][RANKS.index(words[0])]
    card = called(held.card)
    if verb == "freeze":
        return "Freeze a card", f"{card} can be played whenever you like"
    if verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(view.to_act)]
        return "Swap cards", f"{card} for {called(view.hands[other][RANKS.index(words[-1])].card)}"
    eras = held.eras[::-1] if "flipped" in words else held.eras
    return f"{verb.capitalize()} {card} as {eras}", f"{card} as {eras}"


ADAPTER: Final = TerminusAdapter()
