"""Tables of cases: tests that go through one, the chapters and editions, and the data files."""

from __future__ import annotations

import functools
import inspect
import itertools
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tkm_env.compiled.decorators import COMPILES
from tkm_env.games.tkm.engine.state import CHAPTERS, EDITIONS

#: Returns the folder of that name, filled once for all workers of a run (`tests/conftest.py::made_once`).
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


def each(names: str, rows: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with each row of a table, as `pytest.mark.parametrize` does, but as one test, which fails with all rows that do.

    Ten thousand tests take longer to collect and to report than to run. Each row has a ``tmp_path`` and a ``monkeypatch`` of its own;
    it shares the other fixtures.
    """
    keywords = [name.strip() for name in names.split(",")]
    table = [dict(zip(keywords, row if len(keywords) > 1 else (row,), strict=True)) for row in rows]

    def through_the_table(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)
        others = [
            parameter for name, parameter in signature.parameters.items() if name not in keywords
        ]
        assert len(signature.parameters) == len(others) + len(keywords), (
            f"{test.__name__} does not take {names}"
        )

        def failure_of(number: int, *args: Any, **fixtures: Any) -> BaseException | None:
            with pytest.MonkeyPatch.context() as patches:
                if "monkeypatch" in fixtures:
                    fixtures["monkeypatch"] = patches
                if "tmp_path" in fixtures:
                    fixtures["tmp_path"] /= f"row-{number}"
                    fixtures["tmp_path"].mkdir()
                try:
                    test(*args, **fixtures, **table[number])
                except (Exception, pytest.fail.Exception) as error:
                    return error
            return None

        @functools.wraps(test)
        def run(*args: Any, **fixtures: Any) -> None:
            found = [failure_of(number, *args, **fixtures) for number in range(len(table))]
            failures = {number: error for number, error in enumerate(found) if error is not None}
            if failures:
                shown = [f"{table[number]}: {error}" for number, error in failures.items()][:10]
                first = next(iter(failures.values()))
                raise AssertionError(
                    "\n".join([f"{len(failures)} of {len(table)} rows fail:", *shown])
                ) from first

        run.__signature__ = signature.replace(parameters=others)  # type: ignore[attr-defined]
        return run

    return through_the_table


def each_setting(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test with every set of chapters, and in every edition if it takes one.

    Without compilation, where a game takes a second, all chapters in the newer edition are enough.
    """
    if "edition" in inspect.signature(test).parameters:
        test = each("edition", EDITIONS if COMPILES else EDITIONS[-1:])(test)
    return each("chapters", CHAPTER_SETS if COMPILES else CHAPTER_SETS[-1:])(test)
