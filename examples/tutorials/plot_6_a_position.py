"""
Analyse a position
==================

Nobody has a copy left in supply, and white wins by force, if the first turn is the right one.
"""

# %%
# The position
# ------------
# A search can be asked who wins. Try first yourself: white is to choose a copy in the past.
import matplotlib.pyplot as plt

from tkm_env import Game
from tkm_env.agents import AlphaBetaAgent, make_agent

game = Game(position="..../.WW./..B./....|W.../..W./.W../...B|..../..BW/..../.... - w c PF - 0/0 - ---/--- -/- 21", edition="2022")
game

# %%
# The first turn
# --------------
# Alpha-beta looks at whole turns. At a depth of five, three of white's and two of black's, it sees the end.
agent = AlphaBetaAgent(depth=5, seed=1)
line = []
while game.result is None and game.turn < 26:
    line.append((game.turn, game.to_act, game.action_names[agent.act(game)]))
    game.play(line[-1][2])
for turn, player, action in line:
    print(turn, player, action)

# %%
game

# %%
# Is there another way?
# ---------------------
# ``tkm analyse --position '…'`` lists the best first turns with what follows. Here we count by ourselves: of all ways to play the
# first turn, after how many does white win in its next two, against a search that sees so far?
start = game.start
first_turns = set()


def ends(position, played=()):
    """All ways to play a turn, as sequences of names."""
    for action in position.legal_names():
        after = position.copy()
        after.play(action)
        if after.to_act != start.to_act or after.result is not None:
            yield (*played, action), after
        else:
            yield from ends(after, (*played, action))


outcomes = {"white wins": 0, "not at once": 0}
searcher = make_agent("alphabeta:depth=4")
for number, (turn, after) in enumerate(ends(start)):
    searcher.reset(number)
    while after.result is None and after.turn < 26:
        after.play(searcher.act(after))
    outcomes["white wins" if after.winner == "white" else "not at once"] += 1
    if after.winner == "white":
        first_turns.add(turn)
print(outcomes)
for turn in sorted(first_turns):
    print(", ".join(turn))

# %%
figure, axes = plt.subplots(figsize=(7, 1.6), layout="constrained")
axes.barh(list(outcomes), list(outcomes.values()))
axes.set(xlabel="ways to play the first turn")
plt.show()
