"""Serves MCP over stdio, or over HTTP on this machine only.

Every line of stdio that cannot be a message is answered with an error here, because the SDK passes over it in silence.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
import sys
from asyncio import get_running_loop
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from json import dumps
from signal import SIGINT
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, cast

from mdmem.agents.mcp.server import MemoryServer
from mdmem.errors import ExitCode, UsageError
from mdmem.messages.catalog import say

if TYPE_CHECKING:
    import anyio
    from starlette.types import ASGIApp, Receive, Scope, Send

PARSE_ERROR, INVALID_REQUEST = -32700, -32600
LOOPBACK = "127.0.0.1"
TOKEN = "MDMEM_MCP_TOKEN"  # noqa: S105 - the name of the variable
_DRAIN_SECONDS = 15  # how long answers are waited for after the end of the input; longer than a lock is waited for


def serve_stdio(server: MemoryServer, max_bytes: int) -> None:
    """Serve the client at the standard input and output until the input ends; end the process if the client leaves.

    Args:
        server: the server.
        max_bytes: of a line; a longer one is answered with an error.
    """
    import anyio
    from mcp.server.stdio import stdio_server

    with _private_streams() as (source, target):
        lines = StdioLines(source, target, max_bytes)

        async def serve() -> None:
            with suppress(NotImplementedError):  # on Windows, the interrupt arrives as KeyboardInterrupt
                # the event loop would cancel a task, which can be lost or end as another error
                get_running_loop().add_signal_handler(SIGINT, _leave, server, ExitCode.INTERRUPTED)
            built = server.build()
            streams = cast("anyio.AsyncFile[str]", lines)  # it reads lines, writes and flushes, as the SDK does
            async with stdio_server(streams, streams) as (incoming, outgoing):
                await built.run(incoming, outgoing, built.create_initialization_options())

        try:
            anyio.run(serve)
        except* BrokenPipeError:
            _leave(server, ExitCode.PIPE_CLOSED)
        except* KeyboardInterrupt:
            _leave(server, ExitCode.INTERRUPTED)
        server.finish()


def _leave(server: MemoryServer, code: int) -> NoReturn:
    """End the process when the call under way is done; the thread that waits for input would keep it alive."""
    server.finish()
    os._exit(code)


class _private_streams:  # noqa: N801 - used as a function
    """Give the standard streams to the protocol alone: a stray `print` goes to the standard error."""

    def __enter__(self) -> tuple[BinaryIO, BinaryIO]:
        sys.stdout.flush()
        self._kept = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        return os.fdopen(self._kept[0], "rb", closefd=False), os.fdopen(self._kept[1], "wb", closefd=False)

    def __exit__(self, *_: object) -> None:
        sys.stdout.flush()  # what was printed meanwhile belongs to the standard error
        for number, kept in enumerate(self._kept):
            os.dup2(kept, number)


class StdioLines:
    """The lines of a client and the answers to it, in the form of the file that the SDK reads and writes."""

    def __init__(self, source: BinaryIO, target: BinaryIO, max_bytes: int) -> None:
        self._source, self._output, self._max = source, target, max_bytes
        self._unsent = bytearray()  # lines that are not sent yet
        self._open: set[str | int] = set()  # ids of requests without an answer

    def __aiter__(self) -> AsyncIterator[str]:
        return self._messages()

    async def _messages(self) -> AsyncIterator[str]:
        """Yield the lines that are messages, and answer the others; at the end, wait for open answers."""
        import anyio
        from anyio import to_thread

        while line := await to_thread.run_sync(self._line, abandon_on_cancel=True):
            if not line.strip():
                continue
            if fault := self._fault(line):
                await self.write(dumps({"jsonrpc": "2.0", "id": fault[1], "error": fault[0]}) + "\n")
                await self.flush()
            else:
                yield line.decode("utf-8")
        with anyio.move_on_after(_DRAIN_SECONDS):
            while self._open:
                await anyio.sleep(0.01)

    def _line(self) -> bytes:
        """Return the next line; of one that is too long, as much as shows that it is, without the rest."""
        line = self._source.readline(self._max + 1)
        more = line
        while len(line) > self._max and more and not more.endswith(b"\n"):
            more = self._source.readline(self._max)
        return line

    def _fault(self, line: bytes) -> tuple[dict[str, Any], str | int | None] | None:
        """Return the error of a line that is no message, with the id if it has one; None for a message."""
        from pydantic_core import from_json  # the parser of the SDK, so that both agree

        if len(line) > self._max:
            return _error(INVALID_REQUEST, f"the line is longer than {self._max} bytes"), None
        try:
            value = from_json(line)
        except ValueError:
            return _error(PARSE_ERROR, "the line is not JSON in UTF-8"), None
        if not isinstance(value, dict):
            return _error(INVALID_REQUEST, "a message is one JSON object"), None
        ident = value.get("id")
        valid = ident if isinstance(ident, str | int) and not isinstance(ident, bool) else None
        if "method" not in value and ("result" in value or "error" in value):
            return None  # an answer to a question that was never asked: the SDK leaves it alone
        wrong = (
            value.get("jsonrpc") != "2.0"
            or not isinstance(value.get("method"), str)
            or not isinstance(value.get("params", {}), dict)
            or ("id" in value and valid is None)
        )
        if valid in self._open:  # an answer under this id would be taken for that of the first request
            return _error(INVALID_REQUEST, "the id belongs to a request without an answer yet"), None
        if wrong:
            return _error(INVALID_REQUEST, "not a request or a notification of JSON-RPC 2.0"), valid
        self._note(value, valid)
        return None

    def _note(self, value: dict[str, Any], ident: str | int | None) -> None:
        """Remember that a request is open; forget one that the client has cancelled, for it is not answered."""
        if ident is not None:
            self._open.add(ident)
        elif value["method"] == "notifications/cancelled":
            cancelled = value.get("params", {}).get("requestId")
            if isinstance(cancelled, str | int):
                self._open.discard(cancelled)

    async def write(self, text: str) -> None:
        """Take a line; `flush` hands it to the client."""
        from pydantic_core import from_json

        self._unsent += text.encode("utf-8", "replace")
        if self._open:
            message = from_json(text)
            if "method" not in message:
                self._open.discard(message.get("id"))

    async def flush(self) -> None:
        """Hand the lines to the client, in a thread, because a slow client may not read them yet."""
        from anyio import to_thread

        data, self._unsent = bytes(self._unsent), bytearray()
        await to_thread.run_sync(self._send, data)

    def _send(self, data: bytes) -> None:
        self._output.write(data)
        self._output.flush()


def _error(code: int, message: str) -> dict[str, Any]:
    return {"code": code, "message": message}


def serve_http(server: MemoryServer, port: int, announce: Callable[[str, str], None]) -> None:
    """Serve clients on this machine over HTTP until the process is interrupted.

    Args:
        server: the server.
        port: 0 for a free one.
        announce: called with the address and the token that every request must bring.

    Raises:
        UsageError: the port is taken, reserved for administrators, or no port.
    """
    import uvicorn

    token = os.environ.get(TOKEN, "").strip() or secrets.token_urlsafe(24)
    app = http_app(server, token)
    with socket.socket() as bound:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((LOOPBACK, port))
            bound.listen()
        except (OSError, OverflowError) as error:
            told = say(server.lang, "mcp.no-port", port=port)
            raise UsageError(told, hint=say(server.lang, "mcp.no-port.hint")) from error
        announce(f"http://{LOOPBACK}:{bound.getsockname()[1]}/mcp", token)
        config = uvicorn.Config(app, log_level="warning", access_log=False)
        uvicorn.Server(config).run(sockets=[bound])


def http_app(server: MemoryServer, token: str) -> ASGIApp:
    """Return the application that serves clients on this machine who bring the token."""
    return with_token(server.build().streamable_http_app(host=LOOPBACK, json_response=True), token)


def with_token(app: ASGIApp, token: str) -> ASGIApp:
    """Return an application that answers 401 to every request without the token."""
    expected = f"Bearer {token}".encode()

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await app(scope, receive, send)
            return
        given = b"".join(value for name, value in scope["headers"] if name == b"authorization")
        if hmac.compare_digest(given, expected):
            await app(scope, receive, send)
            return
        await send({"type": "http.response.start", "status": 401, "headers": [(b"www-authenticate", b"Bearer")]})
        await send({"type": "http.response.body", "body": b""})

    return guarded
