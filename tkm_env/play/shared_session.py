"""The session that the page shows, shared by the server's threads."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tkm_env.foundations.errors import TKMError
from tkm_env.play.page_settings import page_limits
from tkm_env.play.session import Session

#: The number of requests that may think at a time, so that other threads are free to answer.
MAX_THINKERS: Final = 4


class RequestError(TKMError):
    """A request that does not fit the state of the game; nothing was changed.

    Args:
        name: the name by which the page knows the error.
        status: the HTTP status.
        message: what a person reads.
    """

    def __init__(self, name: str, status: int, message: str) -> None:
        super().__init__(message)
        self.name, self.status = name, status


class SharedSession:
    """The current session and its version, to read without a lock or waiting for an agent.

    Args:
        session: the first session; None if `start` provides it later.

    Attributes:
        version: the number of changes so far; 0 before the first session.
        is_changing: whether a change is under way.
        named: the players that the command named, which may be chosen on the page again.
    """

    def __init__(self, session: Session[Any] | None = None) -> None:
        self._lock = threading.Lock()
        self._thinkers = threading.BoundedSemaphore(MAX_THINKERS)
        self._session: Session[Any] | None = None
        self.named: frozenset[str] = frozenset()
        self.version, self.is_changing = 0, False
        if session is not None:
            self.start(session)

    def start(self, session: Session[Any]) -> None:
        """Take the first session, the one that the command describes."""
        self.named = frozenset(session.players.values())
        self._session, self.version = session, 1

    @property
    def session(self) -> Session[Any]:
        """The current session.

        Raises:
            RequestError: if there is none yet.
        """
        if self._session is None:
            message = "preparing the rules (once, up to a minute); the game starts by itself"
            raise RequestError("StartingError", 503, message)
        return self._session

    def begin(self, session: Session[Any]) -> None:
        """Replace the session.

        An agent of the previous one stops; if it thinks on, its action is dropped.
        """
        with self._lock:
            before = self.session
            self._session, self.version, self.is_changing = session, self.version + 1, False
        before.abandon()

    def abandon(self) -> None:
        """Stop the agent that is thinking in the current session, if any."""
        if self._session is not None:
            self._session.abandon()

    def change(self, version: object, how: Callable[[Session[Any]], None]) -> None:
        """Change the session, if it still has this version.

        If it raises, nothing changes.

        Args:
            version: the version that the change was made for.
            how: changes the session.

        Raises:
            TKMError: if the version is out of date, the session is being changed, or it refuses the
                change.
        """
        with self._lock:
            if type(version) is not int or version != self.version:
                message = "another window played; here is the new position"
                raise RequestError("StaleError", 409, message)
            if self.is_changing:
                message = "the opponent is still thinking; nothing was changed"
                raise RequestError("ThinkingError", 409, message)
            session, self.is_changing = self.session, True
        changed = 0
        try:
            how(session)
            changed = 1
        finally:
            with self._lock:
                if session is self._session:
                    self.version += changed
                    self.is_changing = False

    def let_agent_play(self, version: object) -> None:
        """Let the agent to act play; one chosen on the page thinks within its limits."""
        with self.thinking():
            limits = page_limits(self.session.spec, self.session.asked["opponent"], self.named)
            self.change(version, lambda session: session.let_agent_play(limits.get("seconds")))

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Count a request that takes long while it is carried out.

        Raises:
            RequestError: if there are too many already.
        """
        if not self._thinkers.acquire(blocking=False):
            raise RequestError(
                "BusyError", 503, f"{MAX_THINKERS} requests are already thinking; try again later"
            )
        try:
            yield
        finally:
            self._thinkers.release()
