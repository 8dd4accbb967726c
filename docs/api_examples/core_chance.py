from tkm_env import Game
from tkm_env.core.chance import NoChance

chance = NoChance(Game, Game.default_config)
start = chance.begin()
after = chance.play(start, start.game.legal_actions()[0])
print(chance.outcomes(after), after.game.position)
