"""Replays of Terminus: its frames in words and drawings, the page, the moving picture."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.games.terminus.games import generator_of, random_action
from tests.render.drawings import drawn_parts
from tkm_env import TerminusGame
from tkm_env.render.replay import replay_page as page_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLAYERS = {"red": "Ada", "blue": "Bob"}
START = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"


def finished(seed: int) -> TerminusGame:
    game, generator = TerminusGame(seed=seed), generator_of("replay", seed)
    while game.result is None:
        game.play(random_action(game, generator))
    return game


GAME = finished(1)


def events_after(position: str, *actions: str) -> tuple[str, ...]:
    """What the last of these actions did, in words."""
    game = TerminusGame(position=position, seed=1)
    for action in actions:
        game.play(action)
    return tuple(game.replay().frames[-1].events)


def test_replay_describes_every_action_with_its_drawing() -> None:
    replay = GAME.replay(PLAYERS)
    assert [frame.action for frame in replay.frames] == [
        None,
        *(GAME.action_names[action] for action in GAME.history),
    ]
    for ply, frame in enumerate(replay.frames):
        assert frame.parts == drawn_parts(GAME.at(ply))
        assert ply == 0 or frame.side == TerminusGame.players.index(GAME.at(ply - 1).to_act)
    assert (replay.title, replay.result) == ("Ada against Bob", f"{GAME.winner} won")
    assert TerminusGame(seed=1).replay().title == "Terminus"


@pytest.mark.parametrize("seed", range(20))
def test_every_card_that_changes_its_place_is_reported(seed: int) -> None:
    game = finished(seed)
    clauses = [clause for frame in game.replay().frames for clause in frame.events]
    assert sum(clause.endswith("is drawn") for clause in clauses) == 16 - 6 + 1 - int(
        game.state["deck_size"][0]
    )
    assert "Terminus is shuffled into the deck" in clauses


def test_a_card_is_reported_with_what_it_covers() -> None:
    assert events_after(START, "play first at right")[0] == "card 2 lies at the right end"
    assert events_after(START, "play first at 1")[0] == "card 2 lies over era 1"
    position = "11:RAB|14:RS.|1:.I.|6:BAR b p 3,7,12/4,17,T ?3 -/- 6 -"
    assert events_after(position, "play first at 5") == (
        "card 4 lies over eras 3 to 5, on blue victory, red victory, swap",
    )


def test_events_are_reported() -> None:
    freeze = "11:RAB|14:RS|1:.I.|6:BAR b F 4,7,12/3,17,T ?2 -/6 6 -"
    assert events_after(freeze, "freeze second") == ("card 17 is frozen",)
    swap = "11:RAB|14:RS|1:.I.|6:BAR b S 4,7,12/3,17,T ?2 -/6 6 -"
    assert events_after(swap, "swap third for first") == ("Terminus goes to red, card 4 to blue",)


@pytest.mark.slow
def test_page_shows_each_ply(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "game.html"
    file.write_text(page_of(GAME.replay(PLAYERS)), "utf-8")
    page.goto(file.as_uri())
    page.keyboard.press("End")
    assert f"{GAME.winner} won" in page.inner_text("body")
    assert page.locator("#drawing use[href='#tkm-terminus-era']").count() >= 3
