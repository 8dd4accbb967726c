"""Control groups: where one is made, what is written there, and what comes of it.

Folders of files stand in for the kernel's.
"""

from __future__ import annotations

import errno
import os
import sys
import time
from pathlib import Path

import pytest

from tests.isolation.programs import python
from tkm_env.isolation import control_groups
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")


def group(
    folder: Path, *, hands_down: bool, processes: str = "", controllers: str = "cpu memory pids"
) -> Path:
    """A folder like one of version 2."""
    folder.mkdir()
    handed = controllers if hands_down else ""
    files = {
        "cgroup.controllers": controllers,
        "cgroup.subtree_control": handed,
        "cgroup.procs": processes,
    }
    for name, content in files.items():
        (folder / name).write_text(content, "utf-8")
    return folder


def belongs_to(monkeypatch: pytest.MonkeyPatch, own: Path, root: Path) -> None:
    """Have this process belong to a group of version 2, and to none of version 1."""

    def found(controller: str) -> tuple[str, str]:
        if controller:
            raise FileNotFoundError(controller)
        return str(own), str(root)

    monkeypatch.setattr(control_groups, "_own", found)


def test_a_group_is_made_below_the_nearest_one_that_hands_its_controllers_down(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = group(tmp_path / "root", hands_down=True)
    service = group(root / "service", hands_down=True)
    belongs_to(monkeypatch, group(service / "own", hands_down=False), root)
    made = control_groups.make(200 << 20, 24)
    assert made is not None
    (folder,) = map(Path, made.paths)
    assert folder.parent == service
    assert (folder / "memory.max").read_text() == str(200 << 20)
    assert (folder / "pids.max").read_text() == "24"
    made.join()
    assert (folder / "cgroup.procs").read_text() == str(os.getpid())
    (folder / "memory.stat").write_text("anon 5\nfile 7\nshmem 3\nkernel 2\n")
    assert made.memory() == 10
    assert not made.is_out_of_memory()
    (folder / "memory.events").write_text("max 3\noom_kill 1\n")
    assert made.is_out_of_memory()
    made.kill()
    assert (folder / "cgroup.kill").read_text() == "1"


def test_a_delegated_group_is_emptied_into_a_group_below_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = group(tmp_path / "own", hands_down=False, processes="17 18")
    belongs_to(monkeypatch, own, own)
    write = control_groups._write

    def hands_down_only_if_empty(path: str, value: object) -> None:
        if path == f"{own}/cgroup.subtree_control" and not (own / "referee").is_dir():
            raise OSError(errno.EBUSY, "processes")
        write(path, value)

    monkeypatch.setattr(control_groups, "_write", hands_down_only_if_empty)
    made = control_groups.make(1 << 20, 5)
    assert made is not None
    assert (own / "referee" / "cgroup.procs").read_text() == "18", "the last of the two"
    assert (own / "cgroup.subtree_control").read_text() == "+memory +pids"


def test_without_the_controllers_there_is_no_group(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = group(tmp_path / "own", hands_down=True, controllers="cpu")
    belongs_to(monkeypatch, own, own)
    assert control_groups.make(1 << 20, 5) is None
    assert {*os.listdir(own)} == {"cgroup.controllers", "cgroup.subtree_control", "cgroup.procs"}


def test_groups_that_killed_supervisors_left_are_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own = group(tmp_path / "own", hands_down=True)
    belongs_to(monkeypatch, own, own)
    alive = f"tkm-{os.getpid()}-0"
    for name in ("tkm-999999999-0", alive, "tkm-other", "other"):
        (own / name).mkdir()
    made = control_groups.make(1 << 20, 5)
    assert made is not None
    assert {path.name for path in own.iterdir() if path.is_dir()} == {
        alive,
        "tkm-other",
        "other",
        Path(*made.paths).name,
    }


def test_a_program_has_a_group_of_its_own_while_it_runs() -> None:
    program = Program(
        python("print(open('/proc/self/cgroup').read().replace(chr(10), ' ')); input()"),
        "the bot",
        Limits(),
    )
    line = program.read_line(time.monotonic() + 20)
    if "memory" not in program.active:
        program.close()
        pytest.skip("needs the right to make control groups")
    folders = program._groups
    assert folders
    assert all(os.path.basename(folder) in line for folder in folders)
    assert all(map(os.path.isdir, folders))
    program.close()
    assert not any(map(os.path.isdir, folders))
