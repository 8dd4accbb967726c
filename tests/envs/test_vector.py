"""Gymnasium for many games, compared with its own vector environment over single ones.

Also self-play, seeds, threads and refusals.
"""

from __future__ import annotations

import copy
import itertools
import pickle
from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.vector import AutoresetMode, SyncVectorEnv, VectorEnv
from gymnasium.wrappers import TimeLimit
from gymnasium.wrappers.vector import (
    DictInfoToList,
    DtypeObservation,
    FlattenObservation,
    RecordEpisodeStatistics,
    RescaleObservation,
)

from tests.cases import each_setting
from tests.envs.comparison import (
    SETTINGS,
    WITHOUT_DRAWS,
    assert_row_is,
    assert_same,
    first_legal,
    from_what_it_sees,
    never_legal,
    random_legal,
)
from tests.games.tkm.positions import TALK, random_action
from tests.games.tkm.random_games import power_pairs, seed_of
from tkm_env import (
    ArrayError,
    ConfigError,
    Game,
    GameConfig,
    IllegalActionError,
    UnknownActionError,
)
from tkm_env.core.random_agent import RandomAgent
from tkm_env.envs.single import GameEnv
from tkm_env.games.tkm.config_values import TIMELINES
from tkm_env.games.tkm.engine.state import EDITIONS, PLAYERS

ID = "tkm_env/TKM-v0"
MODES = list(AutoresetMode)


def made(num_envs: int = 4, **settings: Any) -> Any:
    return gymnasium.make_vec(ID, num_envs=num_envs, **settings)


@pytest.fixture(params=MODES, ids=lambda mode: mode.name)
def mode(request: pytest.FixtureRequest) -> AutoresetMode:
    return request.param


def legal(info: dict[str, Any], generator: np.random.Generator) -> np.ndarray:
    return random_legal(info["action_mask"], generator)


def random_steps(envs: Any, info: dict[str, Any], steps: int, seed: int = 0) -> list[Any]:
    """Return everything that some random steps return.

    With `AutoresetMode.DISABLED`, games that end are reset explicitly.
    """
    generator = np.random.default_rng(seed)
    seen = []
    for _ in range(steps):
        seen.append(envs.step(legal(info, generator)))
        _, _, terminations, truncations, info = seen[-1]
        done = terminations | truncations
        if envs.metadata["autoreset_mode"] == AutoresetMode.DISABLED and done.any():
            seen.append(envs.reset(options={"reset_mask": done}))
            info = seen[-1][-1]
    return seen


# As Gymnasium's own vector environment over single ones.


def final(info: dict[str, Any], key: str, number: int) -> Any:
    """What an info says about the end of one game, or None."""
    info = info.get("final_info", info)
    return info[key][number] if key in info and info[f"_{key}"][number] else None


def assert_step_is(step: Any, expected: Any, about: str) -> None:
    """Everything returned by a step, or a reset, is what Gymnasium's vector environment returns."""
    *arrays, info = step
    *wanted, wanted_info = expected
    games = range(len(arrays[0]))
    illegal = np.array(
        [final(wanted_info, "illegal_action", number) is not None for number in games]
    )
    for name, one, other in zip(
        ("observations", "rewards", "terminations", "truncations"), arrays, wanted, strict=False
    ):
        assert one.dtype == other.dtype, f"{name} {about}"
        # Which position a game that was lost by an illegal action shows is left open.
        shown = (
            np.ones(len(games), np.bool_)
            if name != "observations" or "final_obs" in wanted_info
            else ~illegal
        )
        assert_same(one[shown], other[shown], f"{name} {about}")
    assert_same(info["action_mask"], wanted_info["action_mask"], f"masks {about}")
    assert info["side"].tolist() == list(wanted_info["side"]), f"sides {about}"
    assert ("final_obs" in info) == ("final_obs" in wanted_info) == ("final_info" in info), about
    for number in games:
        for key in ("result", "illegal_action"):
            if key == "illegal_action" or not illegal[number]:
                assert final(info, key, number) == final(wanted_info, key, number), (
                    f"{key} of game {number} {about}"
                )
    if "final_obs" in info:
        for key in ("_final_obs", "_final_info"):
            assert_same(info[key], wanted_info[key], f"{key} {about}")
        assert info["final_obs"].dtype == object
        for number in (~illegal).nonzero()[0]:
            assert_same(
                info["final_obs"][number],
                wanted_info["final_obs"][number],
                f"final observation of game {number} {about}",
            )


def both(mode: AutoresetMode, games: int, **settings: Any) -> tuple[Any, SyncVectorEnv]:
    return made(games, autoreset_mode=mode, **settings), SyncVectorEnv(
        [lambda: GameEnv("tkm", **settings)] * games, autoreset_mode=mode
    )


COMPARED = [
    *((name, ("white", "black")[number % 2], 4) for number, name in enumerate(WITHOUT_DRAWS)),
    ("memory-2021", "white", 1),
    ("memory-2021", "black", 1),
    ("growth-2022", "black", 2),
]


@pytest.mark.parametrize(("name", "side", "max_turns"), COMPARED)
def test_every_step_is_as_with_gymnasiums_own_vector_environment(
    mode: AutoresetMode, name: str, side: str, max_turns: int
) -> None:
    """Some games also end as they begin.

    They do if the learner goes second and has one turn, or against a talkative opponent.
    """
    settings = {
        **SETTINGS[name],
        "side": side,
        "max_turns": max_turns,
        "opponent": from_what_it_sees,
    }
    envs, expected = both(mode, 4, **settings)
    generator = np.random.default_rng(seed_of(name, side))
    ends = 0
    actual, wanted = envs.reset(seed=1), expected.reset(seed=1)
    assert_step_is(actual, wanted, "after reset")
    for step in range(40):
        about = f"after {step + 1} steps of {name}, {mode.name}"
        actions = np.where(
            generator.random(4) < 0.03, generator.integers(79, size=4), legal(wanted[-1], generator)
        )
        actual, wanted = envs.step(actions), expected.step(actions)
        assert_step_is(actual, wanted, about)
        done = actual[2] | actual[3]
        ends += done.sum()
        if mode == AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done}
            actual, wanted = envs.reset(options=options), expected.reset(options=dict(options))
            for key in (
                "action_mask",
                "side",
            ):  # Gymnasium's reports them only for games that began
                wanted[-1][key] = (
                    actual[-1][key]
                    if key == "side"
                    else np.where(done[:, None], wanted[-1][key], actual[-1][key])
                )
            wanted[-1]["side"] = list(actual[-1]["side"])
            assert_step_is(actual, wanted, f"{about} and a reset of {done}")
    assert ends >= 8, f"{ends} ends in 40 steps of 4 games"


