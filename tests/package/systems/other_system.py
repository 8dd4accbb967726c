"""Makes the package see another system than the one that it runs on.

What that system lacks is hidden from the package's modules alone, since libraries have other ways
there. This file imports only the standard library, so that a process can begin with it. It cannot
show separators of paths, the behaviour of a real console, and code of libraries that is only for
that system.
"""

from __future__ import annotations

import builtins
import errno
import os
import re
import struct
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

#: The modules whose view of the system changes.
_OURS: Final = re.compile(r"tkm_env(\.|$)")
#: Modules of the library that call the system for others.
_GO_BETWEENS: Final = frozenset(
    ("pathlib", "shutil", "os", "tempfile", "contextlib", "io", __name__)
)

_LINUX_ONLY: Final = {
    "os": (
        "sched_getaffinity sched_setaffinity pidfd_open memfd_create eventfd O_PATH "
        "O_TMPFILE setresuid setresgid getrandom "
        "copy_file_range splice unshare posix_fadvise"
    ),
    "select": "epoll",
    "signal": "sigtimedwait sigwaitinfo pidfd_send_signal SIGRTMIN SIGRTMAX",
    "socket": "AF_NETLINK AF_PACKET",
}
_POSIX_ONLY: Final = {
    "os": (
        "fork forkpty register_at_fork killpg setsid getpgid getpgrp setpgid getsid "
        "geteuid getuid getegid getgid getgroups setuid seteuid "
        "setgid setgroups setegid chown fchown lchown fchmod fchdir chroot mkfifo mknod "
        "nice uname sysconf statvfs fstatvfs wait wait3 "
        "wait4 waitid WNOHANG WIFEXITED WIFSIGNALED WTERMSIG WEXITSTATUS pread pwrite "
        "readv writev sendfile set_blocking get_blocking "
        "O_DIRECTORY O_NOFOLLOW O_CLOEXEC O_NONBLOCK O_SYNC posix_spawn getloadavg openpty "
        "ttyname tcgetpgrp pipe2 pathconf confstr lockf "
        "ctermid initgroups getpriority sync"
    ),
    "select": "poll kqueue",
    "signal": (
        "SIGKILL SIGALRM SIGHUP SIGQUIT SIGUSR1 SIGUSR2 SIGCHLD SIGSTOP SIGTSTP SIGCONT "
        "SIGPIPE SIGWINCH SIGXCPU setitimer getitimer alarm "
        "pause pthread_kill pthread_sigmask sigwait siginterrupt sigpending SIG_BLOCK "
        "SIG_UNBLOCK SIG_SETMASK"
    ),
    "socket": "AF_UNIX socketpair_unix",
    "time": "pthread_getcpuclockid clock_gettime tzset",
}


def _names(*tables: dict[str, str]) -> dict[str, frozenset[str]]:
    modules = {module for table in tables for module in table}
    return {
        module: frozenset(" ".join(table.get(module, "") for table in tables).split())
        for module in modules
    }


#: What is hidden, by the system: names in modules of the library, and whole modules.
HIDDEN: Final = {"macos": _names(_LINUX_ONLY), "windows": _names(_LINUX_ONLY, _POSIX_ONLY)}
HIDDEN_MODULES: Final = {
    "macos": frozenset(("spwd",)),
    "windows": frozenset(
        [
            "fcntl",
            "resource",
            "pwd",
            "grp",
            "spwd",
            "termios",
            "tty",
            "pty",
            "posix",
            "syslog",
            "readline",
            "curses",
            "crypt",
            "nis",
        ]
    ),
}
#: What says which system it is.
_SAYING: Final[dict[str, dict[str, dict[str, Any]]]] = {
    "macos": {"sys": {"platform": "darwin"}, "platform": {"system": lambda: "Darwin"}},
    "windows": {
        "sys": {"platform": "win32"},
        "os": {"name": "nt"},
        "platform": {"system": lambda: "Windows"},
    },
}
_RESERVED: Final = re.compile(
    r'[<>:"|?*\x00-\x1f]|[. ]$|(con|prn|aux|nul|com\d|lpt\d)(\.|$)', re.IGNORECASE
)


