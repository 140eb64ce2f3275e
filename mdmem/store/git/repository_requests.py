"""Tells what a repository itself asks git for: programs, addresses and places that its configuration and hooks name.

A folder from elsewhere may bring its `.git` along, so whoever wrote the folder wrote these too. Git believes them. What
is known to be harmless is listed here, so that what a later git learns is asked for before anybody looked at it.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias
from urllib.parse import unquote

from mdmem.errors import GitError, RefusedError, UnreadableFileError
from mdmem.store.files import digest, read_private
from mdmem.store.git.program import read, require_version
from mdmem.store.git.repository import GitPlaces, git_folders, in_repository, own_places
from mdmem.text.pattern import pattern

_OWN = ("local", "worktree")  # scopes of what the repository says, and of what it includes
_MOST_HOOK, _MOST_NAMES = 20_000_000, 100_000  # bytes
_ALTERNATES = ("objects/info/alternates", "objects/info/http-alternates")

# Keys that run nothing, lead nowhere and loosen no check in the commands that mdmem gives git. That `core.worktree` is
# this folder is seen to in `repository.py`, and mdmem names its own merge driver itself.
_HARMLESS = pattern(
    r"""
      core\.(repositoryformatversion|bare|worktree|filemode|ignorecase|precomposeunicode|symlinks|logallrefupdates
        |autocrlf|eol|safecrlf|quotepath|abbrev|compression|loosecompression|bigfilethreshold|trustctime|checkstat
        |untrackedcache|preloadindex|fscache|longpaths|whitespace|commentchar|splitindex|commitgraph|multipackindex
        |sparsecheckout|sparsecheckoutcone|hidedotfiles|sharedrepository)
    | extensions\.(objectformat|compatobjectformat|worktreeconfig|preciousobjects|noop|relativeworktrees)
    | (user|author|committer|branch|color|column|advice|init|pull|rebase|rerere|stash|status|commit|tag|i18n|format
        |gui|gitk|gitweb|index|pack|repack|maintenance|feature|submodule|mdmem)\..*
    | log\.(date|decorate|abbrevcommit|follow|graphcolors|showroot|initialdecorationset)
    | remote\.(pushdefault|.*\.(fetch|push|tagopt|prune|prunetags|skipdefaultupdate|skipfetchall|followremotehead
        |gh-resolved))
    | push\.(default|autosetupremote|followtags|usebitmaps)
    | fetch\.(prune|prunetags|parallel|output|showforcedupdates|unpacklimit|writecommitgraph|negotiationalgorithm|all)
    | merge\.(conflictstyle|ff|renames|renamelimit|directoryrenames|log|stat|autostash|tool|default|.*\.name)
    | merge\.mdmem\.driver
    | diff\.(algorithm|renames|renamelimit|colormoved|mnemonicprefix|noprefix|submodule|ignoresubmodules|wordregex
        |context|interhunkcontext|indentheuristic|tool|guitool|.*\.(xfuncname|funcname|binary|wordregex|algorithm))
    | gc\.(auto|autodetach|autopacklimit|bigpackthreshold|pruneexpire|reflogexpire|reflogexpireunreachable
        |writecommitgraph|packrefs|worktreepruneexpire|aggressivedepth|aggressivewindow)
    | receive\.(deny[a-z]*|autogc|fsckobjects|unpacklimit|shallowupdate|updateserverinfo)
    | uploadpack\.(allow[a-z0-9]*|hiderefs|keepalive)
    | credential\.(.*\.)?(username|usehttppath)
    | http\.(postbuffer|version|lowspeedlimit|lowspeedtime|receivepack|uploadpack|getanyfile)
    | protocol\.version
    | lfs\.repositoryformatversion
    """,
    re.DOTALL | re.VERBOSE,
)
_STORES = {"extensions.refstorage": ("files", "reftable")}  # of references; newer ones may lie elsewhere
PASSWORD = pattern(r"([a-z][a-z0-9+.-]*://)[^/@\s]*:[^/@\s]*@")
_CREDENTIALS = pattern(r"([a-z][a-z0-9+.-]*://)[^/@\s]*:[^/@\s]*@|(https?://)[^/@\s]+@")  # a name may be a token
_ADDRESS = pattern(r"remote\.(.*)\.(?:url|pushurl)", re.DOTALL)
# A path, host:path, or a URL that git itself knows: any other one names a program, as `ext::` does.
_PLAIN = pattern(r"(?![A-Za-z0-9+.-]*::)(?:(?:https?|git|file|ssh|git\+ssh|ssh\+git)://|(?!\w[\w+.-]*://))", re.ASCII)
# Hooks of calls that mdmem never makes: they belong to a person's own `git commit`, `merge`, `rebase` and `checkout`.
_OTHER_HOOKS = frozenset((
    "applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg",
    "commit-msg", "post-commit", "pre-rebase", "post-checkout", "post-merge", "post-rewrite", "sendemail-validate",
))  # fmt: skip


RequestKind: TypeAlias = Literal["address", "instead", "hook", "hooks", "program", "objects", "more"]
_PROGRAMS = (
    "sshcommand", "gitproxy", "helper", "uploadpack", "receivepack", "clean", "smudge", "process", "driver",
    "textconv", "command", "external", "program", "fsmonitor", "alternaterefscommand", "askpass", "editor", "pager",
)  # fmt: skip
_KINDS: dict[str, RequestKind] = {
    "url": "address", "pushurl": "address", "insteadof": "instead", "pushinsteadof": "instead", "hookspath": "hooks",
    **dict.fromkeys(_PROGRAMS, "program"),
}  # fmt: skip


class ConfigRow(NamedTuple):
    """One line of git's configuration, and whose it is."""

    scope: str  # local and worktree are the repository's
    key: str
    value: str


