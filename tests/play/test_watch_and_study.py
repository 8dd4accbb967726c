"""In the browser: two agents are watched, positions are studied, puzzles are rated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.browser import no_findings
from tests.games.tkm.positions import WHITE_WINS
from tests.play.page import news, opened, served
from tkm_env.core.record_files import write_record
from tkm_env.games.registry import TKM
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.explorer import Explorer
from tkm_env.play.session import Session
from tkm_env.players.roster import ROSTERS
from tkm_env.players.tkm.search.analysis import Line, analyse

if TYPE_CHECKING:
    from playwright.sync_api import Page

    from tests.browser import NewPage
    from tests.play.page import Serve

pytestmark = pytest.mark.slow


def watched() -> Session[Any]:
    return Session(TKM, {}, opponent="mcts:iterations=50", watch="greedy", seed=1)


def entries(page: Page) -> int:
    return page.locator("#log li:not(.turn)").count()


def test_agents_play_until_they_are_paused_and_then_step_by_step(serve: Serve, page: Page) -> None:
    opened(page, serve(watched()))
    page.wait_for_selector("#log li:nth-child(12)", state="attached")
    expect(page.locator("#thoughts-lines li").first).to_contain_text("to win")
    page.keyboard.press("p")
    expect(page.locator("#pause")).to_contain_text("Go on")
    page.wait_for_timeout(500)  # an action may be under way
    before = entries(page)
    page.wait_for_timeout(500)
    assert entries(page) == before
    page.click("#step")
    expect(page.locator("#log li:not(.turn)")).to_have_count(before + 1)
    no_findings(page)
    page.keyboard.press("p")
    page.wait_for_selector("#over:not([hidden])")
    expect(page.locator("#result")).to_contain_text("wins")
    expect(page.locator("#watch")).to_be_hidden()


def test_a_game_watched_after_a_study_is_not_paused(serve: Serve, page: Page) -> None:
    opened(page, serve(Session(TKM, {}, seed=1)))
    page.click("#study-open")
    page.click("#study-close")
    page.evaluate(  # as another window begins it
        """() => fetch("/api/new", {
            method: "POST",
            headers: { "Content-Type": "application/json" },
            body: JSON.stringify({ opponent: "greedy", watch: "greedy" }),
        })"""
    )
    expect(page.locator("#watch")).to_be_visible()
    expect(page.locator("#pause")).to_contain_text("Pause")
    page.wait_for_selector("#log li:nth-child(4)", state="attached")


def two_turns_deep(states: Any, *, lines: int = 3, **limits: Any) -> list[Line]:
    """The analysis of a page, as deep on every machine."""
    return analyse(states, lines=lines, depth=2)


def test_a_game_is_studied_turn_by_turn_with_lines_and_records(
    new_page: NewPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tkm_env.play.tkm.adapter.analyse", two_turns_deep)
    file = tmp_path / "games.jsonl"
    for seed in range(3):
        recorded: Session[Any] = Session(TKM, {}, opponent="random", watch="greedy", seed=seed)
        while not recorded.is_over:
            recorded.let_agent_play()
        write_record(file, recorded.to_record())
    explorer = Explorer(file)
    explorer.read()
    session: Session[Any] = Session(TKM, {}, opponent="greedy", seed=1)
    with served(session, explorer) as url:
        page = opened(new_page(), url)
        page.click("#study-open")
        page.wait_for_selector("#lines li:nth-child(3) button")
        assert page.locator("#explored tbody tr").count() >= 1
        start = page.text_content("#looked")
        page.locator("#lines li").nth(1).locator("button").nth(1).click()
        expect(page.locator("#looked")).to_contain_text("2 turns into a line")
        assert page.locator("#lines [aria-pressed=true]").count() == 1
        no_findings(page)
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#looked")).to_have_text(start or "")
        page.locator("#explored button").first.click()
        expect(page.locator("#looked")).to_contain_text("1 turn into a line")
        page.keyboard.press("Escape")
        expect(page.locator("#study")).to_be_hidden()
        expect(page.locator("#actions")).to_be_visible()


def test_the_puzzle_of_the_day_is_rated_once(serve: Serve, page: Page) -> None:
    page.clock.install(time="2026-03-01T12:00:00")
    opened(page, serve(Session(TKM, {}, seed=1)))
    page.click("#learn")
    expect(page.locator("#daily")).to_contain_text("March 1")
    expect(page.locator("#rating")).to_be_hidden()
    page.click("#daily")
    for _ in range(2):
        while not page.locator("#now.wrong, #now.solved").count():
            with news(page):
                page.locator("#actions [data-action]").last.click()
            page.clock.run_for(50)
        rated = page.locator("#situation").text_content() or ""
        assert "your rating" in rated
        if page.locator("#exercise-again").is_hidden():
            break
        page.click("#exercise-again")
        expect(page.locator("#now.open")).to_be_visible()
    page.click("#learn")
    expect(page.locator("#rating")).to_contain_text("after 1 puzzle")


def test_a_puzzle_of_several_turns_is_chosen_by_its_theme(serve: Serve, page: Page) -> None:
    name = "win in two turns: quiet turn"
    adapter = ADAPTERS.of(TKM)
    puzzle = adapter.exercises()[name][0]
    opened(page, serve(Session(TKM, {}, seed=1)))
    page.click("#learn")
    expect(page.locator("#sets h3", has_text="win in two turns")).to_be_visible()
    page.click(f'#sets [data-set="{name}"]')
    expect(page.locator("#situation")).to_contain_text("Win in two turns")
    game = TKM.game_class(position=puzzle.position)
    for number, turn in enumerate((puzzle.answers[0], *puzzle.line)):
        for action in turn:
            # The defence replies, and the only copy that can act is chosen, without a click.
            if number % 2 == 0 and adapter.obvious(game) != action:
                page.click(f'#actions [data-action="{action}"]')
            game.play(action)
    expect(page.locator("#now.solved")).to_contain_text("your rating")


def test_the_next_level_is_offered_after_two_wins(serve: Serve, page: Page) -> None:
    level, above = ROSTERS.of(TKM).levels[:2]
    session: Session[Any] = Session(TKM, {}, opponent=level.player, position=WHITE_WINS)
    opened(page, serve(session))
    page.click('#actions [data-action="focus present"]')
    page.wait_for_selector("#over:not([hidden])")
    expect(page.locator("#level")).to_be_hidden()
    page.click("#take-back")
    page.evaluate(
        "([name, wins]) => localStorage.setItem(name, wins)",
        [f"wins tkm {level.player}", '["an earlier game"]'],
    )
    page.click('#actions [data-action="focus present"]')
    expect(page.locator("#level")).to_have_text(f"Next level: {above.name}")
    page.click("#level")
    expect(page.locator("#over")).to_be_hidden()
    expect(page.locator("#other")).to_contain_text(above.name)
