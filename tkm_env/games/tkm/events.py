"""Events: one typed record for each change on the board.

Together, the events of an action are the difference between the positions before and after it in the board, the seeds, the hats and
the supplies.
"""

from __future__ import annotations

import dataclasses
from typing import ClassVar, Final

import numpy as np

from tkm_env.games.tkm.engine.event_log import KINDS
from tkm_env.games.tkm.engine.geometry import ERAS
from tkm_env.games.tkm.engine.state import COPY, ELEPHANT, ELEPHANTS, PIECES, PLAYERS, SEED, STATUE


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened in one era ("past", "present", "future"). Spaces count from 1."""

    era: str

    #: The kinds of the engine's log entries that this class represents.
    kinds: ClassVar[tuple[str, ...]] = ()
    #: The event in words, filled with its fields; `str` of an event.
    words: ClassVar[str]

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        """The event that the engine logged with these numbers, ``space`` and ``to`` from 0."""
        raise NotImplementedError

    def __str__(self) -> str:
        """What happened, as a clause.

        >>> str(Died("past", "black", 8, "squish"))
        'the black copy on past 8 was squished'
        """
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        # The names of pieces say more than a sentence needs: "fallen tree, trunk to the east".
        piece = fields.get("piece", "").partition(",")[0].replace("'s", "")
        return self.words.format(**fields | {"piece": piece, "how": _HOW.get(fields.get("how", ""))})


#: The ways to move and to die, in words.
_HOW: Final = {
    "walked": "walked",
    "pushed": "was pushed",
    "pulled": "was pulled",
    "commanded": "was sent",
    "squish": "was squished",
    "paradox": "died in a paradox",
    "crush": "was crushed by a tree",
    "trample": "was trampled",
}


@dataclasses.dataclass(frozen=True)
class _OfPlayer(Event):
    """An event about one player's copy on one space."""

    player: str
    space: int

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PLAYERS[piece - COPY], space + 1)


@dataclasses.dataclass(frozen=True)
class Died(Event):
    """A copy died: by "squish", "paradox", "crush" or "trample"."""

    player: str
    space: int
    how: str
    kinds: ClassVar = ("squish", "paradox", "crush", "trample")
    words = "the {player} copy on {era} {space} {how}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PLAYERS[piece - COPY], space + 1, kind)


@dataclasses.dataclass(frozen=True)
class Returned(_OfPlayer):
    """With `second-wind`, the copy that just died on that space went back to its owner's supply."""

    kinds: ClassVar = ("returned",)
    words = "the copy that died on {era} {space} went back to {player}'s supply"


@dataclasses.dataclass(frozen=True)
class Moved(Event):
    """A copy, statue or elephant moved one step: it "walked", or was "pushed", "pulled" or "commanded"."""

    piece: str
    space: int
    to: int
    how: str
    kinds: ClassVar = ("walked", "pushed", "pulled", "commanded")
    words = "the {piece} {how} from {era} {space} to {to}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PIECES[piece], space + 1, to + 1, kind)


@dataclasses.dataclass(frozen=True)
class Toppled(Event):
    """A tree that stood on ``space`` fell onto the space ``to``."""

    space: int
    to: int
    kinds: ClassVar = ("toppled",)
    words = "the tree on {era} {space} fell onto {to}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, space + 1, to + 1)


@dataclasses.dataclass(frozen=True)
class Travelled(Event):
    """A copy travelled from ``era`` to the same space of the era ``to``."""

    player: str
    space: int
    to: str
    kinds: ClassVar = ("travelled",)
    words = "the {player} copy travelled from {era} {space} to {to} {space}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PLAYERS[piece - COPY], space + 1, ERAS[to])


@dataclasses.dataclass(frozen=True)
class Copied(_OfPlayer):
    """A new copy came from the supply."""

    kinds: ClassVar = ("copied",)
    words = "a new {player} copy came to {era} {space}"


@dataclasses.dataclass(frozen=True)
class Exchanged(Event):
    """The active copy on ``space`` changed places with the copy on the space ``to``."""

    player: str
    space: int
    to: int
    kinds: ClassVar = ("exchanged",)
    words = "the {player} copy on {era} {space} changed places with the one on {to}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PLAYERS[piece - COPY], space + 1, to + 1)


@dataclasses.dataclass(frozen=True)
class Planted(Event):
    """A seed was planted."""

    space: int
    kinds: ClassVar = ("planted",)
    words = "a seed was planted on {era} {space}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, space + 1)


@dataclasses.dataclass(frozen=True)
class _OfPiece(Event):
    """An event about one piece on one space."""

    piece: str
    space: int

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, "seed" if piece == SEED else PIECES[piece], space + 1)


@dataclasses.dataclass(frozen=True)
class Grew(_OfPiece):
    """A shrub or a standing tree grew."""

    kinds: ClassVar = ("grew",)
    words = "a {piece} grew on {era} {space}"


@dataclasses.dataclass(frozen=True)
class Removed(_OfPiece):
    """A seed, a shrub or a tree, standing or fallen, left the board."""

    kinds: ClassVar = ("removed",)
    words = "the {piece} on {era} {space} was removed"


@dataclasses.dataclass(frozen=True)
class Built(Event):
    """A player's statue was placed: by the action itself, or appearing in a later era."""

    player: str
    space: int
    kinds: ClassVar = ("built",)
    words = "the {player} statue rose on {era} {space}"

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, PLAYERS[piece - STATUE], space + 1)


@dataclasses.dataclass(frozen=True)
class _OfElephant(Event):
    """An event about the hat of "dark" or "light"."""

    elephant: str
    player: str

    @classmethod
    def made_of(cls, kind: str, era: str, space: int, piece: int, to: int) -> Event:
        return cls(era, ELEPHANTS[piece - ELEPHANT], PLAYERS[to])


@dataclasses.dataclass(frozen=True)
class Trained(_OfElephant):
    """An elephant got the player's hat."""

    kinds: ClassVar = ("trained",)
    words = "the {elephant} elephant of the {era} got a {player} hat"


@dataclasses.dataclass(frozen=True)
class Untrained(_OfElephant):
    """An elephant lost the player's hat."""

    kinds: ClassVar = ("untrained",)
    words = "the {elephant} elephant of the {era} lost its {player} hat"


#: All kinds of events.
EVENT_CLASSES: Final[tuple[type[Event], ...]] = (
    Died,
    Returned,
    Moved,
    Toppled,
    Travelled,
    Copied,
    Exchanged,
    Planted,
    Grew,
    Removed,
    Built,
    Trained,
    Untrained,
)
_CLASS_OF = {kind: event for event in EVENT_CLASSES for kind in event.kinds}
assert set(_CLASS_OF) == set(KINDS)


def events_of(log: np.ndarray) -> list[Event]:
    """The events that the engine logged, in the order in which they happened.

    Args:
        log: int8 of shape (n, 5): kind, era, space, piece, to.
    """
    return [
        _CLASS_OF[KINDS[kind]].made_of(KINDS[kind], ERAS[era], space, piece, to) for kind, era, space, piece, to in log.tolist()
    ]


def totals_of(counts: np.ndarray) -> dict[str, dict[str, int]]:
    """How often each kind of event happened, by player; what happens to copies counts for their owner, the rest for the player who acted.

    Args:
        counts: integers of shape (kinds, 2), as added up by the engine.
    """
    return {player: dict(zip(KINDS, counts[:, number].tolist(), strict=True)) for number, player in enumerate(PLAYERS)}
