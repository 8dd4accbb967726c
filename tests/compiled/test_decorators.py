"""What is compiled, and when.

This is about the first game, the notice at a terminal, and a cache that no edit leaves stale.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tkm_env
from tkm_env.compiled.decorators import COMPILES, cache_folder, source_digest, source_folders

pytestmark = pytest.mark.skipif(not COMPILES, reason="nothing is compiled")

PACKAGE = Path(tkm_env.__file__).parent

#: Does something at a terminal or not, and prints how often each function was compiled.
DO = """
import collections, json, sys
sys.stderr.isatty = lambda: sys.argv[2] == "at a terminal"
from numba.core import event
import numpy as np
import tkm_env
from tkm_env.compiled.random_numbers import draw_all
with event.install_recorder("numba:compile") as recorder:
    exec(sys.argv[1])
functions = [entry.data["dispatcher"].py_func for _, entry in recorder.buffer if entry.is_start]
names = [f"{function.__module__}.{function.__qualname__}" for function in functions]
print(json.dumps(collections.Counter(names)))
"""
DRAW = (
    "for _ in range(2): draw_all(np.ones(1, np.uint64), np.zeros(1, np.int64), 5, np.zeros(1, "
    "np.int64))"
)
PLAY = "game = tkm_env.Game(); game.play('choose 1')"

Do = Callable[..., tuple[dict[str, int], str]]


@pytest.fixture
def do(tmp_path: Path) -> Do:
    environment: dict[str, Any] = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)}

    def run(what: str, where: str = "at a terminal") -> tuple[dict[str, int], str]:
        command = [sys.executable, "-c", DO, what, where]
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return json.loads(done.stdout), done.stderr

    return run


def test_a_person_at_a_terminal_is_notified_once(do: Do) -> None:
    compiled, printed = do(DRAW)
    assert "tkm_env.compiled.random_numbers.draw_all" in compiled
    assert printed == "tkm_env: compiling the engine; this is needed once, and takes 5 to 30 s\n"
    assert do(DRAW) == ({}, ""), "the second process must find the first one's machine code"


@pytest.mark.nightly
def test_without_a_terminal_the_wait_is_logged_once_with_the_time_it_took_the_last_time(
    do: Do, tmp_path: Path
) -> None:
    compiled, printed = do(PLAY, "in a pipe")
    assert compiled
    assert printed == (
        "compiling the engine; this is needed once, and takes 5 to 30 s (tkm warmup does it "
        "beforehand)\n"
    )
    for file in tmp_path.rglob("*.nb[ic]"):
        file.unlink()
    _, again = do(PLAY, "in a pipe")
    assert re.fullmatch(
        r"compiling the engine; this is needed once, and took \d+ s last time \(.*\)\n", again
    )
    (tmp_path / "compiling-seconds.json").write_text("damaged")
    for file in tmp_path.rglob("*.nb[ic]"):
        file.unlink()
    assert do(DRAW, "in a pipe")[1].startswith(
        "compiling the engine; this is needed once, and takes 5 to 30 s"
    ), "as if it were unknown"


@pytest.mark.nightly
def test_the_first_game_compiles_each_function_once_and_no_other_compiles_it_again(do: Do) -> None:
    compiled, _ = do(PLAY)
    ours = {name: times for name, times in compiled.items() if name.startswith("tkm_env.")}
    assert set(ours.values()) == {1}
    assert len(compiled) - len(ours) <= 2, (
        "functions of numba's own cost as much as ours, and more in machine code"
    )
    compiled, _ = do(PLAY + "; game.totals")
    assert set(compiled) == {"tkm_env.games.tkm.engine.kernels.replay"}, (
        "the rules are kept on disk"
    )


#: Plays at random for some steps, and prints what came of it.
STEPS = """
from tkm_env import Batch
batch = Batch(64, chapters=("growth", "influence", "memory"))
batch.reset(1)
observations = batch.new_observations()
for _ in range(60):
    batch.step(batch.random_actions(), observations)
