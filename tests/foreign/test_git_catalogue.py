"""What the `.git` of a hostile folder names is neither run nor contacted nor written, whatever is done in the folder.

The user has trusted the folder with its remote before: each attack is laid into it afterwards, and only a new
`mdmem trust` may let it in. Plain git falls for each of them, which shows that they are attacks.
"""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from mdmem.watch.syncs import keep_synced

from .acts import Act
from .git_attacks import ROWS, address, git, lay, remote_of, repository
from .world import World

pytestmark = pytest.mark.slow
NAMES = {"artifact": "none", "session": "none", "attachment": "none"}
_HEAD = ("HTTP/1.1 401 Unauthorized", 'WWW-Authenticate: Basic realm="x"', "Content-Length: 0", "Connection: close")
ANSWER = "\r\n".join((*_HEAD, "", "")).encode()
ACTS = (
    "status", "doctor", "log", "lint --staged", "forget heron --files --dry-run", "sync --dry-run", "sync",
    "git setup --driver --remote git@example.org:m.git", "git setup --undo", "hook install", "hook uninstall",
)  # fmt: skip

HARMLESS = {"nothing", "the driver of mdmem"}  # a sync goes on: mdmem itself names its driver to git


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return repository(tmp_path_factory.mktemp("honest"))


@contextmanager
def listening(marker: Path) -> Iterator[tuple[int, int]]:
    """Open two ports: whoever calls the first one leaves a mark; the second one asks for a password."""
    with socket.create_server(("127.0.0.1", 0)) as trap, socket.create_server(("127.0.0.1", 0)) as asking:

        def serve(server: socket.socket, answer: bytes) -> None:
            with suppress(OSError):
                while True:
                    one, _ = server.accept()
                    with one:
                        if not answer:
                            marker.touch()
                        one.recv(10_000)
                        one.sendall(answer)

        for server, answer in ((trap, b""), (asking, ANSWER)):
            threading.Thread(target=serve, args=(server, answer), daemon=True).start()
        yield trap.getsockname()[1], asking.getsockname()[1]


@contextmanager
def laid(honest: Path, base: Path, name: str) -> Iterator[World]:
    """Make a world with a trusted folder, and lay an attack into it."""
    shutil.copytree(honest.parent / "remote.git", base / "remote.git")
    world, row = World(base, honest, NAMES), ROWS[name]
    (base / "config" / "mdmem" / "mdmem.toml").write_text("[store]\nstable_ms = 10\n[sync]\nseconds = 5\n", "utf-8")
    with listening(world.marker) as (trap, asking):
        url = address(row, world, trap).replace("{asking}", str(asking))
        git(world.root, "remote", "set-url", "origin", url)
        world.verb(Act("trust --yes"))
        lay(row, world, trap)
        yield world


@pytest.mark.parametrize("name", [name for name, row in ROWS.items() if row.proof])
def test_plain_git_falls_for_it(honest: Path, tmp_path: Path, name: str) -> None:
    with laid(honest, tmp_path, name) as world:
        with suppress(subprocess.CalledProcessError):
            git(world.root, "-c", "protocol.file.allow=always", *ROWS[name].proof.split())
        assert world.marker.exists()


@pytest.mark.parametrize("name", ROWS)
def test_nothing_comes_of_it(honest: Path, tmp_path: Path, name: str) -> None:
    with laid(honest, tmp_path, name) as world:
        before = git(remote_of(world), "for-each-ref")
        with world.watched():
            for words in ACTS:
                world.verb(Act(words))
                assert not world.marker.exists(), words
            world.call("watch", lambda work: keep_synced(work.config))
        assert world.faults == []
        assert (git(remote_of(world), "for-each-ref") != before) == (name in HARMLESS)
