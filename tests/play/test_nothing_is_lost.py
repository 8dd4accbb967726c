"""Whatever happens to a page or to its server, a game goes on at the same position."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.browser import no_findings
from tests.play.page import news, play_some, windows
from tkm_env import Game
from tkm_env.core.registry import GameSpec
from tkm_env.games.registry import TKM
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.server import PageServer
from tkm_env.play.session import Session

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page, Route

pytestmark = pytest.mark.slow


class House:
    """A server that can be stopped and started again at the same address, as from the command.

    Args:
        folder: where it keeps unfinished games.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = 0
        self.url = ""

    def start(self, spec: GameSpec = TKM, **options: Any) -> None:
        """Serve a new session."""
        session: Session[Any] = Session(spec, options.pop("settings", {}), **options)
        self._server = PageServer(session, kept=KeptGames(self._folder), port=self._port)
        self.url = self._server.url
        self._port = int(self.url.rstrip("/").rpartition(":")[2])
        self._thread = threading.Thread(target=self._server.run)
        self._thread.start()

    def stop(self) -> None:
        """End the server, without a word to its pages."""
        self._server.stop()
        self._thread.join()
        self._server.close()

    def restart(self) -> None:
        """End the server and start another, with a new game."""
        self.stop()
        self.start()


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    house = House(tmp_path / "games")
    house.start(opponent="random", seed=1)
    yield house
    house.stop()


@pytest.fixture
def context(chromium: Browser) -> Iterator[BrowserContext]:
    """A browser's windows; they may fail to reach the server."""
    with windows(chromium) as context:
        yield context


def opened(context: BrowserContext, house: House) -> Page:
    page = context.new_page()
    page.goto(house.url)
    page.wait_for_selector("#main", state="visible")
    return page


def continue_by_the_dialog(page: Page) -> None:
    page.click("#new")
    page.click("#unfinished summary")
    page.wait_for_selector("#unfinished-games button")
    page.locator("#unfinished-games button").first.click()
    expect(page.locator("#setup")).to_be_hidden()


# Ways in which a game could be lost. Each does what a person can see, and returns the page.

Way: TypeAlias = "Callable[[Page, House], Page]"


def reload(page: Page, house: House) -> Page:
    page.reload()
    return page


def go_elsewhere_and_back(page: Page, house: House) -> Page:
    page.goto("about:blank")
    page.go_back()
    return page


def open_another_tab(page: Page, house: House) -> Page:
    return opened(page.context, house)


def close_the_tab(page: Page, house: House) -> Page:
    context = page.context
    page.close()
    return opened(context, house)


def learn_and_leave(page: Page, house: House) -> Page:
    page.click("#learn")
    page.locator("#sets button").first.click()
    expect(page.locator("#exercise-leave")).to_have_text("Back to your game")
    page.click("#exercise-leave")
    return page


def skip_puzzles_and_leave(page: Page, house: House) -> Page:
    page.click("#learn")
    page.locator('#sets button[data-set^="puzzles"]').first.click()
    for title in ("1", "2"):
        expect(page.locator("#exercise-next"), title).to_be_visible()
        page.click("#exercise-next")
    page.click("#exercise-leave")
    return page


def learn_and_reload(page: Page, house: House) -> Page:
    page.click("#learn")
    page.locator("#sets button").first.click()
    expect(page.locator("#exercise-leave")).to_be_visible()
    page.reload()
    page.click("#exercise-leave")
    return page


def begin_another_game(page: Page, house: House) -> Page:
    page.click("#new")
    page.click("#begin")
    expect(page.locator("#log li:not(.turn)")).to_have_count(1)  # the obvious one
    continue_by_the_dialog(page)
    return page


def begin_another_game_and_play(page: Page, house: House) -> Page:
    page.click("#new")
    page.click("#begin")
    expect(page.locator("#setup")).to_be_hidden()
    play_some(page, 2)
    continue_by_the_dialog(page)
    return page


def think_better_of_a_new_game(page: Page, house: House) -> Page:
    page.click("#new")
    page.click("#cancel")
    return page


