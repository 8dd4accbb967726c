"""Many games as arrays are the same games as one by one.

This holds for any number of games and threads. Refusals and copies are tested, too.
"""

from __future__ import annotations

import copy
import multiprocessing
import pickle
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.cases import each_setting
from tests.envs.comparison import PLAYED, SETTINGS, WITHOUT_DRAWS, assert_row_is, random_legal
from tests.games.tkm.positions import TALK
from tests.games.tkm.random_games import seed_of
from tkm_env import ArrayError, Batch, ConfigError, Game, GameConfig, TKMError, action_index
from tkm_env.compiled.decorators import COMPILES
from tkm_env.compiled.kernels import BEGIN, NO_ACTION
from tkm_env.compiled.random_numbers import ACTIONS
from tkm_env.games.tkm.notation import format_position

#: So many that threads take parts of them; uncompiled there is one thread only.
GAMES = 60 if COMPILES else 3
#: How many are compared with single games, each step of each.
COMPARED = 6 if COMPILES else 2
#: How many starts are drawn to be counted.
DRAWN = 2000 if COMPILES else 400
ENDED = {"1-0": 1, "0-1": 2, "1/2": 3, "*": 4}
REWARDS = {"1-0": [1, -1], "0-1": [-1, 1], "1/2": [0, 0], "*": [0, 0], None: [0, 0]}


def begun(games: int, seed: int = 1, num_threads: int = 1, **settings: Any) -> Batch:
    batch = Batch(games, num_threads=num_threads, **settings)
    batch.reset(seed=seed)
    return batch


def snapshot(batch: Batch) -> dict[str, Any]:
    """Everything a batch reports between two calls."""
    observations = batch.new_observations()
    batch.observe(observations)
    return {
        "states": batch.states.tobytes(),
        "masks": batch.masks.tobytes(),
        "results": batch.results.tolist(),
        "illegal": batch.illegal.tolist(),
        "streams": batch.streams.tolist(),
        "to_act": batch.to_act.tolist(),
        "over": batch.over.tolist(),
        "truncated": batch.truncated.tolist(),
        "rewards": batch.rewards.tolist(),
        "observations": observations.tobytes(),
    }


def assert_same(one: dict[str, Any], other: dict[str, Any], about: str) -> None:
    assert [name for name in one if one[name] != other[name]] == [], about


# The same games as one by one.


def is_start(game: Game, config: GameConfig) -> bool:
    return game.state.tobytes() in {start.tobytes() for start in config.starts()[0]}


@pytest.mark.parametrize("name", PLAYED)
def test_play_goes_as_in_single_games(name: str) -> None:
    batch = begun(COMPARED, seed_of(name), max_turns=8, **SETTINGS[name])
    games = [batch.game(number) for number in range(batch.num_games)]
    assert all(is_start(game, batch.config) for game in games)
    generator = np.random.default_rng(seed_of(name))
    observations = batch.new_observations()
    for step in range(60):
        about = f"after {step} actions of {name}"
        batch.observe(observations)
        for number, game in enumerate(games):
            assert_row_is(game, number, states=batch.states, masks=batch.masks, about=about)
            assert observations[number].tobytes() == game.observation().tobytes(), about
            assert batch.result(number) == game.result, about
            assert batch.players[batch.to_act[number]] == game.to_act, about
            assert batch.over[number] == (game.result is not None), about
            assert batch.truncated[number] == game.is_truncated, about
            assert batch.rewards[number].tolist() == REWARDS[game.result], about
        actions = np.where(batch.over, NO_ACTION, random_legal(batch.masks, generator))
        batch.play(actions)
        for game, action in zip(games, actions.tolist(), strict=True):
            if action != NO_ACTION:
                game.play(action)
    assert any(game.result for game in games)


