"""A pool of opponents: draws, players, tallies, and changes while games are played."""

from __future__ import annotations

import copy
import gc
import pickle
import subprocess
import sys
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from tests.envs.comparison import (
    assert_same,
    first_legal,
    from_what_it_sees,
    never_legal,
    random_legal,
)
from tests.envs.pool_training import Training
from tests.games.tkm.positions import WHITE_WINS, random_action
from tkm_env import ConfigError, IllegalActionError, OpponentPool
from tkm_env.compiled.decorators import COMPILES
from tkm_env.players import GreedyAgent, RandomAgent

ID = "tkm_env/TKM-v0"
MODES = list(AutoresetMode)
LEARNER = np.random.default_rng


def made(pool: Any, num_envs: int = 4, **settings: Any) -> Any:
    return gymnasium.make_vec(
        ID, num_envs, opponent=pool, **{"side": "random", "max_turns": 3} | settings
    )


def steps(envs: Any, number: int, seed: int = 1) -> Iterator[tuple[Any, ...]]:
    """Yield what random steps return, after a reset with the seed.

    With `AutoresetMode.DISABLED`, games that end are reset.
    """
    generator = LEARNER(seed)
    observations, info = envs.reset(seed=seed)
    yield observations, info
    for _ in range(number):
        step = envs.step(random_legal(info["action_mask"], generator))
        yield step
        info, done = step[-1], step[2] | step[3]
        if envs.autoreset_mode == AutoresetMode.DISABLED and done.any():
            observations, info = envs.reset(options={"reset_mask": done})
            yield observations, info


class Noting:
    """A player that notes in which games it was asked."""

    def __init__(self, name: str) -> None:
        self.__name__ = name
        self.games: list[int] = []

    def __call__(self, observation: Any, info: dict[str, Any]) -> Any:
        self.games += info["game"].tolist()
        return first_legal(observation, info)


# Who is drawn.


def test_members_are_drawn_in_proportion_to_their_weights() -> None:
    games = 2000 if COMPILES else 200
    envs = made(
        OpponentPool(["random", first_legal, from_what_it_sees, "greedy"], weights=[1, 0, 3, 0]),
        games,
    )
    drawn = Counter(envs.reset(seed=1)[1]["opponent"].tolist())
    assert set(drawn) == {0, 2}
    assert abs(drawn[2] / games - 0.75) < 4 * (0.75 * 0.25 / games) ** 0.5


def test_one_game_draws_too() -> None:
    env: Any = gymnasium.make(
        ID, opponent=OpponentPool(["random", first_legal], weights=[1, 3]), max_turns=1
    )
    drawn = Counter()
    env.reset(seed=1)
    for _ in range(200):
        _, info = env.reset()
        assert type(info["opponent"]) is int
        drawn[info["opponent"]] += 1
    assert abs(drawn[1] - 150) < 25


def test_who_was_drawn_plays_the_game_from_beginning_to_end() -> None:
    players = [Noting("a"), Noting("b"), Noting("c")]
    envs = made(OpponentPool(players), 6)
    seen: set[int] = set()
    before, ended = None, np.ones(6, np.bool_)
    for *_, info in steps(envs, 60):
        drawn = info["opponent"]
        assert (drawn.dtype, drawn.shape) == (np.int64, (6,))
        if before is not None:
            assert_same(drawn[~ended], before[~ended], "who plays games in progress")
        for number, player in enumerate(players):
            assert {*drawn[player.games].tolist()} <= {number}
            player.games.clear()
        seen.update(drawn.tolist())
        before, ended = drawn, info.get("_result", np.zeros(6, np.bool_))
    assert seen == {0, 1, 2}


def test_the_end_names_who_played_not_who_plays_next() -> None:
    """With `AutoresetMode.SAME_STEP` the next opponent has been drawn by then."""
    envs = made(
        OpponentPool(["random", first_legal, from_what_it_sees]),
        8,
        autoreset_mode=AutoresetMode.SAME_STEP,
    )
    playing, differ = None, 0
    for *_, info in steps(envs, 60):
        if "final_info" in info:
            ended, final = info["_final_info"], info["final_info"]
            assert_same(final["opponent"][ended], playing["opponent"][ended], "who played")
            assert_same(final["side"][ended], playing["side"][ended], "the side")
            assert_same(final["_opponent"], ended, "mask")
            differ += int((final["opponent"] != info["opponent"])[ended].sum())
        playing = info
    assert differ


