"""`benchmarks/structure.py` counts what it says."""

from __future__ import annotations

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


def test_circles_of_imports_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "circular"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("from circular import two")
    (package / "two.py").write_text("def late():\n    from circular import three")
    (package / "three.py").write_text(
        "import typing\nif typing.TYPE_CHECKING:\n    from circular import one\n"
        "import circular.four"
    )
    (package / "four.py").write_text("def late():\n    import circular.three")
    monkeypatch.syspath_prepend(str(tmp_path))
    grimp = pytest.importorskip("grimp", reason="needs the extra [dev]")
    from benchmarks.structure import circles

    def found(*, at_run_time: bool) -> list[list[str]]:
        return circles(
            grimp.build_graph("circular", exclude_type_checking_imports=at_run_time, cache_dir=None)
        )

    assert found(at_run_time=True) == [["circular.four", "circular.three"]]
    assert found(at_run_time=False) == [
        ["circular.four", "circular.one", "circular.three", "circular.two"]
    ]


#: A package of three floors. `top.begin` calls down to `middle`, twice, and from there to `bottom`,
#: which climbs to `top` by a callback, once directly, and once by way of the standard library.
TOWER = {
    "top.py": """
from tower.middle import through

def begin():
    return through(back), through(back)

def back(number):
    return number
""",
    "middle.py": """
from tower.help.checks import checked
from tower.rooms import inner

def through(call):
    return beside(checked(call))

def beside(call):
    return inner.call_back(call)
""",
    "rooms/__init__.py": "",
    "rooms/inner.py": """
from functools import reduce
from tower.rooms import lowest

def call_back(call):
    from tower import late
    return call(reduce(lambda first, second: lowest.add(first, call(second)), [1, 2]))
""",
    "rooms/lowest.py": """
def add(first, second):
    return first + second
""",
    "help/__init__.py": "",
    "help/checks.py": """
def checked(value):
    return value
""",
    "late.py": """
def run():
    pass

run()
""",
    "__init__.py": "",
}
TOWER_CONTRACTS = """
[tool.importlinter]
root_packages = ["tower"]

[[tool.importlinter.contracts]]
name = "Storeys"
type = "layers"
layers = ["tower.top", "tower.middle | tower.late", "tower.rooms", "tower.help"]

[[tool.importlinter.contracts]]
name = "Rooms"
type = "layers"
containers = ["tower.rooms"]
layers = ["(inner)", "lowest | (unused)"]

[[tool.importlinter.contracts]]
name = "Nothing about floors"
type = "forbidden"
source_modules = ["tower.rooms"]
forbidden_modules = ["tower.top"]
"""


@pytest.fixture
def structure() -> ModuleType:
    for library in ("grimp", "importlinter"):
        pytest.importorskip(library, reason="needs the extra [dev]")
    return importlib.import_module("benchmarks.structure")


@pytest.fixture
def tower(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the package, which can be imported; its contracts stand beside it."""
    for name, source in TOWER.items():
        file = tmp_path / "tower" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(source)
    (tmp_path / "pyproject.toml").write_text(TOWER_CONTRACTS)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in [name for name in sys.modules if name.partition(".")[0] == "tower"]:
        monkeypatch.delitem(sys.modules, name)
    return tmp_path / "tower"


def test_a_station_is_a_file_that_runs_and_counts_once(structure: ModuleType, tower: Path) -> None:
    chain = structure.trace(importlib.import_module("tower.top").begin, tower, "help/")
    # Neither the helper nor the module that a function imports, and what runs for that, count.
    assert chain.calls == {
        "top.py": {"middle.py"},
        "middle.py": {"rooms/inner.py"},
        "rooms/inner.py": {"rooms/lowest.py", "top.py"},
        "rooms/lowest.py": set(),
    }
    assert chain.stations == ["middle.py", "rooms/inner.py", "rooms/lowest.py", "top.py"]
    assert chain.rooms == {"top.py", "middle.py", "rooms"}


def test_a_helper_counts_unless_it_is_left_out(structure: ModuleType, tower: Path) -> None:
    chain = structure.trace(importlib.import_module("tower.top").begin, tower, "nothing/")
    assert chain.calls["middle.py"] == {"rooms/inner.py", "help/checks.py"}


def test_a_climb_is_a_pair_of_files_that_counts_once(structure: ModuleType, tower: Path) -> None:
    chain = structure.trace(importlib.import_module("tower.top").begin, tower, "help/")
    floors = structure.Floors(tower.parent / "pyproject.toml", "tower")
    assert chain.climbs(floors) == [("rooms/inner.py", "top.py")]


@pytest.mark.parametrize(
    ("lower", "higher", "is_below"),
    [
        ("middle.py", "top.py", True),
        ("top.py", "middle.py", False),
        ("help/checks.py", "top.py", True),
        ("help/checks.py", "rooms/inner.py", True),
        ("middle.py", "late.py", False),  # the same floor
        ("middle.py", "middle.py", False),
        ("rooms/lowest.py", "rooms/inner.py", True),  # as the contract of the rooms says
        ("rooms/inner.py", "rooms/lowest.py", False),
        ("rooms/__init__.py", "rooms/inner.py", False),  # no contract compares them
        ("elsewhere.py", "top.py", False),
    ],
)
def test_floors_are_those_of_the_contracts(
    structure: ModuleType, tower: Path, lower: str, higher: str, is_below: bool
) -> None:
    floors = structure.Floors(tower.parent / "pyproject.toml", "tower")
    assert floors.is_below(lower, higher) is is_below


@pytest.mark.nightly
def test_lines_circles_and_chains_are_counted() -> None:
    result = subprocess.run(
        [sys.executable, "benchmarks/structure.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert re.search(r"^ +\d+ lines in the package$", result.stdout, re.MULTILINE)
    stations = re.findall(
        r"^ +(\d+) stations in \d+ rooms, \d+ climbs: ", result.stdout, re.MULTILINE
    )
    assert [int(count) > 5 for count in stations] == [True] * 6
