"""The sandbox: what it names as active is active, and it claims nothing that is not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.isolation.programs import python
from tkm_env import ConfigError
from tkm_env.agents.command import CommandAgent
from tkm_env.isolation import sandbox
from tkm_env.isolation.program import Limits, Program

needs_sandbox = pytest.mark.skipif(bool(sandbox.missing()), reason=f"this system lacks {sandbox.missing()}")


def says(code: str, **limits: tuple[str, ...]) -> str:
    """What a program in the sandbox finds: "done", or the name of the error."""
    source = f"import os, sys, tempfile\ntry:\n    {code}\n    print('done')\nexcept OSError as error: print(type(error).__name__)"
    program = Program(python(source), "the bot", Limits("sandbox", **limits))
    line = program.read_line(time.monotonic() + 20)
    program.close()
    return line


@needs_sandbox
def test_it_names_what_is_active() -> None:
    program = Program(python("input()"), "the bot", Limits("sandbox"))
    active = program.active
    program.close()
    assert {*active} - {"session", "limits", "signals"} == {*sandbox.PROTECTIONS} - {"signals"}
    outside = Program(python("input()"), "the bot", Limits())
    assert not {*outside.active} & {*sandbox.PROTECTIONS}
    outside.close()


@needs_sandbox
@pytest.mark.parametrize(
    "code",
    [
        "tempfile.NamedTemporaryFile().write(b'x')",
        "os.mkdir(os.path.join(os.environ['HOME'], 'own')); os.listdir(os.environ['HOME'])",
        "open('/dev/null', 'w').write('x')",
        "open('/proc/self/status').read()",
        "import socket; socket.socketpair()",
        "import threading; thread = threading.Thread(target=print); thread.start(); thread.join()",
        "import subprocess; subprocess.run(['/bin/true'], check=True)",
        "os.fork() or os._exit(0); os.wait()",
        "os.kill(os.getpid(), 0)",
    ],
)
def test_what_bots_need_works(code: str) -> None:
    assert says(code) in ("done", "")


@needs_sandbox
@pytest.mark.parametrize(
    "code",
    [
        "open('/etc/passwd').read()",
        "os.listdir('/')",
        "os.listdir(os.path.dirname(os.environ['HOME']))",
        "open(os.environ['HOME'] + '-beside', 'w')",
        "os.rename(os.environ['HOME'], os.environ['HOME'] + '-beside')",
        "os.mknod(os.path.join(os.environ['HOME'], 'disk'), 0o60600, 0x800)",
        "open('/proc/1/environ').read()",
        "os.kill(os.getppid(), 0)",
        "os.setpriority(os.PRIO_PROCESS, os.getppid(), 1)",
        "os.sched_setaffinity(os.getppid(), {0})",
        "import socket; socket.socket(socket.AF_UNIX)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)",
        "import socket; socket.socket(socket.AF_NETLINK, socket.SOCK_RAW)",
        "os.chmod(os.environ['HOME'], 0o777)",
        "os.utime(sys.executable)",
        "import resource; resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, (1, 1))",
        "os.chroot('/')",
    ],
)
def test_what_bots_must_not_do_is_refused(code: str) -> None:
    assert says(code) == "PermissionError"


#: System calls that no module of Python makes: the numbers are those of `sandbox.REFUSED`.
@needs_sandbox
def test_refused_system_calls_are_refused(refusals: dict[str, str]) -> None:
    assert {name: refusals[name] for name in sandbox.REFUSED if refusals[name] not in ("EPERM", "none here")} == {}


@pytest.fixture(scope="module")
def refusals() -> dict[str, str]:
    """The error of each refused call, made with arguments that no kernel accepts; all by one program."""
    code = f"""
import ctypes, errno, platform
libc = ctypes.CDLL(None, use_errno=True)
column = 0 if platform.machine() == "x86_64" else 1
for name, numbers in {sandbox.REFUSED!r}.items():
    if numbers[column] is None:
        print(name, "none here")
    else:
        ctypes.set_errno(0)
        result = libc.syscall(numbers[column], -1, -1, -1, -1, -1, -1)
        print(name, errno.errorcode.get(ctypes.get_errno(), result))
calls = {{"clone": ((56, 220)[column], 0x10000000 | 17), "ioctl": ((16, 29)[column], 0, 0x5412), "clone3": (435, 0, 0)}}
for name, arguments in calls.items():
    ctypes.set_errno(0)
    libc.syscall(*arguments, 0, 0, 0)
    print(name, errno.errorcode.get(ctypes.get_errno(), "none"))
print("end", flush=True)
"""
    program = Program(python(code), "the bot", Limits("sandbox"))
    found = {}
    while (line := program.read_line(time.monotonic() + 20)) != "end":
        name, _, error = line.partition(" ")
        found[name] = error
    program.close()
    return found


@needs_sandbox
def test_calls_are_refused_by_their_arguments(refusals: dict[str, str]) -> None:
    assert refusals["clone"] == "EPERM", "a user namespace"
    assert refusals["ioctl"] == "EPERM", "typing into a terminal"
    assert refusals["clone3"] == "ENOSYS", "the C library then uses clone"


@needs_sandbox
def test_files_that_the_organiser_names_may_be_read(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("1", "utf-8")
    code = f"open({str(tmp_path / 'weights')!r}).read()"
    assert says(code) == "PermissionError"
    assert says(code, readable=(str(tmp_path),)) == "done"
    assert says(f"open({str(tmp_path / 'weights')!r}, 'a')", readable=(str(tmp_path),)) == "PermissionError"


@pytest.mark.parametrize("lacking", [["files"], ["network", "system-calls"]], ids=str)
def test_where_something_is_missing_there_is_no_sandbox(monkeypatch: pytest.MonkeyPatch, lacking: list[str]) -> None:
    monkeypatch.setattr(sandbox, "missing", lambda: lacking)
    with pytest.raises(ConfigError, match=f"lacks what it needs for {', '.join(lacking)}"):
        CommandAgent("true", limits=Limits("sandbox"))


def test_other_systems_and_machines_have_no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("platform.machine", lambda: "riscv64")
    assert "files" in sandbox.missing()
