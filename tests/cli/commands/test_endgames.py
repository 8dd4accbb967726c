"""``tkm endgames``: files of solved endgames, always the same, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tkm_env import Game
from tkm_env.cli.root_command import tkm
from tkm_env.players import endgame_split, read_solved_positions


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["endgames", *map(str, arguments)])


@pytest.mark.parametrize("split", ["training", "test"])
def test_the_file_holds_positions_of_the_split_and_says_how_it_was_made(
    split: str, tmp_path: Path
) -> None:
    paths = [tmp_path / f"{name}.jsonl.gz" for name in "ab"]
    for path in paths:
        shown = run(path, "--split", split, "--positions", 30, "--seed", 2)
        assert shown.exit_code == 0, shown.output
        assert f"has 30 positions of the {split} split" in shown.output
    card, positions = read_solved_positions(paths[0])
    assert card == {"game": "tkm", "copies": 2, "split": split, "seed": 2}
    assert len(positions) == 30
    assert {endgame_split(Game(position=solved.position)) for solved in positions} == {split}
    assert paths[0].read_bytes() == paths[1].read_bytes()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--copies", "4"), "copies=4"),
        (("--copies", "3"), "TKM_TABLES"),
        (("--positions", "0"), "--positions"),
        (("--split", "validation"), "--split"),
        (("--seed", "-1"), "seed=-1"),
        (("--game", "terminus"), "solved endgames are not available for this game"),
    ],
)
def test_what_cannot_be_drawn_is_refused_and_writes_nothing(
    options: tuple[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TKM_TABLES", raising=False)
    refused = run(tmp_path / "file.jsonl.gz", *options)
    assert refused.exit_code == 2
    assert said in refused.output
    assert not any(tmp_path.iterdir())


def test_a_file_that_cannot_be_written_is_refused_before_anything_is_drawn(tmp_path: Path) -> None:
    refused = run(tmp_path / "none" / "file.jsonl.gz")
    assert refused.exit_code == 2
    assert "cannot be written" in refused.output
