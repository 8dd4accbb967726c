"""Which parts of an observation can differ from position to position under given settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import numpy as np

from tkm_env.game.compact_observation import Part
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine.geometry import ERAS, FUTURE, NUM_SPACES, PAST
from tkm_env.games.tkm.engine.observation import PLANES, POWER_PLANES, Plane
from tkm_env.games.tkm.engine.powers import GREEN_THUMB, OVERTIME, POWER_NAMES
from tkm_env.games.tkm.engine.state import GROWTH, INFLUENCE, MEMORY, NO_POWER


@dataclasses.dataclass(frozen=True)
class _Possible:
    """What the games of some settings can have.

    Attributes:
        chapters: the bits of the chapters that can be in play.
        drawn: the bits of those that need not be.
        powers: the powers that somebody can have.
        telling: those of them by which positions differ: not those that both players have from the start.
        revealed: the powers that can be drafted.
        power_share: whether one power is drafted for both.
        draws: whether draws can be offered.
        max_turns: the highest number of a turn.
    """

    chapters: int
    drawn: int
    powers: frozenset[int]
    telling: frozenset[int]
    revealed: frozenset[int]
    power_share: bool
    draws: bool
    max_turns: int

    @classmethod
    def under(cls, config: GameConfig) -> _Possible:
        starts, _ = config.starts()
        any_chapter, every_chapter = (int(combine.reduce(starts["chapters"])) for combine in (np.bitwise_or, np.bitwise_and))
        white, black = (frozenset(starts["power"][:, player].tolist()) - {NO_POWER} for player in range(2))
        revealed = frozenset(starts["revealed"].ravel().tolist()) - {NO_POWER}
        return cls(
            chapters=any_chapter,
            drawn=any_chapter & ~every_chapter,
            powers=white | black | revealed,
            telling=white ^ black | revealed,
            revealed=revealed,
            power_share=bool(starts["power_share"].any()),
            draws=config.draws,
            max_turns=config.max_turns,
        )


#: When a plane varies, by the words of the table of planes: whether it does in an era (-1: the whole game) of such games.
_VARIES: Final[Mapping[str, Callable[[_Possible, int], bool]]] = {
    "always": lambda possible, era: True,
    "never": lambda possible, era: False,
    "Growth": lambda possible, era: bool(possible.chapters & GROWTH),
    "Growth, but in the past": lambda possible, era: bool(possible.chapters & GROWTH) and era != PAST,
    "Growth, in the future": lambda possible, era: bool(possible.chapters & GROWTH) and era == FUTURE,
    "Influence": lambda possible, era: bool(possible.chapters & INFLUENCE),
    "Memory": lambda possible, era: bool(possible.chapters & MEMORY),
    "Growth, if drawn": lambda possible, era: bool(possible.drawn & GROWTH),
    "Influence, if drawn": lambda possible, era: bool(possible.drawn & INFLUENCE),
    "Memory, if drawn": lambda possible, era: bool(possible.drawn & MEMORY),
    "a draft": lambda possible, era: bool(possible.revealed),
    "Power Share": lambda possible, era: possible.power_share,
    "draws": lambda possible, era: possible.draws,
    "powers": lambda possible, era: bool(possible.telling),
    "`green-thumb`": lambda possible, era: GREEN_THUMB in possible.powers,
    "`overtime`": lambda possible, era: OVERTIME in possible.powers,
    "100 turns or more": lambda possible, era: possible.max_turns >= 100,
    "2 turns or more": lambda possible, era: possible.max_turns >= 2,
}

#: The planes in which each cell stands for a power.
_NUMBERED: Final = tuple(number for number, plane in enumerate(PLANES) if plane.layout == "numbered")


def parts(config: GameConfig) -> list[Part]:
    """The parts of an observation that vary under these settings, in the order of `tkm_env.PLANES`.

    >>> [part.name for part in parts(GameConfig(powers=("express", None)))][-6:]
    ['my supply', 'their supply', 'my power: express', 'their power: express', 'turn, hundreds', 'turn, units']
    """
    possible = _Possible.under(config)
    return [part for number, plane in enumerate(PLANES) for part in _parts_of(number, plane, possible)]


def _parts_of(number: int, plane: Plane, possible: _Possible) -> Iterator[Part]:
    """What varies of a plane, given with its number."""
    era = -1 if plane.era is None else ERAS.index(plane.era)
    if not _VARIES[plane.varies](possible, era):
        return
    first = number * NUM_SPACES
    if plane.layout == "spaces":
        yield Part(plane.name, plane.era, plane.meaning, tuple(range(first, first + NUM_SPACES)))
    elif plane.layout == "everywhere":
        yield Part(plane.name, plane.era, plane.meaning, (first,), NUM_SPACES)
    else:
        powers = possible.revealed if plane.varies == "a draft" else possible.telling
        before = _NUMBERED.index(number) % POWER_PLANES * NUM_SPACES  # the powers of planes before this one
        for power in sorted(powers & set(range(before, before + NUM_SPACES))):
            yield Part(f"{plane.name}: {POWER_NAMES[power]}", plane.era, plane.meaning, (first + power - before,))
