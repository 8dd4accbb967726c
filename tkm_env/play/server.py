"""The web server of `tkm play --browser`; needs the extra ``[play]``."""

import threading
from collections.abc import Callable
from typing import Any, Final

from tkm_env.foundations.errors import ConfigError
from tkm_env.play.app import MAX_RECORD_BYTES, new_app
from tkm_env.play.explorer import Explorer
from tkm_env.play.invitations import Invitation
from tkm_env.play.kept_games import KeptGames
from tkm_env.play.session import Session
from tkm_env.play.shared_session import SharedSession
from tkm_env.web.request_checks import check_address
from tkm_env.web.web_server import LOOPBACK, REQUEST_SECONDS, WebServer

#: How long to wait for a session, in seconds: enough unless something must be compiled. So
#: mistakes are reported before a page opens.
_START_SECONDS: Final = 1.5
#: The same each time, since browsers keep by address what a page remembers.
USUAL_PORT: Final = 8734


class PageServer(WebServer):
    """The server of a session's page, which listens as soon as it is made.

    Args:
        session: the session; None until `begin` makes one.
        host: the name or address to listen on.
        port: the port to listen on; 0 for a free one.
        allow_remote: whether other machines may reach it.
        request_seconds: the time that a whole request has to arrive.
        kept: keeps unfinished games; None keeps none.
        explorer: the records to look up what was played in; None for none.
        invitation: as for `new_app`.
        public_url: as for `new_app`.

    Raises:
        ConfigError: if other machines could reach the address without ``allow_remote``, or the
            server cannot listen on it.
    """

    def __init__(
        self,
        session: Session[Any] | None = None,
        *,
        host: str = LOOPBACK,
        port: int = 0,
        allow_remote: bool = False,
        request_seconds: float = REQUEST_SECONDS,
        kept: KeptGames | None = None,
        explorer: Explorer | None = None,
        invitation: Invitation | None = None,
        public_url: str | None = None,
    ) -> None:
        is_remote = check_address(host, allow_remote=allow_remote)
        name = host if is_remote else None
        app = new_app(
            session,
            remote_name=name,
            kept=kept,
            explorer=explorer,
            invitation=invitation,
            public_url=public_url,
        )
        self._holder: SharedSession = app.extensions["holder"]
        self._failure: Exception | None = None
        super().__init__(app, host, port, request_seconds, MAX_RECORD_BYTES)
        app.extensions["url"] = public_url or self.url

    @property
    def session(self) -> Session[Any] | None:
        """The current session; None while the first one is being made."""
        return self._holder.session if self._holder.version > 0 else None

    def run(self) -> None:
        """Answer requests until interrupted or stopped.

        Raises:
            Exception: from the function that makes the session.
        """
        super().run()
        if self._failure is not None:
            raise self._failure

    def begin(self, make: Callable[[], Session[Any]], seconds: float) -> None:
        """Make the session in a thread, while the page says that it waits.

        A later failure ends `run`.

        Args:
            make: makes the session.
            seconds: how long to wait for it.

        Raises:
            Exception: from ``make``.
        """
        thread = threading.Thread(target=self._begin, args=[make], daemon=True)
        thread.start()
        thread.join(seconds)
        if self._failure is not None:
            raise self._failure

    def _begin(self, make: Callable[[], Session[Any]]) -> None:
        try:
            self._holder.start(make())
        except Exception as error:  # raised again in the thread that runs the server
            self._failure = error
            self.stop()

    def abandon(self) -> None:
        """Stop the agent that is thinking."""
        self._holder.abandon()


def serve(
    make: Callable[[], Session[Any]],
    *,
    ready: Callable[[str], object] = lambda url: None,
    port: int | None = None,
    **options: Any,
) -> Session[Any] | None:
    """Serve the page of a session until the process is interrupted.

    Args:
        make: makes the session.
        ready: called with the page's address once it can be opened.
        port: as for `PageServer`; None for `USUAL_PORT` or, if that is taken, a free one.
        **options: further ones of `PageServer`.

    Returns:
        The last session; None if there was none yet.
    """
    server = _usual_server(options) if port is None else PageServer(port=port, **options)
    try:
        server.begin(make, _START_SECONDS)
        ready(server.url)
        server.run()
    except KeyboardInterrupt:
        pass
    finally:
        server.close()
    return server.session


def _usual_server(options: dict[str, Any]) -> PageServer:
    try:
        return PageServer(port=USUAL_PORT, **options)
    except ConfigError as error:
        if error.keyword != "port":
            raise
        return PageServer(**options)
