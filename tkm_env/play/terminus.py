"""*Terminus* as people play it. Imports `kind`, `settings`, `agents`, `render.story` and `terminus`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from tkm_env.agents.specs import PLAYERS_BY_NAME, agent_of
from tkm_env.games import TERMINUS
from tkm_env.play.kind import Advice, Choice, GameKind, Picture, Place, Told
from tkm_env.render.story import Story
from tkm_env.settings import TERMINUS_SETTINGS, Setting, config_of
from tkm_env.terminus.engine.actions import RANKS
from tkm_env.terminus.engine.state import PLAYERS
from tkm_env.terminus.game import TerminusGame
from tkm_env.terminus.seen import Seen, seen_of
from tkm_env.terminus.svg import box_of, place_of
from tkm_env.terminus.telling import TITLE, called, plies

__all__ = ["TERMINUS_KIND", "TerminusKind"]

_RULES: Final = (
    "Two empires, red and blue, write one row of eras. When Terminus is played, the game is over: whoever has more visible eras of their "
    "colour wins, and on a tie whoever played Terminus loses.",
    "A turn: play a card, resolve the special events that it covered, draw up to three cards.",
    "You play your card with the lowest number, as it is or flipped: over one to three eras, or directly at an end. It may not cover A or "
    "I, nor all three eras of a card that your opponent has just played.",
    "Grow: play another card at an end. Freeze: a card of yours can be played whenever you like. Swap: exchange a card with your opponent. "
    "All of them may be left out.",
    "The second A that is played shuffles Terminus into the deck. Terminus counts 18; from the third A on it counts 0.",
)


class TerminusKind:
    """The `GameKind` of Terminus.

    >>> game = TERMINUS_KIND.new_game({}, seed=1)
    >>> TERMINUS_KIND.choices(game)[0]
    Choice(name='play first at left', group='Play card 2 as R.G', help='card 2 as R.G', place='left')
    """

    title = TITLE
    rules: tuple[str, ...] = _RULES
    players: tuple[str, str] = (PLAYERS[0], PLAYERS[1])
    opponents: tuple[str, ...] = tuple(PLAYERS_BY_NAME[TERMINUS])
    settings: tuple[Setting, ...] = TERMINUS_SETTINGS

    def new_game(self, settings: Mapping[str, Any], *, seed: int, position: str | None = None) -> TerminusGame:
        return TerminusGame(config_of(settings, TERMINUS), seed=seed, position=position)

    def agent(self, line: str, player: str) -> Any:
        return agent_of(line, player, TERMINUS)

    def position(self, game: TerminusGame) -> str:
        return game.position_for(game.to_act)

    def situation(self, game: TerminusGame) -> str:
        return seen_of(game).situation

    def choices(self, game: TerminusGame) -> list[Choice]:
        seen = seen_of(game)
        return [Choice(name, *_told(name, seen), place_of(name, seen.to_act)) for name in game.legal_names()]

    def picture(self, game: TerminusGame, *, theme: str, hints: bool) -> Picture:
        seen = seen_of(game)
        places = dict.fromkeys(place_of(name, seen.to_act) for name in game.legal_names())
        return Picture(
            game.svg(theme=theme, legal=hints),
            [Place(name, _label(name), *box_of(name, seen)) for name in places if name is not None],
        )

    def told(self, game: TerminusGame) -> list[Told]:
        return [Told(ply.before.turn, ply.before.to_act, ply.action, "; ".join(ply.told)) for ply in plies(game)]

    def story(self, game: TerminusGame, players: Mapping[str, str]) -> Story:
        return game.story(players)

    def is_final(self, game: TerminusGame) -> bool:
        """Cards are drawn when a turn ends, so that within one nothing is learned."""
        return False

    def advice(self, game: TerminusGame) -> list[Advice]:
        return []


def _told(name: str, seen: Seen) -> tuple[str, str]:
    """The heading under which an action stands, and what it does."""
    verb, *words = name.split(" ")
    if verb == "done":
        return "Go on", "leave out the events that are left, and draw"
    held = seen.hands[seen.to_act][RANKS.index(words[0])]
    card = called(held.card)
    if verb == "freeze":
        return "Freeze a card", f"{card} can be played whenever you like"
    if verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(seen.to_act)]
        return "Swap cards", f"{card} for {called(seen.hands[other][RANKS.index(words[-1])].card)}"
    eras = held.eras[::-1] if "flipped" in words else held.eras
    return f"{verb.capitalize()} {card} as {eras}", f"{card} as {eras}"


def _label(place: str) -> str:
    """What to call a place: "era 4", "left end", "blue's third card"."""
    player, _, rank = place.partition(" ")
    if rank:
        return f"{player}'s {rank} card"
    return f"era {place}" if place.isdigit() else f"{place} end"


TERMINUS_KIND: Final[GameKind[TerminusGame]] = TerminusKind()
