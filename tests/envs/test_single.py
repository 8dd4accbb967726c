"""The Gymnasium environment of one game.

Gymnasium's own checks in every configuration, opponents, sides, rewards, ends and copies.
"""

from __future__ import annotations

import copy
import pickle
import re
from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Box
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import (
    Autoreset,
    DelayObservation,
    DtypeObservation,
    FlattenObservation,
    FrameStackObservation,
    NormalizeObservation,
    NormalizeReward,
    RecordEpisodeStatistics,
    RescaleObservation,
    TimeAwareObservation,
    TimeLimit,
    TransformObservation,
)

from tests.cases import each_setting
from tests.envs.comparison import (
    SETTINGS,
    assert_same,
    difference,
    first_legal,
    from_what_it_sees,
    never_legal,
)
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
from tests.games.tkm.random_games import seed_of
from tkm_env import (
    ConfigError,
    Game,
    GameConfig,
    IllegalActionError,
    PositionError,
    UnknownActionError,
    UnknownKeywordError,
    action_index,
)
from tkm_env.core.random_agent import RandomAgent

ID = "tkm_env/TKM-v0"
SIDES = ["white", "black"]


def made(**settings: Any) -> Any:
    """The environment without Gymnasium's wrappers."""
    return gymnasium.make(ID, **{"side": "white"} | settings).unwrapped


def reward_of(winner: str | None, side: str) -> float:
    return 0.0 if winner is None else 1.0 if winner == side else -1.0


def episode(env: Any, generator: np.random.Generator, **reset: Any) -> list[Any]:
    """Everything returned in a random episode, from its reset to its end."""
    observation, info = env.reset(**reset)
    seen: list[Any] = [(observation, info)]
    done = False
    while not done:
        observation, reward, terminated, truncated, info = env.step(random_or_any(info, generator))
        seen.append((observation, reward, terminated, truncated, info))
        done = terminated or truncated
    return seen


def random_or_any(info: dict[str, Any], generator: np.random.Generator) -> int:
    return random_action(info["action_mask"], generator) if info["action_mask"].any() else 0


class First:
    """A player with a forward model: the first legal action; it counts what it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def act(self, game: Game) -> int:
        self.asked += 1
        return game.legal_actions()[0]


class FirstByName:
    def act(self, game: Game) -> str:
        return game.legal_names()[0]


class Remembering:
    """A player that draws from what `reset` gives it."""

    def reset(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def act(self, game: Game) -> int:
        return random_action(game.action_mask(), self.generator)


# Gymnasium's own checks.


@pytest.mark.parametrize("side", [*SIDES, "random"])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.usefixtures("capsys")
def test_gymnasium_check_env_passes(name: str, side: str) -> None:
    check_env(made(side=side, max_turns=20, **SETTINGS[name]), skip_render_check=True)


@each_setting
def test_gymnasium_checks_every_step_of_an_episode_without_a_warning(
    chapters: tuple[str, ...], edition: str
) -> None:
    """On request `gymnasium.make` puts its checker around the environment."""
    settings = {"chapters": chapters, "edition": edition, "max_turns": 10}
    env = gymnasium.make(ID, disable_env_checker=False, side="random", **settings)
    assert "PassiveEnvChecker" in str(env)
    for seed in range(2):
        assert len(episode(env, np.random.default_rng(seed), seed=seed)) > 5


def test_a_rescaling_wrapper_needs_floats_first() -> None:
    """In int8 Gymnasium's factors become 0."""
    env = RescaleObservation(
        DtypeObservation(gymnasium.make(ID, chapters="growth"), np.float32),
        np.float32(0),
        np.float32(1),
    )
    observation, info = env.reset(seed=1)
    high = made().observation_space.high
    for _ in range(60):
        np.testing.assert_allclose(
            observation, env.unwrapped.game.observation(env.unwrapped.side) / high, atol=1e-6
        )
        assert env.observation_space.contains(observation)
        observation, _, terminated, truncated, info = env.step(
            random_action(info["action_mask"], np.random.default_rng(1))
        )
        if terminated or truncated:
            observation, info = env.reset()


