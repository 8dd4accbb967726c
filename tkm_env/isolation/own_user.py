"""User ids that no other process uses: root runs each program under its own."""

from __future__ import annotations

import os

from tkm_env.isolation.suppression import suppress

_SIGKILL = 9  # the module signal takes long to import
#: The first of these user ids, far above all others.
_USERS = 0x70000000
#: The first id, and the size, of the range that is used if the system has fewer ids: systemd gives
#: ids from it to services temporarily.
_FEW_USERS = (61184, 4336)


class OwnUser:
    """A user id that no other process uses, as long as this process lives.

    It is derived from the id of this process, or reserved through the name of a socket.

    Attributes:
        number: the user id.

    Raises:
        OSError: if all ids are taken.
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
        raise OSError(f"all {size} user ids from {first} on are taken")

    def kill_all(self) -> None:
        """Kill all processes of this user, through a process that becomes this user."""
        pid = os.fork()
        if pid == 0:
            with suppress(OSError):
                os.setresgid(self.number, self.number, self.number)
                os.setresuid(self.number, self.number, self.number)
                os.kill(-1, _SIGKILL)
            os._exit(0)
        with suppress(ChildProcessError):
            # The program may signal, and so stop, any process of its user.
            if os.WIFSTOPPED(os.waitpid(pid, os.WUNTRACED)[1]):
                os.kill(pid, _SIGKILL)
                os.waitpid(pid, 0)
