"""Matches between players, their results, and the evaluation of a policy in one call, which is imported on first use.

>>> from tkm_env.arena import evaluate
>>> evaluate("greedy", "random", games=20, seed=1).losses
0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tkm_env.arena.evaluation import Evaluation, evaluate

__all__ = ["Evaluation", "evaluate"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module("tkm_env.arena.evaluation"), name)
