from tkm_env import Game
from tkm_env.players import make_agent

game, agent = Game(), make_agent("alphabeta:depth=2")
while game.result is None:
    game.play(agent.act(game))
print(agent.name, game.result)
