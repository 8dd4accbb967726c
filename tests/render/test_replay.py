"""Replays: the replay of a game, the page in a real browser, the GIF, and their commands."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.browser import NewPage
from tests.games.tkm.positions import random_game
from tests.render.drawings import drawn_parts
from tkm_env import Game, replay_of
from tkm_env.core.record_files import write_record
from tkm_env.foundations.untrusted_text import visible
from tkm_env.games.registry import TKM
from tkm_env.games.tkm.engine.state import CHAPTERS
from tkm_env.games.tkm.events import Died
from tkm_env.players.roster import ROSTERS
from tkm_env.render.canvas import Canvas
from tkm_env.render.replay import Frame, Replay, Side
from tkm_env.render.replay import replay_page as page_of

if TYPE_CHECKING:
    from playwright.sync_api import Page

PLAYERS = {"white": "Ada", "black": "<b>Bob</b> & </script>"}


def finished(seed: int = 4, **settings: Any) -> Game:
    *_, game = random_game(
        Game(**{"chapters": CHAPTERS, "powers": ("overtime", "ripple"), "seed": seed} | settings),
        seed,
    )
    return game


def long_game() -> Game:
    """A game of 200 turns in which nobody dies who need not."""
    generator = np.random.default_rng(1)
    game = Game(chapters=CHAPTERS, powers=("second-wind", "second-wind"))
    while game.result is None:
        for action in generator.permutation(game.legal_actions()):
            after = game.copy()
            after.play(int(action))
            if not any(isinstance(event, Died) for event in after.events):
                break
        game = after
    assert game.turn == 200, game
    return game


GAME = finished()
LONG = long_game()


def two_games(folder: Path) -> Path:
    """A file of two short games."""
    path = folder / "games.jsonl"
    for seed in (1, 2):
        game = finished(seed, max_turns=3)
        write_record(path, game.to_record(players=PLAYERS | {"white": f"player {seed}"}))
    return path


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of `GAME`."""
    path = tmp_path_factory.mktemp("replay") / "game.html"
    path.write_text(page_of(GAME.replay(PLAYERS)), "utf-8")
    return path


# The replay.


def test_replay_describes_every_action_with_its_drawing() -> None:
    replay = GAME.replay(PLAYERS)
    assert len(replay.frames) == len(GAME.history) + 1
    assert replay.frames[0] == Frame(drawn_parts(GAME.start), 1)
    for number, (frame, ply) in enumerate(zip(replay.frames[1:], GAME.plies(), strict=True), 1):
        assert (frame.turn, frame.action, frame.events) == (
            ply.turn,
            ply.action,
            tuple(map(str, ply.events)),
        )
        assert replay.sides[frame.side].name == ply.player
        if number % 10 == 0:
            assert frame.parts == drawn_parts(GAME.at(number)), (
                f"ply {number} is drawn as the game is"
            )


def test_replay_describes_how_it_ended() -> None:
    for game, result in (
        (GAME, f"{GAME.winner} won"),
        (Game(), "unfinished"),
        (finished(max_turns=4), "cut off at the turn limit"),
    ):
        assert game.replay().result == result, (game, result)


def test_replay_describes_who_played_and_what() -> None:
    replay = GAME.replay(PLAYERS)
    assert [(side.name, side.player) for side in replay.sides] == list(PLAYERS.items())
    assert replay.about == (
        "growth + influence + memory",
        "white: overtime",
        "black: ripple",
        "edition 2021",
    )
    assert Game().replay().about == ("standard game", "edition 2021")


# The page.


def test_page_asks_for_nothing_else(file: Path) -> None:
    text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://|@import|url\(", text)
    assert "default-src 'none'" in text


def test_page_of_a_long_game_is_small() -> None:
    assert len(page_of(LONG.replay(PLAYERS)).encode()) < 500_000


