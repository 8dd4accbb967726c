"""A process and all that it started, as the system describes them.

On Linux this reads /proc directly, 40 times a second. psutil is unsuitable: importing it takes
longer than the rest of the supervisor's start; it finds children by reading about all processes of
the machine, which takes ten times as long; and it considers a process ended when its first thread
has ended, although others may live and use memory.
"""

from __future__ import annotations

import os
import sys

from tkm_env.isolation.suppression import suppress

IS_LINUX = sys.platform == "linux"
_PAGE = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
#: The number of the call that tells whether two processes share something, by machine, and its
#: argument for memory.
_KCMP = {"x86_64": 312, "aarch64": 272, "riscv64": 272}
_KCMP_VM = 1
#: The states of processes and threads that have ended.
_DEAD = (b"Z", b"X")
#: The indices of fields that `_stat` returns (proc(5), from its third field on).
_STATE, _GROUP, _CPU, _WAITED, _THREADS, _START, _RESIDENT = 0, 2, 11, 13, 17, 19, 21


class Process:
    """A process as the system describes it.

    Args:
        pid: its id.
        start: when it started, in ticks since the machine started; 0 if unknown.
        group: its process group.
        threads: the number of its threads; 0 if it is dead and has not been waited for.
        memory: its resident memory, in bytes.
        cpu: its CPU time, in seconds.
        waited: the CPU time of the processes that it has waited for, in seconds.
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
    """Find the processes that a process has started, directly or through others.

    Args:
        root: the id of the process.
        program: the leader of a process group that belongs to them. On systems without /proc, a
            process whose parent has ended is found only by its group.
        most: the approximate limit on the number of processes to look at.

    Returns:
        A description of each process.
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
    """Whether a process id still belongs to the same process.

    Args:
        pid: the id.
        start: when the process started, as in `Process`.

    Returns:
        Whether the process with this id started then.
    """
    return (fields := _stat(pid)) is not None and int(fields[_START]) == start


def _living_thread(pid: int, fields: list[bytes]) -> tuple[list[bytes], str]:
    """Return the fields of a living thread, and its name in /proc; no fields if there is none.

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
    """Return the fields of a process or thread, from the third on (proc(5)); None if gone."""
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
    """Return the memory of processes, in bytes; on Linux, shared memory is counted once."""
    if not IS_LINUX:
        return sum(process.memory for process in processes)
    return sum(map(_own_bytes, _with_own_memory(processes)))


def _with_own_memory(processes: list[Process]) -> list[Process]:
    """Return the living processes, only one of those that share all their memory, if known.

    A child shares its parent's memory after vfork(2) until it starts a program.
    """
    living = [process for process in processes if process.threads]
    if os.uname().machine not in _KCMP:
        return living
    import ctypes
    import functools

    kernel = ctypes.CDLL(None)

    def compare(one: Process, other: Process) -> int:
        """Return 0 if their memory is the same, else an order that the kernel chooses (kcmp(2))."""
        threads = (int(process.place.rpartition("/")[2]) for process in (one, other))
        order = kernel.syscall(_KCMP[os.uname().machine], *threads, _KCMP_VM, 0, 0)
        return -1 if order == 1 else int(order != 0)

    living.sort(key=functools.cmp_to_key(compare))  # stable: equal ones keep their order
    return [
        process
        for place, process in enumerate(living)
        if place == 0 or compare(living[place - 1], process)
    ]


def _own_bytes(process: Process) -> int:
    """Return a process's resident memory in bytes, with shared memory divided among sharers.

    It is 0 if the process has ended, and the full resident memory if the shares are unknown.
    """
    try:
        with open(f"/proc/{process.place}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except (OSError, StopIteration):
        return process.memory


def bytes_in_folder(processes: list[Process], folder: str) -> int:
    """Measure the temporary folder of a namespace, as one of its processes sees it.

    Args:
        processes: the processes in the namespace.
        folder: the folder, which is a separate file system.

    Returns:
        The size of the content in bytes, plus a KiB for each file; 0 if unknown.
    """
    for process in processes:
        with suppress(OSError):
            used = os.statvfs(f"/proc/{process.place}/root{folder}")
            size = (used.f_blocks - used.f_bfree) * used.f_frsize
            return size + (used.f_files - used.f_ffree) * 1024
    return 0


def _processes_by_ps(root: int, program: int) -> list[Process]:
    """Do the work of `processes_below` on systems without /proc."""
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
