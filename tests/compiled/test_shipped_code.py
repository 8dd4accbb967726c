"""Machine code from a package of its own: nothing is compiled, and nothing else differs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.shipped_code import INDEX, PACKAGE

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not COMPILES, reason="nothing is compiled")]

ROOT = Path(__file__).parents[2]
#: Runs a program's function, then counts what was compiled.
COUNTING = """
import warnings
warnings.simplefilter("always")
from numba.core import event
compiled = []
class Count(event.Listener):
    def on_start(self, event): compiled.append(event.data["dispatcher"].__name__)
    def on_end(self, event): pass
event.register("numba:compile", Count())
"""
GAME = """
import numpy as np, tkm_env
game = tkm_env.Game(chapters=("growth", "influence", "memory"), max_turns=60, seed=1)
generator, seen = np.random.default_rng(1), []
while game.result is None:
    game.play(int(generator.choice(game.legal_actions())))
    seen.append((game.position, int(game.observation().sum())))
print(hash(tuple(seen)), game.result)
"""
#: A small kernel, which is compiled soon.
KERNEL = """
import numpy as np
from tkm_env.compiled.kernels import any_outside
print(any_outside(np.arange(5), 0, 3), any_outside(np.arange(3), 0, 3))
"""
BUILD = f"""
import sys
from pathlib import Path
sys.path.insert(0, {str(ROOT / "packaging" / "machine_code")!r})
import build
{GAME}
{KERNEL}
build.write_code(Path(sys.argv[1]), build.kernels())
"""


class Run(NamedTuple):
    """A program in a process of its own: what it printed, compiled, and wrote to standard error."""

    printed: str
    compiled: list[str]
    errors: str


def run(program: str, cache: Path, *packages: Path) -> Run:
    """Run a program whose imports also find what is in the folders ``packages``."""
    path = os.pathsep.join(map(str, (ROOT, *packages)))
    done = subprocess.run(
        [sys.executable, "-c", f"{COUNTING}{program}\nprint(compiled)"],
        env=os.environ | {"NUMBA_CACHE_DIR": str(cache), "PYTHONPATH": path, "PYTHONHASHSEED": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    *printed, compiled = done.stdout.splitlines()
    return Run("\n".join(printed), json.loads(compiled.replace("'", '"')), done.stderr)


def built(folder: Path) -> Path:
    """The package with the code of a game and of a small kernel, for this processor."""
    package = folder / PACKAGE
    package.mkdir(parents=True)
    environment = os.environ | {"NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": str(ROOT)}
    subprocess.run([sys.executable, "-c", BUILD, str(package)], env=environment, check=True)
    return package


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("shipped"))


@pytest.fixture
def changed(package: Path, tmp_path: Path) -> Callable[[Callable[[Path], None]], Path]:
    """Copies the small kernel's part of the package, and changes the copy."""

    def copy(change: Callable[[Path], None]) -> Path:
        (folder,) = package.glob("compiled-*")
        target = tmp_path / PACKAGE / folder.name
        target.mkdir(parents=True)
        for file in folder.iterdir():
            (target / file.name).write_bytes(file.read_bytes())
        (tmp_path / PACKAGE / INDEX).write_bytes((package / INDEX).read_bytes())
        change(target)
        return tmp_path

    return copy


def edit(file: Path, change: Callable[[Any], None]) -> None:
    """Change a JSON file."""
    content = json.loads(file.read_text("utf-8"))
    change(content)
    file.write_text(json.dumps(content), "utf-8")


def test_a_first_game_compiles_nothing_and_is_the_same(package: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    compiled_here = run(GAME, tmp_path / "other cache")
    first = run(GAME, cache, package.parent)
    again = run(GAME, cache)
    assert compiled_here.compiled
    assert (first.compiled, first.errors) == ([], "")
    assert (again.compiled, again.errors) == ([], ""), "the cache keeps what was shipped"
    assert first.printed == again.printed == compiled_here.printed


def test_the_small_kernel_of_the_next_tests_is_shipped(
    changed: Callable[[Callable[[Path], None]], Path], tmp_path: Path
) -> None:
    done = run(KERNEL, tmp_path / "cache", changed(lambda _: None))
    assert (done.printed, done.compiled, done.errors) == ("True False", [], "")


def _damage(folder: Path) -> None:
    for file in folder.glob("*.o"):
        file.write_bytes(file.read_bytes()[:-1] + b"?")


def _convention(folder: Path) -> None:
    def other(rows: Any) -> None:
        for row in rows.values():
            row["convention"] = "i32 (i8*)"

    edit(folder / INDEX, other)


def _needs(folder: Path) -> None:
    def more(rows: Any) -> None:
        for row in rows.values():
            row["needs"] = ["no_such_function_anywhere"]

    edit(folder / INDEX, more)


def _features(folder: Path) -> None:
    edit(folder.parent / INDEX, lambda about: about["features"].append("telepathy"))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda folder: folder.rename(f"{folder}0"), "", id="other sources"),
        pytest.param(_features, "", id="another processor"),
        pytest.param(_convention, "", id="another calling convention"),
        pytest.param(_needs, "", id="a function that is missing"),
        pytest.param(_damage, "is damaged", id="a damaged file"),
        pytest.param(
            lambda folder: (folder / INDEX).write_text("{"), "cannot be read", id="a damaged index"
        ),
    ],
)
def test_code_that_does_not_fit_is_compiled_instead(
    changed: Callable[[Callable[[Path], None]], Path],
    change: Callable[[Path], None],
    said: str,
    tmp_path: Path,
) -> None:
    done = run(KERNEL, tmp_path / "cache", changed(change))
    assert (done.printed, done.compiled) == ("True False", ["any_outside"])
    assert said in done.errors
    assert ("RuntimeWarning" in done.errors) == bool(said), done.errors


def test_the_same_sources_give_the_same_bytes(package: Path, tmp_path: Path) -> None:
    def content(folder: Path) -> dict[str, bytes]:
        files = (path for path in folder.rglob("*") if path.is_file())
        return {str(path.relative_to(folder)): path.read_bytes() for path in files}

    assert content(built(tmp_path)) == content(package)
