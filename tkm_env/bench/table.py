"""The table of all measurements.

To measure something else, add a row: what it is, and a function that sets it up and returns a `work.Work`. To compare it with another
row, name that row in ``beside``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import partial
from importlib.util import find_spec
from typing import Any, Final, Literal

import gymnasium

from tkm_env import tkm_v0
from tkm_env.bench import bounds, ours, peers, start_up
from tkm_env.bench.work import Work
from tkm_env.errors import ConfigError
from tkm_env.games.tkm.engine.state import CHAPTERS


@dataclass(frozen=True, kw_only=True)
class Measurement:
    """One figure of this package, of a peer, or of a bound.

    Attributes:
        name: by which it is selected and compared.
        what: one line on what is played and what is timed.
        make: sets it up; receives ``games`` unless that is None.
        games: how many games side by side.
        unit: of the figure.
        target: the figure to reach: at least so many steps per second, at most so many seconds.
        beside: the measurements to compare it with, each with the ratio to reach or None.
        needs: the modules that must be installed.
        most_rounds: the number of rounds in which it is measured, at most; None means all.
    """

    name: str
    what: str
    make: Callable[..., Work]
    games: int | None = None
    unit: Literal["steps/s", "s"] = "steps/s"
    target: float | None = None
    beside: Mapping[str, float | None] = field(default_factory=dict)
    needs: tuple[str, ...] = ()
    most_rounds: int | None = None

    def set_up(self, most_games: int | None = None) -> Work:
        """The work to measure, ready to run."""
        if self.games is None:
            return self.make()
        return self.make(self.games if most_games is None else min(self.games, most_games))

    @property
    def missing(self) -> tuple[str, ...]:
        """The modules that are not installed."""
        return tuple(module for module in self.needs if find_spec(module) is None)


@dataclass(frozen=True, kw_only=True)
class Group:
    """Measurements that are read together, and what they mean."""

    title: str
    text: str
    measurements: tuple[Measurement, ...]


#: Games side by side in the batch measurements, and in those of the vector environment.
_BATCH: Final = 1024
_VECTOR: Final = 4096
_SIZES: Final = (1, 16, 256, 4096, 16384)
#: The same on a GPU.
_ON_GPU: Final = (2**12, 2**14, 2**16, 2**18, 2**20)
#: Those of them that are also measured on all cores.
_SHARED: Final = (4096, 16384)

_SETTINGS: Final[dict[str, tuple[str, dict[str, Any]]]] = {
    "standard": ("the standard game", {}),
    "growth": ("Growth", {"chapters": "growth"}),
    "influence": ("Influence", {"chapters": "influence"}),
    "memory": ("Memory", {"chapters": "memory"}),
    "three-chapters": ("all three chapters", {"chapters": CHAPTERS}),
    "three-chapters-powers": ("all three chapters, a power each", {"chapters": CHAPTERS, "powers": ("ripple", "kinship")}),
}
_TARGETS: Final = {"standard": 5e6, "three-chapters-powers": 3e6}
_BATCH_PEERS: Final = (f"pgx/connect_four/{_BATCH}", f"pgx/connect_four/{_VECTOR}", f"pgx/animal_shogi/{_BATCH}")


def _many(number: int) -> str:
    return "1 game" if number == 1 else f"{number:,} games"


def _batch() -> Iterator[Measurement]:
    for name, (what, settings) in _SETTINGS.items():
        yield Measurement(
            name=f"batch/{name}",
            what=f"{what}, {_many(_BATCH)}, one core",
            make=partial(ours.batch, **settings),
            games=_BATCH,
            target=_TARGETS.get(name),
            beside={f"bound/write/{_BATCH}": 0.4} | dict.fromkeys(_BATCH_PEERS) | {f"pgx/connect_four/{_BATCH}": 1.28}
            if name == "standard"
            else {f"bound/write/{_BATCH}": None},
        )
    for name, (what, settings) in _SETTINGS.items():
        yield Measurement(
            name=f"batch/{name}/all-cores",
            what=f"{what}, {_many(_BATCH)}, all cores",
            make=partial(ours.batch, all_cores=True, **settings),
            games=_BATCH,
            beside={f"batch/{name}": None},
        )
    for size in _SIZES:
        yield Measurement(
            name=f"batch/games/{size}",
            what=f"the standard game, {_many(size)}, one core",
            make=ours.batch,
            games=size,
            beside={f"bound/write/{size}": None},
        )
        if size in _SHARED:
            yield Measurement(
                name=f"batch/games/{size}/all-cores",
                what=f"the standard game, {_many(size)}, all cores",
                make=partial(ours.batch, all_cores=True),
                games=size,
                beside={f"batch/games/{size}": 1.8, f"bound/apart/{size}/all-cores": 0.9},
            )
            yield Measurement(
                name=f"bound/apart/{size}/all-cores",
                what=f"independent compiled loops that play {_many(size)} in all, one loop per core, all cores",
                make=partial(bounds.apart, all_cores=True),
                games=size,
                beside={f"bound/apart/{size}": None},
            )
            yield Measurement(
                name=f"bound/apart/{size}",
                what=f"one such loop that plays {_many(size)}, one core",
                make=bounds.apart,
                games=size,
            )
    for size in sorted({*_SIZES, _BATCH}):
        yield Measurement(
            name=f"bound/write/{size}",
            what=f"a compiled loop that only writes masks and observations of {_many(size)}, one core",
            make=bounds.write_only,
            games=size,
        )
    yield Measurement(
        name=f"bound/write/{_BATCH}/all-cores",
        what=f"the same for {_many(_BATCH)}, all cores",
        make=partial(bounds.write_only, all_cores=True),
        games=_BATCH,
    )
    for name, size in (("connect_four", _BATCH), ("connect_four", _VECTOR), ("animal_shogi", _BATCH)):
        yield Measurement(
            name=f"pgx/{name}/{size}",
            what=f"pgx {name}, {_many(size)}, one compiled call per step; XLA uses as many cores as it likes",
            make=partial(peers.pgx, name=name),
            games=size,
            needs=("jax", "pgx"),
        )


def _vector() -> Iterator[Measurement]:
    for opponent, what in (("random", "against the random player"), ("self", "self-play")):
        yield Measurement(
            name=f"vector/{opponent}",
            what=f"{what}, {_many(_VECTOR)}, one core",
            make=partial(ours.vector, opponent=opponent),
            games=_VECTOR,
            target=2e6,
            beside={f"sync/nothing/{_VECTOR}": 3.17, f"bound/write/{_VECTOR}": None},
        )
        yield Measurement(
            name=f"vector/{opponent}/all-cores",
            what=f"{what}, {_many(_VECTOR)}, all cores",
            make=partial(ours.vector, opponent=opponent, all_cores=True),
            games=_VECTOR,
            beside={f"vector/{opponent}": None},
        )
    yield Measurement(
        name=f"sync/nothing/{_VECTOR}",
        what=f"Gymnasium's SyncVectorEnv over {_VECTOR:,} environments that do nothing, with the same observation and mask",
        make=bounds.sync,
        games=_VECTOR,
    )


def _gpu() -> Iterator[Measurement]:
    for name in ("standard", "three-chapters-powers"):
        what, settings = _SETTINGS[name]
        for size in _ON_GPU:
            for observe, label, target in ((False, "", 100e6), (True, "/observed", 30e6)):
                yield Measurement(
                    name=f"cuda/{name}/{size}{label}",
                    what=f"{what}, {_many(size)} on a GPU: play and mask{', observation' if observe else ''}",
                    make=partial(ours.on_gpu, observe=observe, **settings),
                    games=size,
                    target=target if name == "standard" and size == _ON_GPU[-1] else None,
                    needs=("cupy", "numba_cuda"),
                )


_SPIELS: Final = ("tic_tac_toe", "connect_four")

_ONE: Final = (
    Measurement(
        name="game",
        what="Game: play and the mask to choose from",
        make=partial(ours.game, observe=False),
    ),
    Measurement(
        name="game/observed",
        what="Game: play, mask and observation",
        make=partial(ours.game, observe=True),
        beside=dict.fromkeys(f"open_spiel/{name}" for name in _SPIELS),
    ),
    Measurement(
        name="gymnasium",
        what="gymnasium.make, against the random player: learner's steps",
        make=partial(ours.gymnasium_env, partial(gymnasium.make, "tkm_env/TKM-v0")),
        beside={"gymnasium/nothing": None},
    ),
    Measurement(
        name="gymnasium/nothing",
        what="an environment that only creates such arrays, in the same wrappers",
        make=partial(ours.gymnasium_env, bounds.nothing_made),
    ),
    *(
        Measurement(
            name=f"open_spiel/{name}",
            what=f"OpenSpiel {name}: apply_action, mask and observation tensor",
            make=partial(peers.open_spiel, name),
            needs=("pyspiel",),
        )
        for name in _SPIELS
    ),
)

#: PettingZoo's games: name, module, and what the module imports.
_CLASSICS: Final = (
    ("tictactoe", "tictactoe.tictactoe", ("pygame",)),
    ("connect_four", "connect_four.connect_four", ("pygame",)),
    ("chess", "chess.chess", ("chess", "pygame")),
)

_AEC: Final = (
    Measurement(
        name="aec/raw",
        what="raw_env(): agent_iter, last, step",
        make=partial(ours.aec, tkm_v0.raw_env),
        target=200e3,
        beside={"aec/nothing": None}
        | dict.fromkeys(f"pettingzoo/{name}/raw" for name, _, _ in _CLASSICS)
        | {"pettingzoo/tictactoe/raw": 1.82},
    ),
    Measurement(
        name="aec/env",
        what="env(): the same with checks",
        make=partial(ours.aec, tkm_v0.env),
        target=80e3,
        beside={"aec/raw": None}
        | dict.fromkeys(f"pettingzoo/{name}/env" for name, _, _ in _CLASSICS)
        | {"pettingzoo/connect_four/env": 3.64},
    ),
    Measurement(
        name="aec/nothing",
        what="an AEC environment that only creates such arrays",
        make=partial(ours.aec, bounds.NothingAEC),
    ),
    *(
        Measurement(
            name=f"pettingzoo/{name}/{label}",
            what=f"PettingZoo {name}, {face}()",
            make=partial(peers.classic, module, face),
            needs=needs,
        )
        for name, module, needs in _CLASSICS
        for label, face in (("raw", "raw_env"), ("env", "env"))
    ),
)

_START_UP: Final = (
    Measurement(
        name="start/import",
        what="import tkm_env",
        make=partial(start_up.seconds_of, "import tkm_env"),
        unit="s",
        target=0.5,
        beside={"start/import-libraries": None},
    ),
    Measurement(
        name="start/import-libraries",
        what="import numpy, gymnasium, pettingzoo",
        make=partial(start_up.seconds_of, "import numpy, gymnasium, pettingzoo"),
        unit="s",
    ),
    Measurement(
        name="start/game",
        what="import and a first game of all chapters, the engine compiled before",
        make=partial(start_up.seconds_of, start_up.FIRST_GAME),
        unit="s",
        target=1,
    ),
    Measurement(
        name="start/batch",
        what="import and first steps of a Batch, the engine compiled before",
        make=partial(start_up.seconds_of, start_up.FIRST_BATCH),
        unit="s",
        target=1,
    ),
    Measurement(
        name="start/game-fresh",
        what="import and a first game of all chapters, nothing compiled before",
        make=partial(start_up.seconds_of, start_up.FIRST_GAME, fresh=True),
        unit="s",
        target=10,
        most_rounds=3,
    ),
    Measurement(
        name="start/batch-fresh",
        what="import and first steps of a Batch, nothing compiled before",
        make=partial(start_up.seconds_of, start_up.FIRST_BATCH, fresh=True),
        unit="s",
        target=10,
        most_rounds=3,
    ),
)

GROUPS: Final = (
    Group(
        title="Many games: Batch",
        text="""\
