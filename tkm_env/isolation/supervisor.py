"""The parent process of an isolated program, kept small so that programs start quickly.

It starts the program, in a control group if it can make one. It watches the resources that the
program and its descendants use, keeps the beginning and the end of their standard error, and kills
them all when the program ends, when the referee says so, or when the referee is gone. On Linux,
every orphan among them becomes its child, or the child of bubblewrap's first process. The program's
input and output do not pass through it.

`tkm_env.isolation.program` starts it with the options of `Supervisor`, and reads its reports from
``status``: ``started`` or ``refused``; ``usage``, on request; ``ended``. It writes single letters
to ``control``: `USAGE` requests the usage; `FORGET` resets the peaks of memory and processes; any
other letter, such as `KILL`, and the end of the file kill the program.
"""

from __future__ import annotations

import ctypes
import os
import select
import sys
import time

from tkm_env.isolation import confinement, control_groups
from tkm_env.isolation.folders import remove_folder
from tkm_env.isolation.own_user import OwnUser
from tkm_env.isolation.process_tree import IS_LINUX, processes_below
from tkm_env.isolation.stream_ends import StreamEnds, read_available
from tkm_env.isolation.supervisor_messages import (
    Values,
    command_line,
    parsed_command_line,
    parsed_report,
    report_line,
    words_of,
)
from tkm_env.isolation.suppression import suppress
from tkm_env.isolation.usage_meter import UsageMeter

TYPE_CHECKING = False  # the module typing takes longer to import than all others here
if TYPE_CHECKING:
    from typing import Any, NoReturn

#: What the referee writes to the supervisor.
USAGE, FORGET, KILL = b"u", b"n", b"k"
#: The options for `confinement.enter` that the referee sets.
CONFINING = ("code", "own_code", "filter", "readable", "listable", "writable", "landlock")

#: The time between two checks of the processes, in seconds.
_INTERVAL = 0.025 if IS_LINUX else 0.25
#: The time between two reads of the standard error, and between two writes of its end, in seconds.
_ERRORS_PAUSE = 0.002
_ERRORS_KEPT = 0.25
_PR_SET_CHILD_SUBREAPER = 36
#: The number of ended processes collected at a time.
_REAPED_AT_ONCE = 256
#: The time that killing may take, in seconds, and the most processes that it looks at.
_PATIENCE = 10.0
_MOST_KILLED = 10_000
#: The number of bubblewrap's own processes.
_BUBBLEWRAPS = 2
_SIGKILL = 9  # the module signal takes long to import
_SIG_DFL = None
_SIGNALS = 32

_libc: Any = ctypes.CDLL(None) if os.name == "posix" else None


def main() -> None:
    """Run the program that the arguments describe."""
    if IS_LINUX:
        _libc.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    Supervisor(*parsed_command_line(sys.argv[1:])).run()


