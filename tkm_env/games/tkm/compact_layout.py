"""Which parts of an observation can differ from position to position under given settings."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from tkm_env.game.compact_observation import ObservationPart
from tkm_env.games.tkm.config import GameConfig
from tkm_env.games.tkm.engine.geometry import ERAS, FUTURE, NUM_SPACES, PRESENT
from tkm_env.games.tkm.engine.observation import PLANES, POWER_PLANES
from tkm_env.games.tkm.engine.powers import GREEN_THUMB, OVERTIME, POWER_NAMES
from tkm_env.games.tkm.engine.state import GROWTH, INFLUENCE, MEMORY, NO_POWER

#: The planes in which each cell stands for a power.
_NUMBERED: Final = tuple(number for number, plane in enumerate(PLANES) if plane.layout == "numbered")


def parts(config: GameConfig) -> list[ObservationPart]:
    """The parts of an observation that vary under these settings, in the order of `tkm_env.PLANES`.

    >>> [part.name for part in parts(GameConfig(powers=("express", None)))][-6:]
    ['my supply', 'their supply', 'my power: express', 'their power: express', 'turn, hundreds', 'turn, units']
    """
    starts, _ = config.starts()
    chapters, always_in_play = (int(combine.reduce(starts["chapters"])) for combine in (np.bitwise_or, np.bitwise_and))
    drawn = chapters & ~always_in_play
    white, black = (set(starts["power"][:, player].tolist()) - {NO_POWER} for player in range(2))
    revealed = set(starts["revealed"].ravel().tolist()) - {NO_POWER}
    powers = white | black | revealed
    telling = (white ^ black) | revealed  # not those that both players have from the start
    #: By the words of the table of planes: whether a plane varies, or in which eras it does.
    varies: dict[str, bool | Collection[int]] = {
        "always": True,
        "never": False,
        "Growth": bool(chapters & GROWTH),
        "Growth, but in the past": (PRESENT, FUTURE) if chapters & GROWTH else (),
        "Growth, in the future": (FUTURE,) if chapters & GROWTH else (),
        "Influence": bool(chapters & INFLUENCE),
        "Memory": bool(chapters & MEMORY),
        "Growth, if drawn": bool(drawn & GROWTH),
        "Influence, if drawn": bool(drawn & INFLUENCE),
        "Memory, if drawn": bool(drawn & MEMORY),
        "a draft": bool(revealed),
        "Power Share": bool(starts["power_share"].any()),
        "draws": config.draws,
        "powers": bool(telling),
        "`green-thumb`": GREEN_THUMB in powers,
        "`overtime`": OVERTIME in powers,
        "100 turns or more": config.max_turns >= 100,
        "2 turns or more": config.max_turns >= 2,
    }
    found = []
    for number, plane in enumerate(PLANES):
        does = varies[plane.varies]
        if not (does if isinstance(does, bool) else plane.era is not None and ERAS.index(plane.era) in does):
            continue
        first = number * NUM_SPACES
        if plane.layout == "spaces":
            found.append(ObservationPart(plane.name, plane.era, plane.meaning, tuple(range(first, first + NUM_SPACES))))
        elif plane.layout == "everywhere":
            found.append(ObservationPart(plane.name, plane.era, plane.meaning, (first,), NUM_SPACES))
        else:
            before = _NUMBERED.index(number) % POWER_PLANES * NUM_SPACES  # the powers of planes before this one
            here = (revealed if plane.varies == "a draft" else telling) & {*range(before, before + NUM_SPACES)}
            found += [
                ObservationPart(f"{plane.name}: {POWER_NAMES[power]}", plane.era, plane.meaning, (first + power - before,))
                for power in sorted(here)
            ]
    return found
