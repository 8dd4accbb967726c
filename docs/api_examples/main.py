from tkm_env import Batch, Game

game = Game(chapters="growth")  # one game, as a value
game.play("choose 1")
print(game.position, game.legal_names())

batch = Batch(1024, chapters="growth")  # many games, as arrays
batch.reset(seed=1)
observations = batch.new_observations()
batch.step(batch.random_actions(), observations)
print(observations.shape, batch.masks.shape)
