"""Isolated programs: lines, deadlines, limits, and that nothing of them stays."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from tests.isolation.programs import open_descriptors, processes_of, python
from tkm_env import ConfigError, MachineError, PlayerError
from tkm_env.isolation import process_tree, usage_meter
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux")

ECHO = "import sys\nfor line in sys.stdin: print('you said', line.strip(), flush=True)"


def soon(seconds: float = 20) -> float:
    return time.monotonic() + seconds


def run(source: str, **limits: Any) -> Program:
    return Program(python(source), "the bot", Limits(**limits))


def fault_of(source: str, seconds: float = 20, **limits: Any) -> PlayerError:
    """What happens to a program that is to answer."""
    program = run(source, **limits)
    try:
        program.write_line("go", soon(seconds))
        line = program.read_line(soon(seconds))
    except PlayerError as error:
        assert not program.is_running
        return error
    raise AssertionError(f"it answered {line!r}")


def test_lines_go_both_ways() -> None:
    program = run(ECHO)
    for word in ("east", "wést", "x" * 100_000):
        program.write_line(word, soon())
        assert program.read_line(soon()) == f"you said {word}"
    program.close()
    program.close()
    assert not program.is_running


@pytest.mark.parametrize(
    ("source", "kind", "message"),
    [
        ("import sys; sys.exit(3)", "crash", "it ended with the exit code 3"),
        ("raise ValueError('no idea')", "crash", "exit code 1: 'ValueError: no idea'"),
        (
            "raise ValueError('in ' + 900 * 'x' + ': no idea')",
            "crash",
            "exit code 1: 'ValueError: … no idea'",
        ),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "crash", "killed by SIGSEGV"),
        ("print('play ea', end='', flush=True)", "crash", "exit code 0; half a line: b'play ea'"),
        ("import os, time; os.close(1); time.sleep(60)", "crash", "closed its standard output"),
        (
            r"import sys; sys.stdout.buffer.write(b'\xff\xfe\n'); input(); input()",
            "protocol",
            "not UTF-8",
        ),
        (
            "import sys\nwhile True: sys.stdout.write('x' * 65536)",
            "output",
            "a line of more than 1024 KiB: b'xxx",
        ),
    ],
    ids=lambda value: value[:30],
)
def test_what_a_program_does_wrong_is_named(source: str, kind: str, message: str) -> None:
    error = fault_of(source)
    assert (error.kind, error.player) == (kind, "the bot")
    assert message in error.reason


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("input(); input()", "no answer in time"),
        ("print('half', end='', flush=True); input(); input()", "half a line: b'half'"),
    ],
)
def test_a_program_that_does_not_answer_in_time_is_ended(source: str, message: str) -> None:
    error = fault_of(source, seconds=0.3)
    assert error.kind == "timeout"
    assert message in error.reason


def test_a_program_that_does_not_read_is_ended() -> None:
    program = run("import time; time.sleep(60)")
    with pytest.raises(PlayerError, match="does not read its input"):
        program.write_line("x" * (1 << 22), soon(0.3))
    assert not program.is_running


def test_the_memory_of_all_its_processes_counts() -> None:
    error = fault_of("x = bytearray(300 << 20); input(); input()", memory_mib=200)
    assert error.kind == "memory"
    assert re.search("of memory, (of at most 200|the most allowed)", error.reason)
    taking = "x = bytearray(90 << 20); input(); input()"
    forked = f"import os\nfor _ in range(3):\n    if not os.fork(): {taking}\ninput(); input()"
    assert fault_of(forked, memory_mib=200).kind == "memory"


def test_processes_are_counted() -> None:
    forks = "for _ in range(12):\n    if not os.fork(): time.sleep(60)"
    error = fault_of(f"import os, time\n{forks}\ntime.sleep(60)", processes=8)
    counted = "processes and threads, of at most 8"  # or the kernel counts
    assert (error.kind, counted in error.reason) == (
        "memory",
        True,
    ) or "Resource temporarily unavailable" in error.reason


def test_standard_error_is_kept_at_both_ends_and_never_blocks() -> None:
    program = run(
        "import sys; sys.stderr.write('first' + 'x' * (1 << 24) + 'last'); sys.stderr.flush()\n"
        + ECHO,
        output_kib=64,
    )
    program.write_line("east", soon())
    assert program.read_line(soon()) == "you said east"
    program.close()
    kept = program.error_output()
    assert kept.startswith("firstxxx")
    assert kept.endswith("xxxlast")
    assert "bytes left out" in kept
    assert len(kept) < (64 << 10) + 100


#: What steals what was written to standard error, so that whoever reads it finds nothing, and then
#: takes too much memory.
TAKES_BACK = """
import os, time
def start(work):
    if os.fork() == 0:
        while True:
            work()
