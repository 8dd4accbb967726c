"""`tkm play` in the terminal: what it plays, saves and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.disks import bytes_of_all, full_beyond
from tkm_env import Game
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import read_records, write_record


def test_an_interrupt_while_an_agent_thinks_leaves_the_game_as_one_at_the_prompt_does(
    tmp_path: Path,
) -> None:
    bot, file = tmp_path / "bot.py", tmp_path / "game.jsonl"
    bot.write_text(
        "class Bot:\n    def act(self, game):\n        if game.history:\n"
        "            raise KeyboardInterrupt\n        return 0\n"
    )
    result = CliRunner().invoke(
        tkm, ["play", "--opponent", f"{bot}:Bot", "--side", "black", "--save", str(file)]
    )
    assert result.exit_code == 0, result.output
    assert "left at: " in result.output
    assert [record["actions"] for _, record in read_records(file)] == [["choose 1"]]


def test_a_person_concedes_in_the_middle_of_a_turn() -> None:
    result = run("--opponent", "random", answers="choose 1\nmove east\nconcede\n")
    assert result.output.rstrip().endswith("over, black won")


def test_two_people_can_agree_to_a_draw_unless_they_do_not_want_to() -> None:
    assert "over, drawn" in run("--opponent", "person", answers="offer draw\naccept draw\n").output
    refused = run(
        "--opponent", "person", "--no-draws", "--no-concede", answers="offer draw\nconcede\n"
    ).output
    assert "'offer draw' is not legal" in refused
    assert "'concede' is not legal" in refused


def run(*arguments: str, answers: str = "") -> Any:
    return CliRunner().invoke(tkm, ["play", *arguments], input=answers)


def test_the_command_plays_and_says_where_it_was_left() -> None:
    result = run("--opponent", "person", answers="choose 1\nmove east\n")
    assert result.exit_code == 0, result.output
    assert result.output.rstrip().endswith(
        "left at: .W../..../..../...B|W.../..../..../...B|W.../..../..../...B "
        "- w 1 PF P2 4/4 - ---/--- -/- 1"
    )


def test_the_command_offers_the_lessons() -> None:
    result = run("--learn", "--game", "terminus", answers="1\n")
    assert result.exit_code == 0, result.output
    assert "1 of 7: At an end" in result.output
    assert "--learn is for the terminal" in run("--learn", "--browser").output


def test_the_command_saves_the_game_that_was_left(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    run("--chapters", "growth+memory", "--seed", "3", "--save", str(file), answers="move east\n")
    ((_, record),) = read_records(file)
    assert record["config"] == {"chapters": ["growth", "memory"], "concede": True}
    assert record["seed"] == 3


def test_a_game_is_added_after_a_record_whose_line_has_no_end(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(Game().to_record()), "utf-8")
    assert run("--save", str(file), answers="move east\n").exit_code == 0
    assert [record["actions"] for _, record in read_records(file)] == [
        [],
        ["choose 1", "move east"],
    ]


def test_a_file_that_a_game_could_not_be_added_to_is_refused_before_the_game(
    tmp_path: Path,
) -> None:
    for content in (
        '{"kind": "tkm_env game rec',
        "Dear Ada",
        "Dear Ada,\n",
        "{}\n",
        json.dumps({}, indent=1),
    ):
        file = tmp_path / "games.jsonl"
        file.write_text(content, "utf-8")
        result = run("--save", str(file), answers="choose 1\n")
        assert result.exit_code == 2, content
        assert result.output.startswith(
            f"Error: {file}: nothing is appended, since its last line is not a game record"
        ), content
        assert result.output.count("\n") == 1, content
        assert bytes_of_all(tmp_path) == {file.name: content.encode()}, content


def test_a_place_where_a_game_could_not_be_saved_is_refused_before_the_game(tmp_path: Path) -> None:
    for name in ("nowhere/games.jsonl", "."):
        result = run("--save", str(tmp_path / name), answers="choose 1\n")
        assert result.exit_code == 2, name
        assert result.output.startswith(f"Error: {tmp_path / name}: "), name
        assert result.output.count("\n") == 1, name


def test_a_full_disk_is_found_before_the_game(tmp_path: Path) -> None:
    with full_beyond(1000):
        result = run("--save", str(tmp_path / "games.jsonl"), answers="choose 1\n")
    assert (result.exit_code, result.output) == (
        2,
        f"Error: {tmp_path / 'games.jsonl'}: it cannot be written: File too large\n",
    )
    assert bytes_of_all(tmp_path) == {}


def test_a_game_that_can_be_saved_no_more_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, folder = tmp_path / "games" / "games.jsonl", tmp_path / "games"
    folder.mkdir()
    monkeypatch.setattr(
        "tkm_env.play.commands.play.play_in_terminal",
        lambda session, console, kept: (
            *map(session.play, ("choose 1", "move east")),
            folder.rmdir(),
            session,
        )[-1],
    )
    result = run("--save", str(file))
    assert result.exit_code == 2
    said, record, error = result.output.splitlines()[-3:]
    assert said == "the game cannot be saved; this is its record:"
    assert json.loads(record)["actions"] == ["choose 1", "move east"]
    assert error.startswith(f"Error: {file}: it cannot be written: there is no folder")


def test_a_game_that_its_opponent_breaks_off_is_saved(tmp_path: Path) -> None:
    bot, file = tmp_path / "bot.py", tmp_path / "games.jsonl"
    bot.write_text("def never(observation, info):\n    return 20\n")
    result = run(
        "--opponent",
        f"{bot}:never",
        "--save",
        str(file),
        answers="choose 1\nmove east\nmove south\nfocus future\n",
    )
    assert result.exit_code == 2
    assert "not legal" in result.output
    ((_, record),) = read_records(file)
    assert record["actions"] == ["choose 1", "move east", "move south", "focus future"]


def test_a_game_in_which_nothing_was_played_is_not_saved(tmp_path: Path) -> None:
    assert run("--save", str(tmp_path / "games.jsonl"), answers="quit\n").exit_code == 0
    assert bytes_of_all(tmp_path) == {}


def test_the_command_refuses_what_cannot_be() -> None:
    for arguments in (
        ["--opponent", "clever"],
        ["--side", "green"],
        ["--position", "nowhere"],
        ["--chapters", "²"],
    ):
        result = run(*arguments)
        assert result.exit_code == 2, arguments
        assert arguments[1] in result.output, arguments


def test_the_lessons_are_pointed_to_until_a_game_was_played(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pointer = "New to the game? tkm play --learn"
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "one"))
    assert f"{pointer} --game terminus" in run("--game", "terminus").output
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "two"))  # an opponent may have begun
    assert pointer in run(answers="move east\n").output
    assert pointer not in run().output


def test_a_game_that_was_left_is_continued_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    nothing = run("--continue")
    assert nothing.exit_code == 2
    assert "there is no game to continue" in nothing.output
    left = run("--opponent", "person", "--chapters", "growth", answers="choose 1\nmove east\n")
    assert "tkm play --continue continues this game" in left.output
    again = run("--continue", answers="move west\n")
    game = Game(chapters="growth", concede=True, draws=True)
    for action in ("choose 1", "move east", "move west"):
        game.play(action)
    assert again.output.rstrip().endswith(f"left at: {game.position}")
    refused = run("--continue", "--opponent", "random")
    assert refused.exit_code == 2
    assert "the game to continue is against person" in refused.output
    over = run("--continue", answers="concede\n")
    assert "over, black won" in over.output
    assert run("--continue").exit_code == 2


def test_a_record_is_opened_to_play_on_from_any_of_its_actions(tmp_path: Path) -> None:
    file, games = tmp_path / "games.jsonl", []
    for chapters in ("standard", "growth"):
        game = Game(chapters=chapters)
        for action in ("choose 1", "move east", "move south"):
            game.play(action)
        games.append(game)
        write_record(file, game.to_record())
    opened = run(str(file), "--line", "2", "--ply", "2", answers="move south\n")
    assert opened.output.rstrip().endswith(f"left at: {games[1].position}")
    whole = run(str(file), "--line", "1", "--opponent", "random")
    assert whole.output.rstrip().endswith(f"left at: {games[0].position}")
    for arguments, reason in (
        ([], "it has 2 games; choose one by --line"),
        (["--line", "3"], "line 3 has no game; the last one is on line 2"),
        (["--line", "1", "--ply", "4"], "it must be an integer from 0 to 3"),
        (["--line", "1", "--chapters", "growth"], "bring their own settings"),
        (["--line", "1", "--continue"], "bring their own settings"),
    ):
        refused = run(str(file), *arguments)
        assert refused.exit_code == 2, arguments
        assert reason in refused.output
    assert "need RECORD" in run("--ply", "2").output
    assert "cannot be read" in run(str(tmp_path / "none.jsonl")).output
