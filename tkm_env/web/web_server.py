"""A web server for a Flask application: waitress, with connections closed that keep others waiting.

Needs the extra ``[play]``.
"""

import logging
import math
import socket
import time
from typing import Any, Final

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server

from tkm_env.foundations.checks import checked_integer
from tkm_env.foundations.errors import ConfigError
from tkm_env.web.request_checks import MAX_REQUEST_BYTES

LOOPBACK: Final = "127.0.0.1"
#: Threads that answer requests.
THREADS: Final = 8
#: Connections at a time, none of which takes a thread until a whole request has arrived.
CONNECTIONS: Final = 200
#: Connections beyond these whose turn to be closed has come, or which are all being answered.
_SPARE: Final = 16
#: Seconds in which a connection brings a whole request, head and body, after it opened or was last
#: answered; and fetches its answer.
REQUEST_SECONDS: Final = 20.0
ANSWER_SECONDS: Final = 60.0
#: Seconds that threads have to finish when the server ends.
_CLOSE_SECONDS: Final = 2
_MAX_PORT: Final = 65535


class _Connection(HTTPChannel):
    """A connection, with the times since which a request is due and answers wait to be fetched.

    The times are by `time.monotonic`.
    """

    def __init__(self, *given: Any, **keywords: Any) -> None:
        self.owes_since = self.fetches_since = time.monotonic()
        super().__init__(*given, **keywords)

    def service(self) -> None:
        self.owes_since = math.inf  # an answer takes as long as it takes
        super().service()
        if not self.requests:
            self.owes_since = time.monotonic()


class WebServer:
    """Serves an application; it listens from the start, on a free port if that is 0.

    A request of at most ``most_bytes`` has that long to arrive, however it is cut into pieces;
    further options are waitress's.

    Raises:
        ConfigError: if it cannot listen there.
    """

    def __init__(
        self,
        app: Flask,
        host: str = LOOPBACK,
        port: int = 0,
        request_seconds: float = REQUEST_SECONDS,
        most_bytes: int = MAX_REQUEST_BYTES,
        **options: Any,
    ) -> None:
        listener = _listen(host, port)
        self.url = f"http://{f'[{host}]' if ':' in host else host}:{listener.getsockname()[1]}/"
        # Nobody needs to read that requests wait for a thread.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        #: What is listened to, by its file descriptor: connections, the listener, and what wakes
        #: the loop.
        self._channels: dict[int, Any] = {}
        self._server: Any = create_server(
            app,
            map=self._channels,
            sockets=[listener],
            threads=THREADS,
            connection_limit=CONNECTIONS + _SPARE,
            max_request_header_size=MAX_REQUEST_BYTES,
            max_request_body_size=most_bytes,
            log_socket_errors=False,
            ident=None,
            **options,
        )
        self._server.channel_class = _Connection
        self._request_seconds = request_seconds
        self._is_stopping = False

    def run(self) -> None:
        """Answer requests until interrupted or stopped."""
        while not self._is_stopping:
            wasyncore.loop(timeout=min(1.0, self._request_seconds), map=self._channels, count=1)
            self._close_overdue(time.monotonic())

    def _close_overdue(self, now: float) -> None:
        """Close the connections that are late.

        If there are too many, those that have owed a request for longest are closed as well.
        """
        connections: dict[int, _Connection] = self._server.active_channels
        for one in connections.values():
            if not one.total_outbufs_len:
                one.fetches_since = now
            elif now - one.fetches_since > ANSWER_SECONDS:
                one.will_close = True
        owing = [
            one for one in connections.values() if not one.requests and one.owes_since < math.inf
        ]
        for number, one in enumerate(sorted(owing, key=lambda one: one.owes_since)):
            is_late = not one.total_outbufs_len and now - one.owes_since > self._request_seconds
            if is_late or number < len(connections) - CONNECTIONS:
                one.will_close = True

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._is_stopping = True
        self._server.pull_trigger()

    def close(self) -> None:
        """Close all connections."""
        threads = self._server.task_dispatcher
        threads.set_thread_count(0)
        self.abandon()
        threads.shutdown(timeout=_CLOSE_SECONDS)
        for channel in list(self._channels.values()):
            # A thread that nobody can stop would wake the loop by a descriptor that may be another
            # file's by then.
            if channel is not self._server.trigger or not threads.threads:
                channel.close()

    def abandon(self) -> None:
        """End what requests are still waiting for."""


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens on an address; on IPv4 as well where the address is any of IPv6."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    checked_integer("port", port, 0, _MAX_PORT)
    try:
        *_, address = socket.getaddrinfo(host, port, family, socket.SOCK_STREAM)[0]
        return socket.create_server(
            address,
            family=family,
            dualstack_ipv6=family == socket.AF_INET6 and socket.has_dualstack_ipv6(),
        )
    except (OSError, TypeError, ValueError) as error:
        raise ConfigError(
            "port" if port else "host", port or host, f"the server cannot listen on it: {error}"
        ) from error
