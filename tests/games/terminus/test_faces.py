"""Terminus has the same interfaces as the first game.

They pass PettingZoo's and Gymnasium's own checks, and have opponents, rewards and self-play.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from typing import Any

import gymnasium
import numpy as np
import pettingzoo
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from pettingzoo.test import api_test, seed_test

from tests.envs.comparison import with_warnings_that_any_dict_observation_gets
from tests.games.terminus.games import DECKS, PLAYERS
from tkm_env import (
    ConfigError,
    DeckError,
    IllegalActionError,
    PositionError,
    TerminusGame,
    terminus_v0,
)
from tkm_env.compiled.decorators import COMPILES

ID = "tkm_env/Terminus-v0"
#: How many are played side by side.
GAMES = 64 if COMPILES else 8
START = "1:.I. r p 2,9,13/3,5,16 ?10 -/- 1 -"


def opponent(observation: np.ndarray, info: dict[str, Any]) -> Any:
    """The last legal action, in one game or in many."""
    mask = info["action_mask"]
    return mask.shape[-1] - 1 - mask[..., ::-1].argmax(-1)


@with_warnings_that_any_dict_observation_gets
@pytest.mark.parametrize("make", [terminus_v0.env, terminus_v0.raw_env])
@pytest.mark.parametrize("deck", ["default", "eventful"])
def test_pettingzoos_own_tests_pass(make: Any, deck: str) -> None:
    api_test(make(deck=DECKS[deck]), num_cycles=300)
    seed_test(lambda: make(deck=DECKS[deck]))


def test_pettingzoo_makes_it_by_its_name() -> None:
    env = pettingzoo.make("aec", "tkm_env/terminus-v0")
    env.reset(seed=1)
    assert env.possible_agents == ["red_0", "blue_0"]
    assert env.agent_selection == f"{env.unwrapped.game.to_act}_0"


@pytest.mark.parametrize("seed", range(10))
def test_the_aec_face_reports_what_the_game_reports(seed: int) -> None:
    env = terminus_v0.raw_env()
    env.reset(seed=seed)
    game, generator = env.game.copy(), np.random.default_rng(seed)
    for agent in env.agent_iter():
        seen, reward, termination, truncation, info = env.last()
        assert not truncation
        assert seen["observation"] in env.observation_space(agent)["observation"]
        assert np.array_equal(seen["observation"], game.observation(env.players[agent]))
        if termination:
            assert reward == (1 if env.players[agent] == game.winner else -1)
            assert info["victories"].tolist() == [*game.victories.values()]
            env.step(None)
            continue
        assert env.players[agent] == game.to_act
        assert np.array_equal(info["action_mask"], game.action_mask())
        action = int(generator.choice(game.legal_actions()))
        env.step(action)
        game.play(action)
    assert game.result is not None


def test_an_illegal_action_raises_or_loses() -> None:
    raw = terminus_v0.raw_env()
    raw.reset(options={"position": START})
    with pytest.raises(IllegalActionError, match="'done' is not legal for red at step p"):
        raw.step(TerminusGame.action_index("done"))
    env = terminus_v0.env()
    env.reset(options={"position": START})
    env.step(TerminusGame.action_index("done"))
    assert env.rewards == {"red_0": -1, "blue_0": 1}
    assert all(env.terminations.values())


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env)), lambda env: env.clone()]
)
def test_copies_go_on_identically(copied: Any) -> None:
    env = terminus_v0.env()
    env.reset(seed=4)
    env.step(int(env.infos[env.agent_selection]["action_mask"].argmax()))
    twin = copied(env)
    assert twin.game == env.game
    for one in (env, twin):
        one.step(int(one.infos[one.agent_selection]["action_mask"].argmax()))
    assert twin.game == env.game


@pytest.mark.parametrize("side", [*PLAYERS, "random"])
@pytest.mark.parametrize("against", ["random", opponent])
def test_gymnasiums_own_checks_pass(side: str, against: Any) -> None:
    env = gymnasium.make(ID, opponent=against, side=side)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*default_rng.*")
        check_env(env.unwrapped, skip_render_check=True)


def test_rewards_are_the_learners_in_one_game() -> None:
    earned = []
    env = gymnasium.make(ID, side="random").unwrapped
    for seed in range(60):
        _, info = env.reset(seed=seed)
        done = False
        while not done:
            legal = info["action_mask"].nonzero()[0]
            _, reward, done, truncated, info = env.step(
                int(legal[seed % len(legal)]) if len(legal) else 0
            )
            assert not truncated
        assert reward == (1 if env.game.winner == env.side else -1)
        earned.append(reward)
    assert set(earned) == {-1, 1}


@pytest.mark.parametrize(
    ("settings", "error", "match"),
    [
        ({"opponent": "alphabeta"}, ConfigError, "players are 'random', 'greedy', 'ismcts'"),
        ({"side": "white"}, ConfigError, "'red', 'blue'"),
        ({"chapters": "growth"}, ConfigError, "valid keywords: opponent, .*, deck "),
        ({"deck": {}}, DeckError, "card 1"),
    ],
)
def test_invalid_settings_are_refused(
    settings: dict[str, Any], error: type[Exception], match: str
) -> None:
    with pytest.raises(error, match=match):
        gymnasium.make(ID, **settings)
    with pytest.raises(error, match=match):
        gymnasium.make_vec(ID, 2, **settings)


def test_a_reset_to_an_invalid_position_changes_nothing() -> None:
    env = gymnasium.make(ID).unwrapped
    env.reset(seed=1)
    before = env.game.copy()
    with pytest.raises(PositionError):
        env.reset(options={"position": "1:.I. r p"})
    assert env.game == before


@pytest.mark.parametrize("mode", AutoresetMode)
@pytest.mark.parametrize("against", ["random", "self", opponent])
def test_the_vector_environment_balances_its_rewards(mode: AutoresetMode, against: Any) -> None:
    envs = gymnasium.make_vec(
        ID, GAMES, opponent=against, side="random", autoreset_mode=mode
    ).unwrapped
    observations, info = envs.reset(seed=1)
    generator, ended = np.random.default_rng(1), 0
    for _ in range(60):
        assert observations.shape == (GAMES, 838)
        assert observations in envs.observation_space
        masks = info["action_mask"]
        actions = ((1 - generator.random(masks.shape)) * masks).argmax(1)
        observations, rewards, terminations, truncations, info = envs.step(actions)
        assert not truncations.any()
        assert (np.abs(rewards) == terminations).all(), (
            "the winner gets 1 and the loser -1, at the end and only there"
        )
        if against == "self":
            assert (info["rewards"].sum(1) == 0).all()
            assert (rewards[terminations] != 0).all()
        ended += int(terminations.sum())
        if mode == AutoresetMode.DISABLED and terminations.any():
            observations, info = envs.reset(options={"reset_mask": terminations})
    assert ended > GAMES


def test_seeds_reproduce_the_vector_environment() -> None:
    outcomes = []
    for _ in range(2):
        envs = gymnasium.make_vec(ID, 16, opponent="random", side="random", num_threads=2)
        observations, info = envs.reset(seed=9)
        for _ in range(20):
            observations, rewards, *_, info = envs.step(info["action_mask"].argmax(1))
        outcomes.append((observations.tobytes(), rewards.tobytes(), info["action_mask"].tobytes()))
    assert outcomes[0] == outcomes[1]


def test_games_are_drawn_as_text() -> None:
    env = gymnasium.make(ID, render_mode="ansi", side="red")
    env.reset(options={"position": START})
    assert "red: first 2 R.G, second 9 BR., third 13 BGF" in env.render()
    envs = gymnasium.make_vec(ID, 3, render_mode="ansi")
    envs.reset(seed=1)
    assert len(envs.render()) == 3
