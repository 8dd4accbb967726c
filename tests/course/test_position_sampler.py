"""Sampled positions test what their question is about."""

from __future__ import annotations

from typing import Any

import pytest

from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.registry import game_spec
from tkm_env.course.game_tree import GameTree, alpha_beta, expectimax
from tkm_env.course.materials import teaching_material
from tkm_env.course.questions.position_sampler import sample_prunable_roots
from tkm_env.course.questions.position_source import PositionSource
from tkm_env.foundations.errors import ConfigError

SETTINGS: list[tuple[str, dict[str, Any]]] = [
    *(
        ("tkm", {"chapters": chapters})
        for chapters in (
            (),
            ("growth",),
            ("influence",),
            ("memory",),
            ("growth", "influence", "memory"),
        )
    ),
    ("terminus", {}),
]


@pytest.mark.nightly
@pytest.mark.skipif(not COMPILES, reason="takes minutes uncompiled")
@pytest.mark.parametrize(("game", "settings"), SETTINGS)
def test_minimax_visits_twice_what_alpha_beta_may(game: str, settings: dict[str, Any]) -> None:
    spec = game_spec(game)
    worth, depth = teaching_material(spec).worth, teaching_material(spec).depth
    for seed in range(5):
        source = PositionSource(game, spec.config(settings), seed, "q3")
        for root in sample_prunable_roots(source, 4, depth, 1.0):
            whole, pruned = (GameTree(root, worth, source.tree_secret) for _ in range(2))
            assert expectimax(whole, depth) == alpha_beta(pruned, depth)
            assert len(whole.visited) >= 2 * len(pruned.visited), root.position


def test_a_depth_at_which_nothing_can_be_pruned_is_refused() -> None:
    spec = game_spec("tkm")
    with pytest.raises(
        ConfigError, match="take minimax at least twice the allowed visits, at depth 2"
    ):
        sample_prunable_roots(PositionSource("tkm", spec.config({}), 1, "q3"), 2, 2, 1.0)
