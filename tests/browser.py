"""A headless Chromium for the tests of pages: the system's own, driven by playwright.

Tests are skipped where either is missing.

`tests/conftest.py` hands its fixtures to every test: take ``page``, or ``new_page`` for another
size or theme.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: Opens a page; the keywords are those of playwright's ``Browser.new_context``.
NewPage: TypeAlias = "Callable[..., Page]"

_NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
_DESKTOP = {"width": 1280, "height": 800}
#: Milliseconds: the engine may still be compiling when a page first asks for something.
PATIENCE = 90_000


def chromium_path() -> str:
    """The path of the system's Chromium; the test is skipped if there is none."""
    path = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, _NAMES)), None)
    if path is None:
        pytest.skip(
            f"needs Chromium: none of {', '.join(_NAMES)} is on the path, and CHROMIUM names none"
        )
    return path


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """The browser. It is one module's, since playwright keeps an event loop running meanwhile."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="needs playwright, from the extra [dev]"
    )
    path = chromium_path()
    playwright.expect.set_options(timeout=PATIENCE)
    with playwright.sync_playwright() as driver:
        # Containers often forbid the sandbox; the tests open nothing but the project's own pages.
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def new_page(chromium: Browser) -> Iterator[NewPage]:
    """Opens pages.

    The test fails if one of them logs an error or a warning, or asks another host for anything.
    """
    contexts: list[Any] = []
    complaints: list[str] = []

    def hear(message: Any) -> None:
        # A page may ask the opponent too late: a new game has begun, or another window was faster.
        is_late = "409" in message.text and "/api/agent" in message.location.get("url", "")
        if message.type in ("error", "warning") and not is_late:
            complaints.append(message.text)

    def opened(**settings: Any) -> Page:
        context = chromium.new_context(**{"viewport": _DESKTOP, **settings})
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        page = context.new_page()
        page.on("console", hear)
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                complaints.append(f"asked for {request.url}")
                if _is_elsewhere(request.url)
                else None
            ),
        )
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not complaints, f"the browser complained: {complaints}"


@pytest.fixture
def page(new_page: NewPage) -> Page:
    """A page as wide as on a desk."""
    return new_page()


def no_findings(page: Page) -> None:
    """What axe-core, which checks pages for accessibility, finds on this one is nothing."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    assert not found, "; ".join(
        f"{one['id']}: {one['help']} ({one['nodes'][0]['html'][:200]})" for one in found
    )


def _is_elsewhere(url: str) -> bool:
    return not url.startswith(
        ("file:", "data:", "blob:", "about:", "http://127.0.0.1:", "http://localhost:")
    )
