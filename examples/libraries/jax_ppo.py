"""PPO in one function for JAX, in PureJaxRL's style, that learns by playing against itself.

The games, the advantages and the updates are all inside one ``jax.jit``, so that a whole training
is a single call, and ``jax.vmap`` makes it several trainings with different seeds. It needs
nothing but jax.

python examples/libraries/jax_ppo.py --steps 300000 --seed 2
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from itertools import pairwise
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from tkm_env.adapters.jax import JaxEnv, JaxState
from tkm_env.evaluation import evaluate

# As `canonical`, both sides see the game as the first player, so one network plays both.
ENV = JaxEnv(observation="compact", canonical=True)

CONFIG: dict[str, Any] = {
    "LR": 1e-3,
    "NUM_ENVS": 256,
    "NUM_STEPS": 32,
    "TOTAL_TIMESTEPS": 300_000,
    "UPDATE_EPOCHS": 4,
    "NUM_MINIBATCHES": 8,
    "GAMMA": 0.997,  # for each action, of which a game has some hundreds
    "GAE_LAMBDA": 0.95,
    "CLIP_EPS": 0.2,
    "ENT_COEF": 0.01,
    "VF_COEF": 0.5,
    "MAX_GRAD_NORM": 0.5,
    "HIDDEN": 128,
    "ANNEAL_LR": True,
}

Params = dict[str, list[tuple[jax.Array, jax.Array]]]


class Transition(NamedTuple):
    done: jax.Array
    same: jax.Array  # whether the player who acted also acts next
    action: jax.Array
    value: jax.Array
    reward: jax.Array
    log_prob: jax.Array
    obs: jax.Array
    mask: jax.Array


class Adam(NamedTuple):
    count: jax.Array
    mean: Any
    square: Any


# The network: an actor and a critic of two hidden layers each.


def init_network(key: jax.Array, hidden: int) -> Params:
    def tower(key: jax.Array, outputs: int, scale: float) -> list[tuple[jax.Array, jax.Array]]:
        sizes = (*ENV.observation_shape, hidden, hidden, outputs)
        scales = (2**0.5, 2**0.5, scale)
        return [
            (jax.nn.initializers.orthogonal(scale)(key, shape), jnp.zeros(shape[1]))
            for key, scale, shape in zip(
                jax.random.split(key, 3), scales, pairwise(sizes), strict=True
            )
        ]

    actor, critic = jax.random.split(key)
    return {"actor": tower(actor, ENV.num_actions, 0.01), "critic": tower(critic, 1, 1.0)}


def apply_tower(layers: list[tuple[jax.Array, jax.Array]], x: jax.Array) -> jax.Array:
    for weights, bias in layers[:-1]:
        x = jax.nn.relu(x @ weights + bias)
    weights, bias = layers[-1]
    return x @ weights + bias


def policy_and_value(
    params: Params, obs: jax.Array, mask: jax.Array
) -> tuple[jax.Array, jax.Array]:
    """Log probabilities, of illegal actions -1e9, and values to the player to act."""
    # The mask is in the logits, so that the loss sees the probabilities with which was sampled.
    logits = jnp.where(mask, apply_tower(params["actor"], obs), -1e9)
    return jax.nn.log_softmax(logits), apply_tower(params["critic"], obs)[..., 0]


# Adam on clipped gradients, instead of optax.


def init_adam(params: Params) -> Adam:
    zeros = jax.tree.map(jnp.zeros_like, params)
    return Adam(jnp.int32(0), zeros, zeros)


def update_adam(
    params: Params, grads: Params, state: Adam, lr: jax.Array, max_norm: float
) -> tuple[Params, Adam]:
    norm = jnp.sqrt(sum(jnp.sum(leaf**2) for leaf in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, max_norm / (norm + 1e-6)), grads)
    count = state.count + 1
    mean = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.mean, grads)
    square = jax.tree.map(lambda s, g: 0.999 * s + 0.001 * g**2, state.square, grads)
    params = jax.tree.map(
        lambda p, m, s: p - lr * (m / (1 - 0.9**count)) / (jnp.sqrt(s / (1 - 0.999**count)) + 1e-5),
        params,
        mean,
        square,
    )
    return params, Adam(count, mean, square)


# The environment, whose games begin again in the step in which they end.


def step(
    key: jax.Array, state: JaxState, action: jax.Array
) -> tuple[JaxState, jax.Array, jax.Array, jax.Array]:
    """Play an action.

    Returns:
        The next state, which is that of a new game if this one ended; what the action earned the
        player who made it; whether the same player acts next; whether the game ended.
    """
    after = ENV.step(state, action)
    reward = after.rewards[state.current_player]  # not that of the player who acts next
    same = after.current_player == state.current_player
    # `JaxEnv` leaves a game that is over as it is. Rewards and players come from before the reset.
    following = jax.tree.map(lambda old, new: jnp.where(after.over, new, old), after, ENV.init(key))
    return following, reward, same, after.over


# Learning.


def advantages_of(
    batch: Transition, last_value: jax.Array, gamma: float, gae_lambda: float
) -> jax.Array:
    """Generalised advantage estimates, each for the player who acted."""

    def backwards(carry: Any, transition: Transition) -> tuple[Any, jax.Array]:
        advantage, next_value = carry
        # A value is that of the player to act, and what one side wins the other loses. But a player
        # acts about four times in a row, so the sign changes only where the player does: with a
        # minus at every step, as in chess, most steps would be praised for what helps the opponent.
        sign = jnp.where(transition.same, 1.0, -1.0) * (1.0 - transition.done)
        delta = transition.reward + gamma * sign * next_value - transition.value
        advantage = delta + gamma * gae_lambda * sign * advantage
        return (advantage, transition.value), advantage

    begin = (jnp.zeros_like(last_value), last_value)
    return jax.lax.scan(backwards, begin, batch, reverse=True)[1]


def make_train(config: dict[str, Any]) -> Callable[[jax.Array], dict[str, Any]]:
    """A whole training as a function of a key, for ``jax.jit``."""
    envs, steps = config["NUM_ENVS"], config["NUM_STEPS"]
    epochs, minibatches = config["UPDATE_EPOCHS"], config["NUM_MINIBATCHES"]
    num_updates = max(1, config["TOTAL_TIMESTEPS"] // (envs * steps))

    def observe(states: JaxState) -> jax.Array:
        return jax.vmap(ENV.observe)(states).astype(jnp.float32)

    def env_step(carry: Any, _: None) -> tuple[Any, Transition]:
        params, states, obs, key = carry
        key, acting, resetting = jax.random.split(key, 3)
        mask = states.legal_action_mask
        log_probs, value = policy_and_value(params, obs, mask)
        action = jax.random.categorical(acting, log_probs)
        log_prob = jnp.take_along_axis(log_probs, action[:, None], 1)[:, 0]
        states, reward, same, done = jax.vmap(step)(
            jax.random.split(resetting, envs), states, action
        )
        transition = Transition(done, same, action, value, reward, log_prob, obs, mask)
        return (params, states, observe(states), key), transition

    def loss_of(
        params: Params, batch: Transition, advantages: jax.Array, targets: jax.Array
    ) -> tuple[jax.Array, dict[str, jax.Array]]:
        log_probs, value = policy_and_value(params, batch.obs, batch.mask)
        log_prob = jnp.take_along_axis(log_probs, batch.action[:, None], 1)[:, 0]
        ratio = jnp.exp(log_prob - batch.log_prob)
        advantages = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
        clipped = jnp.clip(ratio, 1 - config["CLIP_EPS"], 1 + config["CLIP_EPS"])
        actor_loss = -jnp.minimum(ratio * advantages, clipped * advantages).mean()

        change = jnp.clip(value - batch.value, -config["CLIP_EPS"], config["CLIP_EPS"])
        value_losses = jnp.maximum((value - targets) ** 2, (batch.value + change - targets) ** 2)
        value_loss = 0.5 * value_losses.mean()
        entropy = -(jnp.exp(log_probs) * jnp.where(batch.mask, log_probs, 0.0)).sum(-1).mean()
        total = actor_loss + config["VF_COEF"] * value_loss - config["ENT_COEF"] * entropy
        return total, {"value_loss": value_loss, "entropy": entropy}

    def update_minibatch(carry: Any, minibatch: Any) -> tuple[Any, dict[str, jax.Array]]:
        params, adam = carry
        (_, metrics), grads = jax.value_and_grad(loss_of, has_aux=True)(params, *minibatch)
        progress = (adam.count // (epochs * minibatches)) / num_updates
        lr = config["LR"] * (1.0 - progress * config["ANNEAL_LR"])
        return update_adam(params, grads, adam, lr, config["MAX_GRAD_NORM"]), metrics

    def update_step(carry: Any, _: None) -> tuple[Any, dict[str, jax.Array]]:
        params, adam, states, obs, key = carry
        (_, states, obs, key), batch = jax.lax.scan(
            env_step, (params, states, obs, key), None, steps
        )
        last_value = policy_and_value(params, obs, states.legal_action_mask)[1]
        advantages = advantages_of(batch, last_value, config["GAMMA"], config["GAE_LAMBDA"])
        flat = jax.tree.map(
            lambda leaf: leaf.reshape(-1, *leaf.shape[2:]),
            (batch, advantages, advantages + batch.value),
        )

        def update_epoch(carry: Any, key: jax.Array) -> tuple[Any, dict[str, jax.Array]]:
            order = jax.random.permutation(key, envs * steps).reshape(minibatches, -1)
            # A minibatch is gathered when it is its turn, so no shuffled copy of all is made.
            return jax.lax.scan(
                lambda carry, rows: update_minibatch(
                    carry, jax.tree.map(lambda leaf: leaf[rows], flat)
                ),
                carry,
                order,
            )

        key, shuffling = jax.random.split(key)
        (params, adam), metrics = jax.lax.scan(
            update_epoch, (params, adam), jax.random.split(shuffling, epochs)
        )
        metrics = {name: values.mean() for name, values in metrics.items()}
        metrics["games"] = batch.done.sum()
        return (params, adam, states, obs, key), metrics

    def train(key: jax.Array) -> dict[str, Any]:
        key, network_key, env_key = jax.random.split(key, 3)
        params = init_network(network_key, config["HIDDEN"])
        states = jax.vmap(ENV.init)(jax.random.split(env_key, envs))
        carry = (params, init_adam(params), states, observe(states), key)
        carry, metrics = jax.lax.scan(update_step, carry, None, num_updates)
        return {"params": carry[0], "metrics": metrics}

    return train


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--steps",
        type=int,
        default=CONFIG["TOTAL_TIMESTEPS"],
        help="actions to learn from, of both sides (default: %(default)s)",
    )
    parser.add_argument(
        "--games", type=int, default=400, help="games of the evaluation afterwards (default: 400)"
    )
    parser.add_argument("--seed", type=int, default=1, help="(default: 1)")
    parser.add_argument(
        "--num-envs",
        type=int,
        default=CONFIG["NUM_ENVS"],
        help="games at once (default: %(default)s)",
    )
    arguments = parser.parse_args()
    config = CONFIG | {"TOTAL_TIMESTEPS": arguments.steps, "NUM_ENVS": arguments.num_envs}

    begun = time.perf_counter()
    train = jax.jit(make_train(config)).lower(jax.random.key(arguments.seed)).compile()
    compiled = time.perf_counter()
    out = jax.block_until_ready(train(jax.random.key(arguments.seed)))
    seconds = time.perf_counter() - compiled
    metrics = out["metrics"]
    taken = len(metrics["games"]) * config["NUM_ENVS"] * config["NUM_STEPS"]
    print(
        f"{taken:,} steps of {int(metrics['games'].sum()):,} games in {seconds:.1f} s, "
        f"{taken / seconds:,.0f} a second, after {compiled - begun:.1f} s of compiling; "
        f"entropy {metrics['entropy'][0]:.2f} to {metrics['entropy'][-1]:.2f}"
    )

    most_probable = jax.jit(
        lambda obs, mask: policy_and_value(out["params"], obs, mask)[0].argmax(-1)
    )

    def ppo(observation: Any, info: dict[str, Any]) -> Any:
        # Always of the same shape, or JAX would compile anew whenever a game ends.
        count, rows = len(observation), arguments.games + 1
        obs = np.resize(observation, (rows, *observation.shape[1:]))
        mask = np.resize(info["action_mask"], (rows, ENV.num_actions)).astype(bool)
        return np.asarray(most_probable(obs, mask))[:count]

    print(
        evaluate(
            ppo,
            "random",
            games=arguments.games,
            opening_turns=2,
            seed=arguments.seed,
            observation="compact",
            canonical=True,
        )
    )


if __name__ == "__main__":
    main()
