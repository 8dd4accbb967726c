"""Games written down earlier are played the same way now; see `playthroughs`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.games.tkm.playthroughs import FOLDER, PLAYTHROUGHS, differences

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", PLAYTHROUGHS)
def test_playthrough_is_played_as_written_down(name: str) -> None:
    diff = differences(name)
    if diff:
        pytest.fail(
            "\n".join(
                [
                    *diff,
                    (
                        "If this is meant, regenerate it: python -m "
                        "tests.games.tkm.playthroughs, and read the difference."
                    ),
                ]
            ),
            pytrace=False,
        )


def test_every_file_is_of_a_playthrough() -> None:
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.txt" for name in PLAYTHROUGHS}


def test_playthroughs_between_them_show_every_result_and_every_kind_of_action() -> None:
    texts = [path.read_text("utf-8") for path in FOLDER.iterdir()]
    assert {text.splitlines()[-1].removeprefix("result: ") for text in texts} == {
        "1-0",
        "0-1",
        "1/2",
        "*",
    }
    played = {
        line.split(" ")[1]
        for text in texts
        for line in text.splitlines()
        if line.startswith("plays: ")
    }
    kinds = {
        "choose",
        "move",
        "travel",
        "plant",
        "remove",
        "build",
        "train",
        "command",
        "focus",
        "draft",
        "go",
        "offer",
        "decline",
    }
    assert kinds <= played


def test_files_stay_short_enough_to_read() -> None:
    sizes = {path.name: path.stat().st_size for path in FOLDER.iterdir()}
    assert max(sizes.values()) < 60_000, sizes
    assert sum(sizes.values()) < 400_000, sizes


@pytest.mark.slow
def test_the_program_checks_and_refuses_unknown_names() -> None:
    command = [sys.executable, "-m", "tests.games.tkm.playthroughs", "--check"]
    result = subprocess.run([*command, "standard"], cwd=ROOT, capture_output=True, text=True)
    assert (result.returncode, result.stdout) == (0, ""), result.stderr
    result = subprocess.run([*command, "nonsense"], cwd=ROOT, capture_output=True, text=True)
    assert result.returncode == 2
    assert "nonsense" in result.stderr
