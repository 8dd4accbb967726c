"""The sandbox on Linux, without root and without containers: Landlock, seccomp, no capabilities.

`enter` gives up rights for good, in the process that becomes the program. It only makes system calls and imports nothing of this package,
since `tkm_env.isolation.supervisor` loads it.

Files: those named in the options may be read, or read and written; nothing else. Network: no socket can be made. Processes: signals,
ptrace and shared memory end at the sandbox. The kernel: no mounts, namespaces, keys, BPF, io_uring, userfaultfd, modules or clocks.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from typing import Any, Final

#: What the sandbox does, by the name in reports.
PROTECTIONS: Final = {
    "no-new-privileges": "no program that it starts gets more rights than it has",
    "no-capabilities": "root inside has no more rights than any other user",
    "files": "Landlock: it reads and writes only what it may",
    "network": "seccomp and Landlock: it makes no sockets",
    "system-calls": "seccomp: no tracing, mounts, namespaces, keys, BPF, io_uring; no changes to the owner or mode of files",
    "signals": "Landlock, from Linux 6.12: it signals no process outside",
}
#: Without these it is no sandbox.
_REQUIRED: Final = ("no-new-privileges", "no-capabilities", "files", "network", "system-calls")

_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 38, 22, 2

# Landlock's rights, by the version that brought them.
_EXECUTE, _WRITE, _READ, _READ_DIR, _REMOVE_DIR, _REMOVE_FILE = (1 << bit for bit in range(6))
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK, _MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = (1 << bit for bit in range(6, 13))
_REFER, _TRUNCATE, _IOCTL_DEV = 1 << 13, 1 << 14, 1 << 15
_OF_FILES: Final = _EXECUTE | _WRITE | _READ | _TRUNCATE | _IOCTL_DEV
_MAY_READ: Final = _EXECUTE | _READ | _READ_DIR
_MAY_WRITE: Final = (
    _MAY_READ | _WRITE | _REMOVE_DIR | _REMOVE_FILE | _MAKE_DIR | _MAKE_REG | _MAKE_FIFO | _MAKE_SYM | _REFER | _TRUNCATE
)
_SCOPES: Final = 3  # abstract sockets, signals
_TCP: Final = 3  # bind, connect

#: By machine: the architecture's number in audit, and the numbers of system calls.
_ARCHITECTURES: Final = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}

#: System calls that are refused: their numbers on x86_64 and on aarch64; None where there is no such call.
REFUSED: Final[dict[str, tuple[int | None, int | None]]] = {
    "socket": (41, 198),
    "connect": (42, 203),
    "bind": (49, 200),
    "listen": (50, 201),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "process_madvise": (440, 440),
    "process_mrelease": (448, 448),
    "kcmp": (312, 272),
    "pidfd_getfd": (438, 438),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "fsconfig": (431, 431),
    "fsmount": (432, 432),
    "fspick": (433, 433),
    "mount_setattr": (442, 442),
    "setns": (308, 268),
    "unshare": (272, 97),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "io_uring_enter": (426, 426),
    "io_uring_register": (427, 427),
    "open_by_handle_at": (304, 265),
    "name_to_handle_at": (303, 264),
    "fanotify_init": (300, 262),
    "quotactl": (179, 60),
    "acct": (163, 89),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "syslog": (103, 116),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "iopl": (172, None),
    "ioperm": (173, None),
    "modify_ldt": (154, None),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # What Landlock leaves open: who owns a file, and who may do what with it.
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "fchmodat2": (452, 452),
    "chown": (92, None),
    "lchown": (94, None),
    "fchown": (93, 55),
    "fchownat": (260, 54),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    # Of other processes.
    "sched_setaffinity": (203, 122),
    "sched_setscheduler": (144, 119),
    "sched_setparam": (142, 118),
    "sched_setattr": (314, 274),
    "setpriority": (141, 140),
    "ioprio_set": (251, 30),
    "migrate_pages": (256, 238),
    "move_pages": (279, 239),
    "personality": (135, 92),
    "vhangup": (153, 58),
    "lookup_dcookie": (212, 18),
}
#: Reported as unknown, so that the C library uses another way.
_UNKNOWN: Final = {"clone3": (435, 435)}
_CLONE: Final = (56, 220)
_IOCTL: Final = (16, 29)
_PRLIMIT: Final = (302, 261)
_NEW_NAMESPACES: Final = 0x7E020000  # every flag CLONE_NEW of clone
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

_libc: Any = ctypes.CDLL(None, use_errno=True) if sys.platform == "linux" else None


def missing() -> list[str]:
    """The required `PROTECTIONS` that this machine lacks, by name."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES:
        return list(_REQUIRED)
    lacks = []
    if _landlock_version() < 1:
        lacks.append("files")
    # A kernel with filters reports a bad address for a filter at none.
    if _libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, None, 0, 0) == -1 and ctypes.get_errno() != errno.EFAULT:
        lacks += ["network", "system-calls"]
    return lacks