@pytest.mark.parametrize("name", PLAYED)
def test_step_goes_as_in_single_games_and_restarts_those_that_end(name: str) -> None:
    batch = begun(COMPARED, seed_of(name), max_turns=4, **SETTINGS[name])
    games = [batch.game(number) for number in range(batch.num_games)]
    generator = np.random.default_rng(seed_of(name))
    observations = batch.new_observations()
    ends = 0
    for step in range(50):
        about = f"after {step} steps of {name}"
        actions = random_legal(batch.masks, generator)
        batch.step(actions, observations)
        for number, action in enumerate(actions.tolist()):
            games[number].play(action)
            assert batch.result(number) == games[number].result, about
            assert batch.rewards[number].tolist() == REWARDS[games[number].result], about
            if games[number].result is not None:
                ends += 1
                games[number] = batch.game(number)
                assert is_start(games[number], batch.config), about
            assert_row_is(
                games[number], number, states=batch.states, masks=batch.masks, about=about
            )
            assert observations[number].tobytes() == games[number].observation().tobytes(), about
    assert ends >= COMPARED


def test_observe_writes_what_the_given_viewers_see() -> None:
    batch = begun(4, chapters="memory")
    batch.play(batch.random_actions())
    for viewers in ([0, 0, 1, 1], [1, 0, 1, 0]):
        observations = batch.new_observations()
        batch.observe(observations, np.array(viewers))
        indices = np.array([3, 1])
        some = batch.observations_of(indices, np.array(viewers)[indices])
        for number, viewer in enumerate(viewers):
            expected = batch.game(number).observation(batch.players[viewer])
            assert observations[number].tobytes() == expected.tobytes()
            if number in indices:
                assert some[indices.tolist().index(number)].tobytes() == expected.tobytes()


def test_a_batch_can_be_played_before_any_reset() -> None:
    batch = Batch(5, chapters="growth")
    assert [batch.game(number) for number in range(5)] == [Game(chapters="growth")] * 5
    assert (batch.masks == Game(chapters="growth").action_mask()).all()
    batch.step(batch.random_actions(), batch.new_observations())
    assert not batch.illegal.any()
    assert not batch.over.any()


def test_play_leaves_games_without_an_action_and_restarts_those_asked_to() -> None:
    batch = begun(4, max_turns=1)
    names = ("choose 1", "move east", "move east", "focus present")
    for name in names[:2]:
        batch.play(np.full(4, action_index(name)))
    left = batch.game(1)
    batch.play(np.array([action_index(names[2]), NO_ACTION, BEGIN, action_index(names[2])]))
    assert batch.game(1) == left
    assert batch.game(2) == Game(max_turns=1)
    batch.play(np.array([action_index(names[3]), NO_ACTION, NO_ACTION, NO_ACTION]))
    assert batch.over.tolist() == [True, False, False, False]
    over = batch.game(0)
    batch.play(np.array([0, NO_ACTION, NO_ACTION, NO_ACTION]))
    assert batch.game(0) == over, "a game that is over stays as it is"
    assert batch.illegal.tolist() == [False] * 4
    batch.begin(np.array([True, False, False, False]))
    assert batch.game(0) == Game(max_turns=1)
    assert batch.results.tolist() == [0, 0, 0, 0]


def test_step_restarts_a_game_that_was_over_before() -> None:
    batch = begun(2)
    batch.play(np.array([78, 0]))
    assert batch.result(0) == "0-1"
    assert batch.illegal.tolist() == [True, False]
    batch.step(np.array([0, action_index("move east")]), batch.new_observations())
    assert batch.game(0) == Game()
    assert batch.illegal.tolist() == [False, False], "the illegal action was one of the step before"
    batch.step(np.zeros(2, int), batch.new_observations())
    assert batch.results.tolist()[0] == 0


# Results, rewards, illegal actions.


def lines() -> dict[str, tuple[list[str], dict[str, Any]]]:
    return {
        "0-1": (["concede"], TALK),
        "1-0": (["choose 1", "move east", "move east", "focus present", "concede"], TALK),
        "1/2": (["offer draw", "accept draw"], TALK),
        "*": (["choose 1", "move east", "move east", "focus present"], {"max_turns": 1}),
    }