def test_a_pool_of_one_plays_as_that_one() -> None:
    """A pool draws after the sides and before the first move, and a function draws nothing."""
    alone = [step[0] for step in steps(made(first_legal, side="black"), 25)]
    pooled = [step[0] for step in steps(made(OpponentPool([first_legal]), side="black"), 25)]
    assert_same(alone, pooled, "observations")


@pytest.mark.parametrize("mode", MODES)
def test_each_game_depends_on_its_own_seed_only(mode: AutoresetMode) -> None:
    settings = {"timeline": "power_share", "autoreset_mode": mode}
    pool = ["random", from_what_it_sees, first_legal]
    envs = made(OpponentPool(pool), 3, **settings)
    alone = [made(OpponentPool(pool), 1, **settings) for _ in range(3)]
    _, info = envs.reset(seed=20)
    infos = [one.reset(seed=20 + number)[1] for number, one in enumerate(alone)]
    generator = LEARNER(1)
    for _ in range(40):
        assert info["opponent"].tolist() == [one["opponent"][0] for one in infos]
        actions = random_legal(info["action_mask"], generator)
        *arrays, info = envs.step(actions)
        done = arrays[2] | arrays[3]
        for number, one in enumerate(alone):
            *theirs, infos[number] = one.step(actions[number : number + 1])
            for array, other in zip(arrays, theirs, strict=True):
                assert_same(array[number], other[0], f"game {number}")
            if mode == AutoresetMode.DISABLED and done[number]:
                infos[number] = one.reset()[1]
        if mode == AutoresetMode.DISABLED and done.any():
            _, info = envs.reset(options={"reset_mask": done})


@pytest.mark.usefixtures("threads_for_few_games")
@pytest.mark.parametrize(
    "opponents", [("random", "greedy"), ("random", from_what_it_sees)], ids=["agents", "function"]
)
def test_the_number_of_threads_changes_nothing(opponents: tuple[Any, ...]) -> None:
    series = [
        [*steps(made(OpponentPool(opponents), 40, num_threads=threads, chapters="growth"), 15)]
        for threads in (1, 3)
    ]
    assert_same(*series, "one thread and three")


@pytest.mark.parametrize(
    "copied",
    [copy.deepcopy, lambda envs: pickle.loads(pickle.dumps(envs))],
    ids=["deepcopy", "pickle"],
)
def test_a_copy_goes_on_identically_and_apart(copied: Callable[[Any], Any]) -> None:
    pool = OpponentPool(["random", GreedyAgent(), first_legal])
    envs = made(pool)
    for *_, last in steps(envs, 10):
        info = last
    twin = copied(envs)
    assert twin.opponent is not pool
    twin_steps, own_steps = [], []
    for one, seen in ((twin, twin_steps), (envs, own_steps)):
        generator, known = LEARNER(2), info
        for _ in range(20):
            seen.append(one.step(random_legal(known["action_mask"], generator)))
            known = seen[-1][-1]
    assert_same(twin_steps, own_steps, "a copy and what was copied")
    assert twin.opponent.tallies == pool.tallies


def test_agents_are_seeded_with_the_environment() -> None:
    series = [[*steps(made(OpponentPool([RandomAgent(), "greedy"])), 20)] for _ in range(2)]
    assert_same(*series, "two environments with the same seed")


# What is counted.


@pytest.mark.parametrize("mode", MODES)
def test_every_game_is_counted_once_for_the_member_that_played_it(mode: AutoresetMode) -> None:
    pool = OpponentPool({"one": first_legal, "two": "random", "greedy": "greedy"})
    envs = made(
        pool, 16 if COMPILES else 4, autoreset_mode=mode, max_turns=20, positions=[WHITE_WINS]
    )
    counted: dict[str, Counter[float]] = {name: Counter() for name in pool.names}
    for *step, info in steps(envs, 120 if COMPILES else 30):
        if len(step) == 4:
            _, rewards, terminations, truncations = step
            done = terminations | truncations
            played = info.get("final_info", info)
            for number in done.nonzero()[0]:
                counted[pool.names[played["opponent"][number]]][rewards[number]] += 1
    assert {
        name: (count[1.0], count[0.0], count[-1.0]) for name, count in counted.items()
    } == pool.tallies
    wins, draws, losses = map(sum, zip(*pool.tallies.values(), strict=True))
    assert wins > 0
    assert losses > 0
    assert sum(tally.games for tally in pool.tallies.values()) == wins + draws + losses
    pool.clear_tallies()
    assert {*pool.tallies.values()} == {(0, 0, 0)}


