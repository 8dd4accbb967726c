"""Outputs that cannot be written: commands say so in one line before any long work.

They leave nothing behind.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from click.testing import CliRunner

from tests.disks import bytes_of_all, full_beyond, only_root_may
from tests.games.tkm.positions import WHITE_WINS
from tkm_env import Game
from tkm_env.cli.root_command import tkm

RECORD = json.dumps(Game(position=WHITE_WINS).to_record()).encode() + b"\n"

#: Commands that write a file, without its name; RECORD stands for the name of a file with a game.
WRITERS = {
    "replay": ("replay", "RECORD", "-o"),
    "gif": ("gif", "RECORD", "-o"),
    "match": ("match", "random", "random", "--save"),
    "play": ("play", "--save"),
}


@pytest.fixture(params=WRITERS)
def refused(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Run the command with the name of a file; it is refused in one line before any long work."""
    if request.param == "gif":
        pytest.importorskip("resvg_py", reason="needs the extra [render]")

    def begun(*given: object, **keywords: object) -> None:
        raise AssertionError("it began, though its outcome could not be written")

    for work in (
        "play.commands.replay.replay_page",
        "cli.commands.gif.images",
        "arena.playing.workers.play_scheduled_game",
        "play.commands.play.play_in_terminal",
    ):
        monkeypatch.setattr(f"tkm_env.{work}", begun)

    def run(path: Path) -> str:
        arguments = [
            str(record) if argument == "RECORD" else argument for argument in WRITERS[request.param]
        ]
        result = CliRunner().invoke(tkm, [*arguments, str(path)])
        assert (result.exit_code, result.output.count("\n")) == (2, 1), result.output
        assert result.output.startswith(f"Error: {path}: ")
        return result.output

    with TemporaryDirectory() as folder:
        record = Path(folder) / "game.jsonl"
        record.write_bytes(RECORD)
        run(Path(folder) / "nowhere" / "file")
        yield run


def test_a_folder_that_is_not_there(refused: Callable[[Path], str], tmp_path: Path) -> None:
    assert "it cannot be written: there is no folder" in refused(tmp_path / "nowhere" / "file")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_place_of_a_file(refused: Callable[[Path], str], tmp_path: Path) -> None:
    refused(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk(refused: Callable[[Path], str], tmp_path: Path) -> None:
    with full_beyond(1000):
        assert "it cannot be written: File too large" in refused(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["new", "old"])
def test_read_only_files_and_folders(refused: Callable[[Path], str], name: str) -> None:
    def prepare(folder: Path) -> None:
        (folder / "old").write_bytes(RECORD)
        (folder / "old").chmod(0o444)
        folder.chmod(0o555)

    with only_root_may(prepare) as folder:
        assert "it cannot be written: Permission denied" in refused(folder / name)
        assert bytes_of_all(folder) == {"old": RECORD}


def test_the_record_itself_is_not_written_over(tmp_path: Path) -> None:
    for output in ([], ["-o", "{file}"]):
        for command, suffix in (("replay", ".html"), ("gif", ".gif")):
            pytest.importorskip("resvg_py", reason="needs the extra [render]")
            file = tmp_path / f"game{suffix}"
            file.write_bytes(RECORD)
            result = CliRunner().invoke(
                tkm, [command, str(file), *(part.format(file=file) for part in output)]
            )
            assert (result.exit_code, result.output) == (
                2,
                f"Error: {file}: it holds the game: write to another file, with -o\n",
            ), (command, suffix, output)
            assert bytes_of_all(tmp_path) == {file.name: RECORD}, (command, suffix, output)
            file.unlink()


def test_files_of_anything_else_are_refused_in_a_line(tmp_path: Path) -> None:
    for content in (
        b"",
        b"\xff\xfe",
        b"\xef\xbb\xbf{}",
        b"[" * 10_000,
        b"9" * 5_000,
        b"[NaN]",
        b'{"kind": "tkm_env game record", "kind": "tkm_env game record"}',
        (
            b'{"kind": "tkm_env game record", "version": 2, "game": [], "config": {}, '
            b'"actions": [], "result": null}'
        ),
        RECORD.replace(b'"version": 2', b'"version": true'),
        RECORD[:-9],
        bytes(range(256)) * 20,
    ):
        for command in ("replay", "gif"):
            pytest.importorskip("resvg_py", reason="needs the extra [render]")
            file = tmp_path / "file"
            file.write_bytes(content)
            result = CliRunner().invoke(tkm, [command, str(file)])
            assert result.exit_code == 2, result.output
            assert result.output.startswith(f"Error: {file}: "), (command, content)
            assert result.output.count("\n") == 1, (command, content)
            assert bytes_of_all(tmp_path) == {"file": content}, (command, content)
