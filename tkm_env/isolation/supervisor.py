"""The parent process of an isolated program: small, and importing nothing of this package but its two neighbours, since every start waits.

It starts the program, in a control group where it can make one, watches what the program and its descendants use, keeps the beginning and
the end of their standard error, and kills them all when the program ends, when the referee says so, and when the referee is gone. On Linux
every orphan among them becomes its child, or the child of bubblewrap's first process. Lines do not pass through here.

`tkm_env.isolation.program` reads messages from ``status``: ``{"started": pid, "active": [...], "groups": [...]}`` or ``{"refused": reason,
"machine": bool}``, then answers to ``u``, then ``{"ended": ...}``, and writes to ``control``: ``u`` asks for the usage, ``n`` restarts the
maxima of memory and processes, ``k`` or the end of the file kills.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time
from contextlib import suppress

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from typing import Any, Final

if __package__:
    from tkm_env.isolation import confinement, control_groups
else:  # in a Python that knows no packages but its own
    import confinement  # type: ignore[import-not-found, no-redef]
    import control_groups  # type: ignore[import-not-found, no-redef]

_LINUX: Final = sys.platform == "linux"
#: Seconds between two checks of the processes.
_INTERVAL: Final = 0.025 if _LINUX else 0.25
_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096
_TICKS: Final = os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 100
_PIECE: Final = 1 << 16
#: Seconds between two looks at the standard error, how many pieces each may read, and seconds between two writings of its end: what a
#: program writes there must not cost more than a little of this process's time, which nobody's record counts.
_ERRORS_PAUSE: Final = 0.002
_ERRORS_AT_ONCE: Final = 16
_ERRORS_KEPT: Final = 0.25
_PR_SET_CHILD_SUBREAPER: Final = 36
#: The call that says whether two processes share something, by machine, and for asking about memory.
_KCMP: Final = {"x86_64": 312, "aarch64": 272, "riscv64": 272}
_KCMP_VM: Final = 1
#: The place of the start in what `_stat` returns.
_START: Final = 19
#: The states of processes and threads that have ended.
_DEAD: Final = (b"Z", b"X")
#: How many of the dead are collected before anything else is looked at.
_REAPED_AT_ONCE: Final = 256
#: Seconds that killing may take.
_PATIENCE: Final = 10.0
#: Bubblewrap's own processes.
_BUBBLEWRAPS: Final = 2
#: The first of the users that are nobody, far above all others; and where not that many exist, the range from which systemd gives users
#: to services for a while.
_USERS: Final = 0x70000000
_FEW_USERS: Final = (61184, 4336)
_SIGKILL: Final = 9
_SIG_DFL: Final = None

_libc: Any = ctypes.CDLL(None) if os.name == "posix" else None


def main() -> None:
    """Run a program as the options in the first argument say."""
    if _LINUX:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _Supervisor(confinement.message_of(sys.argv[1].encode())).run()


class _Supervisor:
    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.control, self.status = options["control"], options["status"]
        for descriptor in (self.control, self.status, options["stderr"]):
            os.set_inheritable(descriptor, False)  # the program gets none of them
        os.set_blocking(self.control, False)
        self.errors = _StreamEnds(options["stderr"], options["stderr_bytes"])
        self.wrapped = options["bubblewrap"] is not None
        self.user = _User() if options["own_user"] and os.geteuid() == 0 else None
        allowance = _BUBBLEWRAPS if self.wrapped else 0
        self.group = (
            control_groups.make(options["memory"], options["processes"] + allowance)
            if _LINUX
            else None
        )
        self.peak = 0
        self.most_processes = 0
        self.ended: int | None = None
        self.fault = ""
        #: CPU seconds of the dead that this process has collected, with those that they had waited for.
        self.cpu = 0.0
        #: CPU seconds of each living process when it was last seen, by its number and its start, and of those that have gone.
        self.seen: dict[tuple[int, int], float] = {}
        self.gone = 0.0
        self.spent = 0.0

    def tell(self, message: dict[str, Any]) -> None:
        with suppress(OSError):  # the referee is gone
            os.write(self.status, confinement.line_of(message))

    def run(self) -> None:
        read_errors, write_errors = os.pipe()
        read_start, write_start = os.pipe()
        parent = os.getpid()
        try:
            self.pid = os.fork()
        except OSError as error:
            self.remove_traces()
            self.tell({"refused": f"no process: {error}", "machine": True, "errno": error.errno})
            return
        if self.pid == 0:
            try:
                self.become_program(parent, write_errors, write_start)
            except BaseException as error:
                confinement.report(
                    write_start,
                    refused=str(error),
                    machine=True,
                    errno=getattr(error, "errno", None),
                )
        for descriptor in (write_errors, write_start):
            os.close(descriptor)
        # A program can take back what it has written, once it can be read here and before it is.
        os.set_blocking(read_errors, False)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        message: dict[str, Any] = {
            "started": self.pid,
            "active": [],
            "groups": [] if self.group is None else self.group.paths,
        }
        with open(read_start, "rb") as start:
            for line in start:
                message |= confinement.message_of(line)
        if self.wrapped and not message["active"] and "refused" not in message:
            said = (_read(read_errors) or b"").decode("utf-8", "replace").strip()
            message |= {"refused": said or "bubblewrap ended without a word", "machine": True}
        message["active"] = self.active(message["active"])
        self.tell(message)
        self.watch(read_errors)
        left = self.kill_all()
        self.errors.read_rest(read_errors)
        self.remove_traces()
        self.tell({"ended": self.ended, "fault": self.fault, "left": left, **self.usage()})

    def become_program(self, parent: int, errors: int, start: int) -> None:
        """Turn this process into the program, or into bubblewrap that will run it."""
        import resource

        os.setsid()
        if _LINUX:
            _libc.prctl(confinement.PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
            if os.getppid() != parent:
                os._exit(127)
        os.dup2(errors, 2)
        for number in range(1, 32):
            _libc.signal(number, _SIG_DFL)
        limits = {
            "RLIMIT_CORE": 0,
            "RLIMIT_FSIZE": self.options["file_bytes"],
            "RLIMIT_NOFILE": self.options["files"],
        }
        for name, most in limits.items():
            limit = getattr(resource, name)
            hard = resource.getrlimit(limit)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (most, most))
        if self.group is not None:
            self.group.join()
        confined = {
            "command": self.options["command"],
            "user": None,
            "namespace": self.wrapped,
            "tasks": None,
            "links": None,
        }
        confined |= self.options["confinement"]
        if self.user is not None:
            if not self.wrapped:
                os.chown(self.options["folder"], self.user.number, self.user.number)
            confined |= {"user": self.user.number, "tasks": self.options["processes"]}
        elif self.wrapped:
            # From Linux 5.14 on, the limit of a user's processes counts those of its namespace alone.
            release = os.uname().release.split("-")[0].split(".")
            if tuple(int(part) for part in release[:2] if part.isdigit()) >= (5, 14):
                confined["tasks"] = (
                    self.options["processes"] + 1
                )  # bubblewrap's first process is of the same user
        if not self.wrapped:
            confinement.become(confined, start, self.options["environment"])
        # The program's streams under other numbers: bubblewrap keeps its own three open as long as it runs.
        streams = [os.dup(0), os.dup(1)]
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        confined |= {"streams": streams, "start": start}
        for descriptor in (*streams, start):
            os.set_inheritable(descriptor, True)
        rights = (
            ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
            if self.user is not None
            else ["--unshare-user"]
        )
        before, after = self.options["bubblewrap"]
        command = [*before, *rights, *after, confinement.line_of(confined)]
        os.execve(command[0], command, self.options["environment"])  # noqa: S606

    def active(self, confined: list[str]) -> list[str]:
        """The names of `tkm_env.isolation.limits.PROTECTIONS` that are active."""
        found = {*confined}
        if self.group is not None:
            found |= {"memory", "processes", "end"}
        if self.wrapped:
            found |= {"namespaces", "signals", "scratch", "end"}
        if self.user is not None:
            found |= {"user", "end"}
        return sorted(found)

    def watch(self, errors: int) -> None:
        """Wait until the program has ended or is to be killed."""
        poll = select.poll()
        for descriptor in (self.control, *self.ends()):
            poll.register(descriptor, select.POLLIN)
        next_check = next_look = next_writing = 0.0
        is_looking, has_errors = False, True
        while True:
            if has_errors and not is_looking and (is_looking := time.monotonic() >= next_look):
                poll.register(errors, select.POLLIN)
            ready = dict(
                poll.poll(1000 * (_ERRORS_PAUSE if has_errors and not is_looking else _INTERVAL))
            )
            if errors in ready:
                has_errors, is_looking = self.errors.read(errors), False
                next_look = time.monotonic() + _ERRORS_PAUSE
                poll.unregister(errors)
            if self.control in ready and (asked := _read(self.control, 1)) is not None:
                if asked == b"n":
                    self.peak = self.most_processes = 0
                elif asked != b"u":
                    return
                self.measure()
                if asked == b"u":
                    self.tell({"usage": self.usage()})
            self.reap()
            if self.ended is not None:
                self.check_group()
                return
            if (now := time.monotonic()) >= next_check:
                next_check = now + _INTERVAL
                self.measure()
                if self.fault:
                    return
                if now >= next_writing:
                    next_writing = now + _ERRORS_KEPT
                    self.errors.write_end()

    def ends(self) -> list[int]:
        """A descriptor that can be read once the program has ended, where the system has such."""
        try:
            return [os.pidfd_open(self.pid)]
        except (AttributeError, OSError):
            return []

    def reap(self) -> bool:
        """Collect some ended processes, and note how the program ended; whether there are no children at all."""
        for _ in range(_REAPED_AT_ONCE):
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self.cpu += usage.ru_utime + usage.ru_stime
            if pid == self.pid:
                code = os.waitstatus_to_exitcode(status)
                # Bubblewrap exits as a shell does after a signal.
                self.ended = 128 - code if self.wrapped and code > 128 else code
        return False

    def measure(self) -> None:
        """Measure how many processes and threads there are and what they use, and find a fault."""
        tree = _tree(os.getpid(), self.pid, 4 * self.options["processes"] + 64)
        self.count(tree)
        own = [process for process in tree if process.pid != self.pid] if self.wrapped else tree
        tasks = sum(process.threads for process in own) - (len(own) > 0 and self.wrapped)
        if self.group is None:
            memory = sum(process.memory for process in own)
            if memory > self.options["memory"]:  # shared pages counted several times
                memory = sum(map(_own_memory, _with_own_memory(own)))
            if self.wrapped:
                memory += _in_scratch(own, self.options["scratch"])
        else:
            memory = self.group.memory()
        self.peak = max(self.peak, memory)
        self.most_processes = max(self.most_processes, tasks)
        if memory > self.options["memory"]:
            self.fault = f"{memory >> 20} MiB of memory, of at most {self.options['memory'] >> 20}"
        elif tasks > self.options["processes"]:
            self.fault = f"{tasks} processes and threads, of at most {self.options['processes']}"
        elif len(tree) > 4 * self.options["processes"]:  # behind which others may hide
            self.fault = f"{len(tree)} processes, with the dead that it has not waited for, of at most {self.options['processes']}"
        else:
            self.check_group()

    def count(self, tree: list[_Process]) -> None:
        """Count the CPU seconds of all that there were, in three ways, none of which sees everything: those of the living and of whom
        they have waited for; each one's own when it was last seen, since nobody may wait for it; the kernel's, in a control group.
        """
        living = {(process.pid, process.start): process.cpu for process in tree}
        for pid, start in self.seen.keys() - living.keys():
            # One that lives may be missing: the kernel's list of children skips some while others end.
            if (fields := _stat(pid)) is None or int(fields[_START]) != start:
                self.gone += self.seen.pop((pid, start))
        self.seen |= living
        waited = self.cpu + sum(process.cpu + process.waited for process in tree)
        counted = 0.0 if self.group is None else self.group.cpu()
        self.spent = max(self.spent, self.gone + sum(self.seen.values()), waited, counted)

    def check_group(self) -> None:
        """Find out whether the kernel stopped the program at its limit of memory."""
        if self.group is not None and not self.fault and self.group.is_out_of_memory():
            self.fault = f"the kernel stopped it at {self.options['memory'] >> 20} MiB of memory, the most allowed"

    def usage(self) -> dict[str, Any]:
        return {
            "cpu": round(max(self.spent, self.cpu), 3),
            "memory": self.peak,
            "processes": self.most_processes,
        }

    def kill_all(self) -> bool:
        """Kill the program and all its descendants, where the kernel does not by whole process groups at a time; whether some are left."""
        own = os.getpid()
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if self.group is not None:
                self.group.kill()
            if self.user is not None and not self.wrapped:
                self.user.kill_all()
            for group in {
                self.pid,
                *(process.group for process in _tree(own, self.pid, 10_000)),
            } - {os.getpgrp()}:
                with suppress(OSError):
                    os.killpg(group, _SIGKILL)
            if self.reap():
                return False
            time.sleep(0.0005)
        return True

    def remove_traces(self) -> None:
        """Remove the control group, and the folder, since the referee may be gone."""
        if self.group is not None:
            control_groups.remove(self.group.paths)
        remove_folder(self.options["folder"])


class _User:
    """A user that nobody else is, as long as this process lives: the number belongs to its own, or is taken by a socket's name."""

    def __init__(self) -> None:
        with open("/proc/self/uid_map") as file:
            highest = max(int(first) + int(size) for first, _, size in map(str.split, file))
        self.number = _USERS + os.getpid()
        if self.number < highest:
            return
        import socket

        self.lock = socket.socket(socket.AF_UNIX)
        first, size = _FEW_USERS
        for offset in range(size):
            self.number = first + (os.getpid() + offset) % size
            with suppress(OSError):
                self.lock.bind(f"\0tkm-user-{self.number}")
                return
        raise OSError(f"all {size} users from {first} are taken")

    def kill_all(self) -> None:
        pid = os.fork()
        if pid == 0:
            with suppress(OSError):
                os.setresgid(self.number, self.number, self.number)
                os.setresuid(self.number, self.number, self.number)
                os.kill(-1, _SIGKILL)
            os._exit(0)
        with suppress(ChildProcessError):
            if os.WIFSTOPPED(
                os.waitpid(pid, os.WUNTRACED)[1]
            ):  # by a program, which may signal whoever is of its user
                os.kill(pid, _SIGKILL)
                os.waitpid(pid, 0)