@pytest.mark.parametrize("opponent", [from_what_it_sees, "random"], ids=["talks", "random"])
def test_a_limit_of_steps_truncates_as_gymnasiums_time_limit(
    mode: AutoresetMode, opponent: Any
) -> None:
    """Some games end in the very step that reaches the limit, and some before it."""
    settings = {"side": "random", "max_turns": 4, "opponent": opponent}
    envs = made(6, autoreset_mode=mode, max_episode_steps=7, **settings)

    def one() -> TimeLimit[Any, Any, Any, Any]:
        return TimeLimit(GameEnv("tkm", **settings), 7)

    expected = SyncVectorEnv([one] * 6, autoreset_mode=mode)
    generator = np.random.default_rng(3)
    actual, wanted = envs.reset(seed=5), expected.reset(seed=5)
    ends = Counter[tuple[bool, bool]]()
    for step in range(60):
        about = f"after {step + 1} steps, {mode.name}"
        actions = legal(wanted[-1], generator)
        actual, wanted = envs.step(actions), expected.step(actions)
        if mode == AutoresetMode.DISABLED and (done := wanted[2] | wanted[3]).any():
            for one_step, other in zip(actual[:4], wanted[:4], strict=True):
                assert_same(one_step, other, about)
            options = {"reset_mask": done}
            actual, wanted = envs.reset(options=options), expected.reset(options=dict(options))
            assert_same(actual[0], wanted[0], about)
            wanted[-1]["action_mask"] = actual[-1]["action_mask"]
        else:
            assert_step_is(actual, wanted, about)
            ends.update(zip(actual[2].tolist(), actual[3].tolist(), strict=True))
    if mode != AutoresetMode.DISABLED:
        assert ends[False, True] > 8, f"too few games reached the limit: {ends}"


def test_a_limit_of_steps_counts_whole_turns_where_these_are_the_steps() -> None:
    envs = gymnasium.make_vec("tkm_env/TKM-Turns-v0", num_envs=3, max_episode_steps=2)
    envs.reset(seed=1)
    truncations = [envs.step(np.zeros(3, np.int64))[3].tolist() for _ in range(5)]
    assert truncations == [[False] * 3, [True] * 3, [False] * 3, [False] * 3, [True] * 3]


@pytest.mark.parametrize("limit", [0, -1, 2.5, "5", True])
def test_a_limit_of_steps_must_be_a_number_from_one(limit: Any) -> None:
    with pytest.raises(ConfigError, match=r"^max_episode_steps="):
        made(max_episode_steps=limit)


# The single games, as Gymnasium's own vector environments reach them.


def test_what_each_game_has_is_read_from_it() -> None:
    envs = made(3, side="random", opponent="greedy")
    _, info = envs.reset(seed=2)
    masks = envs.call("action_masks")
    assert_same(np.array(masks), info["action_mask"].astype(np.bool_), "masks")
    assert [game.position for game in envs.get_attr("game")] == [
        envs.batch.game(number).position for number in range(3)
    ]
    assert [PLAYERS.index(side) for side in envs.get_attr("side")] == info["side"].tolist()
    assert envs.get_attr("action_space") == (envs.single_action_space,) * 3
    assert envs.get_attr("observation_space") == (envs.single_observation_space,) * 3
    assert envs.get_attr("opponent") == ("greedy",) * 3
    assert envs.call("render") == (None,) * 3


def test_what_each_game_has_is_that_of_the_turns_where_these_are_the_actions() -> None:
    envs = gymnasium.make_vec("tkm_env/TKM-Turns-v0", num_envs=3)
    _, info = envs.reset(seed=1)
    masks = np.array(envs.call("action_masks"))
    assert_same(masks, info["action_mask"].astype(np.bool_), "masks")
    assert envs.get_attr("action_space") == (envs.single_action_space,) * 3
    assert [game.result for game in envs.get_attr("game")] == [None] * 3


@pytest.mark.parametrize("name", ["nonsense", "_opponent"])
def test_an_attribute_that_no_game_has_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=name):
        made().get_attr(name)


@pytest.mark.parametrize("values", ["greedy", ["greedy"] * 4, ("greedy",) * 4])
def test_the_opponent_of_all_games_is_set(values: Any) -> None:
    envs = made(4)
    envs.set_attr("opponent", values)
    assert envs.get_attr("opponent") == ("greedy",) * 4


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("opponent", ["greedy"] * 3),
        ("opponent", ["greedy", "greedy", "random", "greedy"]),
        ("opponent", "clever"),
        ("render_mode", "ansi"),
        ("nonsense", 1),
    ],
)
def test_anything_else_that_is_set_is_refused_and_changes_nothing(name: str, values: Any) -> None:
    envs = made(4)
    with pytest.raises(ConfigError):
        envs.set_attr(name, values)
    assert envs.opponent == "random"
    assert not hasattr(envs, "nonsense")
    assert envs.render_mode is None


def test_many_games_lost_by_illegal_actions_warn_once() -> None:
    envs = made(6, autoreset_mode="SameStep")
    _, info = envs.reset(seed=1)
    info = envs.step(info["action_mask"].argmin(1))[-1]
    with pytest.warns(UserWarning, match=r"^12 of the first 12 games were lost by illegal"):
        info = envs.step(info["action_mask"].argmin(1))[-1]
    envs.step(info["action_mask"].argmin(1))


def test_next_step_mode_ignores_the_action_of_a_game_that_ended(mode: AutoresetMode) -> None:
    envs = made(2, opponent="self", max_turns=1, autoreset_mode=mode)
    _, info = envs.reset(seed=1)
    while True:
        _, rewards, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
        if truncations.any():
            break
    assert truncations.tolist() == [True, True]
    if mode == AutoresetMode.NEXT_STEP:
        assert not info["action_mask"].any()
        _, rewards, terminations, truncations, info = envs.step([78, 0])
        assert (rewards.tolist(), terminations.tolist(), truncations.tolist()) == (
            [0, 0],
            [False] * 2,
            [False] * 2,
        )
        assert "result" not in info
    if mode == AutoresetMode.DISABLED:
        assert not info["action_mask"].any()
        with pytest.raises(ResetNeeded, match="game 0 is over"):
            envs.step([0, 0])
        _, info = envs.reset(options={"reset_mask": np.array([True, False])})
        with pytest.raises(ResetNeeded, match="game 1 is over"):
            envs.step([0, 0])
        _, info = envs.reset(options={"reset_mask": np.array([False, True])})
    assert envs.batch.game(0) == envs.batch.game(1) == Game(max_turns=1)
    assert info["action_mask"].tolist() == [Game().action_mask().tolist()] * 2


