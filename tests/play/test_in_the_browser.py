"""The page without a server: Python and the package run in the browser itself, by Pyodide."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")
from playwright.sync_api import Page, expect

from tests.play.page import news
from tkm_env import Game

ROOT = Path(__file__).parents[2]
PYODIDE = os.environ.get("PYODIDE", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYODIDE, reason="PYODIDE names no folder with a distribution of Pyodide and its wheel of NumPy"),
]
#: Milliseconds: Python is 16 MB, and all of it is compiled by the browser first.
_PATIENCE = 90_000


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page on a static host, in a folder of its own, as its address."""
    root = tmp_path_factory.mktemp("host")
    (root / "play").mkdir()
    subprocess.run([sys.executable, ROOT / "docs" / "browser" / "build.py", PYODIDE, root / "play"], check=True)

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *words: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(root))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/play/"
        server.shutdown()


def _opened(page: Page, host: str, **asked: str) -> Page:
    page.set_default_timeout(_PATIENCE)
    page.add_init_script("localStorage.setItem('pace', '0')")
    page.goto(f"{host}?{urlencode(asked)}")
    expect(page.locator("#main")).to_be_visible(timeout=_PATIENCE)
    return page


def _play_on(page: Page) -> None:
    """Play the first legal action until the game is over. Buttons without one, which turn a card in hand, would play nothing."""
    action = page.locator("#actions [data-action]").first
    for _ in range(200):
        page.wait_for_selector("#actions [data-action], #over:not([hidden])")
        if page.locator("#over").is_visible():
            return
        with news(page):
            action.click()


@pytest.mark.parametrize(
    "asked",
    [
        {"chapters": "growth+influence+memory", "max_turns": "6"},
        {"timeline": "draft_powers", "max_turns": "6"},
        {"game": "terminus"},
    ],
)
def test_a_game_is_played_to_its_end_without_a_server(page: Page, host: str, asked: dict[str, str]) -> None:
    _opened(page, host, opponent="greedy", seed="1", **asked)
    _play_on(page)
    expect(page.locator("#result")).not_to_be_empty()
    with page.expect_download() as download:
        page.locator("#save").click()
    assert '"actions"' in Path(download.value.path()).read_text("utf-8")


def test_the_address_says_which_position_to_begin_in(page: Page, host: str) -> None:
    game = Game(seed=1, chapters="growth")
    game.play("choose 1")
    position = game.position
    _opened(page, host, position=position, chapters="growth", opponent="person")
    assert page.locator("#position").text_content() == position
