"""The table of libraries names what there is, and all of it was tried."""

from __future__ import annotations

import json
import re

import pytest

from tests.package.libraries.table import EXTRAS, LIBRARIES, ROOT


def test_every_row_was_tried_and_prints_a_score() -> None:
    seen = json.loads((ROOT / "docs/libraries.json").read_text("utf-8"))
    assert [*seen] == [*LIBRARIES]
    for name, row in LIBRARIES.items():
        assert [*seen[name]["versions"]] == row["packages"]
        assert seen[name]["passed"] > 0
        assert re.match(r"\w+ against \w+: \d+", seen[name]["score"])


@pytest.mark.parametrize("row", LIBRARIES.values())
def test_tests_and_extras_are_there(row: dict[str, object]) -> None:
    assert isinstance(row["tests"], list)
    assert all((ROOT / path).exists() for path in row["tests"])
    if "extra" in row:
        assert row["extra"] in EXTRAS
