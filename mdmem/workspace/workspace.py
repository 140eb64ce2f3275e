"""The facade of a memory folder; what a journey needs beyond the start is imported when it begins."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mdmem.store.walk import need_root
from mdmem.workspace.artifacts.facade import Evidence
from mdmem.workspace.chat.facade import Contexts
from mdmem.workspace.config import Config
from mdmem.workspace.pack import Packing
from mdmem.workspace.pinning import Pinning
from mdmem.workspace.planning import Planning
from mdmem.workspace.session.facade import Sessions
from mdmem.workspace.writing import Writing

if TYPE_CHECKING:
    from mdmem.models import Backend
    from mdmem.store.record import Transaction
    from mdmem.workspace.doctor import Check
    from mdmem.workspace.forget import Forgotten
    from mdmem.workspace.init import Made
    from mdmem.workspace.lint import Report
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.show import Shown
    from mdmem.workspace.status import FileStatus
    from mdmem.workspace.trust import Asked
    from mdmem.workspace.watch_words import Notice

Progress = Callable[[int, int], None]  # (files done, files in all)


class Workspace(Writing, Sessions, Evidence, Pinning, Planning, Contexts, Packing):
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
        return cls(need_root(os.fspath(start)), lang=lang, cache=cache)

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

    def compact(
        self,
        what: str | None = None,
        *,
        plan: bool = False,
        now: bool = False,
        backend: str | Backend | None = None,
        apply: str | None = None,
    ) -> tuple[Outcome, ...]:
        """Condense what waits, each file as one change that a proof precedes; an outcome for each file.

        What leaves a file goes to the archive in the same change. An answer that fails its proof is not written:
        its outcome is `refused` and says why, `status` shows it, and the next attempt waits. The model is asked
        without any lock; what others write meanwhile is merged.

        Args:
            what: a file, POSIX from the root, or a kind, which means all its files; None means all that waits.
            plan: show what would change, and write nothing.
            now: also what is not at its threshold yet, and without waiting after a refusal.
            backend: rules, command, openai or agent; or a function from a prompt to an answer. None leaves it to
                `[keeper] backend` in mdmem.toml.
            apply: an agent's answer to `compact_prompts`, instead of asking a backend.

        Raises:
            UsageError: no backend is called so.
            ConfigError: the backend, or a prompt of the workspace's own, is not set up right.
            TargetError: there is no such file.
            MemoryOffError: memory is switched off.

        >>> [outcome.message for outcome in Workspace("workspace").compact(plan=True)]
        """
        from mdmem.workspace.compact import Way, compact

        return compact(self.config, what, Way(plan, now, backend, apply))

    def compact_prompts(self, what: str | None = None) -> tuple[str, ...]:
        """Give the prompt for each file that waits to be condensed, or for the one named; answers go to `compact`."""
        from mdmem.workspace.compact import prompts

        return prompts(self.config, what)

    def init(self) -> Made:
        """Write the files that a new workspace begins with; what is there already is left alone.

        Raises:
            WriteError: the system refused.
        """
        from mdmem.workspace.init import init

        return init(self.config)

    def log(self, path: str | None = None, *, limit: int | None = None) -> tuple[Transaction, ...]:
        """Give the changes that mdmem made, newest first.

        Args:
            path: only those of this file, POSIX from the root.
            limit: at most so many.
        """
        from mdmem.workspace.history import log

        return log(self.config, path, limit)

    def diff(self, name: str | None = None) -> str:
        """Give what a change did, or what has become of files since mdmem wrote them, as a unified diff.

        Args:
            name: the id of a change, its beginning or its end; a file's path; None for every file.

        Raises:
            TargetError: there is neither such a change nor such a file in the history.
        """
        from mdmem.workspace.history import show_diff

        return show_diff(self.config, name)

    def undo(self, name: str | None = None, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take a change back by another one; what was written since stays.

        Args:
            name: its id; None for the newest that stands, for an agent the newest of its own. Taking back a taking
                back does the change again.

        Raises:
            ConflictError: the same place was changed since.
            TargetError: there is no such change, or its versions are no longer kept.

        >>> Workspace("workspace").undo(dry_run=True).message
        """
        from mdmem.workspace.history import undo

        return undo(self.config, name, actor=actor, reason=reason, dry_run=dry_run)

    def restore(
        self, path: str, at: str = "", *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Bring a file back that was deleted or clobbered by hand; the version that it replaces stays in the history.

        Args:
            path: the file, POSIX from the root.
            at: the id of a change, for the version after it; or a time (ISO 8601), for the version of then, a day for
                that of its end. Without it the last version that counts as known: what mdmem wrote or a watcher met,
                before the file was lost.

        Raises:
            TargetError: the history has no such version, or no longer keeps it.
            RefusedError: an agent may not write what stands in that version.

        >>> Workspace("workspace").restore("MEMORY.md", dry_run=True).status
        """
        from mdmem.workspace.restore import restore

        return restore(self.config, path, at, actor=actor, reason=reason, dry_run=dry_run)

    def dismiss(self, path: str, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take it that a file which lint and status call lost is meant to be as it is now, or to be gone.

        Args:
            path: the file, or a folder: every lost file below it; "." for all.
        """
        from mdmem.workspace.restore import dismiss

        return dismiss(self.config, path, actor=actor, reason=reason, dry_run=dry_run)

    def recover(self) -> tuple[Transaction, ...]:
        """Finish what crashed processes left half done, and bring home saves that came too late.

        Every write does so for the files that it touches; this does it for all.
        """
        from mdmem.workspace.doctor import recover

        return recover(self.config)

    def doctor(self) -> tuple[Check, ...]:
        """Tell what the pen can promise on this file system, and whether settings, history and journal are sound.

        Reads the whole history; writes a probe into the state folder and removes it.
        """
        from mdmem.workspace.doctor import doctor

        return doctor(self.config)

    def watch(self, *, once: bool = False, poll: bool = False) -> Iterator[Notice]:
        """Watch the folder until the iterator is closed: judge what changes, tell what waits, let the keeper begin.

        Args:
            once: look at everything once, let the keeper work if nobody is busy, and end.
            poll: look at the files every so often, where the system tells of no events (network folders).

        Raises:
            LockedError: there is a watcher at work already.
            UnreadableFileError: the folder cannot be opened; one that vanishes later is waited for.
            ConfigError: `mdmem.toml` or a template is wrong.

        >>> for notice in Workspace("workspace").watch(once=True):
        ...     print(notice.path, notice.message)
        """
        from mdmem.workspace.watch import watch
        from mdmem.workspace.watch_keep import keep

        return watch(self.config, once=once, poll=poll, keep=keep)

    def busy(self, seconds: float | None = None) -> AbstractContextManager[None]:
        """Keep the keeper off while a block runs; it ends with the process, and after `[watch] busy_seconds` at last.

        >>> with Workspace("workspace").busy():
        ...     ...
        """
        from mdmem.workspace.busy import busy

        return busy(self.config, self.config.settings.watch.busy_seconds if seconds is None else seconds)

    def trust(self, *, revoke: bool = False) -> Asked:
        """Let the workspace's mdmem.toml, as it is now, say which program or endpoint the keeper asks; or no longer.

        Raises:
            WriteError: it could not be noted in the user's settings folder.
        """
        from mdmem.workspace.trust import trust

        return trust(self.config, revoke=revoke)

    def forget(self, words: str, *, dry_run: bool = False, actor: str = "user") -> Forgotten:
        """Remove a text from every memory file, archive, transcript and artifact, the history and the caches (law 12).

        An entry that holds the words goes whole; elsewhere the words alone are struck out. A tombstone without content
        keeps imports and night jobs from bringing it back. It cannot be undone.

        Args:
            words: a piece of text, at least three letters, four digits or two Chinese characters; capitals, width and
                white space do not matter.
            dry_run: only tell the places.

        Raises:
            UsageError: too short.
            WriteError: the system refused; running it again finishes it.
        """
        from mdmem.workspace.forget import forget

        done = forget(self.config, words, actor=actor, dry_run=dry_run)
        if not dry_run:  # also what is in no file any more may have left its words there
            self.forget_traces()
        return done

    def show(self, path: str) -> Shown:
        """Give a file's lines and sections, and each entry with the key that names it to `edit`, `rm` and `tick`.

        Args:
            path: the file, POSIX from the root, or the name of a kind that has one file (`fastmemo`).

        Raises:
            UnreadableFileError: there is none, or it may not be read.
            MemoryOffError: memory is switched off here.
        """
        from mdmem.workspace.show import show

        return show(self, path)

    def tools(self) -> list[dict[str, Any]]:
        """Give the tools that an agent is offered here, as JSON schemas in the language of this workspace.

        Each is `{"name", "description", "input_schema"}`; memory switched off offers none (P038).
        """
        from mdmem.workspace.tools.call import offered

        return offered(self)

    def call(self, tool: str, arguments: object, *, actor: str = "agent") -> dict[str, Any]:
        """Run a tool and give its reply as one JSON object; never raises for what a model sent.

        Args:
            tool: its name, as `tools` gives it; or `memory`, with the verb as the argument `command`.
            arguments: the arguments, as the model gave them.
            actor: who is written into the log.

        The reply has `status` (done, unchanged, waiting, planned, findings or error), `message`, `hint` and
        `findings`; and, where there is such a thing, `path`, `text` (what was asked for, or the whole reply of a memory
        verb), `transaction`, and for an error `code` and `candidates`.

        >>> workspace = Workspace("workspace")
        >>> workspace.call("memory_read", {"path": "FASTMEMO.md"})["status"]
        'done'
        """
        from mdmem.workspace.tools.call import call

        return call(self, tool, arguments, actor)
