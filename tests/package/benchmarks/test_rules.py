"""The speed of the present rules and search is known beside that of earlier versions."""

from __future__ import annotations

import pytest

from benchmarks.speed.rules import ROOT, WORKS, age_of, compare, digest_in, read_record

_COMMAND = "python -m benchmarks.speed.rules"


def test_the_present_sources_have_been_measured() -> None:
    assert digest_in(ROOT) in read_record()["versions"], (
        f"the rules or the search have changed; measure and record them: {_COMMAND}"
    )


def test_figures_are_old_once_any_work_has_moved_by_more_than_a_tenth_either_way() -> None:
    base = dict.fromkeys(WORKS, 1.0)
    versions = {
        "then": base,
        "a little": base | {"batch": 1.09},
        "faster": base | {"search": 1.2},
        "slower": base | {"network": 0.8},
    }
    old = {digest: age_of(["then"], digest, {"versions": versions}).is_old for digest in versions}
    assert old == {"then": False, "a little": False, "faster": True, "slower": True}
    assert (
        age_of(["a little", "slower"], "faster", {"versions": versions}).ratios["network"] == 1.25
    )
    assert age_of(["unknown"], "then", {"versions": versions}).is_old


@pytest.mark.slow
def test_a_version_is_about_as_fast_as_itself() -> None:
    ratios = compare(ROOT, ROOT, processes=2)
    assert set(ratios) == set(WORKS)
    assert all(1 / 2 < ratio < 2 for ratio in ratios.values()), ratios
