"""Random play to the end of the game."""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import draw_legal
from tkm_env.games.tkm.engine.actions import CONCEDE, OFFER
from tkm_env.games.tkm.engine.state import OVER
from tkm_env.games.tkm.engine.turn import play, write_mask


@inlined
def leave_out_talk(mask: Any) -> None:
    """Remove conceding and offering a draw from the mask; something else is always legal."""
    mask[CONCEDE] = 0
    mask[OFFER] = 0


@inlined
def referee(state: Any, mask: Any, streams: Any, scratch: Any) -> int:
    """Play legal actions at random, all equally likely, until the game is over; returns its result.

    ``mask`` must hold what is legal in ``state``. Nobody concedes or offers a draw.
    """
    while state.step != OVER:
        leave_out_talk(mask)
        play(state, draw_legal(mask, streams, 0), mask, scratch)
    return int(state.result)


@kernel
def play_out_many(start: Any, games: int, results: Any, work: Any, mask: Any, streams: Any, scratch: Any) -> None:
    """Play ``games`` games from ``start`` at random, and count their results in ``results``, by the field ``result`` of a state.

    Shapes: ``start`` and ``work`` (1,) of dtype STATE, ``results`` (5,) int64, ``mask`` (1, NUM_ACTIONS) int8, ``streams`` (1,)
    uint64, ``scratch`` (1,) of dtype SCRATCH.
    """
    for _ in range(games):
        work[0] = start[0]
        write_mask(work[0], mask[0], scratch[0])
        results[referee(work[0], mask[0], streams, scratch[0])] += 1
