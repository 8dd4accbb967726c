"""A judge and what is its own, for one attack: files, sockets, queues, a process.

And what an attack changed in them.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import pty
import resource
import shutil
import signal
import socket
import struct
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tests.isolation.programs import processes_of

_LIBC: Any = ctypes.CDLL(None, use_errno=True)
_COUNTER: Final = itertools.count()
_IPC_CREATE, _IPC_REMOVE, _IPC_STATUS = 0o1000, 0, 2
_SEMAPHORE_VALUE: Final = 12
_CONTENT: Final = "secret of the judge\n"


class Judge:
    """What an attack may go for; an attack finds the addresses in its `environment`.

    Args:
        own_user: whether the files that programs may read are readable for all, so that they can
            run as a user of their own.
    """

    def __init__(self, *, own_user: bool) -> None:
        self.mark = f"tkm-attack-{os.getpid()}-{next(_COUNTER)}"
        self.folder = Path(tempfile.mkdtemp(prefix=f"{self.mark}-"))
        self.folder.chmod(0o755)
        self.temporary = self._make("temporary")
        self.results = self._make("results") / "results.jsonl"
        self.other = self._make("other") / "bot.py"
        self.library = self._make("library") / "module.py"
        self.cache = self._make("cache") / "module" / "function.nbi"
        self.cache.parent.mkdir()
        for file in (self.results, self.other, self.library, self.cache):
            file.write_text(_CONTENT, "utf-8")
            os.utime(file, (10**9, 10**9))  # read last long ago
        self.results.chmod(0o600)
        with suppress(OSError):  # not on every file system
            os.setxattr(self.results.parent, "user.judge", b"here")
        self._elevated()
        self.library.parent.chmod(0o755 if own_user else 0o700)
        self._listen()
        self._queues()
        self._master, terminal = pty.openpty()
        self.terminal = os.ttyname(terminal)
        os.chmod(self.terminal, 0o666)
        self._slave = terminal
        with self.results.open("r+") as open_results:
            self.process = subprocess.Popen(
                ["sleep", "600"],
                stdin=subprocess.DEVNULL,
                cwd=self.folder,
                env={"SECRET_KEY": _CONTENT},
                pass_fds=[open_results.fileno()],
            )
            self.results_descriptor = open_results.fileno()

    def _make(self, name: str) -> Path:
        folder = self.folder / name
        folder.mkdir(0o755)
        return folder

    def _elevated(self) -> None:
        """A program with its owner's rights, as sudo is, and one with all capabilities."""
        elevated, capable = (self.library.parent / name for name in ("elevated", "capable"))
        shutil.copyfile("/usr/bin/id", elevated)
        with elevated.open("rb") as file:
            os.fsync(file.fileno())  # only then can the kernel forget it
        elevated.chmod(0o4755)
        shutil.copyfile("/bin/cat", capable)
        capable.chmod(0o755)
        with suppress(OSError):  # as another user than root
            os.setxattr(
                capable,
                "security.capability",
                struct.pack("<5I", 0x02000000, 0xFFFFFFFF, 0, 0x1FF, 0),
            )

    def _listen(self) -> None:
        self.sockets = {
            "tcp": socket.create_server(("127.0.0.1", 0)),
            "udp": socket.socket(socket.AF_INET, socket.SOCK_DGRAM),
            "path": socket.socket(socket.AF_UNIX),
            "datagram": socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM),
            "abstract": socket.socket(socket.AF_UNIX),
        }
        self.sockets["udp"].bind(("127.0.0.1", 0))
        self.sockets["path"].bind(str(self.folder / "socket"))
        self.sockets["datagram"].bind(str(self.folder / "datagrams"))
        self.sockets["abstract"].bind(f"\0{self.mark}")
        for path in ("socket", "datagrams"):
            (self.folder / path).chmod(0o777)
        for name, listener in self.sockets.items():
            if name in ("path", "abstract"):
                listener.listen()
            listener.setblocking(False)

    def _queues(self) -> None:
        self.ids = {
            "MESSAGES": _LIBC.msgget(0, _IPC_CREATE | 0o666),
            "SEMAPHORES": _LIBC.semget(0, 1, _IPC_CREATE | 0o666),
            "MEMORY": _LIBC.shmget(0, 4096, _IPC_CREATE | 0o666),
        }
        _LIBC.msgsnd(
            self.ids["MESSAGES"],
            ctypes.create_string_buffer(struct.pack("l8s", 1, b"secret")),
            8,
            0,
        )
        _LIBC.shmat.restype = ctypes.c_void_p
        self._attached = _LIBC.shmat(self.ids["MEMORY"], None, 0)
        ctypes.memmove(self._attached, _CONTENT.encode(), len(_CONTENT))
        self.shared = Path("/dev/shm", self.mark)
        self.shared.write_text(_CONTENT, "utf-8")
        self.shared.chmod(0o666)
        self._queue = _LIBC.mq_open(
            f"/{self.mark}".encode(), os.O_RDWR | os.O_CREAT | os.O_NONBLOCK, 0o666, None
        )
        os.fchmod(self._queue, 0o666)
        _LIBC.mq_send(self._queue, b"secret", 6, 0)

    @property
    def environment(self) -> dict[str, str]:
        """What attacks find in their environment."""
        stack = next(
            line
            for line in Path(f"/proc/{self.process.pid}/maps").read_text().splitlines()
            if line.endswith("[stack]")
        )
        return {
            # In the environment and on the command line of all that an attack starts.
            "MARK": self.mark,
            "JUDGE": str(self.process.pid),  # the judge's process
            "DESCRIPTOR": str(self.results_descriptor),  # where that has the results open
            "STACK": f"0x{stack.split('-')[1].split()[0]}",  # where its stack ends
            "RESULTS": str(self.results),  # the results, in a folder of their own
            "OTHER": str(self.other),  # another player's program
            "LIBRARY": str(
                self.library
            ),  # a file that all programs may read, as they may the package's
            "ELEVATED": str(
                self.library.parent / "elevated"
            ),  # a set-user-id program that tells whose it is
            "CAPABLE": str(self.library.parent / "capable"),  # `cat`, with all capabilities
            "CACHE": str(self.cache),  # a file of machine code that all programs share
            "TEMPORARY": str(self.temporary),  # the judge's own temporary folder
            "TERMINAL": self.terminal,  # the judge's terminal
            "TCP": str(self.sockets["tcp"].getsockname()[1]),  # ports of 127.0.0.1
            "UDP": str(self.sockets["udp"].getsockname()[1]),
            "SOCKET": str(
                self.folder / "socket"
            ),  # sockets with a path; MARK is the name of one without
            "DATAGRAMS": str(self.folder / "datagrams"),
            **{
                name: str(number) for name, number in self.ids.items()
            },  # queues of System V; those of POSIX are named MARK
        }

    def state(self) -> dict[str, Any]:
        """Everything that no attack may change, by name."""
        found: dict[str, Any] = {}
        for path in [self.folder, *sorted(self.folder.rglob("*")), self.shared]:
            found[str(path)] = _state_of_file(path)
        for name, listener in self.sockets.items():
            found[f"socket {name}"] = _heard(listener)
        status = ctypes.create_string_buffer(256)
        found["messages"] = (_LIBC.msgctl(self.ids["MESSAGES"], _IPC_STATUS, status), status.raw)
        found["semaphores"] = _LIBC.semctl(self.ids["SEMAPHORES"], 0, _SEMAPHORE_VALUE)
        attached = _LIBC.shmctl(self.ids["MEMORY"], _IPC_STATUS, status)
        found["memory"] = (attached, ctypes.string_at(self._attached, len(_CONTENT)))
        queue = (ctypes.c_long * 8)()
        _LIBC.mq_getattr(self._queue, queue)
        found["queue"] = [*queue]
        found["terminal"] = _typed(self._slave)
        found["process"] = _state_of_process(self.process.pid)
        found["host"] = os.uname().nodename
        return found

    def left(self) -> list[int]:
        """The processes that an attack has left."""
        return [*{*processes_of(self.mark), *_with_environment(self.mark)}]

    def close(self) -> None:
        """Remove everything, what attacks have left included."""
        for pid in self.left():
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.wait()
        for listener in self.sockets.values():
            listener.close()
        for descriptor in (self._master, self._slave):
            os.close(descriptor)
        _LIBC.msgctl(self.ids["MESSAGES"], _IPC_REMOVE, None)
        _LIBC.semctl(self.ids["SEMAPHORES"], 0, _IPC_REMOVE)
        _LIBC.shmdt(ctypes.c_void_p(self._attached))
        _LIBC.shmctl(self.ids["MEMORY"], _IPC_REMOVE, None)
        os.close(self._queue)
        _LIBC.mq_unlink(f"/{self.mark}".encode())
        self.shared.unlink(missing_ok=True)
        if shutil.which("chattr"):
            subprocess.run(
                ["chattr", "-R", "-f", "-i", "-a", self.folder], check=False, capture_output=True
            )
        subprocess.run(["rm", "-rf", self.folder], check=False)


