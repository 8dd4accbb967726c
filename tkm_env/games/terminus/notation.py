"""Text of positions, and of a player's view of one, both ways.

A view lacks the order of the deck and the state of chance.
"""

import re
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np

from tkm_env.compiled.kernels import NO_ACTION
from tkm_env.core.position_parser import PositionParser
from tkm_env.core.state_arrays import fields_of
from tkm_env.foundations.message import Message
from tkm_env.games.terminus.engine.actions import DONE, NUM_ACTIONS
from tkm_env.games.terminus.engine.kernels import ENTRY_POINTS
from tkm_env.games.terminus.engine.state import (
    APPROACHES,
    BLUE,
    CARD_WIDTH,
    ERAS,
    EVENTS,
    HAND_SIZE,
    IMPETUS,
    IMPETUS_CARD,
    NO_CARD,
    NOBODY,
    NUM_CARDS,
    OVER,
    PLAY,
    PLAYERS,
    RED,
    RESOLVE,
    TERMINUS_CARD,
    VICTORY,
    WON,
    State,
    number_of,
)

#: The fields of a position: their names, and what they contain.
FIELDS: Final = {
    "timeline": (
        "the cards on the timeline from left to right, separated by a vertical bar; each is its "
        "number, or `T` for Terminus, then a colon and its visible eras"
    ),
    "to act": "`r` or `b`",
    "step": (
        "`p` play a card; while events are left to resolve, their letters, like `GFF`; when "
        "over `1-0` (red won) or `0-1`"
    ),
    "hands": "red's / blue's cards, the lowest number first, or `-`; `*` after a frozen one",
    "deck": (
        "its cards, the next one to be drawn first, or `-`; in a player's view `?` and their number"
    ),
    "fresh": (
        "red's / blue's cards of their last turn (of this turn for the player to act) that "
        "are still wholly visible, or `-`"
    ),
    "turn": "its number, from 1",
    "chance": (
        "the state of the game's random numbers, 16 hexadecimal digits; `-` in a player's view"
    ),
}

#: The texts of a finished game's results, by the field ``result``.
RESULTS: Final = {WON + RED: "1-0", WON + BLUE: "0-1"}

_LETTERS: Final = "".join(era.letter for era in ERAS)
_EVENT_LETTERS: Final = "".join(_LETTERS[event] for event in EVENTS)
_PLAYER_LETTERS: Final = "rb"
_TERMINUS_LETTER: Final = "T"
_FROZEN: Final = "*"
_CARD_NAMES: Final = (_TERMINUS_LETTER, *(str(number) for number in range(1, NUM_CARDS)))
#: Terminus, A turn 1: once this many `A` were played, Terminus is no longer set aside.
_ENTERED: Final = 2
_number_of = getattr(number_of, "py_func", number_of)


def format_position(state: State) -> str:
    """The full text of the position in ``state``, a record of the engine's dtype."""
    state = fields_of(state)
    deck = [_CARD_NAMES[card] for card in state.deck[: state.deck_size][::-1]]
    return _format(state, ",".join(deck) or "-", f"{state.stream[0]:016x}")


def format_view(state: State) -> str:
    """The text of what both players see of the position."""
    state = fields_of(state)
    return _format(state, f"?{state.deck_size}", "-")


def _format(state: State, deck: str, chance: str) -> str:
    fields = (
        _format_timeline(state),
        _PLAYER_LETTERS[state.to_act],
        format_step(state),
        "/".join(
            ",".join(
                _CARD_NAMES[card] + _FROZEN * state.frozen[card] for card in hand if card != NO_CARD
            )
            or "-"
            for hand in state.hand
        ),
        deck,
        "/".join(
            ",".join(_CARD_NAMES[card] for card in range(NUM_CARDS) if state.fresh[card] == player)
            or "-"
            for player in range(len(PLAYERS))
        ),
        str(state.turn),
        chance,
    )
    return " ".join(fields)


def _format_timeline(state: State) -> str:
    visible = zip(state.card[: state.length], state.era[: state.length], strict=True)
    runs = groupby(visible, key=itemgetter(0))
    return "|".join(
        f"{_CARD_NAMES[card]}:{''.join(_LETTERS[era] for _, era in run)}" for card, run in runs
    )


