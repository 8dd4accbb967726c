"""*That Time You Killed Me* as an environment: a fast engine, exact to the rulebook, behind the usual interfaces.

Importing the package is quick: the engine is loaded when a name that needs it is first used.

>>> import tkm_env
>>> game = tkm_env.Game()
>>> game.play("choose 1")
>>> game.position
'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

import gymnasium
from pettingzoo.env_registry.registration import aec_registry, register

if TYPE_CHECKING:
    from tkm_env.batch import Batch
    from tkm_env.campaign import Campaign
    from tkm_env.config import GameConfig
    from tkm_env.engine.actions import ACTIONS
    from tkm_env.engine.observation import PLANES
    from tkm_env.errors import (
        ArrayError,
        ConcurrentUseError,
        ConfigError,
        DeckError,
        DisplayError,
        FileError,
        IllegalActionError,
        MissingExtraError,
        PlayerError,
        PositionError,
        RecordError,
        TKMError,
        UnknownActionError,
    )
    from tkm_env.game import Game
    from tkm_env.notation import action_index
    from tkm_env.series import Series
    from tkm_env.terminus.batch import TerminusBatch
    from tkm_env.terminus.config import TerminusConfig
    from tkm_env.terminus.game import TerminusGame

__version__ = "0.1.0"

__all__ = [
    "ACTIONS",
    "PLANES",
    "ArrayError",
    "Batch",
    "Campaign",
    "ConcurrentUseError",
    "ConfigError",
    "DeckError",
    "DisplayError",
    "FileError",
    "Game",
    "GameConfig",
    "IllegalActionError",
    "MissingExtraError",
    "PlayerError",
    "PositionError",
    "RecordError",
    "Series",
    "TKMError",
    "TerminusBatch",
    "TerminusConfig",
    "TerminusGame",
    "UnknownActionError",
    "__version__",
    "action_index",
]

_HOME_OF: Final = {
    "ACTIONS": "tkm_env.engine.actions",
    "PLANES": "tkm_env.engine.observation",
    "ArrayError": "tkm_env.errors",
    "Batch": "tkm_env.batch",
    "ConcurrentUseError": "tkm_env.errors",
    "ConfigError": "tkm_env.errors",
    "DeckError": "tkm_env.errors",
    "Campaign": "tkm_env.campaign",
    "DisplayError": "tkm_env.errors",
    "FileError": "tkm_env.errors",
    "Game": "tkm_env.game",
    "Series": "tkm_env.series",
    "GameConfig": "tkm_env.config",
    "IllegalActionError": "tkm_env.errors",
    "MissingExtraError": "tkm_env.errors",
    "PlayerError": "tkm_env.errors",
    "PositionError": "tkm_env.errors",
    "RecordError": "tkm_env.errors",
    "TKMError": "tkm_env.errors",
    "TerminusBatch": "tkm_env.terminus.batch",
    "TerminusConfig": "tkm_env.terminus.config",
    "TerminusGame": "tkm_env.terminus.game",
    "UnknownActionError": "tkm_env.errors",
    "action_index": "tkm_env.notation",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if "tkm_env/tkm-v0" not in aec_registry:
    register("aec", "tkm_env/tkm-v0", entry_point="tkm_env.tkm_v0:env")

if "tkm_env/terminus-v0" not in aec_registry:
    register("aec", "tkm_env/terminus-v0", entry_point="tkm_env.terminus_v0:env")

if "tkm_env/TKM-v0" not in gymnasium.registry:
    gymnasium.register("tkm_env/TKM-v0", entry_point="tkm_env.gym_v0:TKMEnv", vector_entry_point="tkm_env.gym_v0:TKMVectorEnv")

if "tkm_env/Terminus-v0" not in gymnasium.registry:
    gymnasium.register(
        "tkm_env/Terminus-v0",
        entry_point="tkm_env.terminus_gym_v0:TerminusEnv",
        vector_entry_point="tkm_env.terminus_gym_v0:TerminusVectorEnv",
    )
