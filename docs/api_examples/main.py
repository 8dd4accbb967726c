from tkm_env import Batch, Game

game = Game(chapters="growth")  # one game, as a value
game.play("choose 1")
print(game.position, game.legal_names())

batch = Batch(1024, chapters="growth")  # many games, as arrays
batch.reset(seed=1)
batch.step(batch.random_actions())
print(batch.masks.shape, batch.to_act[:3])