def format_step(state: State) -> str:
    if state.step == OVER:
        return RESULTS[int(state.result)]
    if state.step == PLAY:
        return "p"
    return "".join(
        letter * count
        for letter, count in zip(_EVENT_LETTERS, map(int, state.covered), strict=True)
    )


def parse_position(text: str, blank: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Return the position in the text of a position or of a player's view of one.

    Args:
        text: the text.
        blank: a record that holds the cards, of shape (1,) and the engine's dtype.
        generator: draws what a view leaves open.

    Returns:
        The position, of shape (1,) and the engine's dtype; a new array.

    Raises:
        PositionError: naming the field and the reason, if the text is not a position.
    """
    return _TerminusParser(text, blank.copy(), generator).states


class _TerminusParser(PositionParser):
    """Each method reads one field, and may use those read before it."""

    def __init__(self, text: str, states: np.ndarray, generator: np.random.Generator) -> None:
        super().__init__(text, FIELDS, states)
        self.generator = generator
        #: Where each card was found.
        self.found: dict[int, str] = {}
        self.read_timeline()
        self.read_to_act(_PLAYER_LETTERS)
        self.read_step()
        self.read_hands()
        self.read_deck()
        self.check_cards()
        self.read_fresh()
        self.read_turn()
        self.read_chance()
        self.check_something_to_do()

    def find(self, name: str, field: str) -> int:
        """The card of that name, which may appear only once in a position."""
        if name not in _CARD_NAMES:
            self.refuse(
                field,
                Message(
                    "{name!r} is not a card; cards are 1 to {most} and {terminus}",
                    name=name,
                    most=NUM_CARDS - 1,
                    terminus=_TERMINUS_LETTER,
                ),
            )
        card = _CARD_NAMES.index(name)
        if card in self.found:
            self.refuse(
                field,
                Message("card {name} is already in the {field}", name=name, field=self.found[card]),
            )
        self.found[card] = field
        return card

    def letters(self, card: int) -> str:
        return "".join(_LETTERS[era] for era in self.state.face[card])

    def read_timeline(self) -> None:
        state, eras, cards = self.state, "", []
        for run in self.fields["timeline"].split("|"):
            name, colon, visible = run.partition(":")
            if not colon:
                self.refuse(
                    "timeline",
                    Message(
                        "a card's number, ':' and its visible eras are needed, not {run!r}", run=run
                    ),
                )
            card = self.find(name, "timeline")
            self.check_visible(card, visible)
            eras += visible
            cards += [card] * len(visible)
        if IMPETUS_CARD not in self.found:
            self.refuse("timeline", Message("card {card} is required", card=IMPETUS_CARD))
        state.length = len(eras)
        state.era[: state.length] = [_LETTERS.index(letter) for letter in eras]
        state.card[:] = NO_CARD
        state.card[: state.length] = cards
        state.approached = ((state.era == APPROACHES) & (state.card != IMPETUS_CARD)).sum()

    def check_visible(self, card: int, visible: str) -> None:
        """Terminus, A turn 1: check that what is visible of a card can be.

        Fixed events are never covered, and neither is any part of Terminus. A card's visible eras
        are contiguous.
        """
        name, printed = _CARD_NAMES[card], self.letters(card)
        if not visible or (visible not in printed and visible not in printed[::-1]):
            self.refuse(
                "timeline",
                Message(
                    "{visible!r} is not part of card {name}, {printed}, flipped or not",
                    visible=visible,
                    name=name,
                    printed=printed,
                ),
            )
        for era in (APPROACHES, IMPETUS):
            if visible.count(_LETTERS[era]) != printed.count(_LETTERS[era]):
                self.refuse(
                    "timeline",
                    Message(
                        "{letter} of card {name} cannot be covered", letter=_LETTERS[era], name=name
                    ),
                )
        if card == TERMINUS_CARD and visible != printed:
            self.refuse("timeline", Message("nothing can cover Terminus"))

    def read_step(self) -> None:
        text, state = self.fields["step"], self.state
        played = self.found.get(TERMINUS_CARD) == "timeline"
        if text in RESULTS.values():
            state.step = OVER
            state.result = next(result for result, name in RESULTS.items() if name == text)
            if played and state.result != self.result_by_count():
                self.refuse(
                    "step",
                    Message(
                        "red has {red} visible victories, blue {blue}",
                        red=self.count(RED),
                        blue=self.count(BLUE),
                    ),
                )
            return
        if played:
            self.refuse("step", Message("Terminus is on the timeline, so the game is over"))
        if text == "p":
            state.step = PLAY
        elif (
            text
            and re.fullmatch("".join(f"{letter}*" for letter in _EVENT_LETTERS), text)
            and len(text) <= CARD_WIDTH
        ):
            state.step = RESOLVE
            state.covered[:] = [text.count(letter) for letter in _EVENT_LETTERS]
        else:
            self.refuse(
                "step",
                Message(
                    "p, up to three letters of {letters} in that order, 1-0 or 0-1 is needed",
                    letters=_EVENT_LETTERS,
                ),
            )

    def count(self, player: int) -> int:
        return int((self.state.era == VICTORY + player).sum())

    def result_by_count(self) -> int:
        """Terminus, The end."""
        player = int(self.state.to_act)
        return WON + (player if self.count(player) > self.count(1 - player) else 1 - player)

    def names_by_player(self, field: str) -> list[list[str]]:
        texts = self.fields[field].split("/")
        if len(texts) != len(PLAYERS):
            self.refuse(field, Message("red's and blue's cards, separated by '/', are needed"))
        return [[] if text == "-" else text.split(",") for text in texts]

    def read_hands(self) -> None:
        self.state.hand[:] = NO_CARD
        for player, names in enumerate(self.names_by_player("hands")):
            if len(names) > HAND_SIZE:
                self.refuse(
                    "hands", Message("a player controls no more than {most} cards", most=HAND_SIZE)
                )
            for place, name in enumerate(names):
                card = self.find(name.removesuffix(_FROZEN), "hands")
                self.state.frozen[card] = name.endswith(_FROZEN)
                self.state.hand[player, place] = card
            numbers = [
                _number_of(self.state, card)
                for card in self.state.hand[player, : len(names)].tolist()
            ]
            if numbers != sorted(numbers):
                now = _number_of(self.state, TERMINUS_CARD)
                self.refuse(
                    "hands",
                    Message(
                        "the lowest number of {player} comes first; Terminus counts {now} now",
                        player=PLAYERS[player],
                        now=now,
                    ),
                )
        if self.state.frozen[TERMINUS_CARD]:
            self.refuse("hands", Message("Terminus cannot be frozen"))
        if self.state.step == PLAY and self.state.hand[self.state.to_act, 0] == NO_CARD:
            self.refuse(
                "hands",
                Message(
                    "{player} is to play a card, but has none", player=PLAYERS[self.state.to_act]
                ),
            )

    def read_deck(self) -> None:
        text, state = self.fields["deck"], self.state
        state.deck[:] = NO_CARD
        if text.startswith("?"):
            cards = self.draw_deck(text)
        else:
            cards = (
                [] if text == "-" else [self.find(name, "deck") for name in text.split(",")][::-1]
            )
        state.deck_size = len(cards)
        state.deck[: len(cards)] = cards

    def draw_deck(self, text: str) -> list[int]:
        """A deck of that size, in random order, of cards that may be in it."""
        missing = [
            card
            for card in range(NUM_CARDS)
            if card not in self.found and (card != TERMINUS_CARD or self.entered())
        ]
        sure = [card for card in missing if self.always_shows(card)]
        others = [card for card in missing if card not in sure]
        if not re.fullmatch(r"\?(0|[1-9][0-9]?)", text) or not len(sure) <= int(text[1:]) <= len(
            missing
        ):
            self.refuse(
                "deck",
                Message(
                    "'?' and the number of its cards, from {least} to {most}, is needed",
                    least=len(sure),
                    most=len(missing),
                ),
            )
        chosen = self.generator.permutation(others)[: int(text[1:]) - len(sure)]
        drawn: list[int] = self.generator.permutation([*sure, *chosen]).astype(int).tolist()
        self.found |= dict.fromkeys(drawn, "deck")
        return drawn

    def entered(self) -> bool:
        """Whether Terminus is no longer set aside."""
        return bool(self.state.approached >= _ENTERED)

    def always_shows(self, card: int) -> bool:
        """Whether a card on the timeline always shows some of its eras."""
        return card == TERMINUS_CARD or "A" in self.letters(card)

    def check_cards(self) -> None:
        """Every card is somewhere: a card that is not found elsewhere is wholly covered."""
        if not self.entered() and TERMINUS_CARD in self.found:
            self.refuse(
                self.found[TERMINUS_CARD],
                Message("Terminus is set aside until {number} A have been played", number=_ENTERED),
            )
        for card in range(0 if self.entered() else 1, NUM_CARDS):
            if card not in self.found and self.always_shows(card):
                self.refuse(
                    "deck",
                    Message(
                        "card {card} is missing, and cannot be covered", card=_CARD_NAMES[card]
                    ),
                )

    def read_fresh(self) -> None:
        state = self.state
        state.fresh[:] = NOBODY
        for player, names in enumerate(self.names_by_player("fresh")):
            cards = [_CARD_NAMES.index(name) if name in _CARD_NAMES else NO_CARD for name in names]
            if cards != sorted(set(cards)):
                self.refuse(
                    "fresh",
                    Message(
                        "the cards of {player} must be in the order of their numbers",
                        player=PLAYERS[player],
                    ),
                )
            for name, card in zip(names, cards, strict=True):
                if (
                    card <= IMPETUS_CARD
                    or (state.card == card).sum() != CARD_WIDTH
                    or state.fresh[card] != NOBODY
                ):
                    self.refuse(
                        "fresh",
                        Message(
                            "{name!r} is not a wholly visible card that {player} played",
                            name=name,
                            player=PLAYERS[player],
                        ),
                    )
                state.fresh[card] = player
            if (
                player == state.to_act
                and state.step != OVER
                and (state.step == PLAY) == bool(cards)
            ):
                self.refuse(
                    "fresh",
                    Message(
                        "no card of {player}, who is to act, is needed at step {step!r}"
                        if state.step == PLAY
                        else "a card of {player}, who is to act, is needed at step {step!r}",
                        player=PLAYERS[player],
                        step=self.fields["step"],
                    ),
                )

    def read_turn(self) -> None:
        text = self.fields["turn"]
        covered = NUM_CARDS - (not self.entered()) - len(self.found)
        played = len(set(self.state.card[: self.state.length].tolist())) - 1 + covered
        most = played + (
            self.state.step == PLAY
            or (self.state.step == OVER and self.found.get(TERMINUS_CARD) != "timeline")
        )
        if not re.fullmatch("[1-9][0-9]?", text) or int(text) > max(most, 1):
            self.refuse(
                "turn",
                Message(
                    "a number from 1 to {most} is needed: {played} cards were played, at "
                    "least one per turn",
                    most=max(most, 1),
                    played=played,
                ),
            )
        self.state.turn = int(text)

    def read_chance(self) -> None:
        text, is_view = self.fields["chance"], self.fields["deck"].startswith("?")
        if is_view and text == "-":
            self.state.stream[0] = self.generator.integers(1, 2**63)
        elif not is_view and re.fullmatch("[0-9a-f]{16}", text) and int(text, 16):
            self.state.stream[0] = int(text, 16)
        else:
            self.refuse(
                "chance",
                Message("'-' is needed where the deck is hidden")
                if is_view
                else Message("16 hexadecimal digits, not all 0, are needed"),
            )

    def check_something_to_do(self) -> None:
        if self.state.step != RESOLVE:
            return
        trial, mask = self.states.copy(), np.zeros(NUM_ACTIONS, np.int8)
        ENTRY_POINTS.play(trial, NO_ACTION, mask)
        if not mask[:DONE].any():
            self.refuse(
                "step",
                Message(
                    "{player} cannot resolve any of these events", player=PLAYERS[self.state.to_act]
                ),
            )
