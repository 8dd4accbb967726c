"""Running the attacks, and what came of them: ``python -m tests.isolation.attack_outcomes``.

The command, from the root of a clone, runs all of them at every level that this system has, and
fails if anything else came of one than its file says. It does so as whoever starts it; as root,
then also as the user nobody, with a control group of that user's own and without one, if nobody may
read this folder and Python. It then writes ``docs/attacks.json``, which the documents show.

With names of attacks (``streams/flood.py``) it runs these alone and writes nothing; ``--tries 100``
runs each of them a hundred times, which shows what comes of races.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.figures import Figures
from tests.isolation.attack_list import FOLDER, SUBJECTS, Attack, attacks
from tests.isolation.judge import Judge, judge
from tkm_env.foundations.cores import cores
from tkm_env.foundations.errors import MachineError, PlayerError
from tkm_env.isolation import confinement, control_groups
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program, try_isolation
from tkm_env.isolation.system_calls import allowed_calls

COMPILER = shutil.which("cc")
#: What an attack has: more than it needs, less than it would take.
LIMITS = {"memory_mib": 200, "processes": 24, "scratch_mib": 16}
#: Seconds for an attack that only time ends, and for all others.
SHORT, LONG = 1.0, 20.0
#: How an attack ends that only time ends, or what it has written by then.
IN_TIME = {"fault timeout", "fault output"}


class Seen(NamedTuple):
    """What came of an attack, how, and which protections were active."""

    outcome: str
    how: str
    active: tuple[str, ...]


def runnable() -> list[Attack]:
    """All attacks; without a compiler those in Python."""
    return [
        attack
        for subject in SUBJECTS
        for attack in attacks(subject)
        if COMPILER or not attack.is_compiled
    ]


def build(chosen: list[Attack], folder: Path) -> None:
    """Build those of these attacks that are in C, as SUBJECT/NAME in this folder."""
    sources = [attack.path for attack in chosen if attack.is_compiled]
    for source in sources:
        (folder / source.parent.name).mkdir(exist_ok=True)

    def compiled(source: Path) -> int:
        command = [
            COMPILER,
            "-w",
            "-pthread",
            f"-I{FOLDER}",
            "-o",
            folder / source.parent.name / source.stem,
            source,
        ]
        return subprocess.run(command, check=False).returncode

    with ThreadPoolExecutor(cores()) as pool:
        assert not any(pool.map(compiled, sources)), "an attack does not compile"


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
                fails_in_time = {*attack.expected(level, active).allowed} <= IN_TIME
                said = programs[-1].read_line(time.monotonic() + (SHORT if fails_in_time else LONG))
        except PlayerError as error:
            said = f"fault {error.kind}: {error.reason}"
        except MachineError as error:
            said = f"machine {error}"
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", RuntimeWarning
            )  # that some are left: the judge finds them
            for program in programs:
                program.close()
        left = judged.left()
        after = judged.state()
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    changed = [f"{name}: {before.get(name)} -> {after.get(name)}" for name in names]
    if left or changed:
        return Seen(
            "reached",
            "; ".join([*changed, *(f"the process {pid} is left" for pid in left)]),
            active,
        )
    words = said.split(":")[0].split()
    return Seen(
        "refused" if words[0] == "tried" else " ".join(words[: 1 + (words[0] == "fault")]),
        said,
        active,
    )


def start(attack: Attack, level: str, built: Path, judged: Judge, role: str) -> Program:
    """An attack as a program; it has the judge's addresses in its environment."""
    if attack.path.suffix == ".py":
        command = [sys.executable, "-E", "-S", "-B", str(FOLDER / "attack.py"), str(attack.path)]
    else:
        command = [str(built / attack.subject / attack.path.stem)]
    words = {
        **judged.environment,
        "ROLE": role,
        "REVIEWED": "" if level == "process" else reviewed(),
    }
    command = ["/usr/bin/env", *(f"{name}={value}" for name, value in words.items()), *command]
    limits = Limits(level, readable=(str(judged.library.parent),), **LIMITS)
    return Program(command, attack.path.stem, limits, code_cache=str(judged.cache.parents[1]))


def reviewed() -> str:
    """The numbers of the system calls that confined programs may make."""
    library = ctypes.CDLL("libseccomp.so.2")
    names = dict.fromkeys(name.encode() for name, _ in allowed_calls())
    return ",".join(str(library.seccomp_syscall_resolve_name(name)) for name in names)


def as_stated(attack: Attack, level: str, seen: Seen) -> str:
    """What came of an attack that its file does not say; "" if it does."""
    expected = attack.expected(level, (*seen.active, *(["root"] if os.geteuid() == 0 else [])))
    if seen.outcome in expected.allowed:
        return ""
    return f"{attack} ({attack.proves}) is to be {expected}, but: {seen.outcome}: {seen.how[:600]}"


