import gymnasium
from tkm_env.learn import Snapshots

snapshots = Snapshots({"random": 0.1, "greedy": 0.1}, keep=5)
envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=64, opponent=snapshots.pool, side="random")
observations, info = envs.reset(seed=1)
snapshots.add(lambda observations, info: info["action_mask"].argmax(-1))  # a copy of the policy
print(snapshots.pool.weights)
