"""The sandbox and its lesser sister: what they name as active is, and honest programs work."""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

import pytest

from tests.isolation.programs import NO_RESTRICTED, NO_SANDBOX, python
from tkm_env import ConfigError, MachineError
from tkm_env.isolation import confinement, sandbox_options
from tkm_env.isolation.limits import PROTECTIONS, Limits, unprotected
from tkm_env.isolation.program import Program, try_isolation
from tkm_env.isolation.supervisor_messages import Values
from tkm_env.players.command_agent import CommandAgent

LEVELS = [
    pytest.param("restricted", marks=pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)),
    pytest.param("sandbox", marks=pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)),
]
needs_sandbox = pytest.mark.skipif(bool(NO_SANDBOX), reason=NO_SANDBOX)


def says(code: str, level: str = "sandbox", **limits: tuple[str, ...]) -> str:
    """What a confined program finds: "done", or the name of the error."""
    source = (
        f"import os, sys, tempfile\ntry:\n    {code}\n    print('done')\n"
        "except OSError as error: print(type(error).__name__)"
    )
    program = Program(python(source), "the bot", Limits(level, **limits))
    line = program.read_line(time.monotonic() + 20)
    program.close()
    return line


@pytest.mark.parametrize("level", LEVELS)
def test_it_names_what_is_active_and_what_is_not(level: str) -> None:
    program = Program(python("input()"), "the bot", Limits(level))
    program.close()
    assert {"files", "network", "privileges", "system-calls"} <= {*program.active} <= {*PROTECTIONS}
    assert ("namespaces" in program.active) == ("scratch" in program.active) == (level == "sandbox")
    assert (
        program.unprotected
        == unprotected(program.active)
        == [name for name in PROTECTIONS if name not in program.active]
    )
    outside = Program(python("input()"), "the bot", Limits())
    outside.close()
    assert {*outside.active} <= {"memory", "processes", "end"}, (
        "a process without confinement has at most a control group"
    )


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "code",
    [
        "tempfile.NamedTemporaryFile().write(b'x')",
        "os.mkdir(os.path.join(os.environ['HOME'], 'own')); os.listdir(os.environ['HOME'])",
        "open('/dev/null', 'w').write('x')",
        "open('/proc/self/status').read()",
        "import socket; a, b = socket.socketpair(); a.send(b'x'); b.recv(1)",
        "import asyncio; asyncio.run(asyncio.sleep(0))",
        "import threading; thread = threading.Thread(target=print); thread.start(); thread.join()",
        "import subprocess; subprocess.run(['/bin/true'], check=True)",
        "os.fork() or os._exit(0); os.wait()",
        "os.kill(os.getpid(), 0)",
        "import multiprocessing; multiprocessing.Pipe()",
        "os.mkfifo(os.path.join(os.environ['TMPDIR'], 'fifo'))",
        "import mmap; mmap.mmap(-1, 4096)[0]",
        "import fcntl; fcntl.lockf(open(os.environ['TMPDIR'] + '/locked', 'w'), fcntl.LOCK_EX)",
    ],
)
def test_what_bots_need_works(level: str, code: str) -> None:
    assert says(code, level) in ("done", "")


@needs_sandbox
def test_a_program_is_alone_in_its_namespaces() -> None:
    kinds = ("user", "pid", "net", "mnt", "ipc", "uts")
    code = (
        "import os; processes = [name for name in os.listdir('/proc') if name.isdigit()]\n"
        f"print(*[os.readlink('/proc/self/ns/' + kind) for kind in {kinds}], len(processes))"
    )
    program = Program(python(code), "the bot", Limits("sandbox"))
    *inside, processes = program.read_line(time.monotonic() + 20).split()
    program.close()
    assert not {*inside} & {os.readlink(f"/proc/self/ns/{kind}") for kind in kinds}
    assert processes == "2", "it and bubblewrap's first process"


