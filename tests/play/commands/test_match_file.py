"""`tkm play --match`: a campaign or a series that goes on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.disks import bytes_of_all
from tkm_env.cli.root_command import tkm


def run(*arguments: str, answers: str = "") -> Any:
    return CliRunner().invoke(tkm, ["play", *arguments], input=answers)


def test_the_command_plays_a_campaign_and_goes_on_with_it(tmp_path: Path) -> None:
    arguments = ("--match", "campaign", "--save", str(tmp_path / "campaign.json"))
    first = run(*arguments, "--opponent", "person", answers="concede\n\nsay go on\nchoose 1\n")
    assert first.exit_code == 0, first.output
    assert "say go on: Move on to Growth." in first.output
    assert first.output.count("Campaign, standard, game 2") == 1
    assert "Campaign, growth, game 1" in first.output
    again = run(*arguments, answers="choose 1\nconcede\nquit\n")
    assert again.exit_code == 0, again.output
    assert "Campaign, growth, game 1\n  white 0 : black 1\n" in again.output
    assert "chapters: growth" in again.output
    assert "At least 2 more games" in again.output
    assert again.output.endswith(
        f"kept in {tmp_path / 'campaign.json'}; the same command continues the match\n"
    )


def test_the_command_says_why_it_does_not_go_on(tmp_path: Path) -> None:
    file = tmp_path / "series.json"
    run("--match", "series", "--save", str(file), answers="concede\n")
    before = bytes_of_all(tmp_path)
    result = run("--match", "campaign", "--save", str(file))
    assert (result.exit_code, result.output) == (
        2,
        f"Error: {file}: it keeps a match with match='series', not 'campaign': "
        "continue that one, or name another file\n",
    )
    assert run("--save", str(file)).output.startswith(f"Error: {file}: nothing is appended")
    assert bytes_of_all(tmp_path) == before


def test_a_match_is_played_in_the_terminal_without_a_file() -> None:
    result = run("--match", "series", answers="concede\nhelp\n\nquit\n")
    assert result.exit_code == 0, result.output
    assert "Series, game 2\n  white 0 : black 1\n" in result.output
    assert "kept" not in result.output
