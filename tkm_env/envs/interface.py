"""What all environments of a game share: spaces, and checks of actions and resets."""

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces

from tkm_env.compiled.random_numbers import Streams, streams_of
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import ConfigError, UnknownActionError, repr_of


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


def next_streams(streams: Streams, seed: int | None) -> Streams:
    """The random streams of the next game.

    Args:
        streams: those of the last game, which are left unchanged.
        seed: the seed to make streams from; None continues with ``streams``.

    Returns:
        The seed's streams, or copies of ``streams``, so that a game that cannot begin draws
        nothing.
    """
    return tuple(stream.copy() for stream in streams) if seed is None else streams_of(seed)


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
