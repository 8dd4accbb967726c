import gymnasium
from tkm_env.foundations.cores import cores

envs = gymnasium.make_vec("tkm_env/TKM-v0", num_envs=4096, num_threads=cores())
