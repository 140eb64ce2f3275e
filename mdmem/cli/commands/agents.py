"""The verbs with which an agent is served: `mdmem mcp`."""

from __future__ import annotations

import gc
import sys
from typing import Annotated

from typer import Option

from mdmem.agents.mcp.sdk_loader import require_sdk
from mdmem.agents.mcp.server import MemoryServer, ServerOptions
from mdmem.cli.grammar.parameters import Lang, Root, User
from mdmem.cli.opened import open_workspace
from mdmem.cli.usage import split
from mdmem.messages.catalog import say

_GARBAGE = 5_000  # objects between two collections: a server runs for days, so that more would stay in its memory


def mcp(
    http: Annotated[int | None, Option("--http", min=0)] = None,
    tools: Annotated[list[str] | None, Option("--tools")] = None,
    read_only: Annotated[bool, Option("--read-only")] = False,
    root: Root = "",
    lang: Lang = None,
    user: User = "",
) -> None:
    """Serve the workspace over MCP at the standard input and output, or over HTTP on this machine."""
    work = open_workspace(root, lang, user)
    server = MemoryServer(ServerOptions(work.root, lang, tuple(split(tools) or ()), read_only, user))
    server.check()
    require_sdk(server.lang)
    from mdmem.agents.mcp.wire import serve_http, serve_stdio

    gc.enable()  # the start-up has switched it off
    gc.freeze()
    gc.set_threshold(_GARBAGE)
    if http is None:
        serve_stdio(server, server.max_bytes)
        return

    def announce(url: str, token: str) -> None:
        print(say(server.lang, "mcp.listening", url=url, token=token), file=sys.stderr, flush=True)

    serve_http(server, http, announce)