def test_a_reset_of_some_games_leaves_the_others(mode: AutoresetMode) -> None:
    envs = made(5, chapters="convergence", side="random", autoreset_mode=mode)
    _, info = envs.reset(seed=1)
    observations, _, _, _, info = random_steps(envs, info, 9)[-1]
    mask = np.array([True, False, False, True, False])
    states, streams = envs.batch.states.copy(), envs.batch.streams.copy()
    observations_now, info_now = envs.reset(seed=[5, 0, 0, 6, 0], options={"reset_mask": mask})
    assert_same(observations_now[~mask], observations[~mask], "observations of games that go on")
    assert_same(
        info_now["action_mask"][~mask], info["action_mask"][~mask], "masks of games that go on"
    )
    assert_same(info_now["side"][~mask], info["side"][~mask], "sides of games that go on")
    assert envs.batch.states[~mask].tobytes() == states[~mask].tobytes()
    assert envs.batch.streams[:, ~mask].tolist() == streams[:, ~mask].tolist()
    for number, seed in ((0, 5), (3, 6)):
        alone = made(1, chapters="convergence", side="random")
        alone_observations, alone_info = alone.reset(seed=seed)
        assert_same(observations_now[number], alone_observations[0], f"game {number}, reset")
        assert info_now["side"][number] == alone_info["side"][0]
    assert (envs.batch.states["turn"][mask] <= 2).all()


@pytest.mark.parametrize("side", PLAYERS)
def test_a_reset_of_a_game_that_ended_takes_the_place_of_the_automatic_one(side: str) -> None:
    envs = made(3, side=side, max_turns=2, opponent=first_legal)
    _, info = envs.reset(seed=1)
    done = np.zeros(3, np.bool_)
    while not done.any():
        _, _, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
        done = terminations | truncations
    _, info = envs.reset(options={"reset_mask": done})
    played = info["action_mask"].argmax(1)
    _, _, _, _, info = envs.step(played)
    game = Game(max_turns=2)
    while game.to_act != side:
        game.play(game.legal_actions()[0])
    game.play(int(played[0]))
    assert envs.batch.game(0) == game, "the first action after a reset is played"


# Self-play.


@pytest.mark.parametrize("name", SETTINGS)
def test_self_play_reports_for_each_player_what_a_single_game_reports(
    mode: AutoresetMode, name: str
) -> None:
    envs = made(5, opponent="self", autoreset_mode=mode, **SETTINGS[name] | {"max_turns": 4})
    generator = np.random.default_rng(seed_of(name))
    observations, info = envs.reset(seed=seed_of(name))
    games = [envs.batch.game(number) for number in range(5)]
    done = np.zeros(5, np.bool_)
    ends: Counter[Any] = Counter()
    for _ in range(35):
        for number, game in enumerate(games):
            assert info["to_act"][number] == PLAYERS.index(game.to_act)
            assert observations[number].tobytes() == game.observation().tobytes()
            assert_row_is(game, number, states=envs.batch.states, masks=info["action_mask"])
        assert info["to_act"].dtype == np.int8
        actions = np.where(generator.random(5) < 0.03, 78, legal(info, generator))
        observations, rewards, terminations, truncations, info = envs.step(actions)
        assert info["rewards"].shape == (5, 2)
        assert info["rewards"].dtype == rewards.dtype == np.float64
        assert not info["rewards"].sum(1).any(), "what one player wins the other loses"
        for number, game in enumerate(games):
            if done[number] and mode == AutoresetMode.NEXT_STEP:
                games[number] = envs.batch.game(number)
                expected, winner, result, actor = [0, 0], None, None, 0
            else:
                actor, action = game.to_act, int(actions[number])
                illegal = action not in game.legal_actions()
                if illegal:
                    winner, result = PLAYERS[1 - PLAYERS.index(actor)], "lost"
                else:
                    game.play(action)
                    winner, result = game.winner, game.result
                expected = [
                    0 if winner is None else 1 if player == winner else -1 for player in PLAYERS
                ]
                assert rewards[number] == expected[PLAYERS.index(actor)], (
                    "the reward is that of who acted"
                )
                if result is not None:
                    assert final(info, "illegal_action", number) == (action if illegal else None)
                    assert final(info, "result", number) == (
                        result if not illegal else "0-1" if winner == "black" else "1-0"
                    )
                    ends[final(info, "result", number)] += 1
                    if mode == AutoresetMode.SAME_STEP:
                        if not illegal:
                            assert (
                                info["final_obs"][number].tobytes() == game.observation().tobytes()
                            )
                        games[number] = envs.batch.game(number)
                    else:
                        games[number] = envs.batch.game(number)
                        assert illegal or games[number] == game
            assert info["rewards"][number].tolist() == expected
            assert terminations[number] == (result not in (None, "*"))
            assert truncations[number] == (result == "*")
        done = terminations | truncations
        if mode == AutoresetMode.DISABLED and done.any():
            observations, info = envs.reset(options={"reset_mask": done})
            games = [
                envs.batch.game(number) if done[number] else game
                for number, game in enumerate(games)
            ]
    assert ends.total() >= 5, ends


@pytest.mark.parametrize("steps", [250, pytest.param(4000, marks=pytest.mark.slow)])
def test_wins_and_losses_balance_in_self_play(steps: int) -> None:
    envs = made(8 if steps == 250 else 128, opponent="self", max_turns=300)
    _, info = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    earned, decided = 0.0, 0
    for _ in range(steps):
        _, rewards, terminations, _, info = envs.step(legal(info, generator))
        earned += info["rewards"][:, 0].sum()
        decided += terminations.sum()
        assert (abs(rewards[terminations]) == 1).all()
        assert not rewards[~terminations].any()
    assert decided > 8
    assert abs(earned) / decided**0.5 < 4, (
        f"white's wins less losses are {earned} in {decided} games"
    )


