"""What the tests of Terminus share: decks, random games, and the parts of a position."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.games.tkm.random_games import seed_of
from tkm_env import TerminusGame
from tkm_env.games.terminus.deck import DEFAULT_DECK

PLAYERS = ("red", "blue")
#: Many special events and little that wins.
EVENTFUL = (".I.", *("GFS", "SSG", "FFA", "GGR", "SFB", "RAB", "FGF", "BSR") * 2)
#: Nothing but `A`, so that nothing but Impetus's sides can be covered.
FIXED = (".I.", *("AAA",) * 16)
#: The fewest `A` that a deck may have, on one card; all other cards are wins.
LATE = ("RIB", *("RBR", "BRB") * 7, "RRB", "BAA")
#: Red and blue change places.
SWAPPED = tuple(eras.translate(str.maketrans("RB", "BR")) for eras in DEFAULT_DECK)
DECKS = {
    "default": DEFAULT_DECK,
    "eventful": EVENTFUL,
    "fixed": FIXED,
    "late": LATE,
    "swapped": SWAPPED,
}


def fields_of(position: str) -> dict[str, str]:
    """A position's fields by their names."""
    from tkm_env.games.terminus.notation import FIELDS

    return dict(zip(FIELDS, position.split(" "), strict=True))


def generator_of(*about: Any) -> np.random.Generator:
    """Random numbers that are the same in every run."""
    return np.random.default_rng(seed_of(*about))


def random_action(game: TerminusGame, generator: np.random.Generator) -> int:
    """A random legal action.

    Each kind of action, not each action, is about as likely as the others, so that events are
    resolved, too.
    """
    legal = game.legal_actions()
    kinds = [game.action_names[action].split(" ")[0] for action in legal]
    kind = generator.choice(sorted(set(kinds)))
    return int(
        generator.choice([action for action, its in zip(legal, kinds, strict=True) if its == kind])
    )
