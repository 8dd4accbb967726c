"""Whole turns as actions, against the environments behind them.

Many games are also compared with Gymnasium's own vector environment over single ones.
"""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from tests.envs.comparison import PLAYED, SETTINGS, assert_same, from_what_it_sees
from tkm_env import ArrayError, ConfigError, TurnEnv, TurnVectorEnv, UnknownActionError
from tkm_env.compiled.decorators import COMPILES
from tkm_env.envs.single import GameEnv
from tkm_env.envs.vector import GameVectorEnv

SHOWN: dict[str, Any] = {"observation": "compact", "canonical": True}
GAMES = 5 if COMPILES else 2
STEPS = 60 if COMPILES else 8


def wrapped(max_choices: int | None = None, thin: bool = False, **settings: Any) -> TurnEnv:
    return TurnEnv(GameEnv("tkm", **{"side": "white"} | settings), max_choices, thin)


def wrapped_games(
    max_choices: int | None = None, thin: bool = False, games: int = GAMES, **settings: Any
) -> TurnVectorEnv:
    return TurnVectorEnv(
        GameVectorEnv("tkm", games, **{"side": "white"} | settings), max_choices, thin
    )


@pytest.mark.parametrize("name", PLAYED)
def test_a_turn_is_its_actions_one_after_another(name: str) -> None:
    """Also what is seen after it, as long as the opponent has not replied."""
    settings = SETTINGS[name] | SHOWN | {"opponent": from_what_it_sees_compactly, "side": "random"}
    turns, actions, generator = (
        wrapped(**settings),
        GameEnv("tkm", **settings),
        np.random.default_rng(1),
    )
    (observation, info), (expected, other) = turns.reset(seed=2), actions.reset(seed=2)
    for _ in range(STEPS // 4):
        assert_same(observation, expected, "observation")
        assert len(info["ends"]) == info["num_turns"] == len(info["turns"])
        number = int(generator.integers(info["num_turns"] or 1))
        encoder, ended_inside_reset = turns._choice.encoder, info["num_turns"] == 0
        if ended_inside_reset:
            expected, *ending, other = actions.step(0)
        else:
            turn = info["turns"][number]
            assert_same(info["ends"][number], encoder.observation(turn.after, actions.side), "end")
            for own in turn.actions:
                shown = next(
                    action
                    for action in range(79)
                    if encoder.own_action(actions.game, action) == own
                )
                expected, *ending, other = actions.step(shown)
        observation, *ended, info = turns.step(number)
        assert ended == ending
        if any(ending[1:]):
            assert info["result"] == other["result"]
            assert (info["num_turns"], len(info["ends"])) == (0, 0)
            (observation, info), (expected, other) = turns.reset(), actions.reset()


def from_what_it_sees_compactly(observation: np.ndarray[Any, Any], info: dict[str, Any]) -> Any:
    """A player of one game or many: its legal action depends only on the observation."""
    nth = (observation * 8).sum(-1).astype(np.int64) % info["action_mask"].sum(-1) + 1
    return ((info["action_mask"].cumsum(-1) == nth[..., None]) & (info["action_mask"] == 1)).argmax(
        -1
    )


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_many_games_are_as_one_by_one(mode: AutoresetMode) -> None:
    settings = {
        "opponent": from_what_it_sees,
        "side": "black",
        "chapters": ("growth",),
        "max_turns": 12,
    }
    envs = wrapped_games(40, thin=True, autoreset_mode=mode, **settings)
    single = SyncVectorEnv(
        [lambda: wrapped(40, thin=True, **settings)] * GAMES, autoreset_mode=mode
    )
    (seen, info), (expected, wanted) = envs.reset(seed=1), single.reset(seed=1)
    generator = np.random.default_rng(1)
    for step in range(STEPS):
        for key in ("position", "ends"):
            assert_same(seen[key], expected[key], f"{key} at step {step}")
        for key in ("action_mask", "num_turns"):
            assert_same(info[key], wanted[key], f"{key} at step {step}")
        assert ("final_obs" in info) == ("final_obs" in wanted)
        for number in info.get("_final_obs", np.zeros(0)).nonzero()[0]:
            for key in ("position", "ends"):
                assert_same(
                    info["final_obs"][number][key],
                    wanted["final_obs"][number][key],
                    f"final {key} at step {step}",
                )
        actions = (info["action_mask"] * generator.random(info["action_mask"].shape)).argmax(1)
        seen, *arrays, info = envs.step(actions)
        expected, *others, wanted = single.step(actions)
        for array, other in zip(arrays, others, strict=True):
            assert_same(array, other, f"step {step}")


def test_in_self_play_each_turn_is_the_other_sides() -> None:
    envs = wrapped_games(opponent="self", max_choices=200, **SHOWN)
    _, info = envs.reset(seed=1)
    generator, total = np.random.default_rng(1), 0.0
    for _ in range(STEPS):
        before, turns = info["to_act"], info["turns"]
        numbers = (generator.random(GAMES) * info["num_turns"]).astype(np.int64)
        _, rewards, terminations, truncations, info = envs.step(numbers)
        going_on = ~(terminations | truncations) & (turns.counts > 0)
        assert (info["to_act"][going_on] != before[going_on]).all()
        assert (
            envs.env.batch.keys[going_on] == turns.keys[(turns.offsets[:-1] + numbers)[going_on]]
        ).all()
        ended = terminations & (turns.counts > 0)
        assert (rewards[ended] == 1).all()  # nobody loses on a turn of their own
        total += rewards.sum()
    assert total > 0 or not COMPILES


def test_more_turns_than_there_is_room_for_are_refused_or_evenly_spread() -> None:
    for refusing in (wrapped(4), wrapped_games(4)):
        with pytest.raises(ConfigError, match="max_choices=4 is invalid: game 0 has 12 turns here"):
            refusing.reset(seed=1)
    env, games = wrapped(5, thin=True), wrapped_games(5, thin=True, opponent="self")
    observation, info = env.reset(seed=1)
    observations, shown = games.reset(seed=1)
    assert (info["num_turns"], shown["num_turns"][0]) == (12, 12)
    listed = [0, 2, 4, 7, 9]
    for row, number in enumerate(listed):
        end = env._choice.encoder.observation(info["turns"][number].after, "white")
        assert_same(observation["ends"][row], end, f"row {row}")
        assert_same(observations["ends"][0, row], end, f"row {row} of many")
    games.step(np.full(GAMES, 3))
    assert games.env.batch.keys[0] == info["turns"][7].key


def test_a_number_without_a_turn_loses_as_an_illegal_action_does() -> None:
    env = wrapped()
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(12)
    assert (reward, terminated, truncated, info["illegal_action"], info["num_turns"]) == (
        -1.0,
        True,
        False,
        12,
        0,
    )
    assert info["reason"] == "turn 12 is not legal: white to choose a copy, with turns 0 to 11"
    envs = wrapped_games(40, opponent="self")
    envs.reset(seed=1)
    _, rewards, terminations, _, info = envs.step(np.arange(GAMES) + 12 - GAMES + 1)
    assert rewards.tolist() == [0.0] * (GAMES - 1) + [-1.0]
    assert terminations.tolist() == [False] * (GAMES - 1) + [True]
    assert (info["illegal_action"][-1], info["num_turns"][-1], info["action_mask"][-1].sum()) == (
        12,
        0,
        0,
    )
    with pytest.raises(UnknownActionError, match="there is no turn 40; indices go from 0 to 39"):
        wrapped(40).step(40)
    with pytest.raises(ArrayError, match="numbers from 0 to 39"):
        envs.step(np.full(GAMES, 40))


@pytest.mark.filterwarnings("ignore:.*different from the unwrapped version")
def test_a_padded_environment_passes_gymnasiums_checks() -> None:
    env = wrapped(300, chapters="memory", **SHOWN)
    check_env(env, skip_render_check=True)
    _, info = env.reset(seed=1)
    assert (env.action_masks() == (info["action_mask"] == 1)).all()


def test_what_cannot_be_shown_is_refused() -> None:
    with pytest.raises(ConfigError, match="must not hide anything"):
        TurnEnv(gymnasium.make("tkm_env/Terminus-v0"))
    with pytest.raises(ConfigError, match="GameVectorEnv"):
        TurnVectorEnv(GameEnv("tkm"))
    with pytest.raises(ConfigError, match="max_choices"):
        wrapped(0)
