from ray.rllib.algorithms.ppo import PPOConfig
from tkm_env.adapters.rllib import RLlibEnv

config = PPOConfig().environment(RLlibEnv, env_config={"opponent": "random", "side": "random"})
