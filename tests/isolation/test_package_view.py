"""What programs find of this package, and may import: the rules, and that nothing else is there."""

from __future__ import annotations

import os
import time
import tomllib
from pathlib import Path

import pytest

from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX, python
from tkm_env.isolation import package_view as views
from tkm_env.isolation.import_rules import ENVIRONMENT, ImportRules
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.package_view import PACKAGE, package_view
from tkm_env.isolation.program import Program
from tkm_env.isolation.sandbox_options import confinement_options
from tkm_env.players.command_agent import CONTESTANT, package_command

ROOT = Path(__file__).parents[2]
LEVELS = [
    pytest.param("restricted", marks=pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)),
    pytest.param("sandbox", marks=pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)),
]
#: Tries to read files, and lists the package; each answer is a line.
LOOKS = """
import os
for file in FILES:
    try:
        open(file, "rb").read()
        print("read", flush=True)
    except OSError as error:
        print(type(error).__name__, flush=True)
print(*sorted(os.listdir(PACKAGE)), flush=True)
input()
"""
#: What a contestant's file says of modules, and then without what refuses imports.
IMPORTS = """
import importlib, sys

def imported(name):
    try:
        importlib.import_module(name)
        return "imported"
    except (ImportError, PermissionError) as error:
        return f"{type(error).__name__}: {error}"

for refuses in (True, False):
    for name in ("tkm_env.core.game", "tkm_env.players.tkm.greedy", "tkm_env.learn"):
        print(imported(name))
    sys.meta_path[:] = [each for each in sys.meta_path if "Blocker" not in type(each).__name__]

def Bot(game):
    return 0
"""


def test_the_environment_is_what_stands_below_isolation_in_the_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    floors = [
        [name.strip() for name in floor.split("|")] for floor in contracts["contracts"][0]["layers"]
    ]
    own = next(number for number, floor in enumerate(floors) if "tkm_env.isolation" in floor)
    assert [name for floor in floors[own + 1 :] for name in floor] == [*ENVIRONMENT]


def read_in(level: str, limits: dict[str, tuple[str, ...]], *files: Path) -> list[str]:
    """What a program that looks at these files says of each, and of the package's folder."""
    source = f"PACKAGE, FILES = {str(PACKAGE)!r}, {[*map(str, files)]}\n{LOOKS}"
    program = Program(python(source), "the bot", Limits(level, **limits))
    lines = [program.read_line(time.monotonic() + 20) for _ in range(len(files) + 1)]
    program.close()
    return lines


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("inside", [False, True], ids=["alone", "in a folder that is readable"])
def test_what_may_not_be_imported_is_not_there(level: str, inside: bool) -> None:
    more = {"readable": (str(PACKAGE.parent),)} if inside else {}
    shown, hidden = PACKAGE / "core" / "game.py", PACKAGE / "players" / "best_response.py"
    beside = PACKAGE.parent / "README.md"
    first, second, third, listed = read_in(
        level, {"importable": CONTESTANT, **more}, shown, hidden, beside
    )
    absent = "FileNotFoundError" if level == "sandbox" else "PermissionError"
    assert (first, second, third) == ("read", absent, "read" if inside else absent)
    if level == "sandbox":
        rooms = {name.split(".")[1] for name in CONTESTANT}
        found = {name.partition(".")[0] for name in listed.split()}
        assert found - {"__init__", "__pycache__"} == rooms


@pytest.mark.parametrize("level", LEVELS)
def test_programs_run_that_find_hardly_anything_of_the_package(level: str) -> None:
    files = PACKAGE / "foundations" / "errors.py", PACKAGE / "core" / "game.py"
    first, second, _ = read_in(level, {"importable": ("tkm_env.foundations",)}, *files)
    assert first == "read"
    assert second == ("FileNotFoundError" if level == "sandbox" else "PermissionError")


@pytest.mark.parametrize("level", LEVELS)
def test_the_whole_package_is_there_unless_somebody_says_otherwise(level: str) -> None:
    first, second, _ = read_in(
        level, {}, PACKAGE / "core" / "game.py", PACKAGE / "players" / "best_response.py"
    )
    assert (first, second) == ("read", "read")


@pytest.mark.parametrize("level", LEVELS)
def test_a_contestant_imports_the_environment_and_nothing_that_plays(
    tmp_path: Path, level: str
) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text(IMPORTS, "utf-8")
    limits = Limits(level, importable=CONTESTANT, readable=(str(tmp_path),))
    rules = limits.import_rules.to_text()
    command = package_command("tkm_env.players.bot_server", f"{bot}:Bot", "tkm", rules)
    program = Program(command, "the bot", limits)
    program.write_line("tkm 1 game=tkm seat=white seed=1", time.monotonic() + 60)
    assert program.read_line(time.monotonic() + 60).startswith("tkm 1 name=")
    program.close()
    refused = "ImportError: not allowed here: "
    *said, first, second = program.error_output().splitlines()
    assert said == [
        "imported",
        f"{refused}tkm_env.players.tkm",
        f"{refused}tkm_env.learn",
        "imported",
    ]
    absent = "ModuleNotFoundError" if level == "sandbox" else "PermissionError"
    assert first.startswith(absent)
    assert second.startswith(absent)


def test_refused_modules_are_hidden_with_their_bytecode_and_machine_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("players.tkm.search-0a", "players.tkm-0a", "games.tkm.engine-0a", "foreign-0a"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(views, "cache_places", lambda: iter([tmp_path]))

    def code_shown(rules: ImportRules) -> set[str]:
        shown = map(Path, package_view(rules, str(tmp_path)).readable)
        return {path.name for path in shown if path.parent == tmp_path}

    rules = ImportRules(refused=("tkm_env.players.*.search", "torch"))
    view = package_view(rules, str(tmp_path))
    assert str(PACKAGE / "games") in view.readable
    assert str(PACKAGE / "players" / "tkm" / "greedy.py") in view.readable
    assert not any("search" in os.path.relpath(path, PACKAGE) for path in view.readable)
    assert {str(PACKAGE), str(PACKAGE / "players" / "tkm"), str(tmp_path)} <= {*view.listable}
    assert code_shown(rules) == {"players.tkm-0a", "games.tkm.engine-0a", "foreign-0a"}
    assert code_shown(ImportRules(CONTESTANT)) == {"games.tkm.engine-0a", "foreign-0a"}
    assert package_view(ImportRules()) == ((), (), (str(PACKAGE),))


@pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)
def test_a_package_is_readable_whose_machine_code_lies_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its own folder of machine code may hold nothing but bytecode, and is closed all the same."""
    package, elsewhere = tmp_path / "tkm_env", tmp_path / "code"
    source, bytecode = package / "compiled" / "bits.py", package / "compiled" / "__pycache__"
    for folder in (bytecode, elsewhere):
        folder.mkdir(parents=True)
    for file in (source, bytecode / "bits.cpython-311.pyc"):
        file.touch()
    monkeypatch.setattr(views, "PACKAGE", package)
    monkeypatch.setattr(views, "cache_places", lambda: iter([elsewhere, bytecode]))
    view = package_view(ImportRules(("tkm_env.compiled",)), str(elsewhere))
    options = confinement_options(view.readable, view, str(tmp_path / "scratch"), sandboxed=False)
    assert {str(source), str(bytecode / "bits.cpython-311.pyc")} <= {*options["readable"]}


def test_rules_are_read_as_they_were_written() -> None:
    for rules in (ImportRules(), ImportRules(CONTESTANT, ("torch", "tkm_env.*.engine"))):
        assert ImportRules.from_text(rules.to_text()) == rules