@needs_sandbox
def test_only_the_temporary_folder_can_be_written_and_it_is_limited() -> None:
    source = """
import os
found = []
mounts = [line.split()[4] for line in open("/proc/self/mountinfo")]
places = {"/", "/dev", "/etc", "/sys", os.getcwd(), *mounts, *map(os.path.dirname, mounts)}
for place in sorted(places):
    try:
        open(os.path.join(place, "mark"), "x").close()
        found.append(place)
    except OSError:
        pass
print(*found)
written = 0
try:
    while written < 100 << 20:
        file = os.path.join(os.environ["TMPDIR"], str(written))
        written += os.write(os.open(file, os.O_WRONLY | os.O_CREAT), bytes(1 << 20))
except OSError as error:
    print(error.strerror, written >> 20)
"""
    program = Program(python(source), "the bot", Limits("sandbox", scratch_mib=20))
    assert program.read_line(time.monotonic() + 60).split() == [sandbox_options.SCRATCH]
    assert re.fullmatch(
        "No space left on device (18|19|20)", program.read_line(time.monotonic() + 20)
    )
    program.close()


@pytest.mark.parametrize("level", LEVELS)
def test_files_that_the_organiser_names_may_be_read(tmp_path: Path, level: str) -> None:
    (tmp_path / "weights").write_text("1", "utf-8")
    (tmp_path / "link").symlink_to(tmp_path / "weights")
    code = f"open({str(tmp_path / 'weights')!r}).read()"
    assert says(code, level) == ("FileNotFoundError" if level == "sandbox" else "PermissionError")
    assert says(code, level, readable=(str(tmp_path),)) == "done"
    assert (
        says(f"open({str(tmp_path / 'link')!r}).read()", level, readable=(str(tmp_path / "link"),))
        == "done"
    )
    assert says(f"open({str(tmp_path / 'weights')!r}, 'a')", level, readable=(str(tmp_path),)) in (
        "PermissionError",
        "OSError",
    )


@pytest.mark.parametrize("level", LEVELS)
def test_libraries_of_another_environment_on_the_path_may_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, level: str
) -> None:
    library = tmp_path / "other" / "site-packages" / "library.py"
    library.parent.mkdir(parents=True)
    library.write_text("", "utf-8")
    code = f"open({str(library)!r}).read()"
    assert says(code, level) != "done"
    monkeypatch.syspath_prepend(str(library.parent))
    assert says(code, level) == "done"


@needs_sandbox
def test_relative_paths_in_a_command_start_where_the_referee_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bot.py").write_text("print(__file__)", "utf-8")
    monkeypatch.chdir(tmp_path)
    program = Program([*python("")[:-2], "bot.py"], "the bot", Limits("sandbox"))
    assert program.read_line(time.monotonic() + 20).endswith("bot.py")
    program.close()


@needs_sandbox
def test_the_whole_of_what_the_sandbox_replaces_cannot_be_named_as_readable() -> None:
    for path in ("/", "/tmp"):
        with pytest.raises(ConfigError, match="readable="):
            Program(["true"], "the bot", Limits("sandbox", readable=(path,)))


def test_where_something_is_missing_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    try_isolation.cache_clear()
    monkeypatch.setattr("shutil.which", lambda name: None)
    with pytest.raises(ConfigError, match="this system cannot: bubblewrap is not installed"):
        CommandAgent("true", limits=Limits("sandbox"))
    monkeypatch.undo()

    def without_library() -> bytes:
        raise OSError("libseccomp.so.2: cannot open shared object file")

    monkeypatch.setattr(sandbox_options, "bpf_filter", without_library)
    for level in ("restricted", "sandbox"):
        with pytest.raises(MachineError, match=r"libseccomp cannot be used: .*libseccomp2"):
            Program(["true"], "the bot", Limits(level))
    try_isolation.cache_clear()


@pytest.mark.skipif(bool(NO_RESTRICTED), reason=NO_RESTRICTED)
def test_kernels_whose_landlock_does_not_cover_truncating_are_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(confinement, "landlock_version", lambda: confinement.TRUNCATING - 1)
    options = Values(["filter=", "landlock=1"])
    child = os.fork()
    if child == 0:
        try:
            confinement.enter(options)
        except OSError as error:
            os._exit(10 if "Landlock has version 2 here, but 3 is needed" in str(error) else 11)
        os._exit(12)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 10