@pytest.mark.parametrize("result", ENDED)
@pytest.mark.parametrize("call", ["play", "step"])
def test_each_result_is_reported_with_its_rewards(result: str, call: str) -> None:
    names, settings = lines()[result]
    batch = begun(3, **settings)
    for name in names:
        assert batch.results.tolist() == [0, 0, 0]
        assert not batch.rewards.any()
        actions = np.full(3, action_index(name))
        batch.play(actions) if call == "play" else batch.step(actions, batch.new_observations())
    assert batch.results.dtype == np.int8
    assert batch.results.tolist() == [ENDED[result]] * 3
    assert batch.result(2) == result
    assert batch.over.tolist() == [True] * 3
    assert batch.truncated.tolist() == [result == "*"] * 3
    assert batch.rewards.dtype == np.float64
    assert batch.rewards.tolist() == [REWARDS[result]] * 3
    assert batch.masks.any() == (call == "step"), "nothing is legal in a game that is over"


@pytest.mark.parametrize("call", ["play", "step"])
@pytest.mark.parametrize(
    "name", ["memory-2021", "influence-2022", "draft_powers-2021", "power_share-2022"]
)
def test_an_illegal_action_loses_at_every_step_of_a_turn(name: str, call: str) -> None:
    batch = begun(8, seed_of(name), **SETTINGS[name])
    generator = np.random.default_rng(seed_of(name, call))
    steps: Counter[int] = Counter()
    for _ in range(60):
        actors = batch.to_act.copy()
        wrong = generator.random(8) < 0.2
        steps.update(batch.states["step"][wrong].tolist())
        actions = np.where(
            wrong,
            (batch.masks + generator.random(batch.masks.shape)).argmin(1),
            random_legal(batch.masks, generator),
        )
        if call == "play":
            batch.play(actions)
        else:
            batch.step(actions, batch.new_observations())
        assert batch.illegal.tolist() == wrong.tolist()
        for number in wrong.nonzero()[0].tolist():
            assert batch.rewards[number, actors[number]] == -1
            assert batch.rewards[number].sum() == 0
        batch.begin(batch.over & (call == "play"))
    assert len(steps) >= 3, f"too few steps of a turn were tried: {steps}"


# Random numbers: seeds, games, threads.


def random_play(batch: Batch, steps: int = 25) -> list[dict[str, Any]]:
    seen = [snapshot(batch)]
    observations = batch.new_observations()
    for step in range(steps):
        actions = batch.random_actions()
        assert batch.masks[np.arange(batch.num_games), actions].all(), (
            "a random action must be legal"
        )
        batch.step(actions, observations)
        seen.append(
            snapshot(batch)
            | {"actions": actions.tolist(), "observed": observations.tobytes(), "step": step}
        )
    return seen


DRAWS = [{"chapters": "convergence", "max_turns": 3}, {"timeline": "draft_powers", "max_turns": 2}]


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("settings", DRAWS)
@pytest.mark.parametrize("num_threads", [2, 3, 7, 64] if COMPILES else [2])
def test_the_number_of_threads_changes_nothing(num_threads: int, settings: dict[str, Any]) -> None:
    one, many = (begun(GAMES, 5, threads, **settings) for threads in (1, num_threads))
    for alone, together in zip(random_play(one), random_play(many), strict=True):
        assert_same(alone, together, f"{num_threads} threads")
    for batch in (one, many):
        batch.begin(np.ones(GAMES, np.bool_))
        batch.play_at_random(1 - batch.to_act)
    assert_same(snapshot(one), snapshot(many), f"{num_threads} threads")


