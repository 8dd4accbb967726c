"""A process and all that it started, as the system describes them.

On Linux this reads /proc itself, 40 times a second. psutil would not do: to import it takes longer
than the rest of the supervisor's start; it finds children by reading about all processes of the
machine, in ten times as long; and to it a process has ended with its first thread, though others
may live and take memory.
"""

from __future__ import annotations

import os
import sys

from tkm_env.isolation.suppression import suppress

IS_LINUX = sys.platform == "linux"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
#: The call that says whether two processes share something, by machine, and what asks for memory.
_KCMP = {"x86_64": 312, "aarch64": 272, "riscv64": 272}
_KCMP_VM = 1
#: The states of processes and threads that have ended.
_DEAD = (b"Z", b"X")
#: The places of what `_stat` returns (proc(5), from its third field on).
_STATE, _GROUP, _CPU, _WAITED, _THREADS, _START, _RESIDENT = 0, 2, 11, 13, 17, 19, 21


class Process:
    """A process as the system describes it.

    Args:
        pid: its number.
        start: when it started, in ticks since the machine did; 0 if unknown.
        group: its process group.
        threads: how many threads it has; none if it is dead and nobody has waited for it yet.
        memory: its resident bytes.
        cpu: its CPU seconds.
        waited: the CPU seconds of those that it has waited for.
        place: the name in /proc of one of its living threads.
    """

    def __init__(
        self,
        pid: int,
        start: int,
        group: int,
        threads: int,
        memory: int,
        cpu: float,
        waited: float,
        place: str = "",
    ) -> None:
        self.pid, self.start, self.group, self.threads = pid, start, group, threads
        self.memory, self.cpu, self.waited, self.place = memory, cpu, waited, place


def processes_below(root: int, program: int, most: int) -> list[Process]:
    """The processes that a process has started, and those that they have.

    Args:
        root: the process.
        program: the leader of a process group that belongs to them, for systems where a process
            whose parent has ended is found by its group alone.
        most: about how many are looked at.

    Returns:
        What is known of each.
    """
    if not IS_LINUX:
        return _processes_by_ps(root, program)
    found: list[Process] = []
    waiting = _children(root)
    seen = {root}
    while waiting and len(seen) <= most:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        waiting += _children(pid)
        if (fields := _stat(pid)) is None:
            continue
        own = sum(map(int, fields[_CPU : _CPU + 2])) / _TICKS
        waited = sum(map(int, fields[_WAITED : _WAITED + 2])) / _TICKS
        living, place = _living_thread(pid, fields)
        threads = int(living[_THREADS]) if living else 0
        memory = int(living[_RESIDENT]) * _PAGE if living else 0
        start, group = int(fields[_START]), int(fields[_GROUP])
        found.append(Process(pid, start, group, threads, memory, own, waited, place))
    return found


def is_same(pid: int, start: int) -> bool:
    """Whether the process with this number is still the one that started then."""
    return (fields := _stat(pid)) is not None and int(fields[_START]) == start


def _living_thread(pid: int, fields: list[bytes]) -> tuple[list[bytes], str]:
    """What the system says of a thread that lives, and its name in /proc; nothing if there is none.

    The first thread may have ended before others.
    """
    if fields[_STATE] not in _DEAD:
        return fields, str(pid)
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task") if int(fields[_THREADS]) > 1 else ():
            found = _stat(f"{pid}/task/{task}")
            if found is not None and found[_STATE] not in _DEAD:
                return found, f"{pid}/task/{task}"
    return [], str(pid)


def _stat(place: int | str) -> list[bytes] | None:
    """What the system says of a process or thread behind its name (proc(5)); None if it is gone."""
    try:
        with open(f"/proc/{place}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()
    except OSError:
        return None


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def own_bytes(processes: list[Process]) -> int:
    """The memory of processes; on Linux, with what several of them share counted once."""
    if not IS_LINUX:
        return sum(process.memory for process in processes)
    return sum(map(_own_bytes, _with_own_memory(processes)))


def _with_own_memory(processes: list[Process]) -> list[Process]:
    """Of those that share all their memory only the first, where the system tells.

    None of the dead counts. A child shares its parent's memory until it starts a program after
    vfork(2).
    """
    living = [process for process in processes if process.threads]
    if os.uname().machine not in _KCMP:
        return living
    import ctypes
    import functools

    kernel = ctypes.CDLL(None)

    def compare(one: Process, other: Process) -> int:
        """0 if they are the same; else by an order that the kernel makes up (kcmp(2))."""
        threads = (int(process.place.rpartition("/")[2]) for process in (one, other))
        order = kernel.syscall(_KCMP[os.uname().machine], *threads, _KCMP_VM, 0, 0)
        return -1 if order == 1 else int(order != 0)

    living.sort(key=functools.cmp_to_key(compare))  # those that are the same stay in their order
    return [
        process
        for place, process in enumerate(living)
        if place == 0 or compare(living[place - 1], process)
    ]


def _own_bytes(process: Process) -> int:
    """Its resident bytes, shared ones divided by the number of sharers; none if it has ended.

    All of them if the system does not say.
    """
    try:
        with open(f"/proc/{process.place}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except (OSError, StopIteration):
        return process.memory


def bytes_in_folder(processes: list[Process], folder: str) -> int:
    """What the temporary folder of a namespace holds, as one of its processes sees it.

    Args:
        processes: the processes in the namespace.
        folder: the folder, a file system of its own.

    Returns:
        The bytes, and a KiB for each file.
    """
    for process in processes:
        with suppress(OSError):
            used = os.statvfs(f"/proc/{process.place}/root{folder}")
            size = (used.f_blocks - used.f_bfree) * used.f_frsize
            return size + (used.f_files - used.f_ffree) * 1024
    return 0


def _processes_by_ps(root: int, program: int) -> list[Process]:
    """As `processes_below` on systems without /proc."""
    import subprocess

    columns = "pid=,ppid=,pgid=,rss=,stat="
    output = subprocess.run(  # noqa: S603
        ["/bin/ps", "-A", "-o", columns], capture_output=True, check=False
    ).stdout
    living = [
        [*map(int, line.split()[:4])]
        for line in output.splitlines()
        if not line.split()[4].startswith(b"Z")
    ]
    found: dict[int, Process] = {}
    before = -1
    while len(found) > before:
        before = len(found)
        for pid, parent, group, memory in living:
            if pid != root and (parent == root or parent in found or group == program):
                found[pid] = Process(pid, 0, group, 1, memory << 10, 0.0, 0.0)
    return list(found.values())
