"""The number of cores that this process may use, which can be fewer than the machine has."""

import math
import os
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

_SYSTEM: Final = Path("/")


def cores() -> int:
    """Count the cores that this process may use.

    Returns:
        How many threads or processes can compute at once, at least 1. It counts the cores that the
        process may run on (its affinity); on Linux, at most the quota of its control group and of
        those above it, rounded up.
    """
    if hasattr(os, "process_cpu_count"):  # since Python 3.13; an option can override its count
        usable = os.process_cpu_count() or 1
    elif hasattr(os, "sched_getaffinity"):
        usable = len(os.sched_getaffinity(0))
    else:
        usable = os.cpu_count() or 1
    return max(1, math.ceil(min(usable, _quota())))


@cache
def _quota(system: Path = _SYSTEM) -> float:
    """The number of cores that this process's control groups allow, maybe infinite.

    Read from Linux's files.
    """
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
    """The number of cores that one control group's files allow; infinite without a limit."""
    for names in (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us")):
        try:
            words = " ".join((folder / name).read_text("ascii") for name in names).split()
            quota, period = map(float, words)
        except (OSError, ValueError):  # not there, or "max"
            continue
        if quota > 0 and period > 0:
            return quota / period
    return math.inf