@pytest.mark.parametrize("settings", DRAWS, ids=str)
def test_each_game_depends_on_its_own_seed_only(settings: dict[str, Any]) -> None:
    """Game i of seed s is game 0 of seed s + i, however many games there are."""
    batch = begun(5, 40, **settings)
    observations = batch.new_observations()
    alone = [begun(1, 40 + number, **settings) for number in range(5)]
    listed = Batch(5, **settings)
    listed.reset(seed=[40, 41, 42, 43, 44])
    for _ in range(25):
        for number, one in enumerate(alone):
            assert one.states.tobytes() == batch.states[number : number + 1].tobytes(), (
                f"game {number}"
            )
            assert (one.streams[:, 0] == batch.streams[:, number]).all()
            one.step(one.random_actions(), one.new_observations())
        assert_same(snapshot(listed), snapshot(batch), "seeds in a list")
        for either in (batch, listed):
            either.step(either.random_actions(), observations)


def test_seeds_may_be_numbers_of_numpy_or_any_sequence() -> None:
    expected = snapshot(begun(3, 7, chapters="convergence"))
    for seed in (
        np.int64(7),
        np.uint8(7),
        (7, 8, 9),
        range(7, 10),
        np.array([7, 8, 9]),
        [np.int32(7), 8, 9],
    ):
        batch = Batch(3, chapters="convergence")
        batch.reset(seed=seed)
        assert_same(snapshot(batch), expected, f"seed {seed!r}")


def test_a_reset_without_a_seed_goes_on_with_the_randomness() -> None:
    series = []
    for _ in range(2):
        batch = begun(4, 3, chapters="convergence")
        seen = [snapshot(batch)]
        for _ in range(6):
            batch.reset()
            seen.append(snapshot(batch))
        series.append(seen)
    assert series[0] == series[1]
    assert len({step["states"] for step in series[0]}) > 1, (
        "a reset without a seed must not repeat the last one"
    )


def test_batches_that_were_never_seeded_differ() -> None:
    assert Batch(4).streams.tolist() != Batch(4).streams.tolist()


def test_a_reset_of_some_games_leaves_the_others() -> None:
    batch = begun(5, 2, chapters="convergence")
    for _ in range(6):
        batch.play(batch.random_actions())
    before = batch.states.copy(), batch.masks.copy(), batch.streams.T.copy()
    mask = np.array([False, True, False, True, True])
    batch.reset(seed=[0, 11, 0, 13, 14], mask=mask)
    for now, then in zip((batch.states, batch.masks, batch.streams.T), before, strict=True):
        assert now[~mask].tobytes() == then[~mask].tobytes()
    for number in (1, 3, 4):
        alone = begun(1, 10 + number, chapters="convergence")
        assert alone.states.tobytes() == batch.states[number : number + 1].tobytes()
        assert (alone.streams[:, 0] == batch.streams[:, number]).all()


def test_random_actions_are_all_legal_ones_equally_often() -> None:
    batch = begun(900, 1, chapters="influence")
    for name in ("choose 1", "move east"):
        batch.play(np.full(900, action_index(name)))
    legal = batch.game(0).legal_actions()
    counted = Counter(batch.random_actions().tolist())
    assert sorted(counted) == legal
    expected = 900 / len(legal)
    deviations = {action: (times - expected) / expected**0.5 for action, times in counted.items()}
    assert all(abs(deviation) < 5 for deviation in deviations.values()), deviations


def test_play_at_random_stops_where_the_given_player_is_to_act() -> None:
    batch = begun(20, 1, max_turns=6)
    players = np.arange(20) % 2
    for _ in range(4):
        batch.play_at_random(players)
        assert (batch.over | (batch.to_act == players)).all()
        for number in range(20):
            assert_row_is(batch.game(number), number, states=batch.states, masks=batch.masks)
        before = snapshot(batch)
        batch.play_at_random(players)
        assert_same(snapshot(batch), before, "there was nothing to play")
        batch.play(batch.random_actions())
    assert [batch.result(number) for number in range(20)] == [
        batch.game(number).result for number in range(20)
    ]


