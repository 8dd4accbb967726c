"""Resumed tournaments do not play checked games again, find what has changed, and keep choices."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tkm_env import FileError, GameConfig
from tkm_env.arena.playing import ledger
from tkm_env.arena.playing.ledger import Checkpoint
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings

PLAYERS = (Entrant("Ann", "random"), Entrant("Bob", "greedy"), Entrant("Cem", "random"))


def tournament(**changes: Any) -> Tournament:
    return Tournament(
        **{
            "players": PLAYERS,
            "settings": (Settings(config=GameConfig(max_turns=4)),),
            "pairs": 3,
            "seed": 7,
            **changes,
        }
    )


@pytest.fixture
def replayed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The seeds of the games that are played again from now on, to check them."""
    seeds: list[int] = []
    replay = ledger.from_record
    monkeypatch.setattr(
        ledger, "from_record", lambda record: seeds.append(record["seed"]) or replay(record)
    )
    return seeds


def test_games_that_were_checked_are_not_played_again_unless_that_is_asked(
    tmp_path: Path, replayed: list[int]
) -> None:
    path = tmp_path / "games.jsonl"
    games = list(tournament().play(path))
    assert list(tournament().play(path)) == games
    assert replayed == []
    assert list(tournament().play(path, verify=True)) == games
    assert len(replayed) == len(games)


def test_games_after_the_checkpoint_are_played_again(tmp_path: Path, replayed: list[int]) -> None:
    path, beside = tmp_path / "games.jsonl", tmp_path / "games.jsonl.checkpoint"
    games = list(tournament().play(path))
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:10]))
    begun = tournament().play(path)
    next(begun)
    begun.close()
    assert len(replayed) == 10, "that checkpoint was of more games"
    replayed.clear()
    kept = beside.read_bytes()
    path.write_bytes(b"".join(lines))
    beside.write_bytes(kept)
    list(tournament().play(path))
    assert replayed == [game["seed"] for game in games[10:]]


@pytest.mark.parametrize(
    "kept",
    [
        b"",
        b"{",
        b"[]",
        b'{"kind": "tkm_env checkpoint", "version": 1, "games": 18, "chain": 5, "state": []}',
    ],
)
def test_a_damaged_checkpoint_is_none(tmp_path: Path, replayed: list[int], kept: bytes) -> None:
    path = tmp_path / "games.jsonl"
    games = list(tournament().play(path))
    (tmp_path / "games.jsonl.checkpoint").write_bytes(kept)
    assert list(tournament().play(path)) == games
    assert len(replayed) == len(games)


@pytest.mark.parametrize(
    "state",
    [
        5,
        "12",
        [12],
        [13, []],
        [11, []],
        [-2, []],
        ["12", []],
        [1e3, []],
        [12, 5],
        [12, [[]]],
        [12, [["0", "Ann", "Bob"]]],
    ]
    + [
        [12, [[where, one, other]]]
        for where, one, other in (
            (9, "Ann", "Bob"),
            (-1, "Ann", "Bob"),
            (0, "Ann", "Ann"),
            (0, "Ann", "Eve"),
        )
    ],
    ids=str,
)
def test_a_kept_choice_that_is_none_is_made_again(tmp_path: Path, state: Any) -> None:
    path, beside = tmp_path / "games.jsonl", tmp_path / "games.jsonl.checkpoint"
    given: dict[str, Any] = {"kind": "continuous", "pairs": None, "games_per_player": 6}
    games = list(tournament(**given).play(path))
    assert len(games) == 12
    kept = json.loads(beside.read_bytes())
    assert kept["state"] == [12, []]
    beside.write_text(json.dumps(kept | {"state": state}))
    assert list(tournament(**given).play(path)) == games


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_what_lies_beside_the_games_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    next(tournament().play(path))
    content = path.read_bytes()
    for suffix in (".checkpoint", ".ahead"):
        beside = tmp_path / f"games.jsonl{suffix}"
        beside.unlink(missing_ok=True)
        os.mkfifo(beside)
        with pytest.raises(FileError, match=f"jsonl{suffix}: it is not an ordinary file"):
            next(tournament().play(path))
        beside.unlink()
    assert path.read_bytes() == content


@pytest.mark.parametrize("suffix", [".checkpoint", ".ahead", ".seed", ".answers", ".cut"])
def test_a_link_beside_the_games_changes_nothing_elsewhere(tmp_path: Path, suffix: str) -> None:
    path, other = tmp_path / "games.jsonl", tmp_path / "precious"
    games = list(tournament().play(path))
    content = path.read_bytes()
    other.write_text("precious\n")
    beside = tmp_path / f"games.jsonl{suffix}"
    beside.unlink(missing_ok=True)
    beside.symlink_to(other)
    with suppress(FileError):
        assert list(tournament().play(path)) == games
    assert (path.read_bytes(), other.read_text()) == (content, "precious\n")


def test_a_game_that_was_changed_is_found(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    list(tournament().play(path))
    first, *others = path.read_text().splitlines()
    record = json.loads(first)
    changed = json.dumps(record | {"result": "1-0" if record["result"] != "1-0" else "0-1"})
    path.write_text("\n".join([changed, *others, ""]))
    with pytest.raises(FileError, match="line 1 is not a game: result"):
        list(tournament().play(path))


def test_each_link_depends_on_all_games_before(tmp_path: Path) -> None:
    def chain(*lines: bytes) -> str:
        return Checkpoint(tmp_path / "games.jsonl", "this", lines).chain

    assert chain(b"a", b"b") == chain(b"a\r", b"b")
    assert (
        len({chain(), chain(b"a"), chain(b"b"), chain(b"a", b"b"), chain(b"b", b"a"), chain(b"ab")})
        == 6
    )
    assert Checkpoint(tmp_path / "games.jsonl", "that", [b"a"]).chain != chain(b"a")


@pytest.mark.parametrize("fixed", [6, 0])
def test_what_was_chosen_before_a_kill_is_played_after_it_whoever_has_come_since(
    tmp_path: Path, fixed: int
) -> None:
    """The checkpoint names the games that are due, and newcomers play from the next choice on.

    This is the same as without the kill. In a league, every player except those of its file is a
    newcomer.
    """
    path = tmp_path / "games.jsonl"
    first = tuple(Entrant(f"Dan {number}", "random") for number in range(6))
    coming = [*first[fixed:]]
    given: dict[str, Any] = {
        "kind": "continuous",
        "pairs": None,
        "newcomers": lambda: coming,
        "players": first[:fixed],
    }
    undisturbed = []
    for record in tournament(**given).play(tmp_path / "whole.jsonl"):
        undisturbed.append(record)
        if len(undisturbed) == 3:
            coming.insert(0, PLAYERS[2])
        if len(undisturbed) == 30:
            break
    coming.remove(PLAYERS[2])
    killed = tournament(**given).play(path)
    for _ in range(3):
        next(killed)
    kept = (tmp_path / "games.jsonl.checkpoint").read_bytes()
    killed.close()
    (tmp_path / "games.jsonl.checkpoint").write_bytes(kept)
    path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:3]))
    coming.insert(0, PLAYERS[2])
    resumed = [record for record, _ in zip(tournament(**given).play(path), range(30), strict=False)]
    assert [record["seed"] for record in resumed] == [record["seed"] for record in undisturbed]
