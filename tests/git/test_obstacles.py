"""What stands in the way of a sync is one sentence, and nothing is changed: each with real git."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from git.machines import Machines, files_of, git
from mdmem.errors import GitError, MdmemError, RemoteError
from mdmem.store.git import program

pytestmark = pytest.mark.slow


@pytest.fixture
def two(tmp_path: Path) -> Machines:
    """Two machines with one memory, and a change on the first that is not committed."""
    made = Machines(tmp_path)
    made.work("a").add("MEMORY.md", "2026-02-02: the heron waits by the pond", section="Notes")
    return made


def state_of(folder: Path) -> tuple[object, ...]:
    """Return what a sync could change: the files, the branches and the index."""
    return (
        files_of(folder),
        git(folder, "for-each-ref"),
        git(folder, "ls-files", "--stage"),
        git(folder, "status", "-s"),
    )


def refused(two: Machines, name: str = "a") -> MdmemError:
    """Sync, see it refused, and see nothing changed."""
    before = state_of(two.folder / name)
    with pytest.raises(MdmemError) as caught:
        two.work(name).sync()
    assert state_of(two.folder / name) == before
    assert caught.value.hint
    assert str(two.folder) not in caught.value.message + caught.value.hint
    return caught.value


def no_commit(two: Machines) -> None:
    git(two.root("a"), "checkout", "-q", "--orphan", "new")


def detached(two: Machines) -> None:
    git(two.root("a"), "checkout", "-q", "--detach")


def no_remote(two: Machines) -> None:
    git(two.root("a"), "remote", "remove", "origin")


def no_upstream(two: Machines) -> None:
    git(two.root("a"), "checkout", "-qb", "other")


def autocrlf(two: Machines) -> None:
    git(two.root("a"), "config", "core.autocrlf", "true")


def merge_under_way(two: Machines) -> None:
    diverge(two)
    with suppress(subprocess.CalledProcessError):
        git(two.root("a"), "merge", "-q", "origin/main")


def rebase_under_way(two: Machines) -> None:
    diverge(two)
    with suppress(subprocess.CalledProcessError):
        git(two.root("a"), "rebase", "-q", "origin/main")


def cherry_pick_under_way(two: Machines) -> None:
    diverge(two)
    with suppress(subprocess.CalledProcessError):
        git(two.root("a"), "cherry-pick", "origin/main")


def unmerged(two: Machines) -> None:
    file = two.root("a") / "MEMORY.md"
    git(two.root("a"), "stash", "-q")
    file.write_text("# Memory\n\n## Notes\n\n- 2026-02-01: the owl sleeps\n", "utf-8")
    git(two.root("a"), "commit", "-qam", "Change")
    with suppress(subprocess.CalledProcessError):
        git(two.root("a"), "stash", "pop", "-q")


def diverge(two: Machines) -> None:
    """Change one line on both machines, and fetch."""
    for name, word in (("b", "hunts"), ("a", "sleeps")):
        text = f"# Memory\n\n## Notes\n\n- 2026-02-01: the owl {word}\n"
        (two.root(name) / "MEMORY.md").write_text(text, "utf-8")
        git(two.root(name), "commit", "-qam", "Change")
    git(two.root("b"), "push", "-q")
    git(two.root("a"), "fetch", "-q")


def submodule(two: Machines) -> None:
    git(two.root("a"), "submodule", "--quiet", "add", two.remote.as_uri(), "inner")


def lfs(two: Machines) -> None:
    (two.root("a") / ".gitattributes").write_text("*.md filter=lfs diff=lfs merge=lfs -text\n", "utf-8")


CASES: dict[str, tuple[Callable[[Machines], None], str]] = {
    "no commit yet": (no_commit, "no commit yet"),
    "detached head": (detached, "no branch is checked out"),
    "no remote": (no_remote, "no remote"),
    "no upstream": (no_upstream, "follows no branch"),
    "a bare core.autocrlf": (autocrlf, "ends of lines"),
    "a merge under way": (merge_under_way, "a merge is under way"),
    "a rebase under way": (rebase_under_way, "a rebase is under way"),
    "a cherry-pick under way": (cherry_pick_under_way, "a cherry-pick is under way"),
    "an unmerged file": (unmerged, "is unmerged"),
    "a submodule": (submodule, "is a submodule"),
    "a filter, as of LFS": (lfs, "as LFS does"),
}


@pytest.mark.parametrize("name", CASES)
def test_it_is_one_sentence_and_nothing_is_changed(two: Machines, name: str) -> None:
    prepare, sentence = CASES[name]
    prepare(two)
    assert sentence in refused(two).message


def test_core_autocrlf_is_no_obstacle_where_attributes_say_which_ends(two: Machines) -> None:
    autocrlf(two)
    (two.root("a") / ".gitattributes").write_text("*.md text eol=lf\n", "utf-8")
    assert two.work("a").sync().status == "same"


def test_a_shallow_clone(two: Machines) -> None:
    two.work("a").sync()
    two.clone("c", "--depth", "1")
    assert "shallow" in refused(two, "c").message


def test_a_rewritten_history(two: Machines) -> None:
    two.work("a").sync()
    two.work("b").sync()
    git(two.root("b"), "reset", "-q", "--hard", "HEAD^")
    git(two.root("b"), "commit", "-q", "--allow-empty", "-m", "Instead")
    git(two.root("b"), "push", "-qf")
    two.work("a").add("MEMORY.md", "2026-02-03: a late note", section="Notes")
    files = files_of(two.root("a"))
    with pytest.raises(GitError, match="rewritten"):
        two.work("a").sync()
    assert files_of(two.root("a")) == files
    with pytest.raises(GitError, match="rewritten"):  # and again: a fetch of the first one is no consent
        two.work("a").sync()
    git(two.root("a"), "fetch", "-q")
    git(two.root("a"), "reset", "-q", "--hard", "@{upstream}")
    assert two.work("a").sync().status == "same"


def test_a_remote_that_was_rewound_gets_nothing_back(two: Machines) -> None:
    two.work("a").sync()
    git(two.remote, "update-ref", "refs/heads/main", "main^")
    with pytest.raises(GitError, match="rewritten"):
        two.work("a").sync()


def test_a_remote_that_is_not_there(two: Machines) -> None:
    two.remote.rename(two.folder / "elsewhere.git")
    with pytest.raises(RemoteError, match="no repository at") as caught:
        two.work("a").sync()
    assert caught.value.exit_code == 9
    assert "heron" in git(two.root("a"), "show", "HEAD:MEMORY.md"), "everything is committed here"
    state = two.work("a").sync_state()
    assert state
    assert (state.ahead, "no repository at" in state.trouble) == (1, True)
    (two.folder / "elsewhere.git").rename(two.remote)
    assert two.work("a").sync().status == "same"
    state = two.work("a").sync_state()
    assert state
    assert (state.ahead, state.behind, state.trouble) == (0, 0, "")


def answering(answer: bytes, seen: list[str]) -> socket.socket:
    """Open a port that gives one answer to every HTTP request."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        with suppress(OSError):
            while True:
                connection, _ = server.accept()
                with connection:
                    seen.append(connection.recv(10_000).decode("latin-1"))
                    connection.sendall(answer)

    threading.Thread(target=serve, daemon=True).start()
    return server


