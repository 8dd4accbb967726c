"""Before an assignment is written, it is known to measure what it should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tkm_env.core.registry import game_spec
from tkm_env.course.grading.calibration import calibrated_seed, flaws
from tkm_env.course.scaffold import write_assignment
from tkm_env.foundations.errors import ConfigError


def written(folder: Path, seed: int, game: str = "tkm", **settings: Any) -> None:
    """An assignment with matches of a few games against an opponent that separates nobody."""
    spec = game_spec(game)
    write_assignment(folder, spec, spec.config(settings), seed=seed)
    path = folder / "staff" / "grading.toml"
    head = path.read_text("utf-8").partition("[[questions]]")[0]
    count = '[[questions]]\nid = "q1"\nkind = "count"\npoints = 1\ndepth = 4\npositions = 1\n'
    match = '[[questions]]\nid = "q2"\nkind = "match"\npoints = 3\nopponent = "random"\ngames = 6\n'
    path.write_text(f"{head}{count}{match}thresholds = [{{ share = 0.3, points = 3 }}]\n", "utf-8")


@pytest.mark.nightly
def test_a_match_that_the_first_legal_action_passes_is_a_flaw(tmp_path: Path) -> None:
    written(tmp_path / "course", 7)
    first, untouched = flaws(tmp_path / "course")
    assert first == "q2: always playing the first legal action gets 3 points"
    assert untouched.startswith("the untouched file gets 3 of 4 points")
    with pytest.raises(
        ConfigError,
        match=(
            "seed=7 is invalid: marks would mean little: q2: always playing the first legal "
            "action gets 3"
        ),
    ):
        calibrated_seed(written, 7)


@pytest.mark.nightly
def test_a_seed_is_taken_that_measures_what_it_should() -> None:
    """In Terminus; the page about teaching does it in the other game."""
    spec = game_spec("terminus")
    assert (
        calibrated_seed(
            lambda folder, seed: write_assignment(folder, spec, spec.config({}), seed=seed), 1
        )
        == 1
    )
