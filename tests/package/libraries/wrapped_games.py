"""Plays games at random through any wrapper, and says what came of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import VectorEnv
from pettingzoo import AECEnv, ParallelEnv

#: What White and Black earn; other results bring nothing.
EARNED = {"1-0": (1.0, -1.0), "0-1": (-1.0, 1.0)}


class Ended(NamedTuple):
    """A game that ended, or several that count as one.

    Attributes:
        rewards: what was seen to be earned, by whoever sees it.
        expected: what the result of the game says of the same.
        seen: what there was to see at the end, by name.
    """

    rewards: list[float]
    expected: list[float]
    seen: dict[str, Any]


def earned(result: str | None, player: str) -> float:
    """What the result of a game brings a player, or the agent named after one."""
    return EARNED.get(str(result), (0.0, 0.0))[("white", "black").index(player[:5])]


def chosen(mask: Any, generator: np.random.Generator) -> int:
    """A random legal action, or 0 if there is none."""
    legal = np.asarray(mask).nonzero()[0]
    return int(generator.choice(legal)) if len(legal) else 0


def masks_of(env: Any) -> Any:
    """The masks that the environment inside has, where its own kind of action is defined."""
    while "action_masks" not in dir(type(env)) and not hasattr(env, "envs"):
        env = env.env
    return [masks_of(one) for one in env.envs] if hasattr(env, "envs") else env.action_masks()


def has_same_masks(mask: Any, env: Any) -> bool:
    """Whether the masks of an info are those of the environment inside."""
    return bool((np.asarray(mask).astype(bool) == np.asarray(masks_of(env))).all())


def like(given: Any, action: Any) -> Any:
    """An action as the kind of array that the environment returns."""
    if type(given).__module__ == "torch":
        import torch

        return torch.as_tensor(action)
    return action


def contains(space: Any, observation: Any) -> bool:
    """Whether an observation, maybe a tensor, is in a space."""
    plain = observation if isinstance(observation, dict) else np.asarray(observation)
    return bool(space.contains(plain))


def one_game(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    for seed in range(1_000_000):
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            assert not strict or contains(env.observation_space, observation)
            assert not strict or has_same_masks(info["action_mask"], env)
            action = like(observation, chosen(info["action_mask"], generator))
            observation, reward, terminated, truncated, info = env.step(action)
            over = bool(terminated or truncated)
        inner = env.unwrapped
        yield Ended([float(reward)], [earned(inner.game.result, inner.side)], dict(locals()))


def many_games(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    inner = env.unwrapped
    observation, info = env.reset(seed=1)
    while True:
        assert not strict or contains(env.observation_space, observation)
        lists = isinstance(info, list)
        masks = [one["action_mask"] for one in info] if lists else info["action_mask"]
        assert not strict or has_same_masks(masks, env)
        actions = np.array([chosen(mask, generator) for mask in np.asarray(masks)])
        sides = inner.call("side")
        observation, rewards, terminated, truncated, info = env.step(like(observation, actions))
        games = inner.call("game")
        for game in np.asarray(terminated | truncated).nonzero()[0]:
            expected = earned(games[game].result, sides[game])
            yield Ended([float(rewards[game])], [expected], dict(locals()))


def stable_baselines3(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    """Games that are reset in the same step; until then nobody else can look at their results."""
    env.seed(1)
    observation = env.reset()
    while True:
        assert not strict or observation[0] in env.observation_space
        masks = env.env_method("action_masks")
        inner = [one.unwrapped for one in env.envs]
        games, sides = [one.game for one in inner], [one.side for one in inner]
        observation, rewards, done, info = env.step([chosen(mask, generator) for mask in masks])
        for game in done.nonzero()[0]:
            expected = earned(games[game].result, sides[game])
            yield Ended([float(rewards[game])], [expected], dict(locals()))


def mask_in(observation: Any, info: dict[str, Any]) -> Any:
    """The mask of an agent of PettingZoo."""
    return observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]


def mask_for(agent: str, env: Any) -> Any:
    """The mask that an agent of PettingZoo should have."""
    mask = env.game.action_mask()
    return mask if env.players[agent] == env.game.to_act else np.zeros_like(mask)


def both_players(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    inner = env.unwrapped
    for seed in range(1, 1_000_000):
        env.reset(seed=seed)
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        expected = dict(rewards)
        for agent in env.agent_iter():
            observation, reward, terminated, truncated, info = env.last()
            rewards[agent] += reward
            action, game = None, inner.game
            if not (terminated or truncated):
                assert not strict or env.observation_space(agent).contains(observation)
                mask = mask_in(observation, info)
                assert not strict or (mask == mask_for(agent, inner)).all()
                action = chosen(mask, generator)
            was_over = game.result is not None
            env.step(action)
            if game.result is not None and not was_over:
                expected = {one: expected[one] + earned(game.result, one) for one in expected}
        yield Ended([*rewards.values()], [*expected.values()], dict(locals()))


def in_parallel(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    inner = env.unwrapped
    for seed in range(1, 1_000_000):
        observations, infos = env.reset(seed=seed)
        rewards = dict.fromkeys(env.possible_agents, 0.0)
        expected = dict(rewards)
        while env.agents:
            actions = {}
            for agent, observation in observations.items():
                assert not strict or env.observation_space(agent).contains(observation)
                mask = mask_in(observation, infos[agent])
                assert not strict or (mask == mask_for(agent, inner)).all()
                actions[agent] = chosen(mask, generator)
            game = inner.game
            observations, now, terminated, _, infos = env.step(actions)
            for agent in rewards:
                rewards[agent] += now[agent]
                expected[agent] += earned(game.result, agent)
        yield Ended([*rewards.values()], [*expected.values()], dict(locals()))


def vector_of_agents(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    """SuperSuit's vectors, which have a row for each agent of each game."""
    observation, _ = env.reset(seed=1)
    parts = [one.par_env for one in getattr(env, "vec_envs", [env])]
    agents = [agent for one in parts for agent in one.possible_agents]
    while True:
        inner = [one.unwrapped for one in parts for _ in one.possible_agents]
        for agent, one, mask in zip(agents, inner, observation["action_mask"], strict=True):
            assert not strict or (mask == mask_for(agent, one)).all()
        games = [one.game for one in inner]
        actions = np.array([chosen(mask, generator) for mask in observation["action_mask"]])
        observation, rewards, terminated, truncated, info = env.step(actions)
        if (terminated | truncated).any():
            expected = [
                earned(game.result, agent) for game, agent in zip(games, agents, strict=True)
            ]
            yield Ended(rewards.tolist(), expected, dict(locals()))


