"""The PettingZoo face: PettingZoo's own tests in every configuration, and what they leave out."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import data_equivalence
from pettingzoo.test import api_test, render_test, seed_test

import tkm_env
from tests.cases import each_setting
from tests.envs.comparison import with_warnings_that_any_dict_observation_gets
from tests.games.tkm.positions import (
    BLACK_WINS,
    NOBODY_WINS,
    START,
    TALK,
    VARIED,
    WHITE_WINS,
    random_action,
    with_fields,
)
from tkm_env import (
    ACTIONS,
    ConfigError,
    IllegalActionError,
    PositionError,
    UnknownActionError,
    action_index,
    tkm_v0,
)
from tkm_env.games.tkm.engine.state import CHAPTERS

AGENTS = ["white_0", "black_0"]

Face = Callable[..., Any]
Transition = tuple[Any, ...]


@pytest.fixture(params=[tkm_v0.env, tkm_v0.raw_env], ids=["env", "raw_env"])
def face(request: pytest.FixtureRequest) -> Face:
    return request.param


def act(env: Any, generator: np.random.Generator) -> int | None:
    """The random action that the selected agent takes, or None where it is done."""
    agent = env.agent_selection
    if env.terminations[agent] or env.truncations[agent]:
        return None
    return random_action(env.infos[agent]["action_mask"], generator)


def snapshot(env: Any) -> Transition:
    """Everything an environment reports between two steps."""
    return (
        env.agents[:],
        env.agent_selection,
        env.last() if env.agents else None,
        {agent: env.observe(agent) for agent in env.possible_agents},
        dict(env.rewards),
        dict(env.terminations),
        dict(env.truncations),
        {agent: dict(info) for agent, info in env.infos.items()},
        env.state(),
        env.game.position,
        env.game.history,
    )


def episode(env: Any, generator: np.random.Generator) -> list[Transition]:
    """Everything reported in a random episode, from the reset before it to its end."""
    seen = [copy.deepcopy(snapshot(env))]
    while env.agents:
        env.step(act(env, generator))
        seen.append(copy.deepcopy(snapshot(env)))
    return seen


def assert_same(one: object, other: object, about: str) -> None:
    assert data_equivalence(one, other), f"{about}:\n{one}\n{other}"


# PettingZoo's own tests.


@each_setting
@with_warnings_that_any_dict_observation_gets
def test_pettingzoo_api_test_passes(face: Face, chapters: tuple[str, ...], edition: str) -> None:
    env = face(chapters=chapters, edition=edition, max_turns=20)
    for number, agent in enumerate(AGENTS):
        env.action_space(agent).seed(number)
    api_test(env, num_cycles=60)


@with_warnings_that_any_dict_observation_gets
def test_pettingzoo_api_test_passes_with_talk_and_a_draft(face: Face) -> None:
    api_test(face(chapters="convergence", max_turns=20, **TALK), num_cycles=60)
    api_test(face(timeline="draft_powers", max_turns=20), num_cycles=60)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"chapters": "convergence"},
        {"chapters": CHAPTERS, "edition": "2022"},
        {"timeline": "power_share"},
    ],
)
def test_pettingzoo_seed_test_passes(face: Face, settings: dict[str, Any]) -> None:
    seed_test(lambda: face(max_turns=30, **settings), num_cycles=80)


@pytest.mark.slow
@pytest.mark.usefixtures("no_display_needed")
@pytest.mark.parametrize(("chapters", "edition"), [((), "2021"), (CHAPTERS, "2022")])
def test_pettingzoo_render_test_passes(face: Face, chapters: tuple[str, ...], edition: str) -> None:
    def is_drawing(result: str) -> bool:
        return "past" in result and "turn" in result

    render_test(
        lambda render_mode: face(render_mode=render_mode, chapters=chapters, edition=edition),
        {"ansi": is_drawing},
    )


# Masks and observations.


@each_setting
def test_masks_in_observations_and_infos_are_those_of_the_game(
    face: Face, chapters: tuple[str, ...]
) -> None:
    env = face(chapters=chapters, max_turns=25)
    generator = np.random.default_rng(1)
    for episode_seed in range(3):
        env.reset(seed=episode_seed)
        while env.agents:
            done = any(env.terminations.values()) or any(env.truncations.values())
            for agent in env.agents:
                mask = env.observe(agent)["action_mask"]
                assert mask.dtype == env.infos[agent]["action_mask"].dtype == np.int8
                assert_same(
                    mask,
                    env.infos[agent]["action_mask"],
                    f"masks of {agent} in observation and info",
                )
                acts = agent == env.agent_selection and not done
                expected = env.game.legal_actions() if acts else []
                assert mask.nonzero()[0].tolist() == expected, f"{agent} in {env.game.position}"
            env.step(act(env, generator))


@each_setting
def test_observation_spaces_hold_every_observation_of_an_episode_and_after_it(
    face: Face, chapters: tuple[str, ...]
) -> None:
    env = face(chapters=chapters, max_turns=25)
    env.reset(seed=3)
    generator = np.random.default_rng(2)
    while True:
        for agent in AGENTS:
            assert env.observation_space(agent).contains(env.observe(agent)), env.game.position
        assert env.state_space.contains(env.state())
        if not env.agents:
            break
        env.step(act(env, generator))


@pytest.mark.parametrize("position", VARIED)
def test_observation_spaces_hold_observations_of_every_position(position: str) -> None:
    env = tkm_v0.env()
    env.reset(options={"position": position})
    for agent in AGENTS:
        assert env.observation_space(agent).contains(env.observe(agent))


def test_each_agent_sees_the_game_from_its_own_side(face: Face) -> None:
    env = face()
    env.reset(seed=1)
    for agent, player in zip(AGENTS, ("white", "black"), strict=True):
        assert_same(env.observe(agent)["observation"], env.game.observation(player), agent)
    assert_same(
        env.state(), env.game.observation("white"), "state() is what the player to act sees"
    )
    assert not np.array_equal(
        env.observe("white_0")["observation"], env.observe("black_0")["observation"]
    )


def test_spaces_are_one_object_for_each_agent(face: Face) -> None:
    env = face()
    for agent in AGENTS:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.action_space(agent).n == len(ACTIONS)
    assert env.observation_space("white_0") is not env.observation_space("black_0")
    assert env.observation_space("white_0") == env.observation_space("black_0")


def test_arrays_that_a_caller_keeps_stay_as_they_are(face: Face) -> None:
    env = face(chapters=CHAPTERS, max_turns=20)
    env.reset(seed=1)
    generator = np.random.default_rng(3)
    kept: list[tuple[Any, Any]] = []
    while env.agents:
        now = (
            env.last(),
            env.observe("white_0"),
            env.observe("black_0"),
            env.state(),
            [*env.infos.values()],
        )
        kept.append((now, copy.deepcopy(now)))
        env.step(act(env, generator))
    for number, (now, copied) in enumerate(kept):
        assert_same(now, copied, f"what was returned before step {number} has changed since")


def test_arrays_that_a_caller_overwrites_change_nothing(face: Face) -> None:
    env, untouched = face(chapters="memory", max_turns=9), face(chapters="memory", max_turns=9)
    env.reset(seed=1)
    untouched.reset(seed=1)
    generator = np.random.default_rng(3)
    while env.agents:
        action = act(untouched, generator)
        for array in (
            env.state(),
            env.observe(env.agent_selection)["action_mask"],
            env.observe(env.agent_selection)["observation"],
        ):
            array[:] = 1
        for info in env.infos.values():
            info["action_mask"][:] = 0
        env.step(action)
        untouched.step(action)
        assert_same(snapshot(env), snapshot(untouched), "after arrays were overwritten")


# Rewards and ends.


@pytest.mark.parametrize(
    ("position", "winner"), [(WHITE_WINS, "white_0"), (BLACK_WINS, "black_0"), (NOBODY_WINS, None)]
)
def test_an_end_gives_each_agent_its_reward_once(
    face: Face, position: str, winner: str | None
) -> None:
    env = face(max_turns=int(position.split(" ")[-1]))
    env.reset(options={"position": position})
    env.step(action_index("focus present"))
    assert env.agents == AGENTS
    rewards = {
        agent: 0.0 if winner is None else 1.0 if agent == winner else -1.0 for agent in AGENTS
    }
    assert env.rewards == rewards
    assert env.terminations == dict.fromkeys(AGENTS, winner is not None)
    assert env.truncations == dict.fromkeys(AGENTS, winner is None)
    seen: dict[str, list[float]] = {agent: [] for agent in AGENTS}
    while env.agents:
        agent = env.agent_selection
        seen[agent].append(env.last()[1])
        env.step(None)
        assert not any(env.rewards.values()), "a reward is shown for one step"
    assert seen == {agent: [reward] for agent, reward in rewards.items()}


@pytest.mark.parametrize(
    ("actions", "rewards"),
    [
        (["concede"], {"white_0": -1.0, "black_0": 1.0}),
        (["offer draw", "accept draw"], {"white_0": 0.0, "black_0": 0.0}),
        (["offer draw", "decline draw", "concede"], {"white_0": -1.0, "black_0": 1.0}),
    ],
)
def test_an_end_by_talk_is_a_termination(
    face: Face, actions: list[str], rewards: dict[str, float]
) -> None:
    env = face(**TALK)
    env.reset()
    for action in actions:
        env.step(action_index(action))
    assert env.rewards == rewards
    assert all(env.terminations.values())
    assert not any(env.truncations.values())


@pytest.mark.parametrize("games", [60, pytest.param(300, marks=pytest.mark.slow)])
def test_rewards_of_random_games_pair_each_win_with_a_loss(face: Face, games: int) -> None:
    """In particular for each agent, including the one that did not make the last step."""
    env = face(chapters="convergence", max_turns=60)
    env.reset(seed=11)
    generator = np.random.default_rng(11)
    ends: Counter[tuple[float, ...]] = Counter()
    for _ in range(games):
        seen = dict.fromkeys(AGENTS, 0.0)
        times = dict.fromkeys(AGENTS, 0)
        while env.agents:
            _, reward, _, _, _ = env.last(observe=False)
            seen[env.agent_selection] += reward
            times[env.agent_selection] += reward != 0
            env.step(act(env, generator))
        assert sum(seen.values()) == 0, env.game.position
        winner = env.game.winner
        assert seen == {
            agent: 0 if winner is None else 1 if agent.startswith(winner) else -1
            for agent in AGENTS
        }
        assert set(times.values()) == {int(winner is not None)}
        assert (env.game.result == "*") == (winner is None)
        ends[tuple(seen.values())] += 1
        env.reset()
    assert set(ends) <= {(1.0, -1.0), (-1.0, 1.0), (0.0, 0.0)}
    decided = ends[1.0, -1.0] + ends[-1.0, 1.0]
    assert decided > games * 2 / 3, ends
    assert 0.3 < ends[1.0, -1.0] / decided < 0.7, ends


def test_last_gives_no_reward_while_the_game_goes_on(face: Face) -> None:
    env = face(max_turns=10)
    env.reset(seed=1)
    generator = np.random.default_rng(1)
    while env.game.result is None:
        assert env.last()[1:4] == (0.0, False, False)
        assert env.rewards == dict.fromkeys(AGENTS, 0.0)
        env.step(act(env, generator))


def test_the_turn_limit_truncates_without_a_winner(face: Face) -> None:
    env = face(max_turns=2)
    env.reset()
    for name in (
        "choose 1",
        "move east",
        "move east",
        "focus present",
        "choose 16",
        "move west",
        "move west",
    ):
        env.step(action_index(name))
        assert not any(env.truncations.values())
    env.step(action_index("focus past"))
    assert env.game.result == "*"
    assert env.truncations == dict.fromkeys(AGENTS, True)
    assert env.terminations == dict.fromkeys(AGENTS, False)
    assert env.rewards == dict.fromkeys(AGENTS, 0.0)


# Invalid actions.


def illegal_actions(env: Any) -> list[int]:
    return np.flatnonzero(env.game.action_mask() == 0).tolist()


@pytest.mark.parametrize("position", VARIED)
def test_an_illegal_action_loses_in_env_and_leaves_the_game(position: str) -> None:
    env = tkm_v0.env()
    for illegal in (0, 1, -1):
        env.reset(options={"position": position})
        agent = env.agent_selection
        other = next(other for other in AGENTS if other != agent)
        action = illegal_actions(env)[illegal]
        env.step(action)
        assert env.game.position == position
        assert env.game.history == []
        assert env.rewards == {agent: -1.0, other: 1.0}
        assert env.terminations == dict.fromkeys(AGENTS, True)
        assert env.truncations == dict.fromkeys(AGENTS, False)
        last_rewards = {}
        while env.agents:
            observation, reward, termination, truncation, info = env.last()
            last_rewards[env.agent_selection] = reward
            assert (termination, truncation) == (True, False)
            assert info["illegal_action"] == action
            assert info["illegal_by"] == agent
            assert repr(ACTIONS[action]) in info["reason"]
            assert not observation["action_mask"].any()
            assert not info["action_mask"].any()
            env.step(None)
        assert last_rewards == {agent: -1.0, other: 1.0}


@pytest.mark.parametrize("position", VARIED)
def test_an_illegal_action_raises_in_raw_env_and_changes_nothing(position: str) -> None:
    env = tkm_v0.raw_env()
    env.reset(options={"position": position})
    before = copy.deepcopy(snapshot(env))
    for action in illegal_actions(env):
        with pytest.raises(IllegalActionError, match=ACTIONS[action]):
            env.step(action)
        assert_same(snapshot(env), before, f"after the refused {ACTIONS[action]!r}")


@pytest.mark.parametrize(
    "action",
    [
        None,
        -1,
        len(ACTIONS),
        10**5000,
        1.0,
        np.float64(0),
        [0],
        (),
        {},
        True,
        np.True_,
        "choose 1",
        np.array([0]),
    ],
)
def test_anything_but_an_action_raises_and_changes_nothing(face: Face, action: Any) -> None:
    env = face()
    env.reset()
    before = copy.deepcopy(snapshot(env))
    with pytest.raises(UnknownActionError):
        env.step(action)
    assert_same(snapshot(env), before, f"after a refused {type(action).__name__}")
    env.step(0)


@pytest.mark.parametrize("action", [np.int8(0), np.int32(0), np.int64(0), np.uint8(0), np.array(0)])
def test_actions_may_be_numpy_integers(face: Face, action: Any) -> None:
    env = face()
    env.reset()
    env.step(action)
    assert env.game.history == [0]


def test_an_agent_that_is_done_may_only_pass_none(face: Face) -> None:
    env = face()
    env.reset(options={"position": WHITE_WINS})
    env.step(action_index("focus present"))
    before = copy.deepcopy(snapshot(env))
    with pytest.raises(ValueError, match="None"):
        env.step(0)
    assert_same(snapshot(env), before, "after a step of an agent that is done")


# The order of calls.


@pytest.mark.parametrize(
    "call",
    [
        lambda env: env.step(0),
        lambda env: env.observe("white_0"),
        lambda env: env.last(),
        lambda env: env.render(),
        lambda env: env.agent_iter(),
        lambda env: env.state(),
    ],
)
def test_env_reports_that_a_call_needs_a_reset_first(call: Callable[[Any], Any]) -> None:
    env = tkm_v0.env(render_mode="ansi")
    with pytest.raises(ResetNeeded, match="reset"):
        call(env)
    env.reset()
    call(env)


@pytest.mark.parametrize(
    "name", ["agents", "agent_selection", "rewards", "terminations", "truncations", "infos", "game"]
)
def test_env_has_no_attributes_of_an_episode_before_reset(name: str) -> None:
    env = tkm_v0.env()
    assert not hasattr(env, name)
    with pytest.raises(AttributeError, match=f"{name} does not exist before reset"):
        getattr(env, name)
    env.reset()
    assert hasattr(env, name)


def test_env_has_its_constants_before_reset(face: Face) -> None:
    env = face()
    assert env.possible_agents == AGENTS
    assert env.max_num_agents == 2
    assert env.metadata["name"] == str(env) == "tkm_v0"
    assert env.unwrapped is env
    with pytest.raises(AttributeError, match="nonsense"):
        env.nonsense  # noqa: B018
    env.close()


def test_env_reports_that_a_step_after_the_end_needs_a_reset() -> None:
    env = tkm_v0.env()
    env.reset(options={"position": WHITE_WINS})
    for action in (action_index("focus present"), None, None):
        env.step(action)
    assert env.agents == []
    for action in (None, 0):
        with pytest.raises(ResetNeeded, match="over"):
            env.step(action)
    env.reset()
    env.step(0)


def test_env_refuses_a_loop_that_forgets_to_step() -> None:
    env = tkm_v0.env()
    env.reset()
    with pytest.raises(ResetNeeded, match="step"):  # noqa: PT012
        for number, _ in enumerate(env.agent_iter()):
            assert number < 5, "the loop runs on without a step"


def test_agent_iter_gives_the_selected_agent_until_all_are_done(face: Face) -> None:
    env = face(max_turns=5)
    env.reset(seed=1)
    generator = np.random.default_rng(1)
    seen = []
    for agent in env.agent_iter():
        assert agent == env.agent_selection
        seen.append(agent)
        env.step(act(env, generator))
    assert env.agents == []
    assert len(seen) == len(env.game.history) + 2
    env.reset()
    agents = []
    for agent in env.agent_iter(3):
        agents.append(agent)
        env.step(act(env, generator))
    assert agents == ["white_0"] * 3


# Resets.


def test_the_same_seed_gives_the_same_episodes_over_several_resets(face: Face) -> None:
    episodes = []
    for _ in range(2):
        env, generator = face(chapters="convergence", max_turns=6), np.random.default_rng(5)
        env.reset(seed=5)
        series = []
        for _ in range(6):
            series.append(episode(env, generator))
            env.reset()
        episodes.append(series)
    assert_same(*episodes, "two series of episodes after the same seed")
    drawn = {seen[0][9].split(" ")[1] for seen in episodes[0]}
    assert len(drawn) > 1, "a reset without a seed must go on with the randomness, not repeat it"


def test_a_reset_without_any_seed_draws_one(face: Face) -> None:
    drawn = set()
    for _ in range(40):
        env = face(chapters="convergence")
        env.reset()
        drawn.add(env.game.position.split(" ")[1])
    assert drawn == {"GI", "GM", "IM"}


def test_reset_takes_a_position(face: Face) -> None:
    env = face(edition="2022", max_turns=300)
    for position in VARIED:
        env.reset(options={"position": position})
        assert env.game.position == position
        assert env.game.config.edition == "2022"
        assert env.agent_selection == f"{env.game.to_act}_0"
        assert env.agents == AGENTS
        assert_same(env.last()[0]["action_mask"], env.game.action_mask(), position)
    env.reset(options={})
    assert env.game.position == START, "a position holds for one reset only"


def test_reset_to_a_game_that_is_over_is_an_episode_without_steps(face: Face) -> None:
    env = face()
    env.reset(options={"position": with_fields(START, step="1-0")})
    assert env.rewards == {"white_0": 1.0, "black_0": -1.0}
    assert all(env.terminations.values())
    seen = {}
    for agent in env.agent_iter():
        seen[agent] = env.last()[1]
        env.step(None)
    assert seen == {"white_0": 1.0, "black_0": -1.0}


@pytest.mark.parametrize(
    "position", ["", "nonsense", START + "\n", with_fields(START, turn="201"), 5]
)
def test_a_broken_position_leaves_the_episode_and_its_randomness(face: Face, position: Any) -> None:
    env, untouched = (face(chapters="convergence") for _ in range(2))
    for one in (env, untouched):
        one.reset(seed=8)
        one.step(0)
    with pytest.raises(PositionError):
        env.reset(seed=9, options={"position": position})
    assert_same(snapshot(env), snapshot(untouched), "after a refused reset")
    for _ in range(5):
        env.reset()
        untouched.reset()
        assert_same(snapshot(env), snapshot(untouched), "in an episode after a refused reset")


def test_a_broken_position_before_any_reset_leaves_an_environment_without_a_game() -> None:
    env = tkm_v0.env()
    with pytest.raises(PositionError):
        env.reset(options={"position": "nonsense"})
    with pytest.raises(ResetNeeded):
        env.last()


@pytest.mark.parametrize(
    "options", [{"nonsense": 5}, {"side": "black"}, {"reset_mask": [True]}, [], "position", 5]
)
def test_unknown_options_are_refused_and_change_nothing(face: Face, options: Any) -> None:
    env = face(chapters="convergence")
    env.reset(seed=1)
    before = copy.deepcopy(snapshot(env))
    with pytest.raises(ConfigError, match=r"^options=.*valid keys: 'position'$"):
        env.reset(seed=2, options=options)
    assert_same(snapshot(env), before, "after refused options")


def test_the_option_of_pettingzoos_own_tests_is_ignored(face: Face) -> None:
    env = face()
    env.reset(seed=1, options={"options": 1, "position": with_fields(START, step="f")})
    assert env.game.position == with_fields(START, step="f")


@pytest.mark.parametrize("seed", [-1, 1.0, True, "1", [1], np.True_])
def test_an_invalid_seed_is_refused_and_changes_nothing(face: Face, seed: Any) -> None:
    env = face(chapters="convergence")
    env.reset(seed=1)
    before = copy.deepcopy(snapshot(env))
    with pytest.raises(ConfigError, match=r"^seed=.* None or an integer from 0$"):
        env.reset(seed=seed)
    assert_same(snapshot(env), before, "after a refused seed")


def test_seeds_may_be_whole_numbers_of_any_kind(face: Face) -> None:
    one, other = face(chapters="convergence"), face(chapters="convergence")
    one.reset(seed=2**70)
    other.reset(seed=2**70)
    assert_same(snapshot(one), snapshot(other), "the same large seed")
    one.reset(seed=5)
    other.reset(seed=np.uint8(5))
    assert_same(snapshot(one), snapshot(other), "a seed of numpy's")


@pytest.mark.parametrize("agent", ["white", "", None, 0, [], "red_0"])
def test_an_invalid_agent_is_refused(face: Face, agent: Any) -> None:
    env = face()
    env.reset()
    for ask in (env.observe, env.action_space, env.observation_space):
        with pytest.raises(ConfigError, match=r"^agent=.*'white_0' or 'black_0'"):
            ask(agent)


def test_an_agent_that_is_done_may_only_pass(face: Face) -> None:
    env = face()
    env.reset(options={"position": WHITE_WINS})
    env.step(action_index("focus present"))
    before = copy.deepcopy(snapshot(env))
    for action in (0, "choose 1", True):
        with pytest.raises(UnknownActionError, match="the only valid action is None"):
            env.step(action)
    assert_same(snapshot(env), before, "after actions of an agent that is done")
    env.step(None)


# Copies.


def clone(env: Any) -> Any:
    return env.clone()


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


@pytest.mark.slow
@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
@pytest.mark.parametrize("steps", [0, 1, 17, None])
def test_a_copy_goes_on_identically_and_apart(
    face: Face, copied: Callable[[Any], Any], steps: int | None
) -> None:
    env = face(chapters="convergence", max_turns=12)
    env.reset(seed=4)
    generator = np.random.default_rng(4)
    while env.agents if steps is None else len(env.game.history) < steps:
        env.step(act(env, generator))
    twin = copied(env)
    assert_same(snapshot(twin), snapshot(env), "a copy just made")
    before = copy.deepcopy(snapshot(env))
    futures = []
    for one in (twin, env):
        assert_same(snapshot(env), before, "the copied environment has to stay as it was")
        generator = np.random.default_rng(6)
        series = []
        for _ in range(3):
            series.append(episode(one, generator))
            one.reset()
        futures.append(series)
    assert_same(*futures, "this and the next episodes of a copy and of the copied environment")


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
def test_an_environment_can_be_copied_before_its_first_reset(
    face: Face, copied: Callable[[Any], Any]
) -> None:
    env = copied(face(chapters="growth", render_mode="ansi"))
    env.reset(seed=1)
    assert env.game.position.split(" ")[1] == "G"
    assert env.render() == str(env.game)


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
def test_copies_from_before_the_first_reset_play_games_of_their_own(
    face: Face, copied: Callable[[Any], Any]
) -> None:
    env = face(opening_turns=4)
    starts = set()
    for one in [env, *(copied(env) for _ in range(3))]:
        one.reset()
        starts.add(one.game.position)
    assert len(starts) > 1


def test_a_wrapper_that_adds_a_render_mode_adds_it_to_one_environment(face: Face) -> None:
    face().metadata["render_modes"].append("smoke")
    assert "smoke" not in face().metadata["render_modes"]


# Drawing.


def test_render_in_ansi_mode_returns_the_drawing(face: Face) -> None:
    env = face(render_mode="ansi")
    env.reset()
    env.step(0)
    assert env.render() == str(env.game)
    assert "[W]" in env.render()


def test_render_without_a_mode_is_silent(face: Face, capsys: pytest.CaptureFixture[str]) -> None:
    env = face()
    env.reset()
    env.step(0)
    assert env.render_mode is None
    assert env.render() is None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", ["rgb", "", "ANSI", 1, True])
def test_a_wrong_render_mode_is_refused(face: Face, mode: Any) -> None:
    with pytest.raises(ConfigError, match="render_mode") as refused:
        face(render_mode=mode)
    assert refused.value.keyword == "render_mode"
    assert repr(mode) in str(refused.value)
    assert "'human' or 'ansi' or 'rgb_array'" in str(refused.value)


# The two faces, and how they are made.


@each_setting
def test_both_faces_give_the_same_transitions(chapters: tuple[str, ...], edition: str) -> None:
    settings = {"chapters": chapters, "edition": edition, "max_turns": 15, **TALK}
    env, raw = tkm_v0.env(**settings), tkm_v0.raw_env(**settings)
    generator = np.random.default_rng(7)
    for seed in range(2):
        env.reset(seed=seed)
        raw.reset(seed=seed)
        while raw.agents:
            assert_same(snapshot(env), snapshot(raw), "env and raw_env")
            action = act(raw, generator)
            env.step(action)
            raw.step(action)
        assert_same(snapshot(env), snapshot(raw), "env and raw_env at the end")


def test_pettingzoo_make_gives_the_checked_environment() -> None:
    env = pettingzoo.make("aec", "tkm_env/tkm-v0", chapters="growth", render_mode="ansi")
    assert type(env) is type(tkm_v0.env())
    env.reset(seed=1)
    assert env.render() == str(tkm_env.Game(chapters="growth"))


def test_settings_reach_the_game(face: Face) -> None:
    env = face(
        chapters=1,
        edition="2022",
        first_player="black",
        handicap=(1, 3),
        max_turns=7,
        concede=True,
        draws=True,
    )
    env.reset()
    config = env.game.config
    assert config == tkm_env.GameConfig(
        chapters="growth",
        edition="2022",
        first_player="black",
        handicap=(1, 3),
        max_turns=7,
        concede=True,
        draws=True,
    )
    assert env.agent_selection == "black_0"
    assert env.agents == AGENTS, "agents keep their order, whoever goes first"


def play_through(env: Any, read: Callable[[str], object]) -> None:
    """Play at random until the end, without any last step; ``read`` is called after each action."""
    while not (env.terminations[env.agent_selection] or env.truncations[env.agent_selection]):
        agent = env.agent_selection
        env.step(int(env.observe(agent)["action_mask"].argmax()))
        read(agent)


def test_reading_only_the_last_actors_reward_warns_once() -> None:
    env = tkm_v0.env(max_turns=6)
    for seed in range(10):
        env.reset(seed=seed)
        play_through(env, lambda agent: env._cumulative_rewards[agent])
    with pytest.warns(UserWarning, match="only the reward of the agent that acted last was read"):
        env.reset(seed=10)
    for seed in range(11):
        env.reset(seed=seed)
        play_through(env, lambda agent: env._cumulative_rewards[agent])


@pytest.mark.parametrize("kind", ["last", "rewards", "dead steps"])
def test_reading_the_rewards_of_both_agents_warns_of_nothing(kind: str) -> None:
    env = tkm_v0.env(max_turns=6)
    for seed in range(12):
        env.reset(seed=seed)
        if kind == "dead steps":
            for agent in env.agent_iter():
                is_done = env.terminations[agent] or env.truncations[agent]
                env.step(None if is_done else int(env.observe(agent)["action_mask"].argmax()))
                env._cumulative_rewards.get(agent)
        else:
            play_through(env, lambda agent: env.last() if kind == "last" else env.rewards[agent])


def test_games_lost_by_illegal_actions_warn_once() -> None:
    env = tkm_v0.env()
    for seed in range(9):
        env.reset(seed=seed)
        env.step(78)
    env.reset(seed=9)
    with pytest.warns(UserWarning, match="^10 of the first 10 games were lost by illegal actions"):
        env.step(78)
    env.reset(seed=10)
    env.step(78)
