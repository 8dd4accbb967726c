"""Two people with a browser each play a whole game, though a browser and the server are killed.

They do only what the pages show.
"""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.browser import PATIENCE, chromium_path, no_findings
from tests.play.page import news

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.slow

LOST = "The connection is lost. This page keeps trying, and the game is kept."
BUTTONS = "#actions [data-action]"


class Elsewhere:
    """A person's own browser, a process that can be killed and started again.

    All that it remembers is lost with it, so that only a link leads back.

    Args:
        chromium: any browser, by whose driver this one is led.
        folder: where its profiles are made.
    """

    def __init__(self, chromium: Browser, folder: Path) -> None:
        self._type, self._folder = chromium.browser_type, folder
        self.start()

    def start(self) -> None:
        """Start the browser."""
        profile = Path(tempfile.mkdtemp(dir=self._folder))
        options = ["--headless=new", "--no-sandbox", "--no-first-run", "--remote-debugging-port=0"]
        told = profile / "DevToolsActivePort"
        self._process = subprocess.Popen(
            [chromium_path(), *options, f"--user-data-dir={profile}"], stderr=subprocess.DEVNULL
        )
        until, lines = time.monotonic() + PATIENCE / 1000, list[str]()
        while len(lines) < 2:
            assert time.monotonic() < until, "the browser did not start"
            time.sleep(0.05)
            lines = told.read_text().splitlines() if told.exists() else []
        address = f"ws://127.0.0.1:{lines[0]}{lines[1]}"
        self._browser = self._type.connect_over_cdp(address, timeout=PATIENCE)

    def window(self) -> Page:
        """A window without lessons on offer."""
        (context, *_) = self._browser.contexts
        context.set_default_timeout(PATIENCE)
        context.add_init_script("localStorage.setItem('lessons', 'seen')")
        return context.new_page()

    def kill(self) -> None:
        """End the process at once."""
        self._process.kill()
        self._process.communicate()

    def close(self) -> None:
        """End whatever is still there."""
        self.kill()


