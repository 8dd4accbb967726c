"""The system calls that programs of strangers may make; the kernel answers all others as if it did not know them.

The list is what an interpreter, a compiler at run time and a small pipeline need on files, memory, threads and children. What is left out
on purpose: sockets but pairs, namespaces, mounts, tracing, keys, queues, modes and attributes of files, file locks that others can see,
watches, everything for administrators, and every call newer than the list. libseccomp (https://github.com/seccomp/libseccomp) turns it
into a filter for this machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import tempfile
from functools import cache
from typing import Any, Final

#: Allowed with all arguments, by subject.
ALLOWED: Final = {
    "files": """
        access chdir close close_range creat dup dup2 dup3 faccessat faccessat2 fadvise64 fallocate fchdir fdatasync fstat
        fstatfs fsync ftruncate getcwd getdents getdents64 link linkat lseek lstat mkdir mkdirat mknod mknodat newfstatat open
        openat openat2 pipe pipe2 pread64 preadv preadv2 pwrite64 pwritev pwritev2 read readahead readlink readlinkat readv
        rename renameat renameat2 rmdir stat statfs statx symlink symlinkat truncate umask unlink unlinkat write writev
        """,
    "waiting": """
        alarm clock_getres clock_gettime clock_nanosleep epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2
        epoll_wait eventfd eventfd2 getitimer gettimeofday nanosleep pause poll ppoll pselect6 select setitimer signalfd
        signalfd4 time timer_create timer_delete timer_getoverrun timer_gettime timer_settime timerfd_create timerfd_gettime
        timerfd_settime times
        """,
    "memory": "brk madvise mmap mprotect mremap msync munmap",
    "processes and threads": """
        arch_prctl execve execveat exit exit_group fork futex futex_waitv getcpu getpgid getpgrp getpid getppid getpriority
        getrlimit getrusage getsid gettid membarrier prctl restart_syscall rseq sched_get_priority_max sched_get_priority_min
        sched_getaffinity sched_getattr sched_getparam sched_getscheduler sched_rr_get_interval sched_yield set_robust_list
        set_tid_address setpgid setrlimit setsid vfork wait4 waitid
        """,
    "signals": """
        kill rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend rt_sigtimedwait
        rt_tgsigqueueinfo sigaltstack tgkill tkill
        """,
    "who and where": """
        capget getegid geteuid getgid getgroups getrandom getresgid getresuid getuid sysinfo uname
        """,
    "pairs of sockets": "getpeername getsockname getsockopt recvfrom shutdown",
}

_EQUAL, _MASKED = 4, 7
_AF_UNIX: Final = 1
#: Every flag CLONE_NEW of clone.
_NAMESPACES: Final = 0x7E020000
#: fcntl: F_DUPFD, F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_SETLK, F_SETLKW, F_DUPFD_CLOEXEC, F_SETPIPE_SZ, F_GETPIPE_SZ. Others lock files so
#: that it shows elsewhere, watch folders, or direct signals.
_FCNTL: Final = (0, 1, 2, 3, 4, 6, 7, 1030, 1031, 1032)
#: ioctl: TCGETS, TIOCGWINSZ, FIONREAD, FIONBIO, FIONCLEX, FIOCLEX.
_IOCTL: Final = (0x5401, 0x5413, 0x541B, 0x5421, 0x5450, 0x5451)
#: Allowed with some arguments: the number of the argument, how it is compared, with what. Any of the rows will do.
BY_ARGUMENT: Final = {
    "clone": ((0, _MASKED, _NAMESPACES, 0),),
    "fcntl": tuple((1, _EQUAL, command, 0) for command in _FCNTL),
    "ioctl": tuple((1, _EQUAL, request, 0) for request in _IOCTL),
    "prlimit64": ((0, _EQUAL, 0, 0),),  # its own limits
    "sendto": ((4, _EQUAL, 0, 0),),  # without an address
    "socketpair": ((0, _EQUAL, _AF_UNIX, 0),),
}

_ALLOW, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_OTHER_ARCHITECTURE, _OPTIMIZE, _TREE = 2, 8, 2


class _Comparison(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64))


@cache
def bpf_filter() -> bytes:
    """The filter as a BPF program, for bubblewrap's ``--seccomp`` and for ``prctl(PR_SET_SECCOMP)``.

    Raises:
        OSError: without libseccomp.
    """
    library: Any = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_UNKNOWN))
    if not context:
        raise OSError("libseccomp makes no filter")
    try:
        _check(library.seccomp_attr_set(context, _OTHER_ARCHITECTURE, _UNKNOWN))
        library.seccomp_attr_set(context, _OPTIMIZE, _TREE)  # unknown to old versions, which then compare one by one
        for call in sorted(" ".join(ALLOWED.values()).split()):
            _allow(library, context, call)
        for call, rows in BY_ARGUMENT.items():
            for row in rows:
                _allow(library, context, call, _Comparison(*row))
        with tempfile.TemporaryFile() as file:
            _check(library.seccomp_export_bpf(context, file.fileno()))
            return os.pread(file.fileno(), 1 << 20, 0)
    finally:
        library.seccomp_release(context)


def _allow(library: Any, context: ctypes.c_void_p, call: str, *comparisons: _Comparison) -> None:
    number = library.seccomp_syscall_resolve_name(call.encode())
    if number >= 0:  # machines have different calls, and old libraries do not know new ones
        _check(
            library.seccomp_rule_add_array(
                context, _ALLOW, number, len(comparisons), (_Comparison * len(comparisons))(*comparisons)
            )
        )


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp: {os.strerror(-result)}")
