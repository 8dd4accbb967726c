"""What is proven about a node of a search tree by its children."""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.decorators import inlined
from tkm_env.compiled.kernels import UNDECIDED
from tkm_env.games.tkm.engine.state import WON


@inlined
def proof_of(results: Any, player: int) -> int:
    """The result that those of a node's children, ``results`` (n,), prove where ``player`` chooses: a win if one wins, else the best result
    once all are known; undecided until then.
    """
    best = WON + 1 - player
    known = True
    for number in range(results.shape[0]):
        result = results[number]
        if result == WON + player:
            return int(result)
        if result == UNDECIDED:
            known = False
        elif result != WON + 1 - player:
            best = result
    return int(best) if known else UNDECIDED
