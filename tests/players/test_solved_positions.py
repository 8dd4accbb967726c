"""Files of solved positions, and what their outcomes mean."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from tkm_env import Game
from tkm_env.foundations.errors import FileError
from tkm_env.players.solved_positions import (
    SolvedPosition,
    preference,
    read_solved_positions,
    write_solved_positions,
)

WON_IN_9 = (
    "..../..../..../W...|..../...B/..W./....|..../..../B.../.... - w c PN - 0/0 - ---/--- -/- 1"
)
SOLVED = [SolvedPosition(WON_IN_9, 9, (0, 9, 2)), SolvedPosition("another", 0, (0, 4))]


def test_quick_wins_are_preferred_and_slow_losses() -> None:
    assert sorted(range(8), key=preference, reverse=True) == [1, 3, 5, 7, 0, 6, 4, 2]


@pytest.mark.parametrize(
    ("outcome", "kept"), [(9, [1, 9, 27]), (0, [0]), (4, [2, 4, 8])], ids=["won", "open", "lost"]
)
def test_a_turn_keeps_the_result_if_its_outcome_has_the_same(outcome: int, kept: list[int]) -> None:
    solved = SolvedPosition("", outcome, ())
    assert [turn for turn in (0, 1, 2, 4, 8, 9, 27) if solved.keeps_result(turn)] == kept


def test_a_turn_is_found_by_the_position_to_which_it_leads() -> None:
    game = Game(position=WON_IN_9)
    turns = sorted(game.turns(), key=lambda turn: turn.after.position)
    solved = SolvedPosition(WON_IN_9, 1, tuple(range(len(turns))))
    for number, turn in enumerate(turns):
        assert solved.outcome_of(game, turn.after) == number
    with pytest.raises(ValueError, match="is not in list"):
        solved.outcome_of(game, Game())


def test_a_file_holds_what_was_written_and_always_the_same_bytes(tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.jsonl.gz" for name in "ab"]
    for path in paths:
        write_solved_positions(path, iter(SOLVED), {"copies": 2})
    assert read_solved_positions(paths[0]) == ({"copies": 2}, SOLVED)
    assert paths[0].read_bytes() == paths[1].read_bytes()


HEAD = b'{"kind":"tkm_env solved positions","version":1}\n'
OTHERS = {
    "nothing": b"",
    "not compressed": HEAD,
    "no line": gzip.compress(b""),
    "a list": gzip.compress(b"[1]"),
    "another version": gzip.compress(HEAD.replace(b"1", b"2")),
    "another kind": gzip.compress(b'{"kind":"other","version":1}\n'),
    "a row without outcome": gzip.compress(HEAD + b'{"position":"x"}\n'),
    "cut": gzip.compress(HEAD)[:-4],
}


@pytest.mark.parametrize("content", OTHERS.values(), ids=OTHERS)
def test_other_files_are_refused_by_name(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "positions.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=r"positions\.jsonl\.gz"):
        read_solved_positions(path)


def test_a_file_that_is_missing_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"none\.jsonl\.gz"):
        read_solved_positions(tmp_path / "none.jsonl.gz")
