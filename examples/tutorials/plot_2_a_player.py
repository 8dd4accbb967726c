"""
A player of your own
====================

Thirty lines that act by reflex, and how to tell whether they are better than chance.
"""

# %%
# A player
# --------
# A player is any object with a name and two methods: ``act``, which returns a legal action, and
# ``reset``, which takes the seed of its random draws. This one draws its actions at random.
import numpy as np

from tkm_env import Game
from tkm_env.evaluation import evaluate
from tkm_env.players import make_agent


class Drawn:
    """Plays any legal action."""

    name = "drawn"

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        return int(self.generator.choice(game.legal_actions()))


# %%
# A reflex
# --------
# In the text of a position, white's copies are ``W``, or ``w`` on a seed, and black's ``B`` or
# ``b``. A reflex tries each action on a copy of the game, which is cheap, and keeps those after
# which the opponent has the fewest copies.


class Reflex(Drawn):
    """Kills when a single action does it, and plays any legal action otherwise."""

    name = "reflex"

    def act(self, game):
        letter = "b" if game.to_act == "white" else "w"
        left = {}
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            left[action] = after.position.split()[0].lower().count(letter)
        fewest = min(left.values())
        return int(
            self.generator.choice([action for action, copies in left.items() if copies == fewest])
        )


# %%
# Better than chance?
# -------------------
# ``evaluate`` plays every start from both sides and returns the score with its 95% interval. If the
# interval leaves out 50%, the games tell the players apart. Ten games rarely do:
print(evaluate(Reflex(seed=1), Drawn(seed=2), games=10, seed=1))

# %%
# A hundred do. To halve the width of the interval, play about four times as many.
print(evaluate(Reflex(seed=1), Drawn(seed=2), games=100, seed=1))

# %%
# Against ``greedy``, which comes with the package, no interval is needed.
print(evaluate(Reflex(seed=1), "greedy", games=10, seed=1))

# %%
# What it does not see
# --------------------
# Play a game, and look at the turn before the last.
game, players = Game(), {"white": Reflex(seed=3), "black": make_agent("greedy")}
players["black"].reset(4)
while game.result is None:
    game.play(players[game.to_act].act(game))
print(game.situation, "after", game.turn, "turns")
next(game.at(ply) for ply in range(len(game.history)) if game.at(ply).turn == game.turn - 1)

# %%
# Four actions make a turn, and only together do they kill what is two steps away, or keep a copy
# company. ``greedy`` looks at whole turns. So will you: the first assignment of
# :doc:`a course of three weeks </teaching>` leads there question by question.