def ply(page: Page) -> int:
    """The ply that the page shows everywhere, once the latest link or step has taken effect."""
    page.wait_for_function(
        "() => location.hash === '#ply=' + document.querySelector('#slider').value"
    )
    number, _, last = page.inner_text("#ply").partition(" / ")
    assert last == str(len(GAME.history))
    assert page.input_value("#slider") == number
    assert page.get_attribute("#steps [aria-current]", "href") == f"#ply={number}"
    assert page.evaluate("location.hash") == f"#ply={number}"
    # What is drawn are the parts of that frame, as the browser writes them.
    wanted = GAME.replay(PLAYERS).frames[int(number)].parts
    drawn = page.evaluate(
        "Object.fromEntries("
        "[...document.querySelectorAll('[id^=slot-]')].map((g) => [g.id, g.innerHTML]))"
    )
    for place, slot in enumerate(GAME.replay().canvas.slots):
        assert drawn[f"slot-{place}"].count("<") == 2 * len(
            re.findall(r"<[a-z]", wanted.get(slot, ""))
        ), f"{slot} at ply {number}"
    return int(number)


def opened(page: Page, file: Path, fragment: str = "") -> Page:
    page.goto(file.as_uri() + fragment)
    return page


def test_buttons_step_through_the_game(page: Page, file: Path) -> None:
    opened(page, file)
    last = len(GAME.history)
    assert ply(page) == 0
    seen = []
    for go in ("on", "on", "back", "turn-on", "turn-on", "turn-back", "last", "first"):
        page.click(f"[data-go={go}]")
        seen.append(ply(page))
    turns = [
        number for number, step in enumerate(GAME.plies(), 1) if step.action.startswith("focus")
    ]
    assert seen == [1, 2, 1, turns[0], turns[1], turns[0], last, 0]
    assert page.is_disabled("[data-go=back]")
    assert page.is_disabled("[data-go=first]")
    assert not page.is_disabled("[data-go=on]")


@pytest.mark.slow
def test_keys_step_through_the_game(page: Page, file: Path) -> None:
    opened(page, file)
    seen = []
    for key in (
        "ArrowRight",
        "ArrowRight",
        "ArrowLeft",
        "End",
        "ArrowRight",
        "Home",
        "PageDown",
        "PageUp",
    ):
        page.keyboard.press(key)
        seen.append(ply(page))
    last = len(GAME.history)
    first_turn = next(
        number for number, step in enumerate(GAME.plies(), 1) if step.action.startswith("focus")
    )
    assert seen == [1, 2, 1, last, last, 0, first_turn, 0]


@pytest.mark.slow
def test_keys_still_work_after_a_click_and_on_the_slider(page: Page, file: Path) -> None:
    opened(page, file)
    page.click("[data-go=on]")
    page.keyboard.press("ArrowRight")
    assert ply(page) == 2
    page.focus("#slider")
    page.keyboard.press("ArrowRight")
    assert ply(page) == 3, "one key is one step there, too"


@pytest.mark.slow
def test_slider_leads_to_any_ply(page: Page, file: Path) -> None:
    opened(page, file).fill("#slider", "23")
    assert ply(page) == 23
    box = page.locator("#slider").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(ply(page) - len(GAME.history) / 2) < 3


@pytest.mark.slow
def test_links_lead_to_a_ply(page: Page, file: Path) -> None:
    for fragment, number in (
        ("#ply=37", 37),
        ("", 0),
        ("#ply=99999", len(GAME.history)),
        ("#nonsense", 0),
    ):
        assert ply(opened(page, file, fragment)) == number, (fragment, number)


@pytest.mark.slow
def test_the_list_of_steps_leads_to_a_ply_and_back_again(page: Page, file: Path) -> None:
    opened(page, file).click("#steps a >> nth=12")
    assert ply(page) == 12
    page.click("#steps a >> nth=14")
    assert ply(page) == 14
    page.go_back()
    assert ply(page) == 12
    assert page.locator("#steps a").count() == len(GAME.history) + 1


@pytest.mark.slow
def test_the_step_that_is_shown_is_in_sight(page: Page, file: Path) -> None:
    opened(page, file, "#ply=80")
    step, around = (
        page.locator(what).bounding_box() for what in ("#steps [aria-current]", "#steps")
    )
    assert step is not None
    assert around is not None
    assert around["y"] < step["y"] < around["y"] + around["height"] - step["height"]


