"""Other libraries' games, played in the same way; each library is imported when measured."""

from __future__ import annotations

from importlib import import_module
from random import random
from typing import Any

from benchmarks.speed.ours import aec
from benchmarks.speed.work import Work, rate


def classic(module: str, face: str) -> Work:
    """A PettingZoo game, by its module below `pettingzoo.classic` and its constructor's name."""
    return aec(getattr(import_module(f"pettingzoo.classic.{module}"), face))


def open_spiel(name: str) -> Work:
    """An OpenSpiel game with legal mask, observation tensor and random legal actions."""
    spiel: Any = import_module("pyspiel")
    rules = spiel.load_game(name)

    def play() -> int:
        steps = 0
        state = rules.new_initial_state()
        while not state.is_terminal():
            state.legal_actions_mask()
            state.observation_tensor()
            legal = state.legal_actions()
            state.apply_action(legal[int(random() * len(legal))])
            steps += 1
        return steps

    return rate(play)


def pgx(games: int, *, name: str) -> Work:
    """A pgx game: one compiled, vectorized call for a step of all games.

    Actions are random and legal, and resets automatic.
    """
    jax: Any = import_module("jax")
    env: Any = import_module("pgx").make(name)
    step: Any = import_module("pgx.experimental").auto_reset(env.step, env.init)

    def play_all(states: Any, key: Any) -> Any:
        key, for_actions, for_steps = jax.random.split(key, 3)
        logits = jax.numpy.where(states.legal_action_mask, 0.0, -jax.numpy.inf)
        actions = jax.random.categorical(for_actions, logits, axis=-1)
        return jax.vmap(step)(states, actions, jax.random.split(for_steps, games)), key

    compiled = jax.jit(play_all)
    reached = [
        (
            jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), games)),
            jax.random.PRNGKey(1),
        )
    ]

    def play() -> int:
        reached[0] = jax.block_until_ready(compiled(*reached[0]))
        return games

    return rate(play)