def take(descriptor=os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK)):
    try:
        os.read(descriptor, 1)
    except BlockingIOError:
        pass
start(lambda: os.write(2, b"x"))
for _ in range(3):
    start(take)
time.sleep(0.3)
{then}
"""


@pytest.mark.parametrize("times", [1, pytest.param(4, marks=pytest.mark.slow)])
def test_a_program_that_takes_its_errors_back_is_measured_and_killed_as_any_other(
    times: int,
) -> None:
    for _ in range(times):
        greedy = TAKES_BACK.format(then="x = bytearray(400 << 20); time.sleep(20)")
        assert fault_of(greedy, memory_mib=256).kind == "memory"
        program = run(TAKES_BACK.format(then="print('ready', flush=True); time.sleep(20)"))
        assert program.read_line(soon()) == "ready"
        assert program.usage()["memory"] > 0
        began = time.monotonic()
        program.kill()
        assert time.monotonic() - began < 5


def test_a_program_that_takes_its_output_back_fails_alone() -> None:
    source = (
        TAKES_BACK.replace("fd/2", "fd/1")
        .replace("write(2", "write(1")
        .format(then="time.sleep(20)")
    )
    assert fault_of(source, seconds=2).kind in ("timeout", "output")


@pytest.mark.parametrize("leaves", ["", "signal.signal(signal.SIGCHLD, signal.SIG_IGN)"])
@pytest.mark.parametrize("waits", [True, False])
def test_the_work_of_children_that_have_ended_counts(leaves: str, waits: bool) -> None:
    """Whether their parent waits for them, leaves them dead, or has said that it never will."""
    source = f"""
import os, signal, time
{leaves}
reader, writer = os.pipe()
for _ in range(20):
    pid = os.fork()
    if pid == 0:
        while time.process_time() < 0.1: pass
        os.write(writer, b".")
        os._exit(0)
    os.read(reader, 1)
    if {waits and not leaves}:
        os.waitpid(pid, 0)
print("done", flush=True)
time.sleep(20)
"""
    program = run(source)
    assert program.read_line(soon(60)) == "done"
    assert 1 < program.usage()["cpu"] < 4
    program.kill()
    assert 1 < program.usage()["cpu"] < 4


def test_work_is_counted_once_however_often_a_living_process_is_overlooked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel's list of children skips some of them while others end."""
    fields = process_tree._stat(os.getpid())
    assert fields is not None
    start = int(fields[process_tree._START])
    own = process_tree.Process(os.getpid(), start, 0, 1, 0, 5.0, 0.0)
    earlier = process_tree.Process(os.getpid(), start - 1, 0, 1, 0, 2.0, 0.0)
    trees = iter(([earlier], [own], [], [own], [], [own]))
    monkeypatch.setattr(usage_meter, "processes_below", lambda *_: next(trees))
    meter = usage_meter.UsageMeter(None, memory=1, processes=1)
    for _ in range(6):
        meter.measure(0)
    assert meter.usage()["cpu"] == 7.0


def test_single_bytes_behind_a_flood_of_errors_cost_the_supervisor_little() -> None:
    source = """
import os, time
for _ in range(40):
    os.write(2, b"x" * (1 << 16))
end = time.monotonic() + 2
while time.monotonic() < end:
    os.write(2, b"y")
    time.sleep(0.0005)
print("done", flush=True)
time.sleep(20)
"""
    program = run(source, output_kib=1024)
    assert program.read_line(soon()) == "done"
    written = (
        Path(f"/proc/{program._process.pid}/io").read_text().partition("wchar: ")[2].split()[0]
    )
    assert int(written) < 20 << 20
    program.kill()
    assert program.error_output().endswith("y" * 100)


def test_what_it_used_is_measured() -> None:
    program = run("x = bytearray(50 << 20)\nn = sum(range(3_000_000))\n" + ECHO)
    program.write_line("", soon())
    program.read_line(soon())
    running = program.usage()
    assert running["memory"] > 50 << 20
    assert running["processes"] == 1
    program.close()
    assert program.usage()["cpu"] > 0
    assert program.usage()["memory"] > 50 << 20