def test_numbers_are_drawn_for_the_chosen_games_only_and_lie_in_range() -> None:
    batch = begun(3000, 1)
    streams = batch.streams.copy()
    mask = np.arange(3000) % 3 > 0
    drawn = batch.draw(mask, 5)
    assert drawn.shape == (2000,)
    counted = Counter(drawn.tolist())
    assert sorted(counted) == [0, 1, 2, 3, 4]
    assert all(abs(times - 400) < 100 for times in counted.values()), counted
    changed = batch.streams != streams
    assert (changed[ACTIONS] == mask).all()
    assert not np.delete(changed, ACTIONS, 0).any(), "other purposes draw from streams of their own"


@pytest.mark.parametrize(
    "settings",
    [
        {"chapters": "convergence"},
        {"timeline": "draft_powers"},
        {"timeline": "power_share"},
        {"timeline": "draft_powers", "chapters": ("growth", "memory")},
        {"timeline": "power_share", "power_set": ("overtime", "fixation", "express", "doorway")},
    ],
)
@pytest.mark.parametrize("how", ["reset", "step"])
def test_drawn_starts_are_as_frequent_as_the_configuration_says(
    settings: dict[str, Any], how: str
) -> None:
    batch = begun(DRAWN, 1, concede=True, **settings)
    if how == "step":
        # In a draft nobody can concede; an illegal action ends the game as well.
        batch.step(batch.masks.argmin(1), batch.new_observations())
        assert batch.over.all()
    starts, chances = batch.config.starts()
    assert len(starts) > 1
    counted = Counter(state.tobytes() for state in batch.states)
    expected = {
        start.tobytes(): DRAWN * chance for start, chance in zip(starts, chances, strict=True)
    }
    assert counted.keys() <= expected.keys()
    for start, times in zip(starts, expected.values(), strict=True):
        deviation = (counted[start.tobytes()] - times) / times**0.5
        assert abs(deviation) < 5, (
            f"{format_position(start)} came {counted[start.tobytes()]} times instead of {times:.0f}"
        )


# What is refused.


REFUSED_ACTIONS: dict[str, Any] = {
    "too few": np.zeros(3, np.int64),
    "too many": np.zeros(5, np.int64),
    "two dimensions": np.zeros((4, 1), np.int64),
    "a number": 0,
    "nothing": None,
    "text": "0000",
    "floats": np.zeros(4),
    "booleans": np.zeros(4, np.bool_),
    "objects": np.zeros(4, object),
    "ragged": [[0], [0, 1], [0], [0]],
    "too high": np.array([0, 0, 79, 0]),
    "too low": np.array([0, 0, -3, 0]),
    "a huge number": np.array([0, 2**63, 0, 0], np.uint64),
    "one masked": np.ma.masked_array(np.zeros(4, np.int64), [0, 1, 0, 0]),
}


@pytest.mark.parametrize("name", REFUSED_ACTIONS)
@pytest.mark.parametrize("call", ["play", "step"])
def test_invalid_actions_are_refused_and_change_nothing(name: str, call: str) -> None:
    batch = begun(4)
    observations = batch.new_observations()
    before = snapshot(batch)
    with pytest.raises(ArrayError, match=r"^invalid actions") as refused:
        batch.play(REFUSED_ACTIONS[name]) if call == "play" else batch.step(
            REFUSED_ACTIONS[name], observations
        )
    assert refused.value.name == "actions"
    assert_same(snapshot(batch), before, name)
    assert not observations.any()


@pytest.mark.parametrize("action", [NO_ACTION, BEGIN])
def test_step_needs_an_action_in_each_game(action: int) -> None:
    batch = begun(4)
    before = snapshot(batch)
    with pytest.raises(
        ArrayError, match=f"^invalid actions: {action} at index 2; expected numbers from 0 to 78"
    ):
        batch.step(np.array([0, 0, action, 0]), batch.new_observations())
    assert_same(snapshot(batch), before, "after a refused step")


def read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