class _View(types.ModuleType):
    """A module as that system has it."""

    def __init__(
        self, module: types.ModuleType, hidden: frozenset[str], other: dict[str, Any]
    ) -> None:
        super().__init__(module.__name__, module.__doc__)
        self.__dict__.update({"_module": module, "_hidden": hidden, **other})

    def __getattr__(self, name: str) -> Any:
        if name in self.__dict__["_hidden"]:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        return getattr(self.__dict__["_module"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.__dict__["_module"], name, value)


def look_like(system: str) -> None:
    """Make the package see ``"macos"`` or ``"windows"``; call this before importing it."""
    views: dict[str, types.ModuleType] = {}
    importing = builtins.__import__

    def view_of(name: str, module: types.ModuleType) -> types.ModuleType:
        hidden, other = HIDDEN[system].get(name, frozenset()), _SAYING[system].get(name, {})
        if name == "ctypes" and system == "windows":
            other = {"CDLL": _no_own_library(module.CDLL)}
        elif name == "sys" and system == "macos":
            other = other | {"executable": os.environ.get("TKM_OTHER_PYTHON", sys.executable)}
        return _View(module, hidden, other) if hidden or other else module

    def imported(
        name: str, globals_: Any = None, locals_: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        if level or not _OURS.match((globals_ or {}).get("__name__") or ""):
            return importing(name, globals_, locals_, fromlist, level)
        first = name.partition(".")[0]
        if first in HIDDEN_MODULES[system]:
            raise ModuleNotFoundError(f"No module named {first!r}", name=first)
        if first == "msvcrt" and system == "windows":
            return _msvcrt()
        module = importing(name, globals_, locals_, fromlist, level)
        if module.__name__ not in views:
            views[module.__name__] = view_of(module.__name__, module)
        return views[module.__name__]

    builtins.__import__ = imported
    sys.addaudithook(lambda event, given: _refuse(system, event, given))
    if system == "windows":
        for name in ("replace", "rename", "unlink", "remove", "rmdir"):
            setattr(os, name, _of_closed_files(getattr(os, name)))
        os.symlink = _no_links


def _refuse(system: str, event: str, given: tuple[Any, ...]) -> None:
    """Refuse what that system refuses: to read /proc, and names that Windows does not accept."""
    if (
        event in ("open", "os.listdir", "os.scandir")
        and given
        and isinstance(given[0], (str, bytes))
    ):
        path = os.fsdecode(given[0])
        if (path == "/proc" or path.startswith(("/proc/", "/sys/"))) and _is_ours():
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if (
        system == "windows"
        and event in ("open", "os.mkdir", "os.rename")
        and isinstance(given[0], (str, bytes))
    ):
        path = Path(os.fsdecode(given[1 if event == "os.rename" else 0]))
        writes = event != "open" or given[2] & (os.O_WRONLY | os.O_RDWR)
        if writes and any(_RESERVED.search(part) for part in path.parts[1:]) and _is_ours():
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), str(path))


def _is_ours() -> bool:
    """Whether the package is what calls, by itself or through the library."""
    frame = sys._getframe(1)
    while frame is not None:
        name = frame.f_globals.get("__name__") or ""
        if frame.f_code is _open_files.__code__:
            return False
        if name not in _GO_BETWEENS:
            return bool(_OURS.match(name))
        frame = frame.f_back
    return False


def _of_closed_files(call: Callable[..., Any]) -> Callable[..., Any]:
    """Refuse to move or remove files that this process has open, as Windows does."""

    def refusing(*paths: Any, **options: Any) -> Any:
        if _is_ours():
            named = {os.path.realpath(path) for path in paths}
            if named & _open_files():
                raise PermissionError(
                    errno.EACCES,
                    "The process cannot access the file because it is being used",
                    str(paths[0]),
                )
        return call(*paths, **options)

    return refusing


def _open_files() -> set[str]:
    return {os.path.realpath(f"/proc/self/fd/{number}") for number in os.listdir("/proc/self/fd")}


def _no_links(*paths: Any, **options: Any) -> None:
    raise OSError(errno.EPERM, "A required privilege is not held by the client")


def _no_own_library(loading: Callable[..., Any]) -> Callable[..., Any]:
    """`ctypes.CDLL`, which on Windows needs a name."""

    def load(name: Any, *more: Any, **options: Any) -> Any:
        if name is None:
            raise TypeError("argument of type 'NoneType' is not iterable")
        return loading(name, *more, **options)

    return load


def _msvcrt() -> types.ModuleType:
    """Windows' locks, by those of this system that belong to an open file."""
    import fcntl

    found = types.ModuleType("msvcrt")

    def locking(file: int, mode: int, count: int) -> None:
        lock = struct.pack(
            "hhqqi4x", fcntl.F_WRLCK, os.SEEK_SET, os.lseek(file, 0, os.SEEK_CUR), count, 0
        )
        try:
            fcntl.fcntl(file, fcntl.F_OFD_SETLK, lock)
        except BlockingIOError:
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES)) from None

    found.__dict__.update(LK_NBLCK=2, LK_LOCK=1, LK_UNLCK=0, locking=locking)
    return found
