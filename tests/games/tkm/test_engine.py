"""The engine's foundations: the state record, the tables, the compiled cache."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import tkm_env
from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine import geometry
from tkm_env.games.tkm.engine.actions import ACTIONS, GROUPS
from tkm_env.games.tkm.engine.state import NUM_PIECES, PIECES, STATE

PACKAGE = Path(tkm_env.__file__).parent


def test_state_has_no_padding_so_that_bytes_are_its_value() -> None:
    assert STATE.fields is not None
    assert sum(field[0].itemsize for field in STATE.fields.values()) == STATE.itemsize


def test_neighbours_are_mutual_and_walls_surround_the_board() -> None:
    walls = 0
    for direction, space in np.ndindex(geometry.NEIGHBOUR.shape):
        beside = geometry.NEIGHBOUR[direction, space]
        walls += beside == geometry.NOWHERE
        if beside != geometry.NOWHERE:
            assert geometry.NEIGHBOUR[geometry.OPPOSITE[direction], beside] == space
    assert walls == 16
    assert [geometry.NEIGHBOUR[direction, 5] + 1 for direction in range(4)] == [2, 7, 10, 5]


def test_pieces_and_actions_are_named_once() -> None:
    assert len(set(PIECES)) == NUM_PIECES
    assert len(set(ACTIONS)) == len(ACTIONS) == sum(len(group.names) for group in GROUPS) == 79


#: It calls into another file, and is compiled within a second.
DRAW = """
import json
import numpy as np
from tkm_env.compiled.kernels import draw_all
from tkm_env.compiled.decorators import COMPILES
drawn = np.zeros(5, np.int64)
draw_all(np.arange(1, 6, dtype=np.uint64) << np.uint64(40), np.arange(5), 1000, drawn)
print(json.dumps([drawn.tolist(), sum(draw_all.stats.cache_misses.values()) if COMPILES else 0]))
"""


@pytest.mark.slow
@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
def test_an_edit_in_any_file_of_the_engine_is_never_answered_by_a_stale_cache(tmp_path: Path) -> None:
    """numba alone does not notice that a function called in another file has changed: this edits such a function."""
    shutil.copytree(PACKAGE, tmp_path / "tkm_env", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}

    def run(**settings: str) -> tuple[list[int], int]:
        command = [sys.executable, "-c", DRAW]
        told = subprocess.run(command, env=environment | settings, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        drawn, misses = json.loads(told)
        return drawn, misses

    before, misses = run()
    assert misses > 0
    again, misses = run()
    assert again == before
    assert misses == 0, "the second process must find the first one's machine code"
    edited = tmp_path / "tkm_env" / "compiled" / "random_numbers.py"
    source = edited.read_text("utf-8")
    changed = source.replace("bits << np.uint64(13)", "bits << np.uint64(11)")
    assert changed != source
    edited.write_text(changed, "utf-8")
    after, misses = run()
    assert misses > 0
    assert after != before, "the engine must follow the edit of a file it only calls into"
    assert after == run(NUMBA_DISABLE_JIT="1")[0]


DIGESTS = """
import json
from tkm_env.compiled.decorators import source_digest
print(json.dumps({package: source_digest(f"tkm_env.{package}") for package in (
    "compiled", "games.tkm.engine", "games.tkm.search", "games.terminus.engine", "games.terminus.search")}))
"""

#: An edit, and the packages whose machine code it renews: no other game's, and no engine's for its search.
RENEWED = {
    "games/tkm/engine/growth.py": {"games.tkm.engine", "games.tkm.search"},
    "games/tkm/search/turns.py": {"games.tkm.search"},
    "games/terminus/engine/timeline.py": {"games.terminus.engine", "games.terminus.search"},
    "compiled/random_numbers.py": {
        "compiled",
        "games.tkm.engine",
        "games.tkm.search",
        "games.terminus.engine",
        "games.terminus.search",
    },
    "game/base.py": set(),
    "games/tkm/notation.py": set(),
}


@pytest.mark.slow
def test_an_edit_renews_the_machine_code_of_its_own_game_and_of_nothing_else(tmp_path: Path) -> None:
    shutil.copytree(PACKAGE, tmp_path / "tkm_env", ignore=shutil.ignore_patterns("__pycache__"))

    def digests() -> dict[str, str]:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, "-c", DIGESTS]
        output = subprocess.run(command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True).stdout
        found: dict[str, str] = json.loads(output)
        return found

    before = digests()
    for name, renewed in RENEWED.items():
        source = tmp_path / "tkm_env" / name
        source.write_text(source.read_text("utf-8") + "\n# edited\n", "utf-8")
        after = digests()
        assert {package for package in after if after[package] != before[package]} == renewed, name
        before = after
