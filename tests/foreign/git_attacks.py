"""What the `.git` of a hostile folder tries: keys of its configuration, hooks, addresses, links, other repositories.

Each row is laid into a repository whose address the user has allowed, so that nothing but the row itself is refused.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from .attacks import Attack
from .world import World

ADDRESS = "{remote}"  # the bare repository that the memory is exchanged with
_QUIET = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_WHO = {f"GIT_{one}_{part}": "ann" for one in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
_MEMORY = "# Memory\n\n## Notes\n\n- 2026-02-13: the heron nests on the mill\n"
_SIGNED = (
    "tree {tree}\nparent {parent}\nauthor a <a@b> 1 +0000\ncommitter a <a@b> 1 +0000\n"
    "gpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\nm\n"
)


class GitRow(NamedTuple):
    """One attack, and the call of plain git that falls for it; none where git asks a terminal."""

    config: str = ""  # lines of `.git/config`
    files: Mapping[str, str] = {}  # by the path in the folder; one that begins with `#!` may be run
    proof: str = ""
    url: str = ADDRESS  # of the remote, which the user has allowed
    lay: Attack | None = None


def git(folder: Path, *words: str, given: str = "") -> str:
    """Run git as a user would, and return what it prints."""
    done = subprocess.run(
        ["git", "-C", str(folder), *words], capture_output=True, text=True, check=True, input=given,
        env=os.environ | _QUIET | _WHO,
    )  # fmt: skip
    return done.stdout.strip()


def repository(base: Path) -> Path:
    """Make a memory that is exchanged with a bare repository; both sides have changed the same entry."""
    seed, other = base / "seed", base / "other"
    seed.mkdir(parents=True)
    (seed / "mdmem.toml").write_text('lang = "en"\n', "utf-8")
    (seed / "MEMORY.md").write_text(_MEMORY, "utf-8")
    (seed / ".gitignore").write_text(".mdmem/\nrun.sh\n.tools*\n", "utf-8")
    git(base, "init", "-q", "--bare", "-b", "main", "remote.git")
    git(seed, "init", "-q", "-b", "main")
    git(seed, "add", "-A")
    git(seed, "commit", "-qm", "Begin")
    git(seed, "remote", "add", "origin", str(base / "remote.git"))
    git(seed, "push", "-qu", "origin", "main")
    git(base, "clone", "-q", str(base / "remote.git"), "other")
    for folder, word in ((other, "sleeps"), (seed, "sings")):
        (folder / "MEMORY.md").write_text(_MEMORY.replace("nests", word), "utf-8")
        git(folder, "commit", "-qam", word)
    git(other, "push", "-q")
    git(seed, "fetch", "-q")
    (seed / "USER.md").write_text("# User\n\n- Ada\n", "utf-8")
    git(seed, "add", "-A")
    return seed


def lay(row: GitRow, world: World, port: int) -> None:
    """Put a row into the folder of a world."""
    run = world.root / "run.sh"
    run.write_text(f"#!/bin/sh\ntouch {world.marker}\ncat >/dev/null 2>&1 </dev/null\nexit 1\n", "utf-8")
    run.chmod(0o755)
    names = {"run": run, "home": world.home, "root": world.root, "port": port, "remote": remote_of(world)}
    if row.lay:
        row.lay(world)
    for path, text in row.files.items():
        place = world.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(_filled(text, names), "utf-8")
        if text.startswith("#!"):
            place.chmod(0o755)
    if row.config:
        with (world.root / ".git" / "config").open("a", encoding="utf-8") as stream:
            stream.write(_filled(row.config, names))


def address(row: GitRow, world: World, port: int) -> str:
    """Return the address that the user has allowed."""
    return _filled(row.url, {"port": port, "remote": remote_of(world)})


def remote_of(world: World) -> Path:
    return world.base / "remote.git"


def _filled(text: str, names: Mapping[str, object]) -> str:
    for name, value in names.items():
        text = text.replace(f"{{{name}}}", str(value))
    return text


def _signed(world: World) -> None:
    tree, parent = (git(world.root, "rev-parse", name) for name in ("HEAD^{tree}", "HEAD"))
    text = _SIGNED.format(tree=tree, parent=parent)
    made = git(world.root, "hash-object", "-t", "commit", "-w", "--stdin", given=text)
    git(world.root, "update-ref", "refs/heads/main", made)


def _own_repository(world: World) -> Path:
    """Make a repository of the user's, with a file that differs from its commit."""
    own = world.home / "own"
    own.mkdir()
    git(own, "init", "-q", "-b", "main")
    (own / "MEMORY.md").write_text(_MEMORY, "utf-8")
    git(own, "add", "-A")
    git(own, "commit", "-qm", "Mine")
    git(own, "remote", "add", "origin", str(remote_of(world)))
    for key, value in (("remote", "origin"), ("merge", "refs/heads/main")):
        git(own, "config", f"branch.main.{key}", value)
    return own


