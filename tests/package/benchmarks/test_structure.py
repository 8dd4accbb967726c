"""`benchmarks/structure.py` counts what it says."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


def test_circles_of_imports_are_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "circular"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "one.py").write_text("from circular import two")
    (package / "two.py").write_text("def late():\n    from circular import three")
    (package / "three.py").write_text(
        "import typing\nif typing.TYPE_CHECKING:\n    from circular import one\nimport circular.four"
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


@pytest.mark.nightly
def test_lines_circles_and_chains_are_counted() -> None:
    result = subprocess.run(
        [sys.executable, "benchmarks/structure.py"], cwd=ROOT, capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    assert re.search(r"^ +\d+ lines in the package$", result.stdout, re.MULTILINE)
    assert [
        int(count) > 5 for count in re.findall(r"^ +(\d+) files: ", result.stdout, re.MULTILINE)
    ] == [True] * 4