class GitRequest(NamedTuple):
    """One thing that a repository asks git for."""

    kind: RequestKind
    name: str  # a key of its configuration, or `hooks/pre-push`; of a repository at an address, after its remote's name
    values: tuple[str, ...]  # of a hook, a digest of its bytes
    remote: str = ""  # the remote that it concerns; empty for all

    @property
    def shown(self) -> str:
        """The values as they may be shown."""
        return _CREDENTIALS.sub(r"\1\2…@", ", ".join(self.values))

    @property
    def content(self) -> bytes:
        """What trust is for."""
        return "\0".join(("git", self.remote, self.name, *self.values)).encode("utf-8", "surrogateescape")


def config_rows(folder: str) -> list[ConfigRow]:
    """Return the configuration that git has in a folder, the last row of a key counts. Raises GitError."""
    shown = os.fsdecode(read(folder, "config", "--list", "--show-scope", "-z")).split("\0")
    pairs = zip(shown[::2], shown[1::2], strict=False)
    return [ConfigRow(scope, *_key_and_value(line)) for scope, line in pairs]


def requests_in(folder: str) -> tuple[GitRequest, ...]:
    """Return what the repository of a folder asks for; empty without one, and for one that is refused anyway."""
    try:
        if not in_repository(folder):
            return ()
        require_version()
        return tuple(requests(own_places(folder), config_rows(folder)))
    except (GitError, RefusedError, UnreadableFileError):
        return ()


def requests(places: GitPlaces, rows: Sequence[ConfigRow], remote: str = "") -> Iterator[GitRequest]:
    """Yield what a repository asks for, and what the repositories at its addresses do that are paths.

    With a remote, nothing that concerns another one alone.

    Raises:
        GitError: git cannot be asked about a repository at a path.
    """
    for one in _asked(places.top, places.common, places.hooks, rows):
        if not remote or one.remote in ("", remote):
            yield one
    for row in rows:
        found = _ADDRESS.fullmatch(row.key)
        is_meant = found and row.scope in _OWN and remote in ("", found[1])
        if found and is_meant and (path := _local(places.top, row.value)):
            yield from _of_remote(found[1], path)


