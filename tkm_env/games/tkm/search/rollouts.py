"""Rollouts: random play to the end of the game."""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.decorators import inlined, kernel
from tkm_env.compiled.kernels import draw_legal
from tkm_env.games.tkm.engine.actions import CONCEDE, OFFER
from tkm_env.games.tkm.engine.state import OVER
from tkm_env.games.tkm.engine.turn import play, write_mask


@inlined
def mask_talk(mask: Any) -> None:
    """Remove conceding and offering a draw from the mask; some other action is always legal."""
    mask[CONCEDE] = 0
    mask[OFFER] = 0


@kernel
def roll_out(start: Any, games: int, results: Any, work: Any, mask: Any, streams: Any, scratch: Any) -> None:
    """Play ``games`` games from ``start`` at random, and count their results in ``results``, by the field ``result`` of a state.

    All legal actions but conceding and offering a draw are equally likely. Shapes: ``start`` and ``work`` (1,) of dtype STATE,
    ``results`` (5,) int64, ``mask`` (1, NUM_ACTIONS) int8, ``streams`` (1,) uint64, ``scratch`` (1,) of dtype SCRATCH.
    """
    for _ in range(games):
        work[0] = start[0]
        state = work[0]
        write_mask(state, mask[0], scratch[0])
        while state.step != OVER:
            mask_talk(mask[0])
            play(state, draw_legal(mask[0], streams, 0), mask[0], scratch[0])
        results[state.result] += 1
