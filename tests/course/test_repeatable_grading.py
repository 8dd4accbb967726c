"""A submission that draws from shared generators, or orders sets of texts, is graded equally."""

from __future__ import annotations

from pathlib import Path

from tests.course.small import assignment
from tkm_env.course.grading.grading import grade_submission

_COIN = """import random
import numpy as np
print("loaded", random.random(), np.random.random())
def count(node, depth):
    print("asked", random.random(), np.random.random(), {f"space {n}" for n in range(9)})
    return random.randrange(100)
"""


def test_a_file_draws_the_same_from_shared_generators_each_time_it_is_graded(
    tmp_path: Path,
) -> None:
    (tmp_path / "agent.py").write_text(_COIN, "utf-8")
    first, again = ([*grade_submission(tmp_path, assignment())][-1] for _ in range(2))
    assert "loaded" in first.marks[0].printed
    assert "asked" in first.marks[0].printed
    assert [mark.printed for mark in again.marks] == [mark.printed for mark in first.marks]
    assert [mark.findings for mark in again.marks] == [mark.findings for mark in first.marks]
