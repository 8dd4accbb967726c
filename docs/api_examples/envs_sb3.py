from sb3_contrib import MaskablePPO
from tkm_env.envs.sb3 import SB3VecEnv

env = SB3VecEnv(num_envs=16, opponent="random", side="random")
model = MaskablePPO("MlpPolicy", env, n_steps=64)
model.learn(1_000)
