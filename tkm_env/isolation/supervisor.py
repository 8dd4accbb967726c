"""The parent process of an isolated program: small, and importing nothing of this package.

It starts the program, watches the memory and number of all processes that descend from it, keeps the beginning and the end of their
standard error, and kills them all when the program ends, when the referee says so, and when the referee is gone. On Linux every orphan
among them becomes its child, so none can escape by the end of its parent. Lines do not pass through here: the program's standard input
and output are the referee's.

`tkm_env.isolation.program` runs this file with one argument, the options as JSON, and reads JSON objects from the file descriptor
``status``: ``{"started": pid, "active": [...]}`` or ``{"refused": reason}``, then answers to ``u``, then ``{"ended": ...}``. What it
reads from ``control``: ``u`` asks for the usage, ``n`` restarts the maxima of memory and processes, ``k`` or the end of the file kills.
"""

from __future__ import annotations

import ctypes
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any, Final, NamedTuple

if __package__:
    from tkm_env.isolation import sandbox
else:  # run as a script, by a Python that knows no packages but its own
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    import sandbox  # type: ignore[import-not-found, no-redef]

_LINUX: Final = sys.platform == "linux"
#: Seconds between two checks of the processes.
_INTERVAL: Final = 0.025 if _LINUX else 0.25
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PIECE: Final = 1 << 16
_PR_SET_PDEATHSIG: Final = 1
_PR_SET_CHILD_SUBREAPER: Final = 36


def main() -> None:
    """Run a program as the options in the first argument say."""
    options = json.loads(sys.argv[1])
    # The terminal's Ctrl-C is the referee's.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    if _LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _Supervisor(options).run()


