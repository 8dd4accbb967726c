"""Where the games of two players begin: no two pairs alike up to symmetry."""

from __future__ import annotations

from typing import Any

import pytest

from tkm_env import GameConfig
from tkm_env.evaluation import evaluate
from tkm_env.evaluation.starts import Settings, Starts, begin_game, settings_with_openings


def keys(settings: Settings, pairs: int, secret: int = 1) -> list[int]:
    starts = Starts(settings, secret)
    return [begin_game(settings, *starts[pair]).symmetry_key for pair in range(pairs)]


@pytest.mark.parametrize("turns", [None, 1, 2])
def test_no_two_pairs_begin_alike_up_to_symmetry(turns: int | None) -> None:
    assert len({*keys(settings_with_openings("tkm", None, turns), 250)}) == 250


def test_shipped_openings_come_first_in_an_order_of_their_own_for_each_secret() -> None:
    settings = settings_with_openings("tkm", GameConfig(chapters="growth"), None)
    orders = [[Starts(settings, secret)[pair].opening for pair in range(120)] for secret in (1, 2)]
    for order in orders:
        assert sorted(order[:100], key=str) == sorted(settings.openings)
        assert all(isinstance(opening, int) for opening in order[100:])
    assert orders[0] != orders[1]


def test_games_without_a_random_turn_begin_alike_unless_chance_decides() -> None:
    assert len({*keys(Settings("tkm", opening_turns=0), 5)}) == 1
    assert len({*keys(Settings("terminus", opening_turns=0), 5)}) == 5


def test_a_game_too_short_for_more_random_turns_begins_alike_in_the_end() -> None:
    settings = Settings("tkm", GameConfig(max_turns=2), opening_turns=1)
    found = keys(settings, 20)
    assert 1 < len({*found}) < 20


def test_an_evaluation_counts_each_game_once() -> None:
    def first(_: Any, info: dict[str, Any]) -> Any:
        return info["action_mask"].argmax(1)

    found = evaluate(first, first, games=20, opening_turns=0, max_turns=30)
    assert (found.games, found.repeated) == (2, 18)
    assert "18 games not counted" in str(found)
    assert evaluate(first, first, games=20, max_turns=30).repeated == 0
