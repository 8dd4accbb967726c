"""The game under way that others can watch."""

from __future__ import annotations

import os
import time
from pathlib import Path

from tkm_env import Game
from tkm_env.arena.playing.live import LiveGame, live_game
from tkm_env.core.record_files import from_record

PLAYERS = {"white": "ann", "black": "bob"}


def test_one_game_is_shown_until_it_is_over_or_goes_on_no_more(tmp_path: Path) -> None:
    path = tmp_path / "live.json"
    first, second = (LiveGame(str(path), PLAYERS, seed) for seed in (2, 4))

    def shown() -> tuple[int, bool]:
        content = live_game(path)
        return content["record"].get("seed", -1), content["is_over"]

    assert shown() == (-1, True)
    game = Game()
    first.show(game)
    game.play(game.legal_actions()[0])
    first.show(game)
    assert len(from_record(live_game(path)["record"]).history) == 0, (
        "positions follow each other twice a second at most"
    )
    second.show(game, is_over=True)
    assert shown() == (2, False), "another one waits"
    first.show(game, is_over=True)
    assert shown() == (2, True)
    assert len(from_record(live_game(path)["record"]).history) == 1
    second.show(game, is_over=True)
    assert shown() == (2, True), "the end is shown for a while"
    os.utime(path, (time.time() - 4,) * 2)
    second.show(game, is_over=True)
    assert shown() == (4, True)
    first = LiveGame(str(path), PLAYERS, 2)
    os.utime(path, (time.time() - 4,) * 2)
    first.show(game)
    os.utime(path, (time.time() - 40,) * 2)  # whoever played it was killed
    second.show(game, is_over=True)
    assert shown() == (4, True)


def test_what_cannot_be_written_or_read_is_not_shown(tmp_path: Path) -> None:
    LiveGame(str(tmp_path / "none/live.json"), PLAYERS, 2).show(Game())
    (tmp_path / "live.json").write_text("{", "utf-8")
    assert live_game(tmp_path / "live.json")["record"] == {}