@pytest.mark.slow
def test_it_plays_pauses_and_stops_at_the_end(page: Page, file: Path) -> None:
    last = len(GAME.history)
    page.clock.install(time=0)
    opened(page, file, f"#ply={last - 3}").select_option("#speed", "20")
    page.click("#play")
    page.wait_for_selector(f'#steps [aria-current][href="#ply={last}"]')
    page.wait_for_selector("#play[aria-pressed=false]")
    page.clock.pause_at(3_600_000)  # so that it shows no further step however long the rest takes
    page.select_option("#speed", "0.5")
    page.click("#play")
    assert page.get_attribute("#play", "aria-pressed") == "true"
    assert ply(page) == 0, "from the end it plays again from the start"
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press(" ")
    assert page.get_attribute("#play", "aria-pressed") == "false"


@pytest.mark.slow
def test_keys_change_the_speed(page: Page, file: Path) -> None:
    opened(page, file)
    page.keyboard.press("+")
    assert page.input_value("#speed") == "4"
    for _ in range(5):
        page.keyboard.press("-")
    assert page.input_value("#speed") == "0.5"


@pytest.mark.slow
def test_it_says_what_happened_in_words(page: Page, file: Path) -> None:
    number, step = next(
        (number, step) for number, step in enumerate(GAME.plies(), 1) if len(step.events) > 2
    )
    opened(page, file, f"#ply={number}")
    events = page.locator("#events")
    assert events.locator("p").inner_text() == f"{step.player}: {step.action}"
    assert [item.text_content() for item in events.locator("li").all()] == [
        str(event) for event in step.events
    ]


@pytest.mark.slow
def test_names_are_text_whatever_they_hold(page: Page, file: Path) -> None:
    opened(page, file)
    assert [span.inner_text() for span in page.locator("#title span").all()][::2] == [
        *PLAYERS.values()
    ]
    assert page.locator("#title b").count() == 0


#: Names that end an element, or begin something, in one of the languages of the page.
HOSTILE = [
    "<!--<script>",
    "<!-- <script",
    "</script><b>",
    "</SCRIPT\n>",
    "]]>",
    "$name ${title} $$",
    "\"'`\\\\",
    "\\u003cscript>",
    "&lt;b&gt; &amp;",
    "\0\x01\b\t\n\f\r\x1b\x7f\x85",
    "\u2028\u2029",
    "\u202e\u2066olleh\u200f",
    "\ud800 \udc00",
    "\U0001f9d1\u200d\U0001f680",
    "x" * 10_000,
]


@pytest.mark.slow
def test_it_opens_whatever_the_players_are_called(page: Page, tmp_path: Path) -> None:
    for name in HOSTILE:
        path = tmp_path / "game.html"
        path.write_text(page_of(GAME.replay({"white": name, "black": "Bob"})), "utf-8")
        opened(page, path)
        page.click("[data-go=on]")
        assert ply(page) == 1, name
        codes = "(text) => Array.from({length: text.length}, (_, n) => text.charCodeAt(n))"
        shown = page.evaluate(f"({codes})(document.querySelectorAll('#title span')[0].textContent)")
        assert shown == list(memoryview(visible(name, keep="\n").encode("utf-16-le")).cast("H")), (
            name
        )
        assert page.locator("#title").locator("b, script").count() == 0, name
        board = page.locator("#drawing").bounding_box()
        assert board is not None, name
        assert board["height"] > 200, "the name takes the place of the board"
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name


@pytest.mark.slow
def test_it_takes_the_theme_of_the_system_until_another_is_chosen(
    new_page: NewPage, file: Path
) -> None:
    for scheme, ground in (("light", "rgb(250, 247, 240)"), ("dark", "rgb(29, 31, 37)")):
        page = opened(new_page(color_scheme=scheme), file)
        colour = "getComputedStyle(document.body).backgroundColor"
        assert page.evaluate(colour) == ground, (scheme, ground)
        page.click("#theme")
        assert page.evaluate(colour) != ground, (scheme, ground)
        page.keyboard.press("t")
        assert page.evaluate(colour) == ground, (scheme, ground)


