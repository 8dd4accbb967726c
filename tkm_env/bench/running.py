"""Measuring: everything in turn, round after round, so that a disturbance affects all measurements alike.

The outcome is a dict of plain values, stored as JSON. `KEYS` are its keys; in "measurements" there is a dict for each row: "name", "what",
"unit", "target" (or None), "rounds" (the figure of each), "median", "least", "most", and "beside": for each row that it is compared with,
"median", "least" and "most" of the ratios in the rounds, and the "target" (or None).
"""

from __future__ import annotations

import gc
import os
import platform
import statistics
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timezone
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from tkm_env import __version__
from tkm_env.bench.table import Measurement
from tkm_env.bench.work import Work
from tkm_env.compiled.threads import cores
from tkm_env.errors import ConfigError
from tkm_env.files import check_keys, content_of, read_json, write_json
from tkm_env.games.tkm.batch import Batch
from tkm_env.games.tkm.engine.state import STATE

#: The kind of the JSON file.
KIND: Final = "tkm-bench"

#: The outcome's keys.
KEYS: Final = ("machine", "settings", "measurements", "missing", "memory")

_FIGURES: Final = {"median": (float,), "least": (float,), "most": (float,), "target": (float, None)}

#: What an outcome looks like. A tuple lists alternatives; an object that maps `str` has any keys.
_SHAPE: Final = {
    "machine": {str: (str, float, None)},
    "settings": {"rounds": (float,), "seconds": (float,), "most_games": (float, None)},
    "measurements": [
        {"name": (str,), "what": (str,), "unit": ("steps/s", "s"), "rounds": [(float,)], "beside": {str: _FIGURES}, **_FIGURES}
    ],
    "missing": {str: (str,)},
    "memory": {str: (float,)},
}
_WORDS: Final = {str: "text", float: "a number", None: "null"}

_PACKAGES: Final = ("numpy", "numba", "gymnasium", "pettingzoo", "chess", "jax", "pgx", "open-spiel")


def measure(
    measurements: Sequence[Measurement],
    *,
    rounds: int,
    seconds: float,
    most_games: int | None = None,
    progress: Callable[[str], None] = lambda name: None,
) -> dict[str, Any]:
    """Measure each, in turn, ``rounds`` times for ``seconds``; those whose modules are not installed are listed under "missing".

    Args:
        measurements: what to measure.
        rounds: how many times.
        seconds: roughly how long each.
        most_games: a limit on the number of games side by side.
        progress: called with the name of the next measurement, once for each to set it up, then once for each in each round.
    """
    machine = _machine()
    ready: dict[str, Work] = {}
    missing: dict[str, str] = {}
    for measurement in measurements:
        progress(measurement.name)
        try:
            if not measurement.missing:
                ready[measurement.name] = measurement.set_up(most_games)
            else:
                missing[measurement.name] = f"not installed: {', '.join(measurement.missing)}"
        except ImportError as error:
            missing[measurement.name] = f"cannot be imported: {error}"
        except ConfigError as error:  # such as that there is no GPU
            missing[measurement.name] = f"not measured: {error}"
    figures: dict[str, list[float]] = {name: [] for name in ready}
    with _set_up_left_alone():
        for number in range(rounds):
            for measurement in measurements:
                progress(measurement.name)
                if measurement.name in ready and (measurement.most_rounds is None or number < measurement.most_rounds):
                    figures[measurement.name].append(ready[measurement.name](seconds))
    return {
        "machine": machine,
        "settings": {"rounds": rounds, "seconds": seconds, "most_games": most_games},
        "measurements": [_row(measurement, figures) for measurement in measurements if measurement.name in figures],
        "missing": missing,
        "memory": memory_per_game(),
    }


@contextmanager
def _set_up_left_alone() -> Iterator[None]:
    """Hide everything that was set up from the garbage collector, since a real program would not hold it all at once."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


def _row(measurement: Measurement, figures: dict[str, list[float]]) -> dict[str, Any]:
    mine = figures[measurement.name]
    return {
        "name": measurement.name,
        "what": measurement.what,
        "unit": measurement.unit,
        "target": measurement.target,
        "rounds": mine,
        **_spread(mine),
        "beside": {
            other: _spread([one / another for one, another in zip(mine, figures[other], strict=False)]) | {"target": target}
            for other, target in measurement.beside.items()
            if other in figures
        },
    }


def _spread(figures: list[float]) -> dict[str, float]:
    return {"median": statistics.median(figures), "least": min(figures), "most": max(figures)}


def memory_per_game() -> dict[str, int]:
    """How many bytes one game of a batch takes, by purpose."""
    batch = Batch(1)
    return {
        "state": STATE.itemsize,
        "state to restart from": STATE.itemsize,
        "action mask": batch.masks.nbytes,
        "result, illegal action, random stream": batch.results.nbytes + batch.illegal.nbytes + batch.streams.nbytes,
        "actions and players": 2 * batch.random_actions().nbytes,
        "observation": batch.new_observations().nbytes,
    }


def _machine() -> dict[str, Any]:
    """The versions that were measured, and the machine."""
    return {
        "date": datetime.now(timezone.utc).date().isoformat(),
        "tkm_env": __version__,
        "processor": _processor(),
        "cores": cores(),
        "load before": round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: _version(package) for package in _PACKAGES},
    }


def _processor() -> str:
    """The processor's name, if the system provides it."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text("utf-8").splitlines() if path.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def write_outcome(path: str | os.PathLike[str], outcome: dict[str, Any]) -> None:
    """Write an outcome as JSON."""
    write_json(path, KIND, outcome)


def read_outcome(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read an outcome.

    Raises:
        FileError: if it cannot be read, or is not such a file.
    """
    outcome = read_json(path, KIND, KEYS)
    with content_of(path):
        _check("outcome", outcome, _SHAPE)
    return outcome


def _check(where: str, given: Any, shape: Any) -> None:
    """Raise a `ConfigError` unless a value has this shape."""
    if isinstance(shape, dict) and str in shape:
        if not isinstance(given, dict):
            raise ConfigError(where, given, "it must be an object")
        for key, value in given.items():
            _check(f"{where}, {key}", value, shape[str])
    elif isinstance(shape, dict):
        check_keys(where, given, shape)
        for key, value in given.items():
            _check(f"{where}, {key}", value, shape[key])
    elif isinstance(shape, list):
        if not isinstance(given, list):
            raise ConfigError(where, given, "it must be a list")
        for number, value in enumerate(given, 1):
            _check(f"{where}, number {number}", value, shape[0])
    elif not any(_is(given, one) for one in shape):
        raise ConfigError(where, given, f"it must be {' or '.join(_WORDS.get(one) or repr(one) for one in shape)}")


def _is(given: object, one: Any) -> bool:
    if one is float:
        return type(given) in (int, float) and abs(given) <= sys.float_info.max  # type: ignore[arg-type]
    return isinstance(given, str) if one is str else given is one or (isinstance(given, str) and given == one)
