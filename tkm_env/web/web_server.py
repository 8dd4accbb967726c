"""A web server for a Flask application: waitress, with slow connections closed.

It closes those that keep others waiting. Needs the extra ``[play]``.
"""

import ipaddress
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
#: The number of threads that answer requests.
THREADS: Final = 8
#: The most connections at a time; none takes a thread until a whole request has arrived.
CONNECTIONS: Final = 200
#: The most connections beyond these, which are about to be closed or being answered.
_SPARE: Final = 16
#: The time that a connection has to deliver a whole request, head and body, after it opened or was
#: last answered; and the time that it has to fetch the answer, both in seconds.
REQUEST_SECONDS: Final = 20.0
ANSWER_SECONDS: Final = 60.0
#: The time that threads have to finish when the server ends, in seconds.
_CLOSE_SECONDS: Final = 2
_MAX_PORT: Final = 65535


class _Connection(HTTPChannel):
    """A connection that knows since when a request is due and an answer waits to be fetched.

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
    """Serves an application; it listens as soon as it is made.

    Args:
        app: the application.
        host: the name or address to listen on.
        port: the port to listen on; 0 for a free one.
        request_seconds: the time that a whole request has to arrive, however it is cut into pieces.
        most_bytes: the most bytes in the body of a request.
        **options: further options of waitress.

    Attributes:
        url: the address of the application.

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
        address = ipaddress.ip_address(listener.getsockname()[0])
        name = own_address() if address.is_unspecified else host
        self.url = f"http://{f'[{name}]' if ':' in name else name}:{listener.getsockname()[1]}/"
        # Warnings that requests wait for a thread help nobody.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)
        #: The channels that the loop watches, by file descriptor: connections, the listener, and
        #: the trigger that wakes the loop.
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
            # A thread that cannot be stopped would wake the loop through the trigger's descriptor,
            # which may belong to another file by then. So the trigger stays open.
            if channel is not self._server.trigger or not threads.threads:
                channel.close()

    def abandon(self) -> None:
        """End whatever requests are still waiting for; does nothing here."""


def own_address() -> str:
    """Return this machine's address in its network; that of itself alone if it is in none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # sends nothing: it only chooses an address
        except OSError:
            return LOOPBACK
        address: str = probe.getsockname()[0]
    return address


def _listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on an address; one for any IPv6 address takes IPv4 too."""
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