@pytest.mark.parametrize("games", [10, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("side", [*PLAYERS, "random"])
def test_wins_and_losses_balance_against_random_play(
    mode: AutoresetMode, side: str, games: int
) -> None:
    """Losses arrive, too: they are the learner's -1, although the opponent made the last action."""
    envs = made(games, side=side, autoreset_mode=mode, max_turns=300)
    _, info = envs.reset(seed=seed_of(side, games, mode))
    ends: Counter[float] = Counter()
    steps = random_steps(envs, info, 130, seed=seed_of(side))
    for step in steps:
        if len(step) == 5:
            _, rewards, terminations, truncations, _ = step
            ends.update(rewards[terminations].tolist())
            assert not rewards[~terminations].any()
    decided = ends[1.0] + ends[-1.0]
    assert decided == ends.total() > games * 0.6, ends
    deviation = (ends[1.0] - ends[-1.0]) / decided**0.5
    assert abs(deviation) < 4, f"{deviation:.1f} standard errors from balance: {ends}"


# Opponents.


class First:
    """A player with a forward model."""

    def act(self, game: Game) -> int:
        return game.legal_actions()[0]


class Remembering:
    """A player that draws from what `reset` gives it."""

    def reset(self, generator: np.random.Generator) -> None:
        self.generator = generator

    def act(self, game: Game) -> int:
        return random_action(game.action_mask(), self.generator)


@pytest.mark.parametrize("opponent", ["random", RandomAgent(), First(), Remembering(), first_legal])
def test_opponents_of_every_form_leave_the_learner_to_act(
    mode: AutoresetMode, opponent: Any
) -> None:
    envs = made(5, opponent=opponent, side="random", max_turns=3, autoreset_mode=mode)
    series = []
    for _ in range(2):
        _, info = envs.reset(seed=3)
        assert (envs.batch.to_act == info["side"]).all()
        series.append(random_steps(envs, info, 30))
        for step in series[-1]:
            over = step[-1]["action_mask"].any(1)
            assert_same(
                over,
                ~(step[2] | step[3])
                if len(step) == 5 and mode != AutoresetMode.SAME_STEP
                else np.ones(5, bool),
                "masks",
            )
    assert_same(*series, "two series of steps after the same seed")
    assert {1, 0} == set(np.concatenate([step[-1]["side"] for step in series[0]]).tolist())


def test_an_agent_and_a_function_that_play_identically_give_the_same_games() -> None:
    series = []
    for opponent in (First(), first_legal):
        envs = made(4, opponent=opponent, chapters="memory", max_turns=5)
        _, info = envs.reset(seed=1)
        series.append(random_steps(envs, info, 25))
    assert_same(*series, "an agent and a function")


def test_a_function_sees_all_games_in_which_it_is_to_act_from_its_side() -> None:
    seen = []

    def opponent(observations: np.ndarray, info: dict[str, Any]) -> np.ndarray:
        seen.append((observations, info))
        return info["action_mask"].argmax(1)

    envs = made(3, opponent=opponent, side="black", chapters="growth")
    envs.reset(seed=1)
    game = Game(chapters="growth")
    assert len(seen) == 4
    for observations, info in seen:
        assert info.keys() == {"action_mask", "to_act", "game"}
        assert (info["to_act"].tolist(), info["to_act"].dtype) == ([0, 0, 0], np.int8)
        assert info["game"].tolist() == [0, 1, 2]
        assert_same(observations, np.stack([game.observation("white")] * 3), "observations")
        assert_same(info["action_mask"], np.stack([game.action_mask()] * 3), "masks")
        game.play(game.legal_actions()[0])


def test_a_function_is_told_in_which_games_it_is_to_act() -> None:
    """This lets it keep its memories of the games apart; it may write to the array."""
    asked = []

    def opponent(observations: np.ndarray, info: dict[str, Any]) -> np.ndarray:
        numbers, actions = info["game"], info["action_mask"].argmax(1)
        asked.append(numbers.copy())
        for number, observation in zip(numbers.tolist(), observations, strict=True):
            assert observation.tobytes() == envs.batch.game(number).observation().tobytes()
        numbers[:] = 0
        return actions

    envs = made(6, opponent=opponent, side="random", max_turns=3)
    _, info = envs.reset(seed=1)
    random_steps(envs, info, 30)
    assert len({len(numbers) for numbers in asked}) > 2, "sometimes in many games, sometimes in few"


def test_a_function_plays_identically_as_an_opponent_and_as_an_agent(tmp_path: Path) -> None:
    bot = tmp_path / "bot.py"
    bot.write_text("def first(observation, info):\n    return int(info['action_mask'].argmax())\n")
    series = []
    for opponent in (first_legal, f"{bot}:first"):
        envs = made(4, opponent=opponent, chapters="memory", max_turns=5)
        _, info = envs.reset(seed=1)
        series.append(random_steps(envs, info, 25))
    assert_same(*series, "a function and the same one in a file")


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        (never_legal, IllegalActionError),
        (lambda _, info: np.full(len(info["to_act"]), -1), UnknownActionError),
        (lambda _, info: np.full(len(info["to_act"]), -2), UnknownActionError),
        (lambda _, info: np.full(len(info["to_act"]), 79), UnknownActionError),
        (lambda _, info: info["action_mask"].argmax(1) + 0.5, UnknownActionError),
        (lambda _, info: info["action_mask"].argmax(1)[:-1], UnknownActionError),
        (lambda *_: 0, UnknownActionError),
        (lambda *_: None, UnknownActionError),
    ],
)
def test_an_opponent_that_plays_illegally_is_an_error_after_which_a_reset_is_needed(
    answer: Any, error: type
) -> None:
    answers = [first_legal]
    envs = made(3, opponent=lambda *seen: answers[0](*seen), side="black", **TALK)
    _, info = envs.reset(seed=1)
    answers[0] = answer
    for _ in range(3):
        _, _, _, _, info = envs.step(info["action_mask"].argmax(1))
    with pytest.raises(error, match="opponent"):
        envs.step(info["action_mask"].argmax(1))
    with pytest.raises(ResetNeeded):
        envs.step([0, 0, 0])
    with pytest.raises(ResetNeeded):
        envs.reset(options={"reset_mask": np.array([True, False, False])})
    with pytest.raises(error, match="opponent"):
        envs.reset()
    with pytest.raises(ResetNeeded):
        envs.step([0, 0, 0])
    answers[0] = first_legal
    _, info = envs.reset()
    envs.step(info["action_mask"].argmax(1))


@pytest.mark.parametrize("opponent", ["nonsense", "", None, 5, []])
def test_anything_but_an_opponent_is_refused(opponent: Any) -> None:
    with pytest.raises(ConfigError, match=r"^opponent="):
        made(opponent=opponent)


# Sides, seeds, threads.


def test_a_random_side_is_drawn_again_for_each_game() -> None:
    envs = made(300, side="random", max_turns=1)
    sides = np.concatenate([envs.reset(seed=seed)[1]["side"] for seed in (None, None)])
    assert abs(sides.sum() - 300) < 100
    assert (sides[:300] != sides[300:]).sum() > 90


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("opponent", ["self", "random", from_what_it_sees])
@pytest.mark.parametrize("num_threads", [2, 5])
def test_the_number_of_threads_changes_nothing(
    mode: AutoresetMode, opponent: Any, num_threads: int
) -> None:
    series = []
    for threads in (1, num_threads):
        settings = {"chapters": "convergence", "side": "random", "max_turns": 3}
        envs = made(60, opponent=opponent, num_threads=threads, autoreset_mode=mode, **settings)
        first = envs.reset(seed=1)
        series.append([first, *random_steps(envs, first[1], 25)])
    assert_same(*series, f"{num_threads} threads")


