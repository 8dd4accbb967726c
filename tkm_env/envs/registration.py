"""Registration of a game's environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import Any, NoReturn

import gymnasium
from pettingzoo.env_registry.registration import aec_registry, register

from tkm_env.core.registry import GameSpec, add_games
from tkm_env.foundations.checks import checked_choice, checked_instance
from tkm_env.foundations.errors import ConfigError


def register_environments(spec: GameSpec) -> None:
    """Register ``env_id`` with Gymnasium and, in lower case, with PettingZoo.

    Ids that are registered already are left alone.

    Raises:
        ConfigError: if ``env_id`` is not a valid id.
    """
    settings = {"game": spec.name}
    if spec.env_id not in gymnasium.registry:
        try:
            gymnasium.register(
                spec.env_id,
                entry_point="tkm_env.envs.single:GameEnv",
                vector_entry_point="tkm_env.envs.registration:make_vector_env",
                kwargs=settings,
            )
        except gymnasium.error.Error as error:
            raise ConfigError("env_id", spec.env_id, str(error)) from None
    aec_id = spec.env_id.lower()
    if aec_id not in aec_registry:
        register("aec", aec_id, entry_point="tkm_env.envs.aec:OrderEnforcingEnv", kwargs=settings)
    _hint_at(spec.env_id, aec_id)


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
        from tkm_env.envs.vector import GameVectorEnv

        return GameVectorEnv(game, num_envs, **keywords)
    from tkm_env.envs.cuda_vector import CudaVectorEnv

    return CudaVectorEnv(game, num_envs, **keywords)


def _hint_at(env_id: str, aec_id: str) -> None:
    """Make each library's id, when given to the other library, name the id to use."""
    refusal = "tkm_env.envs.registration:refuse_id"
    if aec_id != env_id and aec_id not in gymnasium.registry:
        hint = {"given": aec_id, "library": "Gymnasium", "valid": env_id}
        gymnasium.register(aec_id, entry_point=refusal, vector_entry_point=refusal, kwargs=hint)
    if env_id not in aec_registry:
        register(
            "aec",
            env_id,
            entry_point=refusal,
            kwargs={"given": env_id, "library": "PettingZoo", "valid": aec_id},
        )


def refuse_id(given: str, library: str, valid: str, **others: object) -> NoReturn:
    """Raise a `ConfigError`: the library knows that environment under another id.

    Args:
        given: the id that was asked for.
        library: the library that was asked: ``"Gymnasium"`` or ``"PettingZoo"``.
        valid: the id under which it has the environment.
        **others: further arguments for the environment; ignored.
    """
    raise ConfigError("id", given, f"for {library} it is {valid!r}")


def register_game(spec: GameSpec) -> None:
    """Register a game with everything here; see ``docs/adding-a-game.md``.

    Environments, records, matches, replays and the page then know it. A package that adds a game
    can also list its spec in the entry point group ``tkm_env.games``, where the commands find it
    too.

    Raises:
        ConfigError: if ``spec`` is not a `GameSpec`, or its ``env_id`` cannot be the id of an
            environment.
    """
    register_environments(checked_instance("spec", spec, GameSpec))
    add_games([spec])
