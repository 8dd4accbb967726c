from tkm_env.text.env import TextEnv

env = TextEnv(opponent="greedy", side="white")
told = env.reset(seed=1)  # the rules and the first position
while not env.done:
    told = env.play("TURN: 1")
print(env.get_reward())
