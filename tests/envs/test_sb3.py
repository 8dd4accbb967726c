"""Stable-Baselines3's face; left out, and said so, where the extra ``[train]`` is not installed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest

from tkm_env import ConfigError, OpponentPool

pytest.importorskip("sb3_contrib", reason="needs the extra [train]")

from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize, VecVideoRecorder

from tests.games.tkm.positions import START, WHITE_WINS, random_action
from tkm_env.envs.sb3 import SB3VecEnv

pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{text}")
    for text in (
        "It seems that your observation",  # is an image
        "Treating image space as channels-last",
        "The minimal resolution for an image",
    )
]

#: For checks that take random actions, whether they are legal or not.
loses = pytest.mark.filterwarnings("ignore:10 of the first 10 games were lost by illegal actions")


def random_actions(envs: Any, generator: np.random.Generator) -> np.ndarray:
    return np.array([random_action(mask, generator) for mask in get_action_masks(envs)])


@pytest.mark.parametrize(
    "settings",
    [{}, {"side": "black", "chapters": 4}, {"timeline": "draft_powers", "draws": True}],
    ids=str,
)
@loses
def test_one_game_passes_their_checks(settings: dict[str, Any]) -> None:
    check_env(gymnasium.make("tkm_env/TKM-v0", **settings).unwrapped)


def test_masks_are_found_where_sb3_contrib_looks() -> None:
    envs = SB3VecEnv(num_envs=5, side="random")
    envs.seed(3)
    envs.reset()
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.shape == (5, 79)
    assert masks.dtype == np.bool_
    np.testing.assert_array_equal(masks, [info["action_mask"] for info in envs.reset_infos])
    np.testing.assert_array_equal(envs.env_method("action_masks", indices=[1, 4]), masks[[1, 4]])


def test_games_begin_where_the_settings_say() -> None:
    envs = SB3VecEnv(num_envs=6, side="random", opening_turns=2, max_turns=6)
    envs.reset()
    generator = np.random.default_rng(1)
    ends = 0
    for _ in range(60):
        turns = envs.get_attr("batch")[0].states["turn"]
        assert turns.min() >= 3
        _, _, dones, _ = envs.step(random_actions(envs, generator))
        ends += int(dones.sum())
    assert ends
    with pytest.raises(ConfigError, match=r"^positions="):
        SB3VecEnv(positions=["nonsense"])


def test_games_are_those_of_the_vector_environment() -> None:
    """The same seeds and actions give the same steps as Gymnasium's interface.

    Both have the same autoreset mode.
    """
    mine = SB3VecEnv(num_envs=8, side="random", chapters="growth", max_turns=12)
    theirs = gymnasium.make_vec(
        "tkm_env/TKM-v0",
        8,
        autoreset_mode="SameStep",
        side="random",
        chapters="growth",
        max_turns=12,
    )
    mine.seed(7)
    generator = np.random.default_rng(7)
    observations = mine.reset()
    np.testing.assert_array_equal(observations, theirs.reset(seed=list(range(7, 15)))[0])
    ended = 0
    for _ in range(200):
        actions = random_actions(mine, generator)
        seen, rewards, done, infos = mine.step(actions)
        expected, earned, terminations, truncations, info = theirs.step(actions)
        np.testing.assert_array_equal(seen, expected)
        np.testing.assert_array_equal(rewards, earned)
        np.testing.assert_array_equal(done, terminations | truncations)
        for number in done.nonzero()[0]:
            ended += 1
            np.testing.assert_array_equal(
                infos[number]["terminal_observation"], info["final_obs"][number]
            )
            assert infos[number]["TimeLimit.truncated"] == truncations[number]
    assert ended > 10


def test_wins_and_losses_balance() -> None:
    envs = SB3VecEnv(num_envs=64)
    envs.seed(1)
    envs.reset()
    generator = np.random.default_rng(1)
    earned: list[float] = []
    while len(earned) < 600:
        infos = envs.step(random_actions(envs, generator))[3]
        earned += [info["episode"]["r"] for info in infos if "episode" in info]
    assert {-1.0, 1.0} <= set(earned)
    assert abs(np.mean(earned)) < 4 / np.sqrt(len(earned))


def test_a_policy_learns_from_it() -> None:
    model = MaskablePPO(
        "MlpPolicy", SB3VecEnv(num_envs=4), n_steps=16, batch_size=32, n_epochs=1, seed=1
    )
    model.learn(128)
    assert model.num_timesteps == 128


def test_self_play_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"opponent='self'.*SelfPlayCallback"):
        SB3VecEnv(num_envs=2, opponent="self")


def test_games_are_rendered_as_pictures_in_a_grid() -> None:
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    envs = SB3VecEnv(num_envs=2, render_mode="rgb_array")
    envs.reset()
    pictures = envs.get_images()
    assert [picture.shape for picture in pictures] == [(480, 960, 3)] * 2
    grid = envs.render()
    assert grid is not None
    assert grid.dtype == np.uint8
    assert grid.size >= 2 * pictures[0].size


@pytest.mark.parametrize("mode", [None, "ansi"])
def test_without_pixels_there_are_no_pictures_and_it_says_why(mode: str | None) -> None:
    with pytest.raises(ConfigError, match=rf"^render_mode={mode!r}.*render_mode='rgb_array'"):
        SB3VecEnv(num_envs=1, render_mode=mode).get_images()


def test_a_film_is_recorded(tmp_path: Path) -> None:
    pytest.importorskip("resvg_py", reason="needs the extra [render]")
    pytest.importorskip("moviepy", reason="needs moviepy")
    envs = VecVideoRecorder(
        SB3VecEnv(num_envs=2, render_mode="rgb_array"),
        str(tmp_path),
        lambda step: step == 0,
        video_length=4,
    )
    envs.reset()
    assert envs.frames_per_sec == 2
    for _ in range(6):
        envs.step(get_action_masks(envs).argmax(1))
    envs.close()
    assert [file.suffix for file in tmp_path.iterdir()] == [".mp4"]


# What Stable-Baselines3 asks of environments, also through its wrappers.


def test_attributes_are_read_for_each_game() -> None:
    envs = SB3VecEnv(num_envs=3, opponent="greedy")
    assert envs.get_attr("opponent") == ["greedy"] * 3
    assert envs.get_attr("wanted_side", [0, 2]) == ["random"] * 2
    assert envs.get_attr("num_envs", 1) == [3]
    assert envs.has_attr("opponent")
    assert not envs.has_attr("nonsense")
    with pytest.raises(AttributeError, match="nonsense"):
        envs.get_attr("nonsense")
    assert envs.env_is_wrapped(Monitor) == [True] * 3
    assert envs.env_is_wrapped(VecMonitor) == [False] * 3


def test_the_opponent_is_the_only_attribute_that_is_set() -> None:
    envs = SB3VecEnv(num_envs=3)
    envs.reset()
    for attribute, value in (
        ("nonsense", 1),
        ("num_envs", 5),
        ("render_mode", "rgb_array"),
        ("side", "black"),
    ):
        with pytest.raises(ConfigError, match=f"^attr_name='{attribute}'"):
            envs.set_attr(attribute, value)
        assert not hasattr(envs.get_attr("unwrapped")[0], "nonsense")
    with pytest.raises(ConfigError, match=r"^indices="):
        envs.set_attr("opponent", "greedy", indices=[0, 1])
    with pytest.raises(ConfigError, match=r"^opponent="):
        envs.set_attr("opponent", "clever")
    assert envs.get_attr("opponent") == ["random"] * 3
    envs.set_attr("opponent", "greedy", indices=[0, 1, 2])
    assert envs.get_attr("opponent") == ["greedy"] * 3


def _by_method(envs: Any, opponent: Any) -> None:
    assert envs.env_method("set_opponent", opponent) == [None] * envs.num_envs


CHANGES = [
    lambda envs, opponent: envs.set_opponent(opponent),
    lambda envs, opponent: envs.set_attr("opponent", opponent),
    _by_method,
]


@pytest.mark.parametrize("change", CHANGES, ids=["method", "attribute", "method of each"])
def test_another_opponent_plays_on_through_wrappers(change: Callable[[Any, Any], None]) -> None:
    asked = []

    def noting(observation: Any, info: dict[str, Any]) -> Any:
        asked.append(len(observation))
        return info["action_mask"].argmax(1)

    envs = SB3VecEnv(num_envs=4, side="white")
    envs.reset()
    change(envs, noting)
    while not asked:
        envs.step(get_action_masks(envs).argmax(1))
    assert {*asked} == {4}


@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO], ids=lambda algorithm: algorithm.__name__)
def test_a_trained_model_is_an_opponent(algorithm: type[Any]) -> None:
    model = algorithm(
        "MlpPolicy", SB3VecEnv(num_envs=2), n_steps=8, batch_size=16, n_epochs=1, seed=1
    )
    envs = SB3VecEnv(num_envs=6, opponent=model, side="random", max_turns=4)
    envs.seed(1)
    envs.reset()
    generator, ends = np.random.default_rng(1), 0
    for _ in range(30):
        ends += int(envs.step(random_actions(envs, generator))[2].sum())
    assert ends


def test_what_ended_a_game_is_reported() -> None:
    pool = OpponentPool(["random", "greedy"])
    envs = SB3VecEnv(num_envs=16, opponent=pool, side="random", max_turns=4)
    envs.seed(1)
    envs.reset()
    generator, told = np.random.default_rng(1), set()
    for _ in range(40):
        _, _, dones, infos = envs.step(random_actions(envs, generator))
        for done, info in zip(dones, infos, strict=True):
            assert ("result" in info) == ("side" in info) == ("opponent" in info) == done
            if done:
                told.add((pool.names[info["opponent"]], int(info["side"])))
    assert told == {(name, side) for name in ("random", "greedy") for side in (0, 1)}


def test_every_game_that_the_learner_loses_gives_it_minus_one_once() -> None:
    """A game that the opponent wins before the learner's first move counts too.

    As White, the opponent does so from the second position.
    """
    pool = OpponentPool(
        {
            "random": "random",
            "greedy": "greedy",
            "first": lambda observation, info: info["action_mask"].argmax(1),
        }
    )
    envs = SB3VecEnv(
        num_envs=128, opponent=pool, side="random", positions=[START, WHITE_WINS], max_turns=40
    )
    envs.seed(1)
    envs.reset()
    generator = np.random.default_rng(1)
    earned, began = np.zeros((128, 3), int), np.ones(128, bool)
    rewarded, lost, wins, at_once = Counter(), Counter(), 0, 0
    while sum(tally.games for tally in pool.tallies.values()) < 3000:
        nothing_legal = ~get_action_masks(envs).any(1)
        actions = [
            random_action(mask, generator) if mask.any() else 0 for mask in get_action_masks(envs)
        ]
        _, rewards, dones, infos = envs.step(np.array(actions))
        assert not nothing_legal[~dones].any(), (
            "a game that is over before the learner's first move is reported in its first step"
        )
        assert began[nothing_legal].all()
        for number in range(128):
            earned[number, int(rewards[number]) + 1] += 1
            if dones[number]:
                info = infos[number]
                has_lost = info["result"] == ("0-1", "1-0")[info["side"]]
                has_won = info["result"] == ("1-0", "0-1")[info["side"]]
                assert earned[number, [0, 2]].tolist() == [int(has_lost), int(has_won)]
                assert rewards[number] == int(has_won) - int(has_lost)
                name = pool.names[info["opponent"]]
                rewarded[name] += earned[number, 0]
                lost[name] += has_lost
                at_once += bool(nothing_legal[number] and has_lost)
                wins += has_won
                earned[number] = 0
        began = dones
    assert rewarded == lost == {name: tally.losses for name, tally in pool.tallies.items()}
    assert min(lost.values()) > 100
    assert wins > 100
    assert at_once > 100


def test_wrappers_keep_masks_and_normalise_rewards() -> None:
    envs = VecNormalize(SB3VecEnv(num_envs=4, max_turns=6), norm_obs=False)
    model = MaskablePPO("MlpPolicy", envs, n_steps=16, batch_size=32, n_epochs=1, seed=1)
    model.learn(64)
    assert is_masking_supported(envs)
    rewards, lengths = evaluate_policy(model, envs, n_eval_episodes=4, return_episode_rewards=True)
    assert len(rewards) == len(lengths) == 4
    assert {*rewards} <= {-1.0, 0.0, 1.0}


def test_a_policy_for_pictures_is_refused_with_a_reason() -> None:
    """Planes of 4 by 4 are too small for the filters, which are 8 wide.

    The documents have an extractor for planes.
    """
    for settings in ({}, {"policy_kwargs": {"normalize_images": False}}):
        with pytest.raises(
            (AssertionError, RuntimeError),
            match=r"NatureCNN only with images|Kernel size can't be greater",
        ):
            MaskablePPO("CnnPolicy", SB3VecEnv(num_envs=1), **settings)


def test_options_are_refused() -> None:
    envs = SB3VecEnv(num_envs=2)
    envs.set_options({"position": "x"})
    with pytest.raises(ConfigError, match=r"^options="):
        envs.reset()
    envs.set_options()
    envs.reset()


def test_the_end_of_a_game_says_what_sb3_logs_without_a_wrapper() -> None:
    envs, generator = SB3VecEnv(num_envs=8, seed=1, max_turns=12), np.random.default_rng(1)
    envs.reset()
    lengths, ended = np.zeros(8, int), 0
    for _ in range(120):
        _, rewards, dones, infos = envs.step(random_actions(envs, generator))
        lengths += 1
        for number in dones.nonzero()[0]:
            episode = infos[number]["episode"]
            assert (episode["r"], episode["l"]) == (rewards[number], lengths[number])
            assert episode["t"] > 0
            assert "illegal_action" not in infos[number]
            ended += 1
        lengths[dones] = 0
        assert not any(
            "episode" in info for info, done in zip(infos, dones, strict=True) if not done
        )
    assert ended > 8
    model = MaskablePPO(
        "MlpPolicy",
        SB3VecEnv(num_envs=8, seed=1, max_turns=4),
        n_steps=64,
        batch_size=64,
        n_epochs=1,
    )
    model.learn(512)
    assert -1 <= np.mean([episode["r"] for episode in model.ep_info_buffer]) <= 1
    assert len(model.ep_info_buffer) > 8


def test_games_lost_by_illegal_actions_say_so_and_warn_once() -> None:
    envs = SB3VecEnv(num_envs=4, seed=1)
    envs.reset()
    wrong = np.argmin(get_action_masks(envs), 1)
    _, rewards, dones, infos = envs.step(wrong)
    assert rewards.tolist() == [-1.0] * 4
    assert [info["illegal_action"] for info in infos] == wrong.tolist()
    envs.step(np.argmin(get_action_masks(envs), 1))
    with pytest.warns(
        UserWarning, match=r"12 of the first \d+ games were lost by illegal actions: .*MaskablePPO"
    ):
        envs.step(np.argmin(get_action_masks(envs), 1))
    for _ in range(5):
        envs.step(np.argmin(get_action_masks(envs), 1))


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ((16,), {}, "env_id=16 is invalid: .*num_envs is the number of games"),
        (
            (),
            {"autoreset_mode": "NextStep"},
            "autoreset_mode='NextStep' is invalid: .*leave it out",
        ),
    ],
)
def test_arguments_that_cannot_be_are_refused(
    arguments: tuple[Any, ...], keywords: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        SB3VecEnv(*arguments, **keywords)
