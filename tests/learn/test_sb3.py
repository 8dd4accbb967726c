"""Self-play and matches as callbacks of Stable-Baselines3.

The tests are skipped without the extra ``[train]``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra [train]")

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import KVWriter, Logger
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecNormalize

from tests.games.tkm.positions import BLACK_WINS, START, WHITE_WINS
from tkm_env import ConfigError
from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.envs.single import GameEnv
from tkm_env.evaluation import evaluate
from tkm_env.learn.sb3 import SelfPlayCallback, WinRateCallback, freeze

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in ("It seems that your observation", "The minimal resolution for an image")
]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    """Networks this small gain nothing from more threads, and lose much where cores are shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def model_of(envs: Any, algorithm: type[Any] = MaskablePPO, **settings: Any) -> Any:
    given = {
        "n_steps": 16,
        "batch_size": 64,
        "n_epochs": 1,
        "seed": 1,
        "policy_kwargs": {"net_arch": [16]},
        "device": "cpu",
    }
    return algorithm("MlpPolicy", envs, **given | settings)


class LogRecorder(KVWriter):
    """Records what is logged."""

    def __init__(self) -> None:
        self.seen: dict[str, list[float]] = {}

    def write(
        self, key_values: dict[str, Any], key_excluded: dict[str, tuple[str, ...]], step: int = 0
    ) -> None:
        for key, value in key_values.items():
            self.seen.setdefault(key, []).append(value)

    def close(self) -> None:
        """There is nothing to close."""


# Copies.


def test_a_copy_does_not_change_while_the_model_learns() -> None:
    model = model_of(SB3VecEnv(num_envs=4), learning_rate=0.1)
    model.learn(64)
    copy = freeze(model, deterministic=True)
    observation, masks = model.env.reset(), model.env.env_method("action_masks")
    before = copy.predict(observation, np.array(masks)).tolist()
    assert (
        before
        == model.predict(observation, action_masks=np.array(masks), deterministic=True)[0].tolist()
    )
    weights = [weight.clone() for weight in copy._policy.parameters()]
    model.learn(64)
    assert all(
        (old == new).all() for old, new in zip(weights, copy._policy.parameters(), strict=True)
    )
    assert any(
        (old != new).any() for old, new in zip(weights, model.policy.parameters(), strict=True)
    )
    assert copy.predict(observation, np.array(masks)).tolist() == before


def test_copies_sample_their_actions_by_default() -> None:
    model = model_of(SB3VecEnv(num_envs=1))
    seen, legal = model.env.reset(), np.ones((1, 1), bool)
    while legal.sum() < 3:
        seen = model.env.step(legal.argmax(1))[0]
        legal = np.array(model.env.env_method("action_masks"))
    observations, masks = np.repeat(seen, 200, axis=0), np.repeat(legal, 200, axis=0)
    assert len({*freeze(model).predict(observations, masks).tolist()}) > 1
    assert len({*freeze(model, deterministic=True).predict(observations, masks).tolist()}) == 1


def test_a_copy_normalises_observations_as_the_model_did() -> None:
    envs = VecNormalize(SB3VecEnv(num_envs=4))
    model = model_of(envs)
    model.learn(64)
    seen = envs.reset()
    raw, masks = envs.get_original_obs(), np.array(envs.env_method("action_masks"))
    copy = freeze(model, deterministic=True)
    assert (
        copy.predict(raw, masks).tolist()
        == model.predict(seen, action_masks=masks, deterministic=True)[0].tolist()
    )
    before = copy.predict(raw, masks).tolist()
    envs.obs_rms.mean += 100
    assert copy.predict(raw, masks).tolist() == before


# Self-play.


