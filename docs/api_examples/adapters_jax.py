import jax
from tkm_env.adapters.jax import JaxEnv

env = JaxEnv(chapters="growth")
states = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 64))
states = jax.jit(jax.vmap(env.step))(states, states.legal_action_mask.argmax(-1))
observations = jax.vmap(env.observe)(states)