def test_peaks_are_measured_anew_when_they_are_forgotten() -> None:
    program = run("x = bytearray(80 << 20)\ndel x\n" + ECHO)
    program.write_line("", soon())
    program.read_line(soon())
    program.forget_peaks()
    assert 0 < program.usage()["memory"] < 80 << 20
    program.close()
    assert 0 < program.usage()["memory"] < 80 << 20
    program.forget_peaks()


ORPHANS = """
import os, signal, sys, time
MARK, SLEEP = {mark!r}, "import time; time.sleep(600)"
for sign in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(sign, signal.SIG_IGN)
for _ in range(3):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, *"-I -S -c".split(), SLEEP, MARK])
        os._exit(0)
print("ready", flush=True)
{after}
"""


@pytest.mark.parametrize("end", ["close", "kill", "forget", "exits", "is killed"])
def test_no_process_stays(end: str) -> None:
    mark = f"tkm-test-orphan-{os.getpid()}-{end}"
    after = {"exits": "", "is killed": "os.kill(os.getpid(), 9)"}.get(end, "time.sleep(600)")
    program = run(ORPHANS.format(mark=mark, after=after))
    assert program.read_line(soon()) == "ready"
    if end in ("exits", "is killed"):
        with pytest.raises(PlayerError):
            program.read_line(soon())
    elif end == "forget":
        del program
    else:
        getattr(program, end)()
    assert not processes_of(mark)


def test_neither_process_nor_folder_stays_when_the_referee_is_killed(tmp_path: Path) -> None:
    mark = f"tkm-test-referee-{os.getpid()}"
    source = ORPHANS.format(mark=mark, after="time.sleep(600)")
    referee = (
        f"import sys, time\nfrom tkm_env.isolation.program import Program, Limits\n"
        f"p = Program({python(source)!r}, 'x', Limits())\n"
        "print(p.read_line(time.monotonic() + 60), flush=True)\ntime.sleep(600)"
    )
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", referee], stdout=subprocess.PIPE, text=True, env=environment
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    assert processes_of(mark)
    process.send_signal(signal.SIGKILL)
    process.wait()
    process.stdout.close()
    patience = soon(20)
    while (processes_of(mark) or [*tmp_path.iterdir()]) and time.monotonic() < patience:
        time.sleep(0.02)
    assert not processes_of(mark)
    assert not [*tmp_path.iterdir()]


def test_a_program_that_kills_its_parent_is_ended() -> None:
    mark = f"tkm-test-parent-{os.getpid()}"
    detach = (
        "for _ in range(3):\n    if not os.fork():\n        os.setsid()\n        time.sleep(600)\n"
    )
    error = fault_of(
        f"import os, time\nMARK = {mark!r}\n{detach}os.kill(os.getppid(), 9)\ntime.sleep(600)"
    )
    assert error.kind == "crash"
    assert "its supervisor was killed" in error.reason
    assert not processes_of(mark)


def test_nothing_stays_open_and_no_folder_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = open_descriptors()
    for _ in range(3):
        run(ECHO).close()
        fault_of("raise SystemExit")
        with pytest.raises(PlayerError, match=r"it cannot be started: .*No such file"):
            Program(["/no/such/program"], "x", Limits())
    assert open_descriptors() == before
    assert not [*tmp_path.iterdir()]


#: A file's content and mode, and what is said of it when it is to be started as ./bot.
UNSTARTABLE = {
    "Windows' ends of lines": (
        b"#!/bin/sh\r\nread line\r\n",
        0o755,
        r"bot is there, but its first line ends in a carriage return",
    ),
    "Windows' ends of lines, by env": (
        b"#!/usr/bin/env sh\r\n",
        0o755,
        r"exit code 127: .*; its first line ends in a carriage return",
    ),
    "an interpreter that is not there": (
        b"#!/opt/none/python9 -u\n",
        0o755,
        r"but '/opt/none/python9', .* is not there",
    ),
    "a byte order mark": (b"\xef\xbb\xbf#!/bin/sh\n", 0o755, r"begins with a byte order mark"),
    "another processor": (b"\x7fELF\x02\x01\x01" + bytes(57), 0o755, r"another kind of processor"),
    "text": (b"echo hello\n", 0o755, r"the first line of a script names what runs it"),
    "nothing": (b"", 0o755, r"it is empty"),
    "a program for Windows": (b"MZ\x90\0" + bytes(60), 0o755, r"it is a program for Windows"),
    "a program for macOS": (b"\xcf\xfa\xed\xfe" + bytes(60), 0o755, r"it is a program for macOS"),
    "a class of Java": (
        b"\xca\xfe\xba\xbe\0\0\0\x41" + bytes(60),
        0o755,
        r"it is compiled Java, which a script must start",
    ),
    "not executable": (b"#!/bin/sh\n", 0o644, r"must be executable: chmod \+x bot"),
    "an interpreter that is not executable": (
        b"#!/etc/passwd\n",
        0o755,
        r"'/etc/passwd', may not be executed",
    ),
}