def _git_file(world: World) -> None:
    shutil.rmtree(world.root / ".git")
    (world.root / ".git").write_text(f"gitdir: {_own_repository(world)}/.git\n", "utf-8")


def _git_link(world: World) -> None:
    shutil.rmtree(world.root / ".git")
    (world.root / ".git").symlink_to(_own_repository(world) / ".git")


def _common(world: World) -> None:
    (world.root / ".git" / "commondir").write_text(f"{_own_repository(world)}/.git\n", "utf-8")


def _worktree_elsewhere(world: World) -> None:
    git(world.root, "config", "core.worktree", str(_own_repository(world)))


def _worktree_above(world: World) -> None:
    git(world.root, "config", "core.worktree", str(world.base))


def _alternates(world: World) -> None:
    place = world.root / ".git" / "objects" / "info" / "alternates"
    place.parent.mkdir(exist_ok=True)
    place.write_text(f"{_own_repository(world)}/.git/objects\n", "utf-8")


def _linked(name: str, target: str) -> Attack:
    def attack(world: World) -> None:
        place, other = world.root / ".git" / name, world.home / target
        other.parent.mkdir(parents=True, exist_ok=True)
        if place.exists():
            (shutil.copytree if place.is_dir() else shutil.copyfile)(place, other)
            (shutil.rmtree if place.is_dir() else os.unlink)(place)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            other.touch()
        place.symlink_to(other)

    return attack


def _piped(name: str) -> Attack:
    def attack(world: World) -> None:
        (world.root / name).unlink(missing_ok=True)
        os.mkfifo(world.root / name)

    return attack


def _bare(world: World) -> None:
    """Let the folder itself be a repository, as of a server."""
    for path in (world.root / ".git").iterdir():
        shutil.move(path, world.root / path.name)
    (world.root / ".git").rmdir()
    with (world.root / "config").open("a", encoding="utf-8") as stream:
        stream.write(f"[core]\n\tbare = false\n\tworktree = .\n\tfsmonitor = {world.root}/run.sh\n")


def _submodule(world: World) -> None:
    inner = world.root / "inner"
    git(world.root, "init", "-q", "inner")
    (inner / "a.md").write_text("# A\n", "utf-8")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "Inner")
    git(world.root, "add", "inner")
    git(inner, "config", "core.fsmonitor", str(world.root / "run.sh"))


def _of_the_remote(name: str) -> Attack:
    def attack(world: World) -> None:
        place = remote_of(world) / name
        place.parent.mkdir(exist_ok=True)
        place.write_text(f"#!/bin/sh\ntouch {world.marker}\n", "utf-8")
        place.chmod(0o755)
        if name.startswith("own"):
            git(remote_of(world), "config", "core.hooksPath", str(place.parent))

    return attack


def _without_objects(world: World) -> None:
    for path in (world.root / ".git" / "objects").glob("??"):
        shutil.rmtree(path)


def _many_objects(world: World) -> None:
    """Leave what git takes for so many objects that it tidies up (gc.auto)."""
    place = world.root / ".git" / "objects" / "17"
    place.mkdir(exist_ok=True)
    for digit in "123":
        (place / (digit * 38)).touch()


def _hook(name: str, proof: str) -> GitRow:
    return GitRow(files={f".git/hooks/{name}": _RUN}, proof=proof)


def _core(key: str, proof: str = "", url: str = ADDRESS) -> GitRow:
    return GitRow(f'[core]\n\t{key} = "{{run}}"\n', proof=proof, url=url)


_RUN = "#!/bin/sh\nexec {run}\n"
_PUSH = "push -q origin HEAD:refs/heads/x"
_EXT = '[protocol "ext"]\n\tallow = always\n'
_HOOKS = {f".tools/{name}": _RUN for name in ("post-index-change", "reference-transaction", "pre-push")}
_FILTERED = {".git/info/attributes": "*.md filter=x\n", "MEMORY.md": _MEMORY.replace("nests", "waits")}
_MERGED = {".git/info/attributes": "*.md merge=x\n"}
_ASKING = "http://127.0.0.1:{asking}/m.git"

