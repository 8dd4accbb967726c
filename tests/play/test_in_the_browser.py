"""The page without a server: Python and the package run in the browser itself, by Pyodide."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("myst_parser", reason="needs the extra [docs]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")
from playwright.sync_api import Page, expect

from tests.play.page import news
from tests.site import build_some, hosted
from tkm_env import Game
from tkm_env.core.registry import game_spec

PYODIDE = os.environ.get("PYODIDE", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PYODIDE, reason="needs a distribution of Pyodide, which PYODIDE names"),
]
#: Milliseconds: Python is 16 MB, and all of it is compiled by the browser first.
_PATIENCE = 90_000


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The site with the page on a static host, as its address."""
    root = tmp_path_factory.mktemp("host") / "site"
    built = build_some(root, "rules.md", "rules/*", pyodide=Path(PYODIDE))
    assert built.returncode == 0, built.stderr

    with hosted(root) as address:
        yield address


def _opened(page: Page, host: str, **asked: str) -> Page:
    page.set_default_timeout(_PATIENCE)
    page.add_init_script(
        "localStorage.setItem('pace', '0'); localStorage.setItem('lessons', 'seen')"
    )
    page.goto(f"{host}play/?{urlencode(asked)}")
    expect(page.locator("#main")).to_be_visible(timeout=_PATIENCE)
    return page


def _play_on(page: Page) -> None:
    """Play the first legal action until the game is over."""
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
def test_a_game_is_played_to_its_end_without_a_server(
    page: Page, host: str, asked: dict[str, str]
) -> None:
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


def test_a_link_of_the_rules_opens_its_position_to_play_on_from(page: Page, host: str) -> None:
    """One with an action that the settings of its example allow."""
    seeds = next(
        section for section in game_spec("tkm").rules_for() if section.name == "planting-revised"
    )
    example = next(example for example in seeds.examples if example.settings)
    page.set_default_timeout(_PATIENCE)
    page.goto(f"{host}rules/growth.html")
    page.get_by_title(example.words).click()
    expect(page.locator("#position")).to_have_text(example.position, timeout=_PATIENCE)
    page.locator(f'#actions [data-action="{example.actions[0]}"]').click()
    expect(page.locator("#position")).to_have_text(example.played(Game).position)


def test_a_game_goes_on_after_a_reload_and_in_another_window(page: Page, host: str) -> None:
    _opened(page, host, opponent="greedy", seed="1", chapters="growth")
    for _ in range(5):
        with news(page):
            page.locator("#actions [data-action]").first.click()
    page.wait_for_selector("#actions [data-action]")
    position = page.locator("#position").text_content()
    assert position is not None
    page.reload()
    expect(page.locator("#position")).to_have_text(position, timeout=_PATIENCE)
    other = _opened(page.context.new_page(), host)
    other.locator("#resume-continue").click()
    expect(other.locator("#position")).to_have_text(position)


def test_keys_that_others_add_to_an_address_are_ignored(page: Page, host: str) -> None:
    _opened(page, host, utm_source="mail", max_turns="6")
    expect(page.locator("#situation")).to_contain_text("White to act", ignore_case=True)
    record = page.evaluate("import('./page/server.js').then(({ ask }) => ask('/api/record'))")
    assert record["config"]["max_turns"] == 6