class _StreamEnds:
    """The first and the last bytes of a stream, in a file that the referee reads."""

    def __init__(self, file: int, most: int) -> None:
        self.file, self.half = file, most // 2
        self.size = 0
        self.tail = bytearray()
        self.is_written = True

    def read(self, stream: int) -> bool:
        """Read some of the available bytes; False at the end of the stream."""
        for _ in range(_ERRORS_AT_ONCE):
            piece = _read(stream)
            if piece is None:
                return True
            if not piece:
                return False
            head = piece[: max(0, self.half - self.size)]
            if head:
                with suppress(
                    OSError
                ):  # the disk is full: what a program says of itself can be done without
                    os.pwrite(self.file, head, self.size)
            self.size += len(piece)
            if len(head) < len(piece):
                self.is_written = False
                self.tail += piece[len(head) :]
                if len(self.tail) > 2 * self.half:  # not at each piece, since what is kept moves
                    del self.tail[: -self.half]
        return True

    def write_end(self) -> None:
        """Write the last bytes behind the first ones, if there are new ones."""
        if self.is_written:
            return
        self.is_written = True
        del self.tail[: -self.half]
        left_out = self.size - self.half - len(self.tail)
        end = (f"\n... {left_out} bytes left out ...\n".encode() if left_out else b"") + self.tail
        with suppress(OSError):
            os.pwrite(self.file, end, self.half)
            os.ftruncate(self.file, self.half + len(end))

    def read_rest(self, stream: int) -> None:
        """Read what the dead have left; whoever is alive could write for ever."""
        for _ in range(_ERRORS_AT_ONCE):
            before = self.size
            if not self.read(stream) or self.size == before:
                break
        self.write_end()


