"""The seed that was drawn for a match or a tournament, kept beside its results, so that it can be resumed."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import Protocol, TypeVar

from tkm_env.agents.paid_answers import SUFFIX
from tkm_env.errors import ConfigError, FileError
from tkm_env.files import checked_path, failing_as, read_file
from tkm_env.seeds import checked_secret


class _Plan(Protocol):
    """A match or a tournament, a dataclass."""

    @property
    def seed(self) -> int | None: ...

    @property
    def is_seed_drawn(self) -> bool: ...


Plan = TypeVar("Plan", bound=_Plan)


def with_kept_seed(plan: Plan, results: str | os.PathLike[str] | None, *, resume: bool = True) -> Plan:
    """What is played into this file: if its seed was drawn and games have begun, with the seed that is kept beside them. Raises a
    `FileError` if the file holds games to resume and no seed is kept beside it, or that cannot be read.
    """
    if results is None or not resume or not plan.is_seed_drawn:
        return plan
    target = Path(os.path.realpath(checked_path(results)))
    if not any(file.is_file() and file.stat().st_size for file in (target, _beside(target, ".ahead"), _beside(target, SUFFIX))):
        return plan
    beside = _beside(target, ".seed")
    if not beside.exists():
        raise FileError(results, f"its games need their seed, which is not kept in {beside.name}: give it, or another name")
    try:
        return dataclasses.replace(plan, seed=checked_secret(int(read_file(beside))))  # type: ignore[type-var]
    except (ValueError, ConfigError):
        raise FileError(beside, "it does not hold the seed of a match or tournament") from None


def keep_seed(results: Path, seed: int) -> None:
    """Keep a seed in a file of the same name with ``.seed`` added, which only its owner can read. Raises a `FileError` if it cannot be
    written.
    """
    beside = _beside(results, ".seed")
    with failing_as(beside, "written"):
        beside.unlink(missing_ok=True)  # of games that are gone
        with open(beside, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(f"{seed}\n")


def _beside(results: Path, suffix: str) -> Path:
    return results.with_name(results.name + suffix)
