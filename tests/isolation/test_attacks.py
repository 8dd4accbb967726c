"""Attacks: what comes of each is what its file says, at every level of isolation, and whatever comes of it, nothing stays behind."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.isolation.attack_list import FOLDER, SUBJECTS, Attack, attacks, read
from tests.isolation.judge import Judge, judge
from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX
from tkm_env.errors import MachineError, PlayerError
from tkm_env.isolation import system_calls
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

COMPILER = shutil.which("cc")
LEVELS = [
    "process",
    pytest.param("restricted", marks=pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)),
    pytest.param("sandbox", marks=pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)),
]
#: What an attack has: more than it needs, less than it would take.
LIMITS = {"memory_mib": 200, "processes": 24, "scratch_mib": 16}
#: Seconds for an attack that only time ends, and for all others.
SHORT, LONG = 1.0, 20.0


class Seen(NamedTuple):
    """What came of an attack, how, and which protections were active."""

    outcome: str
    how: str
    active: tuple[str, ...]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the attacks in C, built by make, as SUBJECT/NAME."""
    folder = tmp_path_factory.mktemp("attacks")
    for above in (folder, *folder.parents[:3]):
        above.chmod(0o755)
    if COMPILER:
        for subject in SUBJECTS:
            (folder / subject).mkdir()
        sources = [attack.path for subject in SUBJECTS for attack in attacks(subject) if attack.path.suffix == ".c"]

        def build(source: Path) -> int:
            command = [COMPILER, "-w", "-pthread", f"-I{FOLDER}", "-o", folder / source.parent.name / source.stem, source]
            return subprocess.run(command, check=False).returncode

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            assert not any(pool.map(build, sources)), "an attack does not compile"
    return folder


def run(attack: Attack, level: str, built: Path, *, own_user: bool) -> Seen:
    """Run an attack, and find out what came of it, from what it says and from what it did."""
    with judge(own_user=own_user) as judged:
        before = judged.state()
        programs: list[Program] = []
        active: tuple[str, ...] = ()
        said = "nothing"
        try:
            for role in ("sends", "receives") if attack.is_pair else ("",):
                programs.append(start(attack, level, built, judged, role))
                active = programs[-1].active
                fails_in_time = attack.expected(level, active).allowed == ("fault timeout",)
                said = programs[-1].read_line(time.monotonic() + (SHORT if fails_in_time else LONG))
        except PlayerError as error:
            said = f"fault {error.kind}: {error.reason}"
        except MachineError as error:
            said = f"machine {error}"
        for program in programs:
            program.close()
        left = judged.left()
        after = judged.state()
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    changed = [f"{name}: {before.get(name)} -> {after.get(name)}" for name in names]
    if left or changed:
        return Seen("reached", "; ".join([*changed, *(f"the process {pid} is left" for pid in left)]), active)
    words = said.split(":")[0].split()
    return Seen("refused" if words[0] == "tried" else " ".join(words[: 1 + (words[0] == "fault")]), said, active)


def start(attack: Attack, level: str, built: Path, judged: Judge, role: str) -> Program:
    """An attack as a program; it has the judge's addresses in its environment."""
    if attack.path.suffix == ".py":
        command = [sys.executable, "-E", "-S", "-B", str(FOLDER / "attack.py"), str(attack.path)]
    else:
        command = [str(built / attack.subject / attack.path.stem)]
    words = {**judged.environment, "ROLE": role, "REVIEWED": "" if level == "process" else reviewed()}
    command = ["/usr/bin/env", *(f"{name}={value}" for name, value in words.items()), *command]
    limits = Limits(level, readable=(str(judged.library.parent),), **LIMITS)
    return Program(command, attack.path.stem, limits, code_cache=str(judged.cache.parents[1]))


def reviewed() -> str:
    """The numbers of the system calls that confined programs may make, with all arguments or some."""
    library = ctypes.CDLL("libseccomp.so.2")
    names = [*" ".join(system_calls.ALLOWED.values()).split(), *system_calls.BY_ARGUMENT]
    return ",".join(str(library.seccomp_syscall_resolve_name(name.encode())) for name in names)


@pytest.mark.slow
@pytest.mark.parametrize("own_user", [True, False], ids=["own user", "the judge's user"])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("subject", SUBJECTS)
def test_what_comes_of_an_attack_is_what_it_says(built: Path, subject: str, level: str, own_user: bool) -> None:
    if level == "process" and not own_user:
        pytest.skip("a process always has the judge's user")
    failures = []
    for attack in attacks(subject):
        if attack.path.suffix == ".c" and not COMPILER:
            continue
        seen = run(attack, level, built, own_user=own_user)
        expected = attack.expected(level, (*seen.active, *(["root"] if os.geteuid() == 0 else [])))
        if seen.outcome not in expected.allowed:
            failures.append(f"{attack} ({attack.proves}) is to be {expected}, but: {seen.outcome}: {seen.how[:600]}")
    assert not failures, "\n".join(failures)


def test_no_attack_reaches_anything_in_the_sandbox_without_saying_why_it_may() -> None:
    for subject in SUBJECTS:
        for attack in attacks(subject):
            for levels, _, outcome in attack.statements:
                unexplained = "reached" in outcome.allowed and {"sandbox", "all"} & {*levels} and not outcome.why
                assert not unexplained, f"{attack} must say in parentheses why that is harmless"


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("# Removes the results.\nimport os", "its first two lines"),
        ("# Removes the results.\n# sandbox: harmless", "'sandbox: harmless' is not of the form LEVELS: OUTCOME"),
    ],
    ids=str,
)
def test_a_file_that_does_not_say_what_comes_of_it_is_refused(tmp_path: Path, lines: str, message: str) -> None:
    (tmp_path / "attack.py").write_text(lines, "utf-8")
    with pytest.raises(ValueError, match=message):
        read(tmp_path / "attack.py")
