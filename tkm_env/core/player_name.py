"""The names of a game's players, which are not to be mixed up with their indices."""

from __future__ import annotations

from typing import Any

import numpy as np

from tkm_env.foundations.errors import EncodingError, repr_of


class PlayerName(str):
    """The name of a player of a game, such as ``"white"``: a text that is compared with texts only.

    Batches, environments and ``info`` give players as indices, so a comparison with one is a mistake. Of an integer of numpy on
    the left only numpy knows: that is quietly False.

    Raises:
        EncodingError: if it is compared with an integer.

    >>> from tkm_env import Game
    >>> Game().to_act == "white"
    True
    >>> Game().to_act == 0
    Traceback (most recent call last):
        ...
    tkm_env.foundations.errors.EncodingError: a player 'white' is compared with 0: a game names its players, while batches, \
environments and info give their indices; game.players.index(name) is the index of a name
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
    """What a comparison with something else than a text answers."""
    if isinstance(other, (int, np.integer)):
        raise EncodingError(
            f"a player {repr_of(str(name))} is compared with {repr_of(other)}: a game names its players, while batches,"
            " environments and info give their indices; game.players.index(name) is the index of a name"
        )
    return NotImplemented
