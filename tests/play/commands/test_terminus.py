"""`tkm play --game terminus`: what it plays, saves and refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from click.testing import CliRunner

from tests.games.terminus.games import EVENTFUL
from tkm_env import TerminusGame
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import read_records
from tkm_env.games.registry import TERMINUS
from tkm_env.games.terminus.deck import write_deck
from tkm_env.play.session import Session


def session_of(**keywords: Any) -> Session[TerminusGame]:
    settings = {"deck": keywords.pop("deck", None)}
    return Session(TERMINUS, settings, **{"seed": 1, **keywords})


def run(*arguments: object, typed: str = "quit\n") -> Any:
    return CliRunner().invoke(
        tkm, ["play", "--game", "terminus", *map(str, arguments)], input=typed
    )


def test_the_terminal_does_not_tell_the_order_of_the_deck() -> None:
    hidden = session_of().game.position.split(" ")[4]
    result = run("--seed", 1, "--side", "blue", typed="position\nquit\n")
    assert result.exit_code == 0
    assert hidden not in result.output
    assert session_of().game.position_for("red") in result.output


def test_a_whole_game_is_played_in_the_terminal_and_saved(tmp_path: Path) -> None:
    path = tmp_path / "game.jsonl"
    options = ("--opponent", "random", "--seed", 3, "--side", "blue")
    result = run(*options, "--save", path, typed="1\n" * 80)
    assert result.exit_code == 0, result.output
    (_, record), *_ = read_records(path)
    game = TerminusGame.from_record(record)
    assert game.winner is not None
    assert result.output.rstrip().endswith(f"over, {game.winner} won")
    assert "red (random): card 2" in result.output, "what the agent did is said in words"
    assert record["players"] == {"red": "random", "blue": "person"}


def test_a_deck_file_is_played_with(tmp_path: Path) -> None:
    path = tmp_path / "deck.json"
    write_deck(path, EVENTFUL)
    assert f"2 {EVENTFUL[1]}" in run("--seed", 1, "--side", "blue", "--deck", path).output


def test_settings_of_the_other_game_are_refused() -> None:
    result = run("--chapters", "growth")
    assert (result.exit_code, "there is no such keyword" in result.output) == (2, True)
    assert "it must be 'red', 'blue', 'random'" in run("--side", "white").output
