"""Control groups: limits that the kernel enforces for a program and its descendants.

They are of version 2 (Linux, admin-guide/cgroup-v2.rst) if its controllers are available, else of
version 1. A user makes them below a group delegated to that user, root anywhere.
"""

from __future__ import annotations

import errno
import os
import time

from tkm_env.isolation.suppression import suppress

_PREFIX = "tkm-"
_CONTROLLERS = ("memory", "pids")
_SIGKILL = 9  # the module signal takes long to import


class ControlGroup:
    """A group for one program.

    Args:
        folders: the folders of the group, by controller.
        unified: whether they are of version 2.
        memory: the limit of memory, in bytes.
        tasks: the limit of processes and threads together.

    Attributes:
        paths: the folders, each once.
        is_unified: whether they are of version 2.
    """

    def __init__(self, folders: dict[str, str], *, unified: bool, memory: int, tasks: int) -> None:
        self._folders = folders
        self.paths = [*dict.fromkeys(folders.values())]
        self.is_unified = unified
        limit = "memory.max" if unified else "memory.limit_in_bytes"
        _write(f"{folders['memory']}/{limit}", memory)
        _write(f"{folders['pids']}/pids.max", tasks)
        for file, value in (
            ("memory.swap.max", 0),
            ("memory.oom.group", 1),
            ("memory.memsw.limit_in_bytes", memory),
        ):
            with suppress(OSError):  # if there is no swap
                _write(f"{folders['memory']}/{file}", value)

    def join(self) -> None:
        """Put this process into the group."""
        for path in self.paths:
            _write(f"{path}/cgroup.procs", os.getpid())

    def memory(self) -> int:
        """Return the memory in use that the kernel cannot reclaim, in bytes."""
        found = _numbers(f"{self._folders['memory']}/memory.stat")
        names = ("anon", "shmem", "kernel") if self.is_unified else ("total_rss", "total_shmem")
        return sum(found.get(name, 0) for name in names)

    def cpu(self) -> float:
        """Return the CPU time of all processes that it ever held, in seconds; 0 if unknown."""
        return max(_numbers(f"{path}/cpu.stat").get("usage_usec", 0) for path in self.paths) / 1e6

    def is_out_of_memory(self) -> bool:
        """Whether the kernel has killed one of its processes at the memory limit."""
        file = "memory.events" if self.is_unified else "memory.oom_control"
        return bool(_numbers(f"{self._folders['memory']}/{file}").get("oom_kill"))

    def kill(self) -> None:
        """Kill all its processes, none of which can start another one meanwhile."""
        with suppress(OSError):
            _write(f"{self._folders['pids']}/pids.max", 0)
        for path in self.paths:
            with suppress(OSError):
                _write(f"{path}/cgroup.kill", 1)
                return
        _kill_each(self._folders["pids"])


def remove(paths: list[str], patience: float = 2.0) -> bool:
    """Kill the processes in groups, and remove the groups.

    Args:
        paths: the folders of the groups, which need not exist.
        patience: the time that this may take, in seconds.

    Returns:
        Whether the groups are gone.
    """
    deadline = time.monotonic() + patience
    while True:
        for path in paths:
            with suppress(OSError):
                os.rmdir(path)
        if not any(map(os.path.isdir, paths)):
            return True
        if time.monotonic() > deadline:
            return False
        for path in paths:
            _kill_each(path)
        time.sleep(0.001)


def _kill_each(folder: str) -> None:
    with suppress(OSError):
        for pid in _read(f"{folder}/cgroup.procs").split():
            with suppress(OSError):
                os.kill(int(pid), _SIGKILL)


def make(memory: int, tasks: int) -> ControlGroup | None:
    """Make a new, empty group.

    Args:
        memory: the limit of memory, in bytes.
        tasks: the limit of processes and threads together.

    Returns:
        The group; None if this process cannot make one.
    """
    for find in (_find_unified, _find_by_controller):
        folders: dict[str, str] = {}
        name = f"{_PREFIX}{os.getpid()}-{os.urandom(4).hex()}"
        try:
            for controller, parent in find().items():
                _sweep(parent)
                folders[controller] = f"{parent}/{name}"
                # In version 2, both controllers share a folder.
                os.makedirs(folders[controller], exist_ok=True)
            if {*_CONTROLLERS} <= {*folders}:
                unified = find is _find_unified
                return ControlGroup(folders, unified=unified, memory=memory, tasks=tasks)
        except OSError:
            pass
        remove([*folders.values()], 0.0)
    return None


