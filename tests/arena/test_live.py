"""The games in progress that others can watch."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from tkm_env import Game
from tkm_env.arena.playing import live
from tkm_env.arena.playing.live import LiveGame, clear_live_games, live_games
from tkm_env.core.record_files import from_record

PLAYERS = {"white": "ann", "black": "bob"}


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The time by `time.monotonic`, which the test sets."""
    moment = [1000.0]
    monkeypatch.setattr(time, "monotonic", lambda: moment[0])
    return moment


def test_a_process_shows_its_game_twice_a_second_and_to_its_end(
    tmp_path: Path, now: list[float]
) -> None:
    shown, game = LiveGame(str(tmp_path), PLAYERS, 2), Game()
    assert live_games(tmp_path) == []

    def actions() -> int:
        (found,) = live_games(tmp_path)
        assert found.record["players"] == PLAYERS
        assert found.worker.endswith(f"-{os.getpid()}")
        return len(from_record(found.record).history)

    shown.show(game)
    game.play(game.legal_actions()[0])
    shown.show(game)
    assert actions() == 0
    now[0] += 0.6
    shown.show(game)
    assert actions() == 1
    game.play(game.legal_actions()[0])
    shown.show(game, is_over=True)
    assert actions() == 2
    assert live_games(tmp_path)[0].is_over


def test_of_short_games_only_some_are_shown(tmp_path: Path, now: list[float]) -> None:
    for seed in range(10):
        now[0] += 0.125  # exact in binary, as half a second is: the fourth game is due
        game = LiveGame(str(tmp_path), PLAYERS, seed)
        game.show(Game())
        game.show(Game(), is_over=True)
        assert live_games(tmp_path)[0].record["seed"] == seed // 4 * 4


def test_games_of_several_processes_are_shown_until_they_stop_changing(
    tmp_path: Path, now: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        monkeypatch.setattr(live, "_worker", lambda number=number: f"machine-{number}")
        now[0] += 1
        LiveGame(str(tmp_path), PLAYERS, number).show(Game())
    assert [game.worker for game in live_games(tmp_path)] == ["machine-2", "machine-1", "machine-0"]
    os.utime(tmp_path / "machine-1.json", (time.time() - 900,) * 2)
    assert [game.worker for game in live_games(tmp_path)] == ["machine-2", "machine-0"]
    clear_live_games(tmp_path)
    assert live_games(tmp_path) == []


@pytest.mark.parametrize("content", ["{", "[]", '{"record": 5}', '{"is_over": true}'])
def test_what_cannot_be_written_or_read_is_not_shown(tmp_path: Path, content: str) -> None:
    LiveGame(str(tmp_path / "none"), PLAYERS, 2).show(Game())
    (tmp_path / "machine-1.json").write_text(content, "utf-8")
    assert live_games(tmp_path) == []
    assert live_games(tmp_path / "none") == []