@pytest.mark.parametrize("opponent", ["self", "random", from_what_it_sees])
def test_each_game_depends_on_its_own_seed_only(mode: AutoresetMode, opponent: Any) -> None:
    """Game i of seed s is game 0 of seed s + i, however many games there are."""
    settings = {
        "opponent": opponent,
        "timeline": "power_share",
        "side": "random",
        "max_turns": 2,
        "autoreset_mode": mode,
    }
    envs = made(4, **settings)
    _, info = envs.reset(seed=20)
    alone = [made(1, **settings) for _ in range(4)]
    infos = [one.reset(seed=20 + number)[1] for number, one in enumerate(alone)]
    generator = np.random.default_rng(1)
    for _ in range(30):
        actions = legal(info, generator)
        *arrays, info = envs.step(actions)
        done = arrays[2] | arrays[3]
        if mode == AutoresetMode.DISABLED and done.any():
            arrays[0], info = envs.reset(options={"reset_mask": done})
        for number, one in enumerate(alone):
            *arrays_alone, infos[number] = one.step(actions[number : number + 1])
            if mode == AutoresetMode.DISABLED and done[number]:
                arrays_alone[0], infos[number] = one.reset()
            for array, other in zip(
                [*arrays, info["action_mask"]],
                [*arrays_alone, infos[number]["action_mask"]],
                strict=True,
            ):
                assert_same(array[number], other[0], f"game {number}")


def test_a_reset_without_a_seed_goes_on_with_the_randomness() -> None:
    series = []
    for _ in range(2):
        envs = made(6, chapters="convergence")
        series.append([envs.reset(seed=1), *(envs.reset() for _ in range(3))])
    assert_same(*series, "several resets after the same seed")
    assert not np.array_equal(series[0][1][0], series[0][2][0]), (
        "a reset without a seed must not repeat the last one"
    )


@pytest.mark.parametrize("seed", [5, np.int64(5), [5, 6, 7], (5, 6, 7), np.array([5, 6, 7])])
def test_seeds_may_be_one_number_or_one_for_each_game(seed: Any) -> None:
    settings = {"chapters": "convergence", "side": "random", "opponent": Remembering()}
    assert_same(
        made(3, **settings).reset(seed=seed)[0],
        made(3, **settings).reset(seed=[5, 6, 7])[0],
        "seeds",
    )


# What is handed out.


@pytest.mark.parametrize("opponent", ["self", "random", from_what_it_sees])
def test_arrays_that_a_caller_keeps_stay_as_they_are(mode: AutoresetMode, opponent: Any) -> None:
    envs = made(
        6, opponent=opponent, chapters="growth", max_turns=2, side="random", autoreset_mode=mode
    )
    kept: list[tuple[Any, Any]] = []

    def keep(*returned: Any) -> None:
        kept.append((returned, copy.deepcopy(returned)))

    observations, info = envs.reset(seed=1)
    keep(observations, info, envs.action_masks())
    generator = np.random.default_rng(1)
    for step in range(20):
        observations, rewards, terminations, truncations, info = envs.step(legal(info, generator))
        # Some steps in full, and parts of others: memory shared with a part must not be written to.
        parts = [
            observations[2],
            observations[1:5:2, :, 0],
            observations.reshape(6, -1).T,
            memoryview(observations),
        ]
        keep(
            *(
                (observations, rewards, terminations, truncations, info)
                if step % 3
                else parts[step // 3 % 3 : step // 3 % 3 + 1]
            )
        )
        if step == 9:
            view = parts[3]
            bytes_then = view.tobytes()
        done = terminations | truncations
        if mode == AutoresetMode.DISABLED and done.any():
            observations, info = envs.reset(options={"reset_mask": done})
            keep(info)
        del observations, parts
    assert view.tobytes() == bytes_then
    for number, (returned, copied) in enumerate(kept):
        assert_same(returned, copied, f"what was returned in step {number} has changed since")


def test_arrays_that_a_caller_overwrites_change_nothing(mode: AutoresetMode) -> None:
    envs, untouched = (
        made(4, chapters="memory", max_turns=2, side="random", autoreset_mode=mode)
        for _ in range(2)
    )
    _, info = envs.reset(seed=1)
    _, expected = untouched.reset(seed=1)
    generator = np.random.default_rng(1)
    for _ in range(25):
        actions = legal(expected, generator)
        step, wanted = envs.step(actions), untouched.step(actions)
        assert_same(step, wanted, "after arrays were overwritten")
        expected = wanted[-1]
        done = wanted[2] | wanted[3]
        for array in (
            *step[:4],
            step[-1]["action_mask"],
            step[-1]["side"],
            envs.action_masks(),
            actions,
        ):
            array[:] = 1
        if mode == AutoresetMode.DISABLED and done.any():
            options = {"reset_mask": done.copy()}
            envs.reset(options=options)
            _, expected = untouched.reset(options=options)
            options["reset_mask"][:] = True


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))])
def test_a_copy_goes_on_identically_and_apart(
    mode: AutoresetMode, copied: Callable[[Any], Any]
) -> None:
    envs = made(
        4, chapters="convergence", side="random", max_turns=3, autoreset_mode=mode, num_threads=2
    )
    _, info = envs.reset(seed=1)
    info = random_steps(envs, info, 10)[-1][-1]
    twin = copied(envs)
    before = envs.batch.states.tobytes(), envs.batch.streams.tolist()
    future = random_steps(twin, info, 20)
    assert (envs.batch.states.tobytes(), envs.batch.streams.tolist()) == before, (
        "the copied environment has to stay as it was"
    )
    assert_same(
        future,
        random_steps(envs, info, 20),
        "the next steps of a copy and of the copied environment",
    )


@each_setting
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_spaces_hold_what_is_reported(opponent: str, chapters: tuple[str, ...]) -> None:
    envs = made(3, opponent=opponent, chapters=chapters, max_turns=3)
    assert isinstance(envs, VectorEnv)
    assert (envs.num_envs, envs.single_action_space.n) == (3, 79)
    single = GameEnv("tkm", chapters=chapters)
    assert envs.single_observation_space == single.observation_space
    assert envs.single_action_space == single.action_space
    observations, info = envs.reset(seed=1)
    for step in [(observations, info), *random_steps(envs, info, 20)]:
        assert envs.observation_space.contains(step[0])
        assert_same(step[-1]["action_mask"].dtype, np.dtype(np.int8), "masks")
    assert_same(envs.action_masks(), random_masks(envs), "action_masks()")
    envs.action_space.seed(1)
    assert envs.action_space.sample().shape == (3,)


def random_masks(envs: Any) -> np.ndarray:
    return np.stack(
        [envs.batch.game(number).action_mask() for number in range(envs.num_envs)]
    ).astype(np.bool_)


