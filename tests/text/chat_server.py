"""A server with the usual chat interface, whose model is a function of the test's."""

from __future__ import annotations

import gc
import json
import socket
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tkm_env.text import chat

#: The key of the tests, which must be in no file.
KEY: Final = "sk-0123456789abcdef-of-the-tests"


class Handler(BaseHTTPRequestHandler):
    """Answers each request as the server's model does: by a message, a whole body, or itself."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = (
        True  # else each answer waits 40 ms for the client's acknowledgement of its headers
    )
    server: ChatServer

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append(asked)
        self.server.keys.append(self.headers.get("Authorization", ""))
        answer = self.server.model(asked, self)
        if answer is not None:
            self.reply(200, answer if isinstance(answer, dict) else completion(answer, asked))

    def reply(self, status: int, body: Any, **headers: str) -> None:
        """Send a response of JSON; headers are written with underscores."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        sent = {"Content_Type": "application/json", "Content_Length": str(len(content)), **headers}
        for name, value in sent.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Nothing on standard error."""


class ChatServer(ThreadingHTTPServer):
    """The server: what it was asked, and with which keys."""

    daemon_threads = True

    def __init__(self, model: Callable[[dict[str, Any], Handler], Any], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), Handler)
        self.model = model
        self.asked: list[dict[str, Any]] = []
        self.keys: list[str] = []

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, *_: Any) -> None:
        """A client that has gone is what some tests want."""


def completion(text: str | None, asked: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """The body of an answer; four characters are a token."""
    tokens = (
        sum(len(message.get("content") or "") for message in asked["messages"]) // 4,
        len(text or "") // 4,
    )
    return {
        "id": "1",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted-2026",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text, "refusal": None},
                "finish_reason": "stop",
            }
            | changes
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }


@contextmanager
def serving(model: Callable[[dict[str, Any], Handler], Any], port: int = 0) -> Iterator[ChatServer]:
    """The server, running."""
    server = ChatServer(model, port)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
        # The clients keep their connections; what is collected in whatever test comes later would
        # be that one's failure.
        chat._client.cache_clear()
        chat._WITHOUT_SYSTEM.clear()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ResourceWarning)
            gc.collect()


FIRST = "I think.\nTURN: 1"


def says(*texts: str) -> Callable[..., str]:
    """A model that says one thing after another, and then the last one again and again."""
    left = [*texts]
    return lambda asked, handler: left.pop(0) if len(left) > 1 else left[0]


def failing(*ways: Callable[[Handler], Any]) -> Callable[..., Any]:
    """A model that fails in one way after another, and then plays."""
    left = [*ways]
    return lambda asked, handler: left.pop(0)(handler) if left else FIRST


def hang_up(handler: Handler) -> None:
    handler.close_connection = True
    handler.connection.shutdown(socket.SHUT_RDWR)


def break_off(handler: Handler) -> None:
    """Half of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "TURN: 2"')
    hang_up(handler)


#: How a server can fail for a while.
FAILURES: list[Callable[[Handler], Any]] = [
    lambda handler: handler.reply(
        429, {"error": {"message": "slow down"}}, Retry_After="1000000000"
    ),
    lambda handler: handler.reply(503, b"<html>busy</html>", Content_Type="text/html"),
    lambda handler: handler.reply(500, {"error": None}),
    lambda handler: handler.reply(200, b"<html>sign in</html>", Content_Type="text/html"),
    lambda handler: handler.reply(200, {"choices": []}),
    lambda handler: handler.reply(408, {}),
    lambda handler: handler.reply(200, [1]),
    lambda handler: handler.reply(200, b"\xff\xfe"),
    lambda handler: handler.reply(200, {"error": {"code": 502, "message": "upstream"}}),
    lambda handler: handler.reply(200, b"nothing that is compressed", Content_Encoding="gzip"),
    hang_up,
    break_off,
]