ROWS: dict[str, GitRow] = {
    "nothing": GitRow(),
    # hooks
    "hook post-index-change": _hook("post-index-change", "reset -q"),
    "hook reference-transaction": _hook("reference-transaction", "update-ref refs/x HEAD"),
    "hook pre-push": _hook("pre-push", _PUSH),
    "hook pre-auto-gc": GitRow(
        "[gc]\n\tauto = 1\n\tautoDetach = false\n", {".git/hooks/pre-auto-gc": _RUN}, "gc --auto", lay=_many_objects
    ),
    "core.hooksPath": GitRow("[core]\n\thooksPath = .tools\n", _HOOKS, "reset -q"),
    "include.path": GitRow(
        "[include]\n\tpath = ../.tools.cfg\n", _HOOKS | {".tools.cfg": "[core]\n\thooksPath = .tools\n"}, "reset -q"
    ),
    "includeIf": GitRow(
        '[includeIf "gitdir:**"]\n\tpath = ../.tools.cfg\n', _HOOKS | {".tools.cfg": "[core]\n\thooksPath = .tools\n"},
        "reset -q",
    ),
    "the configuration of a worktree": GitRow(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tworktreeConfig = true\n",
        _HOOKS | {".git/config.worktree": "[core]\n\thooksPath = .tools\n"}, "reset -q",
    ),
    # programs on this machine
    "core.fsmonitor": _core("fsmonitor", "status"),
    "core.pager": _core("pager"),
    "core.editor": _core("editor", "commit --allow-empty"),
    "core.askPass": _core("askPass"),
    "filter.clean": GitRow('[filter "x"]\n\tclean = "{run}"\n', _FILTERED, "add MEMORY.md"),
    "filter.process": GitRow('[filter "x"]\n\tprocess = "{run}"\n', _FILTERED, "add MEMORY.md"),
    "filter.smudge": GitRow('[filter "x"]\n\tsmudge = "{run}"\n', _FILTERED, "checkout -f origin/main"),
    "merge.driver": GitRow(
        '[merge "x"]\n\tdriver = "{run}"\n', _MERGED, "merge-tree --write-tree HEAD origin/main"
    ),
    "the driver of mdmem": GitRow(
        '[merge "mdmem"]\n\tdriver = "{run}"\n', {".gitattributes": "*.md merge=mdmem\n"},
        "merge-tree --write-tree HEAD origin/main",
    ),
    "diff.external": GitRow('[diff]\n\texternal = "{run}"\n', proof="diff HEAD origin/main"),
    "diff.textconv": GitRow(
        '[diff "x"]\n\ttextconv = "{run}"\n', {".git/info/attributes": "*.md diff=x\n"}, "diff HEAD origin/main"
    ),
    "diff.command": GitRow(
        '[diff "x"]\n\tcommand = "{run}"\n', {".git/info/attributes": "*.md diff=x\n"}, "diff HEAD origin/main"
    ),
    "gpg.program, log.showSignature": GitRow(
        '[log]\n\tshowSignature = true\n[gpg]\n\tprogram = "{run}"\n', proof="log", lay=_signed
    ),
    "gpg.program, commit.gpgSign": GitRow(
        '[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = "{run}"\n', proof="commit --allow-empty -m x"
    ),
    "gpg.program, push.gpgSign": GitRow('[push]\n\tgpgSign = if-asked\n[gpg]\n\tprogram = "{run}"\n'),
    "core.alternateRefsCommand": GitRow(
        '[core]\n\talternateRefsCommand = "{run}"\n', proof="fetch -q", lay=_alternates
    ),
    "a submodule": GitRow(lay=_submodule, proof="status"),
    # programs and addresses beyond the one that was allowed
    "core.sshCommand": _core("sshCommand", "ls-remote origin", "ssh://127.0.0.1:9/m.git"),
    "core.gitProxy": _core("gitProxy", "ls-remote origin", "git://127.0.0.1:9/m.git"),
    "remote.uploadpack": GitRow('[remote "origin"]\n\tuploadpack = "{run}"\n', proof="ls-remote origin"),
    "remote.receivepack": GitRow('[remote "origin"]\n\treceivepack = "{run}"\n', proof=_PUSH),
    "remote.vcs": GitRow('[remote "origin"]\n\tvcs = ext\n' + _EXT),
    "url.insteadOf": GitRow('[url "ext::{run} "]\n\tinsteadOf = "{remote}"\n' + _EXT, proof="ls-remote origin"),
    "url.pushInsteadOf": GitRow('[url "ext::{run} "]\n\tpushInsteadOf = "{remote}"\n' + _EXT, proof=_PUSH),
    "another address": GitRow(
        '[remote "origin"]\n\turl = git://127.0.0.1:{port}/m.git\n', proof="push -q origin HEAD:refs/heads/x"
    ),
    "another address to push to": GitRow(
        '[remote "origin"]\n\tpushurl = git://127.0.0.1:{port}/m.git\n', proof="push -q origin HEAD:refs/heads/x"
    ),
    "another remote": GitRow(
        '[remote "evil"]\n\turl = git://127.0.0.1:{port}/m.git\n[branch "main"]\n\tremote = evil\n', proof="ls-remote"
    ),
    "a command for an address": GitRow('[branch "main"]\n\tremote = "ext::{run}"\n' + _EXT, proof="ls-remote"),
    "a file of .git/remotes": GitRow(
        '[branch "main"]\n\tremote = evil\n' + _EXT, {".git/remotes/evil": "URL: ext::{run}\n"}, "ls-remote"
    ),
    "a remote with the name of a key": GitRow(
        '[remote "x.fetch="]\n\turl = git://127.0.0.1:{port}/m.git\n[branch "main"]\n\tremote = x.fetch=\n',
        proof="ls-remote",
    ),
    "an alias in place of a program": GitRow(
        '[alias]\n\tremote-heron = "!{run}"\n', proof="ls-remote origin", url="heron://127.0.0.1/m.git"
    ),
    "http.proxy": GitRow(
        "[http]\n\tproxy = http://127.0.0.1:{port}\n", proof="ls-remote origin", url="http://127.0.0.1:9/m.git"
    ),
    "http.<url>.proxy": GitRow(
        '[http "http://127.0.0.1:9/"]\n\tproxy = http://127.0.0.1:{port}\n', proof="ls-remote origin",
        url="http://127.0.0.1:9/m.git",
    ),
    "remote.proxy": GitRow(
        '[remote "origin"]\n\tproxy = http://127.0.0.1:{port}\n', proof="ls-remote origin",
        url="http://127.0.0.1:9/m.git",
    ),
    "credential.helper": GitRow('[credential]\n\thelper = "{run}"\n', proof="ls-remote origin", url=_ASKING),
    "http.cookieFile": GitRow("[http]\n\tcookieFile = {home}/diary.md\n\tsaveCookies = true\n", url=_ASKING),
    "missing objects": GitRow(
        "[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = evil\n"
        '[remote "evil"]\n\turl = {home}\n\tpromisor = true\n\tuploadpack = {run}\n',
        proof="log", lay=_without_objects,
    ),
    # what the repository at the address does
    "a hook of the remote": GitRow(lay=_of_the_remote("hooks/post-receive"), proof=_PUSH),
    "the configuration of the remote": GitRow(lay=_of_the_remote("own/post-receive"), proof=_PUSH),
    # places elsewhere
    "core.worktree": GitRow(lay=_worktree_elsewhere),
    "core.worktree above": GitRow(lay=_worktree_above),
    "a file .git": GitRow(lay=_git_file),
    "a link .git": GitRow(lay=_git_link),
    "commondir": GitRow(lay=_common),
    "a bare repository": GitRow(lay=_bare, proof="status"),
    "alternates": GitRow(lay=_alternates),
    "diff.orderFile": GitRow("[diff]\n\torderFile = .tools.fifo\n", lay=_piped(".tools.fifo")),
    "mailmap.file": GitRow("[mailmap]\n\tfile = .tools.fifo\n", lay=_piped(".tools.fifo")),
    "a pipe for an index": GitRow(lay=_piped(".git/index")),
    "a pipe for a log": GitRow(lay=_piped(".git/logs/HEAD")),
    "link config": GitRow(lay=_linked("config", "gitconfig")),
    "link index": GitRow(lay=_linked("index", "index")),
    "link HEAD": GitRow(lay=_linked("HEAD", "HEAD")),
    "link logs/HEAD": GitRow(lay=_linked("logs/HEAD", ".bashrc")),
    "link refs/heads": GitRow(lay=_linked("refs/heads", "heads")),
    "link objects": GitRow(lay=_linked("objects", "objects")),
}  # fmt: skip


def whole_repository(world: World) -> None:
    """Lay all rows that can stand side by side into a folder that has a commit, a staged change and a branch."""
    git(world.root, "commit", "-qm", "Begin")
    git(world.root, "update-ref", "refs/remotes/origin/main", "HEAD")
    (world.root / "MEMORY.md").write_text(_MEMORY, "utf-8")
    git(world.root, "add", "MEMORY.md")
    branch = git(world.root, "symbolic-ref", "--short", "HEAD")
    lay(GitRow(f'[branch "{branch}"]\n\tremote = origin\n\tmerge = refs/heads/main\n'), world, 9)
    for row in ROWS.values():
        if not row.lay and "partialClone" not in row.config and "worktreeConfig" not in row.config:
            lay(row, world, 9)
