"""What all environments of a game share: their spaces, and the checks of actions and of the arguments of `reset`."""

from collections.abc import Mapping
from typing import Any

from gymnasium import spaces

from tkm_env.compiled.random_numbers import Streams, streams_of
from tkm_env.core.observation_encoder import ObservationEncoder
from tkm_env.core.registry import GameSpec
from tkm_env.foundations.checks import whole_number
from tkm_env.foundations.errors import ConfigError, UnknownActionError, repr_of


def observation_space(encoder: ObservationEncoder) -> spaces.Box:
    """The space of observations, with the exact upper bound of each element: from 0, of the encoder's shape and dtype."""
    high = encoder.high
    return spaces.Box(high.dtype.type(0), high, dtype=high.dtype.type)


def action_space(spec: GameSpec) -> spaces.Discrete:
    """The space of a game's actions: indices of its ``action_names``."""
    return spaces.Discrete(len(spec.game_class.action_names))


def checked_options(
    options: object, *known: str, ignored: tuple[str, ...] = ()
) -> Mapping[str, Any]:
    """The ``options`` of a reset: None, or a dict with known or ignored keys only. Raises a `ConfigError` if it is anything else."""
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
    """The ``seed`` of a reset of one game. Raises a `ConfigError` if it is neither None nor a whole number from 0."""
    number = None if seed is None else whole_number(seed)
    if seed is not None and (number is None or number < 0):
        raise ConfigError("seed", seed, "it must be None or a whole number from 0")
    return number


def next_streams(streams: Streams, seed: int | None) -> Streams:
    """The streams of the next game: those of a seed, or copies, which go on unless the game cannot begin."""
    return tuple(stream.copy() for stream in streams) if seed is None else streams_of(seed)


def action_number(action: object, num_actions: int) -> int:
    """An action of an action space, which holds numbers, not names, as an int. Raises an `UnknownActionError`."""
    number = whole_number(action)
    if number is None:
        raise UnknownActionError(
            f"an action of an environment is an index from 0 to {num_actions - 1}, not {repr_of(action)}"
        )
    return number
