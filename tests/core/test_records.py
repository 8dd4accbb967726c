"""Game records: what is written can be read, and errors name the invalid key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.games.tkm.positions import WHITE_WINS, random_action
from tkm_env import FileError, Game, RecordError
from tkm_env.core.records import FIELDS, KIND, read_records, write_record

SETTINGS: list[dict[str, Any]] = [
    {},
    {"chapters": ("growth", "memory"), "edition": "2022", "first_player": "black", "handicap": (1, 0), "max_turns": 30},
    {"chapters": "convergence", "concede": True, "draws": True},
    {"chapters": "influence", "powers": ("ripple", None)},
    {"timeline": "power_share", "power_set": ("overtime", "kinship", "express", "exchange")},
    {"position": WHITE_WINS},
]


def played(seed: int, **settings: Any) -> Game:
    game = Game(seed=seed, **settings)
    generator = np.random.default_rng(seed)
    while game.result is None:
        action = random_action(game.action_mask(), generator)
        assert action is not None
        game.play(action)
    return game


def record(**changes: Any) -> dict[str, Any]:
    return {"kind": KIND, "version": 2, "game": "tkm", "config": {}, "actions": ["choose 1"], "result": None} | changes


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_a_game_comes_back_from_its_record(settings: dict[str, Any], seed: int) -> None:
    game = played(seed, **settings)
    names = {"white": "random", "black": "the other"}
    seconds = [0.25] * len(game.history)
    text = json.dumps(game.to_record(players=names, seed=seed, seconds=seconds))
    read = json.loads(text)
    again = Game.from_record(read)
    assert (again, again.history, again.config, again.start) == (game, game.history, game.config, game.start)
    assert read["players"] == names
    assert read["seconds"] == seconds
    assert again.to_record(players=names, seed=seed, seconds=seconds) == read


def test_an_unfinished_game_comes_back_too() -> None:
    game = Game()
    game.play("choose 1")
    assert Game.from_record(game.to_record()) == game


def test_the_usual_start_is_not_written_and_a_drawn_one_is() -> None:
    assert "position" not in Game(chapters="growth").to_record()
    assert "position" in Game(chapters="convergence", seed=1).to_record()
    assert "position" in Game(position=WHITE_WINS).to_record()


@pytest.mark.parametrize(
    ("wrong", "key", "message"),
    [
        ([], "record", "a JSON object, not list"),
        ({}, "kind", "it is required"),
        (record(kind="chess"), "kind", "must be 'tkm_env game record', not 'chess'"),
        (record(version=3), "version", "must be 2"),
        (record(version=1), "version", "or 1 where no game is named"),
        (record(game="chess"), "game", "'tkm' or 'terminus', not 'chess'"),
        (record(game=[]), "game", "'tkm' or 'terminus'"),
        (record(sede=1), "sede", "no such key"),
        (record(config={"chapters": "trees"}), "config", "chapters='trees'"),
        (record(config={"chapter": 1}), "config", "no such keyword"),
        (record(config={"chapters": "convergence"}), "position", "begins by chance"),
        (record(position="nonsense"), "position", "position"),
        (record(seed=1.5), "seed", "whole number"),
        (record(players={"white": "me"}), "players", "white and black"),
        (record(actions="choose 1"), "actions", "list of names"),
        (record(actions=[0]), "actions", "list of names"),
        (record(actions=["choose 1", "move north"]), "actions", "ply 2: 'move north' is not legal for white at step 2"),
        (record(actions=["choose 1", "fly"]), "actions", "ply 2: .*'fly'"),
        (record(result="1-0"), "result", "these actions lead to None"),
        (record(result="2-0"), "result", "must be null or a result"),
        (record(seconds=[]), "seconds", "one for each action"),
        (record(seconds=["fast"]), "seconds", "list of numbers"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_record_that_describes_no_game_is_refused_by_key(wrong: Any, key: str, message: str) -> None:
    with pytest.raises(RecordError, match=message) as refused:
        Game.from_record(wrong)
    assert refused.value.key == key


def test_an_illegal_action_names_its_ply() -> None:
    with pytest.raises(RecordError) as refused:
        Game.from_record(record(actions=["choose 1", "move east", "travel backward"]))
    assert refused.value.ply == 3


def test_what_does_not_fit_the_game_is_refused_when_written() -> None:
    game = Game()
    with pytest.raises(RecordError, match="seconds"):
        game.to_record(seconds=[1.0])
    with pytest.raises(RecordError, match="players"):
        game.to_record(players={"white": "only"})


def test_files_hold_one_record_a_line_or_one_over_several(tmp_path: Path) -> None:
    records = [played(seed).to_record() for seed in range(3)]
    for one in records:
        write_record(tmp_path / "games.jsonl", one)
    assert list(read_records(tmp_path / "games.jsonl")) == list(enumerate(records, 1))
    (tmp_path / "game.json").write_text(json.dumps(records[0], indent=2), "utf-8")
    assert list(read_records(tmp_path / "game.json")) == [(1, records[0])]


@pytest.mark.parametrize("line", ["nonsense", "{}", "[1]", "3"])
def test_a_line_that_is_no_record_is_refused_by_number(tmp_path: Path, line: str) -> None:
    write_record(tmp_path / "games.jsonl", record())
    with (tmp_path / "games.jsonl").open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(FileError, match="line 2 is not a game record"):
        list(read_records(tmp_path / "games.jsonl"))


FAULT = {"player": "white", "kind": "timeout", "ply": 2, "seen": "no answer in time"}


def test_every_key_is_in_the_table() -> None:
    game = Game(seed=1, chapters="convergence")
    game.play("choose 1")
    sides = {"white": "a", "black": "b"}
    full = game.to_record(players=sides, seed=1, seconds=[0.0], fault=FAULT, isolation=sides)
    assert list(full) == [name for name, _, _ in FIELDS]


def test_whoever_makes_a_fault_has_lost() -> None:
    game = Game()
    game.play("choose 1")
    lost = game.to_record(fault=FAULT)
    assert lost["result"] == "0-1"
    assert Game.from_record(lost) == game
    unstarted = Game().to_record(fault=FAULT | {"player": "black", "ply": 0})
    assert unstarted["result"] == "1-0"
    assert Game.from_record(unstarted) == Game()


@pytest.mark.parametrize(
    ("changes", "key", "message"),
    [
        ({"result": None}, "result", "it is None, but these actions lead to '0-1'"),
        ({"result": "1-0"}, "result", "it is '1-0', but these actions lead to '0-1'"),
        ({"fault": FAULT | {"player": "black"}}, "fault", "white is to act, not black"),
        ({"fault": FAULT | {"player": "red"}}, "fault", "one of white and black"),
        ({"fault": FAULT | {"kind": "mood"}}, "fault", "kind, one of illegal, timeout"),
        ({"fault": FAULT | {"ply": 3}}, "fault", "its ply must be 2"),
        ({"fault": FAULT | {"ply": 0}}, "fault", "its ply cannot be 0"),
        ({"fault": FAULT | {"ply": True}}, "fault", "ply and seen"),
        ({"fault": FAULT | {"more": 1}}, "fault", "ply and seen"),
        ({"fault": "timeout"}, "fault", "it must be an object"),
        ({"fault": None}, "fault", "it must be an object"),
        ({"isolation": {"white": "none"}}, "isolation", "where white and black ran"),
        ({"isolation": "none"}, "isolation", "where white and black ran"),
    ],
    ids=str,
)
def test_faults_that_cannot_be_are_refused(changes: dict[str, Any], key: str, message: str) -> None:
    with pytest.raises(RecordError, match=message) as error:
        Game.from_record(record(fault=FAULT, result="0-1") | changes)
    assert error.value.key == key


def test_a_game_that_is_over_has_no_fault() -> None:
    game = played(1, position=WHITE_WINS)
    with pytest.raises(RecordError, match="the game is over without it"):
        game.to_record(fault=FAULT | {"ply": len(game.history) + 1})
    with pytest.raises(RecordError, match="ply and seen"):
        Game().to_record(fault={})


def test_records_of_the_first_form_are_read_as_ever(tmp_path: Path) -> None:
    earlier = {key: value for key, value in record(version=1).items() if key != "game"}
    assert Game.from_record(earlier).history == [0]
    write_record(tmp_path / "games.jsonl", earlier)
    assert list(read_records(tmp_path / "games.jsonl")) == [(1, record())]
