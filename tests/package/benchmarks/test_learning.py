"""The networks that come with the package, as `benchmarks/learning.py` has them play."""

from __future__ import annotations

import pytest

from benchmarks import ladder, learning
from tkm_env.games.registry import TKM
from tkm_env.players.tkm.evaluators import have_powers, shipped_networks


@pytest.mark.parametrize("place", ladder.SETTINGS)
def test_the_network_that_plays_is_the_first_that_has_learned_such_games(place: str) -> None:
    start = TKM.config_from_text(ladder.SETTINGS[place]).starts()[0]
    kind = int(have_powers(start)[0]), int(start["chapters"][0])
    fits = [name for name, network in shipped_networks() if network.learned[kind]]
    assert fits[0] == f"{learning.network_for(place)}.npz"
