"""How many cores a process may use: by its affinity, and by the quotas of its control groups."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tkm_env.foundations import cores
from tkm_env.foundations.cores import _quota

VERSION_2 = "sys/fs/cgroup"
HYBRID = "sys/fs/cgroup/unified"
VERSION_1 = "sys/fs/cgroup/cpu"
JOINED = "sys/fs/cgroup/cpu,cpuacct"


@pytest.mark.parametrize(
    ("groups", "files", "quota"),
    [
        ("0::/\n", {}, math.inf),
        ("0::/a/b\n", {f"{VERSION_2}/a/b/cpu.max": "150000 100000"}, 1.5),
        ("0::/a/b\n", {f"{VERSION_2}/a/b/cpu.max": "max 100000"}, math.inf),
        (
            "0::/a/b\n",
            {f"{VERSION_2}/a/b/cpu.max": "max 100000", f"{VERSION_2}/a/cpu.max": "200000 100000"},
            2,
        ),
        (
            "0::/a\n",
            {
                f"{VERSION_2}/a/cpu.max": "300000 100000",
                f"{VERSION_2}/other/cpu.max": "1000 100000",
            },
            3,
        ),
        # A container whose own group is mounted as the root, while its path is the machine's.
        ("0::/docker/123\n", {f"{VERSION_2}/cpu.max": "50000 100000"}, 0.5),
        (
            "4:cpu:/\n",
            {f"{VERSION_1}/cpu.cfs_quota_us": "-1\n", f"{VERSION_1}/cpu.cfs_period_us": "100000\n"},
            math.inf,
        ),
        (
            "4:cpu,cpuacct:/a\n",
            {
                f"{JOINED}/a/cpu.cfs_quota_us": "250000\n",
                f"{JOINED}/a/cpu.cfs_period_us": "100000\n",
            },
            2.5,
        ),
        (
            "4:cpuset:/a\n0::/b\n",
            {f"{VERSION_1}/a/cpu.cfs_quota_us": "1\n", f"{HYBRID}/b/cpu.max": "100000 50000"},
            2,
        ),
        ("0::/a\n", {f"{VERSION_2}/a/cpu.max": "many\n"}, math.inf),
        ("0::/a\n", {f"{VERSION_2}/a/cpu.max": "0 0\n"}, math.inf),
        ("nonsense\n".replace("\n", "::\n"), {}, math.inf),
    ],
)
def test_the_quota_is_the_least_of_the_groups_that_the_process_is_in(
    tmp_path: Path, groups: str, files: dict[str, str], quota: float
) -> None:
    for name, content in {"proc/self/cgroup": groups, **files}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    assert _quota(tmp_path) == quota


def test_where_no_files_tell_there_is_no_quota(tmp_path: Path) -> None:
    assert _quota(tmp_path) == math.inf


@pytest.mark.parametrize(
    ("quota", "expected"), [(math.inf, 3), (0.2, 1), (1.0, 1), (1.5, 2), (64.0, 3)]
)
def test_a_quota_counts_in_cores_rounded_up(
    monkeypatch: pytest.MonkeyPatch, quota: float, expected: int
) -> None:
    monkeypatch.setattr(cores, "_quota", lambda: quota)
    monkeypatch.setattr(os, "process_cpu_count", lambda: 3, raising=False)
    assert cores.cores() == expected


COUNT = "from tkm_env.foundations.cores import cores; print(cores())"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")
def test_a_process_that_may_run_on_one_core_uses_one() -> None:
    pin = "import os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]); "
    done = subprocess.run(
        [sys.executable, "-c", pin + COUNT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"


@pytest.fixture
def group() -> Iterator[Path]:
    """A control group with the time of one core."""
    folder = Path("/sys/fs/cgroup/cpu") / f"tkm-test-{os.getpid()}"
    try:
        folder.mkdir()
    except OSError:
        pytest.skip("needs the right to make control groups")
    (folder / "cpu.cfs_quota_us").write_text("100000")
    yield folder
    folder.rmdir()


def test_a_process_in_a_group_with_the_time_of_one_core_uses_one(group: Path) -> None:
    join = f"open({str(group / 'cgroup.procs')!r}, 'w').write('0'); "
    done = subprocess.run(
        [sys.executable, "-c", join + COUNT], capture_output=True, text=True, check=True
    )
    assert done.stdout == "1\n"
