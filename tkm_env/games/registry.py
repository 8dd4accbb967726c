"""The games of this package, one row each: the only place that names their folders."""

from typing import TYPE_CHECKING, Final

from tkm_env.core.registry import GameParts, GameSpec, Preset, add_games

if TYPE_CHECKING:
    from tkm_env.games.tkm.cuda_batch import CudaBatch


def _tkm() -> GameParts:
    from tkm_env.games.tkm.batch import Batch
    from tkm_env.games.tkm.chance import StartChance
    from tkm_env.games.tkm.game import Game

    return GameParts(Game, Batch, StartChance, _tkm_on_gpu)


def _tkm_on_gpu() -> "type[CudaBatch]":
    from tkm_env.games.tkm.cuda_batch import CudaBatch

    return CudaBatch


def _terminus() -> GameParts:
    from tkm_env.games.terminus.batch import TerminusBatch
    from tkm_env.games.terminus.chance import CardChance
    from tkm_env.games.terminus.game import TerminusGame

    return GameParts(TerminusGame, TerminusBatch, CardChance)


#: Small enough to be solved as a whole: see ``docs/small-game.md``.
_SMALL: Final = Preset(
    "W.../..../..../....|W..B/..../..../....|...B/..../..../.... - w c PP - 0/0 - ---/--- -/- 1",
    {"max_turns": 6},
)

TKM: Final = GameSpec("tkm", "That Time You Killed Me", "tkm_env/TKM-v0", _tkm, {"Small": _SMALL})
TERMINUS: Final = GameSpec("terminus", "Terminus", "tkm_env/Terminus-v0", _terminus)

add_games([TKM, TERMINUS])
