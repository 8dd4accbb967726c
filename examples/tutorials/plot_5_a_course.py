"""
A course in an hour
===================

Everyone writes a bot of a few lines, a league decides, and one page shows the table and every game.
This is the whole hour from start to end.
"""

# %%
# Minute 0: what a bot is
# -----------------------
# A bot is a file with a class ``Bot`` that has one method. Show this one and let everybody modify
# it.
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

folder = Path(tempfile.mkdtemp())
(folder / "submissions").mkdir()

ANN = '''
class Bot:
    """The first action that is legal."""

    def act(self, game):
        return game.legal_actions()[0]
'''

# %%
# Minute 10: ideas
# ----------------
# Bob draws his actions from a seeded generator, so that his games are reproducible. Cem tries every
# action and keeps those after which he leads by the most copies.
BOB = '''
import numpy as np


class Bot:
    """Any legal action."""

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        return int(self.generator.choice(game.legal_actions()))
'''

CEM = '''
import numpy as np


class Bot:
    """The largest lead in copies over the opponent."""

    def __init__(self, seed=None):
        self.reset(seed)

    def reset(self, seed=None):
        self.generator = np.random.default_rng(seed)

    def act(self, game):
        own, other = "wb" if game.to_act == "white" else "bw"
        leads = {}
        for action in game.legal_actions():
            after = game.copy()
            after.play(action)
            boards = after.position.split()[0].lower()
            leads[action] = boards.count(own) - boards.count(other)
        best = max(leads.values())
        keep = [action for action, lead in leads.items() if lead == best]
        return int(self.generator.choice(keep))
'''

for name, program in {"ann": ANN, "bob": BOB, "cem": CEM}.items():
    (folder / "submissions" / f"{name}.py").write_text(program)

# %%
# Minute 40: the league
# ---------------------
# Everyone plays everyone. Twelve starts from both sides tell these bots apart, as the last column
# of the table shows: how far each is ahead of the next, with its interval. ``greedy`` is the one to
# beat. Untrusted bots belong in a sandbox; these are our own.
(folder / "league.toml").write_text("""
kind = "round robin"
pairs = 12
seed = 1
submissions = "submissions"

[[players]]
player = "greedy"
""")


def shell(command):
    """Run one command of tkm, and return what it prints."""
    program = [sys.executable, "-m", "tkm_env"]  # so that tkm need not be on the path
    program += shlex.split(command)[1:]
    return subprocess.run(
        program, cwd=folder, capture_output=True, text=True, encoding="utf-8", check=True
    ).stdout


print(shell("tkm tournament league.toml --processes 1"))

# %%
# Minute 55: the page
# -------------------
# It has every game as a replay. Look for a surprising loss and ask the bot's author why: Cem's bot
# sees one action ahead, but a turn has four, as ``greedy`` knows.
print(shell("tkm report league.jsonl --title 'An hour'"))
