"""What both players see of a game, as plain values, and what each action did, in words.

Everything that displays the game uses it.
"""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from tkm_env.core.outcome import Outcome
from tkm_env.foundations.message import Message, joined
from tkm_env.games.terminus.engine.actions import RANKS
from tkm_env.games.terminus.engine.state import CARD_WIDTH, ERAS, NUM_CARDS, PLAYERS
from tkm_env.games.terminus.notation import FIELDS

if TYPE_CHECKING:
    from tkm_env.games.terminus.game import TerminusGame

#: The name of the card Terminus.
TERMINUS: Final = "T"
#: The eras' names by their letters.
ERA_NAMES: Final = {era.letter: era.name for era in ERAS}

_IMPETUS_CARD: Final = "1"
_APPROACHES: Final = "A"
_FROZEN: Final = "*"
_WINNERS: Final = {Outcome.won_by(index).value: name for index, name in enumerate(PLAYERS)}
#: The actions that place a card.
_PLACING: Final = ("play", "grow")
#: The effect of playing an `A`, by how many have been played.
_EFFECTS: Final = {
    2: Message("Terminus is shuffled into the deck"),
    3: Message("Terminus counts 0 now"),
}


class TimelineCard(NamedTuple):
    """The visible part of a card on the timeline.

    Attributes:
        card: the card's name.
        eras: the letters of its visible eras, from left to right.
    """

    card: str
    eras: str


class HandCard(NamedTuple):
    """A card in a hand.

    Attributes:
        card: the card's name.
        eras: its eras' letters.
        frozen: whether it is frozen.
    """

    card: str
    eras: str
    frozen: bool


class PublicView(NamedTuple):
    """Everything that is public."""

    timeline: tuple[TimelineCard, ...]  # the visible parts of its cards, from left to right
    to_act: str  # the player to act
    step: str  # the step field of the position
    hands: Mapping[str, tuple[HandCard, ...]]  # by player, the lowest number first
    deck: int  # the number of cards in it
    #: The cards of each player's last turn that are wholly visible.
    fresh: Mapping[str, tuple[str, ...]]
    turn: int  # the number of the turn, from 1

    @property
    def eras(self) -> str:
        """The visible eras' letters."""
        return "".join(run.eras for run in self.timeline)

    @property
    def victories(self) -> dict[str, int]:
        """How many visible eras of each player's colour there are."""
        return {player: self.eras.count(player[0].upper()) for player in PLAYERS}

    @property
    def counts(self) -> Message:
        """The victories of both players, in words."""
        return joined(
            ", ",
            (
                Message("{player} {count}", player=player, count=count)
                for player, count in self.victories.items()
            ),
        )

    @property
    def approaches(self) -> int:
        """How many `A` were played; none is ever covered."""
        return sum(
            run.eras.count(_APPROACHES) for run in self.timeline if run.card != _IMPETUS_CARD
        )

    @property
    def terminus_number(self) -> int:
        """The current number of Terminus (Terminus, A turn 1)."""
        return NUM_CARDS if self.approaches < 3 else 0

    @property
    def terminus(self) -> str:
        """Where Terminus is: "aside", "deck", "hand" or "timeline"."""
        if any(run.card == TERMINUS for run in self.timeline):
            return "timeline"
        if any(held.card == TERMINUS for hand in self.hands.values() for held in hand):
            return "hand"
        return "deck" if self.approaches > 1 else "aside"

    def column(self, place: str) -> int:
        """The era under the right-hand era of a card played at a place.

        Args:
            place: the place, as names of actions have it.

        Returns:
            The era, counted from 1; it may be beyond an end.
        """
        ends = {"left": 0, "right": len(self.eras) + CARD_WIDTH}
        return ends[place] if place in ends else int(place)

    @property
    def winner(self) -> str | None:
        """The player who won; None while the game is in progress."""
        return _WINNERS.get(self.step)

    @property
    def situation(self) -> Message:
        """Who is to act and how, or how the game ended."""
        if self.winner is not None:
            return Message("over, {player} won", player=self.winner)
        if self.step == "p":
            return Message("{player} to play a card", player=self.to_act)
        events = joined(", ", (ERA_NAMES[letter] for letter in self.step))
        return Message("{player} may resolve {events}", player=self.to_act, events=events)


def view_of(game: "TerminusGame") -> PublicView:
    """What both players see of a game."""
    fields = dict(zip(FIELDS, game.position_for(PLAYERS[0]).split(" "), strict=True))
    faces = ["".join(ERAS[era].letter for era in face) for face in game.state["face"][0]]

    def held(name: str) -> HandCard:
        card = name.removesuffix(_FROZEN)
        return HandCard(card, faces[0 if card == TERMINUS else int(card)], name.endswith(_FROZEN))

    runs = [run.split(":") for run in fields["timeline"].split("|")]
    hands = {
        player: tuple(map(held, names)) for player, names in _by_player(fields["hands"]).items()
    }
    return PublicView(
        tuple(TimelineCard(card, eras) for card, eras in runs),
        game.to_act,
        fields["step"],
        hands,
        int(fields["deck"].removeprefix("?")),
        _by_player(fields["fresh"]),
        game.turn,
    )


def _by_player(text: str) -> dict[str, tuple[str, ...]]:
    """The names of each player's cards in a field of a position."""
    return {
        player: () if names == "-" else tuple(names.split(","))
        for player, names in zip(PLAYERS, text.split("/"), strict=True)
    }


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
        covering = [Message("covers {eras}", eras=joined(", ", covers))] if covers else []
        return (*covering, *_describe_effects(self))


def plies(game: "TerminusGame") -> Iterator[TerminusPly]:
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
        if number in _EFFECTS:
            yield _EFFECTS[number]
    in_hands = {held.card for hand in before.hands.values() for held in hand}
    for held in after.hands[player]:
        if held.card not in in_hands:
            yield Message("{card} is drawn", card=card_name(held.card))
    if after.winner is not None:
        yield Message("visible victories: {counts}", counts=after.counts)


def card_name(card: str) -> str:
    """A card's name in a sentence."""
    return "Terminus" if card == TERMINUS else Message("card {number}", number=card)


def _names_below(before: PublicView, place: str) -> list[str]:
    """The names of the eras, other than empty ones, that a card at that place covers."""
    names = [ERA_NAMES[before.eras[number - 1]] for number in _eras_below(before, place)]
    return [name for name in names if name != "empty"]


def over(view: PublicView, place: str) -> Message:
    """A place of the actions in words: "over eras 3 to 5", "at the left end".

    Args:
        view: what both players see.
        place: the place, as names of actions have it.

    Returns:
        The words, for the middle of a sentence.
    """
    where = span(view, place)
    if not _eras_below(view, place):
        return Message("at the {end}", end=where)
    return Message("over {eras}", eras=where)


def span(view: PublicView, place: str) -> Message:
    """A place of the actions, named: "eras 3 to 5", "left end".

    Args:
        view: what both players see.
        place: the place, as names of actions have it.

    Returns:
        The name.
    """
    eras = _eras_below(view, place)
    if not eras:
        return Message("left end") if place == "left" else Message("right end")
    if len(eras) == 1:
        return Message("era {number}", number=eras[0])
    if len(eras) == 2:
        return Message("eras {first} and {last}", first=eras[0], last=eras[-1])
    return Message("eras {first} to {last}", first=eras[0], last=eras[-1])


def _eras_below(view: PublicView, place: str) -> range:
    """The eras, from 1, that a card at that place covers."""
    last = view.column(place)
    return range(max(last - CARD_WIDTH + 1, 1), min(last, len(view.eras)) + 1)
