from tkm_env import Game
from tkm_env.text import TextOptions, prompt_for, read_reply

game, options = Game(), TextOptions(legal="counted", style="terse")
prompt = prompt_for(game, options)
print(prompt.system, prompt.user, sep="\n")
for action in read_reply(game, "TURN: choose 1; move east; move east; focus present", options):
    game.play(action)