class _Supervisor:
    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.control, self.status = options["control"], options["status"]
        for descriptor in (self.control, self.status, options["stderr"]):
            os.set_inheritable(descriptor, False)  # the program gets none of them
        self.errors = _StreamEnds(options["stderr"], options["stderr_bytes"])
        self.peak = 0
        self.most_processes = 0
        self.ended: int | None = None
        self.fault = ""
        self.cpu = 0.0
        self.running = 0.0

    def tell(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # the referee is gone
            os.write(self.status, json.dumps(message).encode() + b"\n")

    def run(self) -> None:
        wake, woken = os.pipe()
        os.set_blocking(woken, False)
        os.set_blocking(wake, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
        read_errors, write_errors = os.pipe()
        read_start, write_start = os.pipe()
        parent = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                _exec_program(self.options, parent, write_errors, write_start)
            except BaseException as error:
                os.write(write_start, json.dumps({"refused": str(error)}).encode())
            os._exit(127)
        for descriptor in (write_errors, write_start):
            os.close(descriptor)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        message = {"started": self.pid}
        for line in _all_of(read_start).splitlines():
            message |= json.loads(line)
        self.tell(message)
        self.watch(read_errors, wake)
        self.kill_all()
        self.errors.read_rest(read_errors)
        if os.path.isdir(self.options["folder"]):
            shutil.rmtree(self.options["folder"], ignore_errors=True)  # the referee may be gone
        self.tell({"ended": self.ended, "fault": self.fault, **self.usage()})

    def watch(self, errors: int, wake: int) -> None:
        """Wait until the program has ended or is to be killed."""
        poll = select.poll()
        for descriptor in (self.control, errors, wake):
            poll.register(descriptor, select.POLLIN)
        next_check = 0.0
        while True:
            ready = dict(poll.poll(1000 * _INTERVAL))
            if wake in ready:
                with suppress(BlockingIOError):
                    os.read(wake, _PIECE)
            if errors in ready and not self.errors.read(errors):
                poll.unregister(errors)
            if self.control in ready:
                asked = os.read(self.control, 1)
                if asked == b"n":
                    self.peak = self.most_processes = 0
                elif asked != b"u":
                    return
                self.measure()
                if asked == b"u":
                    self.tell({"usage": self.usage()})
            self.reap()
            if self.ended is not None:
                return
            if (now := time.monotonic()) >= next_check:
                next_check = now + _INTERVAL
                self.measure()
                if self.fault:
                    return

    def reap(self) -> None:
        """Collect ended processes, and note how the program ended."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            self.cpu += usage.ru_utime + usage.ru_stime
            if pid == self.pid:
                self.ended = os.waitstatus_to_exitcode(status)

    def measure(self) -> None:
        """Measure how many processes there are and what they use."""
        tree = _tree(os.getpid(), self.pid)
        memory = sum(process.memory for process in tree)
        if memory > self.options["memory"]:  # shared pages counted several times
            memory = sum(map(_own_memory, tree))
        self.peak = max(self.peak, memory)
        self.most_processes = max(self.most_processes, len(tree))
        self.running = sum(process.cpu for process in tree)
        if memory > self.options["memory"]:
            self.fault = f"{memory >> 20} MiB of memory, of at most {self.options['memory'] >> 20}"
        elif len(tree) > self.options["processes"]:
            self.fault = f"{len(tree)} processes, of at most {self.options['processes']}"

    def usage(self) -> dict[str, Any]:
        running = 0.0 if self.ended is not None else self.running
        return {"cpu": round(self.cpu + running, 3), "memory": self.peak, "processes": self.most_processes}

    def kill_all(self) -> None:
        """Kill the program and all its descendants.

        Whole process groups at a time, which leaves no moment in which one of them could start another.
        """
        own = os.getpid()
        groups = {self.pid}
        patience = time.monotonic() + 10
        while time.monotonic() < patience:
            for group in groups:
                with suppress(OSError):
                    os.killpg(group, signal.SIGKILL)
            self.reap()
            groups = {process.group for process in _tree(own, self.pid)} - {os.getpgrp()}
            if not groups:
                return
            time.sleep(0.001)


class _StreamEnds:
    """The first and the last bytes of a stream, in a file that the referee reads."""

    def __init__(self, file: int, most: int) -> None:
        self.file, self.half = file, most // 2
        self.size = 0
        self.tail = b""

    def read(self, stream: int) -> bool:
        """Read the available bytes; False at the end of the stream."""
        piece = os.read(stream, _PIECE)
        head = piece[: max(0, self.half - self.size)]
        if head:
            os.pwrite(self.file, head, self.size)
        self.size += len(piece)
        if rest := piece[len(head) :]:
            self.tail = (self.tail + rest)[-self.half :]
            left_out = self.size - self.half - len(self.tail)
            end = (f"\n... {left_out} bytes left out ...\n".encode() if left_out else b"") + self.tail
            os.pwrite(self.file, end, self.half)
            os.ftruncate(self.file, self.half + len(end))
        return bool(piece)

    def read_rest(self, stream: int) -> None:
        os.set_blocking(stream, False)
        with suppress(OSError):
            while self.read(stream):
                pass


def _exec_program(options: dict[str, Any], parent: int, errors: int, start: int) -> None:
    """Turn this process into the program."""
    import resource

    os.setsid()
    if _LINUX:
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:
            os._exit(127)
    os.dup2(errors, 2)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    for name, most in {"RLIMIT_CORE": 0, "RLIMIT_FSIZE": options["file_bytes"], "RLIMIT_NOFILE": options["files"]}.items():
        limit = getattr(resource, name)
        hard = resource.getrlimit(limit)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(limit, (most, most))
    active = ["session", "limits"]
    if options["sandbox"] is not None:
        active += sandbox.enter(options["sandbox"])
    os.write(start, json.dumps({"active": active}).encode() + b"\n")
    os.execvpe(options["command"][0], options["command"], options["environment"])  # noqa: S606


class _Process(NamedTuple):
    """A process as the system describes it: its number, its process group, its resident bytes, and CPU seconds."""

    pid: int
    group: int
    memory: int
    cpu: float


def _tree(root: int, program: int) -> list[_Process]:
    """All living processes below this one."""
    if not _LINUX:
        return _tree_by_ps(root, program)
    found = []
    waiting = _children(root)
    seen = {root}
    while waiting:
        pid = waiting.pop()
        if pid in seen:
            continue
        seen.add(pid)
        waiting += _children(pid)
        try:
            with open(f"/proc/{pid}/stat", "rb") as file:
                fields = file.read().rpartition(b")")[2].split()
        except OSError:
            continue
        if fields[0] not in (b"Z", b"X"):
            found.append(_Process(pid, int(fields[2]), int(fields[21]) * _PAGE, sum(map(int, fields[11:13])) / _TICKS))
    return found


def _children(pid: int) -> list[int]:
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                found += map(int, file.read().split())
    return found


def _own_memory(process: _Process) -> int:
    """Its resident bytes, shared ones divided by the number of sharers; all of them if the system does not say."""
    try:
        with open(f"/proc/{process.pid}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except (OSError, StopIteration):
        return process.memory


def _tree_by_ps(root: int, program: int) -> list[_Process]:
    """As `_tree` on systems without /proc; a process whose parent is gone is found by its process group."""
    columns = "pid=,ppid=,pgid=,rss=,stat="
    output = subprocess.run(["/bin/ps", "-A", "-o", columns], capture_output=True, check=False).stdout  # noqa: S603
    rows = [line.split() for line in output.splitlines()]
    below = {root}
    found: dict[int, _Process] = {}
    grew = True
    while grew:
        grew = False
        for pid, parent, group, memory, state in rows:
            number = int(pid)
            if number not in found and number != root and (int(parent) in below or int(group) == program) and state[:1] != b"Z":
                below.add(number)
                found[number] = _Process(number, int(group), int(memory) << 10, 0.0)
                grew = True
    return list(found.values())


def _all_of(descriptor: int) -> bytes:
    content = b""
    while piece := os.read(descriptor, _PIECE):
        content += piece
    os.close(descriptor)
    return content


if __name__ == "__main__":
    main()
