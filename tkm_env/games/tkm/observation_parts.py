"""Which parts of an observation can vary under given settings.

A compact observation consists of these.
"""

from collections.abc import Iterator
from typing import Final

import numpy as np

from tkm_env.core.compact_observation import ObservationPart
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine.geometry import ERAS, FUTURE, NUM_SPACES, PRESENT
from tkm_env.games.tkm.engine.planes import PLANES, POWER_PLANES, Layout, Plane, Varies
from tkm_env.games.tkm.engine.powers import GREEN_THUMB, OVERTIME, POWER_NAMES
from tkm_env.games.tkm.engine.state import GROWTH, INFLUENCE, MEMORY, NO_POWER

#: The planes in which each space stands for a power.
_NUMBERED: Final = tuple(
    number for number, plane in enumerate(PLANES) if plane.layout == Layout.NUMBERED
)

#: The eras in which a plane varies, if not in all of them.
_ERAS_OF: Final = {
    Varies.GROWTH_SINCE_PRESENT: (ERAS[PRESENT], ERAS[FUTURE]),
    Varies.GROWTH_IN_FUTURE: (ERAS[FUTURE],),
}


class _Variation:
    """What can differ between the positions of games under some settings."""

    def __init__(self, config: GameConfig) -> None:
        starts, _ = config.starts()
        white, black = (_powers_in(starts["power"][:, player]) for player in range(2))
        chapters = int(np.bitwise_or.reduce(starts["chapters"]))
        #: The chapters that are in play in some games, but not in all, as bits.
        drawn = chapters & ~int(np.bitwise_and.reduce(starts["chapters"]))
        #: The powers that may be drafted.
        self.revealed = _powers_in(starts["revealed"])
        #: The powers that can tell positions apart: those that only one player can have, or that
        #: are drafted.
        self.telling = (white ^ black) | self.revealed
        powers = white | black | self.revealed
        self.varies = {
            Varies.ALWAYS: True,
            Varies.NEVER: False,
            Varies.GROWTH: bool(chapters & GROWTH),
            Varies.GROWTH_SINCE_PRESENT: bool(chapters & GROWTH),
            Varies.GROWTH_IN_FUTURE: bool(chapters & GROWTH),
            Varies.INFLUENCE: bool(chapters & INFLUENCE),
            Varies.MEMORY: bool(chapters & MEMORY),
            Varies.GROWTH_DRAWN: bool(drawn & GROWTH),
            Varies.INFLUENCE_DRAWN: bool(drawn & INFLUENCE),
            Varies.MEMORY_DRAWN: bool(drawn & MEMORY),
            Varies.POWERS: bool(self.telling),
            Varies.GREEN_THUMB: GREEN_THUMB in powers,
            Varies.OVERTIME: OVERTIME in powers,
            Varies.DRAFT: bool(self.revealed),
            Varies.POWER_SHARE: bool(starts["power_share"].any()),
            Varies.DRAWS: config.draws,
            Varies.HUNDRED_TURNS: config.max_turns >= 100,
            Varies.TWO_TURNS: config.max_turns >= 2,
        }

    def of_plane(self, plane: Plane) -> bool:
        """Whether a plane can vary."""
        eras = _ERAS_OF.get(plane.varies)
        return self.varies[plane.varies] and (eras is None or plane.era in eras)

    def powers_of_plane(self, number: int) -> Iterator[tuple[int, int]]:
        """The powers that a plane can show, each with its element of the observation."""
        first = _NUMBERED.index(number) % POWER_PLANES * NUM_SPACES
        shown = self.revealed if PLANES[number].varies == Varies.DRAFT else self.telling
        for power in sorted(shown & {*range(first, first + NUM_SPACES)}):
            yield power, number * NUM_SPACES + power - first


def _powers_in(field: np.ndarray) -> set[int]:
    """The powers in a field of starts."""
    return set(field.ravel().tolist()) - {NO_POWER}


def observation_parts(config: GameConfig) -> list[ObservationPart]:
    """As `tkm_env.Game.observation_parts`."""
    variation, found = _Variation(config), []
    for number, plane in enumerate(PLANES):
        if not variation.of_plane(plane):
            continue
        first = number * NUM_SPACES
        if plane.layout == Layout.SPACES:
            elements = tuple(range(first, first + NUM_SPACES))
            found.append(ObservationPart(plane.name, plane.era, plane.meaning, elements))
        elif plane.layout == Layout.EVERYWHERE:
            part = ObservationPart(plane.name, plane.era, plane.meaning, (first,), NUM_SPACES)
            found.append(part)
        else:
            found += [
                ObservationPart(
                    f"{plane.name}: {POWER_NAMES[power]}", plane.era, plane.meaning, (element,)
                )
                for power, element in variation.powers_of_plane(number)
            ]
    return found
