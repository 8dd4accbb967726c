"""The seed that was drawn for a match or a tournament, kept beside its results, so that it can be resumed."""

from __future__ import annotations

import dataclasses
import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol, TypeVar

from tkm_env.errors import FileError
from tkm_env.files import checked_path, failing_as
from tkm_env.seeds import checked_secret


class _Plan(Protocol):
    """A match or a tournament, a dataclass."""

    @property
    def seed(self) -> int | None: ...

    @property
    def is_seed_drawn(self) -> bool: ...


Plan = TypeVar("Plan", bound=_Plan)


def with_kept_seed(plan: Plan, results: str | os.PathLike[str] | None, *, resume: bool = True) -> Plan:
    """What is played into this file: the same, or if its seed was drawn, with the one that is kept beside the file.

    The first time, the drawn one is kept there, in a file of the same name with ``.seed`` added, which only its owner can read. A plan
    whose seed was given keeps nothing.

    Raises:
        FileError: if the file holds games to resume and no seed is kept beside it, or the seed cannot be read or written.
    """
    if results is None or not plan.is_seed_drawn:
        return plan
    target = Path(os.path.realpath(checked_path(results)))
    has_content = target.exists() and not (target.is_file() and target.stat().st_size == 0)
    if has_content and not (resume and target.is_file()):  # refused as soon as games are to be saved
        return plan
    beside, ahead = (target.with_name(f"{target.name}.{ending}") for ending in ("seed", "ahead"))
    with failing_as(results, "written"):
        if has_content and not beside.exists():
            raise FileError(results, f"its games need their seed, which is not kept in {beside.name}: give it, or another name")
        if not target.exists() and not ahead.exists():
            beside.unlink(missing_ok=True)  # of games that are gone
        with suppress(FileExistsError):
            _keep(beside, f"{plan.seed}\n")
        content = beside.read_bytes()
    try:
        return dataclasses.replace(plan, seed=checked_secret(int(content)))  # type: ignore[type-var]
    except ValueError:
        raise FileError(beside, "it does not hold the seed of a match or tournament") from None


def _keep(path: Path, text: str) -> None:
    """Make a file that only its owner can read, as a whole or not at all."""
    with open(path, "x", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
        try:
            file.write(text)
            file.flush()
        except BaseException:
            path.unlink()
            raise