@pytest.mark.parametrize("what", UNSTARTABLE)
def test_why_a_program_does_not_start_is_told_by_its_file(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content, mode, said = UNSTARTABLE[what]
    monkeypatch.chdir(tmp_path)
    Path("bot").write_bytes(content)
    Path("bot").chmod(mode)
    with pytest.raises(PlayerError, match=said) as error:
        Program(["./bot"], "bot", Limits()).read_line(soon())
    assert "No such file or directory: './bot'" not in str(error.value), "it is there"


@pytest.mark.parametrize("word", ["a\0b", "\ud800"])
def test_words_that_no_process_can_be_given_are_named(word: str) -> None:
    with pytest.raises(MachineError, match="cannot be passed to a process"):
        Program(["true", word], "bot", Limits())


def test_a_program_that_is_not_there_or_a_folder_is_named(tmp_path: Path) -> None:
    for name, said in (
        (str(tmp_path), "is a folder, not a program"),
        ("no-such-program", "no such program on the path"),
    ):
        with pytest.raises(PlayerError, match=said):
            Program([name], "bot", Limits())


#: Closes its standard streams, has a program answer, and says so by its exit code.
CLOSED = """
import os, sys, time
for descriptor in (0, 1, 2):
    os.close(descriptor)
from tkm_env.isolation.limits import Limits
from tkm_env.isolation.program import Program
program = Program([sys.executable, "-I", "-S", "-c", "print(input())"], "x", Limits())
program.write_line("east", time.monotonic() + 20)
os._exit(program.read_line(time.monotonic() + 20) != "east")
"""


def test_a_program_plays_for_one_whose_standard_streams_are_closed() -> None:
    assert subprocess.run([sys.executable, "-c", CLOSED]).returncode == 0


def test_threads_have_programs_side_by_side() -> None:
    found: dict[int, str] = {}

    def talk(number: int) -> None:
        program = run(ECHO)
        for _ in range(20):
            program.write_line(str(number), soon())
            found[number] = program.read_line(soon())
        program.close()

    threads = [threading.Thread(target=talk, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {number: f"you said {number}" for number in range(4)}


def test_a_program_outlives_the_thread_that_started_it() -> None:
    found: list[Program] = []
    thread = threading.Thread(target=lambda: found.append(run(ECHO)))
    thread.start()
    thread.join()
    found[0].write_line("east", soon())
    assert found[0].read_line(soon()) == "you said east"
    found[0].close()


def test_a_program_inherits_nothing_but_its_three_streams() -> None:
    program = run(
        "import os; there = lambda n: os.path.exists(f'/proc/self/fd/{n}') or int(n) < 3\n"
        "print(*filter(there, os.listdir('/proc/self/fd')))"
    )
    assert program.read_line(soon()).split() == ["0", "1", "2"]
    program.close()


def test_the_environment_holds_no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "hunter2")
    program = run("import os; print(sorted(os.environ)); input()")
    names = program.read_line(soon())
    program.close()
    assert "SECRET_KEY" not in names
    assert "'PATH'" in names


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"isolation": "none"},
            "isolation='none' is invalid: it must be 'process', 'restricted', 'sandbox' or",
        ),
        ({"memory_mib": 0}, "memory_mib=0"),
        ({"importable": ("tkm_env.core", "numpy")}, "importable='numpy'"),
        ({"start_seconds": 0}, "start_seconds=0"),
        ({"isolation": "container"}, "container="),
        ({"container": ("docker",)}, "container="),
        (
            {"isolation": "container", "container": ("docker", "run")},
            "one of its words must be {command}",
        ),
    ],
    ids=str,
)
def test_invalid_limits_are_refused(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError) as error:
        Limits(**settings)
    assert message in str(error.value)


def test_a_container_is_a_command_around_the_command() -> None:
    program = Program(
        python(ECHO), "x", Limits("container", container=("/usr/bin/env", "A=1", "{command}"))
    )
    program.write_line("east", soon())
    assert program.read_line(soon()) == "you said east"
    program.close()
