"""Matches resumed on damaged files play every game once, or are refused and change nothing."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.disks import bytes_of_all
from tests.fuzz.mutations import damaged_bytes, damaged_json
from tests.fuzz.refusals import accepted
from tkm_env import GameConfig
from tkm_env.arena.match import Match

MATCH = Match("random", "random", 4, GameConfig(max_turns=2), seed=1, opening_turns=1)
RECORDS = list(MATCH.play())
OTHERS = list(Match("random", "random", 2, GameConfig(max_turns=2), seed=2, opening_turns=1).play())
LINES = [json.dumps(record).encode() for record in RECORDS]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file in a folder of its own; games take no time, and are always the same."""
    with pytest.MonkeyPatch.context() as patch:
        by_seed = {record["seed"]: record for record in RECORDS}
        patch.setattr(
            "tkm_env.arena.playing.workers.play_scheduled_game",
            lambda fixture, players: by_seed[fixture.seed],
        )
        yield tmp_path_factory.mktemp("match") / "games.jsonl"


def check_resumed(path: Path, content: bytes) -> None:
    for file in path.parent.iterdir():
        file.unlink()
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        played = accepted(
            lambda: list(MATCH.play(path, resume=True)), lambda: bytes_of_all(path.parent)
        )
    if played is None:
        return
    assert [record["seed"] for record in played] == [record["seed"] for record in RECORDS]
    files = bytes_of_all(path.parent)
    cut = files.pop(f"{path.name}.cut", b"\n")[:-1]
    assert content.endswith(cut)
    kept = content[: len(content) - len(cut)]
    assert files.pop(path.name).startswith(kept)
    assert not files
    found = [json.loads(line) for line in kept.split(b"\n") if line.strip(b" \t\r")]
    assert all(one in played for one in found), "what was in the file is not what was taken from it"
    left = [record for record in RECORDS if record["seed"] not in [one["seed"] for one in found]]
    assert all(one in played for one in left)
    assert [
        json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip(b" \t\r")
    ] == found + left


whole = st.lists(st.sampled_from(LINES), max_size=3, unique=True).map(
    lambda lines: b"".join(line + b"\n" for line in lines)
)


@given(whole.flatmap(damaged_bytes))
def test_a_damaged_file(path: Path, content: bytes) -> None:
    check_resumed(path, content)


@given(whole, st.sampled_from(RECORDS + OTHERS), st.data())
def test_a_file_with_the_beginning_of_a_record(
    path: Path, content: bytes, record: dict[str, Any], data: st.DataObject
) -> None:
    line = json.dumps(record).encode()
    check_resumed(path, content + line[: data.draw(st.integers(0, len(line)))])


@given(whole, st.sampled_from(RECORDS + OTHERS), st.data())
def test_a_file_with_a_damaged_record(
    path: Path, content: bytes, record: dict[str, Any], data: st.DataObject
) -> None:
    try:
        line = json.dumps(data.draw(damaged_json(record))).encode()
    except ValueError:  # a number with too many digits
        return
    check_resumed(
        path,
        content
        + line[: data.draw(st.sampled_from([len(line), len(line) // 2]))]
        + data.draw(st.sampled_from([b"", b"\n"])),
    )


@given(st.binary(max_size=200))
def test_a_file_of_anything(path: Path, content: bytes) -> None:
    check_resumed(path, content)
