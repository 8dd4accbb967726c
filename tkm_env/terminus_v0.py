"""*Terminus* for PettingZoo, version 0: `env` and `raw_env`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gymnasium import spaces

from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.envs import interface
from tkm_env.envs.aec import AECGameEnv, AECKeywords, OrderEnforcingEnv
from tkm_env.games.registry import TERMINUS

if TYPE_CHECKING:
    from tkm_env.games.terminus.config import TerminusSettings

    class _Keywords(TerminusSettings, AECKeywords, total=False):
        """What these environments take."""


def observation_space(
    observation: str = PLANES, canonical: bool = False, **settings: Any
) -> spaces.Box:
    """The space of observations, with the exact bounds of each element.

    Args:
        observation: ``"planes"`` for int8 of shape (838,), or ``"compact"`` for one-dimensional
            float32, whose length depends on the settings.
        canonical: whether both players see the game as the first player.
        **settings: the keywords of `tkm_env.TerminusConfig`.

    Returns:
        The space.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
    """
    return interface.observation_space(
        ObservationEncoder(TERMINUS.game_class, TERMINUS.config(settings), observation, canonical)
    )


def env(*, render_mode: str | None = None, **settings: Unpack[_Keywords]) -> OrderEnforcingEnv:
    """The game with checks, which is what most users want.

    An illegal action loses the game for the player who made it. Agents are ``red_0`` and
    ``blue_0``. A turn is one step, or several if events were covered: one for each event that is
    resolved, and one that skips the rest. `tkm_env.tkm_v0.env` shows how to use it.

    Args:
        render_mode: as for `tkm_env.envs.single.GameEnv`.
        **settings: the keywords of `tkm_env.TerminusConfig`; also ``opening_turns``, ``positions``,
            ``observation`` and ``canonical``, as for `tkm_env.envs.single.GameEnv`.

    Returns:
        The environment.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
    """
    return OrderEnforcingEnv(TERMINUS.name, render_mode=render_mode, **settings)


def raw_env(*, render_mode: str | None = None, **settings: Unpack[_Keywords]) -> AECGameEnv:
    """The game without checks: an illegal action raises an error and changes nothing.

    Args:
        render_mode: as for `env`.
        **settings: as for `env`.

    Returns:
        The environment, whose ``step`` raises an `IllegalActionError` for an illegal action.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.

    >>> environment = raw_env()
    >>> environment.reset(seed=1)
    >>> observation, reward, termination, truncation, info = environment.last()
    >>> observation["observation"].shape, int(observation["action_mask"].sum())
    ((838,), 8)
    """
    return AECGameEnv(TERMINUS.name, render_mode=render_mode, **settings)
