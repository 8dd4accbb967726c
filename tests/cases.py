"""Tables of cases: tests over all rows, the chapters and editions, and the data files."""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS

#: Returns the folder of that name, filled once for all workers of a run
#: (`tests/conftest.py::made_once`).
MadeOnce: TypeAlias = Callable[[str, Callable[[Path], object]], Path]

DATA = Path(__file__).parent / "data"

#: Every set of chapters: none, one, two, all three.
CHAPTER_SETS = [
    chapters
    for size in range(len(CHAPTERS) + 1)
    for chapters in itertools.combinations(CHAPTERS, size)
]


def json_lines(name: str) -> list[dict[str, Any]]:
    """The objects in a file of JSON lines."""
    return [json.loads(line) for line in (DATA / name).read_text("utf-8").splitlines() if line]


def each_setting(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with every set of chapters, and in every edition if it takes one.

    Without compilation, where a game takes a second, all chapters in the newer edition are enough.
    """
    if "edition" in inspect.signature(test).parameters:
        editions = EDITIONS if COMPILES else EDITIONS[-1:]
        test = pytest.mark.parametrize("edition", editions)(test)
    sets = CHAPTER_SETS if COMPILES else CHAPTER_SETS[-1:]
    return pytest.mark.parametrize("chapters", sets, ids=lambda row: "+".join(row) or "standard")(
        test
    )
