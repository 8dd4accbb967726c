"""Every example of a library learns for a moment and prints a score.

An example is left out, with a note, if its library is not installed.
"""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.package.libraries.table import LIBRARIES, ROOT

EXAMPLES = ROOT / "examples/libraries"


def there(module: str) -> bool:
    """Whether a module could be imported."""
    parent = module.rpartition(".")[0]
    return (not parent or there(parent)) and find_spec(module) is not None


def rows() -> list[Any]:
    return [
        pytest.param(
            row,
            id=name,
            marks=pytest.mark.skipif(
                not there(row["module"]), reason=f"needs the extra [{row['extra']}]"
            )
            if "extra" in row
            else [],
        )
        for name, row in LIBRARIES.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("row", rows())
def test_the_example_learns_and_prints_a_score(row: dict[str, Any], tmp_path: Path) -> None:
    file, *quick = row["example"].split()
    result = subprocess.run(
        [sys.executable, EXAMPLES / file, *quick], capture_output=True, text=True, cwd=tmp_path
    )
    assert result.returncode == 0, result.stderr
    assert re.search(r"^\w+ against \w+: ", result.stdout, re.MULTILINE), result.stdout
    if "--steps" in quick:
        assert re.search(r"^  score  .*95% interval$", result.stdout, re.MULTILINE)
        assert "illegal" not in result.stdout


def test_every_example_has_a_row() -> None:
    assert {row["example"].split()[0] for row in LIBRARIES.values()} == {
        path.name for path in EXAMPLES.glob("*.py")
    }
