"""Pure functions for JAX play the games of `Batch`.

Without the extra ``[jax]``, the tests are skipped and say so.
"""

from __future__ import annotations

from operator import itemgetter
from typing import Any

import numpy as np
import pytest

from tests.cases import CHAPTER_SETS, EDITIONS
from tests.games.tictactoe import SPEC
from tkm_env import ArrayError, Batch, ConfigError, Game, TerminusBatch, TerminusGame, register_game
from tkm_env.compiled.decorators import COMPILES
from tkm_env.core.batch import BaseBatch
from tkm_env.core.registry import game_spec, registered_games
from tkm_env.evaluation import solve

pytest.importorskip("jax", reason="needs the extra [jax]")

import jax
import jax.numpy as jnp

from tkm_env.adapters import jax as adapter
from tkm_env.adapters.jax import JaxEnv, JaxState

SETTINGS: list[dict[str, Any]] = [
    *(
        {"chapters": chapters, "edition": edition}
        for chapters in CHAPTER_SETS
        for edition in EDITIONS
    ),
    {
        "chapters": "convergence",
        "concede": True,
        "draws": True,
        "max_turns": 20,
        "handicap": (0, 2),
        "first_player": "black",
    },
    {"powers": ("doorway", None)},
    {"timeline": "draft_powers", "edition": "2022"},
    {"timeline": "power_share", "power_set": "random"},
    {"game": "terminus"},
]
GAMES = 40


