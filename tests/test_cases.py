"""A test of a whole table runs each row, and fails with those that do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases import each


@each("number", [2, 3, 4])
def is_odd(number: int, least: int = 0) -> None:
    assert number % 2
    assert number > least


def test_every_row_that_fails_is_named() -> None:
    with pytest.raises(
        AssertionError, match=r"^2 of 3 rows fail:\n\{'number': 2\}: .*\n\{'number': 4\}: "
    ) as failed:
        is_odd()
    assert failed.value.__cause__ is not None


def test_a_row_that_should_have_raised_fails() -> None:
    @each("wrong", [5])
    def refuses(wrong: int) -> None:
        with pytest.raises(ValueError, match="wrong"):
            int(wrong)

    with pytest.raises(AssertionError, match="DID NOT RAISE"):
        refuses()


def test_a_table_for_another_test_is_refused() -> None:
    with pytest.raises(AssertionError, match="does not take words"):
        each("words", [])(is_odd)


@each("first", [1, 2])
@each("second", [1, 2])
def test_each_row_has_a_folder_and_patches_of_its_own(
    first: int, second: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not [*tmp_path.iterdir()]
    assert "PATCHED" not in os.environ
    monkeypatch.setenv("PATCHED", "yes")
    (tmp_path / "file").touch()
