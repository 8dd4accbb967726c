"""The page of a report: its text, and what it does in a real browser."""

from __future__ import annotations

import base64
import json
import re
import zlib
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arena.results_files import finished, written
from tests.browser import NewPage
from tests.render.test_fuzzed_replay_page import PARTS
from tkm_env.arena.report import report_page
from tkm_env.arena.report.report import Report
from tkm_env.arena.report.report_builder import ReportBuilder
from tkm_env.arena.report.report_page import Replays, page, select_games
from tkm_env.core.record_files import replay_of
from tkm_env.foundations.untrusted_text import visible
from tkm_env.render.replay import data

if TYPE_CHECKING:
    from playwright.sync_api import Page

_PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
NASTY = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "cmd:./" + "long" * 30,
    '" onload="alert(1)',
)


def report_of(path: Path, games: list[dict[str, Any]]) -> Report:
    path.unlink(missing_ok=True)
    builder = ReportBuilder()
    assert list(builder.read(written(path, games)))
    return builder.report()


def games_of(names: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Two games of each two players, one settings each; the first of all is lost by a fault."""
    number = 0
    for one in names:
        for other in names[names.index(one) + 1 :]:
            number += 1
            details = {
                "memory": {"white": 20.0},
                "isolation": {"white": "process", "black": "none"},
            }
            yield finished(
                one, other, seed=2 * number, fault="black" if number == 1 else None, **details
            )
            yield finished(other, one, seed=2 * number + 1, settings={"chapters": "growth"})


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    games = [
        game | {"seconds": [0.01 * n for n in range(len(game["actions"]))]}
        for game in games_of(NASTY)
    ]
    return report_of(tmp_path_factory.mktemp("report") / "games.jsonl", games)


@pytest.fixture(scope="module")
def held(report: Report) -> Replays:
    replays = Replays()
    for game in report.games:
        replays.add(game)
    return replays


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory, report: Report, held: Replays) -> Path:
    path = tmp_path_factory.mktemp("page") / "report.html"
    path.write_text(page(report, "The <cup>", held), "utf-8")
    return path


class Elements(HTMLParser):
    """The elements of a document with their attributes, and its text without scripts and styles."""

    def __init__(self, document: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.feed(document)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        if self.elements and self.elements[-1][0] not in ("script", "style"):
            self.texts.append(data)


NAMES = st.lists(st.sampled_from(PARTS[:-1]), min_size=1, max_size=6).map("".join)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], Elements]:
    """Games of players with harmless names, and the page on them."""
    games = list(games_of(("a", "b", "c")))
    return games, Elements(
        page(report_of(tmp_path_factory.mktemp("usual") / "games.jsonl", games), "A cup")
    )


@given(names=st.tuples(NAMES, NAMES, NAMES).filter(lambda names: len({*names}) == 3))
def test_any_name_stays_text(
    tmp_path_factory: pytest.TempPathFactory,
    usual: tuple[list[dict[str, Any]], Elements],
    names: tuple[str, str, str],
) -> None:
    named = dict(zip("abc", names, strict=True))
    games = [
        game | {"players": {side: named[name] for side, name in game["players"].items()}}
        for game in usual[0]
    ]
    found = Elements(
        page(report_of(tmp_path_factory.getbasetemp() / "names.jsonl", games), "A cup")
    )
    assert sorted(tag for tag, _ in found.elements) == sorted(
        tag for tag, _ in usual[1].elements
    ), "a name made or hid an element"
    assert {name for _, given in found.elements for name in given} <= {
        name for _, given in usual[1].elements for name in given
    }
    for name in names:
        shown = visible(name)
        assert shown in found.texts or any(
            given.get("title") == shown for _, given in found.elements
        )


def test_the_page_asks_for_nothing_else(file: Path) -> None:
    text = file.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
    assert not re.findall(r"https?://|@import|url\(", text)
    assert "default-src 'none'" in text


def test_the_page_holds_the_replays_as_they_are(report: Report, held: Replays, file: Path) -> None:
    text = file.read_text("utf-8")
    for game in report.games:
        (packed,) = re.findall(
            rf'<script type="text/plain" id="game-{game.number}">([^<]*)</script>', text
        )
        assert zlib.decompress(base64.b64decode(packed)).decode() == data(replay_of(game.record))
    assert len(held.shells) == 1


def test_the_same_games_make_the_same_page(report: Report, held: Replays, file: Path) -> None:
    assert page(report, "The <cup>", held) == file.read_text("utf-8")


def test_of_many_games_the_page_holds_those_that_tables_point_to_and_the_last(
    report: Report,
) -> None:
    chosen = [game.number for game in select_games(report, 6)]
    assert chosen == sorted(chosen)
    assert len(chosen) == 6
    (section,) = report.sections
    assert {section.lost[0].game, section.slowest[0].game} <= {*chosen}
    assert select_games(report, 0) == []
    assert select_games(report, 99) == [*report.games]
    few = Replays()
    for game in select_games(report, 6):
        few.add(game)
    text = page(report, "The cup", few)
    assert f"except for {len(report.games) - 6} of the {len(report.games)}" in text
    assert {int(number) for number in re.findall(r'href="#game=(\d+)', text)} <= {*chosen}


def test_replays_may_lie_in_a_folder_beside_the_page(report: Report) -> None:
    text = page(report, "The cup", folder="our%20games")
    assert 'href="our%20games/1.html#ply=' in text
    assert '"folder":"our%20games"' in text
    assert "#game=" not in text.partition("<script")[0]


def test_the_table_of_pairs_holds_the_first_players_and_says_so(
    report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "These are the first" not in page(report, "a season")
    monkeypatch.setattr(report_page, "_CROSSED", 2)
    text = page(report, "a season", player_address=str)
    assert "These are the first 2 players; each player's page has all" in text
    assert text.count('<td class="self">') == 2


def test_the_list_of_a_long_season_holds_the_last_games_under_their_numbers(report: Report) -> None:
    games = len(report.games)
    text = page(report, "a season", folder="games", listed=3)
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    content = json.loads(found[1])
    assert (content["before"], len(content["games"])) == (games - 3, 3)
    assert f"the last 3 of {games} games" in text
    assert "the last" not in page(report, "a season", folder="games", listed=games)


def test_a_wide_interval_does_not_squeeze_the_others(tmp_path: Path) -> None:
    seats = [("ada", "bob"), ("bob", "ada")]
    games = [
        finished(*seats[n // 2 % 2], seed=2 * n, fault=("white", "black")[n % 2])
        for n in range(1, 41)
    ]
    games += [finished("ada", "zoe", seed=200, fault="black")]
    builder = ReportBuilder()
    assert list(builder.read(written(tmp_path / "games.jsonl", games)))
    text = page(builder.report(("ada", 1000)), "The cup")
    places = re.findall(r'class="interval" x1="([\d.]+)%" x2="([\d.]+)%"', text)
    widths = sorted(float(high) - float(low) for low, high in places)
    assert widths[0] == 0, "the anchor's"
    assert widths[1] > 10
    assert all(0 <= float(place) <= 100 for place in re.findall(r'cx="([\d.]+)%"', text))
    assert 'class="beyond"' in text


# In a browser.


def opened(page: Page, file: Path, fragment: str = "") -> Page:
    page.goto(file.as_uri() + fragment)
    page.wait_for_selector("#list li")
    return page


def frame_of(page: Page) -> Any:
    frame = page.frame_locator("#frame")
    frame.locator("#drawing").wait_for()
    return frame


def wait_for_ply(frame: Any, pattern: str) -> None:
    """Wait until the replay in the frame is loaded and says that it shows such a ply."""
    frame.locator(f'#ply:text-matches("{pattern}")').wait_for()


@pytest.mark.slow
def test_a_game_opens_as_a_replay_that_moves(page: Page, file: Path, report: Report) -> None:
    opened(page, file)
    assert page.locator("#list .of").first.inner_text() == f"{len(report.games)}", "newest first"
    page.click("#list a:has(.of:text-is('3'))")
    frame = frame_of(page)
    last = len(report.games[2].record["actions"])
    wait_for_ply(frame, f"^0 / {last}$")
    before = frame.locator("#drawing").inner_html()
    frame.locator("[data-go=on]").click()
    wait_for_ply(frame, f"^1 / {last}$")
    assert frame.locator("#drawing").inner_html() != before
    frame.locator("#drawing").press("End")
    wait_for_ply(frame, f"^{last} / {last}$")
    assert page.inner_text("#replay-title") == f"Game 3 of {len(report.games)}"
    page.click("#next")
    page.wait_for_selector(f"text=Game 4 of {len(report.games)}")
    wait_for_ply(frame_of(page), f"^0 / {len(report.games[3].record['actions'])}$")
    page.click("#close")
    page.wait_for_selector("#replay", state="hidden")
    assert page.evaluate("location.hash") == "#games"


@pytest.mark.slow
def test_a_link_leads_to_the_ply_and_escape_back(page: Page, file: Path) -> None:
    opened(page, file, "#game=1&ply=2")
    frame = frame_of(page)
    wait_for_ply(frame, "^2 / ")
    frame.locator("body").press("Escape")
    page.wait_for_selector("#replay", state="hidden")
    page.click(".slowest a >> nth=0")
    wait_for_ply(frame_of(page), "^[1-9][0-9]* / ")


@pytest.mark.slow
def test_the_list_shows_the_games_that_are_asked_for(
    page: Page, file: Path, report: Report
) -> None:
    opened(page, file)
    assert page.inner_text("#count") == f"{len(report.games)} games"
    page.select_option("#of-end", "fault")
    assert page.inner_text("#count") == "1 game"
    assert "timeout" in page.inner_text("#list")
    page.select_option("#of-end", "")
    page.select_option("#of-settings", "1")
    assert page.inner_text("#count") == f"{len(report.games) // 2} games"
    page.click(".cross .met a >> nth=0")
    assert page.inner_text("#count") == "2 games"
    assert page.input_value("#of-settings") == ""


@pytest.mark.slow
def test_tables_are_sorted_by_the_column_that_is_pressed(page: Page, file: Path) -> None:
    opened(page, file)
    table = page.locator("section[aria-labelledby=times] table")
    table.locator("th button:has-text('median')").click()
    values = [
        float(value)
        for value in table.locator("tbody td:nth-child(4)").evaluate_all(
            "(cells) => cells.map((cell) => cell.dataset.value)"
        )
    ]
    assert values == sorted(values, reverse=True)
    assert table.locator("th[aria-sort=descending]").inner_text().startswith("median")


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_replay_has_the_theme_of_the_page(new_page: NewPage, file: Path, theme: str) -> None:
    page = opened(new_page(color_scheme=theme), file)
    colour = "(body) => getComputedStyle(body).backgroundColor"
    begin = page.locator("body").evaluate(colour)
    page.click("#theme")
    assert page.locator("body").evaluate(colour) != begin
    page.click("#list a >> nth=0")
    wait_for_ply(frame_of(page), "^0 / ")
    assert frame_of(page).locator("body").evaluate(colour) == page.locator("body").evaluate(colour)


@pytest.mark.slow
def test_a_phone_shows_all_without_sliding_the_page(new_page: NewPage, file: Path) -> None:
    page = opened(new_page(**_PHONE), file)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for row in page.locator(".ratings tbody tr").all():
        box = row.locator(".elo").bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= 390
    page.tap("#list a >> nth=0")
    frame_of(page).locator("#drawing").wait_for()
    assert json.loads(page.locator("#data").inner_text())["games"]
