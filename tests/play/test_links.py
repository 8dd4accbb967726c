"""Links to positions, games, lessons and settings: the page's address says what to show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.play.page import Serve, news, windows
from tkm_env import Game
from tkm_env.games.registry import TKM
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

pytestmark = pytest.mark.slow


@pytest.fixture
def url(serve: Serve) -> str:
    """The address of a page with a new game."""
    return serve(Session(TKM, {}, opponent="random", seed=1))


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser's windows, which may copy."""
    with windows(chromium, permissions=["clipboard-read", "clipboard-write"]) as context:
        yield context


def opened(context: BrowserContext, url: str) -> Page:
    page = context.new_page()
    page.goto(url)
    page.wait_for_selector("#main", state="visible")
    return page


def position_of(page: Page) -> str:
    return page.locator("#position").text_content() or ""


def copied_link(page: Page) -> str:
    page.click("summary:has-text('Position')")
    page.click("#link")
    expect(page.locator("#linked")).to_have_text("Copied.")
    link: str = page.evaluate("navigator.clipboard.readText()")
    return link


@pytest.mark.parametrize(
    "settings",
    [
        {"chapters": "growth+memory", "max_turns": 30},
        {"handicap": "0,2", "powers": "doorway,none"},
        {"position": Game(chapters="growth").position, "chapters": "growth"},
    ],
    ids=["chapters", "powers", "position"],
)
def test_an_address_names_settings(
    context: BrowserContext, url: str, settings: dict[str, Any]
) -> None:
    asked = {**settings, "opponent": "person", "utm_source": "mail"}
    page = opened(context, f"{url}?{urlencode(asked)}")
    given = {key: value for key, value in settings.items() if key != "position"}
    game = Game(TKM.config_from_text(given))
    expect(page.locator("#position")).to_contain_text(game.position.split(" ")[0])
    expect(page.locator("#other")).to_contain_text("person")
    expect(page.locator("#message")).to_be_hidden()


def test_a_link_to_a_game_shows_it_at_the_same_action(context: BrowserContext, url: str) -> None:
    page = opened(context, url)
    for _ in range(9):
        with news(page):
            page.locator("#actions [data-action]").first.click()
    page.wait_for_selector("#actions [data-action]")
    position, log = position_of(page), page.locator("#log").inner_text()
    link = copied_link(page)
    page.click("#new")
    page.click("#begin")
    expect(page.locator("#position")).not_to_have_text(position)
    other = opened(context, link)
    expect(other.locator("#position")).to_have_text(position)
    expect(other.locator("#log")).to_have_text(log, use_inner_text=True)
    with news(other):  # it can be played on, and a reload does not begin it again
        other.locator("#actions [data-action]").first.click()
    other.wait_for_selector("#actions [data-action]")
    further = position_of(other)
    other.reload()
    expect(other.locator("#position")).to_have_text(further)


def test_a_link_to_a_puzzle_opens_it(context: BrowserContext, url: str) -> None:
    page = opened(context, url)
    page.click("#learn")
    page.locator('#sets button[data-set^="puzzles"]').first.click()
    expect(page.locator("#exercise-next")).to_be_visible()
    first = position_of(page)
    page.click("#exercise-next")
    expect(page.locator("#position")).not_to_have_text(first)
    page.wait_for_selector("#actions [data-action]")
    position = position_of(page)
    link = copied_link(page)
    page.click("#exercise-leave")
    expect(page.locator("#position")).not_to_have_text(position)
    expect(opened(context, link).locator("#position")).to_have_text(position)


def test_a_link_to_the_other_game_opens_it(context: BrowserContext, url: str) -> None:
    page = opened(context, f"{url}?game=terminus")
    expect(page.locator("#games")).to_have_value("terminus")


def test_a_game_under_way_is_left_for_a_link_only_if_its_player_agrees(
    context: BrowserContext, url: str
) -> None:
    page = opened(context, url)
    for _ in range(3):
        with news(page):
            page.locator("#actions [data-action]").first.click()
    page.wait_for_selector("#actions [data-action]")
    position = position_of(page)
    other = context.new_page()
    other.goto(f"{url}?chapters=growth&game=terminus")
    expect(other.locator("#position")).to_have_text(position)


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("?chapters=none", "chapters='none' is invalid"),
        ("?position=nowhere", "position"),
        ("?set=puzzles&number=1", "set='puzzles' is invalid"),
        ("?game=chess", ""),
        ("#record=x", "This link is damaged."),
        ("#record=AAAA", "This link is damaged."),
    ],
)
def test_a_link_that_is_damaged_says_so_and_leaves_a_game_to_play(
    context: BrowserContext, url: str, address: str, message: str
) -> None:
    page = opened(context, url + address)
    if message:
        expect(page.locator("#message")).to_contain_text(message)
    with news(page):
        page.locator("#actions [data-action]").first.click()