class GameCounter(BaseCallback):
    """Counts the learner's rewards, and the results of its games."""

    def __init__(self) -> None:
        super().__init__()
        self.earned = {-1: 0, 0: 0, 1: 0}
        self.ended = {-1: 0, 0: 0, 1: 0}
        self.by_opponent: dict[int, int] = {}

    def _on_step(self) -> bool:
        rewards, dones = self.locals["rewards"], self.locals["dones"]
        assert not rewards[~dones].any()
        for reward, done, info in zip(rewards.tolist(), dones, self.locals["infos"], strict=True):
            if done:
                self.earned[int(reward)] += 1
                score = {"1-0": (1, -1), "0-1": (-1, 1)}.get(info["result"], (0, 0))[info["side"]]
                self.ended[score] += 1
                self.by_opponent[info["opponent"]] = self.by_opponent.get(info["opponent"], 0) + 1
        return True


@pytest.mark.slow
def test_every_lost_game_of_self_play_gives_the_learner_minus_one_once() -> None:
    """In two thirds of these games, a player can win before the learner's first move."""
    envs = SB3VecEnv(
        num_envs=64, side="random", positions=[START, WHITE_WINS, BLACK_WINS], max_turns=14
    )
    playing, counting = (
        SelfPlayCallback(every=4096, keep=2, anchors={"random": 0.1, "greedy": 0.1}),
        GameCounter(),
    )
    model = model_of(envs, n_steps=64, batch_size=1024)
    model.learn(20_000, callback=[playing, counting])
    assert counting.earned == counting.ended
    assert sum(counting.earned.values()) > 2000
    assert min(counting.earned[-1], counting.earned[1]) > 500
    names = playing.snapshots.pool.names
    assert playing.snapshots.names == names[-2:]
    assert len(names) >= 6
    met = {names[number] for number in counting.by_opponent}
    assert {"random", "greedy", "snapshot 1", "snapshot 2", "snapshot 3"} <= met
    games = sum(counting.by_opponent.values())
    for number in (0, 1):
        assert abs(counting.by_opponent[number] / games - 0.1) < 0.05


@pytest.mark.filterwarnings(
    "ignore:.*games were lost by illegal actions"
)  # two of them know no masks
@pytest.mark.parametrize(
    "algorithm", [MaskablePPO, PPO, DQN], ids=lambda algorithm: algorithm.__name__
)
def test_models_of_all_kinds_play_themselves_through_wrappers(algorithm: type[Any]) -> None:
    envs = SB3VecEnv(num_envs=4, max_turns=6)
    of_replay = {"learning_starts": 16, "buffer_size": 200, "batch_size": 16}
    model = (
        DQN("MlpPolicy", envs, seed=1, **of_replay)
        if algorithm is DQN
        else model_of(envs, algorithm)
    )
    playing = SelfPlayCallback(every=64)
    model.learn(256, callback=playing)
    assert len(playing.snapshots.names) >= 3
    assert envs.get_attr("opponent")[0] is playing.snapshots.pool


def test_single_environments_share_the_copies() -> None:
    envs = DummyVecEnv([lambda: gymnasium.make("tkm_env/TKM-v0", side="random", max_turns=6)] * 2)
    playing = SelfPlayCallback(every=16)
    model_of(envs).learn(96, callback=playing)
    assert len(playing.snapshots.names) > 2
    assert [given is playing.snapshots.pool for given in envs.get_attr("opponent")] == [True, True]


def test_training_is_reproducible_and_matches_do_not_affect_it() -> None:
    learned = []
    for callbacks in (
        [SelfPlayCallback(every=64)],
        [SelfPlayCallback(every=64), WinRateCallback(["random"], games=4, every=100)],
    ):
        model = model_of(SB3VecEnv(num_envs=4, side="random", max_turns=6))
        model.learn(192, callback=callbacks)
        learned.append([weight.detach().numpy().copy() for weight in model.policy.parameters()])
    for one, other in zip(*learned, strict=True):
        np.testing.assert_array_equal(one, other, "matches leave training as it is")


