"""The server at its socket: half-open, slow, oversized and old requests, and its end."""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress

import pytest

pytest.importorskip("flask", reason="needs the extra [play]")
pytest.importorskip("waitress", reason="needs the extra [play]")

from tkm_env.games.registry import TKM
from tkm_env.play.server import PageServer
from tkm_env.play.session import Session
from tkm_env.web import web_server
from tkm_env.web.web_server import ANSWER_SECONDS, CONNECTIONS

#: Seconds until a socket that should answer has failed.
PATIENCE = 30
HOST = "Host: 127.0.0.1\r\n"


@pytest.fixture
def server(request: pytest.FixtureRequest) -> Iterator[PageServer]:
    made = PageServer(Session(TKM, {}, seed=1), **getattr(request, "param", {}))
    thread = threading.Thread(target=made.run)
    thread.start()
    yield made
    made.stop()
    thread.join()
    made.close()


def connected(url: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").rstrip("/").rpartition(":")
    return socket.create_connection((host.strip("[]"), int(port)), timeout=PATIENCE)


def everything_from(connection: socket.socket) -> bytes:
    """What arrives until the other side closes."""
    got = b""
    while chunk := connection.recv(1 << 16):
        got += chunk
    return got


def answer(url: str, request: str | bytes) -> tuple[int, bytes, bytes]:
    """Send a request as it is; return the status, the headers and the body of the answer.

    The request must ask to close the connection.
    """
    with connected(url) as connection:
        connection.sendall(request.encode() if isinstance(request, str) else request)
        headers, _, body = everything_from(connection).partition(b"\r\n\r\n")
    return int(headers.split(b" ", 2)[1]), headers, body


def get(url: str, path: str = "/api/state") -> tuple[int, bytes, bytes]:
    return answer(url, f"GET {path} HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n")


def test_half_open_requests_take_no_threads_and_keep_nobody_waiting(server: PageServer) -> None:
    assert get(server.url)[0] == 200
    threads = threading.active_count()
    with ExitStack() as stack:
        half_open = [stack.enter_context(connected(server.url)) for _ in range(150)]
        for number, connection in enumerate(half_open):
            connection.sendall(
                (
                    "GET / HTTP/1.1\r\nHost: 127",
                    "POST /api/play HTTP/1.1\r\nContent-Length: 99\r\n" + HOST + "\r\n{",
                )[number % 2].encode()
            )
        assert get(server.url)[0] == 200
        assert threading.active_count() == threads
        # A while later.
        server._close_overdue(time.monotonic() + 3600)
        server._server.pull_trigger()
        for connection in half_open:
            assert everything_from(connection) == b""
    assert get(server.url)[0] == 200


def test_connections_that_drip_keep_nobody_waiting(server: PageServer) -> None:
    with ExitStack() as stack:
        dripping: list[socket.socket] = []
        for _ in range(3):
            dripping += [
                stack.enter_context(connected(server.url)) for _ in range(CONNECTIONS // 2 + 10)
            ]
            for connection in dripping:
                with suppress(OSError):  # the server has closed some
                    connection.sendall(b"GET")
            assert get(server.url)[0] == 200
        assert len(server._server.active_channels) <= CONNECTIONS
        assert not server._server.in_connection_overflow


def is_open(connection: socket.socket, piece: bytes) -> bool:
    """Whether the other side takes one more piece."""
    try:
        connection.sendall(piece)
        return connection.recv(1 << 16) != b""
    except TimeoutError:
        return True
    except OSError:
        return False


@pytest.mark.parametrize("server", [{"request_seconds": 0.3}], indirect=True)
def test_a_request_has_so_long_to_arrive_however_it_is_cut_into_pieces(server: PageServer) -> None:
    for begin, piece in (
        (b"GET / HTTP/1.1\r\nX: ", b"x"),
        (f"POST /api/play HTTP/1.1\r\n{HOST}Content-Length: 9999\r\n\r\n".encode(), b"x"),
        (b"", b"\r\n\r\n"),
        (b"", b""),
        (f"GET /nothing HTTP/1.1\r\n{HOST}\r\n".encode(), b"\r\n\r\n"),
    ):
        with connected(server.url) as connection:
            connection.sendall(begin)
            connection.settimeout(0.02)
            deadline = time.monotonic() + PATIENCE
            while is_open(connection, piece):
                assert time.monotonic() < deadline, begin


def test_an_answer_may_take_longer_than_a_request(
    server: PageServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    thinks, has_thought = threading.Event(), threading.Event()

    def think(*given: object) -> None:
        thinks.set()
        has_thought.wait(PATIENCE)

    monkeypatch.setattr(Session, "let_agent_play", think)
    with connected(server.url) as connection:
        head = (
            f"POST /api/agent HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
            "Connection: close\r\nContent-Length: 14\r\n"
        )
        connection.sendall(f'{head}\r\n{{"version": 1}}'.encode())
        assert thinks.wait(PATIENCE)
        server._close_overdue(time.monotonic() + 3600)
        server._server.pull_trigger()
        assert get(server.url)[0] == 200
        has_thought.set()
        assert everything_from(connection).startswith(b"HTTP/1.1 200 OK")


def test_answers_that_are_not_fetched_are_dropped(server: PageServer) -> None:
    with connected(server.url) as connection:
        connection.sendall(f"GET /replay HTTP/1.1\r\n{HOST}\r\n".encode() * 150)
        deadline = time.monotonic() + PATIENCE
        while not (
            slow := [
                one
                for one in server._server.active_channels.values()
                if one.total_outbufs_len and not one.requests
            ]
        ):
            assert time.monotonic() < deadline, "all answers fit into the sockets"
            time.sleep(0.005)
        server._close_overdue(time.monotonic() + ANSWER_SECONDS / 2)
        assert not slow[0].will_close
        server._close_overdue(time.monotonic() + ANSWER_SECONDS * 2)
        server._server.pull_trigger()
        with suppress(ConnectionResetError):
            everything_from(connection)
    assert get(server.url)[0] == 200


def test_a_request_that_arrives_byte_by_byte_is_answered(server: PageServer) -> None:
    with connected(server.url) as connection:
        for byte in f"GET /api/state HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n".encode():
            connection.sendall(bytes([byte]))
        assert everything_from(connection).startswith(b"HTTP/1.1 200 OK")


def chunked(*chunks: bytes) -> bytes:
    head = (
        f"POST /api/play HTTP/1.1\r\n{HOST}Content-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    )
    return head.encode() + b"".join(
        b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in (*chunks, b"")
    )


def test_a_request_may_come_in_chunks(server: PageServer) -> None:
    status, _, body = answer(server.url, chunked(b'{"version": 1, ', b'"action": "choose 1"}'))
    assert status == 200
    assert json.loads(body)["can_undo"]


def test_what_is_no_proper_request_is_refused(server: PageServer) -> None:
    for request_, status in (
        (chunked(*[b"x" * 1000] * 17), 413),
        (f"POST /api/play HTTP/1.1\r\n{HOST}Content-Length: 1000000000000\r\n\r\n", 413),
        (f"GET / HTTP/1.1\r\n{HOST}X: ".ljust(1 << 14, "x"), 431),
        ("GET /".ljust(1 << 14, "x"), 431),
        (f"POST /api/play HTTP/1.1\r\n{HOST}Content-Length: minus one\r\n\r\n", 400),
        (
            f"POST /api/play HTTP/1.1\r\n{HOST}Transfer-Encoding: strange\r\n"
            "Connection: close\r\n\r\n",
            501,
        ),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\r\n\r\n", 400),
        ("GET / HTTP/1.0\r\n\r\n", 403),
        (f"BREW / HTTP/1.1\r\n{HOST}Connection: close\r\n\r\n", 405),
    ):
        assert answer(server.url, request_)[0] == status, (request_, status)
        assert json.loads(get(server.url)[2])["version"] == 1, "something changed"


def test_a_request_of_the_first_version_is_answered_and_closed(server: PageServer) -> None:
    status, headers, _ = answer(server.url, f"GET /api/state HTTP/1.0\r\n{HOST}\r\n")
    assert status == 200
    assert b"Content-Security-Policy: default-src 'none'" in headers


def test_the_server_does_not_say_what_it_is(server: PageServer) -> None:
    for _, headers, body in (
        get(server.url),
        get(server.url, "/nothing"),
        answer(server.url, "what\r\n\r\n"),
    ):
        text = (headers + body).lower()
        assert not any(name in text for name in (b"server:", b"waitress", b"werkzeug", b"python"))


def test_it_serves_on_the_sixth_version_of_the_internet_protocol() -> None:
    if not socket.has_ipv6:
        pytest.skip("needs IPv6")
    try:
        made = PageServer(Session(TKM, {}, seed=1), host="::1")
    except ValueError as error:
        pytest.skip(f"needs IPv6: {error}")
    thread = threading.Thread(target=made.run)
    thread.start()
    try:
        assert made.url.startswith("http://[::1]:")
        port = made.url.rstrip("/").rpartition(":")[2]
        assert (
            answer(made.url, f"GET / HTTP/1.1\r\nHost: [::1]:{port}\r\nConnection: close\r\n\r\n")[
                0
            ]
            == 200
        )
    finally:
        made.stop()
        thread.join()
        made.close()


def test_a_server_on_all_addresses_is_called_by_one_that_others_can_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ipaddress.ip_address(web_server.own_address()).is_unspecified is False
    monkeypatch.setattr(web_server, "own_address", lambda: "192.168.0.7")
    with closing(PageServer(host="0.0.0.0", allow_remote=True)) as server:
        assert re.fullmatch(r"http://192\.168\.0\.7:\d+/", server.url)
