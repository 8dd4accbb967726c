"""On a slow line, an answer that comes late does not bring back a game that was left."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.play.page import Serve, opened
from tkm_env.games.registry import TKM
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = pytest.mark.slow


def test_the_state_of_the_game_before_comes_too_late(serve: Serve, page: Page) -> None:
    opened(page, serve(Session(TKM, {}, seed=1)))
    page.wait_for_selector("#actions [data-action]")
    held: list[Route] = []

    def hold_the_first(route: Route) -> None:
        if held:
            route.continue_()
        else:
            held.append(route)

    page.route("**/api/state*", hold_the_first)
    while not held:  # the page asks every few seconds
        page.wait_for_timeout(100)
    before = held[0].fetch(url=held[0].request.url.split("&since")[0])
    page.click("#learn")
    # A puzzle in which the page itself does not choose the copy.
    page.click("#sets [data-set='win in two turns: quiet turn']")
    expect(page.locator("#now.open")).to_be_visible()
    # The next question is about the game that the page shows.
    with page.expect_request("**/api/state*") as asked:
        held[0].fulfill(response=before)
    assert before.json()["session"] not in asked.value.url
    expect(page.locator("#now.open")).to_be_visible()
