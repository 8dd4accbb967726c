"""Game records: what is written can be read, and errors name the invalid key."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from tests.disks import bytes_of_all, full_beyond
from tests.games.tkm.positions import WHITE_WINS, random_action
from tkm_env import FileError, Game, RecordError
from tkm_env.core.record_files import check_appendable, read_records, write_record
from tkm_env.core.record_schema import KIND, record_fields

SETTINGS: list[dict[str, Any]] = [
    {},
    {
        "chapters": ("growth", "memory"),
        "edition": "2022",
        "first_player": "black",
        "handicap": (1, 0),
        "max_turns": 30,
    },
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
    return {
        "kind": KIND,
        "version": 2,
        "game": "tkm",
        "config": {},
        "actions": ["choose 1"],
        "result": None,
    } | changes


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("seed", range(3))
def test_a_game_comes_back_from_its_record(settings: dict[str, Any], seed: int) -> None:
    game = played(seed, **settings)
    names = {"white": "random", "black": "the other"}
    seconds = [0.25] * len(game.history)
    text = json.dumps(game.to_record(players=names, seed=seed, seconds=seconds))
    read = json.loads(text)
    again = Game.from_record(read)
    assert (again, again.history, again.config, again.start) == (
        game,
        game.history,
        game.config,
        game.start,
    )
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
        (record(version=1), "version", "must be 2, the only version"),
        (record(game="chess"), "game", "must be 'tkm', not 'chess'"),
        (record(game=[]), "game", "must be 'tkm'"),
        (record(sede=1), "sede", "no such key"),
        (record(config={"chapters": "trees"}), "config", "chapters='trees'"),
        (record(config={"chapter": 1}), "config", "no such keyword"),
        (record(config={"chapters": "convergence"}), "position", "begins by chance"),
        (record(position="nonsense"), "position", "position"),
        (record(seed=1.5), "seed", "an integer"),
        (record(players={"white": "me"}), "players", "white and black"),
        (record(actions="choose 1"), "actions", "list of names"),
        (record(actions=[0]), "actions", "list of names"),
        (
            record(actions=["choose 1", "move north"]),
            "actions",
            "ply 2: 'move north' is not legal for white at step 2",
        ),
        (record(actions=["choose 1", "fly"]), "actions", "ply 2: .*'fly'"),
        (record(result="1-0"), "result", "these actions lead to None"),
        (record(result="2-0"), "result", "must be null or a result"),
        (record(seconds=[]), "seconds", "one for each action"),
        (record(seconds=["fast"]), "seconds", "list of numbers"),
        (5, "record", "a JSON object, not int"),
        ("{}", "record", "a JSON object, not str"),
        (record(kind=[]), "kind", "must be 'tkm_env game record'"),
        (record(version=2.0), "version", "must be 2, .* not 2.0"),
        (record(version=True), "version", "must be 2, .* not True"),
        (
            {key: value for key, value in record(version=1.0).items() if key != "game"},
            "game",
            "it is required",
        ),
        (record(game={}), "game", "must be 'tkm'"),
        (record(config=5), "config", "object of settings"),
        (
            record(config={"chapters": {"growth": [[]]}, "max_turns": [10**400]}),
            "config",
            "max_turns=",
        ),
        (record(seed=True), "seed", "an integer"),
        (record(seed=None), "seed", "an integer"),
        (record(seed=-1), "seed", "an integer from 0"),
        (record(seed=10**1000), "seed", "at most a thousand digits"),
        (record(players=None), "players", "white and black"),
        (record(players=["me", "you"]), "players", "white and black"),
        (record(players={"white": 1, "black": 2}), "players", "white and black"),
        (record(players={"white": "\ud800", "black": "you"}), "players", "white and black"),
        (record(position=5), "position", "text of a position"),
        (record(actions=None), "actions", "list of names"),
        (record(actions=["choose 1", "\ud800" * 5000]), "actions", "ply 2: no action is named"),
        (record(result=True), "result", "must be null or a result"),
        (record(result=["1-0"]), "result", "must be null or a result"),
        (record(result="x" * 5000), "result", "must be null or a result"),
        (record(seconds=5), "seconds", "list of numbers"),
        (record(seconds=[True]), "seconds", "list of numbers"),
        (record(seconds=[-0.1]), "seconds", "list of numbers from 0"),
        (record(seconds=[float("nan")]), "seconds", "list of numbers from 0"),
        (record(seconds=[float("inf")]), "seconds", "list of numbers from 0"),
        (record(seconds=[10**400]), "seconds", "list of numbers from 0"),
        (record() | {"x" * 5000: 1}, "x" * 5000, "no such key"),
        (record() | {5: 1}, "5", "no such key"),
    ],
)
def test_a_record_that_describes_no_game_is_refused_by_key(
    wrong: Any, key: str, message: str
) -> None:
    with pytest.raises(RecordError, match=message) as refused:
        Game.from_record(wrong)
    assert refused.value.key == key
    assert len(str(refused.value).encode()) < 2_000


def test_a_million_actions_are_refused_at_the_first_that_is_illegal() -> None:
    with pytest.raises(RecordError, match="ply 2") as refused:
        Game.from_record(record(actions=["choose 1"] * 1_000_000))
    assert refused.value.ply == 2


def test_an_illegal_action_names_its_ply() -> None:
    with pytest.raises(RecordError) as refused:
        Game.from_record(record(actions=["choose 1", "move east", "travel backward"]))
    assert refused.value.ply == 3


@pytest.mark.parametrize(
    ("key", "given"),
    [
        ("seconds", []),
        ("seconds", [1.0, 1.0]),
        ("seconds", 5),
        ("seconds", [None]),
        ("seconds", ["1"]),
        ("seconds", "1"),
        ("seconds", b"1"),
        ("seconds", {1.0: 1.0}),
        ("seconds", {1.0}),
        ("seconds", [True]),
        ("seconds", [-1.0]),
        ("seconds", [float("nan")]),
        ("seconds", [10**5000]),
        ("seconds", np.ones((1, 1))),
        ("players", {"white": "only"}),
        ("players", {"white": "me", "black": object()}),
        ("players", {"white": "me", "black": "\ud800"}),
        ("players", {"white": "me", "black": b"you"}),
        ("players", ("me", "you")),
        ("players", 5),
        ("seed", "1"),
        ("seed", 1.0),
        ("seed", True),
        ("seed", np.True_),
        ("seed", -1),
        ("seed", 10**5000),
        ("seed", [1]),
        ("seed", np.random.default_rng(1)),
    ],
)
def test_what_does_not_fit_the_game_is_refused_when_written(key: str, given: Any) -> None:
    game = Game()
    game.play("choose 1")
    with pytest.raises(RecordError) as refused:
        game.to_record(**{key: given})
    assert refused.value.key == key
    assert len(str(refused.value).encode()) < 2_000


def test_numbers_of_numpy_are_numbers() -> None:
    game = Game()
    game.play("choose 1")
    written = game.to_record(
        seed=np.int64(3),
        seconds=np.array([0.5], np.float32),
        players=MappingProxyType({"white": "a", "black": "b"}),
    )
    assert {key: written[key] for key in ("seed", "seconds", "players")} == {
        "seed": 3,
        "seconds": [0.5],
        "players": {"white": "a", "black": "b"},
    }
    assert json.loads(json.dumps(written)) == written


def test_files_hold_one_record_a_line_or_one_over_several(tmp_path: Path) -> None:
    records = [played(seed).to_record() for seed in range(3)]
    for one in records:
        write_record(tmp_path / "games.jsonl", one)
    assert list(read_records(tmp_path / "games.jsonl")) == list(enumerate(records, 1))
    (tmp_path / "game.json").write_text(json.dumps(records[0], indent=2), "utf-8")
    assert list(read_records(tmp_path / "game.json")) == [(1, records[0])]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"nonsense", "it is not JSON: Expecting value at column 1"),
        (b"{}", "kind: it is required"),
        (b"[1]", "record: it must be a JSON object, not list"),
        (b"3", "record: it must be a JSON object, not int"),
        (b"\xff", "byte 1 is not UTF-8"),
        (b"\xef\xbb\xbf{}", "byte-order mark"),
        (b"[" * 10_000 + b"]" * 10_000, "nested too deeply"),
        (b'{"version": 2, "version": 2}', "the key 'version' is repeated"),
        (json.dumps(record(seconds=[float("nan")])).encode(), "NaN is not a number"),
        (json.dumps(record(seconds=[-1])).encode(), "seconds: it must be a list of numbers from 0"),
        (json.dumps(record(version=True)).encode(), "version: it must be 2"),
        (
            json.dumps(record(players={"white": "\ud800", "black": ""})).encode(),
            "half of a character",
        ),
        ("\u2028".encode(), "it is not JSON"),
        (b"\x0c", "it is not JSON"),
    ],
)
def test_a_line_without_a_record_is_refused_by_number(
    tmp_path: Path, line: bytes, reason: str
) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, record())
    with path.open("ab") as file:
        file.write(b"\n" + line + b"\n")
    with pytest.raises(FileError, match="line 3 is not a game record: ") as refused:
        list(read_records(path))
    assert reason in str(refused.value)
    assert refused.value.path == path


@pytest.mark.parametrize("character", ["\u2028", "\u2029", "\x85", "\u00e9", "\U0001f600"])
def test_lines_end_where_json_lines_do(tmp_path: Path, character: str) -> None:
    path, names = tmp_path / "games.jsonl", {"white": f"a{character}b", "black": character}
    text = json.dumps(record(players=names), ensure_ascii=False) + "\r\n"
    path.write_bytes(text.encode() * 2)
    assert [(number, read["players"]) for number, read in read_records(path)] == [
        (1, names),
        (2, names),
    ]
    write_record(path, record(players=names))
    assert [read["players"] for _, read in read_records(path)] == [names] * 3


@pytest.mark.parametrize("name", ["nothing", "."])
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileError, match="it cannot be read: "):
        next(read_records(tmp_path / name))


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"a": 1},
        [],
        None,
        record(seconds=[float("nan")]),
        record(config={"chapters": {1}}),
        record(version=True),
    ],
)
def test_what_could_not_be_read_is_not_written(tmp_path: Path, wrong: Any) -> None:
    with pytest.raises(RecordError):
        write_record(tmp_path / "games.jsonl", wrong)
    assert not (tmp_path / "games.jsonl").exists()


@pytest.mark.parametrize("end", [b"", b"\n", b"\n\n", b"  \r\n"])
def test_a_record_begins_on_a_line_of_its_own(tmp_path: Path, end: bytes) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(json.dumps(record()).encode() + end)
    write_record(path, record(seed=2))
    assert [read.get("seed") for _, read in read_records(path)] == [None, 2]


@pytest.mark.parametrize(
    "content",
    [json.dumps(record())[:-1], json.dumps(record(), indent=1), "Dear Ada,\n", "{}\n", "\0"],
)
def test_nothing_is_added_to_a_file_that_does_not_end_in_a_record(
    tmp_path: Path, content: str
) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(content.encode())
    for call in (lambda: write_record(path, record()), lambda: check_appendable(path)):
        with pytest.raises(
            FileError, match="nothing is appended, since its last line is not a game record"
        ):
            call()
    assert bytes_of_all(tmp_path) == {"games.jsonl": content.encode()}


def test_whether_a_record_can_be_added_is_found_without_a_trace(tmp_path: Path) -> None:
    check_appendable(tmp_path / "new")
    write_record(tmp_path / "games.jsonl", record())
    before = bytes_of_all(tmp_path)
    check_appendable(tmp_path / "games.jsonl")
    assert bytes_of_all(tmp_path) == before


def test_threads_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"

    def write(seed: int) -> None:
        for number in range(10):
            write_record(path, record(seed=100 * seed + number))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    assert sorted(read["seed"] for _, read in read_records(path)) == [
        100 * seed + number for seed in range(4) for number in range(10)
    ]


def test_a_record_that_does_not_fit_on_the_disk_leaves_no_part_of_it(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_record(path, record())
    before = path.read_bytes()
    with full_beyond(len(before) + 20), pytest.raises(FileError, match="File too large"):
        write_record(path, record())
    assert path.read_bytes() == before


FAULT = {"player": "white", "kind": "timeout", "ply": 2, "seen": "no answer in time"}


def test_every_key_is_in_the_table() -> None:
    game = Game(seed=1, chapters="convergence")
    game.play("choose 1")
    sides = {"white": "a", "black": "b"}
    details = {
        "fault": FAULT,
        "isolation": sides,
        "digest": sides,
        "unprotected": {"white": ["user"]},
        "memory": {"black": 35},
        "cpu": {"black": 1.25},
        "ended": 1_700_000_000.5,
        "expected": {"white": -0.5},
        "reports": [{"score": 0.25, "depth": 3}],
    }
    answer = {
        "ply": 1,
        "text": "TURN: 1",
        "end": "stop",
        "tokens": [9, 3],
        "model": "m",
        "refused": None,
    }
    details["models"] = {
        "black": {"asked": {"model": "m"}, "prompt": "da595676082583a0", "answers": [answer]}
    }
    full = game.to_record(players=sides, seed=1, seconds=[0.0], **details)
    assert list(full) == [name for name in record_fields() if name != "adjudicated"]
    agreed = {"adjudicated": {"winner": None, "seen": "both said so"}}
    assert [*game.to_record(**agreed)][-1] == "adjudicated"


def test_a_fault_loses_the_game() -> None:
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
        ({"unprotected": {"white": []}}, "unprotected", "names of protections"),
        ({"unprotected": {"red": ["user"]}}, "unprotected", "names of protections"),
        (
            {"memory": {}},
            "memory",
            "numbers of MiB, from 0, for white and black, or for one of them",
        ),
        ({"memory": {"red": 1}}, "memory", "numbers of MiB, from 0"),
        ({"memory": {"white": -1}}, "memory", "numbers of MiB, from 0"),
        ({"memory": {"white": True}}, "memory", "numbers of MiB, from 0"),
        ({"memory": {"white": 1e13}}, "memory", "numbers of MiB, from 0"),
        ({"cpu": {"white": -1}}, "cpu", "numbers of seconds, from 0"),
        ({"memory": 35.5}, "memory", "numbers of MiB, from 0"),
    ],
)
def test_what_a_judge_cannot_have_seen_is_refused(
    changes: dict[str, Any], key: str, message: str
) -> None:
    with pytest.raises(RecordError, match=message) as error:
        Game.from_record(record(fault=FAULT, result="0-1") | changes)
    assert error.value.key == key


def test_a_game_that_is_over_has_no_fault() -> None:
    game = played(1, position=WHITE_WINS)
    with pytest.raises(RecordError, match="the game is over without it"):
        game.to_record(fault=FAULT | {"ply": len(game.history) + 1})
    with pytest.raises(RecordError, match="ply and seen"):
        Game().to_record(fault={})
