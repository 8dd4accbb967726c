"""What chance decides in *Terminus*: every card, as it is drawn."""

from collections.abc import Hashable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tkm_env.core.chance import Chance, ChanceState
from tkm_env.games.terminus.engine.state import NO_CARD, NUM_CARDS, TERMINUS_CARD, number_of
from tkm_env.games.terminus.game import TerminusGame

#: The field of a position's text that shows the hands.
_HANDS: Final = 3

_number_of: Final = getattr(number_of, "py_func", number_of)


class CardChance(Chance):
    """Cards are drawn one by one from all that may be in the deck: red's three, then blue's.

    The engine draws from a shuffled deck, whose order only the drawn cards reveal. A card just
    drawn can therefore be exchanged for any other of the deck before anyone sees it. Outcomes are
    the cards by number, 0 for Terminus; all are equally likely.

    Args:
        game_class: the class of the game.
        config: its settings.
    """

    most_draws = NUM_CARDS - 1  # every card but Impetus
    # With Impetus, which is never drawn, so that the index of a card is its number.
    outcome_names = tuple(
        "draw Terminus" if card == TERMINUS_CARD else f"draw {card}" for card in range(NUM_CARDS)
    )

    def begin(self) -> ChanceState:
        game = self._game_class(self._config, seed=0)
        return ChanceState(game, tuple(_hands(game).ravel().tolist()))

    def play(self, moment: ChanceState, action: int) -> ChanceState:
        after = super().play(moment, action).game
        if after.turn == moment.game.turn:
            return ChanceState(after)
        drawn = set(_hands(after).ravel().tolist()).difference(
            _hands(moment.game).ravel().tolist(), [NO_CARD]
        )
        return ChanceState(after, tuple(sorted(drawn)))

    def outcomes(self, moment: ChanceState) -> list[tuple[int, float]]:
        deck = moment.game.state["deck"][0]
        cards = sorted([*moment.undrawn, *deck[deck != NO_CARD].tolist()])
        return [(card, 1 / len(cards)) for card in cards] if moment.undrawn else []

    def key(self, moment: ChanceState) -> Hashable:
        """What is visible, with the cards that each player holds and is to draw, and the deck."""
        game, undrawn = moment
        fields = game.visible_position.split(" ")
        # Cards yet to be drawn stand in the hands already: only their number is known.
        fields[_HANDS] = ""
        hands = [
            sorted("drawn" if card in undrawn else str(card) for card in hand)
            for hand in _hands(game).tolist()
        ]
        deck = sorted([*undrawn, *game.state["deck"][0].tolist()])
        return str((fields, hands, deck, game.state["frozen"][0].tolist()))

    def _after_draw(self, moment: ChanceState, outcome: int) -> ChanceState:
        card, *later = moment.undrawn
        return ChanceState(
            _exchange(moment.game, card, outcome),
            tuple(card if other == outcome else other for other in later),
        )


def _hands(game: TerminusGame) -> NDArray[np.int8]:
    return game.state["hand"][0]


def _exchange(game: TerminusGame, one: int, other: int) -> TerminusGame:
    """The game with two cards, in the deck or just drawn from it, swapped."""
    states = game.state
    state: Any = states[0]
    for cards in (state.deck, state.hand):
        place_of_one, place_of_other = cards == one, cards == other
        cards[place_of_one], cards[place_of_other] = other, one
    for hand in state.hand:
        held = sorted(
            (card for card in hand.tolist() if card != NO_CARD),
            key=lambda card: _number_of(state, card),
        )
        hand[: len(held)] = held
    if state.turn == 1:  # Terminus, Set-up: the player with the lowest number goes first
        state.to_act = state.hand[:, 0].argmin()
    return TerminusGame._at(states, game.config)