def _read(descriptor: int, most: int = _PIECE) -> bytes | None:
    """Bytes from a descriptor that does not wait: b"" at its end, None if there are none now."""
    try:
        return os.read(descriptor, most)
    except BlockingIOError:
        return None


class _Process:
    """A process as the system describes it: its number, when it started in ticks, its process group, its threads, resident bytes, CPU
    seconds, and those of whom it has waited for; the name in /proc of one of its living threads. The dead that nobody has waited for yet
    have no threads.
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


def _tree(root: int, program: int, most: int) -> list[_Process]:
    """The processes below this one, or that many of them."""
    if not _LINUX:
        return _tree_by_ps(root, program)
    found: list[_Process] = []
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
        own, waited = (sum(map(int, fields[place : place + 2])) / _TICKS for place in (11, 13))
        living, place = _living_thread(pid, fields)
        threads = int(living[17]) if living else 0
        memory = int(living[21]) * _PAGE if living else 0
        found.append(
            _Process(pid, int(fields[_START]), int(fields[2]), threads, memory, own, waited, place)
        )
    return found


def _living_thread(pid: int, fields: list[bytes]) -> tuple[list[bytes], str]:
    """What the system says of a thread that lives, and its name in /proc: of the first one, which may have ended before others, or of
    another one; nothing if there is none.
    """
    if fields[0] not in _DEAD:
        return fields, str(pid)
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task") if int(fields[17]) > 1 else ():
            if (found := _stat(f"{pid}/task/{task}")) is not None and found[0] not in _DEAD:
                return found, f"{pid}/task/{task}"
    return [], str(pid)


def _stat(place: int | str) -> list[bytes] | None:
    """What the system says of a process or thread behind its name (proc(5)); None if there is none."""
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


def _with_own_memory(processes: list[_Process]) -> list[_Process]:
    """Of those that share all their memory, as a child does until it starts a program after vfork(2), only the first, where the system
    tells; of the dead none.
    """
    living = [process for process in processes if process.threads]
    if os.uname().machine not in _KCMP:
        return living
    import functools

    living.sort(
        key=functools.cmp_to_key(_compare_memory)
    )  # those that are the same stay in their order
    return [
        process
        for place, process in enumerate(living)
        if place == 0 or _compare_memory(living[place - 1], process)
    ]


def _compare_memory(one: _Process, other: _Process) -> int:
    """0 if these two share all their memory; else which comes first in an order that the kernel makes up (kcmp(2))."""
    threads = (int(process.place.rpartition("/")[2]) for process in (one, other))
    order = _libc.syscall(_KCMP[os.uname().machine], *threads, _KCMP_VM, 0, 0)
    return -1 if order == 1 else int(order != 0)


def _own_memory(process: _Process) -> int:
    """Its resident bytes, shared ones divided by the number of sharers; all of them if the system does not say; none if it has ended."""
    try:
        with open(f"/proc/{process.place}/smaps_rollup", "rb") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith(b"Pss:"))
    except (FileNotFoundError, ProcessLookupError):
        return 0
    except (OSError, StopIteration):
        return process.memory


def _in_scratch(processes: list[_Process], scratch: str) -> int:
    """The bytes in the temporary folder of a namespace, and a KiB for each file, as one of its processes sees it."""
    for process in processes:
        with suppress(OSError):
            used = os.statvfs(f"/proc/{process.place}/root{scratch}")
            return (used.f_blocks - used.f_bfree) * used.f_frsize + (
                used.f_files - used.f_ffree
            ) * 1024
    return 0


def _tree_by_ps(root: int, program: int) -> list[_Process]:
    """As `_tree` on systems without /proc; a process whose parent is gone is found by its process group."""
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
    found: dict[int, _Process] = {}
    before = -1
    while len(found) > before:
        before = len(found)
        for pid, parent, group, memory in living:
            if pid != root and (parent == root or parent in found or group == program):
                found[pid] = _Process(pid, 0, group, 1, memory << 10, 0.0, 0.0)
    return list(found.values())


def remove_folder(folder: str) -> None:
    """Remove a program's folder, whatever it left there. It never raises, and never recurses."""
    with suppress(OSError):
        os.rmdir(folder)
    for command in (["rm", "-rf"], ["chmod", "-R", "u+rwx"], ["rm", "-rf"]):
        if os.path.lexists(folder):
            import subprocess

            with suppress(OSError, subprocess.TimeoutExpired):
                subprocess.run(  # noqa: S603
                    [*command, "--", folder], capture_output=True, check=False, timeout=60
                )  # our own
