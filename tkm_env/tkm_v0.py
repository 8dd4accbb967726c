"""*That Time You Killed Me* for PettingZoo, version 0: `env` and `raw_env`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack

from gymnasium import spaces

from tkm_env.core.observation_encoder import PLANES, ObservationEncoder
from tkm_env.envs import interface
from tkm_env.envs.aec import AECGameEnv, AECKeywords, OrderEnforcingEnv
from tkm_env.games.registry import TKM

if TYPE_CHECKING:
    from tkm_env.games.tkm.config import GameSettings

    class _Keywords(GameSettings, AECKeywords, total=False):
        """What these environments take."""


def observation_space(
    observation: str = PLANES, canonical: bool = False, **settings: Any
) -> spaces.Box:
    """The space of observations, with the exact bounds of each element.

    Args:
        observation: ``"planes"`` for int8 of shape (84, 4, 4), or ``"compact"`` for
            one-dimensional float32, whose length depends on the settings.
        canonical: whether both players see the game as the first player.
        **settings: the keywords of `tkm_env.GameConfig`.

    Returns:
        The space.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.
    """
    return interface.observation_space(
        ObservationEncoder(TKM.game_class, TKM.config(settings), observation, canonical)
    )


def env(*, render_mode: str | None = None, **settings: Unpack[_Keywords]) -> OrderEnforcingEnv:
    """The game with checks, which is what most users want.

    An illegal action loses the game for the player who made it. Agents are ``white_0`` and
    ``black_0``. A turn is several steps: choose a copy, act twice, shift the focus. The same agent
    therefore often acts several times in a row.

    Args:
        render_mode: as for `tkm_env.envs.single.GameEnv`.
        **settings: the keywords of `tkm_env.GameConfig`; also ``opening_turns``, ``positions``,
            ``observation`` and ``canonical``, as for `tkm_env.envs.single.GameEnv`.

    Returns:
        The environment.

    Raises:
        ConfigError: naming the keyword that is unknown or has an invalid value.

    >>> environment = env()
    >>> environment.reset(seed=1)
    >>> for agent in environment.agent_iter():
    ...     observation, reward, termination, truncation, info = environment.last()
    ...     done = termination or truncation
    ...     action = None if done else environment.action_space(agent).sample(info["action_mask"])
    ...     environment.step(action)
    >>> environment.agents
    []
    """
    return OrderEnforcingEnv(TKM.name, render_mode=render_mode, **settings)


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
    ((84, 4, 4), 1)
    """
    return AECGameEnv(TKM.name, render_mode=render_mode, **settings)
