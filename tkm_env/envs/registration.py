"""Registration of a game's environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import NoReturn

import gymnasium
from pettingzoo.env_registry.registration import aec_registry, register

from tkm_env.core.registry import GameSpec, add_games
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.errors import ConfigError


def register_environments(spec: GameSpec) -> None:
    """Register ``env_id`` with Gymnasium and, in lower case, with PettingZoo.

    With Gymnasium also two ids with other defaults, for programs that pass an id and nothing else:
    `compact_id` and `turns_id`. Ids that are registered already are left alone.

    Raises:
        ConfigError: if ``env_id`` is not a valid id.
    """
    settings = {"game": spec.name}
    makers = "tkm_env.envs.makers"
    for env_id, entry_point, vector_entry_point in (
        (spec.env_id, "tkm_env.envs.single:GameEnv", f"{makers}:make_vector_env"),
        (compact_id(spec), f"{makers}:make_compact_env", f"{makers}:make_compact_vector_env"),
        (turns_id(spec), f"{makers}:make_turn_env", f"{makers}:make_turn_vector_env"),
    ):
        if env_id in gymnasium.registry:
            continue
        try:
            gymnasium.register(
                env_id,
                entry_point=entry_point,
                vector_entry_point=vector_entry_point,
                kwargs=settings,
            )
        except gymnasium.error.Error as error:
            raise ConfigError("env_id", env_id, str(error)) from None
    aec_id = spec.env_id.lower()
    if aec_id not in aec_registry:
        register("aec", aec_id, entry_point="tkm_env.envs.aec:OrderEnforcingEnv", kwargs=settings)
    _hint_at(spec.env_id, aec_id)


def compact_id(spec: GameSpec) -> str:
    """The id whose observations are compact, such as ``"tkm_env/TKM-Compact-v0"``."""
    return _with(spec.env_id, "Compact")


def turns_id(spec: GameSpec) -> str:
    """The id whose actions are whole turns, such as ``"tkm_env/TKM-Turns-v0"``."""
    return _with(spec.env_id, "Turns")


def _with(env_id: str, word: str) -> str:
    """An id with a word before its version."""
    name, version, number = env_id.rpartition("-v")
    return f"{name}-{word}{version}{number}" if name else f"{env_id}-{word}"


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