def test_a_remote_that_asks_for_a_password(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is asked, no program that would ask is started, and the address' own password is not shown."""
    asked = two.folder / "asked"
    (two.folder / "ask.sh").write_text(f"#!/bin/sh\ntouch {asked}\necho word\n", "utf-8")
    (two.folder / "ask.sh").chmod(0o755)
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(two.folder / "ask.sh"))
    lines = (
        b"HTTP/1.1 401 Unauthorized",
        b'WWW-Authenticate: Basic realm="x"',
        b"Content-Length: 0",
        b"Connection: close",
    )
    answer = b"\r\n".join((*lines, b"", b""))
    with answering(answer, []) as server:
        address = f"127.0.0.1:{server.getsockname()[1]}/memory.git"
        for url in (f"http://{address}", f"http://ann:Kz8-river-77@{address}"):
            git(two.root("a"), "remote", "set-url", "origin", url)
            with pytest.raises(RemoteError, match="who you are") as caught:
                two.work("a").sync()
            assert "river" not in f"{caught.value}{caught.value.hint}"
    assert not asked.exists()


def test_a_remote_that_never_answers(two: Machines) -> None:
    (two.root("a") / "mdmem.toml").write_text('lang = "en"\n\n[sync]\nseconds = 1\n', "utf-8")
    with socket.create_server(("127.0.0.1", 0)) as server:
        git(two.root("a"), "remote", "set-url", "origin", f"http://127.0.0.1:{server.getsockname()[1]}/memory.git")
        with pytest.raises(RemoteError, match="within 1 second"):
            two.work("a").sync()


