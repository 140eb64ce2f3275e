"""The parts of `mdmem git setup`, each made and taken back by itself; what others wrote stays as it is."""

from __future__ import annotations

import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence

from mdmem.errors import RefusedError
from mdmem.git.model import SetupPart, SetupState
from mdmem.git.own_lines import has_lines, with_lines, without_lines
from mdmem.instructions.outside_files import SHARED, replace_outside
from mdmem.instructions.read import read_outside
from mdmem.linter.hook import has_hook, install_hook, uninstall_hook
from mdmem.store.git.program import run
from mdmem.store.git.repository_requests import PASSWORD

_MERGE, _DIFF, _MADE = "merge.mdmem", "diff.mdmem", "mdmem"  # sections of the repository's configuration
DRIVER = f"{_MERGE}.driver"
_NAME = "mdmem: memory files, entry by entry"
_HEADINGS = "^#{1,6}[ \t]+.*$"  # git shows the section above each hunk
_ORIGIN = "origin"
_NO_SUCH = (0, 1, 2, 5, 128)  # exit codes of `git config` and `git remote` where nothing is set

# Exit 1 counts only with marks in the file: a Python without mdmem ends with 1 too. In every other case git's own merge
# does it, for a driver that is missing or killed would leave one side alone, without a mark.
_LINE = (
    "if test -x {python}; then {python} -P -m mdmem merge -- %O %A %B %L %P; else mdmem merge -- %O %A %B %L %P; fi; "
    "case $? in 0) exit 0;; 1) grep -q '^<<<' %A && exit 1;; esac; "
    "exec git merge-file -L ours -L base -L theirs --marker-size=%L %A %O %B"
)


class Part(ABC):
    """One part of the setup of one memory folder."""

    name: SetupPart

    def __init__(self, root: str) -> None:
        """Bind to a memory folder in a repository."""
        self.root = root

    @abstractmethod
    def make(self) -> SetupState:
        """Make it, unless it is there."""

    @abstractmethod
    def undo(self) -> SetupState:
        """Take back what `make` did."""


class OwnLines(Part):
    """Lines of ours in a file of the memory folder."""

    file: str
    lines: Sequence[str]

    def make(self) -> SetupState:
        data = self._read()
        if has_lines(data, self.lines):
            return "present"
        self._write(data, with_lines(data, self.lines))
        return "made"

    def undo(self) -> SetupState:
        data = self._read()
        bare = without_lines(data)
        if bare == data:
            return "absent"
        self._write(data, bare)
        return "removed"

    def _read(self) -> bytes | None:
        return read_outside(os.path.join(self.root, self.file))

    def _write(self, before: bytes | None, after: bytes | None) -> None:
        path = os.path.join(self.root, self.file)
        replace_outside(path, before, after, SHARED, within=os.path.realpath(self.root))


class AttributeLines(OwnLines):
    """Says in `.gitattributes` which files the merge driver merges; it travels with the repository."""

    name = "attributes"
    file, lines = ".gitattributes", ("*.md merge=mdmem diff=mdmem",)


class IgnoreLines(OwnLines):
    """Keeps the state folder out of the repository."""

    name = "ignore"
    file, lines = ".gitignore", (".mdmem/",)


class DriverConfiguration(Part):
    """Names the merge driver in the configuration of the repository, which does not travel."""

    name = "driver"

    def make(self) -> SetupState:
        line = driver_line()
        known = configured(self.root, DRIVER)
        if known == line:
            return "present"
        if known and configured(self.root, f"{_MERGE}.name") != _NAME:
            return "another"
        values = {f"{_MERGE}.name": _NAME, DRIVER: line, f"{_DIFF}.xfuncname": _HEADINGS}
        for key, value in values.items():
            run(self.root, "config", "--local", key, value)
        return "made"

    def undo(self) -> SetupState:
        if configured(self.root, f"{_MERGE}.name") != _NAME:
            return "another" if configured(self.root, DRIVER) else "absent"
        for section in (_MERGE, _DIFF):
            run(self.root, "config", "--local", "--remove-section", section, accept=_NO_SUCH)
        return "removed"


class CommitHook(Part):
    """Lints what is staged before each commit; see `Workspace.install_hook`."""

    name = "hook"

    def make(self) -> SetupState:
        if has_hook(self.root):
            return "present"
        if not install_hook(self.root):
            return "another"
        run(self.root, "config", "--local", f"{_MADE}.hook", "true")
        return "made"

    def undo(self) -> SetupState:
        if not configured(self.root, f"{_MADE}.hook"):
            return "absent"
        forget_made(self.root, "hook")
        done = uninstall_hook(self.root)
        return "absent" if done == "none" else done


class OriginRemote(Part):
    """Names the repository with which this one is exchanged."""

    name = "remote"

    def __init__(self, root: str, url: str = "") -> None:
        """Bind to a memory folder; `url` is the repository's address."""
        super().__init__(root)
        self._url = url

    def make(self) -> SetupState:
        if PASSWORD.match(self._url):
            hint = "name the address without it; git's credential helper keeps the password"
            raise RefusedError("the address holds a password, and git would keep it as plain text", hint=hint)
        known = configured(self.root, f"remote.{_ORIGIN}.url")
        if known:
            return "present" if known == self._url else "another"
        run(self.root, "remote", "add", "--", _ORIGIN, self._url)
        run(self.root, "config", "--local", f"{_MADE}.remote", _ORIGIN)
        return "made"

    def undo(self) -> SetupState:
        name = configured(self.root, f"{_MADE}.remote")
        if not name:
            return "absent"
        forget_made(self.root, "remote")
        run(self.root, "remote", "remove", name, accept=_NO_SUCH)
        return "removed"


def driver_line() -> str:
    """Return the command that git runs to merge a file."""
    return _LINE.format(python=shlex.quote(sys.executable).replace("%", "%%"))


def configured(root: str, key: str) -> str:
    """Return a value of the repository's own configuration; empty if it is not set."""
    return run(root, "config", "--local", "--get", key, accept=_NO_SUCH).line


def forget_made(root: str, key: str) -> None:
    """Take out the note that setup made a part; a section that is empty then goes too."""
    run(root, "config", "--local", "--unset", f"{_MADE}.{key}", accept=_NO_SUCH)
    if not run(root, "config", "--local", "--get-regexp", f"^{_MADE}\\.", accept=_NO_SUCH).output:
        run(root, "config", "--local", "--remove-section", _MADE, accept=_NO_SUCH)
