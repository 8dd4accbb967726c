from sb3_contrib import MaskablePPO
from tkm_env.envs.sb3 import SB3VecEnv
from tkm_env.learn.sb3 import SelfPlayCallback, WinRateCallback

model = MaskablePPO("MlpPolicy", SB3VecEnv(num_envs=16, side="random"), n_steps=16, batch_size=256)
playing = SelfPlayCallback(every=512, keep=5, anchors={"random": 0.1})
rating = WinRateCallback(["random", "greedy"], games=20, every=1024)
model.learn(2048, callback=[playing, rating])
