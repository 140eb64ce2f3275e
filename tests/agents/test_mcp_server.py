"""The MCP server, asked by the client of the official SDK in both eras of the protocol."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from harness import files_of

from mdmem import Workspace
from mdmem.agents.mcp.replies import actor_name, reply_text
from mdmem.agents.mcp.server import MemoryServer, ServerOptions
from mdmem.text.tokens import count_tokens

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("sdk")]

ERAS = ("legacy", "auto")
FILES = {
    "MEMORY.md": "# Memory\n\n## Important events\n\n- 2026-02-13: the sloop passed its survey in Makkum\n",
    "archive/2026-01.md": "# Archive\n\n- 2026-01-02: an old thing\n",
}
Ask = Callable[[Any], Awaitable[Any]]


@pytest.fixture(scope="module")
def sdk() -> None:
    """Skip without the SDK; it is imported when a test needs it, for every process of a run collects this file."""
    pytest.importorskip("mcp.server.lowlevel")


def mcp_error() -> Any:
    """Return the error with which the SDK's client tells that the server refused."""
    from mcp.shared.exceptions import MCPError

    return MCPError


@pytest.fixture
def work(make: Callable[..., Workspace]) -> Workspace:
    return make("en", FILES)


def asked(work: Workspace, ask: Ask, mode: str = "auto", client: str = "", lang: str = "en", **options: Any) -> Any:
    """Return what a client that is connected to a server of this workspace is told."""
    from mcp import Client
    from mcp_types import Implementation

    async def run() -> Any:
        server = MemoryServer(ServerOptions(work.root, lang, **options)).build()
        info = Implementation(name=client, version="1") if client else None
        async with Client(server, mode=mode, client_info=info) as connected:
            return await ask(connected)

    return asyncio.run(run())


def called(work: Workspace, name: str, arguments: dict[str, Any], **how: Any) -> Any:
    return asked(work, lambda client: client.call_tool(name, arguments), **how)


@pytest.mark.parametrize("mode", ERAS)
def test_a_client_of_either_era_finds_tools_resources_and_prompts(work: Workspace, mode: str) -> None:
    async def ask(client: Any) -> tuple[Any, ...]:
        tools, found = await client.list_tools(), await client.list_resources()
        return client.instructions, tools.tools, found.resources, (await client.list_prompts()).prompts

    instructions, tools, resources, prompts = asked(work, ask, mode)
    assert 0 < len(instructions) <= 600
    assert {one.name for one in tools} == set(work.config.settings.mcp.tools)
    assert "mdmem://file/MEMORY.md" in [one.uri for one in resources]
    assert "mdmem://context/chat" in [one.uri for one in resources]
    assert not [one.uri for one in resources if "archive" in one.uri], "there are many"
    assert [one.name for one in prompts] == ["remember", "tidy"]


@pytest.mark.parametrize("mode", ERAS)
def test_a_connection_is_remembered_by_what_it_has_read(work: Workspace, mode: str, text: Callable[[str], str]) -> None:
    """A line that the client has read may go; one that was added since stays."""

    async def ask(client: Any) -> None:
        before = text("MEMORY.md")
        Workspace(work.root).add("MEMORY.md", ["The ferry leaves at 7:40"], section="Important events")
        await client.call_tool("read", {"path": "MEMORY.md"})
        Workspace(work.root).add("MEMORY.md", ["The boat is green"], section="Important events")
        await client.call_tool("write", {"path": "MEMORY.md", "content": before})

    asked(work, ask, mode, tools=("all",))
    assert "ferry" not in text("MEMORY.md")
    assert "green" in text("MEMORY.md")


@pytest.mark.parametrize("mode", ERAS)
def test_a_tool_call_writes_under_the_clients_name(work: Workspace, mode: str, text: Callable[[str], str]) -> None:
    entry = {"path": "MEMORY.md", "section": "events", "content": "2026-02-20: the mast is ordered from Heeg"}
    done = called(work, "memory_add", entry, mode=mode, client="Some Client [x]")
    assert not done.is_error
    assert "the mast is ordered from Heeg" in text("MEMORY.md")
    assert work.history.log()[0].actor == "mcp:Some-Client-x"


def test_a_reply_is_plain_text_without_a_second_form(work: Workspace) -> None:
    found = called(work, "memory_search", {"query": "sloop survey"})
    assert found.structured_content is None
    assert [one.type for one in found.content] == ["text"]
    assert found.content[0].text.startswith("MEMORY.md:5")
    with pytest.raises(ValueError, match="Expecting value"):
        json.loads(found.content[0].text)


