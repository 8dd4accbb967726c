"""Calls with invalid arguments: accepted as they are, or refused by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fuzz.odd import odd, or_odd
from tests.fuzz.refusals import accepted
from tkm_env.arena.match import Match, standings
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.scheduled_game import Players, play_scheduled_game

MATCH = Match("random", "random", 2)

CALLS: dict[str, Callable[[Any], Any]] = {
    "standings": lambda value: standings(value, MATCH),
    "standings of": lambda value: standings([{}], value),
    "play_scheduled_game": lambda value: play_scheduled_game(value, Players(Conditions())),
    "play_scheduled_game of": lambda value: play_scheduled_game(next(MATCH.fixtures()), value),
}


@given(
    keywords=st.fixed_dictionaries(
        {"first": or_odd("random"), "second": or_odd("random")},
        optional=dict.fromkeys(("games", "config", "seed", "opening_turns", "game"), odd),
    )
)
def test_matches(keywords: dict[str, Any]) -> None:
    accepted(lambda: Match(**keywords))


@pytest.mark.parametrize("call", CALLS)
@given(value=odd)
def test_functions(call: str, value: Any) -> None:
    accepted(lambda: CALLS[call](value))