@pytest.mark.parametrize(
    "wrapped",
    [
        FlattenObservation,
        NormalizeObservation,
        RecordEpisodeStatistics,
        NormalizeReward,
        Autoreset,
        lambda env: FrameStackObservation(env, 2),
        lambda env: DelayObservation(env, 1),
        lambda env: TimeAwareObservation(TimeLimit(env, 50)),
        lambda env: TransformObservation(
            env, lambda seen: seen[:28], Box(0, 127, (28, 4, 4), np.int8)
        ),
        lambda env: DtypeObservation(env, np.float32),
    ],
)
def test_gymnasiums_wrappers_work(wrapped: Any) -> None:
    env = wrapped(gymnasium.make(ID, max_turns=10, side="random"))
    generator = np.random.default_rng(1)
    observation, info = env.reset(seed=1)
    done = False
    for _ in range(80):
        assert env.observation_space.contains(observation)
        if done and not isinstance(env, Autoreset):
            observation, info = env.reset()
        observation, _, terminated, truncated, info = env.step(random_or_any(info, generator))
        done = terminated or truncated


# What is seen.


@pytest.mark.parametrize("name", SETTINGS)
def test_the_learner_is_to_act_in_everything_it_sees_before_the_end(name: str) -> None:
    env = made(side="random", max_turns=8, **SETTINGS[name])
    generator = np.random.default_rng(seed_of(name))
    for seed in range(3):
        observation, info = env.reset(seed=seed)
        done = False
        while True:
            assert env.observation_space.contains(observation)
            assert observation.tobytes() == env.game.observation(env.side).tobytes()
            assert SIDES[info["side"]] == env.side
            assert info["action_mask"].dtype == np.int8
            assert info["action_mask"].tolist() == env.game.action_mask().tolist()
            assert env.action_masks().dtype == np.bool_
            assert env.action_masks().tolist() == info["action_mask"].astype(bool).tolist()
            if env.game.result is None:
                assert env.game.to_act == env.side
                assert "result" not in info
                assert "totals" not in info
            else:
                assert not info["action_mask"].any()
            if done:
                assert info["result"] == env.game.result is not None
                assert info["totals"].tolist() == [
                    [*kinds.values()] for kinds in env.game.totals.values()
                ]
                break
            observation, _, terminated, truncated, info = env.step(random_or_any(info, generator))
            done = terminated or truncated


def test_info_reports_what_was_drawn_after_a_reset_and_at_the_end() -> None:
    env = made(timeline="draft_powers", max_turns=3)
    seen = episode(env, np.random.default_rng(1), seed=1)
    for transition in (seen[0], seen[-1]):
        assert {"chapters", "powers", "revealed"} <= transition[-1].keys()
    assert (seen[0][-1]["revealed"] >= 0).all()
    assert all("revealed" not in transition[-1] for transition in seen[1:-1])
    assert (seen[-1][-1]["powers"] >= 0).all()


def test_arrays_that_a_caller_keeps_or_overwrites_change_nothing() -> None:
    env, untouched = (made(chapters="memory", max_turns=9) for _ in range(2))
    generator = np.random.default_rng(3)
    _, info = env.reset(seed=1)
    _, expected = untouched.reset(seed=1)
    kept = []
    done = False
    while not done:
        action = random_action(expected["action_mask"], generator)
        observation, _, _, _, info = env.step(action)
        seen, _, terminated, truncated, expected = untouched.step(action)
        assert_same((observation, info), (seen, expected), "after arrays were overwritten")
        kept.append((seen, expected, copy.deepcopy((seen, expected))))
        for array in (observation, info["action_mask"], env.action_masks()):
            array[:] = 1
        done = terminated or truncated
    for seen, details, copied in kept:
        assert_same((seen, details), copied, "what was handed out has changed since")


