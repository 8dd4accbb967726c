"""Submitted folders: what leads outside, blocks or is huge is named, and the others play."""

from __future__ import annotations

import itertools
import os
import shutil
import stat
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tkm_env import FileError, GameConfig
from tkm_env.arena.playing.referee import Conditions
from tkm_env.arena.playing.schedule import Entrant
from tkm_env.arena.tournament.submissions import entrants_in, player_copies
from tkm_env.arena.tournament.submitted_files import copy_files, inventory
from tkm_env.arena.tournament.tournament import Tournament
from tkm_env.evaluation.starts import Settings
from tkm_env.foundations.archives import MAX_BYTES, MAX_DEPTH, MAX_FILES

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
    "a clock": (
        lambda folder: (folder / "data").symlink_to("/proc/uptime"),
        "'data' in it is a link that leads out of it",
    ),
    "its memory": (
        lambda folder: (folder / "data").symlink_to("/proc/self/pagemap"),
        "'data' in it is a link",
    ),
    "the results": (
        lambda folder: (folder / "data").symlink_to("../../games.jsonl"),
        "'data' in it is a link",
    ),
    "another's bot": (
        lambda folder: (folder / "helper.py").symlink_to("../ann/bot.py"),
        "'helper.py' in it is a link",
    ),
    "another's folder": (
        lambda folder: (folder / "data").symlink_to("../ann"),
        "'data' in it is a link",
    ),
    "a twin's folder": (
        lambda folder: (folder / "data").symlink_to(f"../{folder.name}2"),
        "'data' in it is a link",
    ),
    "nowhere": (
        lambda folder: (folder / "data").symlink_to("nowhere"),
        "leads out of it, or nowhere",
    ),
    "a circle": (
        lambda folder: (folder / "data").symlink_to("data"),
        "leads out of it, or nowhere",
    ),
    "a pipe": (
        lambda folder: os.mkfifo(folder / "data"),
        "'data' in it is neither a file nor a folder",
    ),
    "a socket": (
        lambda folder: _socket(folder / "data"),
        "'data' in it is neither a file nor a folder",
    ),
    "holes": (
        lambda folder: _sparse(folder / "weights"),
        "it holds more than 2,000 files or 256 MiB",
    ),
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
def test_what_a_folder_may_not_hold_is_named(what: str, submissions: Path) -> None:
    put, said = HOSTILE[what]
    put(submissions / "eve")
    with pytest.warns(RuntimeWarning, match=said) as warned:
        players = entrants_in(submissions)
    assert len(warned) == 1
    assert [player.name for player in players] == ["ann", "bob"]


@pytest.mark.filterwarnings("ignore:.*eve.*:RuntimeWarning")
@pytest.mark.parametrize(
    "what",
    [pytest.param(what, marks=() if what == "a circle" else pytest.mark.slow) for what in HOSTILE],
)
def test_the_others_play(what: str, submissions: Path) -> None:
    HOSTILE[what][0](submissions / "eve")
    settings = (Settings(config=GameConfig(max_turns=4)),)
    plan = Tournament(entrants_in(submissions), settings, pairs=1, seed=1)
    assert len([*plan.play()]) == 2


@pytest.mark.parametrize("target", ["ann", "ann/bot.py", "/proc/uptime"])
def test_a_link_is_no_player(target: str, submissions: Path) -> None:
    (submissions / "fay.py").symlink_to(target if target.startswith("/") else submissions / target)
    with pytest.warns(
        RuntimeWarning, match="fay.py: no player: it is a link; copy its target instead"
    ):
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


@pytest.mark.skipif(
    os.geteuid() == 0 if hasattr(os, "geteuid") else False,
    reason="root passes over permissions here",
)
def test_a_folder_that_cannot_be_read_is_named(submissions: Path) -> None:
    (submissions / "eve/closed").mkdir(mode=0)
    with pytest.raises(FileError, match="it cannot be read"):
        inventory(submissions / "eve")


def _playing(submissions: Path, kind: str, **given: Any) -> Tournament:
    more = {
        "continuous": {"newcomers": lambda: entrants_in(submissions)},
        "gauntlet": {"challengers": ("ann",)},
    }.get(kind, {})
    settings = (Settings(config=GameConfig(max_turns=4)),)
    return Tournament(
        entrants_in(submissions), settings, kind, seed=1, **{"pairs": 2, **more, **given}
    )


@pytest.mark.parametrize("kind", ["round robin", "gauntlet", "swiss", "knockout"])
def test_a_player_is_what_it_was_when_the_tournament_began(
    kind: str, submissions: Path, tmp_path: Path
) -> None:
    undisturbed = [
        (record["players"], record["actions"]) for record in _playing(submissions, kind).play()
    ]
    games = _playing(submissions, kind).play(tmp_path / "games.jsonl")
    records = [next(games)]
    (submissions / "ann/bot.py").write_text("raise SystemExit('another one')", "utf-8")
    (submissions / "eve/bot.py").unlink()
    records += games
    assert [(record["players"], record["actions"]) for record in records] == undisturbed
    assert not any("fault" in record for record in records)


