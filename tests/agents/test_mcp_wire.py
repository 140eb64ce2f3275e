"""MCP as a process: the SDK's client over stdio and HTTP, hostile lines, and a missing SDK."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any

import pytest
from forms import many

from mdmem import Workspace

pytestmark = pytest.mark.slow
MCP = [sys.executable, "-m", "mdmem", "mcp"]
HELLO = {
    "jsonrpc": "2.0", "id": "hello", "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
FILES = {"MEMORY.md": "# Memory\n\n## Important events\n\n- 2026-02-13: the sloop passed its survey in Makkum\n"}


@pytest.fixture
def work(make: Callable[..., Workspace]) -> Workspace:
    return make("en", FILES)


def spoken(work: Workspace, lines: list[bytes]) -> tuple[list[dict[str, Any]], int]:
    """Return what a server answers to these lines after the handshake, and its exit code."""
    pytest.importorskip("mcp.server.lowlevel")
    first = [json.dumps(one).encode() for one in (HELLO, READY)]
    done = subprocess.run(
        [*MCP, "--root", work.root], input=b"\n".join([*first, *lines]), capture_output=True, check=False, timeout=120
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["id"] for one in answers].count("hello") == 1, done.stderr.decode()
    return [one for one in answers if one["id"] != "hello"], done.returncode


def request(ident: object, method: str = "ping", **params: object) -> bytes:
    return json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}).encode()


HOSTILE = {
    "no JSON": b"{",
    "an array": b"[1, 2]",
    "a batch": b"[" + request(1) + b"]",
    "a text": b'"tools/list"',
    "a number": b"1e999",
    "half a character": b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
    "not UTF-8": b'{"jsonrpc": "2.0", "id": 1, "method": "\xff"}',
    "no id but null": b'{"jsonrpc": "2.0", "id": null, "method": "ping"}',
    "an id that is a list": b'{"jsonrpc": "2.0", "id": [], "method": "ping"}',
    "an id that is true": b'{"jsonrpc": "2.0", "id": true, "method": "ping"}',
    "no version": b'{"id": 1, "method": "ping"}',
    "another version": b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}',
    "no method": b'{"jsonrpc": "2.0", "id": 1}',
    "a method that is a number": b'{"jsonrpc": "2.0", "id": 1, "method": 5}',
    "parameters in a list": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": [1]}',
    "no such method": request(1, "no/such"),
    "no such tool": request(1, "tools/call", name="no_such", arguments={}),
    "arguments that are a list": request(1, "tools/call", name="memory_read", arguments=[]),
    "no name": request(1, "tools/call"),
    "unknown arguments": request(1, "tools/call", name="memory_search", arguments={"what": "x"}),
    "no resource": request(1, "resources/read", uri="file:///etc/passwd"),
    "no prompt": request(1, "prompts/get", name="no_such"),
    "deep": b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": ' + b"[" * 5000 + b"]" * 5000 + b"}}",
    "NUL": b"\0",
    "long": b'{"jsonrpc": "2.0", "id": 1, "method": "' + b"x" * 10_000_000 + b'"}',
}


Say = Callable[[list[bytes]], list[dict[str, Any]]]


@pytest.fixture(scope="module")
def listening(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Say]:
    """Start one server for all hostile lines; give a way to say lines and to take as many answers."""
    pytest.importorskip("mcp.server.lowlevel")
    root = tmp_path_factory.mktemp("hostile")
    (root / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    answers: SimpleQueue[bytes] = SimpleQueue()
    with subprocess.Popen([*MCP, "--root", str(root)], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stdout
        given, output = process.stdin, process.stdout

        def read() -> None:
            for line in output:
                answers.put(line)

        reader = Thread(target=read)
        reader.start()

        def say(lines: list[bytes]) -> list[dict[str, Any]]:
            given.write(b"".join(line + b"\n" for line in lines))
            given.flush()
            return [json.loads(answers.get(timeout=60)) for _ in lines]

        say([json.dumps(HELLO).encode()])
        given.write(json.dumps(READY).encode() + b"\n")
        yield say
        given.close()
        assert process.wait(60) == 0
        reader.join()
        assert answers.empty(), "each line has one answer"


@pytest.mark.thorough
@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_line_has_one_answer_and_the_server_lives(listening: Say, name: str) -> None:
    answers = listening([HOSTILE[name], request(f"after {name}")])
    assert [one["id"] for one in answers].count(f"after {name}") == 1
    bad = next(one for one in answers if one["id"] != f"after {name}")
    assert "error" in bad or bad["result"]["isError"]


@pytest.mark.thorough
def test_many_hostile_lines_have_one_answer_each(work: Workspace) -> None:
    """What is no message is answered without an id, and each request between is answered under its own."""
    source = random.Random(7)
    bases = [request(0, "tools/call", name="memory_search", arguments={"query": "sloop"}), *HOSTILE.values()]
    bases = [one for one in bases if len(one) < 10_000 and not one.startswith(b"\0")]
    lines = []
    for _ in range(many(300, 1000)):
        line = bytearray(source.choice(bases))
        for _ in range(source.randrange(1, 4)):
            line[source.randrange(len(line))] = source.randrange(33, 256)
        lines.append(bytes(line))
    asked = [request(f"r{number}") for number in range(len(lines))]
    answers, code = spoken(work, [line for pair in zip(lines, asked, strict=True) for line in pair])
    assert code == 0
    ids = [one["id"] for one in answers]
    assert sorted(one for one in ids if str(one).startswith("r")) == sorted(f"r{n}" for n in range(len(lines)))
    assert len(ids) <= 2 * len(lines), "a notification has no answer, all else has one"
    assert len(ids) > 1.8 * len(lines)


@pytest.mark.thorough
def test_an_id_in_use_is_refused_and_free_again_afterwards(work: Workspace) -> None:
    search = request(5, "tools/call", name="memory_search", arguments={"query": "sloop"})
    answers, _ = spoken(work, [search, search])
    assert sorted("error" in one for one in answers) == [False, True]


@pytest.mark.thorough
def test_the_input_may_end_in_the_middle(work: Workspace) -> None:
    answers, code = spoken(work, [request(1, "tools/list"), request(2)[:20]])
    assert code == 0
    assert {one["id"] for one in answers} == {1, None}


@pytest.fixture
def started(work: Workspace) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server that has answered the handshake, and whose input stays open."""
    pytest.importorskip("mcp.server.lowlevel")
    pipe = subprocess.PIPE
    with subprocess.Popen([*MCP, "--root", work.root], stdin=pipe, stdout=pipe, stderr=pipe) as process:
        assert process.stdin
        assert process.stdout
        process.stdin.write(json.dumps(HELLO).encode() + b"\n" + json.dumps(READY).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        yield process
        process.kill()


@pytest.mark.thorough
def test_a_client_that_leaves_ends_the_server_without_a_word(started: subprocess.Popen[bytes]) -> None:
    assert started.stdin
    assert started.stdout
    assert started.stderr
    started.stdout.close()
    started.stdin.write(request(1, "tools/list") + b"\n")
    started.stdin.flush()
    assert started.wait(30) == 141
    assert started.stderr.read() == b""


@pytest.mark.thorough
@pytest.mark.skipif(sys.platform == "win32", reason="has no SIGINT for one process")
def test_an_interrupt_ends_the_server_while_its_input_is_open(started: subprocess.Popen[bytes]) -> None:
    started.send_signal(signal.SIGINT)
    assert started.wait(30) == 130


@pytest.mark.thorough
def test_a_print_does_not_reach_the_protocol(work: Workspace, tmp_path: Path) -> None:
    pytest.importorskip("mcp.server.lowlevel")
    program = tmp_path / "noisy.py"
    program.write_text(
        "import os, sys\nimport mdmem.workspace as w\nold = w.Workspace.call\n"
        "def call(*a, **k):\n    print('noise'); os.write(1, b'noise'); os.system('echo noise')\n"
        "    return old(*a, **k)\n"
        "w.Workspace.call = call\nsys.argv = ['mdmem', 'mcp', '--root', sys.argv[1]]\n"
        "from mdmem.__main__ import main\nmain()\n",
        "utf-8",
    )
    lines = [HELLO, READY, json.loads(request(1, "tools/call", name="memory_search", arguments={"query": "sloop"}))]
    given = b"\n".join(json.dumps(one).encode() for one in lines)
    done = subprocess.run([sys.executable, program, work.root], input=given, capture_output=True, check=False)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["hello", 1]
    assert done.stderr.count(b"noise") == 3


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_talks_to_a_process(work: Workspace, mode: str, text: Callable[[str], str]) -> None:
    pytest.importorskip("mcp.server.lowlevel")
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client

    server = StdioServerParameters(command=MCP[0], args=[*MCP[1:], "--root", work.root], env=dict(os.environ))
    entry = {"path": "MEMORY.md", "section": "events", "content": "2026-02-20: the mast is ordered from Heeg"}

    async def ask() -> tuple[str, Any]:
        async with Client(stdio_client(server), mode=mode) as client:
            return client.protocol_version, await client.call_tool("memory_add", entry)

    version, done = asyncio.run(ask())
    assert version == {"legacy": "2025-11-25", "auto": "2026-07-28"}[mode]
    assert not done.is_error
    assert "ordered from Heeg" in text("MEMORY.md")


@pytest.fixture
def http(work: Workspace) -> Iterator[tuple[str, str]]:
    """Serve over HTTP; give the address and the token."""
    pytest.importorskip("mcp.server.lowlevel")
    with subprocess.Popen(
        [*MCP, "--root", work.root, "--http", "0", "--lang", "en"], stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr
        url = process.stderr.readline().split()[-1]
        token = process.stderr.readline().split()[-1]
        try:
            yield url, token
        finally:
            process.terminate()


def status(url: str, **headers: str) -> int:
    asked = urllib.request.Request(url, request(1, "tools/list"), {"Content-Type": "application/json", **headers})
    try:
        with urllib.request.urlopen(asked) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


@pytest.mark.thorough
def test_http_is_for_those_with_the_token_on_this_machine(http: tuple[str, str]) -> None:
    url, token = http
    assert url.startswith("http://127.0.0.1:")
    assert len(token) >= 32
    assert status(url) == 401
    assert status(url, Authorization="Bearer wrong") == 401
    assert status(url, Authorization=f"Basic {token}") == 401
    assert status(url, Authorization=f"Bearer {token}", Host="evil.example") in (403, 421)
    assert status(url, Authorization=f"Bearer {token}", Origin="https://evil.example") == 403


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_the_sdks_client_talks_over_http(http: tuple[str, str], mode: str) -> None:
    from httpx2 import AsyncClient
    from mcp import Client
    from mcp.client.streamable_http import streamable_http_client

    url, token = http

    async def ask() -> Any:
        async with (
            AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=30) as bearer,
            Client(streamable_http_client(url, http_client=bearer), mode=mode) as client,
        ):
            return await client.call_tool("memory_search", {"query": "sloop"})

    assert "survey in Makkum" in asyncio.run(ask()).content[0].text


def test_without_the_sdk_the_verb_says_what_to_install(work: Workspace, tmp_path: Path) -> None:
    hide = "import sys; sys.modules['mcp'] = None; sys.modules['mcp_types'] = None; sys.argv[0] = 'mdmem';"
    code = f"{hide} from mdmem.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp", "--root", work.root], capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert 'pip install "mcp>=2' in done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


@pytest.mark.thorough
def test_an_unknown_tool_is_named_before_the_server_starts(work: Workspace) -> None:
    done = subprocess.run([*MCP, "--root", work.root, "--tools", "memory_serch"], capture_output=True, check=False)
    assert done.returncode == 2
    assert b"memory_serch" in done.stderr
    assert b"memory_search" in done.stderr


@pytest.mark.thorough
def test_a_port_that_cannot_be_used_is_told_in_a_sentence(work: Workspace) -> None:
    pytest.importorskip("mcp.server.lowlevel")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for port in (taken.getsockname()[1], 70000):
            done = subprocess.run(
                [*MCP, "--root", work.root, "--http", str(port)], capture_output=True, check=False, timeout=60
            )
            assert done.returncode == 2
            assert f"port {port} cannot be used" in done.stderr.decode()
            assert b"--http 0" in done.stderr
            assert b"Traceback" not in done.stderr
