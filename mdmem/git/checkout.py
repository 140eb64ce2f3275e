"""Finds the repository of a memory and what stands in the way of a sync; each obstacle is one sentence."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple, NoReturn

from mdmem.config.trust import is_trusted
from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.errors import GitError
from mdmem.formats.paths import within_user
from mdmem.linter.sources import is_judged
from mdmem.messages.catalog import say
from mdmem.store.git.program import require_version, run
from mdmem.store.git.repository import own_places
from mdmem.store.git.repository_requests import ConfigRow, GitRequest, config_rows, requests
from mdmem.store.walk import SETTINGS_FILE
from mdmem.text.pattern import pattern

SUBMODULE, LINK, FILES = "160000", "120000", ("100644", "100755")  # modes in a tree
_MOST_NAMED = 3  # files that a sentence names
_UNDER_WAY = {
    "MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase", "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
}  # fmt: skip
_ATTRIBUTES, _MOST_ATTRIBUTES = ".gitattributes", 1_000_000  # bytes
_NO_FILTER = (b"unspecified", b"unset")
_URL = pattern(r"remote\..*\.url")
_CHANGES_ENDINGS = ("true", "input")  # values of `core.autocrlf`
_BESIDE = (SETTINGS_FILE, ".gitignore", ".gitattributes")  # what belongs to a memory beside its memory files
_FOLDERS = ("sessions/", ".sessions/", "artifacts/", "attachments/", "transcripts/", "templates/")


class Checkout(NamedTuple):
    """The repository of a memory: where it lies, and which branch goes to which remote."""

    top: str  # absolute
    prefix: str  # how the memory's paths begin there: empty or `notes/`
    private: str  # the `.git` of this worktree, absolute
    branch: str  # refs/heads/main
    head: str  # its last commit
    remote: str  # origin
    upstream: str  # the branch of the remote: refs/heads/main
    tracking: str  # refs/remotes/origin/main
    ssh: str = ""  # the user's command in `core.sshCommand`

    @property
    def synced(self) -> str:
        """The reference to the last commit of the remote that was taken in or pushed."""
        return f"refs/mdmem/synced/{self.branch.removeprefix('refs/heads/')}"

    @property
    def fetched(self) -> str:
        """The reference to what was fetched last. It is no remote-tracking branch, so a rewritten one is noticed."""
        return f"refs/mdmem/fetched/{self.branch.removeprefix('refs/heads/')}"


def find_checkout(config: WorkspaceConfig) -> Checkout:
    """Return the repository of a memory, ready for a sync.

    Raises:
        GitError: git is missing or too old, there is no repository, or something stands in the way.
        RefusedError, UnreadableFileError: its `.git` leads to another place.
    """
    require_version()
    places = own_places(config.root)
    top, private = places.top, places.private
    if places.is_shallow:
        stop(config, "sync.shallow")
    for name, what in _UNDER_WAY.items():
        if os.path.lexists(os.path.join(private, name)):
            stop(config, "sync.under-way", what=what)
    branch = run(config.root, "symbolic-ref", "-q", "HEAD", accept=(0, 1)).line
    if not branch:
        stop(config, "sync.detached")
    head = run(config.root, "rev-parse", "-q", "--verify", "HEAD^{commit}", accept=(0, 1)).line
    if not head:
        stop(config, "sync.no-commit")
    prefix = os.path.relpath(os.path.realpath(config.root), os.path.realpath(top)).replace(os.sep, "/")
    at = Checkout(top, "" if prefix == "." else f"{prefix}/", private, branch, head, "", "", "")
    rows = config_rows(config.root)
    at = _with_remote(config, at, rows)
    _require_trust(config, at, requests(places, rows, at.remote))
    _check_files(config, at)
    return at


def stop(config: WorkspaceConfig, key: str, error: type[GitError] = GitError, /, **facts: object) -> NoReturn:
    """Raise an error with the sentence of a key and its hint."""
    raise error(say(config.lang, key, **facts), hint=say(config.lang, f"{key}.hint", **facts))


def named(paths: Sequence[str]) -> str:
    """Return the first few of some paths, for a sentence."""
    return ", ".join(paths[:_MOST_NAMED]) + (", …" if len(paths) > _MOST_NAMED else "")


def _with_remote(config: WorkspaceConfig, at: Checkout, rows: Sequence[ConfigRow]) -> Checkout:
    """Return a checkout with its remote; refuse one without, and one that changes the ends of lines."""
    found = {one.key: one.value for one in rows}
    name = at.branch.removeprefix("refs/heads/")
    remote, upstream = found.get(f"branch.{name}.remote", ""), found.get(f"branch.{name}.merge", "")
    if not any(_URL.fullmatch(key) for key in found):
        stop(config, "sync.no-remote")
    if f"remote.{remote}.url" not in found or not upstream:
        stop(config, "sync.no-upstream", branch=name)
    if found.get("core.autocrlf", "").lower() in _CHANGES_ENDINGS and not _has_endings(at):
        stop(config, "sync.autocrlf")
    tracking = f"refs/remotes/{remote}/{upstream.removeprefix('refs/heads/')}"
    return at._replace(remote=remote, upstream=upstream, tracking=tracking, ssh=found.get("core.sshcommand", ""))


def _require_trust(config: WorkspaceConfig, at: Checkout, asked: Iterable[GitRequest]) -> None:
    """Refuse a repository that names programs and addresses which the user has not trusted."""
    waiting = [one for one in asked if not is_trusted(config.root, one.content)]
    if waiting:
        key = "sync.new-address" if all(one.kind == "address" for one in waiting) else "sync.untrusted"
        stop(config, key, names=named([one.name for one in waiting]), remote=at.remote)


def _has_endings(at: Checkout) -> bool:
    """Return whether attributes say which ends of lines memory files have, so that `core.autocrlf` does not count."""
    shown = run(at.top, "check-attr", "text", "--", f"{at.prefix}MEMORY.md").line
    return not shown.endswith("unspecified")


def _check_files(config: WorkspaceConfig, at: Checkout) -> None:
    """Refuse unmerged files, submodules, and filters such as LFS in a memory's folder."""
    shown = run(at.top, "ls-files", "-z", "--stage", "--", at.prefix or ".").output
    paths = []
    for row in filter(None, os.fsdecode(shown).split("\0")):
        fields, _, path = row.partition("\t")
        mode, _, stage = fields.split()
        if stage != "0":
            stop(config, "sync.unmerged", path=path)
        if mode == SUBMODULE:
            stop(config, "sync.submodule", path=path)
        paths.append(path)
    if any(_names_filter(at, path) for path in {_ATTRIBUTES, f"{at.prefix}{_ATTRIBUTES}", *paths}):
        names = os.fsencode("".join(f"{path}\0" for path in paths))
        answer = run(at.top, "check-attr", "-z", "--stdin", "filter", data=names).output.split(b"\0")
        for name, value in zip(answer[::3], answer[2::3], strict=False):
            if value not in _NO_FILTER:
                stop(config, "sync.filter", path=os.fsdecode(name))


def _names_filter(at: Checkout, path: str) -> bool:
    """Return whether a file gives attributes with a filter."""
    if path.rpartition("/")[2] != _ATTRIBUTES:
        return False
    with suppress(OSError), open(os.path.join(at.top, path), "rb") as file:
        return b"filter" in file.read(_MOST_ATTRIBUTES)
    return False


def is_of_memory(config: WorkspaceConfig, at: Checkout, path: str) -> bool:
    """Return whether a file of the repository belongs to the memory, by its name."""
    if not path.startswith(at.prefix):
        return False
    inner = within_user(path.removeprefix(at.prefix))
    if config.settings.sync.whole_folder or inner in _BESIDE or inner.startswith(_FOLDERS):
        return True
    return is_judged(inner, config.settings.lint) or bool(config.schemas.kind(inner))
