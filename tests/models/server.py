"""A real HTTP server with prepared answers, which misbehaves on demand."""

from __future__ import annotations

import json
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NamedTuple


class Asked(NamedTuple):
    """A request as it came in."""

    line: str
    headers: dict[str, str]
    body: bytes


Answer = Callable[[socketserver.StreamRequestHandler], None]  # writes what it likes to the connection


class Server:
    """Sends its answers in order, repeats the last one, and records the requests."""

    def __init__(self, answers: list[Answer]) -> None:
        self.asked: list[Asked] = []
        self.answers = answers
        self.over = threading.Event()
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """Serve on a free port of this machine while the block runs."""
    server = Server(list(answers))

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            line = self.rfile.readline().decode().strip()
            headers = {}
            while header := self.rfile.readline().decode().strip():
                name, _, value = header.partition(":")
                headers[name.lower()] = value.strip()
            server.asked.append(Asked(line, headers, self.rfile.read(int(headers.get("content-length", "0")))))
            answer = server.answers.pop(0) if len(server.answers) > 1 else server.answers[0]
            try:
                answer(self)
            except OSError:
                return  # the other side has seen enough

    class Threading(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True
        block_on_close = False

    with Threading(("127.0.0.1", 0), Handler) as listener:
        server.port = listener.server_address[1]
        thread = threading.Thread(target=listener.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            listener.shutdown()
            thread.join()


def reply(body: bytes | str, status: int = 200, *headers: str, type_: str = "application/json") -> Answer:
    """Answer with a body and its length."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status} Said", f"Content-Type: {type_}", f"Content-Length: {len(data)}", *headers, "", ""]
    return raw("\r\n".join(lines).encode() + data)


def raw(data: bytes) -> Answer:
    """Answer with these bytes and hang up."""

    def answer(handler: socketserver.StreamRequestHandler) -> None:
        handler.wfile.write(data)

    return answer


def completion(text: object, finish: str = "stop", **more: object) -> str:
    """Write a completion as endpoints send it."""
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish}
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice], **more})
