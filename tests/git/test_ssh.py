"""A remote over ssh: what needs no question is done, what would ask is one sentence, and nothing waits."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from processes import wait_for

from git.machines import MEMORY, Machines, git
from mdmem.errors import RemoteError

pytestmark = pytest.mark.slow
SERVER = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
NEW = f"{MEMORY}- 2026-02-02: the heron waits\n"


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machines:
    """Two machines; the first one has something to send, and nobody's own keys count."""
    for name in ("GIT_SSH", "GIT_SSH_COMMAND", "SSH_AUTH_SOCK"):
        monkeypatch.delenv(name, raising=False)
    made = Machines(tmp_path)
    (made.root("a") / "MEMORY.md").write_text(NEW, "utf-8")
    return made


def program(folder: Path, text: str, name: str = "ssh") -> str:
    """Write a program that stands for ssh, and return its path."""
    place = folder / "bin" / name
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n", "utf-8")
    place.chmod(0o755)
    return str(place)


def refused(two: Machines) -> RemoteError:
    """Sync the first machine; it is refused, and what was written here is committed."""
    with pytest.raises(RemoteError) as caught:
        two.work("a").sync()
    assert "heron" in git(two.root("a"), "show", "HEAD:MEMORY.md")
    return caught.value


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        ("margot@host: Permission denied (publickey,password).", "asks who you are"),
        ("margot@host: Permission denied (publickey,keyboard-interactive).", "asks who you are"),
        ("Host key verification failed.", "asks who you are"),
        ("Received disconnect from host port 22:2: Too many authentication failures", "asks who you are"),
        ("sign_and_send_pubkey: signing failed for ED25519: agent refused operation", "asks who you are"),
        ("ssh: connect to host host port 22: Connection refused", "cannot be reached"),
        ("ssh: Could not resolve hostname host: Name or service not known", "cannot be reached"),
        ("kex_exchange_identification: Connection closed by remote host", "cannot be reached"),
    ],
)
def test_what_ssh_says_is_one_sentence(
    two: Machines, monkeypatch: pytest.MonkeyPatch, said: str, sentence: str
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", program(two.folder, f"echo '{said}' >&2; exit 255"))
    git(two.root("a"), "remote", "set-url", "origin", "ssh://margot@host/memory.git")
    error = refused(two)
    assert sentence in error.message
    assert "margot" not in f"{error.message}{error.hint}"


@pytest.mark.parametrize("name", ["ssh", "my-ssh"])
def test_a_program_that_asks_gets_no_terminal_and_no_answer(
    two: Machines, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    asks = "read word < /dev/tty || { echo 'Permission denied (password).' >&2; exit 255; }"
    monkeypatch.setenv("GIT_SSH_COMMAND", program(two.folder, asks, name))
    git(two.root("a"), "remote", "set-url", "origin", "ssh://host/memory.git")
    assert "asks who you are" in refused(two).message


def test_a_program_that_never_ends_is_ended(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    (two.root("a") / "mdmem.toml").write_text('lang = "en"\n\n[sync]\nseconds = 1\n', "utf-8")
    note = two.folder / "pid"
    monkeypatch.setenv("GIT_SSH_COMMAND", program(two.folder, f"echo $$ > '{note}'; exec sleep 600"))
    git(two.root("a"), "remote", "set-url", "origin", "ssh://host/memory.git")
    assert "within 1 second" in refused(two).message
    assert not _runs(int(note.read_text()))


def _runs(process: int) -> bool:
    """Return whether a process is alive; one that nobody has waited for is not."""
    try:
        return "Z" not in Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


class Host:
    """A real ssh server on loopback, which lets one key in."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(mode=0o700)
        for name, phrase in (("host", ""), ("known", ""), ("unknown", ""), ("locked", "Kz8-river-77")):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-f", folder / name], check=True)
        keys = "".join((folder / f"{name}.pub").read_text() for name in ("known", "locked"))
        (folder / "authorized").write_text(keys)
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port = taken.getsockname()[1]
        (folder / "hosts").write_text(f"[127.0.0.1]:{self.port} {(folder / 'host.pub').read_text()}")
        (folder / "config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {folder}/host\nPidFile none\nStrictModes no\n"
            f"AuthorizedKeysFile {folder}/authorized\nPasswordAuthentication yes\nUsePAM no\nPermitRootLogin yes\n"
        )
        assert SERVER
        self._process = subprocess.Popen([SERVER, "-D", "-e", "-f", folder / "config"], stderr=subprocess.DEVNULL)
        wait_for(self._answers, 20)

    def _answers(self) -> bool:
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0

    def command(self, key: str, hosts: str = "hosts") -> str:
        """Return the ssh command of a user with a key who knows some hosts."""
        files = f"-i {self.folder}/{key} -o IdentitiesOnly=yes -o UserKnownHostsFile={self.folder}/{hosts}"
        return f"ssh -F none {files} -o GlobalKnownHostsFile=none"

    def close(self) -> None:
        """End the server."""
        self._process.terminate()
        self._process.wait()


@pytest.fixture
def host(two: Machines) -> Iterator[Host]:
    """A server that has the remote of both machines."""
    if not SERVER or not shutil.which("ssh-keygen") or os.geteuid() != 0:
        pytest.skip("there is no ssh server here")
    os.makedirs("/run/sshd", exist_ok=True)  # of the server's own child, which has no rights
    made = Host(two.folder / "ssh")
    for name in "ab":
        git(two.root(name), "remote", "set-url", "origin", f"ssh://127.0.0.1:{made.port}{two.remote}")
    yield made
    made.close()


@pytest.mark.thorough
def test_a_key_without_a_question_lets_a_sync_in(two: Machines, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", host.command("known"))
    assert two.work("a").sync().status == "same"
    git(two.root("b"), "config", "core.sshCommand", host.command("known"))
    monkeypatch.delenv("GIT_SSH_COMMAND")
    assert two.work("b").sync().taken == ("MEMORY.md",)


@pytest.mark.parametrize(
    ("key", "hosts"), [("unknown", "hosts"), ("locked", "hosts"), ("known", "none")], ids=["password", "phrase", "host"]
)
def test_what_ssh_would_ask_is_one_sentence(
    two: Machines, host: Host, monkeypatch: pytest.MonkeyPatch, key: str, hosts: str
) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", host.command(key, hosts))
    assert "asks who you are" in refused(two).message


@pytest.mark.thorough
@pytest.mark.parametrize(("key", "hosts"), [("unknown", "hosts"), ("known", "none")], ids=["password", "host"])
def test_a_program_of_the_user_s_around_ssh_asks_nothing_either(
    two: Machines, host: Host, monkeypatch: pytest.MonkeyPatch, key: str, hosts: str
) -> None:
    monkeypatch.setenv("GIT_SSH", program(two.folder, f'exec {host.command(key, hosts)} "$@"', "wrapped"))
    assert "asks who you are" in refused(two).message


@pytest.mark.thorough
def test_a_folder_that_is_no_repository(two: Machines, host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_SSH_COMMAND", host.command("known"))
    git(two.root("a"), "remote", "set-url", "origin", f"ssh://127.0.0.1:{host.port}{two.folder}/nothing.git")
    assert "no repository at" in refused(two).message
