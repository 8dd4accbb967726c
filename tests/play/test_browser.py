"""Playing on the page, in a real browser."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("playwright.sync_api", reason="needs playwright, from the extra [dev]")

from playwright.sync_api import expect

from tests.browser import PATIENCE, NewPage, no_findings
from tests.games.tkm.positions import WHITE_WINS
from tests.play.page import Serve, click_place, go_to_place, news, opened, wait_for_turn
from tkm_env import ACTIONS, Game
from tkm_env.core.registry import GameSpec
from tkm_env.games.registry import TERMINUS, TKM
from tkm_env.games.tkm.render.svg import box_of, place_of
from tkm_env.games.tkm.view import view_of
from tkm_env.play.adapter import ADAPTERS
from tkm_env.play.match_file import MatchFile
from tkm_env.play.session import Session
from tkm_env.players import GreedyAgent
from tkm_env.players.roster import ROSTERS

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

#: Opens the page of a new session, from its settings and the keywords of `Session`; returns the
#: page and the session.
Open: TypeAlias = Callable[..., "tuple[Page, Session[Game]]"]

_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
#: A position in which many actions lead to the same spaces.
_CROWDED = (
    "W..D/.IO./.*.*/L..B|W.../D.O./.#.#/L..B|W..D/B.O./.TW./L..B GIM w 2 NF N1 2/3 b -w-/--b -/- 12"
)


@pytest.fixture
def open_page(serve: Serve, new_page: NewPage) -> Open:
    def open_(
        settings: dict[str, Any] | None = None,
        browser: dict[str, Any] | None = None,
        **keywords: Any,
    ) -> Any:
        session = Session(TKM, settings or {}, **{"seed": 1, **keywords})
        return opened(new_page(**browser or {}), serve(session)), session

    return open_


def status(page: Page) -> str:
    return page.inner_text("#situation")


def last_action(page: Page) -> str:
    return page.inner_text("#last")


def press(page: Page, *actions: str) -> None:
    """Press the buttons of these actions, one after the other."""
    for action in actions:
        with news(page):
            page.click(f'#actions [data-action="{action}"]')


def click_action(
    page: Page, action: str, position: str, reach: Callable[[Page, str], None] = click_place
) -> None:
    """Play an action on the board, and wait until it is in the log."""
    place = place_of(action, view_of(Game(position=position)))
    assert place is not None
    with news(page):
        reach(page, place)
        if page.is_visible("#choice"):
            page.click(f'#choice [data-action="{action}"]')


def tap_place(page: Page, place: str) -> None:
    page.locator(f'#board .place[data-place="{place}"]').tap()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reach", "browser"),
    [(click_place, {}), (go_to_place, {}), (tap_place, _PHONE)],
    ids=["mouse", "keyboard", "phone"],
)
def test_a_whole_game_is_won_on_the_board(
    open_page: Open, reach: Callable[[Page, str], None], browser: dict[str, Any]
) -> None:
    page, session = open_page({}, browser, opponent="random")
    player = GreedyAgent(seed=1)
    while wait_for_turn(page):
        click_action(page, ACTIONS[player.act(session.game)], session.game.position, reach)
    assert page.inner_text("#result") == "You won"
    assert page.locator("#board .place").count() == 0
    assert page.locator("#actions button").count() == 0
    assert session.game.result == "1-0"


def test_a_turn_is_played_with_the_mouse(open_page: Open) -> None:
    page, session = open_page(opponent="random")
    page.wait_for_selector("text=2 actions left")  # the only copy is chosen already
    expect(page.locator("#last")).to_contain_text("You win if")
    boards = page.locator("#board").bounding_box()
    click_place(page, "P2")
    page.wait_for_selector("text=1 action left")
    assert last_action(page) == "White: the white copy walked from past 1 to 2"
    expect(page.locator("#board svg")).to_have_class("faint")
    click_place(page, "P6")
    page.wait_for_selector("text=to shift the focus")
    with news(page):
        click_place(page, "future")
    assert wait_for_turn(page)
    record = session.to_record()
    assert record["actions"][:4] == ["choose 1", "move east", "move south", "focus future"]
    turn = [entry.text for entry in session.adapter.log(session.game)[5:] if not entry.is_quiet]
    assert last_action(page) == f"Black: {' · '.join(turn)}", "not all of the turn is shown"
    expect(page.locator("#board svg")).not_to_have_class("faint")
    assert page.locator("#board").bounding_box() == boards, "the boards have moved"
    walked = sum("walked" in text for text in turn)
    assert page.locator('#board [data-slot="arrows"] use').count() == walked, (
        "not all of the turn is marked"
    )
    assert "(your turn)" in status(page)
    assert "2 · black" in page.inner_text("#log").lower()


@pytest.mark.slow
def test_a_real_click_hits_what_is_drawn(open_page: Open) -> None:
    page, session = open_page()
    page.wait_for_selector("text=2 actions left")
    box = page.locator("#board svg").bounding_box()
    assert box is not None
    left, top, width, _ = map(float, str(page.get_attribute("#board svg", "viewBox")).split(" "))
    scale = box["width"] / width
    x, y, width, height = box_of("P2")
    page.mouse.click(
        box["x"] + (x + width / 2 - left) * scale, box["y"] + (y + height / 2 - top) * scale
    )
    page.wait_for_selector("text=1 action left")
    assert session.to_record()["actions"] == ["choose 1", "move east"]


@pytest.mark.slow
def test_every_legal_action_is_a_button(open_page: Open) -> None:
    page, session = open_page(position=_CROWDED)
    page.wait_for_selector("#actions button")
    names = page.locator("#actions button").evaluate_all(
        "(buttons) => buttons.map((button) => button.dataset.action)"
    )
    assert sorted(names) == sorted(session.game.legal_names())
    page.click(f'[data-action="{names[0]}"]')
    page.wait_for_selector("text=1 action left")
    assert len(session.game.history) == 1


@pytest.mark.slow
def test_a_place_with_several_actions_asks_which(open_page: Open) -> None:
    page, session = open_page({"chapters": "growth"})
    page.wait_for_selector('.place[data-place="P5"]')
    click_place(page, "P5")
    dialog = page.locator("#choice")
    assert "past 5" in dialog.inner_text().lower()
    names = dialog.locator("button").evaluate_all(
        "(buttons) => buttons.map((button) => button.dataset.action)"
    )
    assert names == ["move south", "plant south"]
    page.keyboard.press("Escape")
    assert len(session.game.history) == 1, "closing the question played an action"
    click_place(page, "P5")
    dialog.locator("text=plant south").click()
    page.wait_for_selector("text=1 action left")
    assert "a seed was planted on past 5" in last_action(page)


@pytest.mark.slow
def test_the_keyboard_is_enough(open_page: Open) -> None:
    page, session = open_page()
    page.wait_for_selector("text=2 actions left")
    page.keyboard.press("u")
    page.wait_for_selector("text=to choose a copy")
    page.locator("#board .place").focus()
    page.keyboard.press("Enter")
    page.wait_for_selector("text=2 actions left")
    page.keyboard.press("2")
    page.wait_for_selector("text=1 action left")
    page.keyboard.press("u")
    page.wait_for_selector("text=2 actions left")
    page.keyboard.press("ArrowRight")  # from the copy
    page.keyboard.press("Enter")
    page.wait_for_selector("text=1 action left")
    assert session.to_record()["actions"] == ["choose 1", "move east"]


@pytest.mark.slow
def test_keys_work_whatever_was_clicked_before(open_page: Open) -> None:
    page, session = open_page()
    page.wait_for_selector("text=2 actions left")
    for control in ("#options summary", "#hints", "#evaluates", "#tip"):
        page.click(control)
        page.keyboard.press("1")
        page.wait_for_selector("text=1 action left")
        page.keyboard.press("u")
        page.wait_for_selector("text=2 actions left")
    assert session.to_record()["actions"] == ["choose 1"]


@pytest.mark.slow
def test_turns_are_taken_back_to_the_start(open_page: Open) -> None:
    page, session = open_page(opponent="random")
    page.wait_for_selector("text=2 actions left")
    start = session.game.position
    for turn in (1, 3):
        while wait_for_turn(page) and session.game.turn == turn:
            with news(page):
                page.keyboard.press("1")
    for _ in range(2):
        with news(page):
            page.click(
                "#take-back"
            )  # news begins when the page is no longer busy, which would take no click
    page.wait_for_selector("text=2 actions left")
    assert session.game.position == start
    assert page.is_disabled("#take-back")


@pytest.mark.slow
def test_the_agents_actions_are_shown_one_after_another(serve: Serve, new_page: NewPage) -> None:
    session = Session(TKM, {}, opponent="random", side="black", seed=1)
    page = new_page()
    # The page itself notes what it shows: polling it could miss a step on a busy machine.
    page.add_init_script(
        """window.shown = []
        window.said = []
        new MutationObserver(() => {
            const log = document.querySelector("#log")
            if (!log) return
            window.shown.push(log.querySelectorAll("li:not(.turn)").length)
            window.said.push(document.querySelector("#situation").textContent)
        }).observe(document, {childList: true, subtree: true})"""
    )
    opened(page, serve(session), pace=500)
    page.wait_for_function("() => Math.max(...window.shown) > 2")
    shown = sorted(set(page.evaluate("window.shown")))
    assert shown == list(range(shown[-1] + 1))
    assert "white (random) is thinking" in page.evaluate("window.said")
    page.click("#help")  # meanwhile the page answers
    assert page.is_visible("#about")


@pytest.mark.slow
def test_a_new_game_with_settings(open_page: Open) -> None:
    page, _ = open_page()
    page.click("#new")
    page.click("text=2 beginner")
    page.select_option("#setting-side", "black")
    page.select_option("#setting-chapters", "influence+memory")
    assert page.is_hidden("#setting-edition"), "the further settings are not folded"
    page.click("#more summary")
    page.select_option("#setting-edition", "2022")
    page.select_option('[data-setting="handicap"] select >> nth=1', "2")
    page.select_option("[aria-label='powers white']", "exchange")
    page.fill("#setting-max_turns", "50")
    page.fill("#setting-clock", "10+5")
    page.select_option("#setting-draws", "false")
    page.click("#begin")
    page.wait_for_selector("#setup:not([open])", state="hidden")
    player = ROSTERS.of(TKM).levels[1].player
    expect(page.locator(f'#table [title="{player}"]')).to_have_text("beginner")
    assert wait_for_turn(page)
    assert page.is_visible('[data-clock="black"]')
    record = page.evaluate("fetch('/api/record').then((answer) => answer.json())")
    assert record["config"] == {
        "chapters": ["influence", "memory"],
        "edition": "2022",
        "handicap": [0, 2],
        "powers": ["exchange", None],
        "max_turns": 50,
        "concede": True,
    }
    page.click("#options summary")
    assert page.is_visible('#talk [data-action="concede"]')


@pytest.mark.slow
def test_the_dialog_begins_with_the_settings_of_the_game_before(open_page: Open) -> None:
    page, _ = open_page(
        {"chapters": "growth", "handicap": "0,2", "draws": True, "max_turns": 50},
        opponent="greedy",
        side="black",
    )
    page.wait_for_selector(
        "#actions [data-action]"
    )  # else the page, playing what goes without saying, is refused
    page.click("#new")
    page.wait_for_selector("#setup")
    page.click("#begin")
    page.wait_for_selector("#setup", state="hidden")
    record = page.evaluate("fetch('/api/record').then((answer) => answer.json())")
    assert record["config"] == {
        "chapters": ["growth"],
        "handicap": [0, 2],
        "draws": True,
        "max_turns": 50,
        "concede": True,
    }
    assert record["players"] == {"white": "greedy", "black": "person"}


@pytest.mark.slow
def test_a_click_counts_although_the_page_asked_for_news_when_the_last_was_made(
    open_page: Open,
) -> None:
    page, _ = open_page()
    page.wait_for_selector("text=2 actions left")
    with page.expect_console_message(lambda message: message.text == "asking"):
        page.evaluate("""() => {
            const ask = window.fetch;
            const later = (time) => new Promise((done) => setTimeout(done, time));
            window.fetch = async (path, ...rest) => {
                if (path.includes("since=")) { console.log("asking"); await later(300); }
                const answer = await ask(path, ...rest);
                if (path.startsWith("/api/play")) await later(1500);
                return answer;
            };
        }""")
    for place in ("P2", "P6"):
        with news(page):
            click_place(page, place)


@pytest.mark.slow
def test_powers_are_drafted_and_explained(open_page: Open) -> None:
    page, session = open_page({"timeline": "draft_powers", "power_set": "tempo"})
    assert page.inner_text('[data-action="draft 1"]').startswith("overtime")
    assert "Once per game" in page.inner_text('[data-action="draft 1"]')
    press(page, "draft 2", "draft 1")
    page.wait_for_selector("text=decide who goes first")
    page.click('[data-action="go first"]')
    page.wait_for_selector("text=2 actions left")  # the only copy is chosen already
    assert status(page) == "Black to act, 2 actions left"
    assert session.game.about[1:3] == ("white: fixation", "black: overtime")


@pytest.mark.slow
def test_settings_that_are_invalid_are_shown_in_the_dialog(serve: Serve, chromium: Browser) -> None:
    session = Session(TKM, {}, seed=1)
    with (
        chromium.new_context() as context
    ):  # browsers complain of refused requests, so no fixture that forbids it
        context.set_default_timeout(PATIENCE)
        page = opened(context.new_page(), serve(session))
        page.click("#new")
        page.click("#more summary")
        page.fill("#setting-clock", "ten minutes")
        page.click("#more summary")  # folded again
        page.click("#begin")
        expect(page.locator("#refused")).to_have_text(
            "Clock: it must be minutes for each player and seconds added after each turn, "
            "as in '10+5': more than 0 and at most 1440 minutes, and 0 to 3600 seconds"
        )
        expect(page.locator("#help-clock")).to_contain_text("It must be minutes for each player")
        expect(page.locator("#setting-clock")).to_be_focused()
        for part in ("#refused", "#setting-clock", "#help-clock"):
            expect(page.locator(part)).to_be_in_viewport(ratio=1)
        no_findings(page)
        page.fill("#setting-clock", "10+5")
        expect(page.locator("#refused")).to_be_hidden()
        expect(page.locator("#help-clock")).to_contain_text("Run out of time and you lose.")
        page.click("#begin")
        page.wait_for_selector("#setup", state="hidden")


@pytest.mark.slow
def test_what_a_choice_rules_out_is_disabled_with_the_reason_beside_it(open_page: Open) -> None:
    page, _ = open_page(position=WHITE_WINS)
    page.click("#new")
    expect(page.locator("#setting-position")).to_have_value("")
    assert page.locator("#more").get_attribute("open") is None, (
        "a field is remembered that nobody filled in here"
    )
    page.click("#more summary")
    brushwood = page.locator("[aria-label='powers black'] option[value=brushwood]")
    page.select_option("#setting-chapters", "growth")
    page.select_option("[aria-label='powers black']", "brushwood")
    page.select_option("#setting-chapters", "memory")
    assert brushwood.inner_text() == "brushwood (needs growth)"
    expect(page.locator("[aria-label='powers black']")).to_have_value("none")
    page.select_option("#setting-timeline", "power_share")
    expect(page.locator("#help-powers")).to_have_text("The powers are drafted.")
    expect(page.locator("#setting-power_set")).to_be_enabled()
    page.select_option("#setting-match", "campaign")
    expect(page.locator("#help-chapters")).to_have_text("A campaign sets this itself.")
    for keyword in ("chapters", "timeline", "position"):
        expect(page.locator(f"#setting-{keyword}")).to_be_disabled()
    page.click("#begin")
    expect(page.locator("#match-title")).to_have_text("Campaign, standard, game 1")


@pytest.mark.slow
def test_what_was_clicked_too_late_is_refused_and_the_page_brought_up_to_date(
    serve: Serve, chromium: Browser
) -> None:
    session = Session(TKM, {}, seed=1)
    with chromium.new_context() as context:
        context.set_default_timeout(PATIENCE)
        url = serve(session)
        first, second = opened(context.new_page(), url), opened(context.new_page(), url)
        second.route(
            "**/api/state?*since=*", lambda route: route.fulfill(status=204)
        )  # it hears nothing of the other window
        for page in (first, second):
            page.wait_for_selector("text=2 actions left")
        first.click('[data-action="move east"]')
        first.wait_for_selector("text=1 action left")
        second.click('[data-action="move east"]')
        second.wait_for_selector("#message:not([hidden])")
        assert "another window played" in second.inner_text("#message")
        second.wait_for_selector("text=1 action left")
        assert session.to_record()["actions"] == ["choose 1", "move east"]


@pytest.mark.slow
def test_an_illegal_request_changes_nothing(open_page: Open) -> None:
    page, session = open_page()
    page.wait_for_selector("text=2 actions left")
    answer = page.request.post(f"{page.url}api/play", data={"version": 2, "action": "move north"})
    assert answer.status == 400
    assert "'move north' is not legal" in answer.json()["message"]
    assert session.to_record()["actions"] == ["choose 1"]


@pytest.mark.slow
def test_another_window_shows_the_same_game(serve: Serve, new_page: NewPage) -> None:
    session = Session(TKM, {}, seed=1)
    url = serve(session)
    first, second = new_page(), new_page()
    second.clock.install()
    opened(first, url), opened(second, url)
    first.wait_for_selector("text=2 actions left")
    with news(first):
        first.click('[data-action="move east"]')
    second.clock.fast_forward(3000)  # the page asks every three seconds
    second.wait_for_selector("text=1 action left")


@pytest.mark.slow
def test_the_end_says_who_won_why_and_when_and_offers_what_comes_next(open_page: Open) -> None:
    page, session = open_page(position=WHITE_WINS)
    session.adapter.evaluation(session.game)  # so that the page does not wait for the compiler
    click_place(page, "present")
    page.wait_for_selector("#over:not([hidden])")
    assert page.inner_text("#result").lower() == "white wins"
    assert page.inner_text("#why") == "Black has copies only in the past. The game took 1 turn."
    buttons = page.locator("#after button:visible, #after a:visible").all_inner_texts()
    assert buttons == ["Rematch, sides swapped", "New game", "Replay", "Analyse"]
    page.click("#review")
    expect(page.locator("#graph .column")).to_have_count(2)
    page.click("#rematch")
    page.wait_for_selector("#over", state="hidden")
    page.click("#new")
    page.wait_for_selector("#setup")


@pytest.mark.slow
def test_a_campaign_is_kept_and_goes_on_when_it_is_served_again(
    serve: Serve, new_page: NewPage, tmp_path: Path
) -> None:
    def begun() -> Page:
        session = MatchFile(tmp_path / "campaign.json").session(
            TKM, {}, match="campaign", opponent="person"
        )
        return opened(new_page(), serve(session))

    page = begun()
    page.on("dialog", lambda dialog: dialog.accept())
    expect(page.locator("#kept")).to_have_text("Each game is saved to a file once it is over.")
    with news(page):
        page.click("#options summary")
        page.click('#talk [data-action="concede"]')
    expect(page.locator("#standing")).to_have_text("white 0 : black 1")
    page.click("#next")
    page.click('#steps [data-step="go on"]')
    expect(page.locator("#match-title")).to_have_text("Campaign, growth, game 1")
    press(page, "move east")
    again = begun()
    expect(again.locator("#match-title")).to_have_text("Campaign, growth, game 1")
    expect(again.locator("#standing li").first).to_have_text("white 0 : black 1")
    expect(again.locator("#log li:not(.turn)")).to_have_count(1)  # the only copy is chosen


@pytest.mark.slow
def test_anything_pointed_at_is_explained(open_page: Open) -> None:
    page, _ = open_page({"chapters": "growth", "powers": "doorway,none"})
    page.wait_for_selector("text=2 actions left")
    page.hover('[data-cell="F16"]')
    expect(page.locator("#tip")).to_have_text(
        re.compile("^Future 16: black copy · A copy of Black.")
    )
    page.focus("button:has-text('doorway')")
    expect(page.locator("#tip")).to_contain_text("Walls do not stop the active copy")
    for side in ("white", "black"):
        expect(page.get_by_role("button", name=f"{side}: 4 in supply")).to_have_count(1)


@pytest.mark.slow
def test_a_position_is_put_together_with_the_mouse(open_page: Open) -> None:
    page, _ = open_page()
    page.click("#edit")
    page.check('#palette [value="."]')
    page.click('#editor-board [data-cell="F16"]')
    page.click('#editor-board [data-cell="N16"]')
    page.click('#editor-board [data-cell="P16"]')
    page.wait_for_selector("#problem:text('A game cannot start here: black has no copies.')")
    assert page.is_disabled("#editor-done")
    page.check('#palette [value="B"]')
    page.click('#editor-board [data-cell="N7"]')
    page.wait_for_selector("text=A game can start here.")
    page.click("#editor-done")
    page.click("#begin")
    page.wait_for_selector("#setup", state="hidden")
    page.click("summary:has-text('Position')")
    assert "|W.../..B./..../....|" in page.inner_text("#position")


@pytest.mark.slow
def test_changes_made_at_once_are_all_kept(open_page: Open) -> None:
    page, _ = open_page()
    page.click("#edit")
    page.check('#palette [value="."]')
    page.evaluate(
        "for (const name of ['F16', 'N16', 'P16'])"
        ' document.querySelector(`#editor-board [data-cell="${name}"]`).dispatchEvent('
        "new MouseEvent('click', { bubbles: true }))"
    )
    page.wait_for_selector("#problem:text('A game cannot start here: black has no copies.')")


@pytest.mark.parametrize(
    "theme",
    [
        pytest.param("light", marks=pytest.mark.slow),
        pytest.param("dark", marks=pytest.mark.nightly),
    ],
)
@pytest.mark.parametrize("spec", [TKM, TERMINUS], ids=lambda spec: spec.name)
def test_axe_finds_nothing_on_any_screen_of_any_size(
    serve: Serve, new_page: NewPage, spec: GameSpec, theme: str
) -> None:
    """A theme changes colours and nothing else, so the dark one is seen at one size."""
    sizes = ((1920, 1080), (390, 844), (1280, 720))[0 if theme == "light" else -1 :]
    everything = {
        "chapters": "growth+influence+memory",
        "powers": "doorway,overtime",
        "concede": True,
    }
    last_lesson = ADAPTERS.of(spec).exercises()["first steps"][-1]
    about = {"clock": "5+5"} if spec is TKM else {"position": last_lesson.position}
    page = new_page(color_scheme=theme)
    page.on("dialog", lambda question: question.accept())
    page.goto(
        serve(Session(spec, everything if spec is TKM else {}, opponent="random", seed=1, **about))
    )

    def check(what: str) -> None:
        page.wait_for_selector(what)
        for width, height in sizes:
            page.set_viewport_size({"width": width, "height": height})
            no_findings(page)

    check("#lessons[open]")
    page.click("#lessons-close")
    check("#actions [data-action]")
    if spec is TKM:
        page.click("#advise")
        check("#hint button")
        page.click("#edit")
        check("#editor[open] .place, #editor[open] .cell")
        page.keyboard.press("Escape")
    page.click("#help")
    page.click("#sections summary >> nth=1")
    check("#sections figure")
    if spec is TKM:
        page.click("#whole")
        page.wait_for_selector("#whole", state="hidden")
        check("#sections summary")
    page.keyboard.press("Escape")
    page.click("#new")
    check("#begin")
    page.click("#more summary")  # opened if it was folded, else folded
    check("#begin")
    page.keyboard.press("Escape")
    if spec is TKM:
        page.click("#options summary")
        check("#options [data-action]")
    page.click(
        '#talk [data-action="concede"]'
        if spec is TKM
        else f'#actions [data-action="{last_lesson.answers[0][0]}"]'
    )
    check("#over:not([hidden])")
    if spec is TKM:
        page.click("#review")
        check("#moments article")
    for name in [*ADAPTERS.of(spec).exercises()][:2]:
        page.click("#learn")
        page.click(f'#lessons [data-set="{name}"]')
        check("#now.open")


@pytest.mark.slow
def test_a_hint_is_arrows_with_a_reason_and_can_be_played(open_page: Open) -> None:
    page, session = open_page(position=WHITE_WINS)
    session.adapter.advice(session.game)  # so that the page does not wait for the compiler
    page.click("#advise")
    expect(page.locator("#advice")).to_contain_text("Wins: Black has copies only in the past.")
    expect(page.locator("#board svg.hinted [data-slot=marks] > path")).to_have_count(2)
    assert "wins this turn" in page.inner_text("#advice")
    expect(page.locator("#advice strong")).to_have_text("focus present")
    page.click("#advice button")
    page.wait_for_selector("#over:not([hidden])")
    assert session.game.result == "1-0"


@pytest.mark.slow
def test_analysis_shows_a_better_turn_beside_the_worst(open_page: Open) -> None:
    page, session = open_page({"concede": True})
    page.click("#options summary")
    session.adapter.advice(session.game)  # so that the page does not wait for the compiler
    page.on("dialog", lambda question: question.accept())
    page.click('#talk [data-action="concede"]')
    page.click("#review")
    expect(page.locator("#moments article")).to_have_count(1)
    expect(page.locator("#moments .played")).to_contain_text("Played: past 1, concede")
    expect(page.locator("#moments .better")).to_contain_text("Better: past 1→")
    expect(page.locator("#moments svg")).to_have_count(2)
    no_findings(page)


@pytest.mark.slow
def test_something_moves_until_a_slow_server_answers(open_page: Open) -> None:
    page, _ = open_page()
    page.wait_for_selector("text=2 actions left")

    def delay(route: Any) -> None:
        expect(page.locator("body.waiting")).to_be_attached()
        route.continue_()

    page.route("**/api/play*", delay)
    page.click('[data-action="move east"]')
    page.wait_for_selector("text=1 action left")
    expect(page.locator("body.waiting")).not_to_be_attached()


@pytest.mark.slow
def test_the_page_switches_to_another_game_and_back(open_page: Open) -> None:
    page, _ = open_page()
    page.on("dialog", lambda question: question.accept())
    page.evaluate("localStorage.setItem('solved tkm first steps', '[0]')")
    for game, place, solved in (
        ("terminus", "[data-grid=timeline]", 0),
        ("tkm", "[data-grid=past]", 1),
    ):
        page.select_option("#games", game)
        page.wait_for_selector(place, state="attached")
        page.click("#learn")
        expect(page.locator("#sets button").first).to_have_text(f"first steps{solved} of 7 solved")
        page.click("#lessons-close")


@pytest.mark.slow
def test_the_record_is_downloaded(open_page: Open, tmp_path: Path) -> None:
    page, session = open_page()
    press(page, "move east")
    with page.expect_download() as download:
        page.click("#save")
    assert download.value.suggested_filename == "game.json"
    assert Game.from_record(json.loads(Path(download.value.path()).read_text())) == session.game


@pytest.mark.slow
def test_the_replay_opens(open_page: Open) -> None:
    page, _ = open_page()
    press(page, "move east")
    with page.expect_popup() as popup:
        page.click("#replay")
    popup.value.wait_for_selector("#drawing")
    assert popup.value.locator("#drawing").is_visible()


@pytest.mark.slow
def test_dark_and_light_stay_as_chosen(open_page: Open) -> None:
    page, _ = open_page()
    light = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    page.click("#theme")
    dark = page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor")
    assert light != dark
    page.reload()
    page.wait_for_selector("#board .place")
    assert page.locator("body").evaluate("(body) => getComputedStyle(body).backgroundColor") == dark


@pytest.mark.slow
def test_hints_can_be_switched_off(open_page: Open) -> None:
    page, session = open_page()
    page.wait_for_selector("text=2 actions left")
    page.click("#options summary")
    page.uncheck("#hints")
    expect(page.locator("#board svg use[href*=target]")).to_have_count(0)
    click_place(page, "P2")
    page.wait_for_selector("text=1 action left")
    assert session.game.history != []


@pytest.mark.slow
def test_a_phone_shows_all_without_sliding_the_page(open_page: Open) -> None:
    settings = {"chapters": "growth+influence+memory", "powers": "doorway,overtime"}
    page, _ = open_page(settings, _PHONE)
    page.wait_for_selector('.place[data-place="P2"]')
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    page.tap("#options summary")
    for button in page.locator(
        "nav button, nav a, .place, button.thing, #actions button, #tools button, #tools label"
    ).all():
        if (box := button.bounding_box()) is None:  # it is hidden
            continue
        assert box["height"] >= 40, f"{button.inner_text()} is too low for a finger"
    board, own, actions = (
        page.locator(part).bounding_box() for part in ("#board", "#own", "#actions")
    )
    assert board is not None
    assert own is not None
    assert actions is not None
    assert own["y"] - board["y"] - board["height"] < 10, (
        "what is one's own is not right below the boards"
    )
    assert actions["y"] < 650, "the actions are out of sight"
    tip = page.locator("#tip").bounding_box()
    assert tip is not None
    assert tip["y"] + tip["height"] <= actions["y"], "the next thing to do is below the actions"
    page.tap('[data-action="move east"]')
    page.wait_for_selector("text=1 action left")
    page.tap('[data-action="travel forward"]')
    page.wait_for_selector("text=to shift the focus")
    strip = page.locator(".strip").evaluate(
        "(one) => [one.scrollLeft, one.clientWidth, one.scrollWidth]"
    )
    assert strip[2] > strip[1], "the boards do not slide"
    expect(page.locator('.whole[data-place="future"]')).to_be_in_viewport(ratio=0.5)
    page.tap("#new")
    page.wait_for_selector("#begin")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    begin = page.locator("#begin").bounding_box()
    assert begin is not None
    assert begin["y"] + begin["height"] <= 844, "the button that begins is out of sight"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("spec", "browser"),
    [(TKM, {"viewport": {"width": 1280, "height": 720}}), (TKM, _PHONE), (TERMINUS, _PHONE)],
    ids=["tkm-desk", "tkm-phone", "terminus-phone"],
)
def test_who_reads_nothing_but_what_is_said_finishes_the_lessons_and_a_first_game(
    serve: Serve, new_page: NewPage, spec: GameSpec, browser: dict[str, Any]
) -> None:
    """The newcomer presses the button that shares the most words with the text.

    After a wrong try it presses another one; in the first game it plays the hints.
    """
    page = new_page(**browser)
    page.add_init_script("localStorage.setItem('pace', '0')")
    page.goto(serve(Session(spec, {}, opponent="random", seed=1)))
    page.click("#lessons:visible [data-set='first steps']")
    page.wait_for_selector("#now.open")
    solved, tried, said = [], set(), ""
    while True:
        # While the page plays what goes without saying there are no actions.
        page.wait_for_selector("#actions button, #now.solved, #now.wrong", state="attached")
        title = page.inner_text("#situation")
        for part in ("#now", "#last"):
            heights = page.locator(part).evaluate("(one) => [one.scrollHeight, one.clientHeight]")
            assert heights[0] <= heights[1], f"{page.inner_text('#last')!r} is cut off"
        if page.locator("#now.solved").count():
            solved.append(title)
            last = page.is_hidden("#exercise-next")
            page.click("#exercise-leave" if last else "#exercise-next")
            if last:
                break
            said = ""
            page.wait_for_selector("#now.open")
        elif page.locator("#now.wrong").count():
            said += page.inner_text("#last").lower()
            no_findings(page)
            page.click("#exercise-again")
            page.wait_for_selector("#now.open")
        else:
            words = _words(said + page.inner_text("#last"))
            buttons = page.locator("#actions [data-action]").evaluate_all(
                "(all) => all.map((one) => [one.dataset.action,"
                " one.closest('[role=group]').ariaLabel + ' ' + one.firstChild.data])"
            )
            where = (title, page.text_content("#position"))
            name, _ = min(
                buttons,
                key=lambda button: ((*where, button[0]) in tried, -len(words & _words(button[1]))),
            )
            tried.add((*where, name))
            with news(page):
                page.click(f'#actions [data-action="{name}"]')
    assert len(solved) == len(set(solved)) == len(ADAPTERS.of(spec).exercises()["first steps"])
    expect(page.locator("#other")).to_contain_text("newcomer")
    while wait_for_turn(page):
        if page.is_hidden("#advise"):  # Terminus has no analysis
            press(
                page, str(page.locator("#actions [data-action]").first.get_attribute("data-action"))
            )
            continue
        page.hover("#tip")  # where there is nothing to explain
        expect(page.locator("#tip")).to_have_text(re.compile("^Next: "))
        turn = int(str(page.text_content("#position")).split(" ")[-1])
        page.click("#advise")
        page.click("#hint button")
        page.wait_for_function(
            """(turn) => {
                const position = document.querySelector("#position").textContent;
                const isOver = !document.querySelector("#over").hidden;
                return isOver || Number(position.split(" ").at(-1)) >= turn + 2;
            }""",
            arg=turn,
        )
    expect(page.locator("#result")).to_have_text(
        "You won" if spec is TKM else re.compile("^You (won|lost)$")
    )


def _words(text: str) -> set[str]:
    """The beginnings of words, by which "eastern" is "east", and the numbers."""
    return {word[:5] for word in re.findall(r"[a-z]{4,}|[0-9]+", text.lower())}
