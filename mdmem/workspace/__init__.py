"""Wires the rooms: the facade of a memory folder, one module a journey.

This is where the clock comes in. What a journey needs beyond the start is imported when it begins, so that a lint
answered from the cache loads neither the parser nor YAML.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from mdmem.errors import WorkspaceNotFoundError
from mdmem.store.walk import find_root
from mdmem.workspace.config import Config

if TYPE_CHECKING:
    from mdmem.store.record import Transaction
    from mdmem.workspace.commit import Commit
    from mdmem.workspace.doctor import Check
    from mdmem.workspace.forget import Forgotten
    from mdmem.workspace.inbox import Item
    from mdmem.workspace.init import Made
    from mdmem.workspace.lint import Report
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.read import Reading
    from mdmem.workspace.show import Shown
    from mdmem.workspace.status import FileStatus

Progress = Callable[[int, int], None]  # (files done, files in all)


class Workspace:
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

    def read(self, path: str, *, actor: str = "user") -> Reading:
        """Give a file's text with its digest, which a later change may name as `expect`.

        No lock is taken. A file that is empty or broken is looked at again for `[store] stable_ms`; then its last good
        version is given, with a warning.

        Raises:
            RefusedError: the path leaves the workspace, or is not for memory tools.
            TargetError: there is no such file.
            UnreadableFileError: it is no regular file, too large, or may not be read, and no version is known.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").read("MEMORY.md").text
        """
        from mdmem.workspace.read import read_file

        return read_file(self.config, path, actor)

    def add(
        self,
        path: str,
        texts: Sequence[str],
        *,
        section: str | None = None,
        fields: Mapping[str, str] | None = None,
        expect: str | None = None,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Add memories to the end of a section, each once, as one line, and with a date where the kind wants one.

        What a full section has no room for waits in the inbox (status `waiting`), as does an agent's addition to a
        file that changes only with the user's word. A file that is missing begins as its template writes it.

        Args:
            path: POSIX, from the root.
            texts: one for each entry; several lines of one become one.
            section: its name or an alias; may be left out where the file has none.
            fields: `[key:: value]` for each of them.
            expect: the digest that `read` gave; a file that moved on since is merged entry by entry.
            actor: who asks: `user` and `cli` are the person, `keeper` the keeper, all else names an agent.
            reason: why, for the log.

        Raises:
            UsageError: there is no text, or the actor is no name.
            RefusedError: a text that the pen does not write, a path that it does not touch; nothing was written.
            TargetError: no such section, or no file and no known kind of one.
            VerificationError: there is no place where the text would stand as an entry.
            ConflictError, LockedError, WriteError, UnreadableFileError: the pen could not write; the file is whole.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").add("MEMORY.md", ["主人说周五有重要面试"], section="重要事件").message
        """
        from mdmem.workspace.add import add_entries

        return add_entries(self._begin("add", actor, reason), path, texts, section, fields, expect)

    def edit(
        self,
        path: str,
        old: str,
        new: str,
        *,
        expect: str | None = None,
        confirm: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Put a new text in the place of an old one, which must stand in the file once; line endings are the file's.

        White space may differ where the text as such stands nowhere. Arguments and errors as for `add`, and:

        Raises:
            TargetError: the old text stands nowhere or more than once; `candidates` are the nearest lines.
            ConfirmError: most of the file would go, and `confirm` is not set.

        >>> Workspace("workspace").edit("MEMORY.md", "提醒主人周五准备面试", "✅ 已提醒主人准备面试（2026-02-14）")
        """
        from mdmem.workspace.edit import edit_text

        return edit_text(self._begin("edit", actor, reason, confirm=confirm), path, old, new, expect)

    def write(
        self,
        path: str,
        content: str,
        *,
        expect: str | None = None,
        confirm: bool = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Make a file, or give it another text as a whole; the lines that stay are not touched. Errors as for `edit`.

        >>> Workspace("workspace").write("world_state.md", "# 世界\n\n- 构建用 just\n").message
        """
        from mdmem.workspace.edit import write_file

        return write_file(self._begin("write", actor, reason, confirm=confirm, whole=True), path, content, expect)

    def replace(self, path: str, entry: str, text: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Give an entry another text, in its place; `entry` is its `^id`, its key, or a piece of its text.

        Errors as for `add`; TargetError where no entry is meant, or more than one.

        >>> Workspace("workspace").replace("MEMORY.md", "Python 3.10", "2026-02-20：升级到 Python 3.12")
        """
        from mdmem.workspace.change import replace_entry

        return replace_entry(self._begin("replace", actor, reason), path, entry, text)

    def replace_section(
        self, path: str, section: str, content: str, *, confirm: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Put new entries, one a line, in the place of a section's old ones, which go to the archive (F034).

        Errors as for `add`, and UsageError for a content without entries: nothing is emptied by an empty answer.

        >>> Workspace("workspace").replace_section("FASTMEMO.md", "历史感知", "- 2026-02：riverlog 第一版完成")
        """
        from mdmem.workspace.change import overwrite_section

        return overwrite_section(self._begin("replace-section", actor, reason, confirm=confirm), path, section, content)

    def remove(
        self, path: str, entries: Sequence[str], *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Take entries, and what is nested in them, out of a file and into the month's archive. Errors as for `add`.

        >>> Workspace("workspace").remove("MEMORY.md", ["^k7f3", "周五有重要面试"], dry_run=True).diff
        """
        from mdmem.workspace.change import remove_entries

        return remove_entries(self._begin("remove", actor, reason, confirm=True, dry_run=dry_run), path, entries)

    def tick(self, path: str, entry: str, *, done: bool = True, actor: str = "user", reason: str = "") -> Outcome:
        """Mark an entry as done, or take that back: its checkbox, or a ✅ where it has none. Errors as for `replace`.

        >>> Workspace("workspace").tick("MEMORY.md", "提醒主人周五准备面试").message
        """
        from mdmem.workspace.change import tick_entry

        return tick_entry(self._begin("tick", actor, reason), path, entry, done=done)

    def rename(self, path: str, new: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Give a file another name; TargetError where that is taken, else errors as for `add`.

        >>> Workspace("workspace").rename("facts/nian.md", "facts/年.md").message
        """
        from mdmem.workspace.file import rename_file

        return rename_file(self._begin("rename", actor, reason, confirm=True), path, new)

    def delete(self, path: str, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take a file away; the history keeps it, and `undo` brings it back. Errors as for `add`.

        >>> Workspace("workspace").delete("facts/nian.md", dry_run=True).status
        """
        from mdmem.workspace.file import delete_file

        return delete_file(self._begin("delete", actor, reason, confirm=True, dry_run=dry_run), path)

    def inbox(self) -> tuple[Item, ...]:
        """Tell what waits in inbox.md, in order: the key, the text or diff, where it belongs, who proposes it.

        Raises:
            MemoryOffError: memory is switched off, and nothing but memory waits.

        >>> [item.key for item in Workspace("workspace").inbox()]
        """
        from mdmem.workspace.answer import list_items

        return list_items(self.config)

    def accept(self, keys: Sequence[str] = (), *, actor: str = "user", reason: str = "") -> tuple[Outcome, ...]:
        """Let what waits go to where it belongs, each as one commit; without keys, what is ticked in the inbox.

        What still finds no room, or no longer fits, goes on waiting: its outcome has the status `waiting` and says why.

        Raises:
            TargetError: nothing waits under a key; nothing was done.

        >>> Workspace("workspace").accept(["3fa91c"])
        """
        from mdmem.workspace.answer import accept_items

        return accept_items(self.config, keys, actor, reason)

    def reject(self, keys: Sequence[str], *, actor: str = "user", reason: str = "") -> Outcome:
        """Take out of the inbox what the user does not want; only the history keeps it.

        Raises:
            TargetError: nothing waits under a key.
            RefusedError: the actor is not the user.

        >>> Workspace("workspace").reject(["3fa91c"]).message
        """
        from mdmem.workspace.answer import reject_items

        return reject_items(self.config, keys, actor, reason)

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
            name: its id; None for the newest that stands. Taking back a taking back does the change again.

        Raises:
            ConflictError: the same place was changed since.
            TargetError: there is no such change, or its versions are no longer kept.

        >>> Workspace("workspace").undo(dry_run=True).message
        """
        from mdmem.workspace.history import undo

        return undo(self.config, name, actor=actor, reason=reason, dry_run=dry_run)

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

    def forget(self, words: str, *, dry_run: bool = False, actor: str = "user") -> Forgotten:
        """Remove a text from every memory file, archive, transcript and artifact, the history and the caches (law 12).

        An entry that holds the words goes whole; elsewhere the words alone are struck out. A tombstone without content
        keeps imports and night jobs from bringing it back. It cannot be undone.

        Args:
            words: a piece of text, at least two characters; capitals, width and white space do not matter.
            dry_run: only tell the places.

        Raises:
            UsageError: too short.
            WriteError: the system refused; running it again finishes it.
        """
        from mdmem.workspace.forget import forget

        return forget(self.config, words, actor=actor, dry_run=dry_run)

    def _begin(
        self,
        verb: str,
        actor: str,
        reason: str,
        *,
        confirm: bool = False,
        whole: bool = False,
        dry_run: bool = False,
    ) -> Commit:
        from mdmem.workspace.commit import Commit

        return Commit(self.config, verb, actor, reason, confirm=confirm, whole=whole, dry_run=dry_run)

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