@pytest.mark.parametrize(("folder", "sentence"), [("hooks", "pre-push"), ("remote", "refused the push")])
def test_a_hook_that_refuses_the_push(two: Machines, folder: str, sentence: str) -> None:
    place = two.remote / "hooks" / "update" if folder == "remote" else two.root("a") / ".git" / "hooks" / "pre-push"
    place.parent.mkdir(exist_ok=True)
    place.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    place.chmod(0o755)
    with pytest.raises(RemoteError, match=sentence):
        two.work("a").sync()
    assert "heron" in git(two.root("a"), "show", "HEAD:MEMORY.md")


def test_a_pre_commit_hook_stops_no_commit_of_a_sync(two: Machines) -> None:
    hook = two.root("a") / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    assert two.work("a").sync().status == "same"


def test_another_git_at_work(two: Machines) -> None:
    (two.root("a") / ".git" / "refs" / "heads" / "main.lock").touch()
    assert "another git" in refused(two).message


def test_no_repository(tmp_path: Path) -> None:
    made = Machines(tmp_path)
    shutil.rmtree(made.root("a") / ".git")
    with pytest.raises(GitError, match="not in a git repository"):
        made.work("a").sync()


def test_git_is_missing_or_too_old(two: Machines, monkeypatch: pytest.MonkeyPatch) -> None:
    program.version.cache_clear()
    (two.folder / "bin").mkdir()
    monkeypatch.setenv("PATH", str(two.folder / "bin"))
    with pytest.raises(GitError, match="git is not installed"):
        two.work("a").sync()
    (two.folder / "bin" / "git").write_text("#!/bin/sh\necho git version 2.30.1\n", "utf-8")
    (two.folder / "bin" / "git").chmod(0o755)
    with pytest.raises(GitError, match=r"git 2\.30 is too old; git 2\.38 is needed"):
        two.work("a").sync()
    program.version.cache_clear()


def test_a_repository_that_does_not_name_the_folder(two: Machines) -> None:
    """The file `.git` of a folder that came from elsewhere can name any repository."""
    forged = two.folder / "forged"
    shutil.copytree(two.root("a"), forged, ignore=shutil.ignore_patterns(".git"))
    (forged / ".git").write_text(f"gitdir: {two.root('a')}/.git\n", "utf-8")
    before = git(two.root("a"), "for-each-ref")
    with pytest.raises(MdmemError, match="does not name this folder"):
        Machines.work(two, "forged").sync()
    assert git(two.root("a"), "for-each-ref") == before


def test_nothing_is_asked_on_the_terminal() -> None:
    done = program.run(os.curdir, "config", "--get", "mdmem.nothing", accept=(0, 1))
    assert done.code == 1


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes")
@pytest.mark.parametrize("name", [".gitattributes", ".git/config"])
def test_a_pipe_in_the_repository_holds_nobody_up(two: Machines, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(program, "_LOOK_UP_SECONDS", 0.3)
    path = two.folder / "a" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    assert two.work("a").history.doctor()
    if name == ".git/config":
        with pytest.raises(GitError, match="within"):
            two.work("a").sync()