# Rewards and ends.


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(
    ("position", "winner"), [(WHITE_WINS, "white"), (BLACK_WINS, "black"), (NOBODY_WINS, None)]
)
def test_the_end_gives_the_learner_its_reward(position: str, winner: str | None, side: str) -> None:
    """If the opponent ends the game inside reset, the next step reports it.

    It does so whatever is played.
    """

    def ends(game: Game) -> str:
        return "focus present"

    opponent = type("Ending", (), {"act": staticmethod(ends)})()
    env = made(opponent=opponent, side=side, max_turns=int(position.split(" ")[-1]))
    _, info = env.reset(options={"position": position})
    assert (env.game.result is not None) == (env.game.to_act != side)
    _, reward, terminated, truncated, info = env.step(action_index("focus present"))
    assert reward == reward_of(winner, side)
    assert (terminated, truncated) == (winner is not None, winner is None)
    assert info["result"] == env.game.result
    with pytest.raises(ResetNeeded, match="over"):
        env.step(0)


def test_a_loss_arrives_with_the_learners_own_last_transition() -> None:
    losses = 0
    env = made(side="random", chapters="growth")
    generator = np.random.default_rng(1)
    env.reset(seed=1)
    for _ in range(40):
        seen = episode(env, generator)
        assert [reward for _, reward, *_ in seen[1:-1]] == [0.0] * (len(seen) - 2)
        assert not any(terminated or truncated for _, _, terminated, truncated, _ in seen[1:-1])
        assert seen[-1][1] == reward_of(env.game.winner, env.side)
        losses += seen[-1][1] == -1.0
        assert isinstance(seen[-1][1], float)
    assert 5 < losses < 35


@pytest.mark.parametrize("games", [60, pytest.param(300, marks=pytest.mark.slow)])
@pytest.mark.parametrize("side", [*SIDES, "random"])
def test_wins_and_losses_balance_against_random_play(side: str, games: int) -> None:
    env = made(side=side, max_turns=300)
    env.reset(seed=seed_of(side, games))
    generator = np.random.default_rng(seed_of(side, games))
    ends = Counter(episode(env, generator)[-1][1] for _ in range(games))
    assert ends[1.0] + ends[-1.0] > 0.9 * games, ends
    deviation = (ends[1.0] - ends[-1.0]) / games**0.5
    assert abs(deviation) < 4, f"{deviation:.1f} standard errors from balance: {ends}"


def test_the_turn_limit_truncates_without_a_reward() -> None:
    for side in SIDES:
        env = made(max_turns=3, side=side, opponent=first_legal)
        seen = episode(env, np.random.default_rng(1), seed=1)
        assert seen[-1][1:4] == (0.0, False, True)
        assert seen[-1][4]["result"] == "*"


def test_an_episode_that_the_opponent_ends_inside_reset_has_one_step() -> None:
    env = made(side="black", max_turns=1)
    _, info = env.reset(seed=1)
    assert env.game.result == "*"
    assert not info["action_mask"].any()
    _, reward, terminated, truncated, info = env.step(5)
    assert (reward, terminated, truncated) == (0.0, False, True)
    assert "illegal_action" not in info


def test_an_opponent_that_may_concede_at_once_does_not_break_a_loop_over_episodes() -> None:
    env = made(side="black", **TALK)
    generator = np.random.default_rng(1)
    env.reset(seed=1)
    lengths = Counter(len(episode(env, generator)) - 1 for _ in range(60))
    assert lengths[1] > 0, f"the opponent was to concede at once in some episodes: {lengths}"


# Invalid actions.


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("position", VARIED)
def test_an_illegal_action_loses_and_is_explained(position: str, side: str) -> None:
    env = made(side=side, max_turns=300)
    for illegal in (0, 1, -1):
        _, info = env.reset(options={"position": position}, seed=1)
        before = env.game.position
        if env.game.result is not None:
            continue
        action = int(np.flatnonzero(info["action_mask"] == 0)[illegal])
        observation, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (-1.0, True, False)
        assert env.game.position == before
        assert info["illegal_action"] == action
        assert "is not legal" in info["reason"]
        assert not info["action_mask"].any()
        assert env.observation_space.contains(observation)
        with pytest.raises(ResetNeeded, match="over"):
            env.step(0)
    env.reset()
    assert env.game.result is None


