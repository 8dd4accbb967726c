"""`tkm report`: what it writes, where, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.arena.results_files import finished, written
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import line_of


def run(*arguments: object) -> Any:
    return CliRunner().invoke(
        tkm, ["report", *map(str, arguments)], catch_exceptions=False, env={"COLUMNS": "80"}
    )


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file of four games, in the current folder."""
    monkeypatch.chdir(tmp_path)
    games = [
        finished("ada", "bob", seed=2),
        finished("bob", "ada", seed=3),
        finished("ada", "eve", seed=4, fault="black"),
        finished("eve", "ada", seed=5),
    ]
    return written(tmp_path / "games.jsonl", games)


def others(folder: Path) -> set[str]:
    """What is there besides the results."""
    return {path.name for path in folder.iterdir()} - {"games.jsonl"}


def test_without_options_it_writes_a_page_with_all_replays(results: Path, tmp_path: Path) -> None:
    result = run(results)
    assert (result.exit_code, result.output) == (0, "wrote report.html\n")
    text = (tmp_path / "report.html").read_text("utf-8")
    assert text.count('<script type="text/plain" id="game-') == 4
    assert "<h1>Results</h1>" in text
    assert others(tmp_path) == {"report.html"}


def test_what_is_asked_for_is_written_and_nothing_else(results: Path, tmp_path: Path) -> None:
    result = run(
        results,
        "--csv",
        "table.csv",
        "--json",
        "all.json",
        "--markdown",
        "table.md",
        "--title",
        "Spring cup",
    )
    assert result.output == "wrote table.csv\nwrote all.json\nwrote table.md\n"
    assert others(tmp_path) == {"table.csv", "all.json", "table.md"}
    content = json.loads((tmp_path / "all.json").read_text("utf-8"))
    assert (content["kind"], content["version"], content["games"]) == ("tkm_env report", 1, 4)
    assert (tmp_path / "table.md").read_text("utf-8").startswith("# Spring cup\n")
    assert len(list(csv.DictReader(io.StringIO((tmp_path / "table.csv").read_text("utf-8"))))) == 3


def test_standard_output_is_for_one_of_them(results: Path, tmp_path: Path) -> None:
    for output in ("--html", "--csv", "--json", "--markdown"):
        file = tmp_path / "file"
        assert run(results, output, file).exit_code == 0, output
        result = run(results, output, "-")
        assert result.stdout == file.read_text("utf-8") + (
            "\n" if output == "--json" and not file.read_text("utf-8").endswith("\n") else ""
        ), output


def test_an_anchor_has_its_rating(results: Path) -> None:
    (section,) = json.loads(run(results, "--json", "-", "--anchor", "bob=1500").stdout)["sections"]
    (bob,) = (each for each in section["parts"][0]["players"] if each["player"] == "bob")
    assert bob["elo"] == {"estimate": 1500, "low": 1500, "high": 1500}


def test_the_page_holds_so_many_replays_or_they_go_to_a_folder(
    results: Path, tmp_path: Path
) -> None:
    run(results, "-o", "few.html", "--max-replays", 1)
    text = (tmp_path / "few.html").read_text("utf-8")
    assert text.count('<script type="text/plain" id="game-') == 1
    assert "except for 3 of the 4" in text
    (tmp_path / "site").mkdir()
    assert run(results, "--html", "site/index.html", "--replays", "site/our games").exit_code == 0
    assert {path.name for path in (tmp_path / "site/our games").iterdir()} == {
        f"{number}.html" for number in range(1, 5)
    }
    text = (tmp_path / "site/index.html").read_text("utf-8")
    assert 'href="our%20games/3.html#ply=' in text
    assert "text/plain" not in text


def test_a_file_that_grows_is_reported_on_as_far_as_it_is(results: Path, tmp_path: Path) -> None:
    whole = results.read_bytes()
    results.write_bytes(whole + line_of(finished("ada", "bob", seed=6))[:100])
    result = run(results)
    assert result.exit_code == 0
    assert "its last line is still being written and was skipped" in result.output
    assert "is still being written: its last line is left out" in (
        tmp_path / "report.html"
    ).read_text("utf-8")
    rating = CliRunner().invoke(tkm, ["rating", str(results)])
    assert "its last line is still being written and was skipped" in rating.output


def test_what_is_asked_wrongly_is_refused_and_nothing_written(
    results: Path, tmp_path: Path
) -> None:
    for arguments, message in (
        (["--html", "games.jsonl"], "games.jsonl: it holds results"),
        (["--csv", "x", "--json", "x"], "two outputs cannot both be written to x"),
        (["--csv", "x", "--json", f"{tmp_path}/x"], "two outputs cannot both be written to "),
        (
            ["--csv", "Both", "--json", "both"],
            (
                "two outputs cannot both be written to both: where case is ignored, Both is "
                "the same file"
            ),
        ),
        (["--csv", "-", "--markdown", "-"], "two outputs cannot both be written to -"),
        (["--csv", "nowhere/x"], "there is no folder "),
        (["--csv", "x", "--replays", "games"], "--replays needs a page: add --html"),
        (["--replays", "games.jsonl"], "games.jsonl"),
        (["--anchor", "zoe=5"], "it has played no game; the players are ['ada', 'bob', 'eve']"),
        (["--anchor", "zoe"], "it must be a player's name"),
        (["--max-replays", "-1"], "-1 is not in the range"),
        (["nowhere.jsonl"], "does not exist"),
        (["games.jsonl"], "the same game as line 1"),
    ):
        before = results.read_bytes()
        result = run(results, *arguments)
        assert result.exit_code == 2, (arguments, message)
        assert message in " ".join(result.output.split()), (arguments, message)
        assert others(tmp_path) == set(), (arguments, message)
        assert results.read_bytes() == before, (arguments, message)


def test_a_file_without_finished_games_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"")
    result = run(path, "--csv", "-")
    assert result.exit_code == 2
    assert "there is no finished game" in result.output