def test_a_former_name_of_a_tool_is_offered_where_it_is_named(work: Workspace, text: Callable[[str], str]) -> None:
    names = ("add_memory", "search_memory", "get_memory_stats")

    async def ask(client: Any) -> tuple[list[str], Any]:
        listed = [one.name for one in (await client.list_tools()).tools]
        return listed, await client.call_tool("add_memory", {"content": "the mast is ordered from Heeg"})

    listed, done = asked(work, ask, tools=names)
    assert sorted(listed) == sorted(names)
    assert not done.is_error
    assert "Heeg" in text("facts/user.md")
    assert not set(names) & set(asked(work, ask, tools=("all",))[0])


def test_an_error_says_what_to_do_next(work: Workspace, text: Callable[[str], str]) -> None:
    before = text("MEMORY.md")
    refused = called(work, "memory_add", {"path": "MEMORY.md", "content": "the PIN of the boat card is 8841"})
    assert refused.is_error
    assert "8841" not in refused.content[0].text
    missing = called(work, "edit", {"path": "MEMORY.md", "oldText": "the sloop failed", "newText": "x"})
    assert missing.is_error
    assert len(missing.content[0].text.splitlines()) > 1, "the hint and the nearest line follow"
    assert text("MEMORY.md") == before


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_tools_cost_a_model_less_than_nineteen_hundred_tokens(make: Callable[..., Workspace], lang: str) -> None:
    tools = asked(make(lang, FILES), lambda client: client.list_tools(), lang=lang).tools
    shown = json.dumps(
        [one.model_dump(by_alias=True, exclude_none=True) for one in tools], ensure_ascii=False, separators=(",", ":")
    )
    assert count_tokens(shown) < 1900


def test_every_tool_says_what_it_may_do(work: Workspace) -> None:
    tools = {one.name: one for one in asked(work, lambda client: client.list_tools(), tools=("all",)).tools}
    assert len(tools) == len(work.tools())
    assert all(one.annotations.open_world_hint is False for one in tools.values())
    assert tools["memory_search"].annotations.read_only_hint
    assert tools["memory_add"].annotations.idempotent_hint
    assert not tools["memory_add"].annotations.destructive_hint
    assert tools["memory_edit"].annotations.destructive_hint
    assert [name for name, one in tools.items() if one.meta] == ["memory_add", "memory_search"]


def test_what_only_reads_changes_nothing(work: Workspace, tmp_path: Path) -> None:
    """Call every tool that `--read-only` offers with its own example, and compare all files."""
    from mdmem.tools.definitions import tools

    before = files_of(work.root, ".mdmem")
    offered = [one.name for one in asked(work, lambda c: c.list_tools(), tools=("all",), read_only=True).tools]
    assert "memory_read" in offered
    assert "memory_add" not in offered
    for name in offered:
        called(work, name, tools("en")[name].call, tools=("all",), read_only=True)
    assert files_of(work.root, ".mdmem") == before


def test_a_tool_that_is_not_offered_is_not_run(work: Workspace, text: Callable[[str], str]) -> None:
    before = text("MEMORY.md")
    entry = {"path": "MEMORY.md", "content": "2026-02-20: the mast is ordered"}
    assert called(work, "memory_add", entry, read_only=True).is_error
    assert called(work, "delete", {"path": "/memories/MEMORY.md"}).is_error
    assert text("MEMORY.md") == before


TOKEN = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbm5hLWtsZWluIn0.q7Zt3Xw9Lm2Vb8Kc4Rf6Yh1Dp5Ns0Jg3"


def test_no_error_repeats_a_secret_of_the_request(work: Workspace) -> None:
    """A client may put anything where a name belongs; a long token is masked before it is cut."""

    async def refused(client: Any) -> list[str]:
        found = []
        for call in (
            client.get_prompt(TOKEN),
            client.read_resource(f"mdmem://file/{TOKEN}"),
            client.read_resource(f"mdmem:{'/' * 150}{TOKEN}"),
            client.read_resource(f"mdmem://context/{TOKEN}"),
        ):
            with pytest.raises(mcp_error()) as raised:
                await call
            found.append(raised.value.error.message)
        return found

    replies = [called(work, TOKEN, {}), called(work, "memory_search", {TOKEN: "x"})]
    told = [*(one.content[0].text for one in replies), *asked(work, refused)]
    assert len(told) == 6
    for one in told:
        assert TOKEN[:12] not in one, one
    assert "[JWT]" in told[0]
    assert "memory_search" in told[0], "the names that are offered follow"


def test_plan_and_evidence_are_offered_where_there_is_some(make: Callable[..., Workspace]) -> None:
    work = make("en", FILES)
    server = MemoryServer(ServerOptions(work.root))

    def offered() -> set[str]:
        return {tool.name for tool in server.tools()}

    usual = offered()
    assert len(usual) == 10
    assert not usual & {"plan", "why", "artifact_get"}
    refused = called(work, "plan", {})
    assert (refused.is_error, "is not offered" in refused.content[0].text) == (True, True)
    work.plan.add("paint the boat")
    assert offered() == usual | {"plan", "why"}
    work.artifacts.put(b"12 passed", tool="Bash", input="make test", exit_code=0)
    assert offered() == usual | {"plan", "why", "artifact_get"}
    only = MemoryServer(ServerOptions(work.root, tools=("memory_search",)))
    assert [tool.name for tool in only.tools()] == ["memory_search"], "what is named is all"