def vector_of_both_players(
    env: Any, generator: np.random.Generator, strict: bool
) -> Iterator[Ended]:
    """SuperSuit's vector of PettingZoo's environments, in which one agent acts in some games."""
    env.reset(seed=1)
    while True:
        agent = env.agent_selection
        observation, *_, passes, infos = env.last()
        inner = [one.unwrapped for one in env.envs]
        for seen, info, one in zip(observation, infos, inner, strict=True):
            assert not strict or (seen["action_mask"] == info["action_mask"]).all()
            assert (
                one.game.result is not None or (seen["action_mask"] == mask_for(agent, one)).all()
            )
        games = [one.game for one in inner]
        was_over = [game.result is not None for game in games]
        env.step([chosen(info["action_mask"], generator) for info in infos])
        for number, game in enumerate(games):
            if game.result is not None and not was_over[number]:
                rewards = [float(env.rewards[one][number]) for one in env.possible_agents]
                expected = [earned(game.result, one) for one in env.possible_agents]
                yield Ended(rewards, expected, dict(locals()))


def games_through(env: Any, generator: np.random.Generator, strict: bool) -> Iterator[Ended]:
    """Play seeded games at random, through whatever a wrapper made.

    Args:
        env: what it made.
        generator: chooses among the actions that the masks allow.
        strict: whether observations and masks must be right.

    Returns:
        The games, one after the other, without an end.
    """
    if isinstance(env, gymnasium.Env):
        return one_game(env, generator, strict)
    if hasattr(env, "par_env") or hasattr(env, "vec_envs"):
        return vector_of_agents(env, generator, strict)
    if isinstance(env, VectorEnv):
        return many_games(env, generator, strict)
    if type(env).__name__ == "SyncAECVectorEnv":
        return vector_of_both_players(env, generator, strict)
    if isinstance(env, AECEnv):
        return both_players(env, generator, strict)
    if isinstance(env, ParallelEnv):
        return in_parallel(env, generator, strict)
    return stable_baselines3(env, generator, strict)