def test_what_is_exchanged_for_a_link_after_the_check_is_not_followed(
    submissions: Path, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("a secret", "utf-8")
    (submissions / "eve/data").symlink_to(tmp_path / "secret")
    with pytest.raises(FileError, match="'data' in it is a link that leads out of it"):
        copy_files(submissions / "eve", tmp_path / "copy")
    assert (tmp_path / "copy/data").is_symlink(), "the link, not what it leads to"


def test_a_folder_exchanged_for_a_link_while_it_is_copied_is_not_followed(
    submissions: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets/key").write_text("a secret", "utf-8")
    (submissions / "eve/data").mkdir()
    (submissions / "eve/data/key").touch()
    make = os.mkdir

    def exchanging(path: str, mode: int = 0o777) -> None:
        make(path, mode)
        if path.endswith("/data") and not (submissions / "eve/data").is_symlink():
            (submissions / "eve/data").rename(tmp_path / "away")
            (submissions / "eve/data").symlink_to(tmp_path / "secrets")

    monkeypatch.setattr(os, "mkdir", exchanging)
    copy_files(submissions / "eve", tmp_path / "copy")
    assert not [
        path
        for path in (tmp_path / "copy").rglob("*")
        if path.is_file() and path.read_bytes() == b"a secret"
    ]


def test_a_copy_ends_at_the_bound_even_of_a_file_that_grows(
    submissions: Path, tmp_path: Path
) -> None:
    _sparse(submissions / "eve/weights")
    with pytest.raises(FileError, match="more than 2,000 files or 256 MiB"):
        copy_files(submissions / "eve", tmp_path / "copy")
    assert (tmp_path / "copy/weights").stat().st_size <= MAX_BYTES


def test_a_copy_keeps_permissions_but_nobody_elses_rights_and_links_within(
    submissions: Path, tmp_path: Path
) -> None:
    folder = submissions / "eve"
    (folder / "deep").mkdir()
    (folder / "run").touch(mode=0o755)
    (folder / "run").chmod(0o4755)
    (folder / "deep/absolute").symlink_to(folder / "run")
    (folder / "deep/up").symlink_to("..")
    (folder / "deep").chmod(0o555)
    copy_files(folder, tmp_path / "copy")
    (folder / "deep").chmod(0o755)
    assert stat.S_IMODE((tmp_path / "copy/run").stat().st_mode) == 0o755
    assert stat.S_IMODE((tmp_path / "copy/deep").stat().st_mode) == 0o555
    assert (tmp_path / "copy/deep/absolute").resolve() == tmp_path / "copy/run"
    assert os.readlink(tmp_path / "copy/deep/up") == ".."
    (tmp_path / "copy/deep").chmod(0o755)


def test_copies_are_gone_after_the_games_and_after_a_kill(
    submissions: Path, tmp_path: Path
) -> None:
    results = tmp_path / "games.jsonl"
    killed = f"""
import os, signal
from tests.arena.test_submissions import _playing
from pathlib import Path
games = _playing(Path({str(submissions)!r}), "round robin").play({str(results)!r})
next(games)
os.kill(os.getpid(), signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", killed], cwd=Path(__file__).parents[2], check=False)
    (left,) = tmp_path.glob(".games.jsonl.players-*")
    assert [path.name for path in sorted(left.glob("*/*"))] == ["ann", "bob", "eve"]
    games = _playing(submissions, "round robin").play(results)
    next(games)
    (mine,) = tmp_path.glob(".games.jsonl.players-*")
    assert mine != left
    assert len([*games]) == 11
    assert not [*tmp_path.glob(".games.jsonl.players-*")]


def test_a_player_that_is_gone_when_a_tournament_begins_does_not_take_part(
    submissions: Path,
) -> None:
    plan = _playing(submissions, "round robin")
    shutil.rmtree(submissions / "eve")
    with pytest.warns(RuntimeWarning, match="eve cannot take part: .*eve: it cannot be read"):
        records = [*plan.play()]
    assert {*map(tuple, (record["players"].values() for record in records))} == {
        ("ann", "bob"),
        ("bob", "ann"),
    }


def test_a_new_version_enters_once_nobody_is_at_work_on_it(
    submissions: Path, tmp_path: Path
) -> None:
    source = submissions / "ann"
    (entrant,) = (each for each in entrants_in(submissions) if each.name == "ann")
    with player_copies(tmp_path / "games.jsonl") as copies:
        first = copies.enter(entrant, Conditions())
        (source / "bot.py").write_text("# half a bo", "utf-8")
        assert copies.enter(entrant, Conditions()) == first
        for path in (source, source / "bot.py"):
            os.utime(path, (1e9, 1e9))
        assert copies.enter(entrant, Conditions()) == first, (
            "what a file's author says of its time is not believed"
        )
        time.sleep(1.1)
        assert copies.enter(entrant, Conditions()).digest != first.digest


def test_games_that_are_left_out_count_for_nobody(submissions: Path) -> None:
    """Otherwise somebody who changes a bot again and again uses up the games of the others."""
    numbers = itertools.count()

    def enter(entrant: Entrant, _: Conditions) -> Entrant:
        return entrant._replace(
            digest=f"{min(next(numbers), 40)}" if entrant.name == "eve" else entrant.name
        )

    schedule = _playing(submissions, "continuous", pairs=None, games_per_player=6).schedule(enter)
    results: list[dict[str, Any] | None] = []
    played: Counter[str] = Counter()
    while (fixture := schedule.fixture(len(results), results)) is not None and len(results) < 200:
        assert not isinstance(fixture, str)
        record = fixture.begin().to_record(players=fixture.players, seed=fixture.seed) | {
            "result": "*",
            "seconds": [],
        }
        results.append(None if fixture.forfeits else record)
        played.update([] if fixture.forfeits else fixture.players.values())
    assert min(played["ann"], played["bob"]) >= 6, played
