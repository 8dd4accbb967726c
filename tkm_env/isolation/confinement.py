"""What a process gives up, for good, before it becomes a stranger's program: its user, its files, its system calls (Linux: landlock.rst,
seccomp_filter.rst, no_new_privs.rst). It imports nothing of this package, and little else, since every start waits for that.
"""

from __future__ import annotations

import ctypes
import errno
import marshal
import os
import struct
import sys

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from typing import Any, Final, NoReturn

#: The version of Landlock from which it also covers truncating, and the one from which it covers signals and abstract sockets.
TRUNCATING, SIGNALS = 3, 6

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER: Final = 2
_CLONE_NEWUSER: Final = 0x10000000
_SIGKILL: Final = 9

# Landlock's rights, by the version that brought them.
_EXECUTE, _WRITE, _READ, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (
    1 << bit for bit in range(6, 13)
)
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEV
_MAY_READ: Final = _EXECUTE | _READ | _READ_DIR
_MAY_WRITE: Final = (
    _MAY_READ
    | _WRITE
    | _REMOVE_DIR
    | _REMOVE_FILE
    | _MAKE_DIR
    | _MAKE_REG
    | _MAKE_FIFO
    | _MAKE_SYM
    | _REFER
    | _TRUNCATE
)
_SCOPES: Final = 3  # abstract sockets, signals
_TCP: Final = 3  # bind, connect

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def main() -> None:
    """Become the program that the options in the first argument describe, on the descriptors where bubblewrap left its streams."""
    options = message_of(sys.argv[1].encode())
    for descriptor, stream in enumerate(options["streams"]):
        os.dup2(stream, descriptor)
        os.close(stream)
    become(options, options["start"], os.environ)


def become(options: dict[str, Any], start: int, environment: Any) -> NoReturn:
    """Confine this process, then become the program; write what is active, or why it failed, to the descriptor ``start``."""
    try:
        active = enter(options)
    except OSError as error:
        report(start, refused=str(error), machine=True, errno=error.errno)
    report(start, active=active)
    os.set_inheritable(start, False)
    try:
        os.execvpe(options["command"][0], options["command"], environment)  # noqa: S606
    except OSError as error:
        lacking = error.errno in (errno.EAGAIN, errno.ENOMEM, errno.ENFILE)
        report(start, refused=str(error), machine=lacking, errno=error.errno)
    os._exit(127)


def report(start: int, **message: Any) -> None:
    """Write a line with a message; after a refusal, exit."""
    os.write(start, line_of(message))
    if "refused" in message:
        os._exit(127)


def line_of(message: dict[str, Any]) -> bytes:
    """A message between this package's own processes, as a line."""
    return marshal.dumps(message).hex().encode() + b"\n"


def message_of(line: bytes) -> dict[str, Any]:
    message: dict[str, Any] = marshal.loads(bytes.fromhex(line.decode()))  # noqa: S302
    return message


def enter(options: dict[str, Any]) -> list[str]:
    """Give up what the options say, for this process and all that it starts; returns the `PROTECTIONS` active now. Raises an `OSError`.

    ``user`` is a number to be from now on, ``namespace`` whether to make one of users for it, ``tasks`` the most of its processes and
    threads, ``links`` a folder and where to link its files. ``readable``, ``listable`` and ``writable`` are paths; ``landlock`` is whether
    to fail without it.
    """
    active = []
    if options["user"] is not None:
        _become_user(options["user"], namespace=options["namespace"])
    if options["tasks"] is not None:
        import resource

        resource.setrlimit(resource.RLIMIT_NPROC, (options["tasks"], options["tasks"]))
        active.append("processes")
    if options["links"] is not None:
        _link_files(*options["links"])
    if options["filter"] is None:
        return active
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    version = landlock_version()
    if version >= TRUNCATING:
        _restrict_files(version, options)
    elif options["landlock"]:
        raise OSError(
            f"Landlock is of version {max(version, 0)} here, and {TRUNCATING} is needed: Linux 6.2, with Landlock enabled"
        )
    _check(_libc.capset(struct.pack("=Ii", 0x20080522, 0), bytes(24)), "capabilities")
    code = ctypes.create_string_buffer(options["filter"], len(options["filter"]))
    description = struct.pack("@HP", len(options["filter"]) // 8, ctypes.addressof(code))
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, description, 0, 0), "seccomp")
    active += ["privileges", "files", "network", "system-calls"]
    if version >= TRUNCATING:
        active.append("landlock")
    if version >= SIGNALS or options["user"] is not None:
        active.append("signals")
    return active


def landlock_version() -> int:
    """The version of Landlock's interface; below 1 where there is none."""
    return -1 if _libc is None else int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1))


def _check(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def _become_user(user: int, *, namespace: bool) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # A change of user forgets both.
    _libc.prctl(PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    if (
        namespace and _libc.unshare(_CLONE_NEWUSER) == 0
    ):  # some machines forbid it; the user is its own in any case
        for file, line in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{user} {user} 1"),
        ):
            with open(f"/proc/self/{file}", "w") as stream:
                stream.write(line)


def _link_files(folder: str, own: str) -> None:
    for place, _, files in os.walk(folder):
        there = os.path.join(own, os.path.relpath(place, folder))
        os.makedirs(there, exist_ok=True)
        for file in () if place == folder else files:  # files at the top are not machine code
            os.symlink(os.path.join(place, file), os.path.join(there, file))


def _restrict_files(version: int, options: dict[str, Any]) -> None:
    handled = (1 << 15) - 1 | (_IOCTL_DEV if version >= 5 else 0)
    attributes = struct.pack("=QQQ", handled, _TCP, _SCOPES)[
        : 8 if version < 4 else 16 if version < SIGNALS else 24
    ]
    rules = _check(
        _libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "Landlock"
    )
    for kind, rights in (
        ("readable", _MAY_READ),
        ("listable", _READ_DIR),
        ("writable", _MAY_WRITE),
    ):
        for path in options[kind]:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            allowed = rights & handled & (-1 if os.path.isdir(path) else _OF_FILES)
            _check(
                _libc.syscall(_LANDLOCK_ADD, rules, 1, struct.pack("=Qi", allowed, descriptor), 0),
                "Landlock",
            )
            os.close(descriptor)
    _check(_libc.syscall(_LANDLOCK_RESTRICT, rules, 0), "Landlock")
    os.close(rules)
