"""What a program and all that it started use: memory, processes, CPU time, and whether too much."""

from __future__ import annotations

import os

from tkm_env.isolation.control_groups import ControlGroup
from tkm_env.isolation.process_tree import (
    Process,
    bytes_in_folder,
    is_same,
    own_bytes,
    processes_below,
)


class UsageMeter:
    """Measures a program again and again.

    Args:
        group: the control group that it is in; None for none.
        memory: the most bytes that it may use.
        processes: the most processes and threads that it may have.
        scratch: its temporary folder, if that is in memory; "" if it is on the disk.
        wrapped: whether bubblewrap runs it: a process outside, and one among the program's.

    Attributes:
        fault: what it used too much of, "" for nothing.
    """

    def __init__(
        self,
        group: ControlGroup | None,
        *,
        memory: int,
        processes: int,
        scratch: str = "",
        wrapped: bool = False,
    ) -> None:
        self._group = group
        self._memory, self._processes = memory, processes
        self._scratch, self._wrapped = scratch, wrapped
        self.fault = ""
        self._peak = self._most_processes = 0
        #: CPU seconds of those that have ended and that this process has waited for.
        self._collected = 0.0
        #: CPU seconds of each living process when it was last seen, by its number and its start,
        #: and of those that have gone.
        self._seen: dict[tuple[int, int], float] = {}
        self._gone = 0.0
        self._spent = 0.0

    def forget_peaks(self) -> None:
        """Restart the maxima of memory and processes."""
        self._peak = self._most_processes = 0

    def collect(self, cpu: float) -> None:
        """Add the CPU seconds of a process that has ended, and of those that it had waited for."""
        self._collected += cpu

    def usage(self) -> dict[str, float]:
        """CPU seconds, the peak of bytes, and the largest number of processes and threads."""
        cpu = round(max(self._spent, self._collected), 3)
        return {"cpu": cpu, "memory": self._peak, "processes": self._most_processes}

    def measure(self, program: int) -> None:
        """Measure the program, which is a child of this process, and find a fault."""
        tree = processes_below(os.getpid(), program, 4 * self._processes + 64)
        self._count_cpu(tree)
        own = [process for process in tree if process.pid != program] if self._wrapped else tree
        tasks = sum(process.threads for process in own) - (len(own) > 0 and self._wrapped)
        memory = self._memory_of(own)
        self._peak = max(self._peak, memory)
        self._most_processes = max(self._most_processes, tasks)
        if memory > self._memory:
            self.fault = f"{memory >> 20} MiB of memory, of at most {self._memory >> 20}"
        elif tasks > self._processes:
            self.fault = f"{tasks} processes and threads, of at most {self._processes}"
        elif len(tree) > 4 * self._processes:  # behind which others may hide
            what = "processes, with the dead that it has not waited for"
            self.fault = f"{len(tree)} {what}, of at most {self._processes}"
        else:
            self.check_group()

    def check_group(self) -> None:
        """Find out whether the kernel stopped the program at its limit of memory."""
        if self._group is not None and not self.fault and self._group.is_out_of_memory():
            most = f"{self._memory >> 20} MiB of memory, the most allowed"
            self.fault = f"the kernel stopped it at {most}"

    def _memory_of(self, processes: list[Process]) -> int:
        if self._group is not None:
            return self._group.memory()
        memory = sum(process.memory for process in processes)
        if memory > self._memory:
            memory = own_bytes(processes)
        if self._scratch:
            memory += bytes_in_folder(processes, self._scratch)
        return memory

    def _count_cpu(self, tree: list[Process]) -> None:
        """Count the CPU seconds of all that there were, in three ways, none of which sees all.

        They are those of the living and of whom they have waited for; each one's own when it was
        last seen, since nobody may wait for it; and the kernel's, in a control group.
        """
        living = {(process.pid, process.start): process.cpu for process in tree}
        for pid, start in self._seen.keys() - living.keys():
            # The kernel's list of children skips some of the living while others end.
            if not is_same(pid, start):
                self._gone += self._seen.pop((pid, start))
        self._seen |= living
        waited = self._collected + sum(process.cpu + process.waited for process in tree)
        counted = 0.0 if self._group is None else self._group.cpu()
        self._spent = max(self._spent, self._gone + sum(self._seen.values()), waited, counted)
