"""Registration of a game's environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import Any, NoReturn

import gymnasium
from pettingzoo.env_registry.registration import aec_registry, register

from tkm_env.core.registry import GameSpec, add_games
from tkm_env.foundations.checks import checked_choice, checked_instance
from tkm_env.foundations.errors import ConfigError


def register_environments(spec: GameSpec) -> None:
    """Register ``env_id`` with Gymnasium and, in lower case, with PettingZoo, if it is not. Raises a `ConfigError` if it is no valid id."""
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
    """What ``gymnasium.make_vec`` makes: on ``"cpu"`` a `tkm_env.envs.vector.GameVectorEnv`, on ``"cuda"`` a
    `tkm_env.envs.cuda_vector.CudaVectorEnv`, which take the other arguments.
    """
    if checked_choice("device", device, ("cpu", "cuda")) == "cpu":
        from tkm_env.envs.vector import GameVectorEnv

        return GameVectorEnv(game, num_envs, **keywords)
    from tkm_env.envs.cuda_vector import CudaVectorEnv

    return CudaVectorEnv(game, num_envs, **keywords)


def _hint_at(env_id: str, aec_id: str) -> None:
    """Have each library's id, given to the other one, say which to use."""
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
    """Raise a `ConfigError`: the library knows that environment under another id."""
    raise ConfigError("id", given, f"for {library} it is {valid!r}")


def register_game(spec: GameSpec) -> None:
    """Register a game with everything here: environments, records, matches, replays, the page; see ``docs/adding-a-game.md``. Raises a
    `ConfigError` if it is not a `GameSpec`, or its ``env_id`` cannot be the id of an environment.

    A package that adds a game can also list its spec in the entry point group ``tkm_env.games``; the commands then find it, too.
    """
    register_environments(checked_instance("spec", spec, GameSpec))
    add_games([spec])