def test_single_games_are_counted_too() -> None:
    pool = OpponentPool(["random", first_legal])
    env: Any = gymnasium.make(ID, opponent=pool, side="random", max_turns=3)
    generator, counted = LEARNER(1), Counter()
    env.reset(seed=1)
    for game in range(20):
        _, info = env.reset()
        over = False
        while not over:
            mask = info["action_mask"]
            action = int(mask.argmin()) if game % 5 == 0 else random_action(mask, generator)
            _, reward, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        counted[pool.names[info["opponent"]], reward] += 1
    for name, tally in pool.tallies.items():
        assert tally == (counted[name, 1.0], counted[name, 0.0], counted[name, -1.0])
    assert sum(tally.games for tally in pool.tallies.values()) == 20
    assert sum(tally.losses for tally in pool.tallies.values()) >= 4, "illegal actions lose"


# What changes while games are played.


def test_a_new_member_plays_in_games_that_begin_afterwards() -> None:
    pool, new = OpponentPool([first_legal]), Noting("new")
    envs = made(pool, 6, max_turns=6)
    _, info = envs.reset(seed=1)
    generator = LEARNER(1)
    pool.add("new", new, weight=1e9)
    ended = np.zeros(6, np.bool_)
    while not (info["opponent"] == 1).all():
        assert_same(info["opponent"] == 1, ended, "games that began after it came")
        assert {*new.games} <= {*ended.nonzero()[0].tolist()}
        done = info.get("_result", np.zeros(6, np.bool_))
        *_, info = envs.step(random_legal(info["action_mask"], generator))
        ended |= done
    assert new.games


def test_a_removed_member_plays_its_games_to_the_end_and_is_let_go() -> None:
    leaving = Noting("leaving")
    pool = OpponentPool([leaving, first_legal])
    envs = made(pool, 6)
    _, info = envs.reset(seed=1)
    assert 0 in info["opponent"]
    generator, gone = LEARNER(1), weakref.ref(leaving)
    pool.remove("leaving")
    asked = len(leaving.games)
    while 0 in info["opponent"]:
        *_, info = envs.step(random_legal(info["action_mask"], generator))
    assert len(leaving.games) > asked
    assert pool.names == ("leaving", "first_legal")
    assert pool.tallies.keys() == {"first_legal"}
    del leaving
    gc.collect()
    assert gone() is None
    pool.add("leaving", "random")
    assert pool.names == ("leaving", "first_legal", "leaving"), "a number is used once"


def test_weights_change_for_games_that_begin_afterwards() -> None:
    pool = OpponentPool(["random", first_legal])
    envs = made(pool, 40)
    assert {*envs.reset(seed=1)[1]["opponent"].tolist()} == {0, 1}
    pool.set_weights({"random": 0})
    assert pool.weights == {"random": 0.0, "first_legal": 1.0}
    assert {*envs.reset()[1]["opponent"].tolist()} == {1}


def test_environments_share_a_pool() -> None:
    pool = OpponentPool([first_legal])
    one, many = gymnasium.make(ID, opponent=pool), made(pool)
    pool.add("late", from_what_it_sees)
    pool.remove("first_legal")
    assert one.reset(seed=1)[1]["opponent"] == 1
    assert many.reset(seed=1)[1]["opponent"].tolist() == [1] * 4


@pytest.mark.parametrize("observation", ["planes", "compact"])
def test_functions_and_models_see_what_the_environment_shows(observation: str) -> None:
    class Model:
        def predict(self, observation: Any, action_masks: Any) -> Any:
            seen.add((observation.dtype, observation.shape[1:]))
            return action_masks.argmax(1)

    seen: set[Any] = set()
    envs = made(OpponentPool([Model(), Noting("a")]), 8, observation=observation)
    for one, *_ in steps(envs, 5):
        shown = (one.dtype, one.shape[1:])
    envs.set_opponent(Model())
    envs.reset()
    assert seen == {shown}


