"""A bot that plays an action that wins at once, if there is one, or else any legal action."""

import numpy as np


class Bot:
    """Looks one action ahead."""

    name = "my-bot"

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        """Prepare for a new game; all randomness comes from the seed."""
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        """Return an action, by name or by index, and leave the game as it is."""
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            if after.winner == game.to_act:
                return action
        return int(self.generator.choice(game.legal_actions()))
