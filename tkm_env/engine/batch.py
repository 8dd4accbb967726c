"""The engine's entry points: the same rules for an array of games, in one compiled call. Imports `turn`, `observation` and below."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.engine.compiled import entry_point
from tkm_env.engine.observation import write_observation
from tkm_env.engine.turn import play, write_mask

__all__ = ["NO_ACTION", "observe_all", "play_all"]

#: In place of an action: leave the game as it is, and only write what is legal.
NO_ACTION: Final = -1


@entry_point
def play_all(states: Any, actions: Any, masks: Any, scratch: Any) -> None:
    """Play ``actions[i]``, one after the other, in ``states[i]``, and write what is legal then to ``masks[i]``.

    Each action must be legal at its place, or `NO_ACTION`. Shapes: ``states`` (n,) of dtype STATE, ``actions`` (n, k) int64, ``masks``
    (n, NUM_ACTIONS) int8, ``scratch`` (1,) of dtype SCRATCH.
    """
    for game in range(states.shape[0]):
        for number in range(actions.shape[1]):
            if actions[game, number] == NO_ACTION:
                write_mask(states[game], masks[game], scratch[0])
            else:
                play(states[game], actions[game, number], masks[game], scratch[0])


@entry_point
def observe_all(states: Any, viewers: Any, observations: Any) -> None:
    """Write what player ``viewers[i]`` sees of ``states[i]`` to ``observations[i]``.

    Shapes: ``viewers`` (n,) int64, ``observations`` (n, NUM_PLANES, 2) uint64: int8 observations of shape (n, NUM_PLANES, 4, 4), seen
    as words of eight spaces.
    """
    for game in range(states.shape[0]):
        write_observation(states[game], viewers[game], observations[game])
