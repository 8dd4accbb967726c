"""Playing Terminus on the page, in a real browser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.browser import NewPage
from tests.games.terminus.games import DECKS, generator_of, random_action
from tests.play.page import Serve, click_place, news, opened, wait_for_turn
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
def test_a_whole_game_is_played_by_clicking_on_the_drawing(
    serve: Serve, page: Page, deck: str
) -> None:
    session = Session(TERMINUS, {"deck": DECKS[deck]}, opponent="random", seed=2)
    generator = generator_of("browser", deck)
    opened(page, serve(session))
    verbs = set()
    while wait_for_turn(page):
        action = session.game.action_names[random_action(session.game, generator)]
        verbs.add(action.split(" ")[0])
        click_action(page, action, session.game.to_act)
    won = session.game.winner == "red"
    assert page.inner_text("#result") == f"You {'won' if won else 'lost'}"
    assert page.locator("#log li:not(.turn)").count() == len(session.game.history)
    assert page.locator("#log li:not(.turn)").first.inner_text().startswith("card ")
    assert deck == "default" or len(verbs) > 1, "no events were resolved"


@pytest.mark.slow
def test_many_actions_fold_into_the_ways_to_play_a_card(serve: Serve, new_page: NewPage) -> None:
    long = (
        "2:R.G|12:G|9:.RB|7:R|13:FGB|15:.|6:AR|1:I|11:BAR r p 16,17/14*,T - -/2 14 69aadd0e7f950c1e"
    )
    session = Session(TERMINUS, {}, position=long)
    page = opened(new_page(viewport={"width": 1280, "height": 720}), serve(session))
    buttons = page.locator("#actions [data-action]")
    ways = page.locator("#actions [aria-pressed]")
    expect(buttons).to_have_count(len(session.game.legal_actions()) // 2)
    assert ways.all_inner_texts() == ["Play card 16", "Play card 16 flipped"]
    bottom = page.evaluate("document.querySelector('#actions').getBoundingClientRect().bottom")
    assert bottom <= 720, "the actions lie below the fold"

    page.click("text=Play card 16 flipped")
    expect(ways.last).to_be_focused()
    assert ways.evaluate_all("(all) => all.map((one) => one.ariaPressed)") == ["false", "true"]
    page.click("#board [data-cell='red first']")  # the board selects a way, too
    expect(ways.first).to_have_attribute("aria-pressed", "true")
    page.click("text=Play card 16 flipped")
    with news(page):
        page.keyboard.press("1")
    assert session.to_record()["actions"] == ["play first flipped at left"]


@pytest.mark.slow
def test_a_card_is_dragged_onto_the_timeline_and_shows_where_it_would_lie(
    serve: Serve, page: Page
) -> None:
    session = Session(TERMINUS, {}, seed=3)
    opened(page, serve(session))
    for column in (None, "5"):
        lift(page, "red first")
        expect(page.locator("#board [data-cell='red first'].picked")).to_have_count(1)
        over(page, "1")
        expect(page.locator("#board .preview use")).not_to_have_count(0)
        if column is None:
            page.mouse.move(2, 2, steps=4)
            expect(page.locator("#board .preview use")).to_have_count(0)
            page.mouse.up()
            page.wait_for_timeout(200)
            assert session.game.history == [], (
                "a card that was dropped beside the timeline was played"
            )
        else:
            with news(page):
                over(page, column)
                page.mouse.up()
    assert session.to_record()["actions"] == ["play first at 5"]


@pytest.mark.slow
def test_a_card_is_dragged_with_a_finger(serve: Serve, new_page: NewPage) -> None:
    session = Session(TERMINUS, {}, seed=3)
    page = opened(
        new_page(
            viewport={"width": 390, "height": 844},
            has_touch=True,
            is_mobile=True,
            reduced_motion="reduce",
        ),
        serve(session),
    )
    page.wait_for_selector("#board [data-place='red first']", state="attached")
    page.locator("#board [data-cell='red first']").scroll_into_view_if_needed()
    start, end = (middle(page, cell) for cell in ("red first", "1"))
    touch = page.context.new_cdp_session(page)
    with news(page):
        for step, kind in enumerate(("touchStart", *["touchMove"] * 8, "touchEnd")):
            point = {
                name: start[name] + (end[name] - start[name]) * min(step, 8) / 8
                for name in ("x", "y")
            }
            touch.send(
                "Input.dispatchTouchEvent",
                {"type": kind, "touchPoints": [] if kind == "touchEnd" else [point]},
            )
    assert session.to_record()["actions"] == ["play first at 1"]


def middle(page: Page, cell: str) -> dict[str, float]:
    box = page.locator(f"#board [data-cell='{cell}']").bounding_box()
    assert box is not None
    return {"x": box["x"] + box["width"] / 2, "y": box["y"] + box["height"] / 2}


def over(page: Page, cell: str) -> None:
    """Move the mouse there in steps, as a hand does."""
    page.mouse.move(**middle(page, cell), steps=6)


def lift(page: Page, cell: str) -> None:
    """Press the mouse on a card, and begin to drag it."""
    page.wait_for_selector(f"#board [data-place='{cell}']", state="attached")
    at = middle(page, cell)
    page.mouse.move(**at)
    page.mouse.down()
    page.mouse.move(at["x"], at["y"] - 20, steps=3)


@pytest.mark.slow
def test_the_page_does_not_tell_the_order_of_the_deck(serve: Serve, page: Page) -> None:
    session = Session(TERMINUS, {}, seed=1)
    opened(page, serve(session))
    page.wait_for_selector(".place", state="attached")
    assert session.game.position.split(" ")[4] not in page.content()
    assert page.text_content("#position") == session.game.position_for("red")


@pytest.mark.slow
def test_a_new_game_can_be_begun(serve: Serve, page: Page) -> None:
    opened(page, serve(Session(TERMINUS, {}, seed=1)))
    page.click("#new")
    assert page.locator("#fields [data-setting=deck]").count() == 0, (
        "files are named on the command line only"
    )
    page.click("text=1 newcomer")
    page.select_option("#setting-side", "blue")
    page.click("#more summary")
    page.fill("#setting-seed", "7")
    page.click("#setup button[type=submit]")
    page.wait_for_selector("#own strong:text-is('blue')")