def test_no_tools_while_memory_is_off(make: Callable[..., Workspace]) -> None:
    work = make("en", FILES, settings="[memory]\nenabled = false\n")
    assert asked(work, lambda client: client.list_tools()).tools == []
    assert called(work, "memory_search", {"query": "sloop"}).is_error


def test_resources_are_files_and_packs(work: Workspace) -> None:
    async def read(client: Any) -> list[str]:
        found = [await client.read_resource(uri) for uri in ("mdmem://file/MEMORY.md", "mdmem://context/default")]
        return [one.contents[0].text for one in found]

    file, pack = asked(work, read)
    assert file == FILES["MEMORY.md"]
    assert "passed its survey" in pack


def test_an_attachment_is_handed_over_as_a_link_that_can_be_read(work: Workspace) -> None:
    data = b"\x89PNG\r\n\x1a\n0"
    Path(work.root, "sloop.png").write_bytes(data)
    work.attach(str(Path(work.root, "sloop.png")), description="The sloop under sail")

    async def ask(client: Any) -> Any:
        found = await client.call_tool("memory_search", {"query": "sloop under sail"})
        (link,) = [one for one in found.content if one.type == "resource_link"]
        return link, await client.read_resource(str(link.uri))

    link, read = asked(work, ask)
    assert (str(link.uri), link.name) == ("mdmem://file/attachments/sloop.png", "sloop.png")
    (content,) = read.contents
    assert content.mime_type == "image/png"
    assert base64.b64decode(content.blob) == data


@pytest.mark.parametrize(
    "uri",
    [
        "mdmem://file/NOTHING.md", "mdmem://file/../../etc/passwd", "mdmem://file/%2e%2e%2fsecret", "file:///etc/passwd",
        "mdmem://file/.mdmem/log", "mdmem://context/nothing", "mdmem://", "x",
    ],
)  # fmt: skip
def test_what_is_no_resource_is_refused(work: Workspace, uri: str) -> None:
    async def ask(client: Any) -> Any:
        with pytest.raises(mcp_error()) as raised:
            await client.read_resource(uri)
        return raised.value.error

    error = asked(work, ask)
    assert error.code == -32602
    assert work.root not in error.message


def test_an_error_names_tools_for_an_agent_has_no_command_line(work: Workspace) -> None:
    async def ask(client: Any) -> Any:
        with pytest.raises(mcp_error()) as raised:
            await client.read_resource("mdmem://file/NOTHING.md")
        return raised.value.error

    message = asked(work, ask).message
    assert "no such file" in message
    assert "mdmem " not in message


def test_a_folder_that_is_gone_is_told_and_not_made_anew(work: Workspace) -> None:
    async def ask(client: Any) -> str:
        await client.list_tools()
        Path(work.root).rename(f"{work.root}-away")
        entry = {"path": "MEMORY.md", "section": "events", "content": "2026-02-20: the mast is ordered from Heeg"}
        with pytest.raises(mcp_error()) as raised:
            await client.call_tool("memory_add", entry)
        assert not Path(work.root).exists()
        Path(f"{work.root}-away").rename(work.root)
        assert not (await client.call_tool("memory_add", entry)).is_error
        return str(raised.value.error.message)

    message = asked(work, ask)
    assert "is gone" in message
    assert work.root not in message


def test_the_prompts_hold_the_memory_and_the_work(make: Callable[..., Workspace]) -> None:
    full = "\n".join(f"- 2026-01-{day:02}: oiled winch number {day} on the quay" for day in range(1, 25))
    work = make("en", {"FASTMEMO.md": f"# Surface memory\n\n## Environment\n\n{full}\n", **FILES})

    async def ask(client: Any) -> list[str]:
        made = [await client.get_prompt("remember", {"query": "sloop"}), await client.get_prompt("tidy")]
        return [one.messages[0].content.text for one in made]

    remember, tidy = asked(work, ask)
    assert "passed its survey" in remember
    assert "FASTMEMO.md" in tidy
    assert "memory_edit" in tidy


def test_a_server_sees_new_settings_and_a_new_day(work: Workspace) -> None:
    """A server runs for weeks; the settings and the day of its start do not."""
    server = MemoryServer(ServerOptions(work.root, "en"))
    assert len(server.tools()) == 10
    settings = Path(work.root) / "mdmem.toml"
    settings.write_text(settings.read_text("utf-8") + '[mcp]\ntools = ["memory_search"]\n', "utf-8")
    assert [one.name for one in server.tools()] == ["memory_search"]


