"""What is handed to bubblewrap (https://github.com/containers/bubblewrap) and to `tkm_env.isolation.confinement` for a program.

The sandbox is bubblewrap's: namespaces of its own; the system and what the program may read, read-only; a temporary folder in memory as the
only place to write to. Inside it, and without it at the level "restricted", the program is confined once more.

The kernel answers system calls as if it did not know them, except those in ``system_calls.json``, in the form of container engines'
profiles: what an interpreter, a compiler at run time and a small pipeline need on files, memory, threads and children. Left out on purpose
are sockets but pairs, namespaces, mounts, tracing, keys, queues, modes and attributes of files, whatever locks files so that others see it,
watches folders or directs signals, and everything for administrators.
"""

import ctypes
import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError, MachineError
from tkm_env.foundations.files import packaged_json, split_python_file
from tkm_env.isolation.limits import Limits

#: Rows of names, and how an argument is to be compared with what, if that matters; any of the rows will do.
RULES: Final = packaged_json(__package__, "system_calls.json")["syscalls"]

#: libseccomp's constants.
_COMPARISONS: Final = {"SCMP_CMP_EQ": 4, "SCMP_CMP_MASKED_EQ": 7}
_ALLOW, _UNKNOWN = 0x7FFF0000, 0x00050000 | errno.ENOSYS
_OTHER_ARCHITECTURE, _OPTIMIZE, _TREE = 2, 8, 2


class _Comparison(ctypes.Structure):
    _fields_ = (
        ("argument", ctypes.c_uint),
        ("operator", ctypes.c_int),
        ("first", ctypes.c_uint64),
        ("second", ctypes.c_uint64),
    )


@cache
def bpf_filter() -> bytes:
    """The filter of system calls in BPF, by libseccomp (https://github.com/seccomp/libseccomp); raises an `OSError` without it."""
    library: Any = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_init.restype = ctypes.c_void_p
    context = ctypes.c_void_p(library.seccomp_init(_UNKNOWN))
    if not context:
        raise OSError("libseccomp makes no filter")
    try:
        _check(library.seccomp_attr_set(context, _OTHER_ARCHITECTURE, _UNKNOWN))
        library.seccomp_attr_set(
            context, _OPTIMIZE, _TREE
        )  # unknown to old versions, which then compare one by one
        for rule in RULES:
            rows: list[Any] = [
                (row["index"], _COMPARISONS[row["op"]], row["value"], row.get("valueTwo", 0))
                for row in rule.get("args", ())
            ]
            comparisons = (_Comparison * len(rows))(*rows)
            for name in rule["names"]:
                number = library.seccomp_syscall_resolve_name(name.encode())
                if (
                    number >= 0
                ):  # machines have different calls, and old libraries do not know new ones
                    _check(
                        library.seccomp_rule_add_array(
                            context, _ALLOW, number, len(rows), comparisons
                        )
                    )
        with tempfile.TemporaryFile() as file:
            _check(library.seccomp_export_bpf(context, file.fileno()))
            return os.pread(file.fileno(), 1 << 20, 0)
    finally:
        library.seccomp_release(context)


def _check(result: int) -> None:
    if result < 0:
        raise OSError(-result, f"libseccomp: {os.strerror(-result)}")


#: The temporary folder in the sandbox.
SCRATCH: Final = "/tmp"  # noqa: S108

#: Folders of programs and libraries; on most systems all but the first are links into it.
_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
#: What else programs may read to start, where it exists.
_SYSTEM: Final = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node"),
)
#: A file that is empty.
_EMPTY: Final = str(Path(__file__).parents[1] / "py.typed")
_DEVICES: Final = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
#: What of /proc programs may read where they share it with the machine.
_PROC: Final = tuple(
    f"/proc/{name}"
    for name in ("self", "cpuinfo", "meminfo", "stat", "version", "sys/vm/overcommit_memory")
)
_CONFINED: Final = "--unshare-ipc --unshare-pid --unshare-net --unshare-uts --unshare-cgroup-try --die-with-parent --new-session"


def bubblewrap(
    readable: Iterable[str], hidden: Iterable[str], scratch_bytes: int
) -> tuple[list[str], list[str]]:
    """Bubblewrap's command: what comes before more options, and what after, up to the program's own. May raise a `MachineError` or
    `ConfigError`.
    """
    program = shutil.which("bwrap")
    if program is None:
        raise MachineError(
            "a sandbox", "bubblewrap is not installed; the system's package bubblewrap has it"
        )
    shown = _outermost([*_SYSTEM, *readable])
    if covered := [path for path in shown if f"{SCRATCH}/".startswith(f"{path.rstrip('/')}/")]:
        raise ConfigError(
            "readable", covered[0], f"the sandbox has its own {SCRATCH} there: name what is in it"
        )
    size = ["--perms", "1777", "--size", str(scratch_bytes), "--tmpfs", SCRATCH]
    before = [program, *_CONFINED.split(), "--hostname", "sandbox", "--cap-drop", "ALL"]
    after = [
        *_mounts(_PROGRAMS),
        "--proc",
        "/proc",
        "--tmpfs",
        "/proc/sys",
        "--remount-ro",
        "/proc/sys",
        "--dir",
        "/dev",
    ]
    for device in _DEVICES:
        after += ["--dev-bind-try", device, device]
    after += ["--symlink", "/proc/self/fd", "/dev/fd", "--symlink", SCRATCH, "/dev/shm", *size]  # noqa: S108
    # Relative paths in a command start from here.
    here = os.getcwd()
    after += [*_folders_above([*shown, os.path.join(here, "command")]), *_mounts(shown)]
    for path in map(os.path.realpath, hidden):
        after += (
            ["--tmpfs", path, "--remount-ro", path]
            if os.path.isdir(path)
            else ["--ro-bind", _EMPTY, path]
        )
    after += ["--remount-ro", "/", "--chdir", here, "--", *python_command("confinement")]
    return before, after


