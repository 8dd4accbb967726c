"""Files of records to report on, made without playing: of games that are over after few actions."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np

from tkm_env import Game, write_record

#: How many turns games have that no fault ends.
_TURNS: Final = 4


def finished(
    white: str,
    black: str,
    *,
    seed: int = 1,
    turns: int = 2,
    fault: str | None = None,
    **details: Any,
) -> dict[str, Any]:
    """The record of an unfinished game, or of one that the side ``fault`` lost by a fault.

    The game has at most two turns.
    """
    game = Game(max_turns=_TURNS, **details.pop("settings", {}))
    generator = np.random.default_rng(seed // 2)
    while game.result is None and not (game.to_act == fault and game.turn > turns):
        game.play(int(generator.choice(game.legal_actions())))
    if fault is not None:
        seen = "no answer in time"
        details["fault"] = {
            "player": fault,
            "kind": "timeout",
            "ply": len(game.history) + 1,
            "seen": seen,
        } | details.get("fault", {})
    return game.to_record(players={"white": white, "black": black}, seed=seed, **details)


def written(path: Path, records: Iterable[dict[str, Any]]) -> Path:
    """The file, with these records added."""
    for record in records:
        write_record(path, record)
    return path
