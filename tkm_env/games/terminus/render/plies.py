"""What each action of a `TerminusGame` did, in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import CARD_WIDTH, PLAYERS
from tkm_env.games.terminus.view import ERA_NAMES, TERMINUS, PublicView, view_of

if TYPE_CHECKING:
    from tkm_env.games.terminus.game import TerminusGame

#: The actions that place a card.
_PLACING: Final = ("play", "grow")
#: The effect of playing an `A`, by how many have been played.
_APPROACHES: Final = {2: "Terminus is shuffled into the deck", 3: "Terminus counts 0 now"}


class TerminusPly(NamedTuple):
    """An action: the view before it, its name, and the view after it."""

    before: PublicView
    action: str
    after: PublicView

    @property
    def events(self) -> tuple[str, ...]:
        """What it did, one clause each."""
        return (*_describe_action(self), *_describe_effects(self))

    @property
    def consequences(self) -> tuple[str, ...]:
        """What it did beyond what its name says, one clause each."""
        verb, *words = self.action.split(" ")
        covers = _names_below(self.before, words[-1]) if verb in _PLACING else []
        return (*([f"covers {', '.join(covers)}"] if covers else []), *_describe_effects(self))


def plies(game: TerminusGame) -> Iterator[TerminusPly]:
    """Every action since the start or the given position, oldest first."""
    now = game.start
    after = view_of(now)
    for action in game.history:
        before = after
        now.play(action)
        after = view_of(now)
        yield TerminusPly(before, game.action_names[action], after)


def _describe_action(ply: TerminusPly) -> Iterator[str]:
    before, player = ply.before, ply.before.to_act
    verb, *words = ply.action.split(" ")
    hand = [held.card for held in before.hands[player]]
    if verb in _PLACING:
        names = _names_below(before, words[-1])
        place = over(before, words[-1]) + (f", on {', '.join(names)}" if names else "")
        yield f"{card_name(hand[RANKS.index(words[0])])} lies {place}"
    elif verb == "freeze":
        yield f"{card_name(hand[RANKS.index(words[0])])} is frozen"
    elif verb == "swap":
        other = PLAYERS[1 - PLAYERS.index(player)]
        given, taken = hand[RANKS.index(words[0])], before.hands[other][RANKS.index(words[-1])].card
        yield f"{card_name(given)} goes to {other}, {card_name(taken)} to {player}"


def _describe_effects(ply: TerminusPly) -> Iterator[str]:
    before, after, player = ply.before, ply.after, ply.before.to_act
    for number in range(before.approaches + 1, after.approaches + 1):
        if number in _APPROACHES:
            yield _APPROACHES[number]
    in_hands = {held.card for hand in before.hands.values() for held in hand}
    for held in after.hands[player]:
        if held.card not in in_hands:
            yield f"{card_name(held.card)} is drawn"
    if after.winner is not None:
        yield "visible victories: " + ", ".join(f"{side} {count}" for side, count in after.victories.items())


def card_name(card: str) -> str:
    """A card's name in a sentence."""
    return "Terminus" if card == TERMINUS else f"card {card}"


def _names_below(before: PublicView, place: str) -> list[str]:
    """The names of the eras, other than empty ones, that a card at that place covers."""
    names = [ERA_NAMES[before.eras[number - 1]] for number in _eras_below(before, place)]
    return [name for name in names if name != "empty"]


def over(view: PublicView, place: str) -> str:
    """A place of the actions in words: "over eras 3 to 5", "at the left end"."""
    eras = _eras_below(view, place)
    if not eras:
        return f"at the {place} end"
    if len(eras) == 1:
        return f"over era {eras[0]}"
    return f"over eras {eras[0]} {'to' if len(eras) > 2 else 'and'} {eras[-1]}"


def _eras_below(view: PublicView, place: str) -> range:
    """The eras, from 1, that a card at that place covers."""
    last = view.column(place)
    return range(max(last - CARD_WIDTH + 1, 1), min(last, len(view.eras)) + 1)
