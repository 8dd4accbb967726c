"""`docs/learning.md`, made from the figures in `docs/learning.json`, which `benchmarks/learning.py` measures; `docs/generate.py` writes it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from tables import table

from tkm_env.agents.model_file import ModelCard
from tkm_env.games.tkm.agents.evaluators import learned_games, shipped_networks
from tkm_env.games.tkm.search.inputs import GROUPS, MAX_INPUTS, NUM_INPUTS
from tkm_env.learn.value_training import Plan

FIGURES = Path(__file__).parent / "learning.json"
NOTE = "<!-- Written by `python docs/generate.py` from `docs/learning.json`; edit `docs/learning_page.py` instead. -->"


def learning() -> str:
    """``docs/learning.md``."""
    return page(json.loads(FIGURES.read_text("utf-8")))


def curve_rows(figures: dict[str, Any]) -> list[tuple[str, ...]]:
    """A row for each rating of each training."""
    rows = []
    for name, training in figures.items():
        if not name.startswith("curve "):
            continue
        for point in training["curve"]:
            scores = [share(rating["score"], rating["low"], rating["high"]) for rating in point["ratings"]]
            rows.append((name.removeprefix("curve "), f"{point['games']:,}", f"{point['seconds'] / 60:.1f}", *scores))
    return rows


def match_rows(figures: dict[str, Any], trained: bool) -> list[tuple[str, ...]]:
    """A row for each match: of networks trained from nothing, or of those that come with the package."""
    trainings = [f"={name.removeprefix('curve ')} against" for name in figures if name.startswith("curve ")]
    rows = []
    for name, found in figures.items():
        if not name.startswith("match ") or any(training in name for training in trainings) is not trained:
            continue
        pair, _, chapters = name.removeprefix("match ").rpartition(", ")
        first, second = pair.split(" against ")
        wins, draws, losses = found["counts"]
        rows.append(
            (
                f"`{first}`",
                f"`{second}`",
                chapters,
                f"{found['games']}",
                share(*found["score"]),
                f"{wins}/{draws}/{losses}",
                f"{found['turns']:.0f}",
            )
        )
    return rows


def share(score: float, low: float, high: float) -> str:
    return f"{score:.1%} ({low:.1%} to {high:.1%})"


def network_rows() -> list[tuple[str, ...]]:
    """A row for each network that comes with the package."""
    rows = []
    for name, network in shipped_networks():
        card: ModelCard = network.card
        shape = f"{len(network.network.first_bias)}, {len(network.network.second_bias)}"
        learned = re.sub(r", (?=\S+ with powers)", ", ", learned_games(network.learned))
        games = learned if len(learned) < 100 else "all sets of chapters, with and without powers"
        rows.append((f"`{name}`", games, shape, f"{card.games:,}", f"{card.minutes:.0f}", f"`{card.command}`"))
    return rows


def page(figures: dict[str, Any]) -> str:
    """The document of these figures."""
    plan, anchors = Plan(), [rating["opponent"] for rating in figures["curve seed 1"]["curve"][0]["ratings"]]
    rated = figures["curve seed 1"]["curve"][0]["ratings"][0]["games"]
    inputs = table(("inputs", "how many", "numbered by"), [(group.name, str(group.size), group.meaning) for group in GROUPS])
    return f"""{NOTE}

# Learning to play

From nothing to a strong agent in a few minutes on two cores, without a GPU and without torch:

```sh
python -m pip install -e '.[cli]'
tkm train net.npz
tkm match net:file=net.npz greedy
tkm play --opponent alphabeta:depth=3,net=net.npz
```

`tkm train` plays games against itself, learns from them what positions are worth, and writes a *value network* to a file. Any other game of
the package is trained by its settings (`tkm train growth.npz --chapters growth`), all kinds of games at once by `--all-kinds`. Killed or
stopped, the same command goes on where it was, and ends with the same network, on any number of threads. `--tensorboard FOLDER` keeps
curves for TensorBoard (`pip install -e '.[learn]'`), `--json FILE` as numbers. The file can be used from the first rating on.

## Why values of whole turns

