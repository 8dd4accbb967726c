"""The session that the page shows, shared by the server's threads."""

import secrets
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

from tkm_env.foundations.errors import TKMError
from tkm_env.foundations.message import Message
from tkm_env.play.invitations import Invitation, Right, Seat
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.page_settings import page_seconds
from tkm_env.play.session import Session

#: The number of requests that may think at a time, so that other threads are free to answer.
MAX_THINKERS: Final = 4
_TOKEN_BYTES: Final = 8


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
        kept: keeps the session after each change; None keeps nothing.
        invitation: who plays elsewhere; None if people play at one screen.

    Attributes:
        token: tells this server from others, such as those before it at the same address.
        kept: as given.
        invitation: as given, or with new codes.
        version: the number of changes so far; 0 before the first session.
        is_changing: whether a change is under way.
        named: the players that the command named, which may be chosen on the page again.
        files: the files that the command named as settings.
    """

    def __init__(
        self,
        session: Session[Any] | None = None,
        kept: KeptGames | None = None,
        invitation: Invitation | None = None,
    ) -> None:
        self.token = secrets.token_hex(_TOKEN_BYTES)
        self.kept = KeptGames(None) if kept is None else kept
        self.invitation = invitation
        self._first: Session[Any] | None = None
        self._lock, self._keeping = threading.Lock(), threading.Lock()
        self._thinkers = threading.BoundedSemaphore(MAX_THINKERS)
        self._session: Session[Any] | None = None
        self.named: frozenset[str] = frozenset()
        self.files: frozenset[str] = frozenset()
        self.version, self.is_changing = 0, False
        if session is not None:
            self.start(session)

    def start(self, session: Session[Any]) -> None:
        """Take the first session, the one that the command describes."""
        self.named = frozenset(session.players.values())
        files = (one.keyword for one in session.spec.settings if one.kind == "file")
        self.files = frozenset(filter(None, map(session.asked.get, files)))
        if self.invitation is not None:
            session.invitation = self.invitation
            self._keep(session)
        self._session, self._first, self.version = session, session, 1

    def renew_links(self) -> None:
        """Draw new codes for all seats but the host's; the old ones open nothing any more.

        Raises:
            TKMError: as for `change`.
        """
        self.change(self.version, self._renew_links)

    def _renew_links(self, session: Session[Any]) -> None:
        assert self.invitation is not None
        self.invitation = session.invitation = self.invitation.renewed()

    @property
    def session(self) -> Session[Any]:
        """The current session.

        Raises:
            RequestError: if there is none yet.
        """
        if self._session is None:
            message = Message(
                "preparing the rules (once, up to a minute); the game starts by itself"
            )
            raise RequestError("StartingError", 503, message)
        return self._session

    def keep_of(self, session: Session[Any]) -> Callable[[dict[str, Any]], None] | None:
        """What keeps a session's match: the file of the first session, if that is the same match.

        Returns:
            As for a `Session`.
        """
        first = self._first
        if first is None or session.match is None:
            return None
        is_same = (first.seed, first.asked["match"]) == (session.seed, session.asked["match"])
        return first.keep if is_same else None

    def begin(self, session: Session[Any]) -> None:
        """Replace the session, which remains kept if it is a game that is not over.

        An agent of the previous one stops; if it thinks on, its action is dropped.
        """
        with self._lock:
            before = self.session
            if self.invitation is not None:
                session.invitation = self.invitation
            self._session, self.version, self.is_changing = session, self.version + 1, False
        before.abandon()
        if before.id != session.id and (before.is_over or before.exercise is not None):
            self.kept.forget(before.id)
        self._keep(session)

    def abandon(self) -> None:
        """Stop the agent that is thinking in the current session, if any."""
        if self._session is not None:
            self._session.abandon()

    def change(
        self, version: object, how: Callable[[Session[Any]], None], seat: Seat | None = None
    ) -> None:
        """Change the session, if it still has this version.

        If it raises, nothing changes.

        Args:
            version: the version that the change was made for.
            how: changes the session.
            seat: the seat that must be to act; None if it does not matter whose turn it is.

        Raises:
            TKMError: if the version is out of date, it is not this seat's turn, the session is
                being changed, or it refuses the change.
        """
        with self._lock:
            if type(version) is not int or version != self.version:
                message = Message("another window played; here is the new position")
                raise RequestError("StaleError", 409, message)
            if self.is_changing:
                message = Message("the opponent is still thinking; nothing was changed")
                raise RequestError("ThinkingError", 409, message)
            session = self.session
            if seat is not None and session.side_of(seat) != session.game.to_act:
                raise RequestError("SeatError", 403, Right.TURN.value)
            self.is_changing = True
        changed = 0
        try:
            how(session)
            changed = 1
        finally:
            with self._lock:
                if session is self._session:
                    self.version += changed
                    self.is_changing = False
        self._keep(session)

    def _keep(self, session: Session[Any]) -> None:
        """Keep a session as it is by now, while others may change it on; the latest comes last."""
        with self._keeping:
            self.kept.keep(session)

    def let_agent_play(self, version: object) -> None:
        """Let the agent to act play; one chosen on the page thinks within its limits."""
        with self.thinking():
            session = self.session
            line = session.players[session.game.to_act]
            seconds = page_seconds(session.spec, line, self.named)
            self.change(version, lambda session: session.let_agent_play(seconds))

    @contextmanager
    def thinking(self) -> Iterator[None]:
        """Count a request that takes long while it is carried out.

        Raises:
            RequestError: if there are too many already.
        """
        if not self._thinkers.acquire(blocking=False):
            raise RequestError(
                "BusyError",
                503,
                Message(
                    "{count} requests are already thinking; try again later", count=MAX_THINKERS
                ),
            )
        try:
            yield
        finally:
            self._thinkers.release()