def enter(options: dict[str, Any]) -> list[str]:
    """Give up all rights but those in the options, for good, and for all processes that this one starts.

    The options are ``readable`` and ``writable``, paths of files and folders, of which missing ones are skipped. Returns the names of the
    active `PROTECTIONS`.

    Raises:
        OSError: naming the protection that the system refuses.
    """
    if lacks := missing():
        raise OSError(f"no sandbox: this system lacks {', '.join(lacks)}")
    _check(_libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no-new-privileges")
    version = _landlock_version()
    _restrict_files(version, options["readable"], options["writable"])
    _drop_capabilities()
    _filter_system_calls()
    return [*_REQUIRED, *(["signals"] if version >= 6 else [])]


def _check(result: int, protection: str) -> int:
    if result < 0:
        raise OSError(f"no sandbox: {protection}: {os.strerror(ctypes.get_errno())}")
    return result


def _landlock_version() -> int:
    version: int = _libc.syscall(_LANDLOCK_CREATE, None, 0, 1)
    return version


def _restrict_files(version: int, readable: list[str], writable: list[str]) -> None:
    handled = (1 << 13) - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _IOCTL_DEV)):
        if version >= since:
            handled |= right
    attributes = struct.pack("=QQQ", handled, _TCP, _SCOPES)[: 8 if version < 4 else 16 if version < 6 else 24]
    rules = _check(_libc.syscall(_LANDLOCK_CREATE, attributes, ctypes.c_size_t(len(attributes)), 0), "files")
    for paths, rights in ((readable, _MAY_READ), (writable, _MAY_WRITE)):
        for path in paths:
            try:
                descriptor = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue
            allowed = rights & handled & (-1 if os.path.isdir(path) else _OF_FILES)
            rule = struct.pack("=Qi", allowed, descriptor)
            _check(_libc.syscall(_LANDLOCK_ADD, rules, 1, rule, 0), "files")
            os.close(descriptor)
    _check(_libc.syscall(_LANDLOCK_RESTRICT, rules, 0), "files")
    os.close(rules)


def _drop_capabilities() -> None:
    header = struct.pack("=Ii", 0x20080522, 0)
    _check(_libc.capset(header, bytes(24)), "no-capabilities")


def _filter_system_calls() -> None:
    """A BPF program (Linux, Documentation/userspace-api/seccomp_filter.rst) that refuses some calls and allows all others."""
    machine = platform.machine()
    column = 0 if machine == "x86_64" else 1
    load, equal, at_least, any_bit, answer = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, unknown = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOSYS
    kill = 0x80000000
    program: list[tuple[int, int, int, int]] = [
        (load, 0, 0, 4),
        (equal, 1, 0, _ARCHITECTURES[machine]),
        (answer, 0, 0, kill),
        (load, 0, 0, 0),
    ]
    if machine == "x86_64":  # the numbers of x32 are others
        program += [(at_least, 0, 1, 0x40000000), (answer, 0, 0, refuse)]
    for calls, verdict in ((REFUSED, refuse), (_UNKNOWN, unknown)):
        for numbers in calls.values():
            number = numbers[column]
            if number is not None:
                program += [(equal, 0, 1, number), (answer, 0, 0, verdict)]

    def argument(index: int) -> tuple[int, int, int, int]:
        return load, 0, 0, 16 + 8 * index  # the lower half: both machines are little-endian

    program += [(equal, 0, 4, _CLONE[column]), argument(0), (any_bit, 0, 1, _NEW_NAMESPACES), (answer, 0, 0, refuse)]
    program += [(answer, 0, 0, allow)]
    program += [(equal, 0, 5, _IOCTL[column]), argument(1), (equal, 1, 0, _TIOCSTI), (equal, 0, 1, _TIOCLINUX)]
    program += [(answer, 0, 0, refuse), (answer, 0, 0, allow)]
    program += [(equal, 0, 4, _PRLIMIT[column]), argument(0), (equal, 1, 0, 0), (answer, 0, 0, refuse)]
    program += [(answer, 0, 0, allow), (answer, 0, 0, allow)]
    code = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in program))
    filter_of = struct.pack("@HP", len(program), ctypes.addressof(code))
    _check(_libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filter_of, 0, 0), "system-calls")
