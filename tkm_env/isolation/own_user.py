"""Users that nobody else is: root runs each program as one of its own."""

from __future__ import annotations

import os

from tkm_env.isolation.suppression import suppress

_SIGKILL = 9  # the module signal takes long to import
#: The first of the users that are nobody, far above all others.
_USERS = 0x70000000
#: Where the system does not have that many: the range, and its size, from which systemd gives users
#: to services for a while.
_FEW_USERS = (61184, 4336)


class OwnUser:
    """A user that nobody else is, as long as this process lives.

    Its number belongs to the number of this process, or is taken by the name of a socket.

    Raises:
        OSError: if all numbers are taken.
    """

    def __init__(self) -> None:
        with open("/proc/self/uid_map") as file:
            highest = max(int(first) + int(size) for first, _, size in map(str.split, file))
        self.number = _USERS + os.getpid()
        if self.number < highest:
            return
        import socket

        self._lock = socket.socket(socket.AF_UNIX)
        first, size = _FEW_USERS
        for offset in range(size):
            self.number = first + (os.getpid() + offset) % size
            with suppress(OSError):
                self._lock.bind(f"\0tkm-user-{self.number}")
                return
        raise OSError(f"all {size} users from {first} are taken")

    def kill_all(self) -> None:
        """Kill all processes of this user, which takes a process that is of this user itself."""
        pid = os.fork()
        if pid == 0:
            with suppress(OSError):
                os.setresgid(self.number, self.number, self.number)
                os.setresuid(self.number, self.number, self.number)
                os.kill(-1, _SIGKILL)
            os._exit(0)
        with suppress(ChildProcessError):
            # A program may signal whoever is of its user.
            if os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]):
                os.kill(pid, _SIGKILL)
                os.waitpid(pid, 0)
