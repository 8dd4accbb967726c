"""
A first game
============

A game is a value: it knows the legal actions, plays them, and draws itself.
"""

# %%
# The start
# ---------
# White's focus starts in the past, black's in the future; both have a copy in every era. Notebooks
# display a game as a drawing.
from tkm_env import Game

game = Game(chapters="growth")
game

# %%
# A turn has four actions: choose a copy in the era of your focus, act with it twice, shift your
# focus. What is legal now?
print(game.to_act, game.situation)
print(game.legal_names())

# %%
# White chooses the copy, plants a seed beside it, and moves. A seed in the past is a shrub in the
# present and a tree in the future.
for action in ("choose 1", "plant east", "move south", "focus present"):
    game.play(action)
game

# %%
# What happened
# -------------
# The events of an action describe its effects in every era, in fields for programs and in words
# for people.
played = game.at(2)
for event in played.events:
    print(event)

# %%
# Positions are text
# ------------------
# One line of text holds the whole position; you can store it, send it, and read it back.
print(game.position)
assert Game(position=game.position) == game

# %%
# To the end
# ----------
# Random players finish the game. They are seeded, so the game is reproducible.
from tkm_env.players import RandomAgent

agent = RandomAgent(seed=3)
while game.result is None:
    game.play(agent.act(game))
print(game.result, "for", game.winner, "after", game.turn, "turns")
game

# %%
# How long are games?
# -------------------
# A `Batch` plays many games at once, in compiled code. Here are 1,000 games of random players, with
# and without plants.
import matplotlib.pyplot as plt
import numpy as np

from tkm_env import Batch

figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for chapters in ("standard", "growth"):
    batch = Batch(1000, chapters=chapters)
    batch.reset(seed=1)
    generator = np.random.default_rng(1)
    while not batch.over.all():
        batch.play(
            (generator.random(batch.masks.shape) * batch.masks).argmax(1)
        )  # a game that is over stays as it is
    turns = batch.states["turn"]
    axes.hist(turns, bins=range(0, 205, 5), histtype="step", linewidth=2, label=chapters)
axes.set(xlabel="turns", ylabel="games")
axes.legend()
plt.show()
