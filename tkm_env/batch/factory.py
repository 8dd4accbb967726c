"""The batch of a registered game, whichever class it has."""

from __future__ import annotations

from typing import Any

from tkm_env.batch.base import BaseBatch
from tkm_env.batch.plain_python import PlainBatch
from tkm_env.errors import ConfigError
from tkm_env.game.registry import GameSpec, load


def make_batch(spec: GameSpec, num_games: int, *, num_threads: int = 1, **settings: Any) -> BaseBatch[Any]:
    """Games side by side: of the class that the game's row names, else played one by one; see `tkm_env.batch.base.BaseBatch`.

    >>> from tkm_env.game.registry import game_spec
    >>> make_batch(game_spec("tkm"), 3, chapters="growth").num_games
    3
    """
    if spec.batch is None:
        return PlainBatch(spec.game_class, num_games, spec.config(settings), num_threads=num_threads)
    return load(spec.batch)(num_games, num_threads=num_threads, **settings)


def make_cuda_batch(spec: GameSpec, num_games: int, **settings: Any) -> Any:
    """Games side by side on a GPU; see `tkm_env.batch.cuda.BaseCudaBatch`. Raises a `ConfigError` if the game is played on processors only,
    or there is no GPU, and a `MissingExtraError` without the extra ``[cuda]``.
    """
    if spec.cuda_batch is None:
        raise ConfigError("device", "cuda", f"{spec.title} is played on processors only")
    return load(spec.cuda_batch)(num_games, **settings)
