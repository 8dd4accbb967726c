"""A seed that was drawn is kept beside the results, so that the same command resumes them."""

from __future__ import annotations

import os
import stat
import sys
from itertools import islice
from pathlib import Path

import pytest

from tkm_env import ConfigError, FileError, GameConfig
from tkm_env.arena.match import Match
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings


def match(seed: int | None = None) -> Match:
    return Match("random", "random", 6, GameConfig(max_turns=4), seed)


def cup() -> Tournament:
    return Tournament(
        (Entrant("Ann", "random"), Entrant("Bob", "random")),
        (Settings(config=GameConfig(max_turns=4)),),
        pairs=3,
    )


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def kept(path: Path) -> Path:
    return path.with_name(f"{path.name}.seed")


def test_a_drawn_seed_is_kept_and_plays_the_same_games_again(path: Path) -> None:
    played = list(islice(match().play(path), 2))
    resumed = list(match().play(path, resume=True))
    assert resumed[:2] == played
    again = match(int(kept(path).read_text())).play()
    assert [record["actions"] for record in again] == [record["actions"] for record in resumed]


def test_a_tournament_goes_on_with_its_kept_seed(path: Path) -> None:
    played = list(islice(cup().play(path), 3))
    assert [*cup().play(path)][:3] == played


@pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")
def test_only_the_owner_can_read_it(path: Path) -> None:
    next(match().play(path))
    assert stat.S_IMODE(kept(path).stat().st_mode) == 0o600


def test_a_match_that_is_refused_leaves_nothing(path: Path) -> None:
    with pytest.raises(ConfigError, match="the player does not start"):
        next(Match("cmd:./nosuch", "random", 6).play(path))
    assert not [*path.parent.iterdir()]


def test_a_given_seed_is_not_kept(path: Path) -> None:
    next(match(5).play(path))
    assert not kept(path).exists()


def test_games_whose_seed_is_unknown_are_not_resumed(path: Path) -> None:
    next(match(5).play(path))
    before = path.read_bytes()
    for play in (lambda: match().play(path, resume=True), lambda: cup().play(path)):
        with pytest.raises(
            FileError,
            match=(
                r"games\.jsonl: resuming needs the seed of its games, but there is no "
                r"games\.jsonl\.seed"
            ),
        ):
            next(play())
    assert (path.read_bytes(), kept(path).exists()) == (before, False)


def test_the_seed_of_games_that_are_gone_is_not_used_again(path: Path) -> None:
    list(match().play(path))
    before = kept(path).read_text()
    path.unlink()
    list(match().play(path))
    assert kept(path).read_text() != before


def test_a_file_that_holds_no_seed_is_refused(path: Path) -> None:
    next(match().play(path))
    for content in ("", "seven", "-1"):
        kept(path).write_text(content)
        with pytest.raises(FileError, match=r"games\.jsonl\.seed: it does not hold the seed"):
            next(match().play(path, resume=True))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes")
def test_a_pipe_in_place_of_the_seed_is_not_waited_for(path: Path) -> None:
    next(match().play(path))
    kept(path).unlink()
    os.mkfifo(kept(path))
    with pytest.raises(FileError, match=r"there is no games\.jsonl\.seed"):
        next(match().play(path, resume=True))
