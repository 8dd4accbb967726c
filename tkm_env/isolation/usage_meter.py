"""Measuring the memory, processes and CPU time of a program and its descendants."""

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
    """Measures a program repeatedly.

    Args:
        group: the control group of the program; None for none.
        memory: the limit of its memory, in bytes.
        processes: the limit of its processes and threads together.
        scratch: its temporary folder, if that is in memory; "" if it is on the disk.
        wrapped: whether bubblewrap runs it, which adds a process outside and one inside.

    Attributes:
        fault: what the program used too much of; "" for nothing.
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
        #: The CPU time of processes that have ended and that this process has waited for.
        self._collected = 0.0
        #: The CPU time of each living process when it was last seen, by its id and its start, and
        #: of all processes that are gone.
        self._seen: dict[tuple[int, int], float] = {}
        self._gone = 0.0
        self._spent = 0.0

    def forget_peaks(self) -> None:
        """Reset the peaks of memory and processes."""
        self._peak = self._most_processes = 0

    def collect(self, cpu: float) -> None:
        """Add the CPU time of an ended process and of those that it had waited for, in seconds."""
        self._collected += cpu

    def usage(self) -> dict[str, float]:
        """Return the CPU seconds, the peak memory in bytes, and the peak number of processes."""
        cpu = round(max(self._spent, self._collected), 3)
        return {"cpu": cpu, "memory": self._peak, "processes": self._most_processes}

    def measure(self, program: int) -> None:
        """Measure the program, a child of this process, and note a fault."""
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
        elif len(tree) > 4 * self._processes:  # others may hide behind them
            what = "processes, with the dead that it has not waited for"
            self.fault = f"{len(tree)} {what}, of at most {self._processes}"
        else:
            self.check_group()

    def check_group(self) -> None:
        """Note a fault if the kernel stopped the program at its memory limit."""
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
        """Count the CPU time of all processes in three ways, none of which sees everything.

        These are the time of living processes and of those that they have waited for; each
        process's own time when it was last seen, in case it is never waited for; and the kernel's
        count in a control group.
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
