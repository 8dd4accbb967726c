"""Objects that only one thread at a time may use."""

import functools
import os
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from tkm_env.foundations.errors import ConcurrentUseError


class _SingleUser(Protocol):
    #: The thread that is in a method now, by process, since a fork copies this dict.
    _users: dict[int, int]


#: The id of this process; asking the system each time takes as long as the rest of the check.
_process = os.getpid()


def _note_process() -> None:
    global _process
    _process = os.getpid()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_process)

Owner = TypeVar("Owner", bound=_SingleUser)
Parameters = ParamSpec("Parameters")
Returned = TypeVar("Returned")


def no_concurrent_use(
    method: Callable[Concatenate[Owner, Parameters], Returned],
) -> Callable[Concatenate[Owner, Parameters], Returned]:
    """Let only one thread at a time use the first argument of a method or a function.

    For use as a decorator.

    Raises:
        ConcurrentUseError: from the decorated method, while another thread is in any decorated
            method of the same object.
    """

    @functools.wraps(method)
    def refusing(self: Owner, /, *args: Parameters.args, **kwargs: Parameters.kwargs) -> Returned:
        users, process, thread = self._users, _process, threading.get_ident()
        outermost = users.get(process) != thread
        try:
            if users.setdefault(process, thread) != thread:
                raise ConcurrentUseError(type(self).__name__)
            return method(self, *args, **kwargs)
        finally:
            # No calls before the thread is out: only at a call could a signal intervene.
            if outermost and process in users and users[process] == thread:
                del users[process]

    return refusing
