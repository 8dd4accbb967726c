"""GPU kernels that all games share: one thread for each row."""

from __future__ import annotations

from typing import Any

from tkm_env.compiled.cuda.device import kernel, target
from tkm_env.compiled.gather_plan import gather
from tkm_env.compiled.hashing import key_of
from tkm_env.compiled.kernels import draw_legal
from tkm_env.compiled.random_numbers import draw


@kernel
def pick(masks: Any, streams: Any, actions: Any) -> None:
    """As `pick_all`, which describes the arguments."""
    game = target.grid(1)
    if game < masks.shape[0]:
        actions[game] = draw_legal(masks[game], streams, game)


@kernel
def draw_some(streams: Any, indices: Any, below: int, drawn: Any) -> None:
    """As `draw_all`."""
    number = target.grid(1)
    if number < indices.shape[0]:
        drawn[number] = draw(streams, indices[number], below)


@kernel
def gather_some(rows: Any, viewers: Any, plans: Any, factors: Any, gathered: Any) -> None:
    """Gather from ``rows`` (n, size) int8 by the plans of ``viewers`` (n,) int64, as `gather_rows` does on processors."""
    number = target.grid(1)
    if number < rows.shape[0]:
        gather(rows[number], plans[viewers[number]], factors, gathered[number])


@kernel
def write_keys(words: Any, keys: Any) -> None:
    """As the kernel of that name on processors."""
    number = target.grid(1)
    if number < words.shape[0]:
        keys[number] = key_of(words[number])
