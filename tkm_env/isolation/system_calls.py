"""The system calls that confined programs may make, and the filter that allows them.

The kernel answers all others as if it did not know them. The table has the calls that an
interpreter, a run-time compiler and a small pipeline need for files, memory, threads and children.
Left out on purpose are sockets other than pairs, namespaces, mounts, tracing, keys, queues, modes
and attributes of files, file locks visible to others, watching folders, directing signals, and
everything for administrators.
"""

import ctypes
import errno
import os
import tempfile
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, NamedTuple

_ALL_BITS: Final = (1 << 64) - 1


class Where(NamedTuple):
    """A condition on an argument of a system call: its bits in ``mask`` must be ``equals``."""

    argument: int  # the index of the argument
    equals: int
    mask: int = _ALL_BITS


#: The names of calls that are allowed with any arguments, by subject.
ALWAYS: Final[Mapping[str, str]] = {
    "files": (
        "access chdir close close_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 "
        "fallocate fchdir fdatasync fstat fstatfs fsync ftruncate getcwd getdents getdents64 "
        "link linkat lseek lstat mkdir mkdirat mknod mknodat newfstatat open openat openat2 "
        "pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink "
        "readlinkat readv rename renameat renameat2 rmdir stat statfs statx symlink symlinkat "
        "truncate umask unlink unlinkat write writev"
    ),
    "waiting": (
        "alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl "
        "epoll_pwait epoll_pwait2 epoll_wait eventfd eventfd2 getitimer gettimeofday nanosleep "
        "pause poll ppoll pselect6 select setitimer signalfd signalfd4 time timer_create "
        "timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create "
        "timerfd_gettime timerfd_settime times"
    ),
    "memory": "brk mprotect mremap msync munmap",
    "processes and threads": (
        "arch_prctl execve execveat exit exit_group fork futex futex_waitv getcpu getpgid "
        "getpgrp getpid getppid getpriority getrlimit getrusage getsid gettid membarrier "
        "restart_syscall rseq sched_get_priority_max sched_get_priority_min sched_getaffinity "
        "sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield "
        "set_robust_list set_tid_address setpgid setrlimit setsid vfork wait4 waitid"
    ),
    "signals": (
        "kill rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn "
        "rt_sigsuspend rt_sigtimedwait rt_tgsigqueueinfo sigaltstack tgkill tkill"
    ),
    "who and where": (
        "capget getegid geteuid getgid getgroups getrandom getresgid getresuid getuid sysinfo uname"
    ),
    "pairs of sockets": "getpeername getsockname getsockopt recvfrom shutdown",
}

