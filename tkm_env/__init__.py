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

from tkm_env import errors as _errors
from tkm_env.checks import checked_instance
from tkm_env.envs.registration import register_environments
from tkm_env.game.registry import GameSpec, add_games
from tkm_env.games import registry as _registry

if TYPE_CHECKING:
    from tkm_env.compiled.kernels import NO_ACTION
    from tkm_env.envs.pool import Pool
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
        ProtocolError,
        RecordError,
        TKMError,
        UnknownActionError,
        UnknownKeywordError,
    )
    from tkm_env.game.observation_encoder import ObservationEncoder, compact_layout, symmetries
    from tkm_env.game.records import from_record, read_records, replay_of, write_record
    from tkm_env.games.terminus.batch import TerminusBatch
    from tkm_env.games.terminus.config import TerminusConfig
    from tkm_env.games.terminus.deck import read_deck, write_deck
    from tkm_env.games.terminus.engine.observation import FEATURES as TERMINUS_FEATURES
    from tkm_env.games.terminus.game import TerminusGame
    from tkm_env.games.tkm import events
    from tkm_env.games.tkm.achievements import achieved
    from tkm_env.games.tkm.batch import Batch
    from tkm_env.games.tkm.campaign import Campaign
    from tkm_env.games.tkm.config import GameConfig
    from tkm_env.games.tkm.cuda_batch import CudaBatch
    from tkm_env.games.tkm.decoding import decode_observation
    from tkm_env.games.tkm.engine.actions import ACTIONS
    from tkm_env.games.tkm.engine.observation import PLANES
    from tkm_env.games.tkm.engine.powers import POWERS
    from tkm_env.games.tkm.game import Game, action_index
    from tkm_env.games.tkm.series import Series
    from tkm_env.render.replay import page as replay_page

#: The version of the package.
__version__ = "0.1.0"

#: Where each public name is defined: a module, or a name in one.
_HOME_OF: Final = {
    "ACTIONS": "tkm_env.games.tkm.engine.actions:ACTIONS",
    "Batch": "tkm_env.games.tkm.batch:Batch",
    "CudaBatch": "tkm_env.games.tkm.cuda_batch:CudaBatch",
    "Campaign": "tkm_env.games.tkm.campaign:Campaign",
    "Game": "tkm_env.games.tkm.game:Game",
    "GameConfig": "tkm_env.games.tkm.config:GameConfig",
    "NO_ACTION": "tkm_env.compiled.kernels:NO_ACTION",
    "PLANES": "tkm_env.games.tkm.engine.observation:PLANES",
    "ObservationEncoder": "tkm_env.game.observation_encoder:ObservationEncoder",
    "POWERS": "tkm_env.games.tkm.engine.powers:POWERS",
    "Pool": "tkm_env.envs.pool:Pool",
    "Series": "tkm_env.games.tkm.series:Series",
    "TERMINUS_FEATURES": "tkm_env.games.terminus.engine.observation:FEATURES",
    "TerminusBatch": "tkm_env.games.terminus.batch:TerminusBatch",
    "TerminusConfig": "tkm_env.games.terminus.config:TerminusConfig",
    "TerminusGame": "tkm_env.games.terminus.game:TerminusGame",
    "achieved": "tkm_env.games.tkm.achievements:achieved",
    "action_index": "tkm_env.games.tkm.game:action_index",
    "compact_layout": "tkm_env.game.observation_encoder:compact_layout",
    "decode_observation": "tkm_env.games.tkm.decoding:decode_observation",
    "events": "tkm_env.games.tkm.events",
    "from_record": "tkm_env.game.records:from_record",
    "read_deck": "tkm_env.games.terminus.deck:read_deck",
    "read_records": "tkm_env.game.records:read_records",
    "replay_of": "tkm_env.game.records:replay_of",
    "replay_page": "tkm_env.render.replay:page",
    "symmetries": "tkm_env.game.observation_encoder:symmetries",
    "write_deck": "tkm_env.games.terminus.deck:write_deck",
    "write_record": "tkm_env.game.records:write_record",
    **{name: f"tkm_env.errors:{name}" for name in _errors.__all__},
}

__all__ = [
    "ACTIONS",
    "NO_ACTION",
    "PLANES",
    "POWERS",
    "TERMINUS_FEATURES",
    "ArrayError",
    "Batch",
    "Campaign",
    "ConcurrentUseError",
    "ConfigError",
    "CudaBatch",
    "DeckError",
    "DisplayError",
    "FileError",
    "Game",
    "GameConfig",
    "GameSpec",
    "IllegalActionError",
    "MissingExtraError",
    "ObservationEncoder",
    "PlayerError",
    "Pool",
    "PositionError",
    "ProtocolError",
    "RecordError",
    "Series",
    "TKMError",
    "TerminusBatch",
    "TerminusConfig",
    "TerminusGame",
    "UnknownActionError",
    "UnknownKeywordError",
    "__version__",
    "achieved",
    "action_index",
    "compact_layout",
    "decode_observation",
    "events",
    "from_record",
    "read_deck",
    "read_records",
    "register_game",
    "replay_of",
    "replay_page",
    "symmetries",
    "write_deck",
    "write_record",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, attribute = _HOME_OF[name].partition(":")
    value = getattr(import_module(module), attribute) if attribute else import_module(module)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def register_game(spec: GameSpec) -> None:
    """Register a game with everything here: environments, records, matches, replays, the page; see ``docs/adding-a-game.md``.

    A package that adds a game can also list its spec in the entry point group ``tkm_env.games``; the commands then find it, too.

    Raises:
        ConfigError: if it is not a `GameSpec`, or its ``env_id`` cannot be the id of an environment.
    """
    register_environments(checked_instance("spec", spec, GameSpec))
    add_games([spec])


for _spec in (_registry.TKM, _registry.TERMINUS):
    register_environments(_spec)