@contextmanager
def judge(*, own_user: bool) -> Iterator[Judge]:
    """A judge as long as the context lasts, whose temporary folder is that of this process."""
    found = Judge(own_user=own_user)
    before = tempfile.tempdir
    tempfile.tempdir = str(found.temporary)
    try:
        yield found
    finally:
        tempfile.tempdir = before
        found.close()


def _state_of_file(path: Path) -> tuple[Any, ...]:
    try:
        stat = path.lstat()
        content = (
            (_content(path), stat.st_mtime)
            if path.is_file()
            else sorted(os.listdir(path))
            if path.is_dir()
            else ""
        )
        attributes = (
            [(name, os.getxattr(path, name)) for name in os.listxattr(path)] if content else []
        )
    except OSError as error:
        return (str(error),)
    return stat.st_mode, stat.st_uid, stat.st_gid, content, attributes


def _content(path: Path) -> bytes:
    """What is in a file, read so that it neither shows when nor stays in memory."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOATIME)
    try:
        return os.read(descriptor, 1 << 20)
    finally:
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)


def _state_of_process(pid: int) -> tuple[Any, ...]:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        limits = [
            resource.prlimit(pid, getattr(resource, name))
            for name in ("RLIMIT_NOFILE", "RLIMIT_CORE", "RLIMIT_AS")
        ]
        adjusted = Path(f"/proc/{pid}/oom_score_adj").read_text()
        return (
            "running" if fields[0] in "RSD" else fields[0],
            limits,
            os.sched_getaffinity(pid),
            os.sched_getscheduler(pid),
            os.getpriority(os.PRIO_PROCESS, pid),
            _LIBC.syscall(252, 1, pid),
            adjusted,
        )
    except OSError as error:
        return (str(error),)


def _heard(listener: socket.socket) -> str:
    try:
        if listener.type == socket.SOCK_DGRAM:
            return repr(listener.recv(100))
        listener.accept()[0].close()
    except BlockingIOError:
        return "nothing"
    return "somebody"


def _typed(terminal: int) -> str:
    os.set_blocking(terminal, False)
    try:
        return repr(os.read(terminal, 100))
    except BlockingIOError:
        return "nothing"


def _with_environment(mark: str) -> list[int]:
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        with suppress(OSError):
            if any(
                f"MARK={mark}".encode() in environment
                for environment in _environments(Path("/proc", number, "task"))
            ):
                found.append(int(number))
    return found


def _environments(threads: Path) -> Iterator[bytes]:
    """What the environment of a process is to its threads: the dead have none."""
    for thread in threads.iterdir():
        with suppress(OSError):
            if (thread / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX":
                yield (thread / "environ").read_bytes()
