"""The command lines of bubblewrap and of `tkm_env.isolation.confinement` for a program.

The sandbox is bubblewrap's (https://github.com/containers/bubblewrap): separate namespaces; the
system and the files that the program may read, read-only; and a temporary folder in memory as the
only writable place. Inside the sandbox, and without it at the level "restricted", the program is
confined once more.
"""

import os
import shutil
import stat
import sys
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

from tkm_env.foundations.errors import ConfigError, MachineError
from tkm_env.foundations.files import split_python_file
from tkm_env.isolation.package_view import PackageView
from tkm_env.isolation.system_calls import bpf_filter

#: The temporary folder in the sandbox.
SCRATCH: Final = "/tmp"  # noqa: S108

#: Folders of programs and libraries; on most systems all but the first are links into it.
_PROGRAMS: Final = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64")
#: Other paths that programs may need to read to start, if they exist.
_SYSTEM: Final = (
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/alternatives", "/etc/ssl"),
    *("/sys/devices/system/cpu", "/sys/devices/system/node"),
)
_DEVICES: Final = ("/dev/full", "/dev/null", "/dev/random", "/dev/urandom", "/dev/zero")
#: The parts of /proc that programs may read if they share it with the machine.
_PROC: Final = tuple(
    f"/proc/{name}"
    for name in ("self", "cpuinfo", "meminfo", "stat", "version", "sys/vm/overcommit_memory")
)
#: Bubblewrap's options for namespaces, and for ending with its parent.
_NAMESPACES: Final = (
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--unshare-cgroup-try"),
    *("--die-with-parent", "--new-session", "--hostname", "sandbox"),
)


def bubblewrap(readable: Iterable[str], view: PackageView, scratch_bytes: int) -> list[str]:
    """Return bubblewrap's command, up to the program's own.

    Args:
        readable: the files and folders that the program may read, besides the system's.
        view: the parts of this package that it sees.
        scratch_bytes: the size of its temporary folder, in bytes.

    Returns:
        The words, without those about rights.

    Raises:
        MachineError: if bubblewrap is not installed.
        ConfigError: if the temporary folder would hide something readable.
    """
    program = shutil.which("bwrap")
    if program is None:
        reason = "bubblewrap is not installed; install the system's package bubblewrap"
        raise MachineError("a sandbox", reason)
    shown = _layers([*_SYSTEM, *readable], view.closed)
    for path, is_shown in shown.items():
        if is_shown and f"{SCRATCH}/".startswith(f"{path.rstrip('/')}/"):
            reason = f"the sandbox has its own {SCRATCH}: name files or folders in it instead"
            raise ConfigError("readable", path, reason)
    words = [program, *_NAMESPACES, *_mounts(_PROGRAMS)]
    words += ["--proc", "/proc", "--tmpfs", "/proc/sys", "--remount-ro", "/proc/sys"]
    words += ["--dir", "/dev"]
    for device in _DEVICES:
        words += ["--dev-bind-try", device, device]
    words += ["--symlink", "/proc/self/fd", "/dev/fd"]
    words += ["--symlink", SCRATCH, "/dev/shm"]  # noqa: S108
    words += ["--perms", "1777", "--size", str(scratch_bytes), "--tmpfs", SCRATCH]
    # Relative paths in a command start from here.
    here = os.getcwd()
    words += _folders_above([*shown, os.path.join(here, "command")])
    for path, is_shown in shown.items():
        if is_shown:
            words += _mounts([path])
        else:
            words += ["--perms", "0555", "--tmpfs", path, *_folders_above(shown, path)]
    for path in ("/", *(path for path, is_shown in shown.items() if not is_shown)):
        words += ["--remount-ro", path]
    return [*words, "--chdir", here, "--", *python_command("confinement")]


def python_command(module: str) -> list[str]:
    """Return the command that runs ``main`` of a module beside this one, without the package."""
    start = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bare_python.py")
    return [os.path.realpath(sys.executable), "-I", "-S", start, module]


def confinement_options(
    readable: Sequence[str], view: PackageView, scratch: str, *, sandboxed: bool
) -> dict[str, object]:
    """Return the options of `tkm_env.isolation.confinement.enter` known before the start.

    Args:
        readable: the files and folders that the program may read, besides the system's.
        view: the parts of this package that it sees.
        scratch: its temporary folder.
        sandboxed: whether it runs in bubblewrap, which hides everything else.

    Returns:
        The options.

    Raises:
        MachineError: without libseccomp.
    """
    try:
        code = bpf_filter()
    except OSError as error:
        reason = f"libseccomp cannot be used: {error}; install the system's package libseccomp2"
        raise MachineError("a filter of system calls", reason) from error
    whole = [*_PROGRAMS, *_SYSTEM, *_DEVICES, *(["/proc"] if sandboxed else _PROC), *readable]
    readable, listable = (whole, []) if sandboxed else _without(view.closed, whole)
    return {
        "readable": readable,
        "listable": [*listable, *view.listable],
        "writable": [scratch, "/dev/null"],
        "landlock": not sandboxed,
        "filter": code.hex(),
    }


