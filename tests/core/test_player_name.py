"""A game's players have names, which are compared with names only."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tkm_env import EncodingError
from tkm_env.core.registry import registered_games

MIXED: dict[str, Callable[[Any, Any], bool]] = {
    "==": lambda name, index: name == index,
    "== from the left": lambda name, index: index == name,
    "!=": lambda name, index: name != index,
    "in": lambda name, index: name in (index,),
}


@pytest.mark.parametrize("game", [*registered_games()])
@pytest.mark.parametrize("how", MIXED)
def test_a_player_is_not_compared_with_an_index(game: str, how: str) -> None:
    spec = registered_games()[game]
    name = spec.game_class(seed=1).to_act
    for index in (0, 1, True):
        with pytest.raises(
            EncodingError,
            match=f"a player '{name}' is compared with {index}: a game names its players",
        ):
            MIXED[how](name, index)
    with pytest.raises(EncodingError):
        assert name != np.int64(0)


@pytest.mark.parametrize("game", [*registered_games()])
def test_a_player_is_else_a_text_like_any_other(game: str) -> None:
    for index, name in enumerate(registered_games()[game].game_class.players):
        plain = str(name)
        assert name == plain
        assert plain == name
        assert name != "nobody"
        assert name is not None
        assert {plain: index}[name] == index
        assert json.loads(json.dumps({name: name})) == {plain: plain}
        again = pickle.loads(pickle.dumps(name))
        assert again == name
        assert registered_games()[game].game_class.players.index(again) == index
