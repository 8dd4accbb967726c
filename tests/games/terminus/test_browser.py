"""Playing Terminus on the page, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from tests.games.terminus.games import DECKS, generator_of, random_action
from tests.play.browser import Serve
from tests.play.page import click_place, news, opened, wait_for_turn
from tkm_env.games.registry import TERMINUS
from tkm_env.games.terminus.render.svg import place_of
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Page


def click_action(page: Page, action: str, to_act: str) -> None:
    """Click on the drawing what plays an action, or its button where it leads to no place."""
    place = place_of(action, to_act)
    with news(page):
        if place is None:
            page.click(f'#actions [data-action="{action}"]')
            return
        click_place(page, place)
        if page.is_visible("#choice"):
            page.click(f'#choice [data-action="{action}"]')


@pytest.mark.slow
@pytest.mark.parametrize("deck", ["default", "eventful"])
def test_a_whole_game_is_played_by_clicking_on_the_drawing(serve: Serve, page: Page, deck: str) -> None:
    session = Session(TERMINUS, {"deck": DECKS[deck]}, opponent="random", seed=2)
    generator = generator_of("browser", deck)
    opened(page, serve(session))
    verbs = set()
    while wait_for_turn(page):
        action = session.game.action_names[random_action(session.game, generator)]
        verbs.add(action.split(" ")[0])
        click_action(page, action, session.game.to_act)
    won = session.game.winner == "red"
    assert page.inner_text("#result") == f"You {'won' if won else 'lost'}: {session.game.winner} wins"
    assert page.locator("#log li:not(.turn)").count() == len(session.game.history)
    assert deck == "default" or len(verbs) > 1, "no events were resolved"


@pytest.mark.slow
def test_the_page_does_not_tell_the_order_of_the_deck(serve: Serve, page: Page) -> None:
    session = Session(TERMINUS, {}, seed=1)
    opened(page, serve(session))
    page.wait_for_selector(".place", state="attached")
    assert session.game.position.split(" ")[4] not in page.content()
    assert page.text_content("#position") == session.game.position_for("red")


def test_a_new_game_can_be_begun(serve: Serve, page: Page) -> None:
    opened(page, serve(Session(TERMINUS, {}, seed=1)))
    page.click("#new")
    assert page.locator("#fields [data-setting=deck]").count() == 0, "files are named on the command line only"
    page.click("text=1 beginner")
    page.select_option("#setting-side", "blue")
    page.click("#more summary")
    page.fill("#setting-seed", "7")
    page.click("#setup button[type=submit]")
    page.wait_for_selector("#own strong:text-is('blue')")
