"""The table of this package's games, one row each in ``games.json``: the only place that names their folders."""

from typing import Any

from tkm_env.core.registry import GameSpec, Level, add_games
from tkm_env.foundations.files import packaged_json


def _spec(row: dict[str, Any]) -> GameSpec:
    levels = tuple(Level(name, player) for name, player in row["levels"])
    return GameSpec(**row | {"ladder": tuple(row["ladder"]), "levels": levels})


TKM, TERMINUS = map(_spec, packaged_json(__package__, "games.json"))

add_games([TKM, TERMINUS])