@pytest.mark.slow
def test_the_heading_of_a_turn_does_not_cover_the_action_that_is_shown(
    new_page: NewPage, file: Path
) -> None:
    page = opened(
        new_page(viewport={"width": 828, "height": 640}), file
    )  # as in a notebook, where the list is low
    link = "document.querySelector('#steps [aria-current]')"
    for _ in range(15):
        page.click("[data-go=on]")
        corner = (
            "(({left, top}) => document.elementFromPoint(left + 40, top + 3))"
            f"({link}.getBoundingClientRect())"
        )
        assert page.evaluate(f"{link}.contains({corner})"), f"action {ply(page)} is covered"


@pytest.mark.slow
def test_it_fits_every_screen(new_page: NewPage, file: Path) -> None:
    for width, height in ((390, 844), (320, 568), (844, 390), (768, 1024), (1920, 1080)):
        page = opened(
            new_page(
                viewport={"width": width, "height": height}, is_mobile=width < 500, has_touch=True
            ),
            file,
            "#ply=20",
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (
            "nothing is wider than the screen"
        )
        board = page.locator("#drawing").bounding_box()
        assert board is not None, (width, height)
        assert board["width"] > 0.6 * min(width, 2 * height), (width, height)
        page.tap("[data-go=on]")
        assert ply(page) == 21, (width, height)
        buttons = [button.bounding_box() for button in page.locator("#buttons button").all()]
        assert all(box is not None and min(box["width"], box["height"]) >= 36 for box in buttons), (
            "a finger can hit every button"
        )


@pytest.mark.slow
def test_names_of_levels_break_only_between_their_options_on_a_phone(
    new_page: NewPage, tmp_path: Path
) -> None:
    page = new_page(viewport={"width": 390, "height": 844}, is_mobile=True)
    for level in ROSTERS.of(TKM).levels:
        (tmp_path / "game.html").write_text(
            page_of(GAME.replay(dict.fromkeys(PLAYERS, level.player))), "utf-8"
        )
        opened(page, tmp_path / "game.html")
        lines = page.locator("#title div span").evaluate_all(
            """(names) => names.map((name) => [...name.childNodes].map((part) => {
              const range = document.createRange();
              range.selectNodeContents(part);
              return range.getClientRects().length;
            }))"""
        )
        assert all(max(parts) == 1 for parts in lines), level.player
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, level.player


@pytest.mark.slow
def test_a_notebook_shows_the_page_in_a_frame_with_its_slider(page: Page, tmp_path: Path) -> None:
    record = finished().to_record(players={"white": 'Ada "the first"', "black": "Bob"})
    (tmp_path / "cell.html").write_text(replay_of(record)._repr_html_(), "utf-8")
    page.goto((tmp_path / "cell.html").as_uri())
    frame = page.frame_locator("iframe")
    frame.locator("#slider").fill("3")
    assert frame.locator("#ply").inner_text().startswith("3 / ")
    assert "Ada" in frame.locator("h1").inner_text()


def test_another_game_can_be_reported() -> None:
    """The page and the picture know nothing of the rules."""
    colours = dict.fromkeys(("ground", "ink", "faint", "rule", "mark", "active"), "#000000")
    canvas = Canvas(
        10,
        5,
        '<defs><g id="tkm-stone"/></defs>',
        "",
        {"a": "", "b": "translate(1 1)"},
        {"light": colours, "dark": colours},
    )
    frames = [
        Frame({"a": '<use href="#tkm-stone"/>'}, 1),
        Frame({"b": "<g/>"}, 1, 0, "put", ["a stone was put"]),
    ]
    text = page_of(Replay("Stones", ["small"], [Side("red", "", "")], canvas, frames, "red won"))
    content = json.loads(text.partition('id="replay">')[2].partition("</script>")[0])
    assert content["frames"] == [
        [1, None, None, [], [0, 1]],
        [1, 0, "put", ["a stone was put"], [0, 0, 1, 2]],
    ]
    assert content["contents"] == ["", '<use href="#tkm-stone"/>', "<g/>"]