def test_scores_against_anchors_and_copies_are_logged() -> None:
    model, kept = model_of(SB3VecEnv(num_envs=16, side="random", max_turns=2)), LogRecorder()
    model.set_logger(Logger(None, [kept]))
    model.learn(1024, callback=SelfPlayCallback(every=256, anchors={"random": 0.3}))
    for key in ("self_play/random", "self_play/snapshots"):
        assert all(0 <= share <= 1 for share in kept.seen[key])


def test_a_learner_of_one_side_only_cannot_play_itself() -> None:
    with pytest.raises(ConfigError, match=r"^side='white' .*'random'"):
        model_of(SB3VecEnv(num_envs=2, side="white")).learn(32, callback=SelfPlayCallback())


@pytest.mark.slow
def test_environments_in_other_processes_are_refused() -> None:
    envs = SubprocVecEnv([lambda: GameEnv("tkm", side="random")])
    try:
        with pytest.raises(ConfigError, match=r"^env=.*in this process"):
            model_of(envs).learn(32, callback=SelfPlayCallback())
    finally:
        envs.close()


# Matches.


def test_matches_are_evaluations_under_the_settings_of_the_environment(tmp_path: Path) -> None:
    model, kept = (
        model_of(SB3VecEnv(num_envs=4, side="random", chapters="growth", max_turns=8)),
        LogRecorder(),
    )
    model.set_logger(Logger(None, [kept]))
    rating = WinRateCallback(
        ["random", "greedy"], games=8, every=64, best=tmp_path / "best.zip", seed=3
    )
    model.learn(192, callback=rating)
    assert [steps for steps, _ in rating.evaluations] == [0, 64, 128, 192]
    steps, results = rating.evaluations[-1]
    expected = tuple(
        evaluate(model, opponent, games=8, seed=3, chapters="growth", max_turns=8)
        for opponent in ("random", "greedy")
    )
    assert results == expected
    for opponent in ("random", "greedy"):
        shares, lows, highs = (
            kept.seen[f"win_rate/{opponent}{key}"] for key in ("", "_low", "_high")
        )
        assert len(shares) == len(lows) == len(highs) == 4
        assert all(
            low <= share <= high for low, share, high in zip(lows, shares, highs, strict=True)
        )


def test_the_best_model_is_kept(tmp_path: Path) -> None:
    model = model_of(SB3VecEnv(num_envs=8, max_turns=60), learning_rate=0.05)
    rating = WinRateCallback(["random"], games=10, every=128, best=tmp_path / "best")
    model.learn(384, callback=rating)
    best = MaskablePPO.load(tmp_path / "best")
    lows = [results[0].score.low for _, results in rating.evaluations]
    assert rating.best_low == max(lows)
    assert best.num_timesteps == rating.evaluations[lows.index(max(lows))][0]
    assert evaluate(best, "random", games=10, max_turns=60).score.low == max(lows)


def test_matches_are_played_with_the_observations_of_the_environment() -> None:
    rating = WinRateCallback(["random"], games=4)
    model = model_of(SB3VecEnv(num_envs=2, side="random", max_turns=6, observation="compact"))
    model.learn(32, callback=[SelfPlayCallback(every=16), rating])
    assert rating.evaluations[-1][1] == (
        evaluate(model, "random", games=4, max_turns=6, observation="compact"),
    )


def test_terminus_is_matched_as_terminus() -> None:
    rating = WinRateCallback(["random"], games=4)
    model_of(SB3VecEnv("tkm_env/Terminus-v0", num_envs=2)).learn(32, callback=rating)
    assert {*rating.evaluations[0][1][0].by_side} == {"red", "blue"}


def test_invalid_arguments_are_named() -> None:
    for callback, keyword, value in (
        (SelfPlayCallback, "every", 0),
        (SelfPlayCallback, "keep", 0),
        (SelfPlayCallback, "sampling", "clever"),
        (SelfPlayCallback, "anchors", {}),
        (WinRateCallback, "every", 0),
        (WinRateCallback, "anchors", "random"),
        (WinRateCallback, "anchors", []),
    ):
        with pytest.raises(ConfigError, match=f"^{keyword}="):
            callback(**{keyword: value})
