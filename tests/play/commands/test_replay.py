"""`tkm replay`: it writes a page beside a record, and refuses what is not there."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from tests.games.terminus.render.test_replay import finished as terminus_game
from tests.render.test_replay import opened, two_games
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import write_record
from tkm_env.games.terminus.game import TerminusGame

if TYPE_CHECKING:
    from playwright.sync_api import Page


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return two_games(tmp_path)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["replay", *map(str, arguments)])


def test_it_writes_the_page_beside_the_record(records: Path) -> None:
    result = run(records)
    assert (result.exit_code, result.output) == (0, f"wrote {records.with_suffix('.html')}\n")
    assert "<title>player 1 against " in records.with_suffix(".html").read_text("utf-8")


@pytest.mark.slow
def test_it_shows_who_stood_how_well_and_every_turn_leads_to_its_ply(
    records: Path, page: Page
) -> None:
    result = run(records, "--analyse", "alphabeta:depth=1")
    assert result.exit_code == 0, result.output
    opened(page, records.with_suffix(".html"))
    columns = page.locator(".graph .column")
    assert columns.count() == 4, "a column for each of three turns, and one for the end"
    columns.nth(2).click()
    assert page.input_value("#slider") == columns.nth(2).get_attribute("data-ply")
    assert "turn 3" in (columns.nth(2).locator("title").text_content() or "").lower()


def test_it_refuses_who_does_not_analyse(records: Path) -> None:
    for agent in ("greedy", "alphabeta:nodes=3", "alphabeta:seconds=0"):
        result = run(records, "--analyse", agent)
        assert (result.exit_code, records.with_suffix(".html").exists()) == (2, False), agent
        assert result.output.startswith("Error: "), agent


def test_it_refuses_to_analyse_a_game_without_an_analysis(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    write_record(path, TerminusGame(seed=1).to_record())
    result = run(path, "--analyse", "alphabeta:depth=1")
    assert (result.exit_code, path.with_suffix(".html").exists()) == (2, False)
    assert "analysis is not available for this game" in result.output


def test_it_takes_the_game_that_is_asked_for(records: Path, tmp_path: Path) -> None:
    output = tmp_path / "second.html"
    assert run(records, "--game", 2, "-o", output).exit_code == 0
    assert "<title>player 2 against " in output.read_text("utf-8")


def test_a_folder_that_is_not_there_is_told_in_one_line(records: Path) -> None:
    result = run(records, "-o", records.parent / "nowhere" / "game.html")
    assert result.exit_code == 2
    assert result.output.startswith("Error: ")
    assert "nowhere" in result.output
    assert result.output.count("\n") == 1


def test_a_game_that_is_not_there_is_refused(records: Path) -> None:
    result = run(records, "--game", 3)
    assert result.exit_code == 2
    assert result.output == f"Error: {records}: there is no game 3: it holds 2\n"


def test_a_file_without_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing.json"
    path.write_text("{}")
    result = run(path)
    assert result.exit_code == 2
    assert "line 1 is not a game record" in result.output


def test_the_game_is_known_from_its_record(tmp_path: Path) -> None:
    path = tmp_path / "game.json"
    write_record(path, terminus_game(3).to_record(players={"red": "Ada", "blue": "Bob"}))
    assert run(path).exit_code == 0
    assert "Ada against Bob" in (tmp_path / "game.html").read_text("utf-8")
