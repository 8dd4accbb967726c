"""What the tests share that play on the page, in a real browser; they need the extras ``[play]`` and ``[dev]``."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from playwright.sync_api import expect
from werkzeug.serving import make_server

from tkm_env.play.server import new_app
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Page


@contextmanager
def served(session: Session[Any]) -> Iterator[str]:
    """The address of the session's page."""
    server = make_server("127.0.0.1", 0, new_app(session), threaded=True)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


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
