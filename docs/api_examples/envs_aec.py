from tkm_env import tkm_v0
from tkm_env.envs.aec import AECGameEnv

env = tkm_v0.raw_env(chapters="growth")
assert isinstance(env, AECGameEnv)
env.reset(seed=1)
print(env.agent_selection, env.game.legal_names())
