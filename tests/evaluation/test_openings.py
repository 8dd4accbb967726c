"""Openings: those that come with a game, a file of one's own, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cases import each_setting
from tests.games.tictactoe import SPEC as TICTACTOE
from tests.games.tkm.positions import NOBODY_WINS, START, with_fields
from tkm_env import ConfigError, FileError, Game, GameConfig, TerminusGame
from tkm_env.evaluation.starts import openings_for, read_openings
from tkm_env.games.registry import TERMINUS, TKM

OTHER = with_fields(START, turn="3")
CONFIG = GameConfig()


def written(folder: Path, *lines: str) -> Path:
    path = folder / "mine.txt"
    path.write_text("\n".join(lines), "utf-8")
    return path


def refusal(path: Path, config: Any = CONFIG) -> str:
    """Why the file is refused."""
    with pytest.raises(FileError) as caught:
        read_openings(path, TKM, config)
    assert caught.value.path == path
    return caught.value.reason


def test_with_random_openings_none_are_given() -> None:
    assert openings_for(TKM, CONFIG, "random") == ()


def test_shipped_openings_are_those_of_the_game() -> None:
    config = GameConfig(chapters="influence", edition="2022")
    assert (
        openings_for(TKM, config, "shipped")
        == openings_for(TKM, config, None)
        == TKM.game_class.openings(config)
        != ()
    )


@pytest.mark.parametrize(
    ("spec", "config"),
    [
        (TKM, GameConfig(chapters="convergence")),
        (TERMINUS, TerminusGame.default_config),
        (TICTACTOE, None),
    ],
    ids=["convergence", "terminus", "tictactoe"],
)
def test_shipped_openings_are_refused_where_there_are_none(spec: Any, config: Any) -> None:
    with pytest.raises(ConfigError, match="openings='shipped' is invalid: none are shipped with"):
        openings_for(spec, config, "shipped")
    assert openings_for(spec, config, None) == ()


def test_a_file_holds_positions_comments_and_blank_lines(tmp_path: Path) -> None:
    path = written(tmp_path, "# mine", "", START, "  ", "# another", OTHER, "")
    assert (
        read_openings(path, TKM, CONFIG)
        == openings_for(TKM, CONFIG, path)
        == openings_for(TKM, CONFIG, str(path))
        == (START, OTHER)
    )


def test_line_ends_of_windows_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "windows.txt"
    path.write_bytes(f"# mine\r\n{START}\r\n{OTHER}\r\n".encode())
    assert read_openings(path, TKM, CONFIG) == (START, OTHER)


@each_setting
def test_what_is_shipped_can_be_a_file_of_ones_own(
    tmp_path: Path, chapters: tuple[str, ...]
) -> None:
    config = GameConfig(chapters=chapters)
    shipped = openings_for(TKM, config, "shipped")[:10]
    assert read_openings(written(tmp_path, *shipped), TKM, config) == shipped


def test_a_line_that_is_no_position_is_named(tmp_path: Path) -> None:
    reason = refusal(written(tmp_path, "# mine", START, with_fields(START, to_act="x")))
    assert reason == "line 3: to act 'x': 'w' or 'b' is needed"


def test_a_position_beyond_the_turn_limit_is_refused(tmp_path: Path) -> None:
    assert refusal(written(tmp_path, START, OTHER), GameConfig(max_turns=2)).startswith(
        "line 2: turn '3'"
    )


def test_a_game_that_is_over_is_refused(tmp_path: Path) -> None:
    game = Game(position=NOBODY_WINS, max_turns=9)
    game.play("focus present")
    assert "line 2: " in (
        reason := refusal(written(tmp_path, START, game.position), GameConfig(max_turns=9))
    )
    assert reason.endswith("the game is over: *")


def test_a_position_of_other_chapters_or_powers_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, START, Game(powers=("doorway", None)).position)
    assert "standard game, edition 2021) than the settings (growth, edition 2021)" in refusal(
        path, GameConfig(chapters="growth")
    )
    assert refusal(path).startswith("line 2: ")
    assert read_openings(written(tmp_path, OTHER), TKM, GameConfig(handicap=(0, 2))) == (OTHER,)


def test_where_chapters_are_drawn_any_may_be_in_play(tmp_path: Path) -> None:
    position = Game(chapters=["growth", "memory"]).position
    assert read_openings(written(tmp_path, position), TKM, GameConfig(chapters="convergence")) == (
        position,
    )


def test_a_position_that_leaves_something_to_chance_is_refused(tmp_path: Path) -> None:
    game = TerminusGame(seed=1)
    assert read_openings(written(tmp_path, game.position), TERMINUS, game.config) == (
        game.position,
    )
    with pytest.raises(FileError, match=r"line 1: .*it must be complete"):
        read_openings(written(tmp_path, game.position_for("red")), TERMINUS, game.config)


def test_a_position_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    assert refusal(written(tmp_path, "# mine", START, OTHER, START)) == "line 4: it repeats line 2"


@pytest.mark.parametrize("lines", [[], ["# nothing", ""]])
def test_a_file_without_a_position_is_refused(tmp_path: Path, lines: list[str]) -> None:
    assert refusal(written(tmp_path, *lines)) == "it holds no position"


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_bytes(b"\xff\xfe")
    assert refusal(path) == "byte 1 is not UTF-8"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path / "mine.txt") == "it cannot be read: No such file or directory"
