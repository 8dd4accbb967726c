"""`tkm gif`: a moving picture of a record."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from tests.games.terminus.render.test_replay import finished as terminus_game
from tests.render.test_replay import two_games
from tkm_env import replay_of
from tkm_env.cli.root_command import tkm
from tkm_env.core.record_files import read_records, write_record
from tkm_env.render.animated_svg import animated_svg

if TYPE_CHECKING:
    pass


@pytest.fixture
def records(tmp_path: Path) -> Path:
    return two_games(tmp_path)


def run(*arguments: object) -> Any:
    return CliRunner().invoke(tkm, ["gif", *map(str, arguments)])


def test_it_writes_a_moving_picture(records: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    result = run(records, "--speed", 5, "--size", 300, "--theme", "dark")
    assert (result.exit_code, result.output) == (0, f"wrote {records.with_suffix('.gif')}\n")
    with image.open(records.with_suffix(".gif")) as film:
        assert film.size == (300, 150)
        assert film.info["duration"] == 200
        assert film.info["loop"] == 0
        assert film.n_frames > 5
        assert (
            sum(
                abs(one - other)
                for one, other in zip(
                    film.convert("RGB").getpixel((2, 75)), (0x1D, 0x1F, 0x25), strict=True
                )
            )
            < 9
        )


def test_it_writes_an_svg_where_its_name_says_so(records: Path, tmp_path: Path) -> None:
    film = tmp_path / "film.SVG"
    result = run(records, "--speed", 5, "--size", 300, "--theme", "dark", "-o", film)
    assert (result.exit_code, result.output) == (0, f"wrote {film}\n")
    assert film.read_text("utf-8") == animated_svg(
        replay_of(next(read_records(records))[1]), size=300, theme="dark", speed=5
    )


def test_it_refuses_what_cannot_be(records: Path) -> None:
    for option, value in (
        *(("--speed", value) for value in (0, 51, 0.01, 1e-9, "nan", "inf")),
        *(("--size", value) for value in (0, -1, 2049, 100_000)),
    ):
        pytest.importorskip("resvg_py", reason="needs the extra [render]")
        result = run(records, option, value)
        assert result.exit_code == 2, (option, value)
        assert f"Error: {option[2:]}=" in result.output, (option, value)
        assert not records.with_suffix(".gif").exists(), (option, value)


def test_the_slowest_gif_has_the_delays_it_should(records: Path) -> None:
    image = pytest.importorskip("PIL.Image", reason="needs the extra [render]")
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    assert run(records, "--speed", 0.0101, "--size", 16).exit_code == 0
    with image.open(records.with_suffix(".gif")) as film:
        assert film.info["duration"] == 99_010
        film.seek(film.n_frames - 1)
        assert film.info["duration"] == 594_060


def test_a_game_that_is_not_there_is_refused(records: Path) -> None:
    result = run(records, "--game", 3)
    assert result.exit_code == 2
    assert result.output == f"Error: {records}: there is no game 3: it holds 2\n"


def test_a_file_without_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "nothing.json"
    path.write_text("{}")
    result = run(path)
    assert result.exit_code == 2
    assert "line 1 is not a game record" in result.output


def test_the_game_is_known_from_its_record(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    path = tmp_path / "game.json"
    write_record(path, terminus_game(3).to_record())
    assert run(path, "--size", 160).exit_code == 0
    assert (tmp_path / "game.gif").read_bytes()[:3] == b"GIF"