`Batch.step` plays an action in each game, restarts finished games, and writes masks and observations. The actions come from
`Batch.random_actions`, which is included in the time. A step is one decision in one game.

**What limits it.** Every step writes a mask and an observation, so no engine with these arrays can be faster than `bound/write`, a compiled
loop that writes the same bytes and knows no rules. That bound drops once the arrays of all games no longer fit into the processor's
caches. The difference between the two is spent on the rules, on working out what to write, and on drawing actions. With few games, most of
the time goes into the call itself, in Python. Threads share the processor's caches and memory, and on many machines also parts of the
cores: `bound/apart`, compiled loops that do all of the engine's work independently of each other, shows the most that additional cores
can give.""",
        measurements=tuple(_batch()),
    ),
    Group(
        title="Many games on a GPU: CudaBatch",
        text="""\
Legal random play as above, on the device from drawing actions to observations; the clock is read every ten steps, once the device is done.
With few games the time goes into the launch of kernels. See [games on a GPU](gpu.md).""",
        measurements=tuple(_gpu()),
    ),
    Group(
        title="Gymnasium: many games",
        text="""\
`step` of the vector environment, counted in the learner's steps: the opponent's moves are played within the step but not counted. The
actions are drawn from the masks between steps, outside the timed part. `sync/nothing` gets the same array of actions every time.

