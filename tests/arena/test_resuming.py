"""Saved and resumed matches play nothing twice, lose nothing, and touch no other file."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.disks import bytes_of_all, full_beyond, only_root_may
from tkm_env import ConfigError, FileError, GameConfig
from tkm_env.arena import match as arena
from tkm_env.arena.match import Match
from tkm_env.arena.playing.schedule import ScheduledGame
from tkm_env.arena.playing.scheduled_game import Players

MATCH = Match("random", "random", 4, GameConfig(max_turns=4), seed=1)

#: What is written where a record is moved away that its killed writer left unfinished.
cuts = pytest.mark.filterwarnings("ignore:.*its last record was incomplete:RuntimeWarning")


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """The games of the match, as they are played without interruption."""
    return list(MATCH.play())


@pytest.fixture
def played(records: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The numbers of the games that are played from now on."""
    return counted(records, monkeypatch)


def counted(records: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Have games take no time and be always the same; the numbers of those played from now on."""
    numbers: list[int] = []

    def play_scheduled_game(fixture: ScheduledGame, players: Players) -> dict[str, Any]:
        numbers.append(
            next(number for number, record in enumerate(records) if record["seed"] == fixture.seed)
        )
        return records[numbers[-1]]

    monkeypatch.setattr("tkm_env.arena.playing.workers.play_scheduled_game", play_scheduled_game)
    return numbers


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def lines(records: list[dict[str, Any]]) -> list[bytes]:
    return [json.dumps(record).encode() + b"\n" for record in records]


# Exactly the same games.


@cuts
@pytest.mark.parametrize(
    ("match", "step"),
    [
        (Match("random", "random", 2, GameConfig(max_turns=1), seed=1, opening_turns=0), 19),
        pytest.param(MATCH, 7, marks=pytest.mark.slow),
    ],
    ids=["from the start", "with openings"],
)
def test_a_match_killed_at_any_byte_is_resumed_without_loss(
    path: Path,
    match: Match,
    step: int,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    records = list(match.play())
    whole = b"".join(lines(records))
    ends = np.cumsum([len(line) for line in lines(records)])
    played = counted(records, monkeypatch)
    step = 1 if request.config.getoption("--inputs") else step
    around_ends = {end + beside for end in (0, *ends.tolist()) for beside in (-2, -1, 0, 1, 2)}
    for size in sorted({*range(0, len(whole) + 1, step)} | around_ends & {*range(len(whole) + 1)}):
        path.write_bytes(whole[:size])
        played.clear()
        assert list(match.play(path, resume=True)) == records, f"killed at byte {size}"
        assert path.read_bytes() == whole, f"killed at byte {size}"
        # All that is missing of a line without its end is the end.
        assert played == [number for number, end in enumerate(ends) if size < end - 1], (
            f"killed at byte {size}"
        )


@cuts
def test_what_was_cut_is_kept_beside_the_file(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    first, second, *_ = lines(records)
    kept = path.with_name("games.jsonl.cut")
    for part in (second[:20], second[:300]):
        path.write_bytes(first + part)
        list(MATCH.play(path, resume=True))
    assert kept.read_bytes() == second[:20] + b"\n" + second[:300] + b"\n"


def test_a_cut_record_causes_a_warning(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    first, second, *_ = lines(records)
    path.write_bytes(first + second[:50])
    with pytest.warns(
        RuntimeWarning,
        match=r"games\.jsonl: its last record was incomplete; .* to the end of .*games\.jsonl\.cut",
    ):
        list(MATCH.play(path, resume=True))


def test_a_last_game_without_the_end_of_its_line_is_a_game(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    whole = b"".join(lines(records))
    path.write_bytes(whole[:-1])
    assert list(MATCH.play(path, resume=True)) == records
    assert played == []
    assert bytes_of_all(path.parent) == {path.name: whole}


def test_an_empty_file_is_as_good_as_none(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    path.touch()
    assert list(MATCH.play(path)) == records


def test_blank_lines_hold_no_game(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    first, *others = lines(records)
    path.write_bytes(b"\n" + first + b"\r\n  ")
    assert list(MATCH.play(path, resume=True)) == records
    assert path.read_bytes() == b"\n" + first + b"\r\n  \n" + b"".join(others)


# What is not ours stays.


def changed(record: dict[str, Any], **changes: Any) -> bytes:
    return json.dumps(record | changes).encode()


FOREIGN: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "a model": lambda records: np.random.default_rng(1).bytes(5_000),
    "a model that looks like lines": lambda records: (
        b"\x93NUMPY\x01\0" + b"\n".join([bytes(range(14, 250))] * 20)
    ),
    "text": lambda records: b"Dear Ada,\nI won.\n",
    "text whose last line has no end": lambda records: b"Dear Ada,\nI won.",
    "a number": lambda records: b"7",
    "an object": lambda records: b'{"kind": "tkm_env series"}',
    "an object over several lines": lambda records: json.dumps({"kind": "x"}, indent=1).encode(),
    "the beginning of an object": lambda records: b'{"kind": "tkm_env series", "vers',
    "a game over several lines": lambda records: json.dumps(records[0], indent=1).encode(),
    "a game of another match": lambda records: changed(records[0], seed=5),
    "a game of others": lambda records: changed(
        records[0], players={"white": "random", "black": "greedy"}
    ),
    "a game with other settings": lambda records: changed(records[0], config={"max_turns": 5}),
    "a game from another start": lambda records: changed(
        records[0], position=records[2]["position"]
    ),
    "a game that is not over": lambda records: changed(
        records[0], result=None, actions=[], seconds=[]
    ),
    "a game without times": lambda records: json.dumps(
        {k: v for k, v in records[0].items() if k != "seconds"}
    ).encode(),
    "a game with an illegal action": lambda records: changed(
        records[0], actions=["concede"] * len(records[0]["actions"])
    ),
    "a game with another result": lambda records: changed(
        records[0], result="1-0" if records[0]["result"] != "1-0" else "0-1"
    ),
    "the beginning of a game of another match": lambda records: changed(records[0], seed=5)[:200],
    "the beginning of a game with other settings": lambda records: changed(records[0], config={})[
        :-90
    ],
    "the beginning of a game from another start": lambda records: changed(
        records[0], position=records[2]["position"]
    )[:-90],
    "a game twice": lambda records: b"".join(lines(records[:1])) * 2,
    "a game twice, the second time in part": lambda records: (
        b"".join(lines(records[:1])) + lines(records[:1])[0][:-90]
    ),
    "a game and text": lambda records: b"".join(lines(records[:1])) + b"I won.",
    "text and the beginning of a game": lambda records: b"I won.\n" + lines(records[:1])[0][:50],
    "the beginning of a game and a game": lambda records: (
        lines(records[:1])[0][:50] + b"\n" + lines(records)[1]
    ),
    "half of a character": lambda records: (
        lines(records)[0] + lines(records)[1].replace(b"random", b"\xe2\x82", 1)
    ),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_file_with_other_content_is_refused_and_stays_as_it_is(
    path: Path, records: list[dict[str, Any]], played: list[int], name: str
) -> None:
    for end in (b"", b"\n"):
        content = FOREIGN[name](records) + end
        path.write_bytes(content)
        with pytest.raises(FileError, match=r"games\.jsonl: line \d+ "):
            list(MATCH.play(path, resume=True))
        assert bytes_of_all(path.parent) == {path.name: content}
        assert played == []


def test_games_with_another_opening_are_those_of_another_match(path: Path) -> None:
    list(Match("random", "random", 2, GameConfig(max_turns=4), seed=1, opening_turns=1).play(path))
    before = path.read_bytes()
    with pytest.raises(
        FileError,
        match=(
            "line 1 does not hold a game of this match: players, their files, settings, "
            "opening, isolation or seed differ"
        ),
    ):
        list(MATCH.play(path, resume=True))
    assert path.read_bytes() == before


# One match at a time.


def test_a_second_match_on_the_same_file_is_refused_before_its_first_game(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    first = MATCH.play(path)
    next(first)
    for resume in (False, True):
        with pytest.raises(FileError, match=r"games\.jsonl: another writer has it"):
            next(MATCH.play(path, resume=resume))
    assert played == [0]
    assert [next(first), *first] == records[1:]
    assert path.read_bytes() == b"".join(lines(records))


KILLED = """
import sys
from tkm_env.arena.match import Match

if __name__ == "__main__":
    for record in Match("random", "random", 10_000, seed=1).play(sys.argv[1], processes=2):
        print("played", flush=True)
"""


@pytest.mark.slow
def test_a_match_that_is_killed_leaves_neither_a_lock_nor_a_process(
    tmp_path: Path, path: Path
) -> None:
    script = tmp_path / "script.py"
    script.write_text(KILLED)
    running = subprocess.Popen(
        [sys.executable, script, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    with running:
        assert running.stdout is not None
        assert running.stdout.readline() == b"played\n"
        with pytest.raises(FileError, match="another writer has it"):
            next(Match("random", "random", 10_000, seed=1).play(path, resume=True))
        running.kill()
        running.communicate(timeout=60)  # what its processes print ends when the last of them does
    match = Match("random", "random", 10_000, seed=1).play(path, resume=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        assert next(match)["result"] is not None
    match.close()


def test_a_match_that_is_left_lets_others_go_on(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    first = MATCH.play(path)
    next(first)
    first.close()
    assert list(MATCH.play(path, resume=True)) == records
    assert played == [0, 1, 2, 3]


# Where nothing can be saved, nothing is played.


def nothing(folder: Path) -> None:
    folder.chmod(0o555)


def read_only(folder: Path) -> None:
    (folder / "games.jsonl").touch()
    (folder / "games.jsonl").chmod(0o444)


@pytest.mark.parametrize("prepare", [nothing, read_only])
def test_a_read_only_file_or_folder_is_refused_before_the_first_game(
    prepare: Callable[[Path], None], played: list[int]
) -> None:
    with only_root_may(prepare) as folder, pytest.raises(FileError, match="Permission denied"):
        next(MATCH.play(folder / "games.jsonl"))
    assert played == []


@pytest.mark.parametrize(
    ("name", "reason"),
    [("nowhere/games", "there is no folder '.*nowhere'"), (".", "not an ordinary file")],
)
def test_a_place_where_no_file_can_be_is_refused_before_the_first_game(
    tmp_path: Path, name: str, reason: str, played: list[int]
) -> None:
    with pytest.raises(FileError, match=reason):
        next(MATCH.play(tmp_path / name))
    assert played == []


def test_a_full_disk_is_found_before_the_first_game(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    with full_beyond(1000), pytest.raises(FileError, match="File too large"):
        next(MATCH.play(path))
    path.write_bytes(lines(records)[0])
    with full_beyond(1000), pytest.raises(FileError, match="File too large"):
        next(MATCH.play(path, resume=True))
    assert bytes_of_all(path.parent) == {path.name: lines(records)[0]}
    assert played == []


def test_a_disk_that_fills_up_during_a_match_keeps_the_games_before_it(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    running = MATCH.play(path)
    got = [next(running), next(running)]
    two = sum(map(len, lines(records)[:2]))
    for room in (0, 1, 100):
        with (
            full_beyond(two + room),
            pytest.raises(FileError, match=r"games\.jsonl: it cannot be written: File too large"),
        ):
            next(running)
        assert got == records[:2]
        assert path.read_bytes() == b"".join(lines(records)[:2])
        running = MATCH.play(path, resume=True)
        got = [next(running), next(running)]
    assert [*got, *running] == records
    assert bytes_of_all(path.parent) == {path.name: b"".join(lines(records))}


def test_a_file_that_is_removed_during_a_match_is_missed(
    path: Path, records: list[dict[str, Any]], played: list[int]
) -> None:
    running = MATCH.play(path)
    next(running)
    path.unlink()
    with pytest.raises(FileError, match="something else changed it"):
        next(running)


def test_a_match_without_a_game_leaves_no_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tkm_env.core.initial_positions.OPENINGS_TRIED", 2)
    with pytest.raises(ConfigError, match="opening_turns"):
        next(Match("random", "random", 2, opening_turns=199).play(path))
    assert not path.exists()


def test_there_is_nothing_to_resume_without_a_file(played: list[int]) -> None:
    with pytest.raises(ConfigError, match="resume=True is invalid: it needs save"):
        next(MATCH.play(resume=True))


def test_an_invalid_number_of_processes_is_refused_before_the_file_is_made(path: Path) -> None:
    with pytest.raises(ConfigError, match="processes=0"):
        next(MATCH.play(path, processes=0))
    assert not path.exists()


def test_a_player_that_no_record_can_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arena, "Player", lambda *given: None)
    with pytest.raises(ConfigError, match="it must be text, since records name it"):
        Match("bot\udcff.py:Bot", "random")