SHAPE = (4, 84, 4, 4)
REFUSED_BUFFERS: dict[str, Any] = {
    "too few": np.zeros((3, 84, 4, 4), np.int8),
    "flat": np.zeros((4, 84 * 16), np.int8),
    "another dtype": np.zeros(SHAPE, np.uint8),
    "floats": np.zeros(SHAPE, np.float32),
    "read-only": read_only(np.zeros(SHAPE, np.int8)),
    "Fortran order": np.zeros(SHAPE, np.int8, order="F"),
    "every second": np.zeros((8, 84, 4, 4), np.int8)[::2],
    "a list": [[0]],
    "nothing": None,
}


@pytest.mark.parametrize("name", REFUSED_BUFFERS)
@pytest.mark.parametrize("call", ["step", "observe"])
def test_invalid_observation_buffers_are_refused_and_change_nothing(name: str, call: str) -> None:
    batch = begun(4)
    before = snapshot(batch)
    buffer = REFUSED_BUFFERS[name]
    with pytest.raises(
        ArrayError, match=r"^invalid observations: .*; expected .*int8 array of shape .4, 84, 4, 4."
    ):
        batch.step(np.zeros(4, np.int64), buffer) if call == "step" else batch.observe(buffer)
    assert_same(snapshot(batch), before, name)
    assert not np.any(buffer[0] if isinstance(buffer, list) else buffer)


@pytest.mark.parametrize(
    "viewers", [np.zeros(3, np.int64), np.full(4, 2), np.full(4, -1), np.zeros(4), ["white"] * 4]
)
def test_invalid_viewers_and_players_are_refused(viewers: Any) -> None:
    batch = begun(4)
    before = snapshot(batch)
    with pytest.raises(ArrayError, match=r"^invalid viewers"):
        batch.observe(batch.new_observations(), viewers)
    with pytest.raises(ArrayError, match=r"^invalid viewers"):
        batch.observations_of(np.arange(4), viewers)
    with pytest.raises(ArrayError, match=r"^invalid players"):
        batch.play_at_random(viewers)
    assert_same(snapshot(batch), before, "after refused viewers")


@pytest.mark.parametrize(
    "seed",
    [
        [1, 2, 3],
        [1, 2, 3, 4, 5],
        [1, 2, 3, -4],
        -1,
        1.5,
        [1, 2, 3, 4.0],
        "1234",
        [1, 2, 3, None],
        True,
        np.zeros((4, 2), int),
        1j,
        [1, 2, 3, True],
        [1, 2, 3, np.True_],
        b"abcd",
        {1, 2, 3, 4},
        {1: 1, 2: 2, 3: 3, 4: 4},
        (seed for seed in range(4)),
        range(10**30),
    ],
)
def test_invalid_seeds_are_refused_and_change_nothing(seed: Any) -> None:
    batch = begun(4, chapters="convergence")
    batch.play(batch.random_actions())
    before = snapshot(batch)
    with pytest.raises(ArrayError, match=r"^invalid seed"):
        batch.reset(seed=seed)
    assert_same(snapshot(batch), before, f"after the refused seed {seed!r}")


@pytest.mark.parametrize(
    "mask",
    [
        np.ones(3, np.bool_),
        np.array([0, 1, 0, 1]),
        np.array([1]),
        [True, False, True],
        True,
        "1111",
    ],
)
def test_invalid_choices_of_games_are_refused_and_change_nothing(mask: Any) -> None:
    batch = begun(4, chapters="convergence")
    batch.play(batch.random_actions())
    before = snapshot(batch)
    for call in (
        lambda: batch.reset(mask=mask),
        lambda: batch.reset(5, mask),
        lambda: batch.begin(mask),
        lambda: batch.draw(mask, 2),
    ):
        with pytest.raises(ArrayError, match=r"^invalid mask"):
            call()
        assert_same(snapshot(batch), before, "after a refused choice")


