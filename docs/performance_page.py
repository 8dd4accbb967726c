"""`docs/performance.md`, made from the figures in `docs/performance.json`.

`benchmarks/speed` measures the figures, and `docs/generate.py` writes the page.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tables.figures import age
from tables.markdown import table

#: The rows that stand above all others, by what a reader looks for.
FIRST_ROWS = {
    "batch/standard": "`Batch`, the standard game, 1,024 games, one core",
    "batch/standard/all-cores": "the same, all cores",
    "batch/three-chapters-powers": "`Batch`, all chapters, one power per player, 1,024 games, "
    "one core",
    "turns/standard": "`Batch.turns`: whole turns of the standard game, one core",
    "vector/random": "`gymnasium.make_vec` against the random player, 4,096 games, one core",
    "vector/self": "`gymnasium.make_vec` in self-play, 4,096 games, one core",
    "gymnasium": "`gymnasium.make`, one game",
    "aec/raw": "PettingZoo, `raw_env`",
    "match/greedy": "`tkm match` between two `greedy` players",
    "start/game": "start-up: the first game of a process, with the machine code on disk",
}
FIGURES = Path(__file__).parent / "performance.json"
NOTE = (
    "<!-- Written by `python docs/generate.py` from `docs/performance.json`; "
    "edit `docs/performance_page.py` instead. -->"
)

#: What each group of rows is called, and what limits it.
GROUPS = {
    "batch": (
        "Many games: Batch",
        """\
`Batch.step` plays an action in each game, restarts finished games, and writes masks and
observations. The actions come from `Batch.random_actions`, which is included in the time. A step is
one decision in one game.

**What limits it.** Every step writes a mask and an observation, so no engine with these arrays can
be faster than `bound/write`, a compiled loop that writes the same bytes and knows no rules. That
bound drops once the arrays of all games no longer fit into the processor's caches. The difference
between the two is spent on the rules, on working out what to write, and on drawing actions. With
few games, most of the time goes into the call itself, in Python. Threads share the processor's
caches and memory, and on many machines also parts of the cores: `bound/apart`, compiled loops that
do all of the engine's work independently of each other, shows the most that additional cores can
give.""",
    ),
    "turns": (
        "Whole turns: Batch.turns",
        """\
`Batch.turns` lists every different end of the turn in each game. The games are at the beginning of
a turn, after random play; between calls, outside the timed part, each game plays one of the listed
turns. See [whole turns](turns.md).

**What limits it.** Each turn is a row of 146 bytes: the position, its key and its result, and the
actions. `bound/turns` is a compiled loop that writes such rows, to the same memory each time. The
difference is spent on playing the actions in every order, about as many actions as there are ends,
on recognising positions that several orders lead to, and on new memory for each list.""",
    ),
    "gpu": (
        "Many games on a GPU: CudaBatch",
        """\
Legal random play as above, all of it on the device, from drawing actions to writing observations.
The clock is read every ten steps, once the device is done. With few games, most of the time goes
into launching kernels. See [games on a GPU](gpu.md).""",
    ),
    "vector": (
        "Gymnasium: many games",
        """\
The rows measure `step` of the vector environment, in the learner's steps: the opponent's moves are
played within the step but not counted. The actions are drawn from the masks between steps, outside
the timed part. `sync/nothing` gets the same array of actions every time.

**What limits it.** Observations must never change once they have been returned, so no step writes
to the memory of the step before, and the mask is copied. The bound is `bound/write` for the same
number of games. `sync/nothing` is the cost of the same interface over separate environments that
are each stepped from Python and do nothing.""",
    ),
    "cores": (
        "More cores",
        """\
Each row is measured with `num_threads=1` and with as many threads as there are cores. Results never
depend on the number of threads.

**What limits it.** Between calls into compiled code, one thread runs Python: it checks what it is
given, and puts together what is returned. With few games that is most of a step. With many, writing
observations is as fast as the memory that the cores share.""",
    ),
    "one": (
        "One game: Game, and Gymnasium",
        """\
Whole games are played one after another, on one core, in a plain loop. It draws actions with `legal
= mask.nonzero()[0]` and `legal[int(random() * len(legal))]`, which is included in the time.
OpenSpiel's games list their legal actions themselves.

**What limits it.** Most of the time goes into calls from Python: calls into compiled code, calls
that create arrays, and the sampler itself. `gymnasium/nothing` is the bound for any Gymnasium
environment with such arrays. The opponent's turns are played within the learner's steps, but not
counted.""",
    ),
    "aec": (
        "PettingZoo",
        """\
Whole games are played through `agent_iter`, `last` and `step`, with the same sampler; the steps of
agents that are done are not counted.

**What limits it.** PettingZoo's own loop does: `aec/nothing` is the bound for any environment
derived from `AECEnv` with such arrays. The other games differ in size, so this does not compare
rules engines; they show the speeds that are usual for this interface.""",
    ),
    "matches": (
        "Matches",
        """\
The rows count games per second in whole matches. The time includes the opening, both players, their
clocks, and the record, which is checked as if it were read from a file. A random game takes about a
hundred decisions.

**What limits it.** Each turn takes a few calls from Python, to the player and the engine, and each
start two new generators of random numbers.""",
    ),
    "start": (
        "Start-up",
        """\
The rows give seconds in a new process, excluding the start of Python itself. *Nothing compiled
before* is the first use after an installation, when numba's cache is an empty folder.

**What limits it.** Importing the package takes about as long as importing the libraries that it
needs (`start/import-libraries`). A first game also imports numba and loads the engine's machine
code from disk; with nothing compiled before, it waits for the compiler, which uses one core.

