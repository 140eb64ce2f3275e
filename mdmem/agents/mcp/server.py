"""The MCP server of one workspace: tools, resources and prompts, over the SDK's low-level server.

The SDK is imported when a server is built, so that this module can be imported without it. The tools are imported when
they are asked for, so that the handshake is answered first: some clients wait less than a second for it.
"""

from __future__ import annotations

import os
import sys
import threading
from base64 import b64encode
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeVar
from urllib.parse import quote, unquote

from mdmem import MdmemError, UsageError, Workspace, __version__
from mdmem.agents.mcp.replies import actor_name, printable, reply_text
from mdmem.agents.mcp.workers import Workers
from mdmem.attachments.model import FOLDER as ATTACHMENTS
from mdmem.config.trust_requests import settings_without_own
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.read import live_bytes
from mdmem.errors import WorkspaceNotFoundError
from mdmem.formats.paths import within_user
from mdmem.messages.catalog import say
from mdmem.messages.folders import languages, locale_language
from mdmem.messages.translated_errors import in_language

if TYPE_CHECKING:
    import mcp_types as types
    from mcp.server.context import ServerRequestContext
    from mcp.server.lowlevel.server import Server

    from mdmem.settings.tables import McpSettings
    from mdmem.tools.client import ToolClient
    from mdmem.tools.model import Tool

    Context = ServerRequestContext[dict[str, ToolClient], Any]

_P = ParamSpec("_P")
_T = TypeVar("_T")
NAME = "mdmem"
EVERY = "all"  # the word for every tool
FILES, PACKS = "mdmem://file/", "mdmem://context/"
MARKDOWN = "text/markdown"
LIST_TTL_MS = 3_600_000  # how long clients may keep the lists that change with the settings only
ALWAYS_LOADED = {"anthropic/alwaysLoad": True}  # Claude Code then shows the tool without a search for it
REMEMBER, TIDY = "remember", "tidy"
_SESSION, _MOST_CLIENTS = "mcp-session-id", 100  # the header of a session; sessions whose reading is remembered
_NAME_CHARS, _URI_CHARS = 40, 200  # most characters of a name and of an address that a message repeats


class ServerOptions(NamedTuple):
    """What a server offers."""

    root: str
    lang: str | None = None  # None for the workspace's
    tools: Sequence[str] = ()  # names, or `all`; empty for `[mcp] tools`
    read_only: bool = False  # only tools that change nothing
    user: str = ""  # whose memory is served; no call can name another user