class Supervisor:
    """Runs one program, from its start to its end.

    Args:
        options: the descriptors ``control``, ``status`` and ``stderr``, the last of a file that
            keeps ``stderr_bytes`` bytes; ``folder``, the program's folder, and ``scratch``, the
            path of its temporary files; its ``environment``; the limits ``memory`` in bytes,
            ``processes``, open ``files`` and ``file_bytes``; ``own_user``, whether root runs it
            under a user id of its own; the words of ``bubblewrap``, if that runs it; and the
            options in `CONFINING`.
        command: the program and its arguments.
    """

    def __init__(self, options: Values, command: list[str]) -> None:
        self._options, self._command = options, command
        self._control, self._status = options.number("control"), options.number("status")
        for descriptor in (self._control, self._status, options.number("stderr")):
            os.set_inheritable(descriptor, False)  # the program gets none of them
        os.set_blocking(self._control, False)
        self._errors = StreamEnds(options.number("stderr"), options.number("stderr_bytes"))
        self._wrapped = "bubblewrap" in options
        self._user = OwnUser() if options.number("own_user") and os.geteuid() == 0 else None
        memory, processes = options.number("memory"), options.number("processes")
        allowance = _BUBBLEWRAPS if self._wrapped else 0
        self._group = control_groups.make(memory, processes + allowance) if IS_LINUX else None
        self._meter = UsageMeter(
            self._group,
            memory=memory,
            processes=processes,
            scratch=options.text("scratch") if self._wrapped else "",
            wrapped=self._wrapped,
        )
        self._ended: int | None = None

    def _tell(self, kind: str, **values: object) -> None:
        with suppress(OSError):  # the referee is gone
            os.write(self._status, report_line(kind, values))

    def run(self) -> None:
        """Start the program, watch it until it ends or must be killed, and remove its traces."""
        read_errors, write_errors = os.pipe()
        read_start, write_start = os.pipe()
        parent = os.getpid()
        try:
            self._pid = os.fork()
        except OSError as error:
            self._remove_traces()
            reason = f"no process: {error}"
            self._tell("refused", machine=True, errno=error.errno, reason=reason)
            return
        if self._pid == 0:
            try:
                self._become_program(parent, write_errors, write_start)
            except BaseException as error:
                confinement.refuse(write_start, error, machine=True)
        for descriptor in (write_errors, write_start):
            os.close(descriptor)
        # A program can take back output after this process has been told of it.
        os.set_blocking(read_errors, False)
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        self._report_start(read_start, read_errors)
        self._watch(read_errors)
        left = self._kill_all()
        self._errors.read_rest(read_errors)
        self._remove_traces()
        usage, fault = self._meter.usage(), self._meter.fault
        self._tell("ended", code=self._ended, fault=fault, left=left, **usage)

    def _report_start(self, read_start: int, read_errors: int) -> None:
        """Pass on the report of the process that becomes the program."""
        with open(read_start, "rb") as start:
            reports = dict(map(parsed_report, start))
        if refused := reports.get("refused"):
            errno = refused.number("errno") or None
            machine, reason = refused.number("machine"), refused.text("reason")
            self._tell("refused", machine=machine, errno=errno, reason=reason)
        elif self._wrapped and "active" not in reports:
            said = (read_available(read_errors) or b"").decode("utf-8", "replace").strip()
            reason = said or "bubblewrap ended without a message"
            self._tell("refused", machine=True, reason=reason)
        else:
            confined = reports["active"].texts("protection") if "active" in reports else []
            groups = [] if self._group is None else self._group.paths
            self._tell("started", pid=self._pid, protection=self._active(confined), group=groups)

    def _become_program(self, parent: int, errors: int, start: int) -> NoReturn:
        """Turn this process into the program, or into bubblewrap, which runs it."""
        os.setsid()
        if IS_LINUX:
            confinement.end_with_parent()
            if os.getppid() != parent:
                os._exit(127)
        os.dup2(errors, 2)
        for number in range(1, _SIGNALS):
            _libc.signal(number, _SIG_DFL)
        self._limit_resources()
        if self._group is not None:
            self._group.join()
        options = self._confinement()
        environment = dict(word.split("=", 1) for word in self._options.texts("environment"))
        if not self._wrapped:
            if self._user is not None:
                os.chown(self._options.text("folder"), self._user.number, self._user.number)
            given = Values(words_of(options))
            confinement.become(given, self._command, start, environment)
        # The program's streams get other numbers, since bubblewrap keeps its own open.
        streams = [os.dup(0), os.dup(1)]
        nothing = os.open(os.devnull, os.O_RDWR)
        for descriptor in (0, 1):
            os.dup2(nothing, descriptor)
        for descriptor in (*streams, start):
            os.set_inheritable(descriptor, True)
        options |= {"stream": streams, "start": start, "namespace": True}
        program, *words = self._options.texts("bubblewrap")
        if self._user is None:
            rights = ["--unshare-user", "--cap-drop", "ALL"]
        else:
            needed = ["--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"]
            rights = ["--cap-drop", "ALL", *needed]
        command = [program, *rights, *words, *command_line(options, self._command)]
        os.execve(program, command, environment)  # noqa: S606

    def _limit_resources(self) -> None:
        import resource

        for limit, most in (
            (resource.RLIMIT_CORE, 0),
            (resource.RLIMIT_FSIZE, self._options.number("file_bytes")),
            (resource.RLIMIT_NOFILE, self._options.number("files")),
        ):
            hard = resource.getrlimit(limit)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (most, most))

    def _confinement(self) -> dict[str, object]:
        """Return the options for `confinement.enter`."""
        options: dict[str, object] = {
            name: self._options.texts(name) for name in CONFINING if name in self._options
        }
        processes = self._options.number("processes")
        if self._user is not None:
            options |= {"user": self._user.number, "tasks": processes}
        elif self._wrapped and _counts_by_namespace():
            options["tasks"] = processes + 1  # bubblewrap's first process has the same user
        return options

    def _active(self, confined: list[str]) -> list[str]:
        """Return the names of the active `tkm_env.isolation.limits.PROTECTIONS`."""
        found = {*confined}
        if self._group is not None:
            found |= {"memory", "processes", "end"}
        if self._wrapped:
            found |= {"namespaces", "signals", "scratch", "end"}
        if self._user is not None:
            found |= {"user", "end"}
        return sorted(found)

    def _watch(self, errors: int) -> None:
        """Wait until the program has ended or must be killed."""
        poll = select.poll()
        for descriptor in (self._control, *self._end_descriptors()):
            poll.register(descriptor, select.POLLIN)
        next_check = next_look = next_writing = 0.0
        is_looking, has_errors = False, True
        while True:
            if has_errors and not is_looking and (is_looking := time.monotonic() >= next_look):
                poll.register(errors, select.POLLIN)
            pause = _ERRORS_PAUSE if has_errors and not is_looking else _INTERVAL
            ready = dict(poll.poll(1000 * pause))
            if errors in ready:
                has_errors, is_looking = self._errors.read(errors), False
                next_look = time.monotonic() + _ERRORS_PAUSE
                poll.unregister(errors)
            if self._control in ready and not self._obey():
                return
            self._reap()
            if self._ended is not None:
                self._meter.check_group()
                return
            if (now := time.monotonic()) >= next_check:
                next_check = now + _INTERVAL
                self._meter.measure(self._pid)
                if self._meter.fault:
                    return
                if now >= next_writing:
                    next_writing = now + _ERRORS_KEPT
                    self._errors.write_end()

    def _obey(self) -> bool:
        """Do what the referee requests; return False if the program must be killed."""
        asked = read_available(self._control, 1)
        if asked is None:
            return True
        if asked not in (USAGE, FORGET):
            return False
        if asked == FORGET:
            self._meter.forget_peaks()
        self._meter.measure(self._pid)
        if asked == USAGE:
            self._tell("usage", **self._meter.usage())
        return True

    def _end_descriptors(self) -> list[int]:
        """Return a descriptor that becomes readable when the program ends, if there is one."""
        try:
            return [os.pidfd_open(self._pid)]
        except (AttributeError, OSError):
            return []

    def _reap(self) -> bool:
        """Collect some ended processes, and note the program's end; return whether none is left."""
        for _ in range(_REAPED_AT_ONCE):
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return False
            self._meter.collect(usage.ru_utime + usage.ru_stime)
            if pid == self._pid:
                code = os.waitstatus_to_exitcode(status)
                # Bubblewrap exits as a shell does after a signal.
                self._ended = 128 - code if self._wrapped and code > 128 else code
        return False

    def _kill_all(self) -> bool:
        """Kill the program and all its descendants; return whether some are left.

        If the kernel cannot kill them all at once, they are killed by process groups.
        """
        own = os.getpid()
        deadline = time.monotonic() + _PATIENCE
        while time.monotonic() < deadline:
            if self._group is not None:
                self._group.kill()
            if self._user is not None and not self._wrapped:
                self._user.kill_all()
            tree = processes_below(own, self._pid, _MOST_KILLED)
            for group in {self._pid, *(process.group for process in tree)} - {os.getpgrp()}:
                with suppress(OSError):
                    os.killpg(group, _SIGKILL)
            if self._reap():
                return False
            time.sleep(0.0005)
        return True

    def _remove_traces(self) -> None:
        """Remove the control group and the folder, since the referee may be gone."""
        if self._group is not None:
            control_groups.remove(self._group.paths)
        remove_folder(self._options.text("folder"))


def _counts_by_namespace() -> bool:
    """Whether the limit of a user's processes counts only its namespace: Linux 5.14 or later."""
    release = os.uname().release.split("-")[0].split(".")
    return tuple(int(part) for part in release[:2] if part.isdigit()) >= (5, 14)
