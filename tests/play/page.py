"""Shared by the tests that play on the page in a real browser.

They need the extras ``[play]`` and ``[dev]``.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

from playwright.sync_api import expect

from tests.browser import PATIENCE
from tkm_env.play.explorer import Explorer
from tkm_env.play.server import PageServer
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

#: Serves the page of a session, and returns its address.
Serve: TypeAlias = Callable[[Session[Any]], str]


@contextmanager
def served(session: Session[Any], explorer: Explorer | None = None) -> Iterator[str]:
    """The address of the session's page."""
    server = PageServer(session, explorer=explorer)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join()
        server.close()


def opened(page: Page, url: str, *, pace: int = 0) -> Page:
    """The page, loaded; its opponents need ``pace`` milliseconds for an action."""
    page.add_init_script(
        f"localStorage.setItem('pace', '{pace}'); localStorage.setItem('lessons', 'seen')"
    )
    page.goto(url)
    page.wait_for_selector("#main")
    return page


def click_place(page: Page, place: str) -> None:
    page.locator(f'#board .place[data-place="{place}"]').click()


def go_to_place(page: Page, place: str) -> None:
    """Move to a place with the keyboard alone, and press Enter there."""
    target = page.locator(f'#board .place[data-place="{place}"]')
    if target.get_attribute("role") != "gridcell":  # a whole board, which the tab key reaches
        page.evaluate("document.activeElement.blur()")
        for _ in range(60):
            if target.evaluate("(one) => one === document.activeElement"):
                break
            page.keyboard.press("Tab")
    else:
        page.locator('[role=gridcell][tabindex="0"]').focus()
        for axis, forward, backward in (
            ("x", "ArrowRight", "ArrowLeft"),
            ("y", "ArrowDown", "ArrowUp"),
        ):
            for _ in range(12):
                here, there = (
                    box[axis]
                    for box in (
                        page.locator("[role=gridcell]:focus").bounding_box(),
                        target.bounding_box(),
                    )
                    if box
                )
                if abs(there - here) < 5:
                    break
                page.keyboard.press(forward if there > here else backward)
    page.keyboard.press("Enter")


def wait_for_turn(page: Page) -> bool:
    """Wait until a person is to act; whether the game goes on."""
    page.wait_for_selector("#board .place, #over:not([hidden])", state="attached")
    return page.is_hidden("#over")


@contextmanager
def news(page: Page) -> Iterator[None]:
    """Wait, after the block, until the log has more, or fewer, entries than before.

    The block begins once a person can act, or the game or an exercise is over: until then the page
    is busy with an opponent or with the obvious action.
    """
    page.wait_for_selector(
        "#actions [data-action], #over:not([hidden]), #now.solved, #now.wrong", state="attached"
    )
    entries = page.locator("#log li:not(.turn)")
    shown = entries.count()
    yield
    expect(entries).not_to_have_count(shown)


@contextmanager
def windows(browser: Browser, **settings: Any) -> Iterator[BrowserContext]:
    """Windows of one browser, which may be refused, or fail to reach the server.

    Questions are answered with no; opponents act at once, and no lessons are offered.
    """
    with browser.new_context(viewport={"width": 1280, "height": 800}, **settings) as context:
        context.set_default_timeout(PATIENCE)
        context.add_init_script(
            "localStorage.setItem('pace', '0'); localStorage.setItem('lessons', 'seen')"
        )
        context.on("dialog", lambda dialog: dialog.dismiss())
        yield context


def play_some(page: Page, actions: int = 6) -> str:
    """Play the first actions by their buttons; the position after them, once a person can act."""
    for _ in range(actions):
        with news(page):
            page.locator("#actions [data-action]").first.click()
    page.wait_for_selector("#actions [data-action]", state="attached")
    return page.locator("#position").text_content() or ""