def machine() -> dict[str, str]:
    """What the attacks are run on, by name."""
    group = control_groups.make(1 << 30, 100)
    if group is not None:
        control_groups.remove(group.paths)
    version = subprocess.run(
        ["bwrap", "--version"], capture_output=True, text=True, check=False
    ).stdout.split()
    return {
        "kernel": f"Linux {platform.release().split('-')[0]}, {platform.machine()}",
        "Landlock": f"version {confinement.landlock_version()}",
        "control groups": "none"
        if group is None
        else "version 2"
        if group.is_unified
        else "version 1",
        "bubblewrap": version[-1],
        "libseccomp": ".".join(map(str, (ctypes.c_uint * 3).from_address(_seccomp_version()))),
    }


def _seccomp_version() -> int:
    library = ctypes.CDLL("libseccomp.so.2")
    library.seccomp_version.restype = ctypes.c_void_p
    return int(library.seccomp_version())


class Starter(NamedTuple):
    """Somebody who starts matches: the name, and whether control groups can be made."""

    name: str
    groups: bool

    @classmethod
    def here(cls) -> Starter:
        """Whoever runs this process."""
        group = control_groups.make(1 << 30, 100)
        if group is not None:
            control_groups.remove(group.paths)
        return cls("root" if os.geteuid() == 0 else "a user", group is not None)

    def __str__(self) -> str:
        return f"{self.name}, {'with' if self.groups else 'without'} a control group"


#: The numbers of the user nobody and of its group on most systems.
_NOBODY: Final = 65534


def run_all(chosen: list[Attack], tries: int) -> tuple[dict[str, Any], list[str]]:
    """Run these attacks at every level; the figures, and what came out other than stated."""
    levels: dict[str, Any] = {}
    failures: list[str] = []
    who = Starter.here()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        build(chosen, Path(folder))
        for level in ("process", "restricted", "sandbox"):
            counts: Counter[str] = Counter()
            for attack in chosen:
                for _ in range(tries):
                    seen = run(attack, level, Path(folder), own_user=True)
                    counts[seen.outcome.split()[0]] += 1
                    if wrong := as_stated(attack, level, seen):
                        failures.append(f"{who}, at the level {level}: {wrong}")
                print(f"{who}: {level:10} {attack!s:45} {seen.outcome}", flush=True)
            levels[level] = {
                "protections": try_isolation(level).active,
                "outcomes": dict(sorted(counts.items())),
            }
    return levels, failures


def as_nobody(arguments: list[str], figures: Path, *, groups: bool) -> int:
    """Run the command as the user nobody, and return what it exits with.

    Args:
        arguments: the command's.
        figures: the file for its figures.
        groups: whether it runs in control groups of its own, or in none that it may use.
    """
    made = control_groups.make(1 << 40, 100_000) if groups else None
    places = [] if made is None else [*map(Path, made.paths)]
    for path in (inner for place in places for inner in (place, *place.iterdir())):
        shutil.chown(path, _NOBODY, _NOBODY)

    def join() -> None:
        for place in places:
            (place / "cgroup.procs").write_text(str(os.getpid()), "utf-8")

    try:
        command = [
            sys.executable,
            "-m",
            "tests.isolation.attack_outcomes",
            "--figures",
            str(figures),
            *arguments,
        ]
        environment = os.environ | {"HOME": str(figures.parent), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            ["setpriv", f"--reuid={_NOBODY}", f"--regid={_NOBODY}", "--clear-groups", *command],
            check=False,
            env=environment,
            preexec_fn=join,
        ).returncode
    finally:
        for place in places:
            control_groups.remove([str(inner) for inner in (*place.glob("*/"), place)])


def main(arguments: list[str]) -> int:
    """Run everything and write the figures; 1 if an outcome is not as stated."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="SUBJECT/FILE")
    parser.add_argument("--tries", type=int, default=1)
    parser.add_argument(
        "--figures", type=Path, help="the file that keeps the figures of whoever starts it alone"
    )
    options = parser.parse_args(arguments)
    chosen = [attack for attack in runnable() if not options.names or str(attack) in options.names]
    who = Starter.here()
    measures = not options.names and options.figures is None
    measured = {"": Figures().now("attacks")} if measures else {}
    levels, failures = run_all(chosen, options.tries)
    print(*failures, sep="\n")
    ended = int(bool(failures))
    runs = {str(who): levels}
    if options.figures is not None:
        options.figures.write_text(json.dumps(runs), "utf-8")
        return ended
    if os.geteuid() == 0:
        with tempfile.TemporaryDirectory() as folder:
            shutil.chown(folder, _NOBODY, _NOBODY)
            for groups in (True, False):
                ended |= as_nobody(
                    arguments, figures := Path(folder, f"{groups}.json"), groups=groups
                )
                runs |= json.loads(figures.read_text("utf-8")) if figures.exists() else {}
    if measures:
        Path("docs/attacks.json").write_text(
            json.dumps({"machine": machine(), "runs": runs}, indent=1) + "\n", "utf-8"
        )
        Figures().keep("attacks", measured)
    return ended


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
