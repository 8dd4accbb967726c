"""Standard input and output of a tool server: all requests are answered, in order.

The SDK's own transport lets requests overtake each other, and drops the answers under way when the
input ends, as in ``tkm mcp < requests.jsonl``.
"""

import math
from typing import Any

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCError, JSONRPCNotification, JSONRPCRequest, JSONRPCResponse


class OrderedServer(MCPServer[Any]):
    """A server that answers one request after another, and ends once all are answered."""

    async def run_stdio_async(self) -> None:
        """Serve standard input and output until the input ends."""
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
            to_server, read = anyio.create_memory_object_stream[Any](0)
            write, from_server = anyio.create_memory_object_stream[SessionMessage](0)
            requests = _Requests(to_server)
            group.start_soon(requests.take_in, incoming)
            group.start_soon(requests.pass_on)
            group.start_soon(requests.send_out, from_server, outgoing)
            server = self._lowlevel_server
            await server.run(read, write, server.create_initialization_options())


class _Requests:
    """The requests that wait, and the one that is being answered.

    Args:
        to_server: where they go; it is closed once the input has ended and all are answered.
    """

    def __init__(self, to_server: MemoryObjectSendStream[Any]) -> None:
        self._to_server = to_server
        #: Requests with their ids.
        self._put, self._waiting = anyio.create_memory_object_stream[tuple[Any, Any]](math.inf)
        self._in_progress: Any = None
        self._is_answered = anyio.Event()

    async def take_in(self, incoming: Any) -> None:
        """Read messages; anything but a request goes to the server at once."""
        async with self._put:
            async for message in incoming:
                content = getattr(message, "message", None)
                if isinstance(content, JSONRPCRequest):
                    await self._put.send((content.id, message))
                    continue
                if isinstance(content, JSONRPCNotification):
                    self._note_cancelled(content)
                await self._to_server.send(message)

    async def pass_on(self) -> None:
        """Give the server the next request when the last one is answered."""
        async with self._to_server, self._waiting:
            async for request, message in self._waiting:
                self._in_progress, self._is_answered = request, anyio.Event()
                await self._to_server.send(message)
                await self._is_answered.wait()

    async def send_out(
        self, from_server: MemoryObjectReceiveStream[SessionMessage], outgoing: Any
    ) -> None:
        """Write what the server sends."""
        async with from_server, outgoing:
            async for message in from_server:
                await outgoing.send(message)
                if isinstance(message.message, (JSONRPCResponse, JSONRPCError)):
                    self._note_answered(message.message.id)

    def _note_cancelled(self, notification: JSONRPCNotification) -> None:
        """Expect no answer to a request that the client has cancelled."""
        if notification.method == "notifications/cancelled":
            self._note_answered((notification.params or {}).get("requestId"))

    def _note_answered(self, request: Any) -> None:
        if request == self._in_progress:
            self._is_answered.set()
