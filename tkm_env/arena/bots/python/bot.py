"""Plays an action after which the game is won, if there is one, otherwise any legal action."""

import numpy as np


class Bot:
    name = "my-bot"

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        """A new game begins; all randomness comes from the seed."""
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        """An action, by name or by number; the game stays as it is, since its copies are played on."""
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            if after.winner == game.to_act:
                return action
        return int(self.generator.choice(game.legal_actions()))