def switch_to_another_game(page: Page, house: House) -> Page:
    with page.expect_navigation():
        page.select_option("#games", "terminus")
    page.wait_for_selector("#resume-continue")
    with page.expect_navigation():
        page.click("#resume-continue")
    return page


def play_from_an_edited_position(page: Page, house: House) -> Page:
    page.click("#edit")
    page.click("#editor-done")
    page.click("#begin")
    expect(page.locator("#setup")).to_be_hidden()
    continue_by_the_dialog(page)
    return page


def open_a_file(page: Page, house: House) -> Page:
    with page.expect_download() as download:
        page.click("#save")
    page.set_input_files("#file", download.value.path())
    page.fill("#ply", "1")
    page.click("#records-open")
    expect(page.locator("#log li:not(.turn)")).to_have_count(1)
    continue_by_the_dialog(page)
    return page


def kill_the_server(page: Page, house: House) -> Page:
    house.restart()
    return page


def kill_the_server_and_reload(page: Page, house: House) -> Page:
    house.restart()
    page.reload()
    return page


def play_while_the_server_is_away(page: Page, house: House) -> Page:
    house.stop()
    page.locator("#actions [data-action]").first.click()
    expect(page.locator("#message")).to_have_text("The server is not responding.")
    house.start()
    return page


def kill_the_server_and_open_a_new_tab(page: Page, house: House) -> Page:
    context = page.context
    page.close()
    house.restart()
    page = opened(context, house)
    expect(page.locator("#resume")).to_be_visible()
    no_findings(page)
    page.click("#new")
    page.click("#unfinished summary")
    no_findings(page)
    page.click("#cancel")
    page.click("#resume-continue")
    return page


def kill_the_server_while_nobody_looks(page: Page, house: House) -> Page:
    page.goto("about:blank")
    house.restart()
    page.go_back()
    return page


def kill_the_server_twice(page: Page, house: House) -> Page:
    return kill_the_server(kill_the_server_and_reload(page, house), house)


def lose_the_line(page: Page, house: House) -> Page:
    page.context.set_offline(True)
    page.locator("#actions [data-action]").first.click()
    expect(page.locator("#message")).to_have_text("The server is not responding.")
    page.context.set_offline(False)
    return page


def let_another_window_begin_a_game(page: Page, house: House) -> Page:
    other = opened(page.context, house)
    other.click("#new")
    other.click("#begin")
    expect(page.locator("#log li:not(.turn)")).to_have_count(1)  # the obvious one
    continue_by_the_dialog(page)
    return page


WAYS: list[Way] = [
    reload,
    go_elsewhere_and_back,
    open_another_tab,
    close_the_tab,
    learn_and_leave,
    skip_puzzles_and_leave,
    learn_and_reload,
    begin_another_game,
    begin_another_game_and_play,
    think_better_of_a_new_game,
    switch_to_another_game,
    play_from_an_edited_position,
    open_a_file,
    kill_the_server,
    kill_the_server_and_reload,
    play_while_the_server_is_away,
    kill_the_server_and_open_a_new_tab,
    kill_the_server_while_nobody_looks,
    kill_the_server_twice,
    lose_the_line,
    let_another_window_begin_a_game,
]


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_a_game_goes_on_at_the_same_position(
    way: Way, context: BrowserContext, house: House
) -> None:
    page = opened(context, house)
    before = play_some(page)
    log = page.locator("#log").inner_text()
    page = way(page, house)
    expect(page.locator("#position")).to_have_text(before)
    expect(page.locator("#log")).to_have_text(log, use_inner_text=True)
    play_some(page, 2)


def test_a_page_whose_words_were_lost_on_the_way_asks_again(
    context: BrowserContext, house: House
) -> None:
    lost: list[str] = []

    def lose_the_first(route: Route) -> None:
        if lost:
            route.continue_()
        else:
            lost.append(route.request.url)
            route.abort()

    context.route("**/page/words/*.json", lose_the_first)
    play_some(opened(context, house))
    assert lost


