"""*That Time You Killed Me* as a fast environment whose rules follow the rulebook exactly.

The engine stands behind the usual interfaces of reinforcement learning and search. Importing the
package is quick: each name is listed in the stub beside this file, and the module that defines it
is imported when the name is first used.

>>> import tkm_env
>>> game = tkm_env.Game()
>>> game.play("choose 1")
>>> game.position
'W.../..../..../...B|W.../..../..../...B|W.../..../..../...B - w 2 PF P1 4/4 - ---/--- -/- 1'
"""

from __future__ import annotations

import lazy_loader

from tkm_env.envs import registration as _registration
from tkm_env.games import registry as _registry

#: The version of the package.
__version__ = "1.1.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
__all__ += ["__version__"]

for _spec in (_registry.TKM, _registry.TERMINUS):
    _registration.register_environments(_spec)