def test_gymnasiums_statistics_of_episodes_count_every_episode(mode: AutoresetMode) -> None:
    envs = RecordEpisodeStatistics(made(4, max_turns=2, autoreset_mode=mode))
    _, info = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    ends = 0
    for _ in range(30):
        _, rewards, terminations, truncations, info = envs.step(
            random_legal(info["action_mask"], generator)
        )
        done = terminations | truncations
        if done.any():
            assert info["episode"]["r"][done].tolist() == rewards[done].tolist()
            ends += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            _, info = envs.reset(options={"reset_mask": done})
    assert ends > 4


def test_gymnasiums_statistics_add_up_what_both_players_of_self_play_earn(
    mode: AutoresetMode,
) -> None:
    """The return tells the result of the last player to act; the length counts all steps.

    The winner is in the rewards.
    """
    envs = RecordEpisodeStatistics(made(4, max_turns=60, opponent="self", autoreset_mode=mode))
    _, info = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    lengths, white, ends = np.zeros(4, int), 0.0, 0
    done = np.zeros(4, np.bool_)
    for _ in range(300):
        lengths += ~done if mode == AutoresetMode.NEXT_STEP else 1
        _, rewards, terminations, truncations, info = envs.step(
            random_legal(info["action_mask"], generator)
        )
        done = terminations | truncations
        if done.any():
            assert info["episode"]["r"][done].tolist() == rewards[done].tolist()
            if mode != AutoresetMode.SAME_STEP:  # Gymnasium 1.1 leaves a step out there
                assert info["episode"]["l"][done].tolist() == lengths[done].tolist()
            white += info["rewards"][done, 0].sum()
            ends += int(terminations.sum())
            assert abs(info["rewards"][terminations]).tolist() == [[1, 1]] * int(terminations.sum())
        lengths[done] = 0
        if mode == AutoresetMode.DISABLED and done.any():
            _, info = envs.reset(options={"reset_mask": done})
    assert ends > 4
    assert abs(white) < ends, "both players won some"


@pytest.mark.parametrize("opponent", ["self", "random"])
def test_gymnasiums_wrappers_of_observations_work_in_the_default_mode(opponent: str) -> None:
    envs = RescaleObservation(
        DtypeObservation(made(4, opponent=opponent), np.float32), np.float32(0), np.float32(1)
    )
    high = made(1).single_observation_space.high
    observations, info = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    for _ in range(100):
        plain = np.stack(
            [
                envs.unwrapped.batch.game(number).observation(PLAYERS[player])
                for number, player in enumerate(viewers(info))
            ]
        )
        np.testing.assert_allclose(observations, plain / high, atol=1e-6)
        assert envs.observation_space.contains(observations)
        observations, _, _, _, info = envs.step(random_legal(info["action_mask"], generator))


def viewers(info: dict[str, Any]) -> list[int]:
    """Whose observations these are."""
    who: np.ndarray = info["to_act"] if "to_act" in info else info["side"]
    return who.tolist()


def test_gymnasiums_wrappers_of_observations_refuse_the_same_step() -> None:
    """They would leave the last observations of games as they were."""
    with pytest.raises((AssertionError, ValueError)):
        FlattenObservation(made(4, autoreset_mode=AutoresetMode.SAME_STEP))


def test_gymnasiums_wrapper_makes_a_list_of_infos(mode: AutoresetMode) -> None:
    envs = DictInfoToList(made(4, max_turns=2, autoreset_mode=mode))
    _, infos = envs.reset(seed=1)
    generator = np.random.default_rng(1)
    ends = 0
    for _ in range(30):
        actions = random_legal(np.stack([info["action_mask"] for info in infos]), generator)
        _, rewards, terminations, truncations, infos = envs.step(actions)
        done = terminations | truncations
        for number in done.nonzero()[0]:
            details = infos[number].get("final_info", infos[number])
            assert details["result"] in ("1-0", "0-1", "*")
            ends += 1
        if mode == AutoresetMode.DISABLED and done.any():
            _, infos = envs.reset(options={"reset_mask": done})
    assert ends > 4


def test_every_key_of_info_has_a_mask_of_the_games_it_is_about(mode: AutoresetMode) -> None:
    envs = made(4, max_turns=2, autoreset_mode=mode, opponent="self")
    _, info = envs.reset(seed=1)
    steps = [info, *(step[-1] for step in random_steps(envs, info, 30))]
    assert any("_result" in info or "_final_info" in info for info in steps)
    for info in steps:
        for key, mask in info.items():
            if key.startswith("_"):
                assert (mask.shape, mask.dtype) == ((4,), np.bool_)
                assert key[1:] in info
            else:
                assert f"_{key}" in info, f"{key} has no mask"


@pytest.mark.parametrize("opponent", ["self", "random"])
@pytest.mark.parametrize("mode", ["NextStep", "Disabled"])
def test_an_info_with_constant_keys_has_them_in_every_step_and_no_text(
    mode: str, opponent: str
) -> None:
    settings = {"autoreset_mode": mode, "opponent": opponent, "max_turns": 30}
    envs, plain = made(4, constant_info=True, **settings), made(4, **settings)
    _, first = envs.reset(seed=1)
    plain.reset(seed=1)
    generator = np.random.default_rng(1)
    info, ends = first, 0
    for _ in range(300):
        actions = random_legal(info["action_mask"], generator)
        _, rewards, terminations, truncations, info = envs.step(actions)
        *_, said = plain.step(actions)
        done = terminations | truncations
        assert info.keys() == first.keys() == {*info} | {f"_{key}" for key in info if key[0] != "_"}
        for key, value in info.items():
            assert (value.shape, value.dtype) == (first[key].shape, first[key].dtype), key
            assert value.dtype.kind in "biuf", key
        assert (info["illegal_action"] == -1).all()
        assert (info["results"] != 0).tolist() == done.tolist()
        for game in done.nonzero()[0]:
            assert Game.results[int(info["results"][game])] == said["result"][game]
            ends += 1
        if mode == "Disabled" and done.any():
            for one in (envs, plain):
                _, info = one.reset(options={"reset_mask": done})
    assert ends > 4


def test_an_info_with_constant_keys_says_which_action_was_illegal() -> None:
    envs = made(2, constant_info=True)
    _, info = envs.reset(seed=1)
    *_, info = envs.step(np.array([78, int(info["action_mask"][1].argmax())]))
    assert info["illegal_action"].tolist() == [78, -1]


def test_constant_keys_are_refused_where_the_end_of_a_game_brings_objects() -> None:
    with pytest.raises(ConfigError, match=r"^constant_info=.*SAME_STEP"):
        made(autoreset_mode="SameStep", constant_info=True)


# Invalid calls.


def state_of(envs: Any) -> tuple[Any, ...]:
    return envs.batch.states.tobytes(), envs.batch.masks.tobytes(), envs.batch.streams.tolist()


