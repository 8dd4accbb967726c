"""What a submitted folder may hold: whatever leads out of it, blocks or is huge is named, and the others play."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from tkm_env import FileError, GameConfig
from tkm_env.archives import MAX_BYTES, MAX_DEPTH, MAX_FILES
from tkm_env.arena.schedule import Settings
from tkm_env.arena.submitted_folder import check_folder
from tkm_env.arena.tournament import Tournament
from tkm_env.arena.tournament_file import entrants_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX")

BOT = "class Bot:\n    def act(self, game):\n        return game.legal_actions()[0]\n"


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MAX_BYTES + 1)


def _crowd(folder: Path) -> None:
    for number in range(MAX_FILES):
        (folder / str(number)).touch()


def _socket(path: Path) -> None:
    import socket

    with socket.socket(socket.AF_UNIX) as opened:
        opened.bind(os.path.relpath(path))


#: What somebody puts into a folder that holds a bot, and what is said of it.
HOSTILE: dict[str, tuple[Callable[[Path], object], str]] = {
    "a clock": (lambda folder: (folder / "data").symlink_to("/proc/uptime"), "'data' in it is a link that leads out of it"),
    "its memory": (lambda folder: (folder / "data").symlink_to("/proc/self/pagemap"), "'data' in it is a link"),
    "the results": (lambda folder: (folder / "data").symlink_to("../../games.jsonl"), "'data' in it is a link"),
    "another's bot": (lambda folder: (folder / "helper.py").symlink_to("../ann/bot.py"), "'helper.py' in it is a link"),
    "another's folder": (lambda folder: (folder / "data").symlink_to("../ann"), "'data' in it is a link"),
    "a twin's folder": (lambda folder: (folder / "data").symlink_to(f"../{folder.name}2"), "'data' in it is a link"),
    "nowhere": (lambda folder: (folder / "data").symlink_to("nowhere"), "leads out of it, or nowhere"),
    "a circle": (lambda folder: (folder / "data").symlink_to("data"), "leads out of it, or nowhere"),
    "a pipe": (lambda folder: os.mkfifo(folder / "data"), "'data' in it is neither a file nor a folder"),
    "a socket": (lambda folder: _socket(folder / "data"), "'data' in it is neither a file nor a folder"),
    "holes": (lambda folder: _sparse(folder / "weights"), "it holds more than 2,000 files or 256 MiB"),
    "a crowd": (_crowd, "it holds more than 2,000 files or 256 MiB"),
    "a tower": (
        lambda folder: (folder / "/".join("x" * (MAX_DEPTH + 1))).mkdir(parents=True),
        f"more than {MAX_DEPTH} folders deep",
    ),
}


@pytest.fixture
def submissions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two players, and a third one to whose folder something is added."""
    folder = tmp_path / "submissions"
    for name in ("ann", "bob", "eve"):
        (folder / name).mkdir(parents=True)
        (folder / name / "bot.py").write_text(BOT, "utf-8")
    (tmp_path / "games.jsonl").touch()
    monkeypatch.chdir(tmp_path)
    return folder


@pytest.mark.parametrize("what", HOSTILE)
def test_what_a_folder_may_not_hold_is_named_and_the_others_play(what: str, submissions: Path) -> None:
    put, said = HOSTILE[what]
    put(submissions / "eve")
    with pytest.warns(RuntimeWarning, match=said) as warned:
        players = entrants_in(submissions)
    assert len(warned) == 1
    assert [player.name for player in players] == ["ann", "bob"]
    assert len([*Tournament(players, (Settings(config=GameConfig(max_turns=4)),), pairs=1, seed=1).play()]) == 2


@pytest.mark.parametrize("target", ["ann", "ann/bot.py", "/proc/uptime"])
def test_a_link_is_no_player(target: str, submissions: Path) -> None:
    (submissions / "fay.py").symlink_to(target if target.startswith("/") else submissions / target)
    with pytest.warns(RuntimeWarning, match="fay.py: no player: it is a link; copy what it leads to"):
        assert [player.name for player in entrants_in(submissions)] == ["ann", "bob", "eve"]


def test_honest_folders_hold_links_within_themselves_and_much_else(submissions: Path) -> None:
    folder = submissions / "eve"
    (folder / "data/deep").mkdir(parents=True)
    (folder / "data/weights.npz").write_bytes(b"\0" * 10_000_000)
    (folder / "current").symlink_to("data/weights.npz")
    (folder / "data/up").symlink_to("..")
    (folder / "data/deep/odd \n name.py").touch()
    (folder / ".hidden").touch()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert [player.name for player in entrants_in(submissions)] == ["ann", "bob", "eve"]


@pytest.mark.skipif(os.geteuid() == 0 if hasattr(os, "geteuid") else False, reason="root passes over permissions here")
def test_a_folder_that_cannot_be_read_is_named(submissions: Path) -> None:
    (submissions / "eve/closed").mkdir(mode=0)
    with pytest.raises(FileError, match="it cannot be read"):
        check_folder(submissions / "eve")
