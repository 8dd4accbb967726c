"""Isolated programs: lines in and out with deadlines, limits, and a clean end."""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable, Sequence
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
from tkm_env.isolation import control_groups, sandbox_options, supervisor
from tkm_env.isolation.limits import CONFINED, PROTECTIONS, Limits, unprotected
from tkm_env.isolation.package_view import package_view
from tkm_env.isolation.process_tree import IS_LINUX
from tkm_env.isolation.start_failures import hint_of_first_line, why_not_started
from tkm_env.isolation.supervisor_messages import Values, command_line, parsed_report
from tkm_env.isolation.temporary_folders import TemporaryFolder

#: What the names of programs' temporary folders begin with.
FOLDERS: Final = "tkm-bot-"
_PIECE: Final = 1 << 16
#: The most characters of a program's last line that are shown, and from its end if it has more.
_LAST_LINE, _TAIL = 180, 120
_MIB: Final = 1 << 20
#: The largest file that a program may write if its temporary folder is not limited, in bytes.
_LARGEST_FILE: Final = 1024 * _MIB
#: The most files that a program may have open.
_OPEN_FILES: Final = 1024
#: The time to wait for the supervisor, in seconds.
_PATIENCE: Final = 10.0
#: The time to wait for an answer without sleeping, in seconds.
_SLEEPLESS: Final = 50e-6
#: Environment variables that a program inherits; it sees no others, such as keys and passwords.
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
#: The exit code of programs such as ``env`` that do not find the program to run.
_NOT_FOUND: Final = 127
#: The protection that keeps a program from killing its supervisor.
_KEEPS_SUPERVISOR: Final = "signals"

#: Why a system cannot run programs, and why it cannot confine them; both name an alternative.
_NO_PROGRAMS: Final = (
    "programs run only on Linux and macOS (on Windows, in WSL); "
    "`tkm match --trust` plays a Python file that you trust without one"
)
_NO_CONFINEMENT: Final = (
    "it needs Linux; 'process' works here, but is no protection against attacks"
)


class Trial(NamedTuple):
    """The result of running a trivial program at a level of isolation."""

    active: tuple[str, ...]  # the active protections
    lacks: str  # what the system lacks; "" for nothing


class _End(NamedTuple):
    """How a program ended, as far as that is known."""

    code: int | None = None  # the exit code, or minus a signal's number; None if it was killed
    fault: str = ""  # what it used too much of; "" for nothing
    is_left: bool = False  # whether some of its processes are left
    is_reported: bool = False  # whether the supervisor reported this; otherwise it is gone, too


_adopt_scope: Final = cache(control_groups.adopt_scope)


@cache
def try_isolation(isolation: str) -> Trial:
    """Find out whether this system can isolate programs at a level, by running one.

    Raises:
        MachineError: if the machine is out of resources.
    """
    try:
        program = Program(["true"], "a trial", Limits(isolation))
    except (MachineError, PlayerError) as error:
        if isinstance(error.__cause__, OSError) and error.__cause__.errno in MACHINE_ERRNOS:
            raise
        return Trial((), error.reason)
    program.kill()
    return Trial(program.active, "")


def _kind_of_system_lacks(isolation: str) -> str:
    """Say why this kind of system cannot isolate programs at a level, and what works instead.

    "" if it can, though that may depend on the machine.
    """
    if not hasattr(os, "fork"):
        return _NO_PROGRAMS
    return _NO_CONFINEMENT if isolation in CONFINED and sys.platform != "linux" else ""


def check_isolation(limits: Limits) -> None:
    """Check that this system can isolate programs at the level of these limits.

    Raises:
        ConfigError: saying what it lacks.
    """
    if lacks := _kind_of_system_lacks(limits.isolation):
        raise ConfigError("isolation", limits.isolation, lacks)
    if limits.isolation in CONFINED and (lacks := try_isolation(limits.isolation).lacks):
        other = "; 'restricted' needs less" if limits.isolation == "sandbox" else ""
        raise ConfigError("isolation", limits.isolation, f"this system cannot: {lacks}{other}")


