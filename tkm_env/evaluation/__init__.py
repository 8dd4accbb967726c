"""How well a policy plays: many games at once, and scores with confidence intervals.

Games are played in pairs from the same start.

>>> from tkm_env.evaluation import evaluate
>>> evaluate("greedy", "random", games=20, seed=1).losses
0
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
