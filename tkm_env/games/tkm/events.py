"""Events: one typed record for each change on the board.

Together, the events of an action are the difference between the positions before and after it in
the board, the seeds, the hats and the supplies.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Final

import numpy as np

from tkm_env.foundations.message import Message
from tkm_env.games.tkm.engine.event_log import KINDS
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.state import (
    COPY,
    ELEPHANT,
    ELEPHANTS,
    PIECES,
    PLAYERS,
    SEED,
    STATUE,
    TREE,
)


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened in one era ("past", "present", "future"). Spaces count from 1."""

    era: str

    #: The kinds of the engine's log entries that this class represents; by default its name.
    kinds: ClassVar[tuple[str, ...]] = ()
    #: The event in words, to be filled with its fields; empty if it depends on ``how``.
    words: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        cls.kinds = cls.kinds or (cls.__name__.lower(),)

    def __str__(self) -> Message:
        """What happened, as a clause.

        >>> str(Died("past", "black", 8, "squish"))
        'the black copy on past 8 was squished'
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        words = _WORDS_OF.get(fields.pop("how", ""), self.words)
        if "piece" in fields:
            # A sentence needs less than the full name: "fallen tree, trunk to the east".
            fields["piece"] = fields["piece"].partition(",")[0].replace("'s", "")
            fields["the"] = f"the {fields['piece']}"
        return Message(words, **fields)


#: The ways to move and to die in words, each like the ``words`` of an event.
_WORDS_OF: Final = {
    "walked": "{the} walked from {era} {space} to {to}",
    "pushed": "{the} was pushed from {era} {space} to {to}",
    "pulled": "{the} was pulled from {era} {space} to {to}",
    "commanded": "{the} was sent from {era} {space} to {to}",
    "squish": "the {player} copy on {era} {space} was squished",
    "paradox": "the {player} copy on {era} {space} died in a paradox",
    "crush": "the {player} copy on {era} {space} was crushed by a tree",
    "trample": "the {player} copy on {era} {space} was trampled",
}


@dataclasses.dataclass(frozen=True)
class Died(Event):
    """A copy died: by "squish", "paradox", "crush" or "trample"."""

    player: str
    space: int
    how: str
    kinds: ClassVar = ("squish", "paradox", "crush", "trample")


@dataclasses.dataclass(frozen=True)
class Returned(Event):
    """The copy that just died on ``space`` went back to its owner's supply, by `second-wind`."""

    player: str
    space: int
    words = "the copy that died on {era} {space} went back to {player}'s supply"


@dataclasses.dataclass(frozen=True)
class Moved(Event):
    """A copy, statue or elephant moved a step: "walked", "pushed", "pulled" or "commanded"."""

    piece: str
    space: int
    to: int
    how: str
    kinds: ClassVar = ("walked", "pushed", "pulled", "commanded")


@dataclasses.dataclass(frozen=True)
class Toppled(Event):
    """A tree that stood on ``space`` fell onto the space ``to``."""

    space: int
    to: int
    words = "the tree on {era} {space} fell onto {to}"


@dataclasses.dataclass(frozen=True)
class Travelled(Event):
    """A copy travelled from ``era`` to the same space of the era ``to``."""

    player: str
    space: int
    to: str
    words = "the {player} copy travelled from {era} {space} to {to} {space}"


@dataclasses.dataclass(frozen=True)
class Copied(Event):
    """A new copy came from the supply."""

    player: str
    space: int
    words = "a new {player} copy came to {era} {space}"


@dataclasses.dataclass(frozen=True)
class Exchanged(Event):
    """The active copy on ``space`` changed places with the copy on the space ``to``."""

    player: str
    space: int
    to: int
    words = "the {player} copy on {era} {space} changed places with the one on {to}"


@dataclasses.dataclass(frozen=True)
class Planted(Event):
    """A seed was planted."""

    space: int
    words = "a seed was planted on {era} {space}"


@dataclasses.dataclass(frozen=True)
class Grew(Event):
    """A shrub or a standing tree grew."""

    piece: str
    space: int
    words = "a {piece} grew on {era} {space}"


@dataclasses.dataclass(frozen=True)
class Removed(Event):
    """A seed, a shrub or a tree, standing or fallen, left the board."""

    piece: str
    space: int
    words = "{the} on {era} {space} was removed"


@dataclasses.dataclass(frozen=True)
class Built(Event):
    """A player's statue was placed: by the action itself, or by appearing in a later era."""

    player: str
    space: int
    words = "the {player} statue rose on {era} {space}"


@dataclasses.dataclass(frozen=True)
class Trained(Event):
    """An elephant got the player's hat."""

    elephant: str
    player: str
    words = "the {elephant} elephant of the {era} got a {player} hat"


@dataclasses.dataclass(frozen=True)
class Untrained(Event):
    """An elephant lost the player's hat."""

    elephant: str
    player: str
    words = "the {elephant} elephant of the {era} lost its {player} hat"


#: All classes of events, in the order of this file.
EVENT_CLASSES: Final[tuple[type[Event], ...]] = tuple(Event.__subclasses__())
_CLASS_OF: Final = {kind: event for event in EVENT_CLASSES for kind in event.kinds}
assert set(_CLASS_OF) == set(KINDS)


def events_of(log: np.ndarray) -> list[Event]:
    """The events that the engine logged, in the order in which they happened.

    Args:
        log: the entries: int8 of shape (n, 5), each with kind, era, space, piece and destination.
    """
    return [_event(KINDS[kind], *entry) for kind, *entry in log.tolist()]


def _event(kind: str, era: int, space: int, piece: int, to: int) -> Event:
    values: dict[str, Any] = {
        "era": ERAS[era],
        "space": space + 1,
        "to": ERAS[to] if kind == "travelled" else to + 1,
        "piece": "seed" if piece == SEED else PIECES[piece],
        "how": kind,
    }
    if kind in Trained.kinds + Untrained.kinds:
        values |= {"elephant": ELEPHANTS[piece - ELEPHANT], "player": PLAYERS[to]}
    elif piece < TREE:
        values["player"] = PLAYERS[piece - COPY]
    elif kind in Built.kinds:
        values["player"] = PLAYERS[piece - STATUE]
    event = _CLASS_OF[kind]
    return event(*(values[field.name] for field in dataclasses.fields(event)))


def totals_of(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """How often each kind of event happened, by player.

    Args:
        counts: the engine's totals: integers of shape (kinds, 2).
    """
    return {
        player: dict(zip(KINDS, counts[:, number].tolist(), strict=True))
        for number, player in enumerate(PLAYERS)
    }
