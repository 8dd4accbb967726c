"""The system calls that programs of strangers may make; the kernel answers all others as if it did not know them.

``system_calls.json`` lists them, in the form of container engines' seccomp profiles: what an interpreter, a compiler at run time and a
small pipeline need on files, memory, threads and children. What is left out on purpose: sockets but pairs, namespaces, mounts, tracing,
keys, queues, modes and attributes of files, whatever locks files so that others see it, watches folders or directs signals, everything for
administrators, and every call newer than the list. libseccomp (https://github.com/seccomp/libseccomp) turns it into a filter for this
machine.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any, Final

#: Rows of names, and how an argument is to be compared with what, if that matters; any of the rows will do.
RULES: Final = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))["syscalls"]

#: libseccomp's constants.
_COMPARISONS: Final = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
_ALLOW, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_OTHER_ARCHITECTURE, _OPTIMIZE, _TREE = 2, 8, 2


class _Comparison(ctypes.Structure):
    _fields_ = (("argument", ctypes.c_uint), ("operator", ctypes.c_int), ("first", ctypes.c_uint64), ("second", ctypes.c_uint64))


@cache
def bpf_filter() -> bytes:
    """The filter as a BPF program, for ``prctl(PR_SET_SECCOMP)``; raises an `OSError` without libseccomp."""
    library: Any = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_UNKNOWN))
    if not context:
        raise OSError("libseccomp makes no filter")
    try:
        _check(library.seccomp_attr_set(context, _OTHER_ARCHITECTURE, _UNKNOWN))
        library.seccomp_attr_set(context, _OPTIMIZE, _TREE)  # unknown to old versions, which then compare one by one
        for rule in RULES:
            rows: list[Any] = [
                (row["index"], _COMPARISONS[row["op"]], row["value"], row.get("valueTwo", 0)) for row in rule.get("args", ())
            ]
            comparisons = (_Comparison * len(rows))(*rows)
            for name in rule["names"]:
                number = library.seccomp_syscall_resolve_name(name.encode())
                if number >= 0:  # machines have different calls, and old libraries do not know new ones
                    _check(library.seccomp_rule_add_array(context, _ALLOW, number, len(rows), comparisons))
        with tempfile.TemporaryFile() as file:
            _check(library.seccomp_export_bpf(context, file.fileno()))
            return os.pread(file.fileno(), 1 << 20, 0)
    finally:
        library.seccomp_release(context)


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp: {os.strerror(-result)}")
