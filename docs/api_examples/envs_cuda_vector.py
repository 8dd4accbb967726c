import cupy
import gymnasium
import tkm_env

envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=4096, device="cuda")
observations, info = envs.reset(seed=1)
assert isinstance(observations, cupy.ndarray)
observations, rewards, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
