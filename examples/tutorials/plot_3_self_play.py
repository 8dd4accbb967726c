"""
Train by self-play and watch it win
===================================

A network learns what positions are worth from games against itself alone, without a GPU or torch.
"""

# %%
# Learning
# --------
# ``tkm train`` does this from the command line. We train on 1,200 games of the standard game; the
# default of 150,000 takes about five minutes on one core.
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from tkm_env import Game
from tkm_env.learn.value_training import TrainingPlan, ValueTraining
from tkm_env.players import make_agent

folder = Path(tempfile.mkdtemp())
training = ValueTraining(
    folder / "net.npz",
    settings={},
    plan=TrainingPlan(games=1200, round_games=200, width=32, narrow=16, seed=1),
    anchors=["random", "greedy"],
    rating_games=60,
    evaluations=6,
)
rounds = list(training.run())
print(f"{rounds[-1].games} games, {sum(done.positions for done in rounds)} positions")

# %%
# How it got better
# -----------------
# After each round the network plays 60 games against each of two fixed players. The shaded bands
# are 95% intervals.
figure, axes = plt.subplots(figsize=(7, 3.2), layout="constrained")
for number, opponent in enumerate(("random", "greedy")):
    games = [done.games for done in rounds if done.ratings]
    ratings = [done.ratings[number] for done in rounds if done.ratings]
    axes.plot(games, [rating.score for rating in ratings], label=f"against {opponent}")
    axes.fill_between(
        games, [rating.low for rating in ratings], [rating.high for rating in ratings], alpha=0.2
    )
axes.set(xlabel="games of self-play", ylabel="score", ylim=(0, 1))
axes.legend(loc="lower right")
plt.show()

# %%
# Watch it win
# ------------
# The file can be used like any other player. Here it plays a game as white against ``greedy``.
players = {"white": make_agent(f"net:file={training.file}"), "black": make_agent("greedy")}
for player in players.values():
    player.reset(4)
game = Game()
while game.result is None:
    game.play(players[game.to_act].act(game))
print(game.result, "after", game.turn, "turns")
game

# %%
# How it evaluates a position
# ---------------------------
# The network can also guide a search: ``alphabeta:depth=2,net=FILE`` looks two turns ahead and
# evaluates the positions there with the network.
searcher = make_agent(f"alphabeta:depth=2,net={training.file}")
searcher.reset(1)
boards = "W.../..../..../...B|..../.W../..../...B|W.../..../..../..B."
game = Game(position=f"{boards} - w c NF - 4/4 - ---/--- -/- 5")
print(game.action_names[searcher.act(game)])
