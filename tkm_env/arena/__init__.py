"""Matches between players, their results, and the evaluation of a policy in one call, which is imported on first use.

>>> from tkm_env.arena import evaluate
>>> evaluate("greedy", "random", games=20, seed=1).losses
0
"""

from __future__ import annotations

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
