"""Rights that a process gives up for good before it becomes a stranger's program.

They concern its user, its files and its system calls (Linux: landlock.rst, seccomp_filter.rst,
no_new_privs.rst). The module imports as little as possible, so that programs start quickly.
"""

from __future__ import annotations

import ctypes
import errno
import os
import struct
import sys

from tkm_env.isolation.supervisor_messages import Values, parsed_command_line, report_line

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, NoReturn

#: The versions of Landlock that first cover truncating, and signals and abstract sockets.
TRUNCATING, SIGNALS = 3, 6

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS = 1, 4, 22, 38
_SECCOMP_MODE_FILTER = 2
_CLONE_NEWUSER = 0x10000000
_SIGKILL = 9  # the module signal takes long to import
#: The version of the interface of capabilities.
_CAPABILITIES = 0x20080522

# Landlock's rights, by the version that introduced them.
_EXECUTE, _WRITE, _READ, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (
    1 << bit for bit in range(6, 13)
)
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_VERSION_3 = (1 << 15) - 1
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEV
_MAY_READ = _EXECUTE | _READ | _READ_DIR
_MAY_REMOVE = _REMOVE_DIR | _REMOVE_FILE
_MAY_MAKE = _MAKE_DIR | _MAKE_REG | _MAKE_FIFO | _MAKE_SYM
_MAY_WRITE = _MAY_READ | _WRITE | _MAY_REMOVE | _MAY_MAKE | _REFER | _TRUNCATE
_SCOPES = 3  # abstract sockets, signals
_TCP = 3  # bind, connect

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def main() -> None:
    """Confine this process as the arguments say, and become their command.

    ``stream=`` gives the descriptors under which bubblewrap left standard input and output, and
    ``start=`` the descriptor for the report; `enter` explains the other options.
    """
    options, command = parsed_command_line(sys.argv[1:])
    for descriptor, stream in enumerate(map(int, options.texts("stream"))):
        os.dup2(stream, descriptor)
        os.close(stream)
    become(options, command, options.number("start"), os.environ)


def become(
    options: Values, command: list[str], start: int, environment: Mapping[str, str]
) -> NoReturn:
    """Confine this process, then become a program.

    Args:
        options: the options of `enter`.
        command: the program and its arguments.
        start: the descriptor for a report: the ``active`` protections, or why it was ``refused``.
        environment: the program's environment.
    """
    try:
        active = enter(options)
    except OSError as error:
        refuse(start, error, machine=True)
    os.write(start, report_line("active", {"protection": active}))
    os.set_inheritable(start, False)
    try:
        os.execvpe(command[0], command, environment)  # noqa: S606
    except OSError as error:
        lacking = error.errno in (errno.EAGAIN, errno.ENOMEM, errno.ENFILE)
        refuse(start, error, machine=lacking)


def refuse(start: int, error: BaseException, *, machine: bool) -> NoReturn:
    """Report why the program cannot start, and end this process.

    Args:
        start: the descriptor for the report.
        error: the reason.
        machine: whether it is the machine's fault rather than the program's.
    """
    number = getattr(error, "errno", None)
    refusal = {"machine": machine, "errno": number, "reason": str(error)}
    os.write(start, report_line("refused", refusal))
    os._exit(127)


def end_with_parent() -> None:
    """Make the kernel kill this process when its parent ends."""
    _libc.prctl(_PR_SET_PDEATHSIG, _SIGKILL, 0, 0, 0)


def enter(options: Values) -> list[str]:
    """Give up rights, for this process and everything that it starts.

    Args:
        options: ``user``, the new user id, and ``namespace``, whether to make a user namespace for
            it; ``tasks``, the limit of its processes and threads; ``code`` and ``own_code``, a
            folder and the path where its files are linked; ``filter``, the filter of system calls
            in hexadecimal digits, without which the following options are ignored; ``readable``,
            ``listable`` and ``writable`` paths; ``landlock``, whether to fail without Landlock.

    Returns:
        The names of the `tkm_env.isolation.limits.PROTECTIONS` that are now active.

    Raises:
        OSError: if the system refuses or lacks something that is needed.
    """
    active = []
    if "user" in options:
        _become_user(options.number("user"), namespace=bool(options.number("namespace")))
    if "tasks" in options:
        import resource

        most = options.number("tasks")
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
        active.append("processes")
    if "code" in options:
        _link_files(options.text("code"), options.text("own_code"))
    if "filter" not in options:
        return active
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges")
    version = landlock_version()
    if version >= TRUNCATING:
        _restrict_files(version, options)
    elif options.number("landlock"):
        found = f"Landlock has version {max(version, 0)} here, but {TRUNCATING} is needed"
        raise OSError(f"{found}: Linux 6.2, with Landlock enabled")
    _check(_libc.capset(struct.pack("=Ii", _CAPABILITIES, 0), bytes(24)), "capabilities")
    _filter_system_calls(bytes.fromhex(options.text("filter")))
    active += ["privileges", "files", "network", "system-calls"]
    if version >= TRUNCATING:
        active.append("landlock")
    if version >= SIGNALS or "user" in options:
        active.append("signals")
    return active


def landlock_version() -> int:
    """Return the version of Landlock's interface; below 1 if there is none."""
    return -1 if _libc is None else int(_libc.syscall(_LANDLOCK_CREATE, None, 0, 1))


def _check(result: int, what: str) -> int:
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


def _become_user(user: int, *, namespace: bool) -> None:
    os.setgroups([])
    os.setresgid(user, user, user)
    os.setresuid(user, user, user)
    # A change of user resets both of these.
    end_with_parent()
    _libc.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)
    # Some machines forbid namespaces; the user id is unique in any case.
    if namespace and _libc.unshare(_CLONE_NEWUSER) == 0:
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


def _restrict_files(version: int, options: Values) -> None:
    handled = _OF_VERSION_3 | (_IOCTL_DEV if version >= 5 else 0)
    size = 8 if version < 4 else 16 if version < SIGNALS else 24
    attributes = struct.pack("=QQQ", handled, _TCP, _SCOPES)[:size]
    rules = _landlock(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(size), 0)
    for kind, rights in (
        ("readable", _MAY_READ),
        ("listable", _READ_DIR),
        ("writable", _MAY_WRITE),
    ):
        for path in options.texts(kind):
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            allowed = rights & handled & (-1 if os.path.isdir(path) else _OF_FILES)
            _landlock(_LANDLOCK_ADD, rules, 1, struct.pack("=Qi", allowed, descriptor), 0)
            os.close(descriptor)
    _landlock(_LANDLOCK_RESTRICT, rules, 0)
    os.close(rules)


def _landlock(*arguments: Any) -> int:
    return _check(_libc.syscall(*arguments), "Landlock")


def _filter_system_calls(program: bytes) -> None:
    """Let a BPF program decide about system calls from now on."""
    code = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, description, 0, 0), "seccomp")
