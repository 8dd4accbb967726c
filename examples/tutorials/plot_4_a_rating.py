"""
Evaluate, and publish a rating
==============================

How good is a player, and how sure is that? From one score to a page that others can check.
"""

# %%
# One score
# ---------
# Every start is played from both sides, after two turns of random play, so no two games are alike. The interval holds the true
# score 95 times in 100.
import csv
import shlex
import subprocess
import tempfile

import matplotlib.pyplot as plt

from tkm_env.arena import evaluate

print(evaluate("alphabeta:depth=1", "greedy", games=60, seed=1))

# %%
# All players at once
# -------------------
# Games between several players, saved as records, give all of them ratings. These are commands of a terminal; here a function shows
# what they print. ``random`` is anchored at 0, so that ratings of another day can be compared with these.
folder = tempfile.mkdtemp()


def shell(command):
    """Run one command, and show what it prints."""
    done = subprocess.run(shlex.split(command), cwd=folder, capture_output=True, text=True, check=True)
    print(f"$ {command}\n{done.stdout}")


players = " ".join(f"--player {player}" for player in ("random", "greedy", "alphabeta:depth=1", "alphabeta:depth=2"))
shell(f"tkm tournament {players} --pairs 5 --seed 1 --save games.jsonl --processes 1")
shell("tkm rating games.jsonl --anchor random=0 --csv ratings.csv")

# %%
# The same as a figure
# --------------------
# The CSV file holds what the table shows.
with open(f"{folder}/ratings.csv", newline="") as file:
    rows = [{name: float(row[name]) for name in ("elo", "low", "high")} | {"player": row["player"]} for row in csv.DictReader(file)]
figure, axes = plt.subplots(figsize=(7, 2.2), layout="constrained")
for place, row in enumerate(rows):
    axes.plot([row["low"], row["high"]], [place, place], linewidth=2)
    axes.plot(row["elo"], place, "o", color="black")
axes.set(xlabel="Elo", yticks=range(len(rows)), yticklabels=[row["player"] for row in rows])
plt.show()

# %%
# Publish
# -------
# ``tkm report games.jsonl`` makes one page of it, with every game as a replay; whoever doubts a result can click through the games.
# With it belong the version of the package, the settings and the seed: :doc:`/citing` says what others need.