def test_a_click_made_after_the_server_was_replaced_counts(
    context: BrowserContext, house: House
) -> None:
    page = opened(context, house)
    play_some(page)
    played = page.locator("#log li:not(.turn)").count()
    house.restart()
    with news(page):
        page.locator("#actions [data-action]").first.click()
    assert page.locator("#log li:not(.turn)").count() > played
    expect(page.locator("#message")).to_be_hidden()


def test_a_game_that_is_forgotten_is_offered_no_more(context: BrowserContext, house: House) -> None:
    page = opened(context, house)
    play_some(page)
    page.click("#new")
    page.click("#begin")
    expect(page.locator("#log li:not(.turn)")).to_have_count(1)  # the obvious one
    page.click("#new")
    page.click("#unfinished summary")
    page.evaluate("window.confirm = () => true")
    page.locator("#unfinished-games button[aria-label^=Forget]").click()
    expect(page.locator("#unfinished")).to_be_hidden()
    page.reload()
    page.wait_for_selector("#main", state="visible")
    expect(page.locator("#resume")).to_be_hidden()


def test_a_lesson_goes_on_after_a_reload_and_counts_once_it_is_solved(
    context: BrowserContext, house: House
) -> None:
    page = opened(context, house)
    page.click("#learn")
    page.locator("#sets button").first.click()
    expect(page.locator("#exercise-next")).to_have_text("Skip")
    for interrupt in (page.reload, house.restart, page.reload):
        interrupt()
    expect(page.locator("#exercise-next")).to_have_text("Skip")
    (lesson, *_) = ADAPTERS.of(TKM).exercises()["first steps"]
    for action in lesson.answers[0]:
        button = page.locator(f'#actions [data-action="{action}"]')
        if button.count() or action != lesson.answers[0][0]:
            button.click()
    expect(page.locator("#exercise-next")).to_have_text("Next: 2 of 7")
    page.click("#learn")
    expect(page.locator("#sets small").first).to_have_text("1 of 7 solved")


def test_a_series_goes_on_with_its_score(context: BrowserContext, house: House) -> None:
    house.stop()
    house.start(settings={"max_turns": 2}, match="series", opponent="random", seed=3)
    page = opened(context, house)
    for _ in range(60):
        page.wait_for_selector("#actions [data-action], #over:not([hidden])")
        if page.is_visible("#over"):
            break
        with news(page):
            page.locator("#actions [data-action]").first.click()
    page.click("#next")
    expect(page.locator("#match-title")).to_have_text("Series, game 2")
    standing = page.locator("#standing").inner_text()
    for _ in range(2):  # before anything is played in this game, and after
        house.restart()
        page.reload()
        expect(page.locator("#match-title")).to_have_text("Series, game 2")
        expect(page.locator("#standing")).to_have_text(standing, use_inner_text=True)
        play_some(page, 1)


def test_a_game_is_opened_from_any_of_its_actions(
    context: BrowserContext, house: House, tmp_path: Path
) -> None:
    page, file = opened(context, house), tmp_path / "games.jsonl"
    records = [
        Game().to_record(players={"white": "person", "black": "greedy"})
        | {"actions": ["choose 1", "move east"]},
        Game(chapters="growth").to_record() | {"actions": ["choose 1", "move south"]},
    ]
    file.write_text("\n".join(map(json.dumps, records)))
    page.set_input_files("#file", file)
    expect(page.locator("#record option")).to_have_text(
        ["1: person and greedy, unfinished, 2 actions", "2: a game, unfinished, 2 actions"]
    )
    no_findings(page)
    page.select_option("#record", "1")
    page.fill("#ply", "1")
    page.click("#records-open")
    game = Game(chapters="growth")
    game.play("choose 1")
    expect(page.locator("#position")).to_have_text(game.position)
    page.set_input_files("#file", {"name": "x.json", "mimeType": "text/plain", "buffer": b"{}"})
    expect(page.locator("#message")).to_have_text("This file has no game record.")
