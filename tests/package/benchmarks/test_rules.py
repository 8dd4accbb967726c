"""Published figures are as fast as the present rules and search.

A record has the measurements of each version beside those of the version before.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.speed.rules import (
    ROOT,
    WORKS,
    age_of,
    compare,
    digest_in,
    digest_of,
    digests_in,
    read_record,
)

_FILES = ("performance.json", "agents.json", "learning.json")
_COMMAND = "python -m benchmarks.speed.rules"


def test_the_present_sources_have_been_measured() -> None:
    assert digest_in(ROOT) in read_record()["versions"], (
        f"the rules or the search have changed; measure and record them: {_COMMAND}"
    )


@pytest.mark.parametrize("name", _FILES)
def test_figures_are_as_fast_as_the_present_sources_or_their_page_says_they_are_older(
    name: str,
) -> None:
    record, present = read_record(), digest_in(ROOT)
    digests = digests_in(json.loads((ROOT / "docs" / name).read_text("utf-8")))
    is_old = (
        None in digests
        or present not in record["versions"]
        or age_of(filter(None, digests), present, record).is_old
    )
    if name in record["older"]:
        assert is_old, f'docs/{name} is up to date: take it out of "older" in docs/rules_speed.json'
    else:
        assert not is_old, (
            f"docs/{name} differs from the present speed by more than a tenth: measure it "
            'again, or name it in "older"'
        )


def test_comments_docstrings_and_layout_are_no_change_and_code_is(tmp_path: Path) -> None:
    source = 'def f(a: int) -> int:\n    """What."""\n    return a + 1\n'
    digest = digest_of([("a.py", source)])
    assert (
        digest_of(
            [
                (
                    "a.py",
                    (
                        '"""A file."""\n\n\ndef f(a: int) -> int:\n    return (a +\n'
                        "        1)  # one more\n"
                    ),
                )
            ]
        )
        == digest
    )
    assert digest_of([("a.py", source.replace("1", "2"))]) != digest
    assert digest_of([("b.py", source)]) != digest


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
    with pytest.raises(KeyError):
        age_of(["unknown"], "then", {"versions": versions})


@pytest.mark.slow
def test_a_version_is_about_as_fast_as_itself() -> None:
    ratios = compare(ROOT, ROOT, rounds=3)
    assert set(ratios) == set(WORKS)
    assert all(1 / 2 < ratio < 2 for ratio in ratios.values()), ratios
