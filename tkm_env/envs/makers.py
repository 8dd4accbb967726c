"""What the ids of a game's environments stand for: functions that make them."""

from __future__ import annotations

from typing import Any, Final

from tkm_env.core.observation_encoder import COMPACT
from tkm_env.core.registry import game_spec
from tkm_env.envs.single import GameEnv
from tkm_env.envs.turns import TurnGameEnv, TurnVectorEnv
from tkm_env.envs.vector import GameVectorEnv
from tkm_env.foundations.checks import checked_choice
from tkm_env.foundations.errors import ConfigError

#: The most turns that the ids of whole turns show; positions with more are rare.
_MAX_CHOICES: Final = 256


def make_vector_env(game: str, num_envs: int = 1, *, device: str = "cpu", **keywords: Any) -> Any:
    """Make a vector environment; the entry point of ``gymnasium.make_vec``.

    Args:
        game: the name of the game in the registry.
        num_envs: the number of games.
        device: ``"cpu"`` or ``"cuda"``.
        **keywords: the other arguments of the environment.

    Returns:
        A `tkm_env.envs.vector.GameVectorEnv` on ``"cpu"``, a
        `tkm_env.envs.cuda_vector.CudaVectorEnv` on ``"cuda"``.

    Raises:
        ConfigError: if there is no such device, or an argument is invalid.
    """
    if checked_choice("device", device, ("cpu", "cuda")) == "cpu":
        return GameVectorEnv(game, num_envs, **keywords)
    from tkm_env.envs.cuda_vector import CudaVectorEnv

    return CudaVectorEnv(game, num_envs, **keywords)


def make_compact_env(game: str, **keywords: Any) -> GameEnv:
    """Make one game with compact observations, such as ``"tkm_env/TKM-Compact-v0"``.

    Both sides see the game alike, if the game has such a view.

    Args:
        game: the name of the game in the registry.
        **keywords: those of `tkm_env.envs.single.GameEnv`; they take precedence.

    Returns:
        The environment.

    Raises:
        ConfigError: as for `tkm_env.envs.single.GameEnv`.
    """
    return GameEnv(game, **_compact(game) | keywords)


def make_compact_vector_env(game: str, num_envs: int = 1, **keywords: Any) -> Any:
    """Make many games with compact observations, such as ``"tkm_env/TKM-Compact-v0"``.

    Args:
        game: the name of the game in the registry.
        num_envs: the number of games.
        **keywords: those of `make_vector_env`; they take precedence.

    Returns:
        The environment.

    Raises:
        ConfigError: as for `make_vector_env`.
    """
    return make_vector_env(game, num_envs, **_compact(game) | keywords)


def make_turn_env(
    game: str, *, max_choices: int | None = _MAX_CHOICES, thin: bool = True, **keywords: Any
) -> TurnGameEnv:
    """Make one game whose actions are whole turns, such as ``"tkm_env/TKM-Turns-v0"``.

    Args:
        game: the name of the game in the registry.
        max_choices: as for `tkm_env.TurnEnv`.
        thin: as for `tkm_env.TurnEnv`.
        **keywords: those of `make_compact_env`; they take precedence.

    Returns:
        The environment.

    Raises:
        ConfigError: as for `tkm_env.TurnEnv`, which refuses games that hide anything.
    """
    return TurnGameEnv(make_compact_env(game, **keywords), max_choices, thin)


def make_turn_vector_env(
    game: str,
    num_envs: int = 1,
    *,
    max_choices: int | None = _MAX_CHOICES,
    thin: bool = True,
    **keywords: Any,
) -> TurnVectorEnv:
    """Make many games whose actions are whole turns, such as ``"tkm_env/TKM-Turns-v0"``.

    Args:
        game: the name of the game in the registry.
        num_envs: the number of games.
        max_choices: as for `tkm_env.TurnEnv`.
        thin: as for `tkm_env.TurnEnv`.
        **keywords: those of `make_compact_vector_env`; they take precedence.

    Returns:
        The environment.

    Raises:
        ConfigError: as for `tkm_env.TurnVectorEnv`, which refuses games that hide anything.
    """
    return TurnVectorEnv(make_compact_vector_env(game, num_envs, **keywords), max_choices, thin)


def _compact(game: str) -> dict[str, Any]:
    """The keywords of compact observations."""
    try:
        game_spec(game).game_class.player_swap_symmetry()
    except ConfigError:
        return {"observation": COMPACT}
    return {"observation": COMPACT, "canonical": True}
