"""What PPO in PureJaxRL's style depends on: whose reward, whose value, and new games.

Without the extra ``[jax]``, the tests are skipped and say so.
"""

from __future__ import annotations

import runpy
from functools import cache
from typing import Any

import numpy as np
import pytest

from tests.package.libraries.table import ROOT
from tkm_env.learn import zero_sum_gae

pytest.importorskip("jax", reason="needs the extra [jax]")

import jax
import jax.numpy as jnp

GAMES, STEPS = 16, 250


@cache
def program() -> dict[str, Any]:
    return runpy.run_path(str(ROOT / "examples/libraries/jax_ppo.py"))


@cache
def random_play() -> tuple[Any, Any]:
    """The states before each step, and the last, and what the steps returned."""
    env, step = program()["ENV"], program()["step"]

    def one(states: Any, key: Any) -> Any:
        choosing, resetting = jax.random.split(key)
        actions = jax.random.categorical(
            choosing, jnp.where(states.legal_action_mask, 0.0, -jnp.inf)
        )
        after, *rest = jax.vmap(step)(jax.random.split(resetting, GAMES), states, actions)
        return after, (states, *rest)

    keys = jax.random.split(jax.random.key(1), GAMES)
    last, (states, reward, same, done) = jax.jit(
        lambda states: jax.lax.scan(one, states, jax.random.split(jax.random.key(2), STEPS))
    )(jax.vmap(env.init)(keys))
    every = jax.tree.map(lambda a, b: np.concatenate([a, b[None]]), states, last)
    return every, tuple(np.asarray(part) for part in (reward, same, done))


def test_a_game_that_ends_begins_again_in_the_same_step() -> None:
    states, (reward, _, done) = random_play()
    assert done.sum() > GAMES / 2
    assert not states.over.any()
    begun = np.asarray(program()["ENV"].init(jax.random.key(3)).record)
    assert (states.record[1:][done] == begun).all()
    assert not reward[~done].any()
    assert (reward[done] != 0).mean() > 0.9


def test_the_sign_changes_only_where_the_player_does() -> None:
    states, (reward, same, done) = random_play()
    players = states.current_player
    going_on = ~done
    assert (same[going_on] == (players[1:] == players[:-1])[going_on]).all()
    assert 0.6 < same.mean() < 0.9

    values = np.random.default_rng(4).normal(size=(STEPS + 1, GAMES)).astype(np.float32)
    kept = dict.fromkeys(("action", "log_prob", "obs", "mask"), jnp.zeros(STEPS))
    batch = program()["Transition"](
        done=jnp.asarray(done),
        same=jnp.asarray(same),
        reward=jnp.asarray(reward),
        value=jnp.asarray(values[:-1]),
        **kept,
    )
    ours = program()["advantages_of"](batch, jnp.asarray(values[-1]), 0.997, 0.95)
    theirs, _ = zero_sum_gae(reward, values, done, players, gamma=0.997, lam=0.95)
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
