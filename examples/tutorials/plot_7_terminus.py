"""
Terminus and hidden information
===============================

In the second game both hands are open, and the order of the deck is hidden: nobody knows when the
weapon that ends the game will be drawn.
"""

# %%
# A game
# ------
import matplotlib.pyplot as plt

from tkm_env import TerminusGame
from tkm_env.evaluation import evaluate
from tkm_env.players import make_agent

game = TerminusGame(seed=5)
agent = make_agent("greedy", game="terminus")
agent.reset(1)
while game.result is None and game.turn < 6:
    game.play(agent.act(game))
game

# %%
# What is hidden
# --------------
# The position text contains the order of the deck, so that a game can be saved;
# ``visible_position`` and observations do not.
print(game.position)
print(game.visible_position)

# %%
# When does it end?
# -----------------
# Terminus enters the deck when the second ``A`` is played. After how many turns does the game end,
# in 200 random games?
turns = []
random = make_agent("random", game="terminus")
random.reset(1)
for seed in range(200):
    game = TerminusGame(seed=seed)
    while game.result is None:
        game.play(random.act(game))
    turns.append(game.turn)
figure, axes = plt.subplots(figsize=(7, 3), layout="constrained")
axes.hist(turns, bins=range(26))
axes.set(xlabel="turns", ylabel="games")
plt.show()

# %%
# Searching hidden orders
# -----------------------
# ``ismcts`` grows one tree over many random orders of the deck, all equally likely given what its
# player may know: *information set Monte Carlo tree search*. It never looks at the true order.
print(evaluate("ismcts:iterations=200", "greedy", game="terminus", games=30, seed=1))
