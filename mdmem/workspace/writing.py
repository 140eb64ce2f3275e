"""The facade's other half: the journeys over the text of memory files. Every write goes through the one pen.

`actor` is who asks: `user` and `cli` are the person whose memory it is, `keeper` the keeper, all else names an agent;
`reason` says why. The log keeps both. What each method needs is imported when it is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mdmem.workspace.facade import Facade

if TYPE_CHECKING:
    from mdmem.workspace.inbox import Item
    from mdmem.workspace.outcome import Outcome
    from mdmem.workspace.read import Reading


class Writing(Facade):
    """What `Workspace` can do to the text of its files."""

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
            section: its name or an alias; None is the default section of the kind, or the file where it has none.
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

    def remember(self, text: str, *, kind: str | None = None, actor: str = "user", reason: str = "") -> Outcome:
        """Add a memory without naming a file: its kind, by rules, says where it belongs.

        The outcome's `path` says where it went, its `hint` why and how to move it. The words that decide and the file
        and section of each kind are `[remember]` in mdmem.toml. Errors as for `add`.

        Args:
            text: one memory.
            kind: promise, rule, preference, event or fact; None leaves it to the words of the text.
            actor: who asks.
            reason: why, for the log.

        >>> Workspace("workspace").remember("主人喜欢靠窗的座位").path
        """
        from mdmem.workspace.remember import remember

        return remember(self._begin("remember", actor, reason), text, kind)

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

        Errors as for `add`, UsageError for a content without entries (nothing is emptied by an empty answer), and
        ConfirmError where several entries are in the new text no more, and `confirm` is not set.

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
        """Take a file away; what it says goes to the archive, and `undo` brings it back. Errors as for `add`.

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
