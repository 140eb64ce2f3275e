"""Two real Syncthing instances on loopback: each machine loses a conflict once, and `resolve` on both mends it."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from processes import wait_for

from mdmem import Workspace

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not shutil.which("syncthing"), reason="Syncthing is not installed"),
]
TEXT = "# Memory\n\n## To-dos and promises\n\n- 2026-02-12: call Ann\n- 2026-02-13: send the report\n"
_OFF = (
    "globalAnnounceEnabled", "localAnnounceEnabled", "relaysEnabled", "natEnabled", "crashReportingEnabled",
)  # fmt: skip
_PATIENCE = 90  # seconds for what Syncthing does by itself


class Instance:
    """One machine: a folder with a memory, and the Syncthing that carries it."""

    def __init__(self, root: Path, home: Path, ports: tuple[int, int]) -> None:
        self.root, self._home, self.ports = root, home, ports
        self._environment = {**os.environ, "STNODEFAULTFOLDER": "1", "STNOUPGRADE": "1", "HOME": str(home)}
        self._process: subprocess.Popen[bytes] | None = None
        root.mkdir()
        (root / ".stfolder").mkdir()
        (root / ".stignore").write_text(".mdmem\n", "utf-8")
        self._run("generate", "--no-default-folder")
        found = re.search(r'<device id="([A-Z0-9-]+)"', self._config.read_text("utf-8"))
        assert found
        self.device = found[1]

    @property
    def _config(self) -> Path:
        return self._home / "config.xml"

    def _run(self, verb: str, *options: str) -> None:
        arguments = ["syncthing", verb, f"--home={self._home}", *options]
        subprocess.run(arguments, env=self._environment, check=True, capture_output=True)

    def know(self, other: Instance) -> None:
        """Share the folder with another machine, which is met on loopback only."""
        self._other = other.device
        one, two = (f'<device id="{device}"/>' for device in (self.device, other.device))
        kept = "<maxConflicts>10</maxConflicts>"  # as for a folder that is added by hand; without it no copy is kept
        shared = f'<folder id="memory" path="{self.root}" fsWatcherEnabled="false">{one}{two}{kept}</folder>'
        address = f"<address>tcp://127.0.0.1:{other.ports[0]}</address>"
        text = self._config.read_text("utf-8")
        text = re.sub(
            r"(<configuration[^>]*>)", rf'\1{shared}<device id="{other.device}">{address}</device>', text, count=1
        )
        door = f'<gui enabled="true" tls="false"><address>127.0.0.1:{self.ports[1]}</address><apikey>any</apikey></gui>'
        text = re.sub(r"<gui.*?</gui>", door, text, flags=re.DOTALL)
        listens = f"<listenAddress>tcp://127.0.0.1:{self.ports[0]}</listenAddress>"
        text = re.sub(r"<listenAddress>.*?</listenAddress>", listens, text)
        for name in _OFF:
            text = re.sub(rf"<{name}>.*?</{name}>", f"<{name}>false</{name}>", text)
        self._config.write_text(re.sub(r"<urAccepted>.*?</urAccepted>", "<urAccepted>-1</urAccepted>", text), "utf-8")

    def start(self) -> None:
        """Carry the folder from now on."""
        arguments = ["syncthing", "serve", f"--home={self._home}", "--no-browser", "--no-restart"]
        self._process = subprocess.Popen(arguments, env=self._environment, stdout=subprocess.DEVNULL)

    def stop(self) -> None:
        """Carry nothing until the next start."""
        if self._process:
            self._process.terminate()
            self._process.wait(_PATIENCE)

    def is_settled(self) -> bool:
        """Return whether the other machine has all that stands here, after a look at the folder."""
        try:
            self._ask("POST", "db/scan?folder=memory")
            return bool(self._ask("GET", f"db/completion?folder=memory&device={self._other}")["completion"] == 100)
        except OSError:  # it does not listen yet
            return False

    def _ask(self, method: str, query: str) -> dict[str, object]:
        address = f"http://127.0.0.1:{self.ports[1]}/rest/{query}"
        request = urllib.request.Request(address, method=method, headers={"X-API-Key": "any"})
        with urllib.request.urlopen(request, timeout=_PATIENCE) as answer:
            return dict(json.loads(answer.read() or "{}"))

    @property
    def memory(self) -> bytes:
        """The memory file, empty before it arrives."""
        path = self.root / "MEMORY.md"
        return path.read_bytes() if path.exists() else b""

    @property
    def copies(self) -> list[str]:
        """The names of the conflicted copies."""
        return sorted(path.name for path in self.root.glob("*sync-conflict*"))

    def edit(self, old: str, new: str) -> None:
        """Change a text of the memory through the pen."""
        Workspace(self.root, lang="en").edit("MEMORY.md", old, new)

    def edit_by_hand(self, old: str, new: str) -> None:
        """Change a text of the memory as an editor does, without a record in the history."""
        text = self.memory.decode().replace(old, new)
        (self.root / "MEMORY.md").write_text(text, "utf-8")


def free_ports() -> tuple[int, int]:
    """Return two ports of loopback that nobody listens at."""
    with ExitStack() as stack:
        made = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]
        first, second = (one.getsockname()[1] for one in made)
    return first, second


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Instance, Instance]]:
    """Two machines with one memory; both are stopped."""
    one, other = (Instance(tmp_path / name, tmp_path / f"{name}-home", free_ports()) for name in "ab")
    one.know(other)
    other.know(one)
    Workspace(one.root, lang="en").write("MEMORY.md", TEXT)
    with ExitStack() as stack:
        for machine in (one, other):
            stack.callback(machine.stop)
        carry(one, other, lambda: bool(one.memory) and one.memory == other.memory)
        yield one, other


def carry(one: Instance, other: Instance, true: Callable[[], bool]) -> None:
    """Run Syncthing on both machines until all is carried and `true` returns True."""
    for machine in (one, other):
        machine.start()
    assert wait_for(lambda: one.is_settled() and other.is_settled() and true(), _PATIENCE)
    for machine in (one, other):
        machine.stop()


def test_each_machine_loses_once_and_both_end_with_the_same_bytes(two: tuple[Instance, Instance]) -> None:
    one, other = two
    for turn, (loser, winner) in enumerate(((one, other), (other, one))):
        change = {one: one.edit, other: other.edit_by_hand}
        change[loser]("call Ann", f"call Ann at {turn + 8} and")
        time.sleep(2)  # Syncthing takes the file with the older time for the copy, in whole seconds
        change[winner]("send the report", f"send the report to {turn + 1} and")
        carry(one, other, lambda: bool(one.copies and other.copies))
        assert f"Ann at {turn + 8}" in (one.root / one.copies[0]).read_text("utf-8"), "the other one lost"
        for machine in two:
            Workspace(machine.root, lang="en").resolve(machine.copies[0])
            assert not machine.copies
        assert one.memory == other.memory
        for text in (f"Ann at {turn + 8}", f"report to {turn + 1}"):
            assert one.memory.count(text.encode()) == 1
        assert one.memory.count(b"\n- ") == TEXT.count("\n- ")
        carry(one, other, lambda: not one.copies and not other.copies)
    assert one.memory == other.memory