def python_command(module: str) -> list[str]:
    """The command that runs ``main`` of a neighbour of this module, imported without this package: scripts are compiled each time."""
    here = os.path.dirname(os.path.abspath(__file__))
    code = f"import sys; sys.path.insert(0, sys.argv.pop(1)); import {module}; {module}.main()"
    return [os.path.realpath(sys.executable), "-I", "-S", "-c", code, here]


def confined(
    readable: Sequence[str], hidden: Sequence[str], scratch: str, limits: Limits, links: str | None
) -> dict[str, Any]:
    """The options of `tkm_env.isolation.confinement.enter` that do not depend on the process: what is ``readable``, but not ``hidden``, and
    in its folder ``scratch`` links to the files of the folder ``links``. Raises a `MachineError` without libseccomp.
    """
    try:
        code = bpf_filter()
    except OSError as error:
        reason = f"libseccomp cannot be used: {error}; the system's package libseccomp2 has it"
        raise MachineError("a filter of system calls", reason) from error
    sandboxed = limits.isolation == "sandbox"
    whole = [*_PROGRAMS, *_SYSTEM, *_DEVICES, *(["/proc"] if sandboxed else _PROC), *readable]
    readable, listable = (whole, []) if sandboxed else _without(hidden, whole)
    return {
        "readable": readable,
        "listable": listable,
        "writable": [scratch, "/dev/null"],
        "landlock": not sandboxed,
        "links": None if links is None else [links, code_folder(scratch)],
        "filter": code,
    }


def _without(hidden: Sequence[str], readable: Iterable[str]) -> tuple[list[str], list[str]]:
    """What is left of readable paths without the hidden ones, and the folders on the way to these, which may be listed."""
    closed = [*map(os.path.realpath, hidden)]
    left: list[str] = []
    listable: list[str] = []
    waiting = [*readable]
    while waiting:
        path = waiting.pop()
        real = os.path.realpath(path)
        if any(each.startswith(f"{real}{os.sep}") for each in closed):
            listable.append(path)
            waiting += [entry.path for entry in os.scandir(path)]
        elif not any(real == each or real.startswith(f"{each}{os.sep}") for each in closed):
            left.append(path)
    return left, listable


def code_folder(scratch: str) -> str:
    """Where a confined program keeps machine code."""
    return os.path.join(scratch, "code")


def readable_of(command: Sequence[str], more: Iterable[str]) -> list[str]:
    """What a program may read, besides the system: what its command names, Python, this package, and more; absolute, without repeats."""
    words = [shutil.which(command[0]) or command[0], *command[1:]]
    # A .pth file can add another environment's libraries.
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    python = [
        sys.prefix,
        sys.base_prefix,
        sys.exec_prefix,
        os.path.realpath(sys.executable),
        str(Path(__file__).parents[1]),
    ]
    named = [path for word in words for path in _paths_in(word)]
    given = [path for name in more for path in {os.path.abspath(name), os.path.realpath(name)}]
    return [*dict.fromkeys([*python, *libraries, *named, *given])]


def everyone_reads(paths: Iterable[str], *, sandboxed: bool) -> bool:
    """Whether any user may read these files and list these folders, where they exist; a sandbox has folders of its own above them."""
    return all(
        _modes_allow(Path(path), [] if sandboxed else Path(path).parents)
        for path in paths
        if os.path.exists(path)
    )


def _modes_allow(path: Path, above: Iterable[Path]) -> bool:
    needed = stat.S_IROTH | (stat.S_IXOTH if path.is_dir() else 0)
    return path.stat().st_mode & needed == needed and all(
        folder.stat().st_mode & stat.S_IXOTH for folder in above
    )


def _paths_in(word: str) -> list[str]:
    """The file or folder that a word of a command names, also as FILE.py:NAME, and the target of a link."""
    file = split_python_file(word)
    named = [word] if file is None else [word, file[0]]
    return [
        found
        for path in named
        if os.path.exists(path)
        for found in {os.path.abspath(path), os.path.realpath(path)}
    ]


def _outermost(paths: Iterable[str]) -> list[str]:
    """Those paths that lie in no other one of them nor in the system's programs."""
    kept: list[str] = []
    for path in sorted({*paths}, key=len):
        if not any(path == outer or path.startswith(f"{outer}/") for outer in (*kept, *_PROGRAMS)):
            kept.append(path)
    return kept


def _folders_above(paths: Iterable[str]) -> list[str]:
    """Bubblewrap's options that make the folders above these paths: all may enter them, and nobody adds to them."""
    folders = {str(parent) for path in paths for parent in Path(path).parents}
    return [
        option
        for folder in sorted(folders, key=len)
        for option in ("--perms", "0555", "--dir", folder)
    ]


def _mounts(paths: Iterable[str]) -> list[str]:
    """Bubblewrap's options that show these files and folders read-only, links as links."""
    options: list[str] = []
    for path in paths:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        else:
            options += ["--ro-bind-try", path, path]
    return options
