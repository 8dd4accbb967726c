"""`docs/agents.md`, made from the figures in `docs/agents.json`, which `benchmarks/agents.py` measures; `docs/generate.py` writes it."""

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from typing import Any

from tables import table

from tkm_env.game.registry import load
from tkm_env.games.registry import TKM

FIGURES = Path(__file__).parent / "agents.json"
NOTE = "<!-- Written by `python docs/generate.py` from `docs/agents.json`; edit `docs/agents_page.py` or the agents instead. -->"

#: The depth in whole turns, the score and the rollouts per second that are to be reached.
DEPTH_WANTED = {"standard": 5, "growth+influence+memory": 3}
OTHER_DEPTH_WANTED = 4
SHARE_WANTED = 0.75
PLAYOUTS_WANTED = {"standard": 25_000}


def agents() -> str:
    """``docs/agents.md``."""
    return page(json.loads(FIGURES.read_text("utf-8")))


def players() -> str:
    """The agents by name, with their options."""
    rows = []
    for name, reference in TKM.agents.items():
        maker = load(reference)
        given = inspect.signature(maker).parameters.values()
        options = ", ".join(f"`{option.name}={option.default}`" for option in given if option.name not in ("seed", "weights"))
        how = inspect.cleandoc(maker.__doc__).partition("\n\n")[0].replace("\n", " ")
        # Where a search is implemented is of no use to whoever plays against it.
        rows.append((f"`{name}`", re.sub(r" \(`tkm_env\.[\w.]+`\)", "", how), options or "none"))
    return table(("name", "how it thinks", "options"), rows)


def met(reached: bool) -> str:
    return "" if reached else " (not reached)"