@pytest.mark.parametrize(
    "number", [4, -1, 1000, 10**5000, 1.0, "1", None, True, np.True_, [1], np.array([1])]
)
def test_a_game_that_is_not_there_is_refused(number: Any) -> None:
    batch = begun(4)
    with pytest.raises(ArrayError, match=r"^invalid number: .* from 0 to 3$"):
        batch.game(number)
    with pytest.raises(ArrayError, match=r"^invalid game: .* from 0 to 3$"):
        batch.result(number)
    assert batch.game(np.int8(3)) == batch.game(3)


@pytest.mark.parametrize(
    "indices",
    [
        [4],
        [-1],
        [0, 1.5],
        [True],
        np.array([True, False, True, False]),
        [None],
        ["0"],
        0,
        [[0]],
        [[0], [1, 2]],
        [10**30],
        None,
        np.zeros(0),
    ],
)
def test_indices_of_games_that_are_not_there_are_refused(indices: Any) -> None:
    batch = begun(4)
    before = snapshot(batch)
    for ask in (
        batch.rewards_of,
        batch.results_of,
        batch.truncated_of,
        lambda indices: batch.observations_of(indices, [0]),
    ):
        with pytest.raises(ArrayError, match=r"^invalid indices: .*; expected "):
            ask(indices)
    assert_same(snapshot(batch), before, "after refused indices")


def test_indices_of_any_whole_kind_give_the_same() -> None:
    batch = begun(4, max_turns=1)
    random_play(batch, 5)

    def answers(indices: Any, viewers: Any) -> list[Any]:
        return [
            batch.rewards_of(indices),
            batch.results_of(indices),
            batch.truncated_of(indices),
            batch.observations_of(indices, viewers),
        ]

    wanted = answers(np.array([2, 0]), np.array([1, 0]))
    for kind in (
        list,
        tuple,
        np.uint8,
        lambda numbers: np.array(numbers, ">i4"),
        lambda numbers: np.array([*numbers, 9])[:2],
    ):
        assert all(map(np.array_equal, answers(kind([2, 0]), kind([1, 0])), wanted)), kind
    for nothing in ([], (), np.zeros(0, np.int64), range(0)):
        assert [len(answer) for answer in answers(nothing, nothing)] == [0, 0, 0, 0]


@pytest.mark.parametrize("below", [0, -1, 2**33, 2.0, True, None, "2", 10**5000])
def test_draws_below_invalid_bounds_are_refused(below: Any) -> None:
    batch = begun(4)
    before = snapshot(batch)
    with pytest.raises(ConfigError, match=r"^below=.* from 1 to 4294967296$"):
        batch.draw(np.ones(4, np.bool_), below)
    assert_same(snapshot(batch), before, "after a refused draw")


def test_a_game_is_made_from_one_row_of_states_and_from_nothing_else() -> None:
    batch = begun(3, chapters="growth")
    batch.play(batch.random_actions())
    for state in (batch.states[1], batch.states[1:2], batch.states[[1]]):
        assert Game.from_state(state) == batch.game(1)
    for wrong in (batch.states, batch.states[:0], batch.masks[:1], np.zeros(1)):
        with pytest.raises(ArrayError, match=r"^invalid state"):
            Game.from_state(wrong)


@pytest.mark.parametrize(
    ("keyword", "value"),
    [
        *(("num_games", value) for value in (0, -1, 2**24 + 1, 1.5, "3", None, True)),
        *(("num_threads", value) for value in (0, -1, 257, 1.0, None)),
        ("chapters", "nonsense"),
        ("nonsense", 1),
        ("config", {}),
    ],
)
def test_invalid_settings_are_refused_by_name(keyword: str, value: Any) -> None:
    with pytest.raises(ConfigError, match=f"^{keyword}=") as refused:
        Batch(**({"num_games": 2} | {keyword: value}))
    assert refused.value.keyword == keyword


def test_settings_may_come_as_a_configuration_with_changes() -> None:
    batch = Batch(2, GameConfig(chapters="growth", edition="2022"), edition="2021")
    assert batch.config == GameConfig(chapters="growth")


