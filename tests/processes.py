"""Real processes: forked from a warm one, for each would spend most of its time importing mdmem; waited for; asked."""

from __future__ import annotations

import json
import multiprocessing
import os
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from multiprocessing.process import BaseProcess
from typing import Any

_PATIENCE = 120  # seconds after which a server gives no answer any more
CONTEXT = multiprocessing.get_context("spawn" if os.name == "nt" else "forkserver")
if os.name != "nt":
    CONTEXT.set_forkserver_preload(["hypothesis", "pytest", "mdmem.workspace", "mdmem.tools.dispatch"])


def process(target: Callable[..., object], *arguments: object) -> BaseProcess:
    """Return a process that calls a function in the environment of this test; it is not started yet."""
    return CONTEXT.Process(target=_run, args=(dict(os.environ), target, arguments))  # type: ignore[attr-defined, no-any-return]


def _run(environment: Mapping[str, str], target: Callable[..., object], arguments: tuple[object, ...]) -> None:
    os.environ.clear()
    os.environ.update(environment)
    target(*arguments)


def wait_for(found: Callable[[], object], seconds: float = 120) -> bool:
    """Return whether something comes to be so; the time is only against waiting for ever."""
    until = time.monotonic() + seconds
    while not found() and time.monotonic() < until:
        time.sleep(0.05)
    return bool(found())


class StdioClient:
    """A client that talks to a server line by line; one that does not answer is ended."""

    def __init__(self, server: subprocess.Popen[str]) -> None:
        self._server, self._count = server, 0

    def begin(self) -> None:
        about = {"name": "client", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": about})
        self._send({"method": "notifications/initialized"})

    def ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Return the answer to a request; empty if the server gives none in time."""
        assert self._server.stdout
        self._count += 1
        self._send({"id": self._count, "method": method, "params": params})
        watch = threading.Timer(_PATIENCE, self._server.kill)
        watch.start()
        try:
            for line in self._server.stdout:
                answer: dict[str, Any] = json.loads(line)
                if answer.get("id") == self._count:
                    return answer
        finally:
            watch.cancel()
        return {}

    def end(self) -> str:
        """End the server as a client does; return what it said beside its answers."""
        return self._server.communicate(timeout=_PATIENCE)[1]

    def _send(self, message: dict[str, Any]) -> None:
        assert self._server.stdin
        with suppress(BrokenPipeError):  # the answer that does not come is told
            self._server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
            self._server.stdin.flush()