def ladder_rows(figures: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each match, in the order in which they were measured."""
    rows = []
    for name, match in figures.items():
        if " against " not in name:
            continue
        pair, chapters = name.split(", ")
        strong, weak = pair.split(" against ")
        share, low, high = match["score"]
        sides = ", ".join("/".join(map(str, match["by_side"][side])) for side in ("white", "black"))
        rows.append(
            (
                f"`{strong}` against `{weak}`",
                chapters,
                f"{share:.1%} ({low:.1%} to {high:.1%}){met(share >= SHARE_WANTED)}",
                sides,
                str(match["games"]),
                f"{match['turns']:.1f}",
                f"{match['milliseconds'][0]:.2f}",
            )
        )
    return rows


def sight_rows(figures: dict[str, Any]) -> list[tuple[str, ...]]:
    """How far alpha-beta sees, with each set of chapters."""
    rows = []
    for name, sight in figures.items():
        if not name.startswith("sight "):
            continue
        chapters = name.removeprefix("sight ")
        wanted = DEPTH_WANTED.get(chapters, OTHER_DEPTH_WANTED)
        depths = sight["depths"]
        reached = met(sight["depth"] >= wanted)
        rows.append((chapters, f"{sight['depth']:g}{reached}", str(wanted), f"{depths[0]} to {depths[-1]}", str(sight["proved"])))
    return rows


def speed_rows(figures: dict[str, Any]) -> list[tuple[str, ...]]:
    """How fast the searches are, with each set of chapters."""
    rows = []
    for name, rates in figures.items():
        if not name.startswith("rates "):
            continue
        chapters = name.removeprefix("rates ")
        sight = figures[f"sight {chapters}"]
        playouts, low, high = rates["playouts"]
        rows.append(
            (
                chapters,
                f"{sight['nodes'] / 1e3:,.0f} k",
                f"{sight['steps'] / 1e6:.2f} M",
                f"{rates['engine'][0] / 1e6:.2f} M",
                f"{playouts:,.0f} ({low:,.0f} to {high:,.0f}){met(playouts >= PLAYOUTS_WANTED.get(chapters, 0))}",
            )
        )
    return rows


def page(figures: dict[str, Any]) -> str:
    """The document of these figures."""
    sight = figures["sight standard"]
    positions = len(sight["depths"]) + sight["proved"]
    strongest, second = TKM.ladder[-1], TKM.ladder[-2]
    return f"""{NOTE}

# Agents

An agent implements a small protocol, `tkm_env.agents.Agent`: `act(game)` returns an action and leaves the game unchanged, `reset(seed)`
starts over with randomness of its own, and `name` identifies it. An agent that needs no `reset` may omit it. A function
`(observation, info)` that returns an action works as an agent, too: `info` holds `action_mask`, `to_act` (the player's number) and `game` (0).
It is the function that the environments take as [`opponent=`](gymnasium.md).

```python
from tkm_env import Game
from tkm_env.agents import AlphaBetaAgent

game = Game(chapters="growth")
agent = AlphaBetaAgent(depth=3)
while game.result is None:
    game.play(agent.act(game))
```

Wherever an agent is given as text (`tkm match`, `tkm play`, `opponent=` in the Gymnasium environments,
`tkm_env.agents.make_agent`), write its name, with options after a colon: `alphabeta:depth=3`, `mcts:seconds=0.5`. A class or function of
your own is named by its file: `path/to/bot.py:MyBot`, `path/to/bot.py:MyBot:depth=2`. Matches run it in a process of
its own, all others execute it in theirs: name only files you trust. `cmd:./mybot` is [a program in any language](arena.md), and
`policy:mine.npz` [a trained policy](#policies).

{players()}

The rules have no repetition rule, so two careful players may go in circles up to the turn limit. To `alphabeta` and `gumbel` a turn that
repeats a position of the game is worth less than a draw, unless a win or a loss is proven there, so they go in circles only when they are
well behind. They read this from `game.history`. A game that starts from a given position, or that comes from a batch, has no history: only
its position counts.

As opponents in batches, `random`, `greedy`, `net`, `alphabeta` and `gumbel` run compiled, and a policy from a file is asked about all games
at once; other agents are called game by game. An agent of your own may have a method `act_all(batch, indices)`, which returns an action for each
of these games of a batch. `tkm_env.agents.ladder()` returns one agent of each kind, from the weakest to the strongest.

## Policies

A trained policy, in a file, is a player of any game that needs nothing but numpy: `policy:mine.npz` plays the legal action with the highest
logit. `policy:mine.npz:temperature=1` draws one instead, as the policy did in training; a lower temperature prefers the likelier ones.

    tkm match policy:mine.npz greedy --games 200

The file holds a multilayer perceptron from an observation, `"planes"` or [`"compact"`](observation.md#compact-observations), to a logit for each
action, as float16. `tkm_env.learn.policy_file.save_policy` writes what [Stable-Baselines3 or PyTorch](selfplay.md#a-policy-as-a-player) trained,
`tkm_env.agents.write_policy` layers from anywhere else:

```python
import numpy as np
from tkm_env.agents import make_agent, write_policy
from tkm_env.arena import evaluate

generator = np.random.default_rng(1)
layers = [(generator.normal(size=(160, 32)), np.zeros(32)), (generator.normal(size=(32, 79)), np.zeros(79))]
write_policy("mine.npz", layers, activation="tanh", observation="compact")
print(make_agent("policy:mine.npz").card)
print(evaluate("policy:mine.npz", "random", games=100))
```

The weights of a layer have the shape (inputs, outputs). A card in the file says which game the policy plays, what it sees and which actions it
knows. A policy for another game, or for observations or actions of another version of this package, is refused. So are settings under which a
compact observation holds something else than it did in training, by the first element that differs; planes are the same under all settings.
Nothing in such a file is executed.

## Playing strength

Matches consist of paired games: every start, after two turns of random play, is played from both sides. The score counts a draw or a
truncated game as half a point and is given with its 95% interval. Wins, draws and losses are the first agent's, as white and
as black.

{table(("match", "chapters", "score of the first", "as white, as black", "games", "turns", "ms per decision"), ladder_rows(figures))}

## Search depth

The number of whole turns, both sides counted, that `alphabeta` searches completely within one second on one core: the median over
{positions} positions from the middle of games, starting each with an empty table. Positions where a win or loss was proved are left
out, since the search ends with the proof.

{table(("chapters", "median depth", "target", "range", "proved"), sight_rows(figures))}

## Speed

On one core, medians. A node is a position between two turns; at each node the search plays the single actions of every possible turn
and merges those that lead to the same position. For comparison, the engine's own rate in a batch that only plays random legal actions,
including the time to draw them. Rollouts are random games from start to finish.

{table(("chapters", "alpha-beta nodes/s", "its actions/s", "engine steps/s", "rollouts/s"), speed_rows(figures))}

## Tactics

`tests/data/tactics.jsonl` holds 60 positions (win this turn, win in two, win in three, avoid the loss), verified by exhaustive search.
Alpha-beta solves them all (`tests/games/tkm/test_tactics.py`).

## Reproducing the figures

```sh
python -m pip install -e '.[cli]'
python benchmarks/agents.py games
python docs/generate.py
```

The folder `games` keeps the games, as records, and the figures, so an interrupted run picks up where it stopped. The games depend only on
the seed, not on the number of processes; the times depend on the machine. A single match:
`tkm match {strongest} {second} --games 400 --seed 1`.
"""