**What limits it.** Observations must never change once they have been returned, so each step writes to different memory from the last,
and the mask is copied. The bound is `bound/write` for the same number of games. `sync/nothing` is the cost of the same interface when the
games are separate environments, each stepped from Python, before any of them does anything.""",
        measurements=tuple(_vector()),
    ),
    Group(
        title="One game: Game, and Gymnasium",
        text="""\
Whole games, one after another, on one core, in a plain loop that draws actions with `legal = mask.nonzero()[0]` and
`legal[int(random() * len(legal))]`, which is included in the time. OpenSpiel's games list their legal actions themselves.

**What limits it.** Calls from Python: into compiled code, for new arrays, and for the sampler itself. `gymnasium/nothing` is the bound
for any Gymnasium environment with such arrays. The opponent's turns are played within the learner's steps, but not counted.""",
        measurements=_ONE,
    ),
    Group(
        title="PettingZoo",
        text="""\
Whole games through `agent_iter`, `last` and `step`, with the same sampler; the steps of agents that are done are not counted.

**What limits it.** PettingZoo's own loop: `aec/nothing` is the bound for any environment derived from `AECEnv` with such arrays. The other
games differ in size, so this does not compare rules engines; they show the speeds that are usual for this interface.""",
        measurements=_AEC,
    ),
    Group(
        title="Start-up",
        text="""\