def _without(closed: Sequence[str], readable: Iterable[str]) -> tuple[list[str], list[str]]:
    """Remove closed folders from readable paths.

    Args:
        closed: the closed folders, also by their real paths.
        readable: the paths; one within a closed folder stays, since it was named.

    Returns:
        The remaining paths, and the folders on the way to closed ones, which may be listed.
    """
    left: list[str] = []
    listable: list[str] = []
    waiting = [path for path in readable if os.path.realpath(path) not in closed]
    while waiting:
        path = waiting.pop()
        if any(each.startswith(f"{os.path.realpath(path)}{os.sep}") for each in closed):
            listable.append(path)
            inside = (entry.path for entry in os.scandir(path))
            waiting += [each for each in inside if not _is_in_any(os.path.realpath(each), closed)]
        else:
            left.append(path)
    return left, listable


def _is_in_any(path: str, folders: Iterable[str]) -> bool:
    return any(path == folder or path.startswith(f"{folder}/") for folder in folders)


def code_folder(scratch: str) -> str:
    """Return the folder in which a confined program keeps machine code."""
    return os.path.join(scratch, "code")


def readable_of(command: Sequence[str], more: Iterable[str], view: PackageView) -> list[str]:
    """Return the files and folders that a program may read, besides the system's.

    Args:
        command: the program and its arguments; files and folders that they name are readable.
        more: other files and folders.
        view: the parts of this package that it sees.

    Returns:
        The absolute paths of all these, and of Python.
    """
    words = [shutil.which(command[0]) or command[0], *command[1:]]
    # A .pth file can add another environment's libraries.
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    executable = os.path.realpath(sys.executable)
    python = [sys.prefix, sys.base_prefix, sys.exec_prefix, executable]
    python.append(os.path.dirname(os.path.abspath(__file__)))  # it confines itself in the sandbox
    named = [path for word in words for path in _paths_in(word)]
    given = [path for name in more for path in (os.path.abspath(name), os.path.realpath(name))]
    return [*dict.fromkeys([*python, *libraries, *named, *given, *view.readable])]


def everyone_reads(paths: Iterable[str], *, sandboxed: bool) -> bool:
    """Whether any user may read files and list folders.

    Args:
        paths: the files and folders; those that do not exist are ignored.
        sandboxed: whether the program is in the sandbox, which makes its own folders above them.

    Returns:
        Whether the modes of all these, and without the sandbox of the folders above, allow it.
    """
    there = [path for path in paths if os.path.exists(path)]
    above = {folder for path in there for folder in ([] if sandboxed else _folders_of(path))}
    return all(map(_everyone_reads, there)) and all(
        os.stat(folder).st_mode & stat.S_IXOTH for folder in above
    )


def _everyone_reads(path: str) -> bool:
    mode = os.stat(path).st_mode
    needed = stat.S_IROTH | (stat.S_IXOTH if stat.S_ISDIR(mode) else 0)
    return mode & needed == needed


@lru_cache(1024)
def _folders_of(path: str) -> tuple[str, ...]:
    """Return all folders above an absolute path, the innermost first."""
    return tuple(map(str, Path(path).parents))


def _paths_in(word: str) -> list[str]:
    """Return the file or folder that a word of a command names, perhaps as FILE.py:NAME.

    Its real path is included.
    """
    file = split_python_file(word)
    named = [word] if file is None else [word, file[0]]
    return [
        found
        for path in named
        if os.path.exists(path)
        for found in (os.path.abspath(path), os.path.realpath(path))
    ]


def _layers(readable: Iterable[str], closed: Iterable[str]) -> dict[str, bool]:
    """Return the paths to mount over each other, the outer ones first.

    Args:
        readable: paths that are shown.
        closed: folders in which only paths that are readable themselves are shown.

    Returns:
        The paths, and whether they are shown. Paths that change nothing are left out: shown ones
            within a shown folder, and closed ones elsewhere.
    """
    layers = dict.fromkeys(_PROGRAMS, True)
    states = dict.fromkeys(readable, True) | dict.fromkeys(closed, False)
    for path in sorted(states, key=len):
        around = next((outer for outer in _folders_of(path) if outer in layers), None)
        if states[path] != (around is not None and layers[around]):
            layers[path] = states[path]
    return {path: is_shown for path, is_shown in layers.items() if path not in _PROGRAMS}


def _folders_above(paths: Iterable[str], within: str = "") -> list[str]:
    """Return bubblewrap's options that make the folders above paths, read-only for everyone.

    Args:
        paths: the paths.
        within: only folders within this one are made; "" for all.
    """
    above = {folder for path in paths for folder in _folders_of(path)}
    folders = sorted((each for each in above if each.startswith(f"{within}/")), key=len)
    return [word for folder in folders for word in ("--perms", "0555", "--dir", folder)]


def _mounts(paths: Iterable[str]) -> list[str]:
    """Return bubblewrap's options that show files and folders read-only, and links as links."""
    options: list[str] = []
    for path in paths:
        if os.path.islink(path):
            options += ["--symlink", os.readlink(path), path]
        else:
            options += ["--ro-bind-try", path, path]
    return options