@pytest.mark.parametrize(
    "actions",
    [
        np.zeros(3, int),
        np.zeros((4, 1), int),
        0,
        None,
        np.zeros(4),
        np.zeros(4, bool),
        [0, 0, 79, 0],
        [0, 0, -1, 0],
        "0000",
    ],
)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_invalid_actions_are_refused_and_change_nothing(opponent: str, actions: Any) -> None:
    envs = made(4, opponent=opponent)
    envs.reset(seed=1)
    before = state_of(envs)
    with pytest.raises(ArrayError, match=r"^invalid actions"):
        envs.step(actions)
    assert state_of(envs) == before
    envs.step([0, 0, 0, 0])


@pytest.mark.parametrize(
    "mask",
    [
        np.ones(3, bool),
        np.ones((4, 1), bool),
        np.zeros(4, bool),
        np.ones(4, int),
        [True] * 4,
        True,
        None,
    ],
)
def test_invalid_reset_masks_are_refused_and_change_nothing(mask: Any) -> None:
    envs = made(4, chapters="convergence")
    _, info = envs.reset(seed=1)
    random_steps(envs, info, 3)
    before = state_of(envs)
    with pytest.raises(ArrayError, match=r"^invalid reset_mask"):
        envs.reset(seed=2, options={"reset_mask": mask})
    assert state_of(envs) == before


@pytest.mark.parametrize(
    "seed",
    [
        -1,
        [1, 2, 3],
        [1, 2, 3, -4],
        1.5,
        "1234",
        True,
        [1, 2, 3, None],
        [1, 2, 3, True],
        np.zeros((4, 1), int),
        np.zeros(4),
        *([[1]] * 4, [1.0] * 4, {1, 2, 3, 4}, itertools.count(), (seed for seed in range(4))),
    ],
)
@pytest.mark.parametrize("opponent", ["self", "random"])
def test_invalid_seeds_are_refused_and_change_nothing(seed: Any, opponent: str) -> None:
    envs = made(4, chapters="convergence", opponent=opponent)
    with pytest.raises(ArrayError, match=r"^invalid seed"):
        envs.reset(seed=seed)
    with pytest.raises(ResetNeeded):
        envs.step([0, 0, 0, 0])
    envs.reset(seed=1)
    before = state_of(envs)
    with pytest.raises(ArrayError, match=r"^invalid seed"):
        envs.reset(seed=seed)
    assert state_of(envs) == before
    envs.step(envs.batch.masks.argmax(1))


@pytest.mark.parametrize(
    "seed", [2**64, 2**80, [2**70, 1, 2, 3], [1, 2**63, 2, 3], np.full(4, 2**64 - 1, np.uint64)]
)
def test_seeds_of_any_size_reach_games_and_opponent(seed: Any) -> None:
    series = [
        made(4, chapters="convergence", opponent=Remembering()).reset(seed=seed) for _ in range(2)
    ]
    assert_same(*series, f"two resets with the seed {seed}")


@pytest.mark.parametrize(
    "options",
    [{"position": "x"}, {"side": "black"}, {"nonsense": 1}, {None: 1}, [], "reset_mask", 5],
)
def test_options_that_are_unknown_are_refused_and_change_nothing(options: Any) -> None:
    envs = made(4, chapters="convergence")
    envs.reset(seed=1)
    before = state_of(envs)
    with pytest.raises(ConfigError, match=r"^options=.*valid keys: 'reset_mask'$"):
        envs.reset(seed=2, options=options)
    assert state_of(envs) == before


@pytest.mark.parametrize("given", [None, 1.0, [1], True, 79, 10**30, "nonsense"])
def test_an_agent_that_returns_no_action_is_an_error_of_the_opponent(given: Any) -> None:
    opponent = type("Odd", (), {"act": staticmethod(lambda game: given)})()
    for env in (
        made(2, opponent=opponent, side="black"),
        GameEnv("tkm", opponent=opponent, side="black"),
    ):
        with pytest.raises(UnknownActionError, match=r"^the opponent's action: "):
            env.reset(seed=1)


def test_a_function_that_returns_rows_of_different_lengths_is_an_error_of_the_opponent() -> None:
    with pytest.raises(UnknownActionError, match=r"^the opponent returned"):
        made(2, opponent=lambda *seen: [[1], [2, 3]], side="black").reset(seed=1)


@pytest.mark.parametrize("opponent", [First, np.zeros(3), type("Odd", (), {"act": 5})()])
def test_what_only_looks_like_an_opponent_is_refused(opponent: Any) -> None:
    for make in (made, lambda number, **settings: GameEnv("tkm", **settings)):
        with pytest.raises(ConfigError, match=r"^opponent="):
            make(2, opponent=opponent)


@pytest.mark.parametrize("mode", [np.zeros(2), [], 5, True])
def test_a_render_mode_that_is_not_text_is_refused(mode: Any) -> None:
    with pytest.raises(ConfigError, match=r"^render_mode="):
        made(2, render_mode=mode)


def test_calls_in_the_wrong_order_are_reported(mode: AutoresetMode) -> None:
    envs = made(2, autoreset_mode=mode)
    with pytest.raises(ResetNeeded, match="reset"):
        envs.step([0, 0])
    with pytest.raises(ResetNeeded, match="first reset"):
        envs.reset(options={"reset_mask": np.array([True, False])})
    envs.reset(options={"reset_mask": np.array([True, True])})
    envs.step([0, 0])
    envs.close()


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        ("num_envs", 0),
        ("num_threads", 0),
        ("side", "nonsense"),
        *(
            ("autoreset_mode", given)
            for given in ("nonsense", None, 0, [], np.zeros(2), np.void(b"xx"))
        ),
        ("autoreset_mode", None),
        ("render_mode", "human"),
        ("chapters", "nonsense"),
        ("nonsense", 1),
    ],
)
def test_invalid_settings_are_refused_by_name(keyword: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=rf"^{keyword}=") as refused:
        made(**{keyword: value})
    assert refused.value.keyword == keyword


def test_the_autoreset_mode_is_reported_and_may_be_given_by_its_value(mode: AutoresetMode) -> None:
    """Gymnasium's wrappers read the metadata, which names a member; TorchRL the attribute."""
    for given in (mode, mode.value):
        envs = made(autoreset_mode=given)
        assert envs.metadata["autoreset_mode"] is envs.autoreset_mode is mode
    assert made().autoreset_mode == AutoresetMode.NEXT_STEP
    assert "autoreset_mode" not in type(envs).metadata, "one environment's mode is not another's"


def test_settings_reach_the_games() -> None:
    settings = {
        "chapters": 1,
        "edition": "2022",
        "first_player": "black",
        "handicap": (1, 3),
        "max_turns": 7,
        **TALK,
    }
    envs = made(2, opponent="self", **settings)
    assert envs.config == GameConfig(**settings)
    envs.reset(seed=1)
    assert envs.batch.game(1) == Game(**settings)