@pytest.mark.parametrize(
    "of",
    [
        lambda actions: np.repeat(actions, 3)[::3],
        lambda actions: read_only(actions.copy()),
        lambda actions: actions.astype(np.int32),
        lambda actions: actions.astype(np.int8),
        lambda actions: actions.astype(np.uint64),
        lambda actions: actions.astype(">i8"),
        lambda actions: actions[::-1].copy()[::-1],
        lambda actions: actions.tolist(),
        lambda actions: tuple(actions),
    ],
)
def test_actions_of_any_whole_kind_play_the_same(of: Callable[[np.ndarray], Any]) -> None:
    one, other = begun(5, 1, 2), begun(5, 1, 2)
    for call in range(8):
        actions = one.random_actions()
        other.random_actions()
        given = of(actions)
        kept = copy.deepcopy(given)
        if call % 2:
            one.play(actions)
            other.play(given)
        else:
            one.step(actions, one.new_observations())
            other.step(given, other.new_observations())
        assert np.array_equal(given, kept), "what is given is not written to"
        assert_same(snapshot(one), snapshot(other), "after the same actions in another form")


def test_observations_may_be_written_into_a_part_of_a_bigger_array() -> None:
    batch = begun(3)
    steps = np.full((5, 3, 84, 4, 4), 9, np.int8)
    for step in range(5):
        batch.step(batch.random_actions(), steps[step])
        expected = batch.new_observations()
        batch.observe(expected)
        assert np.array_equal(steps[step], expected)
        assert (steps[step + 1 :] == 9).all()


# Copies and processes.


def pickled(batch: Batch) -> Batch:
    return pickle.loads(pickle.dumps(batch))


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opening_turns", [0, 1])
@pytest.mark.parametrize("num_threads", [1, 3])
def test_a_copy_goes_on_identically_and_apart(
    copied: Callable[[Batch], Batch], num_threads: int, opening_turns: int
) -> None:
    batch = begun(GAMES, 1, num_threads, chapters="convergence", max_turns=3)
    batch.set_initial_positions(opening_turns)
    random_play(batch, 10)
    twin = copied(batch)
    before = snapshot(batch)
    assert_same(snapshot(twin), before, "a copy just made")
    played = random_play(twin)
    assert_same(snapshot(batch), before, "the copied batch has to stay as it was")
    assert played == random_play(batch)
    assert twin.config == batch.config


def test_a_game_taken_from_a_batch_is_independent() -> None:
    batch = begun(2)
    game = batch.game(1)
    before = snapshot(batch)
    game.play("choose 1")
    assert_same(snapshot(batch), before, "after playing in a game that was taken out")
    batch.play(np.array([0, 15]))
    assert game.history == [0]
    assert game == Game.from_state(batch.states[:1])


def _report(pipe: Any, batch: Batch, actions: int) -> None:
    pipe.send(random_play(batch, actions))
    pipe.close()


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs POSIX")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_threads_work_in_a_forked_process_and_afterwards_in_its_parent() -> None:
    batch = begun(GAMES, 1, 2, chapters="convergence", max_turns=3)
    random_play(batch, 3)
    expected = random_play(copy.deepcopy(batch), 10)
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    process = context.Process(target=_report, args=(sending, batch, 10))
    process.start()
    sending.close()
    try:
        assert receiving.poll(60), "the forked process hangs"
        assert receiving.recv() == expected
        process.join(60)
        assert process.exitcode == 0
    finally:
        process.kill()
    assert random_play(batch, 10) == expected


def test_all_refusals_are_errors_of_the_package() -> None:
    assert issubclass(ArrayError, TKMError)
    assert issubclass(ArrayError, ValueError)


@each_setting
def test_settings_for_the_faces_cover_every_set_of_chapters(
    chapters: tuple[str, ...], edition: str
) -> None:
    assert any(
        given["chapters"] == chapters and given["edition"] == edition
        for given in WITHOUT_DRAWS.values()
    )
