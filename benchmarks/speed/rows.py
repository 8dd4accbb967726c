"""The table of all rows.

To measure something else, add a row: what it is, and a function that sets it up and returns a
`benchmarks.speed.work.Work`. To compare it with another row, name that row in ``beside``.
``docs/performance_page.py`` says what a group of rows means.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

import gymnasium

from benchmarks.speed import bounds, ours, peers, start_up
from benchmarks.speed.work import Work
from tkm_env import tkm_v0
from tkm_env.foundations.cores import cores
from tkm_env.games.tkm.engine.state import CHAPTERS


@dataclass(frozen=True, eq=False)
class Row:
    """One figure of this package, of a peer, or of a bound.

    Attributes:
        group: the rows that it is read with.
        name: by which it is selected and compared.
        what: one line on what is played and what is timed.
        make: sets it up; receives ``games`` unless that is None. It raises an `ImportError` if a
            library is missing.
        games: how many games side by side.
        unit: the unit of the figure.
        target: the figure to reach: at least this many steps or turns per second, or at most this
            many seconds.
        beside: the rows to compare it with, each with the ratio to reach or None.
        most_rounds: the most rounds in which it is measured; None for all.
    """

    group: str
    name: str
    what: str
    make: Callable[..., Work]
    games: int | None = None
    unit: Literal["steps/s", "turns/s", "games/s", "s"] = "steps/s"
    target: float | None = None
    beside: Mapping[str, float | None] = field(default_factory=dict)
    most_rounds: int | None = None

    def set_up(self, most_games: int | None = None) -> Work:
        """The work to measure, ready to run."""
        return (
            self.make()
            if self.games is None
            else self.make(min(self.games, most_games or self.games))
        )


#: Games side by side in the batch measurements, and in those of the vector environment.
_BATCH = 1024
_VECTOR = 4096
_SIZES = (1, 16, 256, 4096, 16384)
#: Those of them that are also measured on all cores.
_SHARED = (4096, 16384)
#: Games side by side on a GPU.
_ON_GPU = (2**12, 2**14, 2**16, 2**18, 2**20)

_SETTINGS: dict[str, tuple[str, dict[str, Any]]] = {
    "standard": ("the standard game", {}),
    "growth": ("Growth", {"chapters": "growth"}),
    "influence": ("Influence", {"chapters": "influence"}),
    "memory": ("Memory", {"chapters": "memory"}),
    "three-chapters": ("all three chapters", {"chapters": CHAPTERS}),
    "three-chapters-powers": (
        "all three chapters, one power per player",
        {"chapters": CHAPTERS, "powers": ("ripple", "kinship")},
    ),
}
#: What is measured on one core and on all, and with how many games the ratio on two is to be what.
_ON_CORES: dict[str, tuple[str, Literal["steps/s", "turns/s", "games/s"], Callable[..., Work]]] = {
    "turns": ("`Batch.turns`", "turns/s", ours.turns),
    "observe_turns": ("`Batch.observe_turns`", "turns/s", partial(ours.turns, timed="observe")),
    "play_turns": ("`Batch.play_turns`", "games/s", partial(ours.turns, timed="play")),
    **{
        f"vector/{opponent}": (
            f"`make_vec`, {what}",
            "steps/s",
            partial(ours.vector, opponent=opponent),
        )
        for opponent, what in {
            "random": "against `random`",
            "self": "in self-play",
            "greedy": "against `greedy`",
            "net": "against `net`",
        }.items()
    },
}
_ON_TWO_CORES = {256: 1.6, 4096: 1.85}
_TARGETS = {"standard": 5e6, "three-chapters-powers": 3e6}
#: pgx's games and how many of them run side by side, with the ratio that the standard game is to
#: reach.
_PGX = {
    ("connect_four", _BATCH): 1.28,
    ("connect_four", _VECTOR): None,
    ("animal_shogi", _BATCH): None,
}
_SPIELS = ("tic_tac_toe", "connect_four")
#: PettingZoo's games with their modules.
_CLASSICS = {
    "tictactoe": "tictactoe.tictactoe",
    "connect_four": "connect_four.connect_four",
    "chess": "chess.chess",
}


def _many(number: int) -> str:
    return "1 game" if number == 1 else f"{number:,} games"


def _batch() -> Iterator[Row]:
    row = partial(Row, "batch")
    pgx = {f"pgx/{name}/{size}": target for (name, size), target in _PGX.items()}
    for name, (what, settings) in _SETTINGS.items():
        bound = f"bound/write/{_BATCH}"
        yield row(
            f"batch/{name}",
            f"{what}, {_many(_BATCH)}, one core",
            partial(ours.batch, **settings),
            _BATCH,
            target=_TARGETS.get(name),
            beside={bound: 0.4, **pgx} if name == "standard" else {bound: None},
        )
    for name, (what, settings) in _SETTINGS.items():
        make = partial(ours.batch, all_cores=True, **settings)
        yield row(
            f"batch/{name}/all-cores",
            f"{what}, {_many(_BATCH)}, all cores",
            make,
            _BATCH,
            beside={f"batch/{name}": None},
        )
    for size in _SIZES:
        many, alone, apart = _many(size), f"batch/games/{size}", f"bound/apart/{size}"
        yield row(
            alone,
            f"the standard game, {many}, one core",
            ours.batch,
            size,
            beside={f"bound/write/{size}": None},
        )
        if size in _SHARED:
            yield row(
                f"{alone}/all-cores",
                f"the standard game, {many}, all cores",
                partial(ours.batch, all_cores=True),
                size,
                beside={alone: 1.8, f"{apart}/all-cores": 0.9},
            )
            yield row(
                f"{apart}/all-cores",
                f"independent compiled loops that play {many} in all, one loop per core, all cores",
                partial(bounds.apart, all_cores=True),
                size,
                beside={apart: None},
            )
            yield row(apart, f"one such loop that plays {many}, one core", bounds.apart, size)
    for size in sorted({*_SIZES, _BATCH}):
        what = f"a compiled loop that only writes masks and observations of {_many(size)}, one core"
        yield row(f"bound/write/{size}", what, bounds.write_only, size)
    on_all = partial(bounds.write_only, all_cores=True)
    yield row(
        f"bound/write/{_BATCH}/all-cores",
        f"the same for {_many(_BATCH)}, all cores",
        on_all,
        _BATCH,
    )
    for name, size in _PGX:
        what = (
            f"pgx {name}, {_many(size)}, one compiled call per step; "
            "XLA uses as many cores as it likes"
        )
        yield row(f"pgx/{name}/{size}", what, partial(peers.pgx, name=name), size)


def _turns() -> Iterator[Row]:
    row = partial(Row, "turns", games=_BATCH, unit="turns/s")
    bound = f"bound/turns/{_BATCH}"
    for name, (what, settings) in _SETTINGS.items():
        make = partial(ours.turns, **settings)
        yield row(f"turns/{name}", f"{what}, {_many(_BATCH)}, one core", make, beside={bound: None})
        if name == "standard":
            on_all = partial(make, all_cores=True)
            yield row(
                f"turns/{name}/all-cores",
                f"{what}, {_many(_BATCH)}, all cores",
                on_all,
                beside={f"turns/{name}": None},
            )
            seen = f"{what}, {_many(_BATCH)}, with a compact observation after each turn, one core"
            yield row(
                f"turns/{name}/observed",
                seen,
                partial(make, timed="list and observe"),
                beside={f"turns/{name}": None},
            )
    yield row(bound, "a compiled loop that only writes rows of turns, one core", bounds.write_turns)


def _gpu() -> Iterator[Row]:
    for name in ("standard", "three-chapters-powers"):
        what, settings = _SETTINGS[name]
        for size in _ON_GPU:
            for observe, label, target in ((False, "", 100e6), (True, "/observed", 30e6)):
                shown = ", observation" if observe else ""
                yield Row(
                    "gpu",
                    f"cuda/{name}/{size}{label}",
                    f"{what}, {_many(size)} on a GPU: play and mask{shown}",
                    partial(ours.on_gpu, observe=observe, **settings),
                    size,
                    target=target if name == "standard" and size == _ON_GPU[-1] else None,
                )


def _vector() -> Iterator[Row]:
    row = partial(Row, "vector", games=_VECTOR)
    nothing = f"sync/nothing/{_VECTOR}"
    for opponent, what in (("random", "against the random player"), ("self", "self-play")):
        name, make = f"vector/{opponent}", partial(ours.vector, opponent=opponent)
        beside = {nothing: 3.17, f"bound/write/{_VECTOR}": None}
        yield row(name, f"{what}, {_many(_VECTOR)}, one core", make, target=2e6, beside=beside)
        on_all = partial(make, all_cores=True)
        yield row(
            f"{name}/all-cores", f"{what}, {_many(_VECTOR)}, all cores", on_all, beside={name: None}
        )
    what = (
        f"Gymnasium's SyncVectorEnv over {_VECTOR:,} environments that do nothing, "
        "with the same observation and mask"
    )
    yield row(nothing, what, bounds.sync)


def _cores() -> Iterator[Row]:
    """What two cores bring: the targets are for two."""
    for size, goal in _ON_TWO_CORES.items():
        for name, (what, unit, make) in _ON_CORES.items():
            alone = f"cores/{name}/{size}"
            for label, all_cores, beside in (
                ("", False, {}),
                ("/all-cores", True, {alone: goal if cores() == 2 else None}),
            ):
                yield Row(
                    "cores",
                    f"{alone}{label}",
                    f"{what}, {_many(size)}, {'all cores' if all_cores else 'one core'}",
                    partial(make, all_cores=all_cores),
                    size,
                    unit,
                    beside=beside,
                )


def _one() -> Iterator[Row]:
    row = partial(Row, "one")
    spiels = {f"open_spiel/{name}": partial(peers.open_spiel, name) for name in _SPIELS}
    yield row("game", "Game: play and the mask to choose from", partial(ours.game, observe=False))
    yield row(
        "game/observed",
        "Game: play, mask and observation",
        partial(ours.game, observe=True),
        beside=dict.fromkeys(spiels),
    )
    yield row(
        "gymnasium",
        "gymnasium.make, against the random player: learner's steps",
        partial(ours.gymnasium_env, partial(gymnasium.make, "tkm_env/TKM-v0")),
        beside={"gymnasium/nothing": None},
    )
    what = "an environment that only creates such arrays, in the same wrappers"
    yield row("gymnasium/nothing", what, partial(ours.gymnasium_env, bounds.make_nothing))
    for name, make in spiels.items():
        yield row(
            name,
            f"OpenSpiel {name.partition('/')[2]}: apply_action, mask and observation tensor",
            make,
        )


def _aec() -> Iterator[Row]:
    row = partial(Row, "aec")
    others = {
        label: dict.fromkeys(f"pettingzoo/{name}/{label}" for name in _CLASSICS)
        for label in ("raw", "env")
    }
    yield row(
        "aec/raw",
        "raw_env(): agent_iter, last, step",
        partial(ours.aec, tkm_v0.raw_env),
        target=200e3,
        beside={"aec/nothing": None} | others["raw"] | {"pettingzoo/tictactoe/raw": 1.82},
    )
    yield row(
        "aec/env",
        "env(): the same with checks",
        partial(ours.aec, tkm_v0.env),
        target=80e3,
        beside={"aec/raw": None} | others["env"] | {"pettingzoo/connect_four/env": 3.64},
    )
    what = "an AEC environment that only creates such arrays"
    yield row("aec/nothing", what, partial(ours.aec, bounds.NothingAEC))
    for name, module in _CLASSICS.items():
        for label, face in (("raw", "raw_env"), ("env", "env")):
            yield row(
                f"pettingzoo/{name}/{label}",
                f"PettingZoo {name}, {face}()",
                partial(peers.classic, module, face),
            )


def _matches() -> Iterator[Row]:
    for player in ("random", "greedy"):
        what = f"{player} against {player}, the standard game, without a file, one process"
        yield Row("matches", f"match/{player}", what, partial(ours.match, player), unit="games/s")


def _start_up() -> Iterator[Row]:
    row = partial(Row, "start", unit="s")
    libraries = "import numpy, gymnasium, pettingzoo"
    own = partial(start_up.seconds_of, "import tkm_env")
    yield row(
        "start/import", "import tkm_env", own, target=0.5, beside={"start/import-libraries": None}
    )
    yield row("start/import-libraries", libraries, partial(start_up.seconds_of, libraries))
    programs = {
        "game": ("import and a first game of all chapters", start_up.FIRST_GAME),
        "batch": ("import and first steps of a Batch", start_up.FIRST_BATCH),
    }
    for name, (what, program) in programs.items():
        yield row(
            f"start/{name}",
            f"{what}, the engine compiled before",
            partial(start_up.seconds_of, program),
            target=1,
        )
    for name, (what, program) in programs.items():
        make = partial(start_up.seconds_of, program, fresh=True)
        yield row(
            f"start/{name}-fresh",
            f"{what}, nothing compiled before",
            make,
            target=10,
            most_rounds=3,
        )


def all_rows() -> list[Row]:
    """The rows of the table, in order."""
    return [
        *_batch(),
        *_turns(),
        *_gpu(),
        *_vector(),
        *_cores(),
        *_one(),
        *_aec(),
        *_matches(),
        *_start_up(),
    ]