Seconds in a new process, excluding the start of Python itself. *Nothing compiled before* is the first use after an installation:
numba's cache is an empty folder.

**What limits it.** The import takes as long as that of the libraries below it: `start/import-libraries`. A first game also imports numba
and loads the engine's machine code from disk; with nothing compiled before, it waits for the compiler, which uses one core.""",
        measurements=_START_UP,
    ),
)


def all_measurements() -> list[Measurement]:
    """The rows of the table, in order."""
    return [measurement for group in GROUPS for measurement in group.measurements]


def chosen(patterns: tuple[str, ...]) -> list[Measurement]:
    """The measurements whose names contain one of the patterns, where ``*`` matches anything; without patterns, all of them.

    Raises:
        ConfigError: if a pattern matches none of them.

    >>> [measurement.name for measurement in chosen(("vector*all",))]
    ['vector/random/all-cores', 'vector/self/all-cores']
    """
    for pattern in patterns:
        if not any(_fits(measurement, pattern) for measurement in all_measurements()):
            raise ConfigError("only", pattern, "no measurement has such a name; `tkm bench --list` lists them")
    return [
        measurement
        for measurement in all_measurements()
        if not patterns or any(_fits(measurement, pattern) for pattern in patterns)
    ]


def _fits(measurement: Measurement, pattern: str) -> bool:
    return fnmatchcase(measurement.name, f"*{pattern}*")