def strongest_isolation() -> str:
    """Return the default isolation of strangers' programs: the strongest that works here.

    If it is not the sandbox, a `RuntimeWarning` names the missing protections.
    """
    if not hasattr(os, "fork"):
        return "process"  # which is refused, too
    if not (lacks := try_isolation("sandbox").lacks):
        return "sandbox"
    found = "process" if try_isolation("restricted").lacks else "restricted"
    missing = ", ".join(unprotected(try_isolation(found).active))
    open_to = f"strangers' programs run as {found!r}, without protection of {missing}"
    words = f"{open_to}, since this system has no sandbox: {lacks}"
    warnings.warn(words, RuntimeWarning, stacklevel=2)
    return found


def unprotected_on_this_system(isolation: str) -> dict[str, str]:
    """Return the protections that this system lacks for confined programs.

    Args:
        isolation: the level of isolation.

    Returns:
        What programs may do without each missing protection, by its name; empty if they cannot be
            confined here at all.
    """
    if isolation not in CONFINED or try_isolation(isolation).lacks:
        return {}
    return {
        name: PROTECTIONS[name].without for name in unprotected(try_isolation(isolation).active)
    }


class Program:
    """A running program that reads and writes lines of text, for one thread at a time.

    `close` ends it, with all processes that it started. It also ends when it is no longer
    referenced, and when this process ends in any way.

    Args:
        command: the program and its arguments; it runs without a shell.
        name: the name of the player in errors.
        limits: how the program is isolated, and the resources that it may use.
        code_cache: the folder of this process's machine code, which a confined program can read; it
            keeps further code in its own folder. None for none.
        transcript: called with each line, after ``"> "`` if it is written to the program, or
            ``"< "`` if it comes from it; None for no transcript.

    Attributes:
        active: the names of the active protections.
        unprotected: the names of the protections that are not active.

    Raises:
        PlayerError: if the program cannot be started.
        MachineError: if this machine cannot start or isolate it.
    """

    def __init__(
        self,
        command: Sequence[str],
        name: str,
        limits: Limits,
        code_cache: str | None = None,
        transcript: Callable[[str], object] | None = None,
    ) -> None:
        self._name = name
        self._transcript = transcript
        self._command = command
        self._limits = limits
        self._output = bytearray()
        self._reports = bytearray()
        self._ended: _End | None = None
        self._usage: dict[str, Any] = {}
        self._groups: list[str] = []
        if lacks := _kind_of_system_lacks(limits.isolation):
            raise MachineError(f"starting {repr_of(name)}", lacks)
        try:
            self._start(command, limits, code_cache)
        except OSError as error:
            raise MachineError(f"starting {repr_of(name)}", str(error)) from error
        kind, started = self._report(time.monotonic() + limits.start_seconds) or ("", Values(()))
        if kind != "started":
            self._refuse(started, is_known=kind == "refused")
        self._pid = started.number("pid")
        self._groups = started.texts("group")
        self.active = tuple(started.texts("protection"))
        self.unprotected = unprotected(self.active)

    def _refuse(self, refusal: Values, *, is_known: bool) -> NoReturn:
        """Raise an error about a program that the supervisor could not start."""
        said = self.error_output().strip().rpartition("\n")[2]
        self._stop()
        what = f"starting {repr_of(self._name)}"
        if not is_known:
            raise MachineError(what, said or "its supervisor does not start")
        number, words = refusal.number("errno"), refusal.text("reason")
        if refusal.number("machine"):
            raise MachineError(what, words) from (OSError(number, words) if number else None)
        reason = f"it cannot be started: {why_not_started(self._command, number, words)}"
        raise PlayerError(self._name, reason, "crash", starting=True)

    def _start(self, command: Sequence[str], limits: Limits, code_cache: str | None) -> None:
        _adopt_scope()
        folder = TemporaryFolder(FOLDERS)
        self._folder = folder.path
        descriptors: list[int] = []
        self._stderr: Any = None
        open_standard_descriptors()  # which the pipes must not take
        try:
            self._stderr = tempfile.TemporaryFile()  # noqa: SIM115
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
            words = _words_to_run(command, limits)
            options = _options(words, limits, self._folder, code_cache)
            shared = {"control": control, "status": status, "stderr": self._stderr.fileno()}
            arguments = command_line(shared | options, words)
            self._check_arguments(arguments)
            self._process = subprocess.Popen(  # noqa: S603
                [*sandbox_options.python_command("supervisor"), *arguments],
                stdin=own_end,
                stdout=write,
                stderr=self._stderr,
                pass_fds=(*shared.values(),),
                start_new_session=True,
                cwd=os.getcwd(),
            )
        except BaseException:
            for descriptor in descriptors:
                os.close(descriptor)
            if self._stderr is not None:
                self._stderr.close()
            folder.remove()
            raise
        for descriptor in (control, status, own_end, write):
            os.close(descriptor)
        self._descriptors = [self._control, self._status, self._input, self._read]
        for descriptor in self._descriptors:
            os.set_blocking(descriptor, False)
        self._stop = weakref.finalize(
            self, _stop, self._process, self._descriptors, self._stderr, folder
        )
        self._poll = select.poll()
        self._poll.register(self._read, select.POLLIN)
        self._poll.register(self._status, select.POLLIN)

    def _check_arguments(self, arguments: Sequence[str]) -> None:
        """Raise a `MachineError` about a word that the system cannot pass to a process."""
        for word in arguments:
            try:
                possible = b"\0" not in os.fsencode(word)
            except UnicodeError:
                possible = False
            if not possible:
                reason = f"{repr_of(word)} cannot be passed to a process"
                raise MachineError(f"starting {repr_of(self._name)}", reason)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._name!r})"

    @property
    def is_running(self) -> bool:
        """Whether it has not been closed."""
        return self._stop.alive

    def write_line(self, line: str, deadline: float) -> None:
        """Write a line.

        Args:
            line: the line, without its end.
            deadline: when the line must have been read, by `time.monotonic`.

        Raises:
            PlayerError: if the program has ended, or does not read the line in time.
        """
        if self._transcript is not None:
            self._transcript(f"> {line}")
        left = (line + "\n").encode()
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
                self._report(0.0)
                if self._ended is not None:
                    self._fail_ended()

    def read_line(self, deadline: float) -> str:
        """Read the next line, and return it without its end; the deadline is by `time.monotonic`.

        Raises:
            PlayerError: if no line comes in time, or the program ends, exceeds a limit, or writes
                something other than text.
        """
        searched = 0
        while (end := self._output.find(b"\n", searched)) < 0:
            searched = len(self._output)
            if searched > self._limits.output_kib << 10:
                began = repr_of(bytes(self._output[:60]))
                self._fail("output", f"a line of more than {self._limits.output_kib} KiB: {began}")
            left = deadline - time.monotonic()
            ready = self._wait(left) if left > 0 else {}
            if not ready:
                self._fail("timeout", f"no answer in time{self._unfinished_line()}")
            if self._status in ready:
                self._report(0.0)
                if self._ended is not None and self._ended.fault:
                    self._fail_ended()
            if self._read in ready:
                with suppress(BlockingIOError):  # a program can take back its output
                    piece = os.read(self._read, _PIECE)
                    if not piece:
                        self._fail_ended()
                    self._output += piece
            elif self._ended is not None:
                self._fail_ended()
        line = bytes(self._output[:end])
        del self._output[: end + 1]
        try:
            text = line.decode().removeprefix("\ufeff")  # which some languages write first
            text = text.removesuffix("\r")
        except UnicodeDecodeError:
            self._fail("protocol", f"what it wrote is not UTF-8: {repr_of(line[:60])}")
        if self._transcript is not None:
            self._transcript(f"< {text}")
        return text

    def _wait(self, seconds: float) -> dict[int, int]:
        """Wait until something can be read, and return what.

        At first it waits without sleeping, since waking up takes longer than a quick answer.
        """
        began = time.monotonic()
        while not (ready := self._poll.poll(0)):
            if (waited := time.monotonic() - began) >= _SLEEPLESS:
                return dict(self._poll.poll(1000 * max(0.0, seconds - waited)))
        return dict(ready)

    def waiting(self) -> bytes:
        """Return output that has not been read yet, up to the limit of a line; it stays unread."""
        if self._poll.poll(0):  # which is quicker than to try
            with suppress(BlockingIOError):
                while len(self._output) <= self._limits.output_kib << 10 and (
                    piece := os.read(self._read, _PIECE)
                ):
                    self._output += piece
        return bytes(self._output)

    def error_output(self) -> str:
        """Return the program's standard error, or its beginning and end if it is long."""
        if self._stderr.closed:
            return self._last_errors
        content = os.pread(self._stderr.fileno(), (self._limits.output_kib << 10) + 200, 0)
        return content.decode("utf-8", "replace")

    _last_errors = ""

    def forget_peaks(self) -> None:
        """Reset the peaks that `usage` returns."""
        if self._stop.alive:
            with suppress(OSError):
                os.write(self._control, supervisor.FORGET)

    def usage(self) -> dict[str, Any]:
        """Return the resources that the program has used.

        Returns:
            ``cpu``, its CPU time in seconds; ``memory``, the peak of its memory in bytes; and
                ``processes``, the peak number of its processes and threads. Empty if unknown.
        """
        if self._ended is None and self._stop.alive:
            self._usage = {}
            with suppress(OSError):
                os.write(self._control, supervisor.USAGE)
            deadline = time.monotonic() + 1
            while not self._usage and self._ended is None and self._report(deadline) is not None:
                pass
        return self._usage

    def close(self, patience: float = 0.5) -> int | None:
        """End the program and all that it started.

        Args:
            patience: the time in which it may end by itself once its input is closed, in seconds.

        Returns:
            The exit code, or minus the number of the signal that ended it; None if it was killed.
        """
        if not self._stop.alive:
            return None
        os.close(self._input)
        self._descriptors.remove(self._input)
        self._await_end(patience)
        code = None if self._ended is None else self._ended.code
        self._end()
        return code

    def kill(self) -> None:
        """End the program and all processes that it started at once."""
        if self._stop.alive:
            self._end()

    def _end(self) -> None:
        with suppress(OSError):
            os.write(self._control, supervisor.KILL)
        self._await_end(_PATIENCE)
        self._last_errors = self.error_output()
        if self._ended is None or not self._ended.is_reported:  # the supervisor itself was killed
            _kill_left(self._pid, self._folder)
            control_groups.remove(self._groups)
        elif self._ended.is_left:
            words = f"processes of the player {repr_of(self._name)} are left"
            warnings.warn(words, RuntimeWarning, stacklevel=3)
        self._stop()

    def _await_end(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self._ended is None and self._report(deadline) is not None:
            pass

    def _unfinished_line(self) -> str:
        return f"; half a line: {repr_of(bytes(self._output[-60:]))}" if self._output else ""

    def _report(self, deadline: float) -> tuple[str, Values] | None:
        """Return the supervisor's next report; None if none comes in time, or it is gone."""
        while b"\n" not in self._reports:
            poll = select.poll()
            poll.register(self._status, select.POLLIN)
            if not poll.poll(max(0.0, 1000 * (deadline - time.monotonic()))):
                return None
            try:
                piece = os.read(self._status, _PIECE)
            except BlockingIOError:  # another reader was faster
                continue
            if not piece:
                self._ended = self._ended or _End()
                return None
            self._reports += piece
        line, _, self._reports = self._reports.partition(b"\n")
        kind, values = parsed_report(bytes(line))
        if kind == "ended":
            code = values.number("code") if "code" in values else None
            self._ended = _End(code, values.text("fault"), bool(values.number("left")), True)
        if kind in ("ended", "usage"):
            counts = {name: values.number(name) for name in ("memory", "processes")}
            self._usage = {"cpu": float(values.text("cpu")), **counts}
        return kind, values

    def _fail(self, kind: str, reason: str) -> NoReturn:
        self.kill()
        raise PlayerError(self._name, reason, kind)

    def _fail_ended(self) -> NoReturn:
        """Raise an error that says how the program ended, or that it closed its output."""
        self._await_end(2)  # closed output may be the first sign of the end
        ended = self._ended
        self.kill()
        if ended is None:
            self._fail("crash", f"it closed its standard output{self._unfinished_line()}")
        if ended.fault:
            self._fail("memory", ended.fault)
        if ended.code is None and _KEEPS_SUPERVISOR in self.active:
            raise MachineError(f"running {repr_of(self._name)}", "its supervisor was killed")
        last = self.error_output().strip().rpartition("\n")[2]
        # Error messages begin with their kind and end with the reason. Words are kept whole, so
        # that whoever replaces paths in messages finds no half of one.
        if len(last) > _LAST_LINE:
            kind, tail = last[:_TAIL].partition(" ")[0], last[-_TAIL:]
            last = f"{kind} … {tail.partition(' ')[2] or tail}"
        how = (
            f"{_ending(ended.code)}{self._unfinished_line()}{f': {repr_of(last)}' if last else ''}"
        )
        hint = hint_of_first_line(self._command) if ended.code == _NOT_FOUND else ""
        self._fail("crash", f"{how}{hint}")


def _words_to_run(command: Sequence[str], limits: Limits) -> list[str]:
    """Return the command itself, or the organiser's command that runs it in a container."""
    if limits.isolation != "container":
        return [*command]
    return [
        part for word in limits.container for part in (command if word == "{command}" else [word])
    ]


def _options(
    words: Sequence[str], limits: Limits, folder: str, code_cache: str | None
) -> dict[str, object]:
    """Return the options of `tkm_env.isolation.supervisor.Supervisor` for a program.

    Args:
        words: the program and its arguments.
        limits: how it is isolated, and the resources that it may use.
        folder: its private folder on the disk.
        code_cache: the folder of machine code that it may read; None for none.
    """
    is_confined, is_sandboxed = limits.isolation in CONFINED, limits.isolation == "sandbox"
    scratch = sandbox_options.SCRATCH if is_sandboxed else folder
    # The same hashes in every run, so that the order of a set of strings repeats, too.
    environment = {"PYTHONHASHSEED": "0"} | {
        name: value
        for name, value in os.environ.items()
        if name in _INHERITED or name.startswith(_INHERITED_PREFIXES)
    }
    environment |= dict.fromkeys(("HOME", "TMPDIR", "TEMP", "TMP"), scratch)
    # Python must not leave bytecode beside a player's files, whose digest it would change.
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    own_code = sandbox_options.code_folder(scratch)
    if code_cache is not None:
        environment["NUMBA_CACHE_DIR"] = own_code if is_confined else code_cache
    options: dict[str, object] = {
        "folder": folder,
        "scratch": scratch,
        "environment": [f"{name}={value}" for name, value in environment.items()],
        "stderr_bytes": limits.output_kib << 10,
        "memory": limits.memory_mib * _MIB,
        "processes": limits.processes,
        "files": _OPEN_FILES,
        "file_bytes": limits.scratch_mib * _MIB if is_confined else _LARGEST_FILE,
    }
    if not is_confined:
        return options
    view = package_view(limits.import_rules, code_cache)
    readable = sandbox_options.readable_of(words, limits.readable, view)
    seen = [*readable, *view.listable]
    options["own_user"] = sandbox_options.everyone_reads(seen, sandboxed=is_sandboxed)
    options |= sandbox_options.confinement_options(readable, view, scratch, sandboxed=is_sandboxed)
    if code_cache is not None:
        options |= {"code": code_cache, "own_code": own_code}
    if is_sandboxed:
        options["bubblewrap"] = sandbox_options.bubblewrap(
            readable, view, limits.scratch_mib * _MIB
        )
    return options


def _ending(code: int | None) -> str:
    if code is None:
        return "its supervisor was killed"
    if code >= 0:
        return f"it ended with the exit code {code}"
    try:
        return f"it was killed by {signal.Signals(-code).name}"
    except ValueError:
        return f"it was killed by signal {-code}"


def _kill_left(leader: int, folder: str) -> None:
    """Kill the remaining processes of a program whose supervisor is gone.

    These are its process group and, on Linux, also its session and all processes with its folder in
    their environment. psutil cannot tell this for a process whose first thread ended before
    the others.

    Args:
        leader: the id of the first process, which led the group and the session.
        folder: the program's folder.
    """
    with suppress(OSError):
        os.killpg(leader, signal.SIGKILL)
    patience = time.monotonic() + 2
    left = [leader] if IS_LINUX else []
    while left and time.monotonic() < patience:
        left = []
        for process in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):  # it has ended, or belongs to another user
                fields = (process / "stat").read_bytes().rpartition(b")")[2].split()
                # If the first thread has ended, others may still live, and have an environment.
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
    process: subprocess.Popen[bytes], descriptors: list[int], stderr: Any, folder: TemporaryFolder
) -> None:
    """End a program's supervisor; closing its control pipe makes it end the program first."""
    for descriptor in descriptors:
        with suppress(OSError):
            os.close(descriptor)
    descriptors.clear()
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    stderr.close()
    folder.remove()