@pytest.mark.parametrize(
    "action",
    [
        79,
        -1,
        10**9,
        "nonsense",
        "choose 1",
        "choose 2",
        np.array([0]),
        1.5,
        None,
        True,
        np.array([1, 2]),
        np.float64(1),
    ],
)
def test_anything_but_an_action_is_refused_and_changes_nothing(action: Any) -> None:
    env = made()
    env.reset(seed=1)
    with pytest.raises(UnknownActionError):
        env.step(action)
    assert env.game.position == START
    assert env.step(0)[1:4] == (0.0, False, False)


@pytest.mark.parametrize("kind", [int, np.int8, np.int64, np.uint32, np.array])
def test_actions_may_be_whole_numbers_of_any_kind(kind: Callable[[int], Any]) -> None:
    env = made()
    env.reset(seed=1)
    env.step(kind(0))
    assert env.game.history == [0]
    _, reward, _, _, info = env.step(kind(0))
    assert reward == -1
    assert type(info["illegal_action"]) is int


def test_calls_before_reset_are_reported() -> None:
    env = made()
    for call in (lambda: env.step(0), lambda: env.game, lambda: env.action_masks()):
        with pytest.raises(ResetNeeded, match="reset"):
            call()


def test_the_step_that_reports_an_end_inside_reset_takes_any_number_but_nothing_else() -> None:
    env = made(side="black", max_turns=1)
    env.reset(seed=1)
    for action in ("choose 1", None, 1.0, True):
        with pytest.raises(UnknownActionError):
            env.step(action)
    assert env.step(5)[3]


# Opponents.


@pytest.mark.parametrize(
    "opponent",
    [
        "random",
        RandomAgent(seed=1),
        First(),
        FirstByName(),
        Remembering(),
        first_legal,
        from_what_it_sees,
    ],
)
@pytest.mark.parametrize("side", SIDES)
def test_opponents_of_every_form_play_the_other_side(opponent: Any, side: str) -> None:
    env = made(opponent=opponent, side=side, max_turns=12)
    episode(env, np.random.default_rng(1), seed=1)
    game = Game(max_turns=12)
    seen = Counter()
    for action in env.game.history:
        seen[game.to_act] += 1
        game.play(action)
    assert game == env.game
    assert min(seen.values()) > 10, seen


def test_an_agent_is_asked_for_each_action_of_its_side_and_sees_the_game() -> None:
    agent = First()
    env = made(opponent=agent, max_turns=2)
    env.reset()
    for name in ("choose 1", "move east", "move east"):
        env.step(action_index(name))
        assert agent.asked == 0
    env.step(action_index("focus present"))
    assert agent.asked == 4
    assert env.game.result == "*"


def test_a_function_sees_the_game_from_its_own_side() -> None:
    seen = []

    def opponent(observation: np.ndarray, info: dict[str, Any]) -> int:
        seen.append((observation, info))
        return int(info["action_mask"].argmax())

    env = made(opponent=opponent, side="black")
    env.reset()
    game = Game()
    assert len(seen) == 4
    for observation, info in seen:
        assert info.keys() == {"action_mask", "to_act", "game"}
        assert (SIDES[info["to_act"]], info["game"]) == (game.to_act, 0) == ("white", 0)
        assert observation.tobytes() == game.observation("white").tobytes()
        assert info["action_mask"].tobytes() == game.action_mask().tobytes()
        game.play(int(info["action_mask"].argmax()))


def test_a_drafting_opponent_that_moves_in_between_leaves_the_learner_to_act() -> None:
    env = made(timeline="draft_powers", opponent=from_what_it_sees, draws=True)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        generator = np.random.default_rng(seed)
        for _ in range(10):
            assert env.game.to_act == "white"
            _, _, terminated, truncated, info = env.step(
                random_action(info["action_mask"], generator)
            )
            if terminated or truncated:
                break


