"""How many cores this process may use, which need not be all that the machine has."""

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

_SYSTEM: Final = Path("/")


def cores() -> int:
    """Count the cores that this process may use.

    Returns:
        How many threads or processes can compute at once, at least 1: no more than the process may
        run on (its affinity), and on Linux no more than the quota of its control group, or of one
        above it, pays for, rounded up.
    """
    if hasattr(os, "process_cpu_count"):  # since Python 3.13, which can also be told a number
        usable = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = os.cpu_count() or 1
    return max(1, math.ceil(min(usable, _quota())))


@cache
def _quota(system: Path = _SYSTEM) -> float:
    """How many cores this process's control groups pay for, by Linux's files; maybe infinite."""
    try:
        lines = (system / "proc/self/cgroup").read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return math.inf
    mounted = system / "sys/fs/cgroup"
    quotas = [math.inf]
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if controllers == "":  # version 2
            roots = [mounted, mounted / "unified"]
        elif "cpu" in controllers.split(","):  # version 1
            roots = [mounted / "cpu", mounted / controllers]
        else:
            continue
        inside = PurePosixPath(group.lstrip("/"))
        # In a container the group's path may be the machine's: what is not there limits nothing.
        quotas += [
            _quota_of(root / folder) for root in roots for folder in (inside, *inside.parents)
        ]
    return min(quotas)


def _quota_of(folder: Path) -> float:
    """The cores that one control group's files grant; infinite where they name no limit."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            words = " ".join((folder / name).read_text("ascii") for name in names).split()
            quota, period = map(float, words)
        except (OSError, ValueError):  # not there, or "max"
            continue
        if quota > 0 and period > 0:
            return quota / period
    return math.inf