`tkm warmup` compiles everything beforehand, on all cores: both games, batches, environments,
agents, analysis and training, that is, everything but the code for a GPU. In a container image, run
it after the installation:

    ENV NUMBA_CACHE_DIR=/opt/tkm_env
    RUN tkm warmup

On a cluster, run it once with `NUMBA_CACHE_DIR` in a folder that all machines with the same
processor share.

**Without the compiler.** `tkm-env-machine-code` is a package of its own that brings the machine
code of both games, all agents and training: 2.1 MB, or 0.6 MB zipped. Where it is installed, the
first game, a batch and a list of turns together took 0.97 CPU seconds with nothing compiled before,
under the oldest numba that is supported and under the newest. It is code for processors since about
2013 (x86-64-v3), and no slower than what numba compiles for the processor at hand. It fits one
version of the sources, any version of Python, and every numba that calls functions in the same way;
whatever does not fit is compiled as before. In a clone, build it for the system at hand:

    python packaging/machine_code/build.py dist
    pip install dist/tkm_env_machine_code-*.whl""",
    ),
}


def performance() -> str:
    """``docs/performance.md``."""
    return page(json.loads(FIGURES.read_text("utf-8")))


def short(figure: float) -> str:
    """A figure with three significant digits: 5.81 M, 48.0 k, 0.234."""
    for size, letter in ((1e6, " M"), (1e3, " k"), (1, "")):
        if figure >= size:
            figure /= size
            return f"{figure:.{0 if figure >= 100 else 1 if figure >= 10 else 2}f}{letter}"
    return f"{figure:.3f}"


def spread(figures: Sequence[float], unit: str = "") -> str:
    """A median with its range."""
    least, most = short(min(figures)), short(max(figures))
    return f"{short(statistics.median(figures))}{unit} ({least} to {most})"


def cells(row: dict[str, Any], rounds: dict[str, list[float]]) -> tuple[str, str, str]:
    """A row's figure, its ratios to other rows in the same rounds, and its targets.

    Each target says whether it is met.
    """

    def met(is_met: bool) -> str:
        return "met" if is_met else "not met"

    mine, unit, target = row["rounds"], row["unit"], row["target"]
    median = statistics.median(mine)
    ratios = {
        other: [one / another for one, another in zip(mine, rounds[other], strict=False)]
        for other in row["beside"]
    }
    targets = []
    if target is not None:
        at_least = unit != "s"
        is_met = median >= target if at_least else median <= target
        targets.append(
            f"at {'least' if at_least else 'most'} {short(target)} {unit}: {met(is_met)}"
        )
    targets += [
        f"at least {short(goal)} times {other}: {met(statistics.median(ratios[other]) >= goal)}"
        for other, goal in row["beside"].items()
        if goal is not None
    ]
    return (
        spread(mine, f" {unit}"),
        "<br>".join(f"{spread(figures)} times {other}" for other, figures in ratios.items()),
        "<br>".join(targets),
    )


def page(outcome: dict[str, Any]) -> str:
    """The page of an outcome."""
    settings, memory = outcome["settings"], outcome["memory"]
    rounds = {row["name"]: row["rounds"] for row in outcome["rows"]}
    units = {row["name"]: row["unit"] for row in outcome["rows"]}
    first = [
        (words, spread(rounds[name], f" {units[name]}"))
        for name, words in FIRST_ROWS.items()
        if name in rounds
    ]
    sections = []
    for group, (title, text) in GROUPS.items():
        rows = [row for row in outcome["rows"] if row["group"] == group]
        lines = [(f"`{row['name']}`: {row['what']}", *cells(row, rounds)) for row in rows]
        if lines:
            figures = table(("what", "figure", "compared with", "target"), lines)
            title_of_rows = f"{len(rows)} rows, what they measure, and what limits them"
            sections.append(
                f"## {title}\n\n{_folded(title_of_rows, f'{text}{chr(10) * 2}{figures}')}"
            )
    missing = "\n".join(f"- `{name}`: {reason}" for name, reason in outcome["missing"].items())
    without = ""
    if missing:
        without = f"\n## Not measured\n\n{_folded(f'{missing.count(chr(10)) + 1} rows', missing)}\n"
    sizes = [
        (name, f"{size:,}") for name, size in [*memory.items(), ("total", sum(memory.values()))]
    ]
    machine = ", ".join(
        f"{name} {value}" for name, value in outcome["machine"].items() if value is not None
    )
    method = f"""\
All figures come from one run of `benchmarks/speed` on one machine. Figures differ between machines,
and are lower on a busy one, so compare them only within a run. In each of {settings["rounds"]}
rounds, the rows were measured one after another, for about {settings["seconds"]} s each. A figure
is the median of the rounds, with the range in brackets. The ratios under *compared with* are to the
named row's figure in the same round.

{machine}"""
    return f"""{NOTE}

# Performance

<!-- index: performance, speed, steps per second -->

![Steps per second of this environment and of others on the same machine](pictures/performance.svg)

{table(("what", "median (range)"), first)}

{age("performance")}

{_folded("How this was measured, and on which machine", method)}

## Measure it yourself

In a clone of the repository, with the other libraries:

```sh
python -m pip install -e '.[bench]'
python -m benchmarks.speed --json docs/performance.json
python docs/generate.py
```

`--list` lists the rows, `--only PATTERN` selects some, and `--rounds` and `--seconds` set how long
to measure. Rows of libraries that are not installed are left out. The JSON file holds the figures
of each round.

{(chr(10) * 2).join(sections)}

## Memory

Bytes per game of a `Batch`:

{_folded(f"{sum(memory.values()):,} bytes in total", table(("what", "bytes"), sizes))}
{without}"""


def _folded(title: str, text: str) -> str:
    return f":::{{dropdown}} {title}\n{text}\n:::"
