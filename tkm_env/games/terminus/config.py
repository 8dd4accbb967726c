"""The settings of a game of Terminus, and its set-up."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, TypedDict

import numpy as np

from tkm_env.core.settings import reduce_config, setting
from tkm_env.games.terminus.deck import DeckLike, checked_deck, faces_of
from tkm_env.games.terminus.engine.kernels import set_up_some
from tkm_env.games.terminus.engine.state import NUM_CARDS, STATE


class TerminusSettings(TypedDict, total=False):
    """The keywords of `TerminusConfig`, for type checkers."""

    deck: DeckLike


@dataclasses.dataclass(frozen=True)
class TerminusConfig:
    """The settings of a game of Terminus, which the whole package takes as keywords.

    Attributes:
        deck: the cards: None for the project's own deck; the path of a deck file; or the eras of
            cards 1 to 17, by number or in order. It is kept as a tuple of 17 strings.

    Raises:
        ConfigError: if the deck is none of these.
        DeckError: naming the invalid card and the reason.
        FileError: if a file is not a deck file.

    >>> TerminusConfig().deck[:3]
    ('.I.', 'R.G', 'B.G')
    """

    deck: DeckLike = setting(
        None, "A deck file, with the cards of Terminus.", "the project's own", "file"
    )

    #: The most turns of a game: every turn plays a card, and Impetus is on the timeline from the
    #: start.
    max_turns: ClassVar = NUM_CARDS - 1
    #: Games start in more than one way: the deck is shuffled.
    begins_by_chance: ClassVar = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "deck", checked_deck(self.deck))

    def __reduce__(self) -> tuple[Any, ...]:
        return reduce_config(self)

    def blank(self, games: int = 1) -> np.ndarray:
        """Records that hold only the cards of this deck.

        Args:
            games: the number of records.

        Returns:
            An array of the engine's dtype and shape (games,).
        """
        assert isinstance(self.deck, tuple)
        states = np.zeros(games, STATE)
        states["face"] = faces_of(self.deck)
        return states

    def draw(self, chance: Any) -> np.ndarray:
        """Draw a starting position under these settings from a stream.

        Args:
            chance: the stream: uint64 of shape (1,).

        Returns:
            An array of the engine's dtype and shape (1,).
        """
        states = self.blank()
        set_up_some(states, np.zeros(1, np.int64), chance)
        return states
