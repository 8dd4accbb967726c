"""
A search agent of your own
==========================

Forty lines that look at every way to play the turn and beat random play.
"""

# %%
# All ends of a turn
# ------------------
# The four actions of a turn only make sense together. So we list every position in which our turn can end, with the first action
# that leads there. Copying a game is cheap.
import matplotlib.pyplot as plt
import numpy as np

from tkm_env import Game
from tkm_env.arena import evaluate


def ends_of_turn(game, first=None):
    """Pairs of the first action and the game at the end of the turn, for every way to play it."""
    for action in game.legal_actions():
        after = game.copy()
        after.play(action)
        begun = action if first is None else first
        if after.result is not None or after.to_act != game.to_act:
            yield begun, after
        else:
            yield from ends_of_turn(after, begun)


start = Game()
print(len(list(ends_of_turn(start))), "ways to play the first turn")

# %%
# What is a position worth?
# -------------------------
# A player with copies in a single era loses. So eras count most, then copies on the board, then copies in the supply. The position
# text has all of this: white's copies are ``W``, or ``w`` on a seed, and black's ``B`` or ``b``.


def worth(game, player):
    """How good the position is for this player; the winner's is beyond all others."""
    if game.result is not None:
        return 1000 if game.winner == player else -1000
    boards = game.position.lower().split()[0].split("|")
    eras, copies = {}, {}
    for name, letter in (("white", "w"), ("black", "b")):
        copies[name] = sum(board.count(letter) for board in boards)
        eras[name] = sum(letter in board for board in boards)
    other = "black" if player == "white" else "white"
    return 10 * (eras[player] - eras[other]) + copies[player] - copies[other]


class TurnSearch:
    """Plays the best end of its turn, looking no further; equal ones are drawn."""

    name = "turn search"

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        ends = [(worth(after, game.to_act), action) for action, after in ends_of_turn(game)]
        best = max(value for value, _ in ends)
        return int(self.generator.choice([action for value, action in ends if value == best]))


# %%
# Against others
# --------------
# ``evaluate`` plays every start from both sides and returns the score with its 95% interval.
scores = {opponent: evaluate(TurnSearch(seed=1), opponent, games=20, seed=1) for opponent in ("random", "greedy")}
for score in scores.values():
    print(score)

# %%
figure, axes = plt.subplots(figsize=(7, 1.8), layout="constrained")
for place, score in enumerate(scores.values()):
    interval = score.score
    axes.errorbar(
        [interval.share], [place], xerr=[[interval.share - interval.low], [interval.high - interval.share]], fmt="o", capsize=4
    )
axes.set(xlim=(0, 1), ylim=(-0.5, 1.5), xlabel="score", yticks=range(len(scores)), yticklabels=scores)
axes.axvline(0.5, linestyle=":", color="grey")
plt.show()

# %%
# ``greedy`` does this in compiled code, with more knowledge of the pieces. It would help to look at the opponent's answer, too. Try
# it: of all ends, take the one whose worst answer is the best. Then compare with ``alphabeta:depth=2``, which does that.