class MemoryServer:
    """Answers the requests of MCP clients about one workspace.

    Calls run in threads of their own, one after another as long as each is quick; see `Workers`. Each thread has a
    workspace of its own, and they wait for each other's locks as processes do.
    """

    def __init__(self, options: ServerOptions) -> None:
        """Bind to a workspace, which is opened by the first request that needs it."""
        self._options = options
        self._own = threading.local()  # the workspace of a thread, and what it was opened with
        self._workers = Workers(lambda: self._settings.patience_ms / 1000, lambda: self._settings.threads)
        self._open = self._opened()

    @property
    def lang(self) -> str:
        """The language of the server; that of the locale if the settings cannot be read."""
        try:
            return self._open.lang
        except MdmemError:
            wanted = self._options.lang or ""
            return wanted if wanted in languages() else locale_language()

    @property
    def max_bytes(self) -> int:
        """The most bytes of one message."""
        return self._settings.max_bytes

    @property
    def _settings(self) -> McpSettings:
        """The settings of the server; the shipped ones if they cannot be read."""
        try:
            return self._open.config.settings.mcp
        except MdmemError:
            return settings_without_own(self._open.config).mcp

    def check(self) -> None:
        """Refuse names of tools that do not exist.

        Raises:
            UsageError: there is no such tool.
        """
        if not self._options.tools:
            return
        from mdmem.tools.definitions import tools

        known = list(tools(self.lang))
        for name in self._options.tools:
            if name not in (*known, EVERY):
                raise UsageError(
                    say(self.lang, "tool.no-tool", name=name[:40]),
                    hint=say(self.lang, "tool.tools", names=", ".join(known)),
                )

    def build(self) -> Server[dict[str, ToolClient]]:
        """Return the SDK's server with the handlers of this one."""
        from mcp.server.caching import CacheHint
        from mcp.server.lowlevel.server import Server

        lists = CacheHint(LIST_TTL_MS)
        return Server(
            NAME,
            version=__version__,
            instructions=say(self.lang, "mcp.instructions"),
            lifespan=_clients,
            cache_hints={
                "server/discover": lists,
                "tools/list": lists,
                "prompts/list": lists,
                "resources/templates/list": lists,
            },
            on_list_tools=self._list_tools,
            on_call_tool=self._call_tool,
            on_list_resources=self._list_resources,
            on_list_resource_templates=self._list_templates,
            on_read_resource=self._read_resource,
            on_list_prompts=self._list_prompts,
            on_get_prompt=self._get_prompt,
        )

    # --- tools ---

    def tools(self) -> list[Tool]:
        """Return the tools that are offered, in the order of their definitions; none while memory is switched off."""
        from mdmem.tools.dispatch import offered

        work = self._workspace()
        wanted = self._wanted(work)
        return [tool for tool in offered(work, wanted) if self._offers(wanted, tool)]

    def _wanted(self, work: Workspace) -> Sequence[str]:
        """Return the names of the tools to offer."""
        from mdmem.tools.dispatch import usual

        return self._options.tools or usual(work)

    def _offers(self, wanted: Sequence[str], tool: Tool) -> bool:
        return (EVERY in wanted or tool.name in wanted) and (tool.effect == "read" or not self._options.read_only)

    async def _list_tools(self, _: Context, __: object) -> types.ListToolsResult:
        from mcp_types import ListToolsResult

        return ListToolsResult(tools=[_as_sdk_tool(one) for one in await self._run(self.tools)])

    async def _call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        from mcp_types import CallToolResult, ResourceLink, TextContent

        reply = await self._run(self._called, params.name, params.arguments or {}, self._caller(context))
        text = TextContent(type="text", text=reply_text(reply))
        links = [
            ResourceLink(type="resource_link", uri=FILES + quote(path), name=path.rpartition("/")[2])
            for path in reply.get("files", ())
        ]
        return CallToolResult(content=[text, *links], is_error=reply["status"] == "error")

    def _called(self, name: str, arguments: dict[str, Any], client: ToolClient) -> dict[str, Any]:
        from mdmem.tools.definitions import tools

        work = self._workspace()
        wanted = self._wanted(work)
        names = [one.name for one in tools(work.lang).values() if self._offers(wanted, one)]
        if name not in names:
            message = say(work.lang, "mcp.not-offered", name=_shown(name, _NAME_CHARS))
            hint = say(work.lang, "tool.tools", names=", ".join(names))
            return {"status": "error", "message": message, "hint": hint, "findings": []}
        reply = work.call(name, arguments, client=client)
        notes = "\n".join(one.told(work.lang) for one in work.config.held)
        if notes != client.told:
            client.told = notes
            reply["hint"] = "\n".join(filter(None, (reply["hint"], notes)))
        return reply

    def _caller(self, context: Context) -> ToolClient:
        """Return the client of a request, with what it has read: one for each connection, or session over HTTP."""
        from mdmem.tools.client import ToolClient

        known, name = context.lifespan_context, ""
        if context.request is not None and not (name := context.request.headers.get(_SESSION, "")):
            return ToolClient(_client(context))  # since 2026-07-28, a request over HTTP belongs to no session
        if len(known) >= _MOST_CLIENTS and name not in known:
            known.pop(next(iter(known)))
        return known.setdefault(name, ToolClient(_client(context)))

    # --- resources ---

    async def _list_resources(self, _: Context, __: object) -> types.ListResourcesResult:
        from mcp_types import ListResourcesResult, Resource

        found = await self._run(self._resources)
        return ListResourcesResult(resources=[Resource(uri=uri, name=name, mime_type=MARKDOWN) for uri, name in found])

    def _resources(self) -> list[tuple[str, str]]:
        """Return the address and the name of each memory file that `status` lists, and of each pack."""
        work = self._workspace()
        hidden = work.config.settings.mcp.unlisted
        sees = work.config.whose.sees
        files = [one.path for one in work.status() if one.kind not in hidden and one.lost != "gone" and sees(one.path)]
        packs = list(work.recipes().recipes)
        return [
            *((FILES + quote(path), printable(path)) for path in files),
            *((PACKS + quote(name), say(work.lang, "mcp.pack", name=name)) for name in packs),
        ]

    async def _list_templates(self, _: Context, __: object) -> types.ListResourceTemplatesResult:
        from mcp_types import ListResourceTemplatesResult, ResourceTemplate

        made = [
            ResourceTemplate(uri_template=f"{prefix}{{{hole}}}", name=key, description=text, mime_type=MARKDOWN)
            for prefix, hole, key, text in (
                (FILES, "+path", "file", say(self.lang, "mcp.file-template")),
                (PACKS, "recipe", "context", say(self.lang, "mcp.pack-template")),
            )
        ]
        return ListResourceTemplatesResult(resource_templates=made)

    async def _read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        from mcp_types import BlobResourceContents, ReadResourceResult, TextResourceContents

        if attached := await self._run(self._attached, str(params.uri)):
            kind, data = attached
            blob = BlobResourceContents(uri=params.uri, mime_type=kind, blob=b64encode(data).decode())
            return ReadResourceResult(contents=[blob])
        text = await self._run(self._resource, str(params.uri), _client(context))
        return ReadResourceResult(
            contents=[TextResourceContents(uri=params.uri, mime_type=MARKDOWN, text=printable(text))]
        )

    def _attached(self, uri: str) -> tuple[str, bytes] | None:
        """Return the type and the content of an attachment's file; None for another address, and for a text."""
        config, path = self._workspace().config, unquote(uri.removeprefix(FILES))
        if not uri.startswith(FILES) or not within_user(path).startswith(f"{ATTACHMENTS}/") or path.endswith(".md"):
            return None
        from mdmem.attachments.service import Attachments

        every = Attachments(config).list(limit=sys.maxsize)
        found = next((one for one in every if one.local_path == path and not one.mime_type.startswith("text/")), None)
        data = live_bytes(config, path, config.settings.attachments.max_bytes) if found else None
        return (found.mime_type, data) if found and data is not None else None

    def _resource(self, uri: str, actor: str) -> str:
        work = self._workspace()
        if uri.startswith(FILES):
            from mdmem.linter.masking import mask

            return mask(work.read(unquote(uri.removeprefix(FILES)), actor=actor).text)
        if uri.startswith(PACKS):
            return work.pack(unquote(uri.removeprefix(PACKS))).text
        raise UsageError(
            say(work.lang, "mcp.no-resource", uri=_shown(uri, _URI_CHARS)), hint=say(work.lang, "mcp.no-resource.hint")
        )

    # --- prompts ---

    async def _list_prompts(self, _: Context, __: object) -> types.ListPromptsResult:
        from mcp_types import ListPromptsResult, Prompt, PromptArgument

        given = [
            PromptArgument(name=one, description=say(self.lang, f"mcp.argument-{one}"), required=False)
            for one in ("recipe", "query")
        ]
        remember = Prompt(name=REMEMBER, description=say(self.lang, "mcp.remember"), arguments=given)
        return ListPromptsResult(prompts=[remember, Prompt(name=TIDY, description=say(self.lang, "mcp.tidy"))])

    async def _get_prompt(self, _: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        from mcp_types import GetPromptResult, PromptMessage, TextContent

        text = await self._run(self._prompt, params.name, params.arguments or {})
        content = TextContent(type="text", text=printable(text))
        return GetPromptResult(messages=[PromptMessage(role="user", content=content)])

    def _prompt(self, name: str, arguments: dict[str, str]) -> str:
        work = self._workspace()
        if name == REMEMBER:
            recipe = arguments.get("recipe", "")
            pack = work.pack(*([recipe] if recipe else ()), query=arguments.get("query", ""))
            return pack.text or say(work.lang, "mcp.remember-nothing")
        if name != TIDY:
            raise UsageError(
                say(work.lang, "mcp.no-prompt", name=_shown(name, _NAME_CHARS), names=f"{REMEMBER}, {TIDY}")
            )
        waiting = [(one.path, sentence) for one in work.status() for sentence in one.pending]
        work_lines = "\n".join(f"- {path}: {sentence}" for path, sentence in waiting)
        return say(work.lang, "mcp.tidy-work", work=work_lines) if waiting else say(work.lang, "mcp.tidy-nothing")

    # --- running ---

    def _workspace(self) -> Workspace:
        """Return the workspace; a new one after a change of the day, the settings, the templates or the trust.

        Raises:
            WorkspaceNotFoundError: the folder is gone; a call would create another, empty one.
        """
        if not os.path.isdir(self._options.root):
            raise WorkspaceNotFoundError(say(self.lang, "mcp.gone"), hint=say(self.lang, "mcp.gone.hint"))
        config = WorkspaceConfig(self._options.root, self._options.lang, user=self._options.user, remember=False)
        config.lenient = "held"
        texts = config.user_settings, config.trust_content
        state = (config.day, *texts, config.trusted, config.held, config.stricter)
        if getattr(self._own, "state", None) != state:
            self._open = self._own.work = self._opened()
            self._own.state = state
        work: Workspace = self._own.work
        return work

    def _opened(self) -> Workspace:
        work = Workspace(self._options.root, lang=self._options.lang, user=self._options.user)
        work.config.lenient = "held"  # a broken file of settings ends no call
        return work

    def finish(self) -> None:
        """Wait for the calls under way, as long as one may take."""
        self._workers.finish(self._settings.deadline_seconds)

    async def _run(self, call: Callable[_P, _T], *args: _P.args, **named: _P.kwargs) -> _T:
        """Run a call in a thread; raise the protocol's error for an error, which never ends the server."""
        from mcp.shared.exceptions import MCPError
        from mcp_types import INTERNAL_ERROR, INVALID_PARAMS

        try:
            return await self._workers.run(lambda: call(*args, **named), self._settings.deadline_seconds)
        except TimeoutError:
            seconds = self._settings.deadline_seconds
            raise MCPError(INTERNAL_ERROR, say(self.lang, "mcp.slow", seconds=seconds)) from None
        except MdmemError as error:
            from mdmem.tools.commands import with_tools

            told = in_language(error, self.lang)
            text = "\n".join(filter(None, (str(told), told.hint)))
            raise MCPError(INVALID_PARAMS, _shown(with_tools(text, self.lang))) from None
        except Exception as error:  # noqa: BLE001 - a defect of ours ends one call, not the server
            print(f"mdmem mcp: {type(error).__name__}", file=sys.stderr)
            raise MCPError(INTERNAL_ERROR, say(self.lang, "mcp.failed")) from None


@asynccontextmanager
async def _clients(_: object) -> AsyncIterator[dict[str, ToolClient]]:
    """Hold the clients of one run of the server: over a stream that is one connection, over HTTP all sessions."""
    yield {}


def _as_sdk_tool(tool: Tool) -> types.Tool:
    from mcp_types import Tool as SdkTool
    from mcp_types import ToolAnnotations

    annotations = ToolAnnotations(
        read_only_hint=tool.effect == "read",
        destructive_hint=None if tool.effect == "read" else tool.effect == "change",
        idempotent_hint=True if tool.effect == "add" else None,
        open_world_hint=False,
    )
    return SdkTool(
        name=tool.name, description=tool.description, input_schema=tool.schema, annotations=annotations,
        _meta=ALWAYS_LOADED if tool.always else None,
    )  # fmt: skip


def _shown(text: str, most: int = 0) -> str:
    """Return a text for a message, with secrets masked before it is cut; the detectors are loaded for errors only."""
    from mdmem.linter.masking import LONGEST_MESSAGE, echo

    return echo(text, most or LONGEST_MESSAGE)


def _client(context: Context) -> str:
    """Return the actor for the client of a request."""
    params = context.session.client_params
    return actor_name(params.client_info.name if params else "")
