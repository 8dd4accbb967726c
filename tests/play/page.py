"""What the tests share that play on the page, in a real browser; they need the extras ``[play]`` and ``[dev]``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect

from tkm_env.play.server import PageServer
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Page


@contextmanager
def served(session: Session[Any]) -> Iterator[str]:
    """The address of the session's page."""
    server = PageServer(session)
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
    page.add_init_script(f"localStorage.setItem('pace', '{pace}')")
    page.goto(url)
    expect(page.locator("#title")).not_to_be_empty(timeout=10_000)
    return page


def click_place(page: Page, place: str) -> None:
    page.locator(f'.place[data-place="{place}"]').click()


def wait_for_turn(page: Page) -> bool:
    """Wait until a person is to act; whether the game goes on."""
    page.wait_for_selector(".place, #over:not([hidden])", state="attached")
    return page.is_hidden("#over")


@contextmanager
def news(page: Page) -> Iterator[None]:
    """Around what changes the game: waits until the log has more, or fewer, entries than before."""
    entries = page.locator("#log li:not(.turn)")
    shown = entries.count()
    yield
    expect(entries).not_to_have_count(shown, timeout=10_000)