#: Calls that are allowed only under a condition; any one of a call's conditions is enough.
ONLY_WHERE: Final = (
    ("clone", Where(0, 0, mask=0x7E020000)),  # no flag CLONE_NEW of a namespace
    ("mmap", Where(3, 0, mask=0x40000)),  # no flag MAP_HUGETLB
    ("madvise", Where(2, 0, mask=0xFFFFFFFC)),  # MADV_NORMAL, RANDOM, SEQUENTIAL, WILLNEED
    ("madvise", Where(2, 4, mask=0xFFFFFFFF)),  # MADV_DONTNEED
    ("madvise", Where(2, 8, mask=0xFFFFFFFC)),  # MADV_FREE, REMOVE, DONTFORK, DOFORK
    ("madvise", Where(2, 14, mask=0xFFFFFFFE)),  # MADV_HUGEPAGE, NOHUGEPAGE
    ("madvise", Where(2, 16, mask=0xFFFFFFFC)),  # MADV_DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK
    ("madvise", Where(2, 20, mask=0xFFFFFFFC)),  # MADV_COLD, PAGEOUT, POPULATE_READ, POPULATE_WRITE
    ("madvise", Where(2, 24, mask=0xFFFFFFFE)),  # MADV_DONTNEED_LOCKED, COLLAPSE
    ("madvise", Where(2, 102, mask=0xFFFFFFFE)),  # MADV_GUARD_INSTALL, REMOVE
    ("prctl", Where(0, 0, mask=0xFFFFFFE0)),  # options 0 to 31, such as PR_SET_NAME
    ("prctl", Where(0, 32, mask=0xFFFFFFF0)),  # options 32 to 47, such as PR_SET_NO_NEW_PRIVS
    ("prctl", Where(0, 48, mask=0xFFFFFFF8)),  # options 48 to 55, such as PR_GET_SPECULATION_CTRL
    ("prctl", Where(0, 56, mask=0xFFFFFFFF)),  # PR_GET_TAGGED_ADDR_CTRL
    ("prctl", Where(0, 0x53564D41, mask=0xFFFFFFFF)),  # PR_SET_VMA
    ("fcntl", Where(1, 0)),  # F_DUPFD
    ("fcntl", Where(1, 1)),  # F_GETFD
    ("fcntl", Where(1, 2)),  # F_SETFD
    ("fcntl", Where(1, 3)),  # F_GETFL
    ("fcntl", Where(1, 4)),  # F_SETFL
    ("fcntl", Where(1, 6)),  # F_SETLK
    ("fcntl", Where(1, 7)),  # F_SETLKW
    ("fcntl", Where(1, 1030)),  # F_DUPFD_CLOEXEC
    ("fcntl", Where(1, 1031)),  # F_SETPIPE_SZ
    ("fcntl", Where(1, 1032)),  # F_GETPIPE_SZ
    ("ioctl", Where(1, 0x5401)),  # TCGETS
    ("ioctl", Where(1, 0x5413)),  # TIOCGWINSZ
    ("ioctl", Where(1, 0x541B)),  # FIONREAD
    ("ioctl", Where(1, 0x5421)),  # FIONBIO
    ("ioctl", Where(1, 0x5450)),  # FIONCLEX
    ("ioctl", Where(1, 0x5451)),  # FIOCLEX
    ("prlimit64", Where(0, 0)),  # its own limits
    ("sendto", Where(4, 0)),  # without an address
    ("socketpair", Where(0, 1)),  # AF_UNIX
)

#: libseccomp's constants.
_EQUAL, _MASKED_EQUAL = 4, 7
_ALLOW, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_OTHER_ARCHITECTURE, _OPTIMIZE, _TREE = 2, 8, 2
#: The most bytes of a filter.
_LARGEST: Final = 1 << 20


class _Comparison(ctypes.Structure):
    """libseccomp's ``scmp_arg_cmp``."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


def allowed_calls() -> Iterator[tuple[str, Where | None]]:
    """Yield the names of all allowed calls, each with its condition; None for no condition."""
    for names in ALWAYS.values():
        yield from ((name, None) for name in names.split())
    yield from ONLY_WHERE


@cache
def bpf_filter() -> bytes:
    """Make the filter of system calls in BPF.

    It uses libseccomp (https://github.com/seccomp/libseccomp).

    Raises:
        OSError: without libseccomp.
    """
    library: Any = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_UNKNOWN))
    if not context:
        raise OSError("libseccomp cannot make a filter")
    try:
        _check(library.seccomp_attr_set(context, _OTHER_ARCHITECTURE, _UNKNOWN))
        # Old versions do not know this option, and compare calls one by one.
        library.seccomp_attr_set(context, _OPTIMIZE, _TREE)
        for name, where in allowed_calls():
            number = library.seccomp_syscall_resolve_name(name.encode())
            # Machines have different calls, and old libraries lack new ones.
            if number >= 0:
                comparisons = _comparisons(where)
                count = len(comparisons)
                _check(library.seccomp_rule_add_array(context, _ALLOW, number, count, comparisons))
        with tempfile.TemporaryFile() as file:
            _check(library.seccomp_export_bpf(context, file.fileno()))
            return os.pread(file.fileno(), _LARGEST, 0)
    finally:
        library.seccomp_release(context)


def _comparisons(where: Where | None) -> Any:
    """Convert a condition to the form of libseccomp: an array of one element, or of none."""
    if where is None:
        return (_Comparison * 0)()
    if where.mask == _ALL_BITS:
        return (_Comparison * 1)(_Comparison(where.argument, _EQUAL, where.equals, 0))
    return (_Comparison * 1)(_Comparison(where.argument, _MASKED_EQUAL, where.mask, where.equals))


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp: {os.strerror(-result)}")