def test_render_draws_all_games_in_ansi_mode_only() -> None:
    envs = made(2, render_mode="ansi", opponent="self")
    envs.reset(seed=1)
    envs.step([0, 0])
    assert envs.render() == tuple(str(envs.batch.game(number)) for number in range(2))
    assert "[W]" in envs.render()[0]
    assert made(2).render() is None


# At length.


class Recorded:
    """A random player that keeps its answers."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)
        self.answers: deque[tuple[np.ndarray, np.ndarray]] = deque()

    def __call__(self, observations: np.ndarray, info: dict[str, Any]) -> np.ndarray:
        self.answers.append((random_legal(info["action_mask"], self._generator), observations))
        return self.answers[-1][0]


class OneByOne:
    """The games of a vector environment played as single ones."""

    def __init__(self, envs: Any, opponent: Recorded | None) -> None:
        self._envs = envs
        self._opponent = opponent
        self.games = [Game(envs.config)] * envs.num_envs

    def begin(self, mask: np.ndarray) -> None:
        config = self._envs.config
        starts = {start.tobytes() for start in config.starts()[0]}
        for number in mask.nonzero()[0].tolist():
            # What was drawn is seen in self-play only.
            self.games[number] = Game(config) if len(starts) == 1 else self._envs.batch.game(number)
            assert self.games[number].state.tobytes() in starts

    def answer(self, info: dict[str, Any]) -> None:
        while self._opponent and (indices := self._waiting(info["side"].tolist())):
            actions, observations = self._opponent.answers.popleft()
            for number, action, observation in zip(
                indices, actions.tolist(), observations, strict=True
            ):
                assert observation.tobytes() == self.games[number].observation().tobytes(), (
                    "what the opponent saw"
                )
                self.games[number].play(action)

    def _waiting(self, sides: list[int]) -> list[int]:
        return [
            number
            for number, game in enumerate(self.games)
            if game.result is None and game.to_act != PLAYERS[sides[number]]
        ]

    def viewer(self, number: int, info: dict[str, Any]) -> str:
        return (
            self.games[number].to_act if self._opponent is None else PLAYERS[info["side"][number]]
        )

    def check(self, observations: np.ndarray, info: dict[str, Any]) -> None:
        for number, game in enumerate(self.games):
            assert_row_is(game, number, states=self._envs.batch.states, masks=info["action_mask"])
            expected = game.observation(self.viewer(number, info))
            assert observations[number].tobytes() == expected.tobytes(), (
                f"what is seen of game {number} at {game}"
            )


def play_and_compare(
    steps: int, seed: int, mode: AutoresetMode, opponent: Recorded | None, **settings: Any
) -> int:
    """That many random steps in all, each compared with single games; how many games ended."""
    games = min(200, max(2, steps // 36))  # long enough that some end
    envs = made(
        games,
        opponent=opponent or "self",
        side="random",
        autoreset_mode=mode,
        num_threads=1 + seed % 2,
        **settings,
    )
    generator = np.random.default_rng(seed)
    observations, info = envs.reset(seed=seed)
    reference = OneByOne(envs, opponent)
    reference.begin(np.ones(games, np.bool_))
    reference.answer(info)
    done = np.zeros(games, np.bool_)
    ends = 0
    for _ in range(-(-steps // games)):
        reference.check(observations, info)
        actions = legal(info, generator)
        side = info.get("side")
        observations, rewards, terminations, truncations, info = envs.step(actions)
        if mode == AutoresetMode.NEXT_STEP and done.any():
            reference.begin(done)
        actors = [
            PLAYERS[side[number]] if opponent else game.to_act
            for number, game in enumerate(reference.games)
        ]
        played = (~done).nonzero()[0].tolist() if mode == AutoresetMode.NEXT_STEP else range(games)
        for number in played:
            if reference.games[number].result is None:
                reference.games[number].play(int(actions[number]))
        reference.answer(info if mode != AutoresetMode.SAME_STEP else {"side": side})
        for number in range(games):
            game = reference.games[number]
            result = None if mode == AutoresetMode.NEXT_STEP and done[number] else game.result
            assert terminations[number] == (result not in (None, "*")), f"game {number} at {game}"
            assert truncations[number] == (result == "*"), f"game {number} at {game}"
            expected = (
                0
                if result is None or game.winner is None
                else 1
                if game.winner == actors[number]
                else -1
            )
            assert rewards[number] == expected, f"the reward in game {number} at {game}"
            assert final(info, "result", number) == result
            if result is not None and mode == AutoresetMode.SAME_STEP:
                viewer = game.to_act if opponent is None else actors[number]
                assert info["final_obs"][number].tobytes() == game.observation(viewer).tobytes()
        done = terminations | truncations
        ends += int(done.sum())
        if mode == AutoresetMode.DISABLED and done.any():
            observations, info = envs.reset(options={"reset_mask": done})
        if mode != AutoresetMode.NEXT_STEP and done.any():
            reference.begin(done)
            reference.answer(info)
    return ends


def _configurations(edition: str) -> list[tuple[str, dict[str, Any]]]:
    """Two pairs of powers for each set of chapters, drawn chapters, and drafts.

    Half of them have conceding and draws.
    """
    from tests.cases import CHAPTER_SETS

    found: list[tuple[str, dict[str, Any]]] = []
    for chapters in CHAPTER_SETS:
        generator = np.random.default_rng(seed_of(chapters, edition, "at length"))
        found += [
            ("+".join(chapters), {"chapters": chapters, "powers": pair})
            for pair in power_pairs(chapters, generator, 3)
        ]
    found += [
        ("convergence", {"chapters": "convergence"}),
        *((timeline, {"timeline": timeline}) for timeline in TIMELINES),
    ]
    return [
        (name, given | {"edition": edition} | (TALK if number % 2 else {}))
        for number, (name, given) in enumerate(found)
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("edition", EDITIONS)
def test_a_million_random_steps_agree_with_the_single_game(
    edition: str, pytestconfig: pytest.Config
) -> None:
    """Take a million steps in both editions together with ``--games 1000``.

    A step is one of the learner's in one game.
    """
    configurations = _configurations(edition)
    steps = pytestconfig.getoption("games") * 500 // len(configurations)
    ends = 0
    for number, (name, settings) in enumerate(configurations):
        seed = seed_of(name, edition, number)
        drawn = len(GameConfig(**settings).starts()[0]) > 1
        opponent = Recorded(seed) if number % 3 and not drawn else None
        ends += play_and_compare(
            steps, seed, MODES[(number + number // 3) % 3], opponent, **settings
        )
    assert ends > steps * len(configurations) / 400
