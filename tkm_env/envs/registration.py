"""Registration of a game's environments with Gymnasium and PettingZoo."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import gymnasium
from pettingzoo.env_registry.registration import aec_registry, register

from tkm_env.core.registry import GameSpec, add_games
from tkm_env.foundations.checks import checked_instance
from tkm_env.foundations.errors import ConfigError

#: The module of the functions that the ids stand for.
_MAKERS: Final = "tkm_env.envs.makers"


def register_environments(spec: GameSpec) -> None:
    """Register ``env_id`` with Gymnasium and, in lower case, with PettingZoo.

    So are the ids of the game's presets. With Gymnasium also two ids with other defaults, for
    programs that pass an id and nothing else: `compact_id` and `turns_id`. Ids that are registered
    already are left alone.

    Raises:
        ConfigError: if ``env_id`` is not a valid id.
    """
    settings: dict[str, Any] = {"game": spec.name}
    usual = ("tkm_env.envs.single:GameEnv", f"{_MAKERS}:make_vector_env")
    ids = {spec.env_id: settings}
    for word, preset in spec.presets.items():
        begins = {"positions": (preset.position,), **preset.settings}
        ids[spec.id_of(word)] = settings | begins
    for env_id, keywords in ids.items():
        _register_with_gymnasium(env_id, *usual, keywords)
        aec_id = env_id.lower()
        if aec_id not in aec_registry:
            register(
                "aec", aec_id, entry_point="tkm_env.envs.aec:OrderEnforcingEnv", kwargs=keywords
            )
        _hint_at(env_id, aec_id)
    for env_id, kind in ((compact_id(spec), "compact"), (turns_id(spec), "turn")):
        makers = (f"{_MAKERS}:make_{kind}_env", f"{_MAKERS}:make_{kind}_vector_env")
        _register_with_gymnasium(env_id, *makers, settings)


def _register_with_gymnasium(
    env_id: str, entry_point: str, vector_entry_point: str, keywords: dict[str, Any]
) -> None:
    """Register an id, unless it is registered already.

    The environments check the order of calls and what they are given by themselves, so Gymnasium's
    wrappers for that would only add to the time of every step.
    """
    if env_id in gymnasium.registry:
        return
    try:
        gymnasium.register(
            env_id,
            entry_point=entry_point,
            order_enforce=False,
            disable_env_checker=True,
            vector_entry_point=vector_entry_point,
            kwargs=keywords,
        )
    except gymnasium.error.Error as error:
        raise ConfigError("env_id", env_id, str(error)) from None


def compact_id(spec: GameSpec) -> str:
    """The id whose observations are compact, such as ``"tkm_env/TKM-Compact-v0"``."""
    return spec.id_of("Compact")


def turns_id(spec: GameSpec) -> str:
    """The id whose actions are whole turns, such as ``"tkm_env/TKM-Turns-v0"``."""
    return spec.id_of("Turns")


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
