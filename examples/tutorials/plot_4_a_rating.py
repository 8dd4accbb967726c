"""
Evaluate and publish a rating
=============================

How good is a player, and how certain is that? From a score to a page that others can check.
"""

# %%
# One score
# ---------
# Every start is played from both sides, after two random turns, so that games differ. The interval
# contains the true score 95 times in 100.
import csv
import shlex
import subprocess
import sys
import tempfile

import matplotlib.pyplot as plt

from tkm_env.evaluation import evaluate

print(evaluate("alphabeta:depth=1", "greedy", games=60, seed=1))

# %%
# All players at once
# -------------------
# Records of games between several players give ratings for all of them. These are terminal
# commands; here a function shows their output. ``random`` is anchored at 0, so that you can compare
# later ratings with these.
folder = tempfile.mkdtemp()


def shell(command):
    """Run one command of tkm, and show what it prints."""
    program = [sys.executable, "-m", "tkm_env"]  # so that tkm need not be on the path
    program += shlex.split(command)[1:]
    done = subprocess.run(
        program, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True
    )
    print(f"$ {command}\n{done.stdout}")


with open(f"{folder}/games.toml", "w") as file:
    file.write("pairs = 5\nseed = 1\n")
    for player in ("random", "greedy", "alphabeta:depth=1", "alphabeta:depth=2"):
        file.write(f'[[players]]\nplayer = "{player}"\n')
shell("tkm tournament games.toml --processes 1")
shell("tkm rating games.jsonl --anchor random=0")

# %%
# As a figure
# -----------
# The report can write a CSV file with the contents of the table, and more.
shell("tkm report games.jsonl --anchor random=0 --csv ratings.csv")
with open(f"{folder}/ratings.csv", newline="") as file:
    rows = [
        {name: float(row[name]) for name in ("elo", "low", "high")} | {"player": row["player"]}
        for row in csv.DictReader(file)
    ]
figure, axes = plt.subplots(figsize=(7, 2.2), layout="constrained")
for place, row in enumerate(rows):
    axes.plot([row["low"], row["high"]], [place, place], linewidth=2)
    axes.plot(row["elo"], place, "o", color="black")
axes.set(xlabel="Elo", yticks=range(len(rows)), yticklabels=[row["player"] for row in rows])
plt.show()

# %%
# Publish
# -------
# ``tkm report games.jsonl`` makes a page of the results, with every game as a replay, so that
# anyone who doubts a result can click through the games. Publish the version of the package, the
# settings and the seed with the page; :doc:`/citing` lists what others need.