class Command:
    """``tkm play --browser --invite``, which can be killed and repeated.

    Args:
        folder: the folder of the user's state.
        options: further options.
    """

    def __init__(self, folder: Path, *options: str) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self._environment = os.environ | {"XDG_STATE_HOME": str(folder)}
        self._line = [sys.executable, "-m", "tkm_env", "play", "--browser", "--invite"]
        self._line += ["--no-open", f"--port={port}", *options]
        self.links: list[str] = []
        self.start()

    def start(self) -> None:
        """Start it, and read the links of the host, the guest, and spectators."""
        self._process = subprocess.Popen(
            self._line, env=self._environment, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        self.links = []
        for line in self._process.stdout:
            self.links += re.findall(r"\S+/join/\S+", line)
            if len(self.links) == 3:
                return
        raise AssertionError("the command printed no links")

    def close(self) -> None:
        """Kill it."""
        self._process.kill()
        self._process.communicate()


def sit_down(window: Page, link: str) -> Page:
    """Follow a link, whose code is not left in the address."""
    window.goto(link)
    window.wait_for_selector("#main", state="visible")
    assert "/join/" not in window.url
    return window


def come_from_another_site(window: Page, link: str) -> Page:
    """Follow a link that somebody has posted elsewhere."""
    window.goto(link.replace("127.0.0.1", "localhost").rpartition("/")[0] + "/wrong")
    expect(window.locator("p")).to_contain_text("open the link that you were sent")
    window.evaluate(
        "(link) => document.body.append(Object.assign(document.createElement('a'),"
        " { href: link, textContent: 'play with me' }))",
        link,
    )
    window.click("a")
    window.wait_for_selector("#main", state="visible")
    assert "/join/" not in window.url
    return window


class Game:
    """A game that two pages show, and a page that watches.

    Args:
        pages: the host's page, the guest's, and the one that watches.
    """

    def __init__(self, pages: list[Page]) -> None:
        self.pages = pages
        self._chance = np.random.default_rng(0)

    @property
    def is_over(self) -> bool:
        """Whether a player's page says so."""
        return any(page.is_visible("#over") for page in self.pages[:2])

    def actor(self) -> int | None:
        """The index of the page that can act, once one of them can; None if the game is over."""
        until = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < until:
            for index in (0, 1):
                if self.pages[index].locator(BUTTONS).count():
                    return index
            if self.is_over:
                return None
            self.pages[0].wait_for_timeout(50)
        raise AssertionError("nobody can act")

    def play(self, actions: int = 1) -> None:
        """Press buttons at random, each on the page of whoever is to act."""
        for _ in range(actions):
            actor = self.actor()
            if actor is None:
                return
            page = self.pages[actor]
            buttons = page.locator(f"{BUTTONS}:visible")
            assert not self.pages[1 - actor].locator(BUTTONS).count()
            assert not self.pages[2].locator(BUTTONS).count()
            with news(page):
                buttons.nth(int(self._chance.integers(buttons.count()))).click()

    def agree(self) -> None:
        """All pages come to show the same position and log."""
        actor = self.actor()
        shown = self.pages[actor or 0]
        for page in self.pages:
            position = shown.locator("#position").text_content() or ""
            expect(page.locator("#position")).to_have_text(position)
            expect(page.locator("#log")).to_have_text(
                shown.locator("#log").inner_text(), use_inner_text=True
            )


@pytest.fixture
def at_the_end() -> Iterator[ExitStack]:
    """What is closed after the test."""
    with ExitStack() as stack:
        yield stack


@pytest.mark.parametrize(
    "options",
    [
        ("--chapters", "growth", "--powers", "doorway,none", "--seed", "1", "--clock", "60+10"),
        ("--game", "terminus", "--seed", "1"),
    ],
    ids=["tkm", "terminus"],
)
def test_two_browsers_play_a_whole_game_though_one_is_killed_twice_and_the_server_once(
    options: tuple[str, ...], chromium: Browser, tmp_path: Path, at_the_end: ExitStack
) -> None:
    command = at_the_end.enter_context(closing(Command(tmp_path / "state", *options)))
    host, guest, spectators = command.links
    mine = at_the_end.enter_context(closing(Elsewhere(chromium, tmp_path)))
    theirs = at_the_end.enter_context(closing(Elsewhere(chromium, tmp_path)))
    theirs_too = at_the_end.enter_context(closing(Elsewhere(chromium, tmp_path)))
    window = sit_down(mine.window(), host)
    expect(window.locator("#link-opponent")).to_have_value(guest)
    expect(window.locator("#link-spectators")).to_have_value(spectators)
    no_findings(window)
    window.click("#invitation-close")
    game = Game(
        [
            window,
            come_from_another_site(theirs.window(), guest),
            sit_down(theirs_too.window(), spectators),
        ]
    )
    for page in game.pages[:2]:
        expect(page.locator("#here")).to_have_text("Your opponent is here. Somebody is watching.")
    game.play(5)
    game.agree()

    theirs.kill()
    expect(window.locator("#here")).to_contain_text("Your opponent is not on the page right now.")
    theirs.start()
    game.pages[1] = sit_down(theirs.window(), guest)
    game.agree()
    game.play(3)

    command.close()
    for page in game.pages:
        expect(page.locator("#message")).to_have_text(LOST)
    command.start()
    assert command.links == [host, guest, spectators]
    for page in game.pages:
        expect(page.locator("#message")).to_be_hidden()
    game.agree()
    game.play(3)

    theirs.kill()
    if game.pages[0].locator(BUTTONS).count():  # the other goes on meanwhile
        with news(window):
            window.locator(f"{BUTTONS}:visible").first.click()
    theirs.start()
    game.pages[1] = sit_down(theirs.window(), guest)
    game.agree()
    while not game.is_over:
        game.play()
    finish(game)


def finish(game: Game) -> None:
    """Everybody reads how the game ended, and the host begins another one, with sides swapped."""
    for page in game.pages:
        expect(page.locator("#over")).to_be_visible()
    game.agree()
    host, guest, spectator = (page.locator("#result").inner_text() for page in game.pages)
    assert {host, guest} in ({"You won", "You lost"}, {"No winner"})
    assert spectator.endswith(" wins") or spectator == host == "No winner"
    for page in game.pages:
        no_findings(page)
    sides = [page.locator("#own strong").text_content() or "" for page in game.pages]
    expect(game.pages[1].locator("#rematch")).to_be_hidden()
    game.pages[0].click("#rematch")
    swapped = [sides[1], sides[0]]
    for page, side in zip(game.pages, swapped, strict=False):
        expect(page.locator("#over")).to_be_hidden()
        expect(page.locator("#own strong")).to_have_text(side)
    game.play(2)


def test_a_seat_survives_a_reload_and_a_draw_can_be_offered_and_new_links_end_it(
    chromium: Browser, tmp_path: Path, at_the_end: ExitStack
) -> None:
    command = at_the_end.enter_context(closing(Command(tmp_path / "state")))
    context = at_the_end.enter_context(closing(chromium.new_context()))
    other: Any = at_the_end.enter_context(closing(chromium.new_context()))
    host = sit_down(context.new_page(), command.links[0])
    guest = sit_down(other.new_page(), command.links[1])
    guest.reload()
    guest.wait_for_selector("#main", state="visible")
    expect(guest.locator("#own strong")).to_have_text("black", ignore_case=True)
    assert guest.evaluate("document.cookie") == ""
    host.once("dialog", lambda dialog: dialog.accept())
    host.click("#link-renew")
    expect(host.locator("#link-opponent")).not_to_have_value(command.links[1])
    expect(guest.locator("#message")).to_contain_text("open the link that you were sent")
    sit_down(guest, host.locator("#link-opponent").input_value())
    host.click("#invitation-close")
    for page in (host, guest):
        page.on("dialog", lambda dialog: dialog.accept())
    host.click('#talk [data-action="offer draw"]')  # though the page has chosen the only copy
    guest.click('#actions [data-action="decline draw"]')
    expect(host.locator("#situation")).to_have_text("white to act, 2 actions left (your turn)")
    expect(host.locator("#talk button")).to_have_count(0)
    guest.click("#resign")
    expect(host.locator("#over")).to_contain_text("Black resigned.")
