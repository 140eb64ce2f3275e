"""Wires the rooms: the facade of a memory folder, one module a journey.

This is where the clock comes in. What a journey needs beyond the start is imported when it begins, so that a lint
answered from the cache loads neither the parser nor YAML.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from mdmem.errors import WorkspaceNotFoundError
from mdmem.store.walk import find_root
from mdmem.workspace.config import Config
from mdmem.workspace.writing import Writing

if TYPE_CHECKING:
    from mdmem.workspace.init import Made
    from mdmem.workspace.lint import Report
    from mdmem.workspace.status import FileStatus

Progress = Callable[[int, int], None]  # (files done, files in all)


class Workspace(Writing):
    """A memory folder, bound to one root.

    >>> workspace = Workspace("workspace")
    >>> for finding in workspace.lint().diagnostics:
    ...     print(finding.path, finding.line, finding.code, finding.message)
    """

    def __init__(self, root: str | os.PathLike[str] = ".", *, lang: str | None = None, cache: bool = True) -> None:
        """Bind to a folder.

        Args:
            root: the folder; it need not exist before `init`.
            lang: zh or en, over the language that `mdmem.toml` or the locale names.
            cache: answer from the user's cache for what has not changed, and keep answers there.
        """
        self.root = os.path.abspath(root)
        self._lang, self._cache = lang, cache

    @classmethod
    def find(cls, start: str | os.PathLike[str] = ".", *, lang: str | None = None, cache: bool = True) -> Workspace:
        """Give the workspace that a path lies in.

        Raises:
            WorkspaceNotFoundError: neither that folder nor one above it is a memory.
        """
        root = find_root(os.fspath(start))
        if root is None:
            raise WorkspaceNotFoundError(
                "no memory folder here or above", hint="`mdmem init` makes one; or name the files to lint"
            )
        return cls(root, lang=lang, cache=cache)

    @cached_property
    def config(self) -> Config:
        """The settings and templates that hold here."""
        return Config(self.root, self._lang, remember=self._cache)

    @property
    def lang(self) -> str:
        """The language of messages here: zh or en."""
        return self.config.lang

    def lint(
        self,
        paths: Sequence[str] = (),
        *,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        staged: bool = False,
        jobs: int | None = None,
        progress: Progress | None = None,
    ) -> Report:
        """Say what is wrong with the memory files; nothing is written into the workspace.

        Args:
            paths: files or folders, POSIX from the root; none means all memory files.
            select: codes, prefixes of codes (`MM3`) or names to run; None leaves it to `mdmem.toml`.
            ignore: the same, to leave out.
            staged: judge what is staged in git instead of the files; no paths means all that is staged.
            jobs: processes; None chooses by the amount of text.
            progress: called with (files done, files in all).

        Raises:
            UsageError: `select` or `ignore` names no rule.
            ConfigError: `mdmem.toml` or a template is wrong.
            GitError: `staged` without git or outside a repository.
        """
        from mdmem.workspace.lint import lint

        return lint(self.config, paths, select=select, ignore=ignore, staged=staged, jobs=jobs, progress=progress)

    def fix(
        self,
        paths: Sequence[str] = (),
        *,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        write: bool = True,
    ) -> Report:
        """Mend what can be mended safely, proving each change; `Report.fixed` holds old and new bytes.

        With `write=False` nothing is written. Arguments and errors as for `lint`, and:

        Raises:
            WriteError: a file changed meanwhile or could not be replaced; it is as it was.
        """
        from mdmem.workspace.fix import fix

        return fix(self.config, paths, select=select, ignore=ignore, write=write)

    def status(self) -> tuple[FileStatus, ...]:
        """Tell of each memory file its kind, its entries against their caps, its size, what waits, what is broken."""
        from mdmem.workspace.status import status

        return status(self.config)

    def init(self) -> Made:
        """Write the files that a new workspace begins with; what is there already is left alone.

        Raises:
            WriteError: the system refused.
        """
        from mdmem.workspace.init import init

        return init(self.config)
