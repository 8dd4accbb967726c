"""What both players see of a game, as plain values, for everything that displays it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

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
_RESULTS: Final = {"1-0": PLAYERS[0], "0-1": PLAYERS[1]}


class TimelineCard(NamedTuple):
    """The visible part of a card on the timeline: its name, and its eras' letters."""

    card: str
    eras: str


class HandCard(NamedTuple):
    """A card in a hand: its name, its eras' letters, and whether it is frozen."""

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
    fresh: Mapping[str, tuple[str, ...]]  # the cards of each player's last turn that are wholly visible
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
    def approaches(self) -> int:
        """How many `A` were played; none is ever covered."""
        return sum(run.eras.count(_APPROACHES) for run in self.timeline if run.card != _IMPETUS_CARD)

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
        """The era, from 1 and possibly beyond an end, under the right-hand era of a card played at ``place``."""
        ends = {"left": 0, "right": len(self.eras) + CARD_WIDTH}
        return ends[place] if place in ends else int(place)

    @property
    def winner(self) -> str | None:
        """Who won; None while the game is in progress."""
        return _RESULTS.get(self.step)

    @property
    def situation(self) -> str:
        """Who is to act and how, or how the game ended."""
        if self.winner is not None:
            return f"over, {self.winner} won"
        if self.step == "p":
            return f"{self.to_act} to play a card"
        return f"{self.to_act} may resolve {', '.join(ERA_NAMES[letter] for letter in self.step)}"


def view_of(game: TerminusGame) -> PublicView:
    """What both players see of a game."""
    fields = dict(zip(FIELDS, game.position_for(PLAYERS[0]).split(" "), strict=True))
    faces = ["".join(ERAS[era].letter for era in face) for face in game.state["face"][0]]

    def held(name: str) -> HandCard:
        card = name.removesuffix(_FROZEN)
        return HandCard(card, faces[0 if card == TERMINUS else int(card)], name.endswith(_FROZEN))

    runs = [run.split(":") for run in fields["timeline"].split("|")]
    hands = {player: tuple(map(held, names)) for player, names in _by_player(fields["hands"]).items()}
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
    return {player: () if names == "-" else tuple(names.split(",")) for player, names in zip(PLAYERS, text.split("/"), strict=True)}
