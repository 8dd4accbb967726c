"""Snapshots of a learner, and anchors: how games are shared among them."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest

from tests.envs.comparison import first_legal, random_legal
from tkm_env import ConfigError
from tkm_env.envs.opponent_pool import Tally
from tkm_env.learn import Snapshots


def shares(snapshots: Snapshots) -> list[float]:
    """Of the snapshots, in the games that are not the anchors'."""
    weights = snapshots.pool.weights
    total = sum(weights[name] for name in snapshots.names)
    return [round(weights[name] / total, 6) for name in snapshots.names]


def test_anchors_keep_their_share() -> None:
    for sampling in ("uniform", "latest", "prioritised"):
        snapshots = Snapshots({"random": 0.05, "greedy": 0.15}, keep=3, sampling=sampling)
        assert snapshots.pool.weights == {"random": 0.05, "greedy": 0.15}, (
            "all games, as long as there is no snapshot"
        )
        for number in range(1, 6):
            assert snapshots.add(first_legal) == f"snapshot {number}"
            weights = snapshots.pool.weights
            assert sum(weights.values()) == pytest.approx(1), sampling
            assert (weights["random"], weights["greedy"]) == (0.05, 0.15), sampling
            assert snapshots.names == tuple(
                f"snapshot {kept}" for kept in range(max(1, number - 2), number + 1)
            )
            assert {*weights} == {"random", "greedy", *snapshots.names}


def test_snapshots_share_their_games() -> None:
    given = {
        sampling: Snapshots(keep=4, sampling=sampling)
        for sampling in ("uniform", "latest", "prioritised")
    }
    for snapshots in given.values():
        for _ in range(4):
            snapshots.add(first_legal)
    assert shares(given["uniform"]) == [0.25] * 4
    assert shares(given["latest"]) == [0, 0, 0, 1]
    assert shares(given["prioritised"]) == [0.25] * 4, "a snapshot never met counts one half"


def test_prioritised_snapshots_that_beat_the_learner_are_met_more_often() -> None:
    snapshots = Snapshots(keep=3, sampling="prioritised")
    for _ in range(2):
        snapshots.add(first_legal)
    one, other = (snapshots.pool._members[snapshots.pool._number(name)] for name in snapshots.names)
    one.tally, other.tally = Tally(wins=8), Tally(wins=1, draws=2, losses=5)
    snapshots.add(first_legal)
    parts = np.array([1 / 10, 7 / 10, 1 / 2])
    assert shares(snapshots) == pytest.approx(parts / parts.sum(), abs=1e-6)
    assert {*snapshots.pool.tallies.values()} == {Tally()}, "tallies are cleared"


def test_an_environment_meets_anchors_and_snapshots() -> None:
    snapshots = Snapshots({"random": 0.2})
    snapshots.add(first_legal)
    envs: Any = gymnasium.make_vec(
        "tkm_env/TKM-v0", 300, opponent=snapshots.pool, side="random", max_turns=1
    )
    _, info = envs.reset(seed=1)
    assert abs(np.mean(info["opponent"] == 0) - 0.2) < 0.1
    snapshots.add(first_legal)
    generator, seen = np.random.default_rng(1), set()
    for _ in range(10):
        *_, info = envs.step(random_legal(info["action_mask"], generator))
        seen |= {snapshots.pool.names[number] for number in info["opponent"]}
    assert seen == {"random", "snapshot 1", "snapshot 2"}


def test_a_refused_snapshot_changes_nothing() -> None:
    snapshots = Snapshots()
    with pytest.raises(ConfigError, match=r"^player="):
        snapshots.add(5)
    assert (snapshots.names, snapshots.pool.weights) == ((), {"random": 0.1})
    assert snapshots.add(first_legal) == "snapshot 1"


def test_invalid_arguments_are_named() -> None:
    for keyword, values in (
        (
            "anchors",
            ({}, ["random"], {"random": 0}, {"random": 1.5}, {"random": 0.6, "greedy": 0.4}),
        ),
        ("keep", (0, 1.5)),
        ("sampling", ("clever", None)),
    ):
        for value in values:
            with pytest.raises(ConfigError, match=f"^{keyword}="):
                Snapshots(**{keyword: value})
