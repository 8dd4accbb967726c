"""Machine code on a disk with a fault: it is compiled again, with one warning."""

from __future__ import annotations

import errno
import importlib.util
import os
import subprocess
import sys
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numba
import pytest

from tkm_env.compiled import cache, decorators
from tkm_env.compiled.cache import keep_code
from tkm_env.compiled.decorators import COMPILES
from tkm_env.foundations.line_file import LineFile

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")

Start = Callable[..., tuple[bool, list[str]]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "cache"


@pytest.fixture
def start(tmp_path: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Call a function as a new process would; whether it was compiled, and the warnings."""

    def call(place: str = "here") -> tuple[bool, list[str]]:
        source = tmp_path / place / "doubling.py"
        source.parent.mkdir(exist_ok=True)
        source.write_text("def double(number):\n    return 2 * number\n")
        cache._warned.clear()
        spec = importlib.util.spec_from_file_location("doubling", source)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, "doubling", module)
        spec.loader.exec_module(module)
        function: Any = numba.njit(module.double)
        keep_code(function, str(folder))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            assert function(21) == 42
            assert function(0.5) == 1.0
        return not sum(function.stats.cache_hits.values()), [
            str(warning.message) for warning in caught
        ]

    return call


def test_a_second_process_finds_what_the_first_one_compiled(start: Start) -> None:
    assert start() == (True, [])
    assert start() == (False, [])


def test_the_same_sources_in_another_place_have_the_same_machine_code(
    start: Start, folder: Path
) -> None:
    """The place is another clone, another environment, or a folder kept between CI runs."""
    assert start("here") == (True, [])
    assert start("there") == (False, [])
    assert all(path.is_file() for path in folder.iterdir()), "the folder is not divided by places"


#: Says whether this process has compiled it.
DRAW = """
import numpy as np
from tkm_env.compiled.random_numbers import draw_all
draw_all(np.arange(1, 6, dtype=np.uint64), np.arange(5), 10, np.zeros(5, np.int64))
print(sum(draw_all.stats.cache_misses.values()))
"""


def test_of_processes_that_start_together_one_compiles(tmp_path: Path) -> None:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-c", DRAW]
    running = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    assert sorted(process.communicate()[0].strip() for process in running) == ["0", "0", "1"]
    assert not [*tmp_path.rglob("*.lock")]


def test_whoever_compiles_for_too_long_stops_nobody(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "_PATIENCE", 0.01)
    start()
    locks = [folder / f"{index.name}.lock" for index in folder.glob("*.nbi")]
    for file in folder.glob("*.nb?"):
        file.unlink()
    with ExitStack() as others:
        for lock in locks:
            others.enter_context(LineFile(lock))
        assert start() == (True, [])
    assert start() == (False, [])


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def empty(file: Path) -> None:
    file.write_bytes(b"")


def change(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[-len(content) // 3] ^= 1
    file.write_bytes(bytes(content))


def exchange(file: Path) -> None:
    file.write_text("a file of somebody else\n")


@pytest.mark.parametrize("damage", [cut, empty, change, exchange])
@pytest.mark.parametrize("kind", ["nbi", "nbc"])
def test_a_damaged_file_is_compiled_again_and_replaced(
    start: Start, folder: Path, kind: str, damage: Callable[[Path], None]
) -> None:
    start()
    files = list(folder.rglob(f"*.{kind}"))
    assert files
    for file in files:
        damage(file)
    compiled, printed = start()
    assert compiled
    assert len(printed) == 1, printed
    assert str(folder) in printed[0]
    assert printed[0].endswith("it is compiled again")
    assert start() == (False, [])


def test_a_folder_in_the_place_of_a_file_stops_nothing(start: Start, folder: Path) -> None:
    start()
    for file in folder.rglob("*.nbi"):
        file.unlink()
        file.mkdir()
    for _ in range(2):
        compiled, printed = start()
        assert compiled
        assert len(printed) == 1, printed


def test_where_the_disk_is_full_nothing_is_kept_and_nothing_stops(
    start: Start, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*given: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(cache._CheckedFiles, "_open_for_write", refuse)
    for _ in range(2):
        compiled, printed = start()
        assert compiled
        assert len(printed) == 1, printed
        assert "No space left on device" in printed[0]
        assert "every process will compile again" in printed[0]
    monkeypatch.undo()
    start()
    assert start() == (False, [])


def test_where_no_folder_can_be_written_to_that_is_said_once() -> None:
    cache._warned.clear()
    functions: list[Any] = [
        numba.njit(lambda number: number + 1),
        numba.njit(lambda number: number + 2),
    ]
    for function in functions:
        keep_code(function, None)
    with pytest.warns(RuntimeWarning, match="NUMBA_CACHE_DIR") as caught:
        assert [function(1) for function in functions] == [2, 3]
    assert len(caught) == 1


def test_a_user_without_a_home_has_the_other_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    places = list(decorators.cache_places())
    assert Path(decorators.__file__).parent / "__pycache__" in places
    assert all(place.is_absolute() for place in places)


def test_the_last_folder_is_the_one_for_the_users_caches(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("platformdirs.user_cache_path", lambda name, appauthor: tmp_path / name)
    assert list(decorators.cache_places())[-1] == tmp_path / "tkm_env"
