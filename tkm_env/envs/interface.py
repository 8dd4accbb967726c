"""What all environments of a game share: spaces, and checks of actions and resets."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from gymnasium import spaces

from tkm_env.compiled.random_numbers import Streams, streams_of
from tkm_env.core.game import BaseGame
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import ConfigError, UnknownActionError, repr_of

#: The number of games with the same mistake of a learner that brings a warning.
MANY_GAMES: Final = 10


class IllegalActionCounter:
    """Counts the games of an environment that illegal actions lose, and warns once of many.

    A learner that does not read the mask loses nearly all of its games, and nothing else tells.

    Args:
        advice: what to do about it, as the end of a sentence.
    """

    def __init__(
        self,
        advice: str = (
            "choose among the actions that the mask allows, info['action_mask'], and leave out "
            "wrappers that repeat or replace actions"
        ),
    ) -> None:
        self._advice = advice
        self._games = self._lost = 0

    def count(self, games: int, lost: int) -> None:
        """Count games that ended.

        Args:
            games: their number.
            lost: the number of those among them that an illegal action lost.
        """
        self._games += games
        if self._lost < MANY_GAMES <= self._lost + lost:
            warnings.warn(
                f"{self._lost + lost} of the first {self._games} games were lost by illegal "
                f"actions: {self._advice}",
                stacklevel=3,
            )
        self._lost += lost


def observation_space(encoder: ObservationEncoder) -> spaces.Box:
    """The space of observations: from 0 to the exact upper bound of each element.

    It has the encoder's shape and dtype.
    """
    high = encoder.high
    return spaces.Box(high.dtype.type(0), high, dtype=high.dtype.type)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """The space of a game's actions: indices of its ``action_names``."""
    return spaces.Discrete(len(spec.game_class.action_names))


def checked_options(
    options: object, *known: str, ignored: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    """Check the ``options`` of a reset.

    Args:
        options: None, or a dict.
        *known: the keys that it may hold.
        ignored: keys that it may also hold, without effect.

    Returns:
        The options; an empty dict for None.

    Raises:
        ConfigError: if they are neither None nor a dict, or hold any other key.
    """
    if options is None:
        return {}
    valid = f"valid keys: {', '.join(map(repr, known))}"
    if not isinstance(options, Mapping):
        raise ConfigError("options", options, f"it must be None or a dict; {valid}")
    for key in options:
        if key not in (*known, *ignored):
            raise ConfigError("options", options, f"there is no option {repr_of(key)}; {valid}")
    return options


def checked_reset_seed(seed: object) -> int | None:
    """Check the ``seed`` for one game: None, or an integer from 0.

    Raises:
        ConfigError: if it is neither.
    """
    number = None if seed is None else whole_number(seed)
    if seed is not None and (number is None or number < 0):
        raise ConfigError("seed", seed, "it must be None or an integer from 0")
    return number


def next_streams(streams: Streams | None, seed: int | None) -> Streams:
    """The random streams of the next game.

    Args:
        streams: those of the last game, which are left unchanged; None before the first game, so
            that copies of an environment that was never reset play games of their own.
        seed: the seed to make streams from; None continues with ``streams``.

    Returns:
        The seed's streams, or copies of ``streams``, so that a game that cannot begin draws
        nothing; or streams that the system seeds, if there is neither.
    """
    if seed is None and streams is not None:
        return tuple(stream.copy() for stream in streams)
    return streams_of(seed)


def constant_info(
    game: BaseGame, info: dict[str, Any], details: Mapping[str, Any]
) -> dict[str, Any]:
    """What an ``info`` says of a game if its keys never change.

    Args:
        game: the game.
        info: what it says in every step anyway.
        details: what it would say of this step besides.

    Returns:
        ``info``, all of the game's `info_fields`, with zeros where it knows nothing yet, and
        "illegal_action", -1 unless it is in ``details``; integers are NumPy's, which have a dtype.
    """
    blank = {field.key: np.zeros(field.shape, field.dtype) for field in game.info_fields}
    found = info | blank | game.info() | {"illegal_action": details.get("illegal_action", -1)}
    return {
        key: np.int64(value) if isinstance(value, int) else value for key, value in found.items()
    }


def action_number(action: object, num_actions: int) -> int:
    """Convert an action of an environment to an int.

    Args:
        action: an integer of any kind; names of actions are refused.
        num_actions: the size of the action space, for the error message; the range is not checked.

    Returns:
        The action's index.

    Raises:
        UnknownActionError: if it is not an integer.
    """
    number = whole_number(action)
    if number is None:
        raise UnknownActionError(
            f"an action of an environment is an index from 0 to {num_actions - 1}, "
            f"not {repr_of(action)}"
        )
    return number
