from sb3_contrib import MaskablePPO
from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.learn.export_policy import save_policy

env = SB3VecEnv(num_envs=16, observation="compact")
model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=256)
model.learn(1024)
save_policy("mine.npz", model, observation="compact")  # the player policy:mine.npz
