"""What actions did, in words. Imports `events`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from tkm_env.events import (
    Built,
    Copied,
    Died,
    Event,
    Exchanged,
    Grew,
    Moved,
    Planted,
    Removed,
    Returned,
    Toppled,
    Trained,
    Travelled,
    Untrained,
)

__all__ = ["in_words"]

_DEATHS: Final = {
    "squish": "is squished",
    "paradox": "vanishes in a paradox",
    "crush": "is crushed by a tree",
    "trample": "is trampled",
}
_STEPS: Final = {"walked": "walks", "pushed": "is pushed", "pulled": "is pulled", "commanded": "walks"}

#: The sentence for each kind of event.
_SENTENCES: Final[dict[type[Event], Callable[[Any], str]]] = {
    Died: lambda event: f"{event.player}'s copy on {_at(event)} {_DEATHS[event.how]}",
    Returned: lambda event: f"it goes back to {event.player}'s supply",
    Moved: lambda event: f"the {event.piece} on {_at(event)} {_STEPS[event.how]} to {event.to}",
    Toppled: lambda event: f"the tree on {_at(event)} falls onto {event.to}",
    Travelled: lambda event: f"{event.player}'s copy on {_at(event)} travels to the {event.to}",
    Copied: lambda event: f"{event.player} gets a new copy on {_at(event)}",
    Exchanged: lambda event: f"the copies on {_at(event)} and {event.to} change places",
    Planted: lambda event: f"a seed is planted on {_at(event)}",
    Grew: lambda event: f"a {event.piece} grows on {_at(event)}",
    Removed: lambda event: f"the {event.piece} on {_at(event)} is removed",
    Built: lambda event: f"{event.player}'s statue stands on {_at(event)}",
    Trained: lambda event: f"the {event.elephant} elephant of the {event.era} gets {event.player}'s hat",
    Untrained: lambda event: f"the {event.elephant} elephant of the {event.era} loses {event.player}'s hat",
}


def in_words(events: Iterable[Event]) -> str:
    """What happened, as one sentence; empty where nothing did.

    >>> in_words([Moved("past", "white copy", 1, 2, "walked"), Died("past", "black", 3, "squish")])
    "the white copy on past 1 walks to 2; black's copy on past 3 is squished"
    """
    return "; ".join(_SENTENCES[type(event)](event) for event in events)


def _at(event: Any) -> str:
    return f"{event.era} {event.space}"