def test_names_come_from_the_players() -> None:
    class Model:
        def predict(self, observation: Any, action_masks: Any = None) -> Any:
            return action_masks.argmax(1)

    assert OpponentPool(["greedy:seconds=1", RandomAgent(), first_legal, Model()]).names == (
        "greedy:seconds=1",
        "random",
        "first_legal",
        "Model",
    )
    assert (
        repr(OpponentPool({"a": "random", "b": "greedy"}, [1, 0.5]))
        == "OpponentPool('a': 1, 'b': 0.5)"
    )


# Refusals.


@pytest.mark.parametrize(
    ("members", "weights", "named"),
    [
        ([], None, "members"),
        ({}, None, "members"),
        ("random", None, "members"),
        (None, None, "members"),
        (["random", "random"], None, "name"),
        ([first_legal, first_legal], None, "name"),
        ({"": "random"}, None, "name"),
        ({1: "random"}, None, "name"),
        ([5], None, "player"),
        ([GreedyAgent], None, "player"),
        ([OpponentPool(["random"])], None, "player"),
        (["random"], [], "weights"),
        (["random"], [1, 2], "weights"),
        (["random"], "1", "weights"),
        (["random"], {"random": 1}, "weights"),
        (["random"], 1, "weights"),
        (["random", "greedy"], [0, 0], "weights"),
        *(
            (["random", "greedy"], [1, weight], "weights")
            for weight in (-1, np.nan, np.inf, "1", None, True)
        ),
    ],
)
def test_anything_but_a_pool_is_refused(members: Any, weights: Any, named: str) -> None:
    with pytest.raises(ConfigError, match=f"^{named}="):
        OpponentPool(members, weights)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (lambda pool: pool.add("random", "greedy"), "name"),
        (lambda pool: pool.add("new", 5), "player"),
        (lambda pool: pool.add("new", "clever"), "player"),
        (lambda pool: pool.add("new", "greedy", weight=-1), "weight"),
        (lambda pool: pool.remove("new"), "name"),
        (lambda pool: pool.remove("random"), "name"),
        (lambda pool: pool.set_weights({"new": 1}), "name"),
        (lambda pool: pool.set_weights({"first_legal": 1, "random": np.nan}), "weights"),
        (lambda pool: pool.set_weights({"random": 0}), "weights"),
        (lambda pool: pool.set_weights([1, 2]), "weights"),
    ],
)
def test_a_refused_change_changes_nothing(
    change: Callable[[OpponentPool], None], named: str
) -> None:
    pool = OpponentPool(["random", first_legal], [1, 0])
    made(pool)
    with pytest.raises(ConfigError, match=f"^{named}="):
        change(pool)
    assert (pool.names, pool.weights) == (
        ("random", "first_legal"),
        {"random": 1.0, "first_legal": 0.0},
    )


def test_an_environment_refuses_a_member_that_does_not_play_its_game() -> None:
    pool = OpponentPool(["alphabeta", "random"])
    made(pool)
    with pytest.raises(ConfigError, match=r"^opponent='alphabeta'"):
        gymnasium.make_vec("tkm_env/Terminus-v0", 2, opponent=pool)


def test_a_member_that_plays_illegally_is_an_error() -> None:
    envs = made(OpponentPool({"fair": first_legal, "unfair": never_legal}), 6, side="black")
    with pytest.raises(IllegalActionError, match="opponent"):
        envs.reset(seed=1)


def test_a_training_saved_in_its_middle_goes_on_alike_in_another_process(tmp_path: Path) -> None:
    """The file holds environments with their streams, the pool with its results, and the policy."""
    training = Training(seed=5)
    training.curve(70)
    saved = tmp_path / "training.pickle"
    saved.write_bytes(pickle.dumps(training))
    answer = subprocess.run(
        [sys.executable, "-m", "tests.envs.pool_training", saved, "80"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
    )
    assert answer.returncode == 0, answer.stderr.decode()
    resumed, wanted = pickle.loads(answer.stdout), training.curve(80)
    assert resumed == wanted
    assert len({member for _, drawn, _ in wanted[:-1] for member in drawn}) > 2