@pytest.mark.parametrize(
    "opponent", [never_legal, lambda *_: 79, lambda *_: "nonsense", lambda *_: None]
)
def test_an_opponent_that_plays_illegally_is_an_error_and_ends_the_episode(opponent: Any) -> None:
    env = made(opponent=opponent)
    env.reset()
    for name in ("choose 1", "move east", "move east"):
        env.step(action_index(name))
    with pytest.raises(IllegalActionError):
        env.step(action_index("focus present"))
    assert env.game.to_act == "black"
    with pytest.raises(ResetNeeded):
        env.step(0)
    with pytest.raises(IllegalActionError):
        env.reset(options={"side": "black"})
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset()
    env.step(0)


def test_an_opponents_own_error_comes_through_and_ends_the_episode() -> None:
    def opponent(*_: Any) -> int:
        raise ZeroDivisionError

    env = made(opponent=opponent)
    env.reset()
    with pytest.raises(ZeroDivisionError):
        env.reset(options={"side": "black"})
    with pytest.raises(ResetNeeded):
        env.step(0)


@pytest.mark.parametrize("opponent", ["nonsense", "self", "", None, 5, [], {}])
def test_anything_but_an_opponent_is_refused(opponent: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^opponent={re.escape(repr(opponent))}") as refused:
        made(opponent=opponent)
    assert refused.value.keyword == "opponent"


# Resets: sides, positions, seeds.


@pytest.mark.parametrize("side", SIDES)
def test_the_learner_plays_the_side_it_was_given(side: str) -> None:
    env = made(side=side)
    for seed in range(5):
        _, info = env.reset(seed=seed)
        assert env.side == SIDES[info["side"]] == env.game.to_act == side


def test_a_random_side_is_drawn_again_for_each_game() -> None:
    env = made(side="random")
    env.reset(seed=1)
    sides = Counter(SIDES[env.reset()[1]["side"]] for _ in range(200))
    assert abs(sides["white"] - sides["black"]) < 70, sides


def test_a_side_in_the_options_holds_for_one_game() -> None:
    env = made()
    assert env.reset(options={"side": "black"})[1]["side"] == 1
    assert env.reset()[1]["side"] == 0
    assert {env.reset(options={"side": "random"})[1]["side"] for _ in range(40)} == {0, 1}


@pytest.mark.parametrize("side", ["White", "white_0", "", 0, True, ["white"]])
def test_an_invalid_side_is_refused(side: Any) -> None:
    with pytest.raises(ConfigError, match=r"^side=.*'white', 'black' or 'random'"):
        made(side=side)
    env = made()
    with pytest.raises(ConfigError, match=r"^side="):
        env.reset(options={"side": side})


@pytest.mark.parametrize("side", SIDES)
def test_reset_takes_a_position(side: str) -> None:
    env = made(side=side, max_turns=300, edition="2022", opponent=first_legal)
    for position in VARIED:
        env.reset(options={"position": position})
        game = Game(position=position, max_turns=300, edition="2022")
        while game.result is None and game.to_act != side:
            game.play(game.legal_actions()[0])
        assert env.game == game
    env.reset(options={})
    assert env.game.turn <= 2, "a position holds for one reset only"


@pytest.mark.parametrize("seed", [-1, 1.0, True, "1", [1], np.True_])
def test_an_invalid_seed_is_refused_and_changes_nothing(seed: Any) -> None:
    env = made(chapters="convergence", side="random")
    env.reset(seed=8)
    before = state_of(env)
    with pytest.raises(ConfigError, match=r"^seed=.* None or an integer from 0$"):
        env.reset(seed=seed)
    assert_same(state_of(env), before, "after a refused seed")


def state_of(env: Any) -> Any:
    return (
        env.game.position,
        env.game.history,
        env.side,
        copy.deepcopy(env.np_random.bit_generator.state),
    )


@pytest.mark.parametrize(
    "options",
    [
        {"position": "nonsense"},
        {"position": 5},
        {"position": with_fields(START, turn="201")},
        {"side": "nonsense"},
        {"nonsense": 1},
        {"side": "white", "reset_mask": None},
        [],
        "side",
        5,
    ],
)
def test_a_refused_reset_leaves_the_episode_and_its_randomness(options: dict[str, Any]) -> None:
    env = made(chapters="convergence", side="random")
    _, info = env.reset(seed=8)
    env.step(int(info["action_mask"].argmax()))
    before = state_of(env)
    with pytest.raises((PositionError, ConfigError)):
        env.reset(seed=9, options=options)
    assert_same(state_of(env), before, "after a refused reset")
    env.step(int(env.game.action_mask().argmax()))


@pytest.mark.parametrize("settings", [{}, {"chapters": "convergence"}, {"timeline": "power_share"}])
@pytest.mark.parametrize("opponent", ["random", Remembering(), from_what_it_sees])
def test_the_same_seed_gives_the_same_episodes_over_several_resets(
    settings: dict[str, Any], opponent: Any
) -> None:
    series = []
    for _ in range(2):
        env, generator = (
            made(side="random", max_turns=6, opponent=opponent, **settings),
            np.random.default_rng(5),
        )
        series.append(
            [episode(env, generator, seed=5), *(episode(env, generator) for _ in range(4))]
        )
    assert_same(*series, "two series of episodes after the same seed")


def test_different_seeds_give_different_episodes() -> None:
    env = made()
    episodes = [episode(env, np.random.default_rng(1), seed=seed) for seed in range(3)]
    assert difference(episodes[0], episodes[1])
    assert difference(episodes[1], episodes[2])


# Copies.


def clone(env: Any) -> Any:
    return env.unwrapped.clone()


def pickled(env: Any) -> Any:
    return pickle.loads(pickle.dumps(env))


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
@pytest.mark.parametrize("opponent", ["random", Remembering(), from_what_it_sees])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_copy_goes_on_identically_and_apart(
    copied: Callable[[Any], Any], opponent: Any, wrapped: bool
) -> None:
    env = gymnasium.make(ID, opponent=opponent, chapters="convergence", side="random", max_turns=9)
    env = env if wrapped else env.unwrapped
    _, info = env.reset(seed=4)
    for _ in range(6):
        _, _, _, _, info = env.step(random_action(info["action_mask"], np.random.default_rng(4)))
    twin = copied(env)
    before = state_of(env.unwrapped)
    futures = []
    for one in (twin, env):
        assert_same(state_of(env.unwrapped), before, "the copied environment has to stay as it was")
        assert_same(state_of(one.unwrapped), before, "a copy just made")
        generator = np.random.default_rng(6)
        done, future, latest = False, [], info
        while not done:
            future.append(one.step(random_or_any(latest, generator)))
            _, _, terminated, truncated, latest = future[-1]
            done = terminated or truncated
        futures.append([*future, episode(one, generator), episode(one, generator)])
    assert_same(*futures, "this and the next episodes of a copy and of the copied environment")


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
def test_an_environment_can_be_copied_before_its_first_reset(copied: Callable[[Any], Any]) -> None:
    env = copied(made(chapters="growth", render_mode="ansi"))
    with pytest.raises(ResetNeeded):
        env.step(0)
    env.reset(seed=1)
    assert env.game == Game(chapters="growth")


@pytest.mark.parametrize("copied", [clone, copy.deepcopy, pickled])
def test_copies_from_before_the_first_reset_play_games_of_their_own(
    copied: Callable[[Any], Any],
) -> None:
    """Some makers of vector environments copy one environment, and reset the copies unseeded."""
    env = gymnasium.make(ID, opening_turns=4)
    starts = set()
    for one in [env, *(copied(env) for _ in range(3))]:
        one.reset()
        starts.add(one.unwrapped.game.position)
    assert len(starts) > 1


# Drawing, and how it is made.


def test_render_in_ansi_mode_returns_the_drawing() -> None:
    env = gymnasium.make(ID, render_mode="ansi", side="white")
    env.reset()
    env.step(0)
    assert env.render() == str(env.unwrapped.game)
    assert "[W]" in env.render()


def test_without_a_render_mode_nothing_is_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    env = made()
    env.reset()
    env.step(0)
    assert env.render() is None
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("mode", ["rgb", "", "ANSI"])
@pytest.mark.filterwarnings(
    "ignore:.*The environment is being initialised with render_mode:UserWarning"
)
def test_a_wrong_render_mode_is_refused(mode: Any) -> None:
    with pytest.raises(ConfigError, match=r"^render_mode=.*'human' or 'ansi' or 'rgb_array'"):
        made(render_mode=mode)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [("chapters", "nonsense"), ("nonsense", 1), ("max_turns", 0), ("powers", ("brushwood", None))],
)
def test_invalid_settings_are_refused_by_name(keyword: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{keyword}="):
        made(**{keyword: value})


def test_settings_reach_the_game() -> None:
    settings = {
        "chapters": 1,
        "edition": "2022",
        "first_player": "black",
        "handicap": (1, 3),
        "max_turns": 7,
        **TALK,
    }
    env = made(**settings)
    assert env.config == GameConfig(**settings)
    env.reset()
    assert env.game.config == env.config
    assert env.game.first_player == "black"


def test_gymnasium_makes_many_of_them_side_by_side() -> None:
    envs = gymnasium.make_vec(ID, num_envs=3, vectorization_mode="sync", chapters="growth")
    observations, info = envs.reset(seed=1)
    assert observations.shape == (3, 84, 4, 4)
    assert info["action_mask"].shape == (3, 79)
    envs.step(info["action_mask"].argmax(1))
    envs.close()


@pytest.mark.parametrize(
    "make", [gymnasium.make, partial(gymnasium.make_vec, num_envs=2)], ids=["one", "many"]
)
def test_a_wrong_keyword_is_answered_with_those_of_the_environment_and_of_the_game(
    make: Any,
) -> None:
    with pytest.raises(UnknownKeywordError, match="opponnt='greedy'") as refused:
        make(ID, opponnt="greedy")
    for known in (
        "opponent",
        "side",
        "opening_turns",
        "chapters",
        "draws",
        "did you mean 'opponent'?",
    ):
        assert known in str(refused.value)


def test_an_info_with_constant_keys_has_them_in_every_step_and_no_text() -> None:
    env = gymnasium.make(
        "tkm_env/TKM-v0", constant_info=True, powers=("brushwood", None), chapters=1
    )
    _, first = env.reset(seed=1)
    info, over = first, False
    while not over:
        _, _, terminated, truncated, info = env.step(int(info["action_mask"].argmax()))
        over = terminated or truncated
        for key, value in info.items():
            assert np.asarray(value).dtype.kind in "iu", f"{key}: {value!r}"
            assert np.shape(value) == np.shape(first[key]), key
        assert info.keys() == first.keys()
        assert info["illegal_action"] == -1
    assert first["totals"].sum() == 0 < info["totals"].sum()
    assert info["powers"].tolist() == first["powers"].tolist()


def test_an_info_with_constant_keys_says_which_action_was_illegal() -> None:
    env = gymnasium.make("tkm_env/TKM-v0", constant_info=True)
    _, first = env.reset(seed=1)
    *_, info = env.step(78)
    assert info["illegal_action"] == 78
    assert info.keys() == first.keys()


def test_games_lost_by_illegal_actions_warn_once() -> None:
    env = gymnasium.make("tkm_env/TKM-v0")
    for seed in range(9):
        env.reset(seed=seed)
        env.step(78)
    env.reset(seed=9)
    with pytest.warns(UserWarning, match="^10 of the first 10 games were lost by illegal actions"):
        env.step(78)
    for seed in range(15):
        env.reset(seed=seed)
        env.step(78)