def _asked(top: str, common: str, hooks: str, rows: Sequence[ConfigRow]) -> Iterator[GitRequest]:
    """Yield what one repository asks for."""
    yield from _of_keys(row for row in rows if row.scope in _OWN)
    named_by = next((row.scope for row in reversed(rows) if row.key == "core.hookspath"), "local")
    if named_by in _OWN or os.path.realpath(hooks).startswith(os.path.join(os.path.realpath(top), "")):
        for name in _hooks(hooks):
            data = read_private(os.path.realpath(os.path.join(hooks, name)), _MOST_HOOK)
            yield GitRequest("hook", f"hooks/{name}", (_never() if data is None else digest(data),))
    for name in _ALTERNATES:
        if os.path.lexists(path := os.path.join(common, name)):
            data = read_private(path, _MOST_NAMES)
            yield GitRequest("objects", name, (_never() if data is None else os.fsdecode(data.strip()),))


def _never() -> str:
    """Return a value that nobody has trusted, for what is too large to be looked at, or cannot be."""
    return f"? {os.urandom(8).hex()}"


def _key_and_value(line: str) -> tuple[str, str]:
    key, _, value = line.partition("\n")
    return key, value


def _of_keys(rows: Iterable[ConfigRow]) -> Iterator[GitRequest]:
    values: dict[str, list[str]] = {}
    for row in rows:
        if not _HARMLESS.fullmatch(row.key) and row.value not in _STORES.get(row.key, ()):
            values.setdefault(row.key, []).append(row.value)
    for key, some in values.items():
        found = _ADDRESS.fullmatch(key)
        kind = _KINDS.get(key.rpartition(".")[2], "more")
        if kind == "address" and not (found and all(map(_PLAIN.match, some))):
            kind = "program"
        yield GitRequest(kind, key, tuple(some), found[1] if found else "")


def _hooks(folder: str) -> Iterator[str]:
    """Yield the name of each hook that a call of mdmem may run."""
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return
    for name in names:
        stem, ending = os.path.splitext(name)
        path = os.path.join(folder, name)
        if ending in ("", ".exe") and stem not in _OTHER_HOOKS and os.path.isfile(path) and os.access(path, os.X_OK):
            yield name


def _local(top: str, address: str) -> str:
    """Return the folder of an address that is a path or begins with `file://`; empty for any other one."""
    if address.startswith("file://"):
        path = os.path.join(top, unquote(address.removeprefix("file://")))
    elif ":" in address.partition("/")[0] and not os.path.splitdrive(address)[0]:  # host:path, or https://
        return ""
    else:
        path = os.path.join(top, os.path.expanduser(address))
    return next((one for one in (path, f"{path}.git") if os.path.isdir(one)), "")


def _of_remote(remote: str, path: str) -> Iterator[GitRequest]:
    """Yield what the repository at a path asks for: git runs its hooks here, at each push.

    It may belong to somebody else, so git is asked for its files and not to work in it.
    """
    common = git_folders(path)[1]
    files = [name for name in ("config", "config.worktree") if os.path.lexists(os.path.join(common, name))]
    shown = [read(common, "config", "--file", name, "--includes", "--list", "-z") for name in files]
    lines = filter(None, os.fsdecode(b"".join(shown)).split("\0"))
    rows = [ConfigRow(_OWN[0], *_key_and_value(line)) for line in lines]
    named = next((row.value for row in reversed(rows) if row.key == "core.hookspath"), os.path.join(common, "hooks"))
    for one in _asked(path, common, os.path.join(path, os.path.expanduser(named)), rows):
        if one.kind != "address":
            yield one._replace(name=f"remote.{remote}: {one.name}", remote=remote)