def test_a_call_with_the_same_settings_reads_no_cache(work: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask(client: Any) -> Any:
        await client.call_tool("pin_list", {})
        monkeypatch.setattr("mdmem.store.cache.open", lambda *_: pytest.fail("the cache is read"), raising=False)
        return await client.call_tool("pin_list", {})

    assert not asked(work, ask, tools=("pin_list",)).is_error


def test_a_server_starts_with_broken_settings_and_says_so(work: Workspace) -> None:
    (Path(work.root) / "mdmem.toml").write_text("[mcp\n", "utf-8")
    assert "mdmem.toml:1" in called(work, "memory_search", {"query": "sloop"}).content[0].text


def test_a_defect_ends_one_call_and_not_the_server(
    work: Workspace, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError(work.root)

    monkeypatch.setattr(Workspace, "call", broken)

    async def ask(client: Any) -> int:
        with pytest.raises(mcp_error()) as raised:
            await client.call_tool("memory_search", {"query": "sloop"})
        assert raised.value.error.code == -32603
        assert work.root not in raised.value.error.message
        return len((await client.list_tools()).tools)

    assert asked(work, ask) == 10
    assert "ZeroDivisionError" in capfd.readouterr().err


def names() -> Iterator[tuple[str, str]]:
    yield from (("claude-code", "mcp:claude-code"), ("user", "mcp:user"), ("", "mcp"), ("  ", "mcp"))
    yield from (("Клиент 1", "mcp:Клиент-1"), ("a\n\x00b[c]", "mcp:a-b-c"), ("keeper", "mcp:keeper"))


@pytest.mark.parametrize(("client", "actor"), list(names()))
def test_no_client_can_pose_as_the_person_or_the_keeper(client: str, actor: str) -> None:
    assert actor_name(client) == actor
    assert len(actor_name(client * 100)) <= 64


def test_a_reply_without_a_text_says_its_message() -> None:
    reply = {"status": "waiting", "message": "it waits", "hint": "tell the user", "findings": [], "text": "x"}
    assert reply_text(reply) == "it waits\nx\ntell the user"
    assert reply_text(reply | {"status": "done"}) == "x\ntell the user"
    assert reply_text(reply | {"status": "done", "text": "\udc80"}) == "?\ntell the user"


def test_a_hanging_call_keeps_the_others_of_the_server_answered(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, usual = threading.Event(), Workspace.call

    def call(self: Workspace, name: str, arguments: dict[str, Any], **how: Any) -> Any:
        if arguments.get("query") == "hang":
            gate.wait()
        return usual(self, name, arguments, **how)

    monkeypatch.setattr(Workspace, "call", call)

    async def ask(client: Any) -> Any:
        hanging = asyncio.create_task(client.call_tool("memory_search", {"query": "hang"}))
        await asyncio.sleep(0.05)
        found = [await client.call_tool("memory_search", {"query": "sloop"}) for _ in range(5)]
        assert not hanging.done()
        gate.set()
        return [*found, await hanging]

    try:
        *found, _ = asked(work, ask)
    finally:
        gate.set()
    assert all("Makkum" in one.content[0].text for one in found)


def test_a_hanging_client_keeps_no_other_client_of_the_server_waiting(
    work: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    from mcp import Client

    gate = threading.Event()
    monkeypatch.setattr(Workspace, "call", lambda *_, **__: gate.wait())

    async def run() -> tuple[int, str]:
        server = MemoryServer(ServerOptions(work.root, "en")).build()
        async with Client(server) as one, Client(server) as other:
            hanging = [asyncio.create_task(one.call_tool("memory_search", {"query": "x"})) for _ in range(3)]
            await asyncio.sleep(0.05)
            listed = await other.list_tools()
            read = await other.read_resource("mdmem://file/MEMORY.md")
            await other.list_resources()
            await other.get_prompt("tidy")
            assert not any(task.done() for task in hanging)
            gate.set()
            await asyncio.wait(hanging)
            return len(listed.tools), str(read.contents[0])

    try:
        count, text = asyncio.run(run())
    finally:
        gate.set()
    assert count
    assert "Makkum" in text


def test_a_call_over_its_deadline_is_told_so(make: Callable[..., Workspace], monkeypatch: pytest.MonkeyPatch) -> None:
    work, gate = make("en", FILES, settings="[mcp]\ndeadline_seconds = 1\n"), threading.Event()
    monkeypatch.setattr(Workspace, "call", lambda *_, **__: gate.wait())

    async def ask(client: Any) -> str:
        with pytest.raises(mcp_error()) as told:
            await client.call_tool("memory_search", {"query": "hang"})
        return str(told.value)

    try:
        assert "has not ended after 1 second" in asked(work, ask)
    finally:
        gate.set()
