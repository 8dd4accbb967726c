"""The pages of a league in a browser, on a phone and on a desk, light and dark."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.arena.league.leagues import BOT, archive, small_league
from tests.browser import NewPage, no_findings
from tkm_env.arena.league.app import new_app
from tkm_env.arena.league.casual_games import CasualGames
from tkm_env.arena.league.casual_play import CasualTables
from tkm_env.arena.league.database import WAITING
from tkm_env.arena.league.league import League
from tkm_env.arena.league.playing import check_bot
from tkm_env.arena.playing.workers import local_workers
from tkm_env.web.web_server import WebServer

pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect


@pytest.fixture(scope="module")
def league(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Any, str]]:
    """A league that has played, in which people may play, and the address of its pages."""
    folder = tmp_path_factory.mktemp("leagues") / "league"
    small_league(folder, games=40)
    text = (folder / "league.toml").read_text("utf-8")
    text = text.replace("final_pairs", "casual_games = 1\nfinal_pairs")
    (folder / "league.toml").write_text(text, "utf-8")
    league = League(folder)
    season = league.store.season()
    tournament = league.tournament(season, league.store.bench)
    assert (
        sum(
            1
            for _ in tournament.play(
                league.games_of(season),
                workers=local_workers(league.conditions, 1),
                live=league.live,
            )
        )
        == 40
    )
    server = WebServer(new_app(league), most_bytes=2 << 20)
    thread = threading.Thread(target=server.run)
    thread.start()
    yield league, server.url
    server.stop()
    thread.join()
    server.close()


@pytest.mark.slow
def test_a_stranger_finds_the_way_on_a_phone_and_on_a_desk(
    league: tuple[Any, str], new_page: NewPage, tmp_path: Path
) -> None:
    (tmp_path / "bot.zip").write_bytes(archive({"mine/bot.py": BOT}))
    for width, theme in ((1280, "light"), (390, "dark")):
        page = new_page(viewport={"width": width, "height": 844}, color_scheme=theme)

        def fits(page: Any = page, width: int = width) -> None:
            no_findings(page)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url

        page.goto(league[1])
        page.get_by_role("heading", name="Leaders").wait_for()
        expect(page.locator("img.board:visible")).to_have_count(1)
        moved = "figure[data-ply='2'] img:visible"
        page.locator(moved).first.wait_for()  # the boards move by themselves
        assert page.locator(moved).first.evaluate("(image) => image.decode().then(() => true)")
        fits()
        ended = page.locator(".games time").first
        assert (ended.get_attribute("title") or "").endswith(" UTC")
        assert "UTC" not in ended.inner_text(), "a time is told as how long ago it was"
        page.locator(".leaders a").first.click()
        page.get_by_role("heading", name="Best wins").wait_for()
        assert page.locator(".chart polyline").count() == 2
        fits()
        page.locator("table a").first.click()
        page.get_by_role("heading", name="against").wait_for()
        fits()
        page.locator(".games a.of").first.click()
        page.frame_locator("iframe").locator("#slider").wait_for()
        fits()
        page.get_by_role("link", name="Ratings").click()
        page.get_by_text("greedy").first.wait_for()
        fits()
        page.locator("#list a").first.click()
        page.locator("#slider").wait_for()
        page.go_back()
        page.get_by_role("link", name="Curves").click()
        assert page.locator("polyline").count() == 2
        fits()
        page.get_by_role("link", name="All tables").click()
        fits()
        page.get_by_role("link", name="Watch").click()
        expect(page.locator("img.board:visible")).to_have_count(1)
        fits()
        page.get_by_role("link", name="Take part").click()
        fits()
        page.get_by_label("token").fill(league[0].store.issue_token(f"ann {theme}"))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("heading", name=f"ann {theme}").wait_for()
        page.locator("input[type=file]").set_input_files(tmp_path / "bot.zip")
        page.get_by_role("button", name="Upload").click()
        page.get_by_role("heading", name="waiting").wait_for()
        check_bot(league[0], *league[0].store.bots(WAITING))
        page.get_by_role("heading", name="playing").wait_for()  # shown by itself
        fits()
        page.get_by_role("button", name="light or dark").click()
        fits()
        page.get_by_role("button", name="Withdraw").click()
        page.get_by_role("heading", name="withdrawn").wait_for()
        league[0].store.appoint(f"ann {theme}")
        page.reload()
        page.get_by_role("link", name="Organise").click()
        fits()
        page.get_by_role("button", name="Freeze").click()
        fits()
        page.get_by_role("link", name="No").click()
        page.get_by_role("link", name="Take part").click()
        page.get_by_role("button", name="Sign out").click()
        page.get_by_text("greedy").first.wait_for()


@pytest.fixture
def played(league: tuple[Any, str]) -> Iterator[None]:
    """A thread that takes up casual games, as the process that plays does."""
    tables, is_over = CasualTables(league[0]), threading.Event()

    def tend() -> None:
        while not is_over.wait(0.2):
            tables.take_up()

    thread = threading.Thread(target=tend)
    thread.start()
    yield
    is_over.set()
    thread.join()


@pytest.mark.slow
@pytest.mark.usefixtures("played")
@pytest.mark.parametrize(("width", "theme"), [(1280, "light"), (390, "dark")])
def test_a_person_plays_some_moves_against_a_bot(
    league: tuple[Any, str], new_page: NewPage, width: int, theme: str
) -> None:
    page = new_page(viewport={"width": width, "height": 844}, color_scheme=theme)

    def fits() -> None:
        no_findings(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, page.url

    page.goto(league[1])
    page.get_by_role("link", name="Play", exact=True).click()
    page.get_by_label("token").fill(league[0].store.issue_token(f"joe {theme}"))
    page.get_by_role("button", name="Sign in").click()
    page.goto(f"{league[1]}tables/season-1/player?name=greedy")
    page.get_by_role("link", name="Play against it").click()
    assert page.get_by_label("Opponent").input_value() == "greedy"
    fits()
    page.get_by_label("You move").select_option("second")
    page.get_by_role("button", name="Play", exact=True).click()
    page.get_by_text("Your turn").wait_for()  # shown by itself, once the bot has played
    fits()
    choices = page.locator(".actions button")
    board = page.locator("img.board:visible")
    before = board.get_attribute("src")
    choices.last.focus()  # shows what it would do
    assert board.get_attribute("src") != before
    assert board.evaluate("(image) => image.decode().then(() => true)")
    space = page.locator(".places button").first
    space.hover()
    assert board.get_attribute("src") != before
    space.press("Enter")  # the board can be played on with keys
    page.get_by_role("button", name="Take this turn back").click()
    for _ in range(4):  # a turn of the standard game
        choices.last.click()
    page.get_by_text("Your turn: turn 4").wait_for()
    fits()
    page.get_by_text("Resign", exact=True).click()
    page.get_by_role("button", name="Resign this game").click()
    page.get_by_text("You resigned.").wait_for()
    fits()
    page.get_by_role("link", name="Replay").click()
    page.locator("#slider").wait_for()
    assert CasualGames(league[0].store).going() == []
