"""Play random games, and print a digest of the images of all their positions.

    python benchmarks/symmetric_images.py --chapters growth

Each position has an image under every symmetry, and a canonical form. The digest also covers what
becomes of actions and observations. `benchmarks/compare_behaviour.py` runs it with any version of
the package.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from typing import Any, Final

from numpy.typing import NDArray

from tkm_env import Batch
from tkm_env.games.tkm.symmetries import SYMMETRIES, canonical

_GAMES: Final = 50
_STEPS: Final = 100
#: Whether players may concede and offer draws, which soon ends a random game.
_TALK: Final[tuple[dict[str, Any], ...]] = ({}, {"concede": True, "draws": True})


def positions(settings: Mapping[str, Any]) -> Iterator[NDArray[Any]]:
    """The positions of random games, which begin again when they are over; used until the next."""
    for talk in _TALK:
        batch = Batch(_GAMES, **settings, **talk)
        batch.reset(seed=1)
        for _ in range(_STEPS):
            batch.play(batch.random_actions())
            yield batch.states
            batch.begin(batch.over)


def images(settings: Mapping[str, Any]) -> Iterator[NDArray[Any]]:
    """What the symmetries make of actions, of observations and of positions."""
    for symmetry in SYMMETRIES:
        tables = symmetry.tables()
        yield from (symmetry.actions(), tables.elements, tables.flipped)
    for states in positions(settings):
        yield canonical(states)
        for symmetry in SYMMETRIES:
            yield symmetry.states(states)


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chapters")
    parser.add_argument("--edition", default="2022")
    parser.add_argument("--timeline")
    digest = hashlib.sha256()
    for image in images(vars(parser.parse_args())):
        digest.update(image.tobytes())
    print(digest.hexdigest())


if __name__ == "__main__":
    main()
