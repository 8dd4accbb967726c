"""mctx's Gumbel MuZero search with the true rules, against one of this package's players.

All games are played at once.

Positions are judged by the copies on the board, so nothing needs training.

python examples/libraries/mctx_search.py --opponent greedy --simulations 256
"""

from __future__ import annotations

import argparse
from functools import partial

import jax
import jax.numpy as jnp
import mctx

from tkm_env.adapters.jax import JaxEnv, JaxState
from tkm_env.players import make_agent

ENV = JaxEnv(observation="compact", max_turns=60)


def judge(states: JaxState) -> tuple[jax.Array, jax.Array]:
    """Return equal logits for legal actions, and the values of positions to the player to act.

    More copies are better, and so are more eras with a copy.
    """
    eras = jax.vmap(ENV.observe)(states)[:, :150].reshape(-1, 3, 50)
    mine, theirs = eras[..., :16].sum(-1), eras[..., 16:32].sum(-1)
    ahead = 0.2 * (mine - theirs).sum(-1) + 0.4 * ((mine > 0).sum(-1) - (theirs > 0).sum(-1))
    return jnp.where(states.legal_action_mask, 0.0, -1e9), jnp.tanh(ahead)


def look_ahead(
    params: None, key: jax.Array, actions: jax.Array, states: JaxState
) -> tuple[mctx.RecurrentFnOutput, JaxState]:
    after = jax.vmap(ENV.step)(states, actions)
    logits, values = judge(after)
    reward = jnp.take_along_axis(after.rewards, states.current_player[:, None], 1)[:, 0]
    same = after.current_player == states.current_player  # a turn takes several actions
    discount = jnp.where(after.over, 0.0, jnp.where(same, 1.0, -1.0))
    return mctx.RecurrentFnOutput(
        reward=reward, discount=discount, prior_logits=logits, value=values
    ), after


@partial(jax.jit, static_argnums=2)
def search(key: jax.Array, states: JaxState, simulations: int) -> jax.Array:
    logits, values = judge(states)
    root = mctx.RootFnOutput(prior_logits=logits, value=values, embedding=states)
    return mctx.gumbel_muzero_policy(
        None, key, root, look_ahead, simulations, ~states.legal_action_mask, gumbel_scale=0.0
    ).action


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--games",
        type=int,
        default=20,
        help="number of games; mctx plays white in every other one (default: 20)",
    )
    parser.add_argument(
        "--simulations", type=int, default=16, help="simulations per action (default: 16)"
    )
    parser.add_argument("--opponent", default="random", help="an agent (default: random)")
    parser.add_argument("--seed", type=int, default=1, help="seed of both players (default: 1)")
    arguments = parser.parse_args()

    opponent = make_agent(arguments.opponent)
    opponent.reset(arguments.seed)
    key, start = jax.random.split(jax.random.key(arguments.seed))
    states = jax.vmap(ENV.init)(jax.random.split(start, arguments.games))
    ours, earned, step = (
        jnp.arange(arguments.games) % 2,
        jnp.zeros((arguments.games, 2)),
        jax.jit(jax.vmap(ENV.step)),
    )
    while not states.over.all():
        key, chosen = jax.random.split(key)
        actions = search(chosen, states, arguments.simulations).tolist()
        for number in ((states.current_player != ours) & ~states.over).nonzero()[0].tolist():
            actions[number] = opponent.act(
                ENV.game_of(jax.tree.map(lambda leaf, number=number: leaf[number], states))
            )
        states = step(states, jnp.array(actions))
        earned += states.rewards
    points = float(((1 + earned[jnp.arange(arguments.games), ours]) / 2).sum())
    print(
        f"mctx against {arguments.opponent}: {points:g} of {arguments.games}, "
        f"{points / arguments.games:.0%}"
    )


if __name__ == "__main__":
    main()
