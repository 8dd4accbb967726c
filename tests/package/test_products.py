"""A product can be deleted: the rest imports, keeps its contracts, plays and passes its tests.

The command offers what is left.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.package.test_contracts import ROOT, lint
from tkm_env.compiled.decorators import cache_place
from tkm_env.foundations.plugins import installed

#: Products, and what is deleted with each: it stands on it.
PRODUCTS = {
    "course": ("course",),
    "play": ("play",),
    "arena": ("arena", "course"),
    "cli": ("cli", "arena/commands", "play/commands", "course/commands"),
    "all of them": ("arena", "course", "play", "web", "cli"),
}
#: What is left of the package is imported whole, and plays.
PROGRAM = """
import importlib, pkgutil
import gymnasium
import tkm_env
from tkm_env import tkm_v0
for found in pkgutil.walk_packages(tkm_env.__path__, "tkm_env."):
    is_data = ".bots." in found.name or ".templates." in found.name
    if not found.name.endswith(".__main__") and not is_data:
        try:
            importlib.import_module(found.name)
        except tkm_env.MissingExtraError:
            pass
        except ModuleNotFoundError as error:  # of what need not be installed
            if error.name.partition(".")[0] == "tkm_env":
                raise
env = tkm_v0.env()
env.reset(seed=1)
for agent in env.agent_iter(20):
    env.step(int(env.last()[0]["action_mask"].argmax()))
single = gymnasium.make("tkm_env/TKM-v0", opponent="greedy", max_turns=8)
observation, info = single.reset(seed=1)
is_over = False
while not is_over:
    *_, terminated, truncated, info = single.step(info["action_mask"].argmax())
    is_over = terminated or truncated
print("played")
"""


def _without(folders: tuple[str, ...], place: Path) -> None:
    """A copy of the package and its tests, without these folders and their settings."""
    for name in ("tkm_env", "tests"):
        shutil.copytree(ROOT / name, place / name, ignore=shutil.ignore_patterns("__pycache__"))
        for folder in folders:
            shutil.rmtree(place / name / folder, ignore_errors=True)
    shutil.rmtree(place / "tests" / "package")  # of the whole
    shutil.copy(ROOT / "conftest.py", place)
    for name in ("docs", "examples", "README.md"):  # which some tests read
        (place / name).symlink_to(ROOT / name)
    gone = tuple(f"tkm_env.{folder.replace('/', '.')}" for folder in folders)
    before, heading, _ = (
        (ROOT / "pyproject.toml").read_text("utf-8").partition("[tool.importlinter]")
    )
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    contracts = [_contract_without(gone, contract) for contract in settings.pop("contracts")]
    lines = [before, heading, *(f"{key} = {json.dumps(value)}" for key, value in settings.items())]
    for contract in contracts:
        if all(
            contract.get(key, True) for key in ("protected_modules", "source_modules", "containers")
        ):
            lines += [
                "[[tool.importlinter.contracts]]",
                *(f"{key} = {json.dumps(value)}" for key, value in contract.items()),
            ]
    (place / "pyproject.toml").write_text("\n".join(lines), "utf-8")


def _contract_without(gone: tuple[str, ...], contract: dict[str, Any]) -> dict[str, Any]:
    def is_left(module: str) -> bool:
        return not any(f"{module}.".startswith(f"{name}.") for name in gone)

    left = dict(contract)
    for key, rows in contract.items():
        if isinstance(rows, list):
            kept = (
                " | ".join(filter(is_left, row.split(" | ")))
                for row in rows
                if all(map(is_left, row.split(" -> "))) or " | " in row
            )
            left[key] = [row for row in kept if row]
    return left


def _run(place: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """What a Python says that knows the package of this folder."""
    environment = os.environ | {"PYTHONPATH": str(place), **variables}
    return subprocess.run(
        [sys.executable, *arguments], cwd=place, env=environment, capture_output=True, text=True
    )


@pytest.mark.slow
@pytest.mark.parametrize("product", PRODUCTS)
def test_a_product_can_be_deleted(product: str, tmp_path: Path) -> None:
    _without(PRODUCTS[product], tmp_path)
    run = partial(_run, tmp_path, PYTHONWARNINGS="ignore")
    played = run("-c", PROGRAM)
    assert (played.returncode, played.stdout) == (0, "played\n"), played.stderr
    if "cli" not in PRODUCTS[product]:
        gone = tuple(f"tkm_env.{folder.replace('/', '.')}." for folder in PRODUCTS[product])
        helped = run("-m", "tkm_env", "--help")
        offered = {
            *re.findall(r"^  (\w+) {2,}", helped.stdout.partition("Commands:")[2], re.MULTILINE)
        }
        assert offered == {
            name
            for name, found in installed("tkm_env.commands").items()
            if not found.value.startswith(gone)
        }
    output = lint(tmp_path)
    assert re.search(r"Contracts: \d+ kept, 0 broken", output), output


@pytest.mark.nightly
@pytest.mark.parametrize("product", PRODUCTS)
def test_without_a_product_the_quick_tests_of_the_rest_pass(product: str, tmp_path: Path) -> None:
    _without(PRODUCTS[product], tmp_path)
    # The machine code of what is left is that of the whole.
    machine_code = {"NUMBA_CACHE_DIR": place} if (place := cache_place()) else {}
    tested = _run(tmp_path, "-m", "pytest", "-q", "--numprocesses", "2", **machine_code)
    assert tested.returncode == 0, tested.stdout[-20_000:] + tested.stderr
    assert re.search(r"^\d{4,} passed", tested.stdout, re.MULTILINE), tested.stdout
