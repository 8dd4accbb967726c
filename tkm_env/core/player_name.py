"""The names of a game's players, which must not be confused with their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tkm_env.foundations.errors import EncodingError, repr_of


class PlayerName(str):
    """The name of a player of a game, such as ``"white"``, to be compared with strings only.

    Batches, environments and ``info`` give players as indices, so comparing a name with an index is
    a mistake. One such comparison goes unnoticed: with a NumPy integer on the left, NumPy decides,
    and answers False.

    Raises:
        EncodingError: if it is compared with an integer.

    >>> from tkm_env import Game
    >>> Game().to_act == "white"
    True
    >>> Game().to_act == 0
    Traceback (most recent call last):
        ...
    tkm_env.foundations.errors.EncodingError: a player 'white' is compared with 0: a game names \
its players, while batches, environments and info give their indices; game.players.index(name) is \
the index of a name
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        answer = str.__eq__(self, other)
        return _unlike(self, other) if answer is NotImplemented else answer

    def __ne__(self, other: object) -> bool:
        answer = str.__ne__(self, other)
        return _unlike(self, other) if answer is NotImplemented else answer

    __hash__ = str.__hash__


def _unlike(name: str, other: object) -> Any:
    """The answer to a comparison with anything but a string."""
    if isinstance(other, (int, np.integer)):
        raise EncodingError(
            f"a player {repr_of(str(name))} is compared with {repr_of(other)}: "
            "a game names its players, while batches, environments and info give their indices; "
            "game.players.index(name) is the index of a name"
        )
    return NotImplemented
