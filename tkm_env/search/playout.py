"""Random play to the end of the game. Imports the engine."""

from __future__ import annotations

from typing import Any

from tkm_env.engine.actions import CONCEDE, OFFER
from tkm_env.engine.compiled import compiled, entry_point
from tkm_env.engine.state import OVER
from tkm_env.engine.streams import draw
from tkm_env.engine.turn import play, write_mask

__all__ = ["play_out", "play_out_many"]


@compiled
def leave_out_talk(mask: Any) -> None:
    """Take conceding and offering a draw out of what is legal; something else always is."""
    mask[CONCEDE] = 0
    mask[OFFER] = 0


@compiled
def draw_legal(mask: Any, streams: Any, number: int) -> int:
    """One of the legal actions, all equally likely, by the stream of that number."""
    count = 0
    for action in range(mask.shape[0]):
        count += mask[action]
    left = draw(streams, number, count)
    action = 0
    while mask[action] == 0 or left > 0:
        left -= mask[action]
        action += 1
    return action


@compiled
def play_out(state: Any, mask: Any, streams: Any, scratch: Any) -> int:
    """Play legal actions at random, all equally likely, until the game is over, and answer its result.

    ``mask`` says what is legal in ``state``. Nobody concedes or offers a draw.
    """
    while state.step != OVER:
        leave_out_talk(mask)
        play(state, draw_legal(mask, streams, 0), mask, scratch)
    return int(state.result)


@entry_point
def play_out_many(start: Any, games: int, results: Any, work: Any, mask: Any, streams: Any, scratch: Any) -> None:
    """Play ``games`` games from ``start`` on at random, and count how they end in ``results``, by the field ``result`` of a state.

    Shapes: ``start`` and ``work`` (1,) of dtype STATE, ``results`` (5,) int64, ``mask`` (1, NUM_ACTIONS) int8, ``streams`` (1,)
    uint64, ``scratch`` (1,) of dtype SCRATCH.
    """
    for _ in range(games):
        work[0] = start[0]
        write_mask(work[0], mask[0], scratch[0])
        results[play_out(work[0], mask[0], streams, scratch[0])] += 1