@pytest.fixture(params=["compiled", "callback"])
def route(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Both ways in which JAX reaches the rules."""
    if request.param == "callback":
        monkeypatch.setattr(adapter, "_target", lambda function: None)
    elif not COMPILES:
        pytest.skip("nothing is compiled")
    return str(request.param)


def begun(env: JaxEnv, seed: int = 1) -> tuple[JaxState, BaseBatch[Any]]:
    """The same games, as states and as a batch."""
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(seed), GAMES))
    batch = (Batch if env.game_class is Game else TerminusBatch)(GAMES, env.config)
    for number in range(GAMES):
        state = jax.tree.map(itemgetter(number), states)
        batch.set_game(number, env.game_of(state))
    return states, batch


def differences(states: JaxState, batch: BaseBatch[Any]) -> list[str]:
    """Which fields of the states are not what the batch says."""
    wanted = {
        "record": np.ascontiguousarray(batch.states).view(np.uint32).reshape(GAMES, -1),
        "legal_action_mask": batch.masks,
        "current_player": batch.to_act,
        "terminated": batch.over & ~batch.truncated,
        "truncated": batch.truncated,
    }
    return [
        name
        for name, array in wanted.items()
        if not np.array_equal(np.asarray(getattr(states, name)), array)
    ]


def actions_for(batch: BaseBatch[Any], generator: np.random.Generator) -> np.ndarray:
    """Random actions: mostly legal ones, also illegal ones and such as do not exist."""
    legal = np.where(batch.over, 0, batch.random_actions())
    return np.where(
        generator.random(GAMES) < 0.99, legal, generator.integers(-3, batch.num_actions + 3, GAMES)
    )


@pytest.mark.slow
@pytest.mark.parametrize("settings", SETTINGS)
def test_states_are_those_of_a_batch_until_all_games_are_over(
    route: str, settings: dict[str, Any]
) -> None:
    env, generator = JaxEnv(**settings), np.random.default_rng(1)
    states, batch = begun(env)
    step, earned = jax.jit(jax.vmap(env.step)), np.zeros((GAMES, 2))
    while not batch.over.all():
        actions = actions_for(batch, generator)
        exists = (actions >= 0) & (actions < batch.num_actions)
        batch.play(np.where(exists, actions, batch.masks.argmin(1)))
        states = step(states, jnp.asarray(actions))
        earned += states.rewards
        assert differences(states, batch) == [], settings
    assert (earned == batch.rewards).all()
    assert not step(states, jnp.zeros(GAMES, jnp.int32)).rewards.any()


@pytest.mark.parametrize(
    ("game", "shown"),
    [(game, shown) for game in ("tkm", "terminus") for shown in ("planes", "compact")],
)
def test_observations_are_those_of_a_batch(route: str, game: str, shown: str) -> None:
    for canonical in (False, True) if game == "tkm" else (False,):
        env = JaxEnv(game, observation=shown, canonical=canonical)
        states, batch = begun(env)
        for _ in range(20):
            wanted = batch.new_observations(env.encoder)
            for viewers in (batch.to_act, np.zeros(GAMES, np.int64), np.ones(GAMES, np.int64)):
                batch.observe(wanted, viewers, env.encoder)
                seen = jax.vmap(env.observe)(states, jnp.asarray(viewers))
                assert seen.dtype == wanted.dtype
                assert np.array_equal(seen, wanted), (game, shown, canonical)
            masks = np.zeros_like(batch.masks)
            env.encoder.write_masks(batch.masks, batch.to_act, masks)
            assert np.array_equal(states.legal_action_mask, masks)
            shown_actions = masks.argmax(1)
            batch.play(
                np.where(batch.over, 0, env.encoder.own_actions(shown_actions, batch.to_act))
            )
            states = jax.vmap(env.step)(states, jnp.asarray(shown_actions))


def test_one_call_serves_scans_and_nested_vmaps(route: str) -> None:
    env = JaxEnv(chapters="growth")

    def first_legal(state: JaxState, _: None) -> tuple[JaxState, Any]:
        return env.step(state, state.legal_action_mask.argmax()), None

    def play(key: Any) -> JaxState:
        return jax.lax.scan(first_legal, env.init(key), None, length=30)[0]

    many = jax.jit(jax.vmap(jax.vmap(play)))(jax.random.split(jax.random.key(0), (2, 3)))
    game = Game(env.config)
    for _ in range(30):
        game.play(game.legal_actions()[0])
    assert many.record.shape[:2] == (2, 3)
    for number in np.ndindex(2, 3):
        state = jax.tree.map(itemgetter(number), many)
        assert env.game_of(state) == game


def test_step_leaves_its_argument_as_it_was(route: str) -> None:
    env = JaxEnv()
    state = env.init(jax.random.key(0))
    before = jax.tree.map(np.array, state)
    env.step(state, int(state.legal_action_mask.argmax()))
    assert all(map(np.array_equal, before, state))


@pytest.mark.parametrize("settings", [{"chapters": "convergence"}, {"game": "terminus"}])
def test_a_key_decides_what_is_left_to_chance(route: str, settings: dict[str, Any]) -> None:
    env = JaxEnv(**settings)
    init = jax.vmap(env.init)
    first, again = (init(jax.random.split(jax.random.key(1), 64)).record for _ in range(2))
    assert np.array_equal(first, again)
    assert len(np.unique(np.asarray(first), axis=0)) >= 3


def test_both_ways_draw_the_same_games(monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = JaxEnv("terminus").init(jax.random.key(7))
    monkeypatch.setattr(adapter, "_target", lambda function: None)
    assert np.array_equal(compiled.record, JaxEnv("terminus").init(jax.random.key(7)).record)


def test_states_of_zeros_are_games_that_anything_loses(route: str) -> None:
    env = JaxEnv()
    zeros = jax.tree.map(jnp.zeros_like, env.init(jax.random.key(0)))
    assert env.step(zeros, 3).rewards.tolist() == [-1, 1]


@pytest.mark.parametrize("game", [Game(chapters="memory", max_turns=7), TerminusGame(seed=3)])
def test_states_come_from_games_and_lead_back(game: Any) -> None:
    settings = (
        {"chapters": "memory", "max_turns": 7} if isinstance(game, Game) else {"game": "terminus"}
    )
    env = JaxEnv(**settings)
    game = game.copy()
    while True:
        state = env.state_of(game)
        assert env.game_of(state) == game
        assert np.array_equal(state.legal_action_mask, game.action_mask())
        assert bool(state.over) == (game.result is not None)
        if game.result is not None:
            break
        game.play(game.legal_actions()[-1])


def test_games_begin_at_each_of_the_given_positions() -> None:
    game = Game()
    first = game.position
    game.play(game.legal_actions()[0])
    env = JaxEnv(positions=[first, game.position])
    states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 32))
    begun = [env.game_of(jax.tree.map(itemgetter(n), states)).position for n in range(32)]
    assert set(begun) == {first, game.position}


@pytest.mark.parametrize("turns", [4, pytest.param(6, marks=pytest.mark.slow)])
def test_value_iteration_on_the_small_game_finds_its_values(turns: int) -> None:
    preset = game_spec("tkm").presets["Small"]
    env = JaxEnv(positions=[preset.position], max_turns=turns)
    play_all = jax.jit(jax.vmap(jax.vmap(env.step, (None, 0)), (0, None)))
    actions = jnp.arange(env.num_actions)
    start = jax.tree.map(lambda leaf: leaf[None], env.init(jax.random.key(0)))
    indices: dict[bytes, int] = {np.asarray(start.record[0]).tobytes(): 0}
    layers, edges, new = [start], [], start
    while len(new.record):
        after = play_all(new, actions)
        edges_of_layer = np.full(after.terminated.shape, -1)
        fresh = []
        for place in zip(*np.nonzero(np.asarray(new.legal_action_mask)), strict=True):
            key = np.asarray(after.record[place]).tobytes()
            if key not in indices:
                indices[key] = len(indices)
                fresh.append(place)
            edges_of_layer[place] = indices[key]
        edges.append(edges_of_layer)
        rows = tuple(np.array(fresh, int).reshape(-1, 2).T)
        new = jax.tree.map(lambda leaf, rows=rows: leaf[rows], after)
        layers.append(new)
    states = jax.tree.map(lambda *leaves: np.concatenate(leaves), *layers)
    children, legal = np.concatenate(edges), states.legal_action_mask
    sign = np.where(states.current_player == 0, 1, -1)[:, None]
    values, before = states.rewards[:, 0].copy(), None
    while not np.array_equal(values, before):
        before = values.copy()
        best = sign[:, 0] * np.where(legal, sign * values[children], -np.inf).max(1)
        values = np.where(legal.any(1), best, values)
    solution = solve(env.game_of(jax.tree.map(itemgetter(0), start)))
    assert len(values) == len(solution)
    for number in range(0, len(values), 97):
        game = env.game_of(jax.tree.map(itemgetter(number), states))
        assert solution.value(game) == values[number], game.position


def test_what_is_wrong_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    env = JaxEnv()
    state = env.init(jax.random.key(0))
    monkeypatch.setattr("tkm_env.core.registry._SPECS", dict(registered_games()))
    register_game(SPEC)
    for error, call in (
        (ArrayError, lambda: env.step(state, jnp.zeros(3, jnp.int32))),
        (ArrayError, lambda: env.step(state, 1.0)),
        (ArrayError, lambda: env.game_of(jax.tree.map(lambda leaf: leaf[None], state))),
        (ArrayError, lambda: env.game_of(state._replace(record=state.record + 1))),
        (ConfigError, lambda: env.state_of(Game(chapters="growth"))),
        (ConfigError, lambda: env.state_of(TerminusGame())),
        (ConfigError, lambda: JaxEnv("chess")),
        (ConfigError, lambda: JaxEnv(SPEC.name)),
        (ConfigError, lambda: JaxEnv(colour="red")),
        (ConfigError, lambda: JaxEnv("terminus", canonical=True)),
        (ConfigError, lambda: JaxEnv(positions=[])),
        (ConfigError, lambda: JaxEnv(positions=["nowhere"])),
        (ConfigError, lambda: JaxEnv("terminus", positions=[TerminusGame().visible_position])),
    ):
        with pytest.raises(error):
            call()
