"""One hostile folder and all that lies around it: what is done in it, and what may not have come of it."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import socket
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple
from unittest import mock

import in_process
from forms import many
from processes import StdioClient

from mdmem.agents.connect.own_program import program
from mdmem.agents.hooks import detached
from mdmem.agents.hooks.model import read_payload
from mdmem.agents.hooks.service import AgentHook
from mdmem.agents.mcp.server import FILES, PACKS, MemoryServer, ServerOptions
from mdmem.cli import agent_hook
from mdmem.errors import MdmemError
from mdmem.messages.folders import code_folder
from mdmem.workspace import Workspace

from .acts import Act, each_tool, each_verb, payloads

SECRET = "qxcanaryzv"  # stands in every file outside, and may stand nowhere else
KEY = "HOSTILE_KEY"  # a variable that holds it too
SECONDS = 30  # of one act: a bound against hanging, not a measure
_OLD = 1_500_000_000  # the time of every file outside: whatever prunes by age would take it
_KEPT = ("PATH", "SYSTEMROOT", "TZ")


class HangingError(BaseException):
    """An act took longer than `SECONDS`; no handler of ours may take it for an error."""


class _Unhurried(agent_hook._Reply):
    """The reply of `hook run` without its deadline, at which a process of its own would end."""

    def until(self, milliseconds: int, late: Callable[[], None] | None = None) -> None: ...

    def write(self) -> None:
        super().write()
        self._nowhere.close()


class Stood(NamedTuple):
    """What is at a path outside."""

    mode: int
    data: bytes
    changed: int


class World:
    """A copy of a folder, a home with the user's files beside it, and what has come out of the folder."""

    def __init__(self, base: Path, folder: Path, names: dict[str, str], user: str = "") -> None:
        self.user = user  # who does it all
        self.base, self.root, self.home, self.out = base, base / "root", base / "home", base / "out"
        shutil.copytree(folder, self.root, symlinks=True)
        self.elsewhere = self.home / "elsewhere"  # a folder like this one, which is the user's
        self._lay_home(folder)
        self.names = names | {"root": str(self.root), "home": str(self.home), "out": str(self.out), "port": "9"}
        self.environment = {key: os.environ[key] for key in _KEPT if key in os.environ} | {
            "HOME": str(self.home), "XDG_CACHE_HOME": str(base / "cache"), "XDG_CONFIG_HOME": str(base / "config"),
            "XDG_STATE_HOME": str(base / "state"), "LANG": "C.UTF-8", "COLUMNS": "80", KEY: SECRET,
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
        }  # fmt: skip
        settings = base / "config" / "mdmem" / "mdmem.toml"
        settings.parent.mkdir(parents=True)
        settings.write_text("[store]\nstable_ms = 10\n", "utf-8")
        self.marker = base / "code-ran"
        self.said: list[str] = []  # all output
        self.faults: list[str] = []  # what no folder may bring about
        self.act = ""
        self._before: dict[str, Stood] = {}

    def _lay_home(self, folder: Path) -> None:
        shutil.copytree(folder, self.elsewhere, symlinks=True, ignore=shutil.ignore_patterns(".git"))
        for name in (".ssh/id_ed25519", ".bashrc", ".claude/CLAUDE.md", "diary.md", "documents/will.md"):
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("# Mine\n\n- 2026-02-01: the heron nests on the mill\n", "utf-8")
        for path in [*self.home.rglob("*")]:
            if path.is_file() and not path.is_symlink():
                data = path.read_bytes()
                is_text = b"\0" not in data
                path.write_bytes(_with_secret(path, data) if is_text else data)
        for path in [one for one in self.elsewhere.rglob("*") if one.is_dir() and not one.is_symlink()]:
            (path / f"{SECRET}.md").write_text("# Mine\n", "utf-8")  # what a folder holds is not told either
        for path in [*self.home.rglob("*"), self.home]:
            os.utime(path, (_OLD, _OLD), follow_symlinks=False)

    # --- what is done ---

    def everything(self) -> None:
        """Do everything that there is to do, and look at what came of it."""
        with self.watched():
            self.read_and_write()
            self.hooks()
            self.tools()
            self.server()

    def read_and_write(self) -> None:
        for acts in each_verb().values():
            for act in acts[: many(1, None)]:
                self.verb(act)

    def verb(self, act: Act) -> int:
        """Call the command line."""
        done = subprocess.CompletedProcess[str](act.words, -1, "", "")
        words = [self._filled(word) for word in shlex.split(act.words)]
        words += ["--user", self.user] if self.user else []
        with self.bounded(f"mdmem {act.words}"):
            done = in_process.run_text(
                *words, cwd=self.root, env=self.environment, given=self._filled(act.given) if act.given else ""
            )
        self.said += [done.stdout, done.stderr]
        if "Traceback" in done.stderr:
            self._fault(done.stderr.strip().splitlines()[-1])
        return done.returncode

    def hooks(self) -> None:
        """Run every hook of every agent."""
        for agent, event, payload in payloads():
            self.hook(agent, event, payload)

    def hook(self, agent: str, event: str, payload: dict[str, Any]) -> None:
        given = json.loads(self._filled(json.dumps({"cwd": str(self.root), **payload})))
        read = read_payload(event, given, agent)
        assert read is not None
        self.call(f"hook {event} of {agent}", lambda work: AgentHook(work, read).run(self.said.append))

    def tools(self) -> None:
        """Call every tool, as an agent does."""
        for name, calls in each_tool().items():
            for given in calls:
                arguments = json.loads(self._filled(json.dumps(given)))
                self.call(f"tool {name} {given}", partial(_ask, name, arguments))

    def server(self) -> None:
        """List and read all that the MCP server offers."""
        server = MemoryServer(ServerOptions(str(self.root), "en", ("all",), user=self.user))
        self.call("the tools of the server", lambda _: [one.name for one in server.tools()])
        uris = [*(f"{FILES}{path}" for path in ("MEMORY.md", "links.md", "memory/notes.md")), f"{PACKS}own"]
        with self.bounded("the resources of the server"), self._world():
            try:
                uris += [uri for uri, _ in server._resources()]
            except MdmemError as error:
                self.said.append(str(error))
        for uri in uris:
            self.call(f"resource {uri}", partial(_anyway, partial(server._resource, uri, "mcp")))
        for name in ("remember", "tidy"):
            self.call(f"prompt {name}", partial(_anyway, partial(server._prompt, name, {"query": "heron"})))

    def stdio(self, *, is_off: bool = False) -> None:
        """Start the server as a client does, and call each tool once; it offers none where memory is off."""
        command = [*program(), "mcp", "--root", str(self.root), "--tools", "all"]
        environment = self.environment | {"PYTHONPATH": str(Path(code_folder()).parent)}
        with subprocess.Popen(
            command, cwd=self.root, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, encoding="utf-8",
        ) as server:  # fmt: skip
            client = StdioClient(server)
            client.begin()
            offered = {one["name"] for one in client.ask("tools/list", {}).get("result", {}).get("tools", ())}
            calls_of = each_tool()
            if bool(offered) == is_off or offered - calls_of.keys():
                self._fault(f"offered {sorted(offered)}")
            for name, calls in ((one, calls) for one, calls in calls_of.items() if one in offered):
                self.act = f"tool {name} by stdio"
                answer = client.ask(
                    "tools/call", {"name": name, "arguments": json.loads(self._filled(json.dumps(calls[0])))}
                )
                self.said.append(json.dumps(answer, ensure_ascii=False))
                if not answer.get("result", {}).get("content"):
                    self._fault(f"no answer: {answer}")
            self.act = "the server"
            self.said.append(client.end())
            if "Traceback" in self.said[-1]:
                self._fault(self.said[-1].strip().splitlines()[-1])

    def call(self, act: str, do: Callable[[Workspace], object]) -> None:
        """Do one act with the folder; an error of ours is an answer, any other one is a fault."""
        with self.bounded(act), self._world():
            try:
                self.said.append(repr(do(Workspace(self.root, lang="en", user=self.user))))
            except MdmemError as error:
                self.said.append(f"{error} {error.hint}")
            except Exception as error:  # noqa: BLE001 - that it is none of ours is what is looked for
                self._fault(f"{type(error).__name__}: {error}")

    def _filled(self, text: str) -> str:
        for name, value in self.names.items():
            text = text.replace(f"{{{name}}}", value)
        return text

    @contextmanager
    def _world(self) -> Iterator[None]:
        with in_process._world(self.root, self.environment):
            yield

    @contextmanager
    def bounded(self, act: str) -> Iterator[None]:
        """Name an act, and end one that hangs."""

        def end(_: int, __: FrameType | None) -> None:
            raise HangingError

        self.act = act
        before = signal.signal(signal.SIGALRM, end)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            yield
        except HangingError:
            self._fault(f"took more than {SECONDS} seconds")
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    # --- what came of it ---

    def _fault(self, what: str) -> None:

        self.faults.append(f"{self.act}: {what}")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note each contact, each program, and each change outside."""
        self._before = stands(self.home)
        started, connect = subprocess.Popen.__init__, socket.socket.connect

        def start(process: Any, command: Any, *rest: Any, **named: Any) -> None:
            if not _is_ours(command):
                self._fault(f"started {command}")
            started(process, command, *rest, **named)

        def reach(one: socket.socket, address: Any) -> None:
            if one.family == getattr(socket, "AF_UNIX", None):
                connect(one, address)
                return
            self._fault(f"contacted {address}")
            raise ConnectionRefusedError

        def start_here(*words: str, root: str, given: bytes = b"", folder: str | None = None, user: str = "") -> int:
            """Run here what a hook leaves to a process of its own."""
            place = ("--root", root, *(("--user", user) if user else ()))
            in_process.run(*words, *place, cwd=folder or self.root, env=self.environment, given=given)
            return 0

        with (
            mock.patch.object(subprocess.Popen, "__init__", start), mock.patch.object(socket.socket, "connect", reach),
            mock.patch.object(detached, "start_detached", start_here),
            mock.patch.object(detached, "limit_time"), mock.patch.object(agent_hook, "_Reply", _Unhurried),
        ):  # fmt: skip
            yield
        self.act = "afterwards"
        self._judge()

    def _judge(self) -> None:
        after = stands(self.home)
        for path in sorted({*self._before, *after}):
            if self._before.get(path) != after.get(path):
                what = "changed" if path in after and path in self._before else "made" if path in after else "removed"
                self._fault(f"{what} {path}")
        if self.marker.exists():
            self._fault("code of the folder ran")
        self.faults += [f"told: {text[:200]}" for text in self.said if SECRET in text]
        for place in (self.root, self.out, self.base / "cache", self.base / "state", self.base / "config"):
            for one in place.rglob("*"):
                if one.is_file() and not one.is_symlink() and SECRET.encode() in one.read_bytes():
                    self._fault(f"copied into {one.relative_to(self.base)}")


def _ask(name: str, arguments: dict[str, Any], work: Workspace) -> object:
    return work.call(name, arguments)


def _anyway(do: Callable[[], object], _: Workspace) -> object:
    return do()


def stands(folder: Path) -> dict[str, Stood]:
    """Return what is below a folder, without following a link."""
    found = {}
    for top, folders, files in os.walk(folder):
        for name in (*folders, *files):
            path = os.path.join(top, name)
            seen = os.lstat(path)
            data = Path(path).read_bytes() if stat.S_ISREG(seen.st_mode) else b""
            changed = 0 if stat.S_ISDIR(seen.st_mode) else seen.st_mtime_ns
            found[os.path.relpath(path, folder)] = Stood(seen.st_mode, data, changed)
    return found


def _with_secret(path: Path, data: bytes) -> bytes:
    if path.suffix == ".json" and data.startswith(b"{"):
        return data.replace(b"{", f'{{"{SECRET}": "{SECRET}", '.encode(), 1).replace(b", }", b"}")
    return data + f"\n- 2026-02-01: the {SECRET} heron sings on the mill\n".encode()


def _is_ours(command: Sequence[str]) -> bool:
    """Return whether a program is git, or our own, which takes no module from the folder that it stands in."""
    program, *words = command
    if os.path.dirname(program) != os.path.dirname(sys.executable):
        return program == "git"
    return os.path.basename(program) == "mdmem" or words[0] in ("-I", "-P")
