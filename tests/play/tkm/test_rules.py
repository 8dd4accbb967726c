"""The rules that the page shows during a game."""

from __future__ import annotations

from tests.games.tkm.positions import REVEALED
from tkm_env import Game
from tkm_env.games.registry import TKM
from tkm_env.play.adapter import ADAPTERS

POWERS_REVEALED = tuple(REVEALED.split(","))


def test_rules_for_a_game_are_those_of_what_is_in_play_now() -> None:
    adapter = ADAPTERS.of(TKM)
    game = Game(timeline="draft_powers", power_set=POWERS_REVEALED, chapters=("growth", "memory"))

    def names() -> set[str]:
        return {section.name for section in adapter.rules_for(game)}

    assert {*POWERS_REVEALED, "timelines", "seeds"} <= names()
    for action in ("draft 1", "draft 2", "go first"):
        game.play(action)
    assert {*POWERS_REVEALED[:2], "elephants"} <= names()
    assert not {*POWERS_REVEALED[2:], "timelines", "statues"} & names(), (
        "what nobody took, and what is not in play, matters no more"
    )
