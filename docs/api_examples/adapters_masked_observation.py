import gymnasium
from tkm_env.adapters.masked_observation import MaskedObservation

env = MaskedObservation(gymnasium.make("tkm_env/TKM-v0"), "obs", "mask")
observation, info = env.reset(seed=1)
print(observation["obs"].shape, observation["mask"].sum())
