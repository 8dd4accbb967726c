import gymnasium
import tkm_env

env = gymnasium.make("tkm_env/TKM-v0", opponent="greedy", side="white")
observation, info = env.reset(seed=1)
observation, reward, terminated, truncated, info = env.step(info["action_mask"].argmax())
env.unwrapped.set_opponent("random")  # the game goes on against it
