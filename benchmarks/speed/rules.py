"""How fast each version of the rules and the search is, next to the one before.

    python -m benchmarks.speed.rules

``docs/figures.json`` holds the digest of the sources that figures were measured with.
``docs/rules_speed.json`` says how fast the sources of each digest are, as multiples of its first
entry, so whether figures still hold is looked up, not measured again. The command measures the
present sources side by side with the newest version in git that has an entry, in CPU seconds, and
adds an entry.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Collection
from datetime import UTC, datetime
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.digests import ROOT, Sources, read_table
from benchmarks.versions import checked_out, git

RECORD: Final = "docs/rules_speed.json"
#: The source that decides how fast games and searches are.
SPEED: Final = "the speed of the rules and the search"
#: What is measured of a version.
WORKS: Final = {
    "batch": "steps of a batch",
    "search": "positions of alpha-beta",
    "network": "positions of alpha-beta with a network",
}
#: Figures are as good as new while nothing has become faster or slower by more than this factor.
TOLERANCE: Final = 1.1

#: Processes of one version differ by some percent, by where their memory lies: several of each
#: version run.
_PROCESSES: Final = 7
_ROUNDS: Final = 3
_STEPS: Final = 60
_NODES: Final = 2000


def digest_in(folder: Path) -> str:
    """The digest of the sources in a checkout."""
    return Sources(folder, read_table()["sources"]).digest(SPEED)


class Age(NamedTuple):
    """How the present sources compare with those that figures were taken with."""

    ratios: dict[str, float]  # by work: how many times as fast they are

    @property
    def is_old(self) -> bool:
        """Whether something has become faster or slower by more than `TOLERANCE`."""
        return any(abs(math.log(ratio)) > math.log(TOLERANCE) for ratio in self.ratios.values())


def read_record(root: Path = ROOT) -> dict[str, Any]:
    """The record of a checkout: "versions", by digest."""
    found: dict[str, Any] = json.loads((root / RECORD).read_text("utf-8"))
    return found


def age_of(digests: Collection[str], present: str, record: dict[str, Any]) -> Age:
    """How far figures with these digests are from the present sources.

    Args:
        digests: the digests of the figures; of several, the furthest counts.
        present: the digest of the present sources.
        record: what `read_record` returns.

    Returns:
        The change of speed; without an entry for one of the digests it may be any.
    """
    versions = record["versions"]
    if not {*digests, present} <= versions.keys():
        return Age(dict.fromkeys(WORKS, math.inf))
    speeds = [versions[digest] for digest in digests]
    now = versions[present]
    return Age(
        {
            work: max((now[work] / then[work] for then in speeds), key=lambda r: abs(math.log(r)))
            for work in WORKS
        }
    )


def measure() -> None:
    """Run what is measured once for every line of input, and answer each with the speeds."""
    works = _works()
    for work in works.values():
        work()
    for _ in sys.stdin:
        print(json.dumps({name: work() for name, work in works.items()}), flush=True)


def _works() -> dict[str, Callable[[], float]]:
    """What is measured, in units per CPU second, with the sources that come first in the path."""
    import numpy as np

    from tkm_env import Batch

    # Older versions have players beside a game's rules.
    rooms = (
        ("players.tkm", "players.tkm.search")
        if find_spec("tkm_env.players")
        else ("games.tkm.agents", "games.tkm.search")
    )
    players, search_room = (f"tkm_env.{room}" for room in rooms)
    networks = import_module(f"{players}.evaluators").shipped_networks()
    new_searcher = import_module(f"{search_room}.alphabeta").Searcher
    new_evaluator = import_module(f"{search_room}.evaluation").new_evaluator

    chapters = {"chapters": ("growth", "influence", "memory"), "powers": ("ripple", "kinship")}
    batches = [Batch(1024, num_threads=1, **settings) for settings in ({}, chapters)]
    observations = [batch.new_observations() for batch in batches]
    plain = [new_searcher(), new_searcher()]
    with_network = [
        new_searcher(evaluator=new_evaluator(network=networks[which][1].network))
        for which in (0, -1)
    ]
    positions = []
    for batch, seen in zip(batches, observations, strict=True):
        batch.reset(seed=1)
        for _ in range(_STEPS):
            batch.step(batch.random_actions(), seen)
        positions.append(batch.states[:6].copy())

    def step() -> float:
        for batch, seen in zip(batches, observations, strict=True):
            batch.reset(seed=1)
            for _ in range(_STEPS):
                batch.step(batch.random_actions(), seen)
        return float(2 * 1024 * _STEPS)

    def search(searchers: list[Any]) -> float:
        before = sum(searcher.nodes for searcher in searchers)
        for searcher, states in zip(searchers, positions, strict=True):
            searcher.forget()
            for number in range(len(states)):
                searcher.search(np.ascontiguousarray(states[number : number + 1]), nodes=_NODES)
        return float(sum(searcher.nodes for searcher in searchers) - before)

    def rate(work: Callable[[], float]) -> Callable[[], float]:
        def timed() -> float:
            began = time.process_time()
            units = work()
            return units / (time.process_time() - began)

        return timed

    return {
        "batch": rate(step),
        "search": rate(lambda: search(plain)),
        "network": rate(lambda: search(with_network)),
    }


def compare(one: Path, other: Path, processes: int = _PROCESSES) -> dict[str, float]:
    """How many times as fast each work is with one version as with another.

    Args:
        one: a folder that contains the package.
        other: another one.
        processes: how many of each version run.

    Returns:
        The medians over all processes of the medians of their rounds, by work.
    """
    found = [_compare_processes(one, other) for _ in range(processes)]
    return {work: round(statistics.median(each[work] for each in found), 3) for work in WORKS}


def _compare_processes(one: Path, other: Path) -> dict[str, float]:
    """The medians of the rounds in which a process of each version take turns."""
    command = [sys.executable, str(Path(__file__)), "--measure"]
    running = []
    for folder in (one, other):
        environment = os.environ | {"PYTHONPATH": f"{folder}{os.pathsep}{ROOT}"}
        running.append(
            subprocess.Popen(
                command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
        )
    ratios: dict[str, list[float]] = {work: [] for work in WORKS}
    for _ in range(_ROUNDS):
        found = []
        for process in running:
            assert process.stdin is not None
            assert process.stdout is not None
            process.stdin.write("\n")
            process.stdin.flush()
            found.append(json.loads(process.stdout.readline()))
        for work in WORKS:
            ratios[work].append(found[0][work] / found[1][work])
    for process in running:
        process.communicate()
    return {work: statistics.median(each) for work, each in ratios.items()}


def _newest_recorded(versions: dict[str, Any], folder: Path) -> tuple[Path, str]:
    """The newest committed version with an entry, checked out in ``folder``, and its digest."""
    places = [place for place in read_table()["sources"][SPEED] if place[0] != "!"]
    for revision in git("rev-list", "HEAD", "--", *places).decode().split():
        version = checked_out(revision, folder / revision)
        try:
            digest = digest_in(version)
        except FileNotFoundError:  # the sources were elsewhere
            break
        if digest in versions:
            return version, digest
    raise SystemExit(f"no committed version has an entry in {RECORD}")


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.rules",
        description="Measure the rules beside the last recorded version, and record them.",
    )
    parser.add_argument(
        "--processes",
        type=int,
        default=_PROCESSES,
        help=f"how many of each version run (default: {_PROCESSES})",
    )
    parser.add_argument("--measure", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure()
        return
    record, present = read_record(), digest_in(ROOT)
    if present in record["versions"]:
        print(f"{present} is recorded: {record['versions'][present]}")
        return
    with tempfile.TemporaryDirectory() as folder:
        before, digest = _newest_recorded(record["versions"], Path(folder))
        ratios = compare(ROOT, before, asked.processes)
    then = record["versions"][digest]
    speeds = {work: round(then[work] * ratio, 3) for work, ratio in ratios.items()}
    record["versions"][present] = {"date": datetime.now(UTC).date().isoformat(), **speeds}
    (ROOT / RECORD).write_text(json.dumps(record, indent=1) + "\n", "utf-8")
    for work, ratio in ratios.items():
        print(f"{WORKS[work]}: {ratio:.2f} times as many a CPU second as {digest}")


if __name__ == "__main__":
    main()