def adopt_scope() -> None:
    """Ask systemd for a group in which this process may make others.

    Nothing happens without systemd, or if the process may already make groups.
    """
    if os.geteuid() == 0 or not os.path.isdir("/run/systemd/system"):
        return
    if (group := make(1 << 30, 100)) is not None:
        remove(group.paths)
        return
    import subprocess

    systemd = "org.freedesktop.systemd1"
    manager = [systemd, f"/{systemd.replace('.', '/')}", f"{systemd}.Manager"]
    scope = f"{_PREFIX}{os.getpid()}.scope"
    # Two properties, each with its type, and no other units.
    properties = ["2", "PIDs", "au", "1", str(os.getpid()), "Delegate", "b", "true", "0"]
    method = ["StartTransientUnit", "ssa(sv)a(sa(sv))", scope, "fail", *properties]
    command = ["busctl", "--user", "call", *manager, *method]
    with suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(command, capture_output=True, check=False, timeout=10)  # noqa: S603
        deadline = time.monotonic() + 2
        while not _own("")[0].endswith(scope) and time.monotonic() < deadline:
            time.sleep(0.01)  # systemd answers before the change is done


def _find_unified() -> dict[str, str]:
    """Find where version 2 lets this process make a group with both controllers."""
    own, root = _own("")
    above = [own]
    while above[-1] != root:
        above.append(os.path.dirname(above[-1]))
    may_use = [parent for parent in above if os.access(f"{parent}/cgroup.procs", os.W_OK)]
    may_use = [
        parent
        for parent in may_use
        if {*_CONTROLLERS} <= {*_read(f"{parent}/cgroup.controllers").split()}
    ]
    for parent in may_use:
        if {*_CONTROLLERS} <= {*_read(f"{parent}/cgroup.subtree_control").split()}:
            return dict.fromkeys(_CONTROLLERS, parent)
    for parent in may_use:
        try:
            _hand_down(parent)
        except OSError as error:
            # A group that holds processes cannot enable controllers for its children, so the
            # processes of a delegated group are moved to a group below it.
            if error.errno != errno.EBUSY or parent != own or (os.geteuid() == 0 and own != root):
                continue
            os.makedirs(f"{parent}/referee", exist_ok=True)
            for pid in _read(f"{parent}/cgroup.procs").split():
                with suppress(ProcessLookupError):
                    _write(f"{parent}/referee/cgroup.procs", pid)
            _hand_down(parent)
        return dict.fromkeys(_CONTROLLERS, parent)
    return {}


def _hand_down(parent: str) -> None:
    _write(f"{parent}/cgroup.subtree_control", " ".join(f"+{name}" for name in _CONTROLLERS))


def _find_by_controller() -> dict[str, str]:
    """Find where version 1 lets this process make groups, by controller."""
    found = {name: _own(name)[0] for name in _CONTROLLERS}
    with suppress(OSError):
        own, root = _own("")
        # A group below one that enables controllers may not hold processes.
        found["unified"] = root if os.geteuid() == 0 else own
        if not os.access(found["unified"], os.W_OK):
            del found["unified"]
    return found


def _own(controller: str) -> tuple[str, str]:
    """Find the group of this process, and the root of all groups.

    Args:
        controller: a controller of version 1; "" for version 2.

    Raises:
        FileNotFoundError: if there is none.
    """
    for line in _read("/proc/self/mountinfo").splitlines():
        fields, _, rest = line.partition(" - ")
        kind, _, options = rest.split(" ", 2)
        if kind == ("cgroup" if controller else "cgroup2") and (
            not controller or controller in options.split(",")
        ):
            beginning, root = fields.split(" ")[3:5]
            break
    else:
        raise FileNotFoundError(controller)
    for line in _read("/proc/self/cgroup").splitlines():
        _, names, path = line.split(":", 2)
        if controller in names.split(",") if controller else not names:
            inside = os.path.relpath(path, beginning)
            return (root if inside.startswith("..") or inside == "." else f"{root}/{inside}"), root
    raise FileNotFoundError(controller)


def _sweep(parent: str) -> None:
    """Remove empty groups left by killed supervisors."""
    for name in os.listdir(parent):
        pid = name.removeprefix(_PREFIX).partition("-")[0]
        if name.startswith(_PREFIX) and pid.isdigit() and not os.path.isdir(f"/proc/{pid}"):
            with suppress(OSError):
                os.rmdir(f"{parent}/{name}")


def _numbers(path: str) -> dict[str, int]:
    with suppress(OSError):
        return {
            name: int(number)
            for name, number in (line.split()[:2] for line in _read(path).splitlines())
        }
    return {}


def _read(path: str) -> str:
    with open(path) as file:
        return file.read()


def _write(path: str, value: object) -> None:
    with open(path, "w") as file:
        file.write(str(value))
