"""Isolated programs: lines in and out with deadlines, limits, and an end for all processes they start."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple, NoReturn

from tkm_env.foundations.errors import (
    MACHINE_ERRNOS,
    ConfigError,
    MachineError,
    PlayerError,
    repr_of,
)
from tkm_env.foundations.files import open_standard_descriptors
from tkm_env.isolation import control_groups, sandbox
from tkm_env.isolation.confinement import line_of, message_of
from tkm_env.isolation.limits import CONFINED, PROTECTIONS, Limits, unprotected
from tkm_env.isolation.refused_imports import files_of
from tkm_env.isolation.start_failures import hint_of_first_line, why_not_started
from tkm_env.isolation.supervisor import remove_folder

_PIECE: Final = 1 << 16
#: Characters from the beginning and the end of a program's last line.
_HEAD, _TAIL = 60, 120
_MIB: Final = 1 << 20
#: The largest file that a program may write where its temporary folder is not limited.
_LARGEST_FILE: Final = 1024 * _MIB
#: For how many seconds an answer is awaited without sleeping.
_SLEEPLESS: Final = 50e-6
#: Environment variables that a program inherits; it does not see others, such as keys and passwords.
_INHERITED: Final = (
    "PATH",
    "LANG",
    "LC_ALL",
    "LC_CTYPE",
    "TZ",
    "PYTHONPATH",
    "PYTHONHASHSEED",
    "LD_LIBRARY_PATH",
    "SYSTEMROOT",
)
_INHERITED_PREFIXES: Final = ("NUMBA_", "OMP_", "MKL_", "OPENBLAS_", "CUDA_")
#: The exit code of programs such as ``env`` that do not find what they are to run.
_NOT_FOUND: Final = 127
#: What keeps a program from killing its supervisor.
_KEEPS_SUPERVISOR: Final = "signals"

#: What systems lack where no program runs, and where none is confined; both say what works there.
_NO_PROGRAMS: Final = (
    "programs run only on Linux and macOS (on Windows, in WSL); "
    "`tkm match --trust` plays a Python file that you trust without one"
)
_NO_CONFINEMENT: Final = (
    "it needs Linux; 'process' works here, but is no protection against attacks"
)


class Trial(NamedTuple):
    """How a program that does nothing fared at a level of isolation: the active protections; and what is lacking, "" for nothing."""

    active: tuple[str, ...]
    lacks: str


_adopt_scope: Final = cache(control_groups.adopt_scope)


@cache
def try_isolation(isolation: str) -> Trial:
    """Whether this system can isolate programs so, found out by running one; raises a `MachineError` if it has nothing left to do that."""
    try:
        program = Program(["true"], "a trial", Limits(isolation))
    except (MachineError, PlayerError) as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in MACHINE_ERRNOS:
            raise
        return Trial((), error.reason)
    program.kill()
    return Trial(program.active, "")


def _kind_of_system_lacks(isolation: str) -> str:
    """What no system of this kind has that isolating programs so needs, and what works instead; "" if it depends on the machine."""
    if not hasattr(os, "fork"):
        return _NO_PROGRAMS
    return _NO_CONFINEMENT if isolation in CONFINED and sys.platform != "linux" else ""


def check_isolation(limits: Limits) -> None:
    """Check that this system can isolate programs so; raises a `ConfigError` about what it lacks."""
    if lacks := _kind_of_system_lacks(limits.isolation):
        raise ConfigError("isolation", limits.isolation, lacks)
    if limits.isolation in CONFINED and (lacks := try_isolation(limits.isolation).lacks):
        other = "; 'restricted' needs less" if limits.isolation == "sandbox" else ""
        raise ConfigError("isolation", limits.isolation, f"this system cannot: {lacks}{other}")


def strongest_isolation() -> str:
    """Where strangers' programs run unless somebody says where: in the sandbox or, with a warning that says what is open, where this system
    can.
    """
    if not hasattr(os, "fork"):
        return "process"  # which is refused, too
    if not (lacks := try_isolation("sandbox").lacks):
        return "sandbox"
    found = "process" if try_isolation("restricted").lacks else "restricted"
    missing = ", ".join(unprotected(try_isolation(found).active))
    words = f"strangers' programs run as {found!r}, without protection of {missing}, since this system has no sandbox: {lacks}"
    warnings.warn(words, RuntimeWarning, stacklevel=2)
    return found


def unprotected_on_this_system(isolation: str) -> dict[str, str]:
    """The protections that confined programs lack here, by name, with what they may do without; none where none can run."""
    if isolation not in CONFINED or try_isolation(isolation).lacks:
        return {}
    return {
        name: PROTECTIONS[name].without for name in unprotected(try_isolation(isolation).active)
    }


class Program:
    """A running program that reads and writes lines of text, for one thread at a time. It ends, with all processes that it started, by
    `close`, when it is no longer referenced, and when this process ends in any way.

    The command runs without a shell; ``name`` says in errors whose program it is. A confined program can read ``code_cache``, the folder of
    this process's machine code, and keeps more of its own. Raises a `PlayerError` if it cannot be started, and a `MachineError` if this
    machine cannot start or isolate it.
    """

    def __init__(
        self, command: Sequence[str], name: str, limits: Limits, code_cache: str | None = None
    ) -> None:
        self._name = name
        self._command = command
        self._limits = limits
        self._output = bytearray()
        self._messages = bytearray()
        self._ended: dict[str, Any] | None = None
        self._usage: dict[str, Any] = {}
        self._groups: list[str] = []
        if lacks := _kind_of_system_lacks(limits.isolation):
            raise MachineError(f"starting {repr_of(name)}", lacks)
        try:
            self._start(command, limits, code_cache)
        except OSError as error:
            raise MachineError(f"starting {repr_of(name)}", str(error)) from error
        started = self._message(time.monotonic() + limits.start_seconds)
        if started is None or "refused" in started:
            said = self.error_output().strip().rpartition("\n")[2]
            self._stop()
            if started is None:
                raise MachineError(
                    f"starting {repr_of(name)}", said or "its supervisor does not start"
                )
            if started["machine"]:
                cause = (
                    OSError(started["errno"], started["refused"]) if started.get("errno") else None
                )
                raise MachineError(f"starting {repr_of(name)}", started["refused"]) from cause
            reason = why_not_started(command, started.get("errno") or 0, started["refused"])
            raise PlayerError(name, f"it cannot be started: {reason}", "crash", starting=True)
        self._pid: int = started["started"]
        self._groups = started["groups"]
        self.active: tuple[str, ...] = tuple(started["active"])
        self.unprotected = unprotected(self.active)

    def _start(self, command: Sequence[str], limits: Limits, code_cache: str | None) -> None:
        words = [*command]
        if limits.isolation == "container":
            words = [
                part
                for word in limits.container
                for part in (command if word == "{command}" else [word])
            ]
        _adopt_scope()
        is_confined, is_sandboxed = limits.isolation in CONFINED, limits.isolation == "sandbox"
        self._folder = tempfile.mkdtemp(prefix="tkm-bot-")
        scratch = sandbox.SCRATCH if is_sandboxed else self._folder
        inherited = {
            key: os.environ[key]
            for key in os.environ
            if key in _INHERITED or key.startswith(_INHERITED_PREFIXES)
        }
        options: dict[str, Any] = {
            "command": words,
            "folder": self._folder,
            "scratch": scratch,
            # Python leaves nothing beside a player's files, which would be another player with it.
            "environment": inherited
            | dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), scratch)
            | {"PYTHONDONTWRITEBYTECODE": "1"},
            "stderr_bytes": limits.output_kib << 10,
            "memory": limits.memory_mib * _MIB,
            "processes": limits.processes,
            "files": 1024,
            "file_bytes": limits.scratch_mib * _MIB if is_confined else _LARGEST_FILE,
            "own_user": False,
            "bubblewrap": None,
            "confinement": {"filter": None},
        }
        if code_cache is not None:
            options["environment"]["NUMBA_CACHE_DIR"] = (
                sandbox.code_folder(scratch) if is_confined else code_cache
            )
        descriptors: list[int] = []
        self._stderr: Any = None
        open_standard_descriptors()  # which the pipes must not take
        try:
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
            if is_confined:
                readable = sandbox.readable_of(
                    words, [*limits.readable, *([] if code_cache is None else [code_cache])]
                )
                hidden = files_of(limits.refused_imports)
                options["own_user"] = sandbox.everyone_reads(readable, sandboxed=is_sandboxed)
                options["confinement"] = sandbox.confined(
                    readable, hidden, scratch, limits, code_cache
                )
                if is_sandboxed:
                    options["bubblewrap"] = sandbox.bubblewrap(
                        readable, hidden, limits.scratch_mib * _MIB
                    )
            for _ in range(4):
                descriptors += os.pipe()
            (
                control,
                self._control,
                self._status,
                status,
                own_end,
                self._input,
                self._read,
                write,
            ) = descriptors
            options |= {"control": control, "status": status, "stderr": self._stderr.fileno()}
            self._process = subprocess.Popen(  # noqa: S603
                [*sandbox.python_command("supervisor"), line_of(options)],
                stdin=own_end,
                stdout=write,
                stderr=self._stderr,
                pass_fds=(control, status, self._stderr.fileno()),
                start_new_session=True,
                cwd=os.getcwd(),
            )
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            if self._stderr is not None:
                self._stderr.close()
            remove_folder(self._folder)
            raise
        for descriptor in (control, status, own_end, write):
            os.close(descriptor)
        self._descriptors = [self._control, self._status, self._input, self._read]
        for descriptor in self._descriptors:
            os.set_blocking(descriptor, False)
        self._stop = weakref.finalize(
            self, _stop, self._process, self._descriptors, self._stderr, self._folder
        )
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)
        self._poll.register(self._status, select.POLLIN)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def is_running(self) -> bool:
        """Whether it has not been closed."""
        return self._stop.alive

    def write_line(self, line: str, deadline: float) -> None:
        """Write a line, given without its end; raises a `PlayerError` if the program has ended, or does not read it in time."""
        left = memoryview((line + "\n").encode())
        while left:
            try:
                left = left[os.write(self._input, left) :]
            except BrokenPipeError:
                self._fail_ended()
            except BlockingIOError:  # there is no room for more
                poll = select.poll()
                poll.register(self._input, select.POLLOUT)
                poll.register(self._status, select.POLLIN)
                if not poll.poll(max(0.0, 1000 * (deadline - time.monotonic()))):
                    self._fail("timeout", "it does not read its input")
                self._message(0.0)
                if self._ended is not None:
                    self._fail_ended()

    def read_line(self, deadline: float) -> str:
        """The next line, without its end; the deadline is by `time.monotonic`. Raises a `PlayerError` if there is none in time, or the
        program ends, uses too much, or writes no text.
        """
        searched = 0
        while (end := self._output.find(b"\n", searched)) < 0:
            searched = len(self._output)
            if searched > self._limits.output_kib << 10:
                self._fail(
                    "output",
                    f"a line of more than {self._limits.output_kib} KiB: {repr_of(bytes(self._output[:60]))}",
                )
            left = deadline - time.monotonic()
            ready = self._wait(left) if left > 0 else {}
            if not ready:
                self._fail("timeout", f"no answer in time{self._unfinished_line()}")
            if self._status in ready:
                self._message(0.0)
                if self._ended is not None and self._ended["fault"]:
                    self._fail_ended()
            if self._read in ready:
                with suppress(BlockingIOError):  # it has taken its output back
                    piece = os.read(self._read, _PIECE)
                    if not piece:
                        self._fail_ended()
                    self._output += piece
            elif self._ended is not None:
                self._fail_ended()
        line = bytes(self._output[:end])
        del self._output[: end + 1]
        try:
            return line.decode("utf-8-sig").removesuffix("\r")  # some languages begin with a mark
        except UnicodeDecodeError:
            self._fail("protocol", f"what it wrote is not UTF-8: {repr_of(line[:60])}")

    def _wait(self, seconds: float) -> dict[int, int]:
        """What can be read, once anything can; first without sleeping, since to wake up takes longer than a quick program to answer."""
        deadline = time.monotonic() + seconds
        sleepless = time.monotonic() + _SLEEPLESS
        while not (ready := self._poll.poll(0)) and time.monotonic() < sleepless:
            pass
        return dict(ready or self._poll.poll(1000 * max(0.0, deadline - time.monotonic())))

    def waiting(self) -> bytes:
        """Output that has not been read yet, up to the limit of a line; it stays unread."""
        with suppress(BlockingIOError):
            while len(self._output) <= self._limits.output_kib << 10 and (
                piece := os.read(self._read, _PIECE)
            ):
                self._output += piece
        return bytes(self._output)

    def error_output(self) -> str:
        """Its standard error: all of it, or the beginning and the end."""
        if self._stderr.closed:
            return self._last_errors
        content = os.pread(self._stderr.fileno(), (self._limits.output_kib << 10) + 200, 0)
        return content.decode("utf-8", "replace")

    _last_errors = ""

    def forget_peaks(self) -> None:
        """Restart the maxima that `usage` returns."""
        if self._stop.alive:
            with suppress(OSError):
                os.write(self._control, b"n")

    def usage(self) -> dict[str, Any]:
        """CPU seconds, ``cpu``; the peak of resident bytes, ``memory``; the largest number of processes at a time, ``processes``."""
        if self._ended is None and self._stop.alive:
            self._usage = {}
            with suppress(OSError):
                os.write(self._control, b"u")
            deadline = time.monotonic() + 1
            while not self._usage and self._ended is None and self._message(deadline) is not None:
                pass
        return self._usage

    def close(self, patience: float = 0.5) -> int | None:
        """End the program and all that it started, by itself within its patience once its input is closed; its exit code, minus a signal's
        number, or None.
        """
        if not self._stop.alive:
            return None
        os.close(self._input)
        self._descriptors.remove(self._input)
        self._await_end(patience)
        code = None if self._ended is None else self._ended["ended"]
        self._end()
        return code

    def kill(self) -> None:
        """End the program and all processes that it started at once."""
        if self._stop.alive:
            self._end()

    def _end(self) -> None:
        with suppress(OSError):
            os.write(self._control, b"k")
        self._await_end(10)
        self._last_errors = self.error_output()
        if self._ended is None or "gone" in self._ended:  # the supervisor itself was killed
            _kill_left(self._pid, self._folder)
            control_groups.remove(self._groups)
        elif self._ended["left"]:
            warnings.warn(
                f"processes of the player {repr_of(self._name)} are left",
                RuntimeWarning,
                stacklevel=3,
            )
        self._stop()

    def _await_end(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._ended is None and self._message(deadline) is not None:
            pass

    def _unfinished_line(self) -> str:
        return f"; half a line: {repr_of(bytes(self._output[-60:]))}" if self._output else ""

    def _message(self, deadline: float) -> dict[str, Any] | None:
        """The supervisor's next message; None if none comes in time, or the supervisor is gone."""
        while b"\n" not in self._messages:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            if not poll.poll(max(0.0, 1000 * (deadline - time.monotonic()))):
                return None
            try:
                piece = os.read(self._status, _PIECE)
            except BlockingIOError:  # somebody else has read it
                continue
            if not piece:
                if self._ended is None:
                    self._ended = {"ended": None, "fault": "", "gone": True}
                return None
            self._messages += piece
        line, _, rest = self._messages.partition(b"\n")
        self._messages = rest
        message: dict[str, Any] = message_of(bytes(line))
        if "ended" in message:
            self._ended = message
            self._usage = {name: message[name] for name in ("cpu", "memory", "processes")}
        elif "usage" in message:
            self._usage = message["usage"]
        return message

    def _fail(self, kind: str, reason: str) -> NoReturn:
        self.kill()
        raise PlayerError(self._name, reason, kind)

    def _fail_ended(self) -> NoReturn:
        """Raise an error that says how the program ended, or that it closed its output."""
        self._await_end(2)  # closed output may be the first sign of its end
        ended = self._ended
        self.kill()
        if ended is None:
            self._fail("crash", f"it closed its standard output{self._unfinished_line()}")
        if ended["fault"]:
            self._fail("memory", ended["fault"])
        last = self.error_output().strip().rpartition("\n")[2]
        if ended["ended"] is None and _KEEPS_SUPERVISOR in self.active:
            raise MachineError(f"running {repr_of(self._name)}", "its supervisor was killed")
        how = "its supervisor was killed" if ended["ended"] is None else _ending(ended["ended"])
        if (
            len(last) > _HEAD + _TAIL
        ):  # errors name their kind at the beginning and the reason at the end
            last = f"{last[:_HEAD]}…{last[-_TAIL:]}"
        hint = hint_of_first_line(self._command) if ended["ended"] == _NOT_FOUND else ""
        self._fail(
            "crash", f"{how}{self._unfinished_line()}{f': {repr_of(last)}' if last else ''}{hint}"
        )


def _ending(code: int) -> str:
    if code >= 0:
        return f"it ended with the exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def _kill_left(leader: int, folder: str) -> None:
    """Kill what is left of a program whose supervisor is gone: its process group; on Linux also its session, and whoever has its folder."""
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    patience = time.monotonic() + 2
    left = [leader]
    while left and time.monotonic() < patience:
        left = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or is another user's
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
                # Where the first thread has ended, others may live, and know more.
                threads = (
                    [process] if fields[0] not in b"ZX" else [*(process / "task").iterdir()][1:]
                )
                known = b"".join((thread / "environ").read_bytes() for thread in threads)
                belongs = int(fields[3]) == leader or folder.encode() in known
                if belongs and threads and process.name != str(os.getpid()):
                    left.append(int(process.name))
                    os.kill(left[-1], signal.SIGKILL)
        time.sleep(0.001)


def _stop(
    process: subprocess.Popen[bytes], descriptors: list[int], stderr: Any, folder: str
) -> None:
    """End a program's supervisor: closing its control makes it end the program first."""
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
    descriptors.clear()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stderr.close()
    remove_folder(folder)