A turn is about four decisions that only make sense together: which copy, two actions, where the focus goes. A policy that is trained step by
step has to learn all four before any of them pays; `greedy`, which looks at every way to play the turn, beats it for a long time. So
what is learned here is the value of the position *after* a whole turn, as TD-Gammon did (Tesauro, "Temporal difference learning and
TD-Gammon", 1995): all ends of a turn are listed, about thirty, the network values each, and the best is played.

- **Network.** {NUM_INPUTS:,} inputs that are on or off, never more than {MAX_INPUTS} at once, two hidden layers ({plan.width} and
  {plan.narrow} by default), one output: the value is its hyperbolic tangent, from −1, lost, to 1, won, to the side to act. The first layer is
  a sum of rows, one for each input that is on, so that one evaluation takes about a microsecond (Nasu, "Efficiently updatable
  neural-network-based evaluation functions for computer shogi", 2018).
- **Targets.** λ-returns (Sutton and Barto, "Reinforcement learning", 2018, §12.1) with λ = {plan.self_play.trace} and γ =
  {plan.self_play.discount}; a turn chosen at random ends a trace. Games that last longer than {plan.self_play.most_turns} turns are cut and
  count 0.
- **Play.** Softmax over values with temperature {plan.self_play.temperature}, {plan.self_play.exploration:.0%} of turns at random, 1 to
  {plan.self_play.opening_turns} random turns at the beginning.
- **Regression.** Adam, {plan.batch} positions a step, from {plan.rate:g} down to {plan.last_rate:g}; each position {plan.passes:g} times, each
  time under another [symmetry](observation.md) of the rules.

{inputs}

While it learns, all pairs of focuses share one more row for each piece and place, which is added to theirs in the end; so what is true
everywhere is learned everywhere at once.

## Curves

Trainings from nothing by `tkm train FILE`: `net`, which looks one turn ahead, against four players, {rated} games each. Those named by their
seed are of the standard game, which the picture shows; `growth` is `tkm train FILE --chapters growth`, and `all kinds`, with all chapters and
powers, `tkm train FILE --all-kinds`, rated in games of all three chapters.

![Score over processor time](pictures/learning.svg)

{table(("training", "games", "CPU minutes", *(f"against `{anchor}`" for anchor in anchors)), curve_rows(figures))}

At the end:

{table(("player", "against", "chapters", "games", "score", "won/drawn/lost", "turns"), match_rows(figures, trained=True))}

## Networks that come with the package

`net` and `net=shipped` use them; the first that has learned the game at hand values it. Each file holds a card: what it learned from, the
command, the seed, the minutes, and how it was rated (`tkm_env.agents.card_of`).

{table(("file", "games it knows", "hidden layers", "games played", "CPU minutes", "command"), network_rows())}

{table(("player", "against", "chapters", "games", "score", "won/drawn/lost", "turns"), match_rows(figures, trained=False))}

Searches have the same time for each turn in these matches. In batches (`opponent="net"` in the vector environments) `net` runs compiled.

## A network of your own in Python

```python
from tkm_env.learn.value_training import Plan, ValueTraining

training = ValueTraining(
    "growth.npz",
    settings={{"chapters": "growth"}},
    plan=Plan(games=4_000, seed=1),
    rating_games=20,
    evaluations=2,
)
for done in training.run():
    for rating in done.ratings:
        print(f"{{done.games}} games: {{rating.score:.0%}} against {{rating.opponent}}")
```

A file of other inputs than this version writes, or for games that it has not learned, is refused with a reason. Terminus hides cards, so
that its positions between turns have no value of their own, and is not trained this way.

## What did not work

- Policies over single steps. In minutes of one core, MaskablePPO, PPO that plays both sides and a small AlphaZero all beat `random` and lose to
  `greedy`; [self-play](selfplay.md) says by how much.
- Longer training for the sake of `greedy` alone: against it, the curves are flat from the first minutes on. Against the searches they go on
  rising, which is why the networks of the package were trained longer.

## Reproducing the figures

```sh
python -m pip install -e '.[cli]' matplotlib
python benchmarks/learning.py learned
python docs/generate.py
```
"""