print(batch.states.tobytes().hex(), observations.tobytes().hex())
"""


@pytest.mark.nightly
def test_the_plainest_processor_that_numba_can_be_told_of_plays_the_same_games(
    tmp_path: Path,
) -> None:
    """Several machines may share one cache of machine code.

    The code then has only the instructions that all of them have.
    """

    def played(**settings: str) -> str:
        environment = os.environ | settings
        return subprocess.run(
            [sys.executable, "-c", STEPS],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    assert played(NUMBA_CPU_NAME="generic", NUMBA_CACHE_DIR=str(tmp_path)) == played()


#: It calls into another file, and is compiled within a second.
DRAWING = """
import json
import numpy as np
from tkm_env.compiled.random_numbers import draw_all
from tkm_env.compiled.decorators import COMPILES
drawn = np.zeros(5, np.int64)
draw_all(np.arange(1, 6, dtype=np.uint64) << np.uint64(40), np.arange(5), 1000, drawn)
print(json.dumps([drawn.tolist(), sum(draw_all.stats.cache_misses.values()) if COMPILES else 0]))
"""


@pytest.mark.slow
def test_an_edit_in_any_file_of_the_engine_is_never_answered_by_a_stale_cache(
    tmp_path: Path,
) -> None:
    """Edit a function that is called in another file.

    numba alone does not notice such a change.
    """
    shutil.copytree(PACKAGE, tmp_path / "tkm_env", ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {
        "PYTHONPATH": str(tmp_path),
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
    }

    def run(**settings: str) -> tuple[list[int], int]:
        command = [sys.executable, "-c", DRAWING]
        told = subprocess.run(
            command,
            env=environment | settings,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout
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


#: A program, a module of its own or code without a name, with a function that another file of the
#: same folder defines.
ALONE = {
    "a script": [sys.executable, "alone.py"],
    "a module": [sys.executable, "-c", "import alone"],
    "code without a name": [sys.executable, "-c", "exec(open('alone.py').read(), {})"],
}
_ALONE = (
    "from beside import twice\nfrom tkm_env.compiled.decorators import "
    "kernel\nprint(kernel(lambda number: twice(number) + 1)(3))\n"
)
_BESIDE = (
    "from tkm_env.compiled.decorators import inlined\ntwice = inlined(lambda number: {} * number)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("how", ALONE)
def test_functions_outside_packages_are_compiled_and_follow_an_edit_of_a_file_beside_them(
    tmp_path: Path, how: str
) -> None:
    environment = os.environ | {
        "NUMBA_CACHE_DIR": str(tmp_path / "cache"),
        "PYTHONPATH": str(PACKAGE.parent),
        # Python's own cache takes two files of one size, written in one second, for the same.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    (tmp_path / "alone.py").write_text(_ALONE, "utf-8")
    for factor in (2, 5):
        (tmp_path / "beside.py").write_text(_BESIDE.format(factor), "utf-8")
        done = subprocess.run(
            ALONE[how], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert (done.returncode, done.stdout) == (0, f"{3 * factor + 1}\n"), done.stderr


DIGESTS = """
import json
from tkm_env.compiled.decorators import source_digest
print(json.dumps({package: source_digest(f"tkm_env.{package}") for package in (
    "compiled", "games.tkm.engine", "players.tkm.search", "players.tkm",
    "games.terminus.engine", "players.terminus.search")}))
"""

#: An edit, and the packages whose machine code it renews: no other game's, and no engine's for its
#: search.
RENEWED = {
    "games/tkm/engine/growth.py": {"games.tkm.engine", "players.tkm.search", "players.tkm"},
    "players/tkm/search/tree.py": {"players.tkm.search", "players.tkm"},
    "players/tkm/greedy.py": {"players.tkm"},
    "games/terminus/engine/timeline.py": {"games.terminus.engine", "players.terminus.search"},
    "compiled/random_numbers.py": {
        "compiled",
        "games.tkm.engine",
        "players.tkm.search",
        "players.tkm",
        "games.terminus.engine",
        "players.terminus.search",
    },
    "core/game.py": set(),
    "games/tkm/notation.py": set(),
}


@pytest.mark.slow
def test_an_edit_renews_the_machine_code_of_its_own_game_and_of_nothing_else(
    tmp_path: Path,
) -> None:
    shutil.copytree(PACKAGE, tmp_path / "tkm_env", ignore=shutil.ignore_patterns("__pycache__"))

    def digests() -> dict[str, str]:
        environment = os.environ | {"PYTHONPATH": str(tmp_path), "NUMBA_DISABLE_JIT": "1"}
        command = [sys.executable, "-c", DIGESTS]
        output = subprocess.run(
            command, env=environment, cwd=tmp_path, check=True, capture_output=True, text=True
        ).stdout
        found: dict[str, str] = json.loads(output)
        return found

    before = digests()
    for name, renewed in RENEWED.items():
        source = tmp_path / "tkm_env" / name
        source.write_text(source.read_text("utf-8") + "\n# edited\n", "utf-8")
        after = digests()
        assert {package for package in after if after[package] != before[package]} == renewed, name
        before = after


@pytest.mark.parametrize("game", ["tkm", "terminus"])
def test_the_cache_of_a_search_is_renewed_with_all_that_it_calls(game: str) -> None:
    engine, search = f"tkm_env.games.{game}.engine", f"tkm_env.players.{game}.search"
    assert {*source_folders(search)} == {"tkm_env.compiled", engine, search}
    assert {*source_folders("mine")} > {"tkm_env.compiled", engine, search, "mine"}
    assert len({source_digest(package) for package in ("tkm_env.compiled", engine, search)}) == 3
    folder = cache_folder(search)
    assert folder is None or source_digest(search) in folder
