"""
Analyse a position
==================

Neither player has a copy left in the supply. White can force a win, but only with the right first
turn.
"""

# %%
# The position
# ------------
# A search can find out who wins. Try it yourself first: white is to choose a copy in the past.
import matplotlib.pyplot as plt

from tkm_env import Game
from tkm_env.players import AlphaBetaAgent, make_agent

boards = "..../.WW./..B./....|W.../..W./.W../...B|..../..BW/..../...."
game = Game(position=f"{boards} - w c PF - 0/0 - ---/--- -/- 21", edition="2022")
game

# %%
# The first turn
# --------------
# Alpha-beta searches whole turns. At depth five, with three of white's turns and two of black's, it
# sees the end.
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
# ``tkm analyse --position '…'`` lists the best first turns with their continuations. Here we count
# ourselves: after how many of all first turns does white win within its next two turns, against a
# search that sees that far?
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
