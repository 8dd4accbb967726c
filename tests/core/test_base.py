"""What every game has alike, beside its rules."""

from __future__ import annotations

from typing import Any

import pytest

from tkm_env import ConfigError, Game, TerminusGame


@pytest.mark.parametrize(
    "players", [5, "ab", ["a", "b"], {"white": 1}, {"white": "a", "black": None}]
)
def test_names_in_a_replay_are_texts_by_side(players: Any) -> None:
    with pytest.raises(ConfigError, match=r"^players=.*names of 'white' and 'black', by side"):
        Game().replay(players)


def test_a_replay_names_the_players_it_is_given_and_others_by_their_side() -> None:
    assert Game().replay({"black": "Ada"}).title == "white against Ada"
    assert [
        side.player for side in TerminusGame(seed=1).replay({"red": "Ada", "blue": "Bob"}).sides
    ] == ["Ada", "Bob"]
