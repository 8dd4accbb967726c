import gymnasium
import tkm_env

envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=64, opponent="random", num_threads=2)
observations, info = envs.reset(seed=1)
observations, rewards, terminations, truncations, info = envs.step(info["action_mask"].argmax(1))
