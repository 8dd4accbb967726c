"""A file of records that grows is read on from where it was left, and records are found again."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from tkm_env import FileError, Game
from tkm_env.core.growing_records import RecordFile
from tkm_env.core.record_files import line_of

GAMES = [Game().to_record(seed=seed) for seed in range(2, 8)]
LINES = [line_of(game) + b"\n" for game in GAMES]


def numbers(file: RecordFile) -> list[int]:
    return [line.number for line in file.read()]


def test_each_reading_goes_on_where_the_one_before_ended(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n" + LINES[0])
    file = RecordFile(path)
    assert numbers(file) == [2]
    assert numbers(file) == []
    for number, line in enumerate(LINES[1:], 3):
        with path.open("ab") as end:
            end.write(line)
        assert numbers(file) == [number]
    assert file.offset == path.stat().st_size


def test_a_line_is_read_once_however_it_was_cut_meanwhile(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    for cut in (*range(1, 60), len(LINES[1]) - 2, len(LINES[1]) - 1):
        path.write_bytes(LINES[0] + LINES[1][:cut])
        file = RecordFile(path)
        whole = cut == len(LINES[1]) - 1  # only the end of the line is missing
        assert numbers(file) == ([1, 2] if whole else [1])
        assert file.is_growing != whole
        path.write_bytes(b"".join(LINES[:3]))
        assert numbers(file) == ([3] if whole else [2, 3])
        assert not file.is_growing


def test_the_first_line_may_be_cut_as_well(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(LINES[0][:50])
    file = RecordFile(path)
    assert numbers(file) == []
    assert file.is_growing
    path.write_bytes(LINES[0] + LINES[1])
    assert numbers(file) == [1, 2]


def test_records_are_found_again_at_their_places(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b"\n".join(LINES))
    found = [*RecordFile(path).read()]
    assert [line.number for line in found] == [1, 3, 5, 7, 9, 11]
    assert [line.place.read() for line in found] == [line.record for line in found]
    spread = tmp_path / "one.json"
    spread.write_text(f"\n{json.dumps(GAMES[0], indent=1)}\n")
    (line,) = RecordFile(spread).read()
    assert line.place.read() == line.record == json.loads(LINES[0])


def test_what_is_no_longer_at_its_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(LINES[0] + LINES[1])
    _, second = RecordFile(path).read()
    path.write_bytes(b"##" + LINES[0] + LINES[1])
    with pytest.raises(FileError, match=f"no game record at byte {len(LINES[0])} any more"):
        second.place.read()
    path.unlink()
    with pytest.raises(FileError, match="it cannot be read"):
        second.place.read()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
def test_records_that_came_through_a_pipe_are_kept(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=[b"".join(LINES)])
    writer.start()
    found = [*RecordFile(pipe).read()]
    writer.join()
    assert [line.place.read() for line in found] == [json.loads(line) for line in LINES]
