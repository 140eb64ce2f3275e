"""The facade: what a program does with a memory folder; the namespaces are in `namespaces.py`.

Each method imports its implementation when it is called, to keep the start of programs and commands short.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mdmem.config.typed_calls import several
from mdmem.config.workspace_config import token_counter
from mdmem.namespaces import Namespaces

if TYPE_CHECKING:
    from mdmem.artifacts.model import StoredArtifact
    from mdmem.config.settings_shown import Setting
    from mdmem.config.trust_requests import TrustRequest
    from mdmem.context.inputs import TurnLike
    from mdmem.context.model import Pack
    from mdmem.context.recipe import Recipes
    from mdmem.entries.commit import ChangeRequest
    from mdmem.entries.forget.model import ForgetResult
    from mdmem.entries.inbox.items import InboxItem
    from mdmem.entries.inbox.service import Inbox
    from mdmem.entries.model import Outcome
    from mdmem.entries.read import FileText
    from mdmem.entries.service import InitResult
    from mdmem.entries.show import ShownFile
    from mdmem.episodes.service import Episodes
    from mdmem.facts.model import Fact
    from mdmem.git.sync_state import SyncResult, SyncState
    from mdmem.git.synchronize import SyncProgress
    from mdmem.importers.export_writer import ExportForm
    from mdmem.importers.model import ExportReport, ImportReport, ImportTarget
    from mdmem.keeper.backlog.status import FileStatus
    from mdmem.linter.service import Progress
    from mdmem.linter.sources import LintReport
    from mdmem.models import Backend
    from mdmem.night.model import NightProgress, NightReport
    from mdmem.search.recall import RecallResult
    from mdmem.search.service import SearchHit
    from mdmem.store.transaction import DraftFiles, Edits
    from mdmem.text.tokens import TokenCounter
    from mdmem.watch.model import Notice

DEFAULT = "default"  # the recipe of a pack without a name


class Facade(Namespaces):
    """Everything that a program does with a memory folder; `Workspace` adds the tools for models."""

    @cached_property
    def episodes(self) -> Episodes:
        """What happened in the sessions."""
        from mdmem.episodes.service import Episodes

        return Episodes(self.config, lambda query, limit: self.search(query, limit, kinds=("episode",), archive=True))

    @cached_property
    def inbox(self) -> Inbox:
        """The inbox: entries that wait for room, and changes that wait for confirmation."""
        from mdmem.entries.inbox.service import Inbox

        def accept(commit: ChangeRequest, files: DraftFiles, path: str, item: InboxItem) -> Edits | None:
            from mdmem.facts.service import accept_fact

            return accept_fact(commit, files, path, item)

        return Inbox(self.config, accept, self.forget, self._renewed)

    def init(self) -> InitResult:
        """Write the files of a new workspace; existing files are not changed.

        Raises:
            WriteError: the system refused.
        """
        from mdmem.entries.service import init

        return init(self.config)

    def status(self) -> tuple[FileStatus, ...]:
        """Return the status of each memory file: kind, entries and size with their limits, pending work, findings."""
        from mdmem.keeper.backlog.status import status

        return status(self.config)

    def lint(
        self, paths: Sequence[str] = (), *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
        staged: bool = False, whole: bool = False, jobs: int | None = None, progress: Progress | None = None,
    ) -> LintReport:  # fmt: skip
        """Return the findings in the memory files; nothing is written to the workspace.

        Args:
            paths: files or folders, POSIX from the root; empty for all memory files.
            select: codes, prefixes of codes (`MM3`) or names of rules to run; None for those of `mdmem.toml`.
            ignore: the same, of rules to skip.
            staged: lint the staged content instead of the files; without paths, all staged files. The findings that
                the last commit has too are in `known`, as notes.
            whole: with `staged`, judge these too.
            jobs: number of processes; None to choose it by the amount of text.
            progress: called with (files done, all files).

        Raises:
            UsageError: `select` or `ignore` names an unknown rule.
            ConfigError: `mdmem.toml` or a template is wrong.
            GitError: `staged` without git or outside a repository.
        """
        from mdmem.facts.hand_edits import outdated_marks
        from mdmem.linter.service import lint

        return lint(
            self.config, paths, select=select, ignore=ignore, staged=staged, whole=whole, jobs=jobs, progress=progress,
            outdated=outdated_marks,
        )  # fmt: skip

    def fix(
        self, paths: Sequence[str] = (), *, select: Sequence[str] | None = None, ignore: Sequence[str] | None = None,
        write: bool = True,
    ) -> LintReport:  # fmt: skip
        """Fix the findings that can be fixed safely, and verify each change; `LintReport.fixed` has old and new bytes.

        With `write=False` nothing is written. Arguments and errors are those of `lint`, and:

        Raises:
            WriteError: a file changed meanwhile or could not be replaced; it is unchanged.
        """
        from mdmem.linter.worker import fix_files

        return fix_files(self.config, paths, select=select, ignore=ignore, write=write)

    def read(self, path: str, *, actor: str = "user") -> FileText:
        """Return a file's text and its digest, which a later change can pass as `expect`.

        No lock is taken. An empty or damaged file is read again for `[store] stable_ms`; then its last good version is
        returned with a warning.

        Raises:
            RefusedError: the path leaves the workspace, or is not allowed for memory tools.
            TargetError: there is no such file.
            UnreadableFileError: it is not a regular file, too large, or not readable, and no version is known.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").read("MEMORY.md").text
        """
        from mdmem.entries.read import read_file

        return read_file(self.config, path, actor)

    def show(self, path: str) -> ShownFile:
        """Return a file's lines, sections and entries; other methods find an entry by its key.

        Args:
            path: the file, POSIX from the root, or the name of a kind with one file (`fastmemo`).

        Raises:
            UnreadableFileError: there is no such file, or it cannot be read.
            MemoryOffError: memory is switched off.
        """
        from mdmem.entries.show import show_file

        return show_file(self.config, path)

    def file(self, name: str) -> str:
        """Return the path of a file given by its kind (`daily` is today's file) or by its path.

        Raises:
            TargetError: the kind has several files, or none yet; `candidates` are its files.
        """
        from mdmem.entries.kind_files import file_of

        return file_of(self.config, name)

    def files(self, name: str | None = None) -> tuple[str, ...]:
        """Return the paths of all files of a kind or path; without a name, of all existing memory files."""
        from mdmem.entries.kind_files import files_of
        from mdmem.formats.paths import is_foreign

        if name is not None:
            return files_of(self.config, name)
        skip = self.config.settings.lint.skip_folders
        there = (one.path for one in self.status() if one.lost != "gone" and not is_foreign(one.path, skip))
        return tuple(filter(self.config.whose.sees, there))

    def has_one_file(self, name: str) -> bool:
        """Return whether a name is that of a kind with one file, such as `memory`."""
        from mdmem.entries.kind_files import is_single, kind_of

        template = kind_of(self.config, name)
        return template is not None and is_single(template)

    def kind(self, name: str) -> str:
        """Return the kind that a name stands for; empty if the name is a path."""
        from mdmem.entries.kind_files import kind_of

        template = kind_of(self.config, name)
        return template.kind if template else ""

    def add(
        self, path: str, texts: str | Sequence[str], *, section: str | None = None,
        fields: Mapping[str, str] | None = None, expect: str | bytes | None = None, important: bool = False,
        again: bool = False, actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Add entries to the end of a section, each as one line, without duplicates, dated if the kind wants dates.

        Entries for a full section go to the inbox (status `waiting`), as does an agent's addition to a file whose
        changes need confirmation. A missing file is created from its template.

        Args:
            path: POSIX, from the root.
            texts: one text, or one for each entry; line breaks become spaces.
            section: its name or an alias; None for the default section of the kind, or the file if it has none.
            fields: `[key:: value]` for each entry.
            expect: the digest that `read` returned, or the bytes that were read; if the file has changed since, the
                change is merged.
            important: write an agent's text although it reads as small talk, which is left out otherwise (P026).
            again: write a text although an entry says it already: under another date, or in more words.
            actor: who makes the change: `user` and `cli` are the person, `keeper` the keeper, others are agents.
            reason: why, for the log.

        Raises:
            UsageError: there is no text, or the actor's name is invalid.
            RefusedError: the gate refuses the text or the path; nothing was written.
            TargetError: there is no such section, or no file and no kind for it.
            VerificationError: the text would not be read as an entry.
            ConflictError, LockedError, WriteError, UnreadableFileError: the pen could not write; the file is unchanged.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").add("MEMORY.md", "主人说周五有重要面试", section="重要事件").message
        """
        if self.config.schemas.kind(path) == "facts":
            from mdmem.facts.service import add_lines as add_entries
        else:
            from mdmem.entries.service import add_entries

        change = self._change("add", actor, reason)
        change.important, change.again = important, again
        return self._renewed(add_entries(change, path, several(texts), section, fields, expect))

    def fact_set(
        self, subject: str, predicate: str, text: str, *, type: str = "", source: str = "", at: str = "",  # noqa: A002
        also: bool = False, importance: float | None = None, actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Record what holds of a subject; the same as `facts.set`.

        >>> Workspace("workspace").fact_set("用户", "编辑器", "编辑器换成 Zed").message
        """
        named: dict[str, Any] = {"type": type, "source": source, "at": at, "also": also, "importance": importance}
        return self.facts.set(subject, predicate, text, **named, actor=actor, reason=reason)

    def fact_history(self, subject: str, predicate: str) -> tuple[Fact, ...]:
        """Return the values that a predicate had, the oldest first; the same as `facts.history`.

        >>> [fact.date for fact in Workspace("workspace").fact_history("念念", "edits_with")]
        """
        return self.facts.history(subject, predicate)

    def remember(
        self, text: str, *, kind: str | None = None, important: bool = False, again: bool = False, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Add an entry to the file of its kind, which is found by word lists.

        The outcome has the file in `path`, and the reason and how to move the entry in `hint`. `[remember]` in
        mdmem.toml has the word lists, and the file and section of each kind. Errors as for `add`.

        Args:
            text: one memory.
            kind: promise, rule, preference, event or fact; None to classify the text.
            important: as for `add`.
            again: as for `add`.
            actor: as for `add`.
            reason: why, for the log.

        >>> Workspace("workspace").remember("主人喜欢靠窗的座位").path
        """
        from mdmem.remember.service import remember

        change = self._change("remember", actor, reason)
        change.important, change.again = important, again
        return remember(change, text, kind)

    def attach(
        self, source: str, *, description: str = "", transcription: str = "", text: str = "",
        direction: str = "inbound", url: str = "", session: str = "", episode: str = "", tags: Sequence[str] = (),
        linked: Sequence[str] = (), actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Record a file or an address, so that it is found again by what is said about it; no model is called.

        The file is copied to attachments/, where a record beside it holds its type, its size and the texts. One that is
        larger than `[attachments] max_bytes` stays where it is. The same file in the same direction is recorded once.
        The outcome's `path` is the record.

        Args:
            source: the path of a file, or a URL. A person names it from the current folder; an agent from the
                workspace, and only below it or below `[attachments] allowed`.
            description: what it is, from whom, what for.
            transcription: what a recording says.
            text: what was read from the file.
            direction: inbound, given to the agent, or outbound, given by it.
            url: where the file comes from.
            session: the id of the session.
            episode: the id of the episode.
            tags: words to find it by.
            linked: ids of memories that belong to it.
            actor: who asks.
            reason: why, for the log.

        Raises:
            UsageError: neither a file nor an address; an unknown direction; no tag.
            RefusedError: a link, no regular file, a file that this actor may not read; a text with a secret.
            TargetError: there is no such file.
            UnreadableFileError, WriteError: the system refused; nothing was recorded.

        >>> Workspace("workspace").attach("https://example.org/cat.jpg", description="一只橘猫趴在沙发上").path
        """
        from mdmem.attachments.model import AttachmentTexts
        from mdmem.attachments.service import AttachmentDetails, attach

        details = AttachmentDetails(direction, url, session, episode, tuple(tags), tuple(linked))
        texts = AttachmentTexts(description, transcription, text)
        return attach(self._change("attach", actor, reason), source, details, texts)

    def edit(
        self, path: str, old: str, new: str, *, expect: str | bytes | None = None, confirm: bool | int = False,
        actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Replace a text that occurs once in a file; line endings are those of the file.

        If there is no exact match, white space may differ. Arguments and errors are those of `add`, and:

        Raises:
            TargetError: the old text does not occur, or more than once; `candidates` are similar lines.
            ConfirmError: most of the file would be removed, and `confirm` is not set.

        >>> Workspace("workspace").edit("MEMORY.md", "提醒主人周五准备面试", "✅ 已提醒主人准备面试（2026-02-14）")
        """
        from mdmem.entries.service import edit_text

        return self._renewed(edit_text(self._change("edit", actor, reason, confirm=confirm), path, old, new, expect))

    def write(
        self, path: str, content: str, *, expect: str | bytes | None = None, confirm: bool | int = False,
        actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Create a file, or replace its whole text; lines that stay are not touched. Errors as for `edit`.

        >>> Workspace("workspace").write("world_state.md", "# 世界\n\n- 构建用 just\n").message
        """
        from mdmem.entries.service import write_file

        return self._renewed(
            write_file(self._change("write", actor, reason, confirm=confirm, whole=True), path, content, expect)
        )

    def replace(
        self, path: str, entry: str, text: str, *, expect: str | bytes | None = None, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Replace the text of an entry; `entry` is its `^id`, its key, or a part of its text. Errors as for `add`, and:

        Raises:
            TargetError: no entry matches, or more than one.

        >>> Workspace("workspace").replace("MEMORY.md", "Python 3.10", "2026-02-20：升级到 Python 3.12")
        """
        from mdmem.entries.service import replace_entry

        return self._renewed(replace_entry(self._change("replace", actor, reason), path, entry, text, expect))

    def replace_section(
        self, path: str, section: str, content: str, *, expect: str | bytes | None = None,
        confirm: bool | int = False, actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Replace the entries of a section by new ones, one per line; the old ones go to the archive (F034).

        Errors as for `add`, and:

        Raises:
            UsageError: the content has no entries.
            ConfirmError: several entries are missing from the new content, and `confirm` is not set.

        >>> Workspace("workspace").replace_section("FASTMEMO.md", "历史感知", "- 2026-02：riverlog 第一版完成")
        """
        from mdmem.entries.service import overwrite_section

        return self._renewed(
            overwrite_section(
                self._change("replace-section", actor, reason, confirm=confirm), path, section, content, expect
            )
        )

    def remove(
        self, path: str, entries: str | Sequence[str], *, expect: str | bytes | None = None, dry_run: bool = False,
        actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Move one or several entries with their nested entries to the month's archive. Errors as for `add`.

        >>> Workspace("workspace").remove("MEMORY.md", ["^k7f3", "周五有重要面试"], dry_run=True).diff
        """
        from mdmem.entries.service import remove_entries

        change = self._change("remove", actor, reason, confirm=True, dry_run=dry_run)
        return self._renewed(remove_entries(change, path, several(entries), expect))

    def tick(
        self, path: str, entry: str, *, done: bool = True, expect: str | bytes | None = None, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Mark an entry as done or open, by its checkbox or else by a ✅. Errors as for `replace`.

        >>> Workspace("workspace").tick("MEMORY.md", "提醒主人周五准备面试").message
        """
        from mdmem.entries.service import tick_entry

        return tick_entry(self._change("tick", actor, reason), path, entry, expect, done=done)

    def rename(self, path: str, new: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Rename or move a file, and mend the links to it in other files. Errors as for `add`, and:

        Raises:
            TargetError: the new name is taken.

        >>> Workspace("workspace").rename("facts/nian.md", "facts/年.md").message
        """
        from mdmem.entries.rename import rename_file

        return rename_file(self._change("rename", actor, reason, confirm=True), path, new)

    def delete(
        self, path: str, *, expect: str | bytes | None = None, confirm: bool | int = True, dry_run: bool = False,
        actor: str = "user", reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Delete a file; its entries go to the archive, and `undo` restores it. Errors as for `add`, and:

        Raises:
            ConflictError: the file has changed since the version in `expect`.
            ConfirmError: the file has entries, and `confirm` is False or not the number that the error names.

        >>> Workspace("workspace").delete("facts/nian.md", dry_run=True).status
        """
        from mdmem.entries.service import delete_file

        return self._renewed(
            delete_file(self._change("delete", actor, reason, confirm=confirm, dry_run=dry_run), path, expect)
        )

    def restore(
        self, path: str, at: str = "", *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Restore a file that was deleted or overwritten outside mdmem; the replaced version stays in the history.

        Args:
            path: the file, POSIX from the root.
            at: the id of a change, for the version after it; or a time (ISO 8601; a day means its end), for the
                version at that time. Empty for the last known version, written by mdmem or seen by a watcher.

        Raises:
            TargetError: the history does not have this version, or no longer keeps it.
            RefusedError: the gate does not allow an agent to write this version.

        >>> Workspace("workspace").restore("MEMORY.md", dry_run=True).status
        """
        from mdmem.history.restore import restore

        return self._renewed(restore(self.config, path, at, actor=actor, reason=reason, dry_run=dry_run))

    def dismiss(self, path: str, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Accept the loss of a file that lint and status report as lost.

        Args:
            path: the file, or a folder for all lost files below it; "." for all.
        """
        from mdmem.history.restore import dismiss

        return dismiss(self.config, path, actor=actor, reason=reason, dry_run=dry_run)

    def import_from(
        self, place: str | os.PathLike[str], *, system: str = "auto", to: ImportTarget = "auto", dry_run: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> ImportReport:  # fmt: skip
        """Import the memories of another system; the source is only read, and what is known already is not added.

        Each record carries its origin, so that a second import adds nothing. Forgotten texts stay away, secrets are
        not written. Each batch is one change that `history.undo` takes back.

        Args:
            place: a folder, a zip or a file.
            system: openakita, pet, fastmemo, react, chatgpt, claude, mem0, mcp-memory, basic-memory, claude-code,
                codex, logseq, notion, obsidian, openclaw or mdmem; auto tells by the content.
            to: facts or inbox, for statements; auto sends those that nobody has confirmed to the inbox.
            dry_run: write nothing; the report is the plan.
            progress: called with (records done, 0), for their number is not known before.

        Raises:
            TargetError: there is no such place.
            UsageError: nothing known was found there, or an unknown system or target.
            RefusedError: a zip that could harm.
            UnreadableFileError: it cannot be read.
            MemoryOffError: memory is switched off.
            WriteError: the system refused; what was written until then is in the log.

        >>> Workspace("workspace").import_from("chatgpt-export.zip", dry_run=True).message
        """
        from mdmem.importers.service import import_from

        return import_from(self.config, place, system, to, dry_run=dry_run, progress=progress)

    def export_to(
        self, folder: str | os.PathLike[str] = "", *, form: ExportForm = "markdown",
        progress: Callable[[int, int], None] | None = None,
    ) -> ExportReport:  # fmt: skip
        """Write everything that the workspace holds to a new folder, in open formats.

        Args:
            folder: a folder outside the workspace that is empty or does not exist; default `mdmem-export-DAY`.
            form: markdown copies the files as they are; jsonl writes facts, entries, sessions and attachments as lines.
            progress: called with (files done, all files).

        Raises:
            UsageError: the folder is in the workspace or has files, or the form is unknown.
            MemoryOffError: memory is switched off.
            WriteError: the system refused.

        >>> Workspace("workspace").export_to("/tmp/leaving", form="jsonl").message
        """
        from mdmem.importers.export_writer import export_to

        return export_to(self.config, folder, form, progress)

    def handoff(
        self, giver: str, receiver: str, *, new: bool = False, dry_run: bool = False, actor: str = "user",
        reason: str = "",
    ) -> Outcome:  # fmt: skip
        """Write what the next agent needs into one file of its folder: plan, pins, open questions, sessions, sources.

        The receiver is given it when its next session begins, and it is ticked when that session has ended. The files
        of the giver do not change, and an earlier handoff stays beside it.

        Args:
            giver: the agent that hands over.
            receiver: the agent that takes over.
            new: the receiver may be an agent that is not known yet.
            dry_run: only show what would be written.
            actor: as for `add`.
            reason: as for `add`.

        Raises:
            TargetError: an agent is not known; `candidates` are those that are.
            UsageError: an agent would hand over to itself, or a name cannot be that of a folder.

        >>> print(Workspace("workspace").handoff("scout", "kestrel", new=True, dry_run=True).diff)
        """
        from mdmem.handoff.service import AgentPair, hand_over

        commit = self._change("handoff", actor, reason, dry_run=dry_run)
        return hand_over(commit, AgentPair(giver, receiver), new=new)

    def forget(self, words: str, *, files: bool = False, dry_run: bool = False, actor: str = "user") -> ForgetResult:
        """Remove a text from every memory file, archive, transcript and artifact, the history and the caches (law 12).

        An entry that contains the words is removed as a whole; elsewhere only the words are removed. A tombstone
        without content recognises the text when it is written again. This cannot be undone.

        Args:
            words: the text, at least three letters, four digits or two Chinese characters; case, width and white space
                do not matter.
            files: also remove attachments whose record or name holds the words, the file and the record.
            dry_run: only return the locations.
            actor: as for `add`.

        Raises:
            UsageError: the text is too short.
            WriteError: the system refused; running it again completes it.
        """
        from mdmem.entries.forget.service import forget
        from mdmem.instructions.service import forgotten_in_blocks

        done = forget(self.config, words, actor=actor, dry_run=dry_run, files=files)
        if dry_run:
            return done
        self.index.forget()  # it may contain words that are in no file any more
        return forgotten_in_blocks(self.config, done)

    def search(
        self, q: str, limit: int | None = None, *, kinds: Sequence[str] = (), since: str | None = None,
        until: str | None = None, tags: Sequence[str] = (), agent: str | None = None, archive: bool | str = False,
        session: str | None = None, role: str | None = None, tool: str | None = None,
    ) -> tuple[SearchHit, ...]:  # fmt: skip
        """Return entries, turns and other texts for a question, the best first; no memory file is changed.

        Args:
            q: any text. Texts with a quotation `"…"` come first, and are the only hits if there are no other words.
                `-word` excludes, `word*` matches prefixes, and AND, OR and NOT combine words. If the live files have
                few hits, the archive is searched too (`SearchHit.kind` is "archive").
            limit: the most hits; None for `[recall] limit`.
            kinds: only files of these kinds (memory, daily, session, …), or only these texts: entry, turn,
                episode.
            since: only texts dated on or after this day, such as 2026-02-13.
            until: only texts dated on or before this day.
            tags: only entries with all of these tags.
            agent: only texts of this agent, or of no agent in particular.
            archive: True to search the archive too, `"only"` to search only the archive.
            session: only the session of this id, or of an id with this prefix.
            role: only turns of this role: user, assistant, tool or system.
            tool: only turns that record a run of this tool.

        Raises:
            UsageError: the limit is below 1, or a date or the role is invalid.
            MemoryOffError: memory is switched off.

        >>> [hit.path for hit in Workspace("workspace").search("面试", limit=3)]
        """
        from mdmem.facts.outdated_hits import newest_first
        from mdmem.search import service
        from mdmem.sessions.confided_lines import ConfidedLines

        only = service.SearchFilter(tuple(kinds), since, until, tuple(tags), agent, archive, session, role, tool)
        near, withheld = self.index.near, ConfidedLines(self.config)
        return newest_first(self.config, service.search(self.config, self.index.words, q, limit, only, near, withheld))

    def recall(
        self, q: str, *, recent: Sequence[str] = (), budget: int | None = None, persona: str = "",
        agent: str | None = None, counter: TokenCounter | None = None, without: Sequence[str] = (),
        sparing: bool = False,
    ) -> RecallResult:  # fmt: skip
        """Return the memories for a prompt as a block within a budget, and count the accesses.

        Args:
            q: the current message.
            recent: the last rounds, oldest first; the newest of them extend the question.
            budget: tokens of the block; None for `[recall] budget`.
            persona: a name of `[recall] persona`.
            agent: only texts of this agent, or of no agent in particular.
            counter: counts the tokens of a text; None for the counter that `[tokens]` names.
            without: paths whose texts are left out, such as the running session, which the model has before it.
            sparing: only lines that are evidence for the message by themselves and what was said near the best of
                them, for a message that may ask the memory nothing: `[recall] sure_share` and those below it.

        >>> Workspace("workspace").recall("面试是哪天？", budget=200).text
        """
        from mdmem.attachments.handed_over import recall_with_files
        from mdmem.entries.inbox.waiting_corrections import waiting_corrections
        from mdmem.sessions.confided_lines import ConfidedLines

        return recall_with_files(
            self.config, self.index.words, q, self.index.near, recent=recent, budget=budget, persona=persona,
            agent=agent, counter=counter or token_counter(self.config.settings.tokens), without=without,
            sparing=sparing, outdated=waiting_corrections(self.config).told(self.config.lang),
            withheld=ConfidedLines(self.config),
        )  # fmt: skip

    def pack(
        self, recipe: str = DEFAULT, *, budget: int | None = None, query: str = "",
        tool_result: str | StoredArtifact | None = None, inline: str | None = None,
        rounds: Sequence[TurnLike] | None = None, prompt: str = "", tool_contract: str = "",
        texts: Mapping[str, str] | None = None, counter: TokenCounter | None = None, agent: str | None = None,
        user: str = "", persona: str = "", folder: str = "", knowledge: Sequence[str] = (),
    ) -> Pack:  # fmt: skip
        """Return the context for a model: the recipe's parts in order, within a budget of tokens; nothing is written.

        `Pack.left` names everything that was cut or omitted. The same files give the same bytes. Parts that change
        rarely come first, to use a provider's prompt cache.

        Args:
            recipe: its name; `recipes()` lists all. The default has the files that a person keeps, and the chat.
            budget: tokens of the whole pack; None for the budget of the recipe.
            query: the question that the pack answers; empty for the last words of the user in `rounds`.
            tool_result: the current tool result, as a text, or as the id of its artifact.
            inline: `full-if-fits` to show the result whole if its part has room, `summary` to never do so; None for
                the setting of the recipe.
            rounds: the chat as turns, `(role, text)`, or messages with `role` and `content`; None for the newest
                session if it is still open.
            prompt: the base prompt; empty for prompts/prompt.md of the workspace.
            tool_contract: the description of the tools; empty for prompts/contract.md.
            texts: further texts by the names of their parts (`runtime`, `rules`, `catalogs`, …).
            counter: counts the tokens of a text; None for the counter that `[tokens]` in mdmem.toml names.
            agent: the agent whose own files in agents/NAME/ or .notes/NAME/ come before the workspace's.
            user: whose memory, as in `Workspace.of`.
            persona: whose text in personas/NAME.md is shown, and whose weights in `[recall] persona` recall uses.
            folder: where the agent works: rules of other folders and projects are left out; empty to show all.
            knowledge: the pieces of knowledge that the task needs, by name; without names those that the plan runs, or
                else those that fit the task.

        Raises:
            UsageError: the recipe is unknown, or an argument is invalid.
            TargetError: there is no such piece of knowledge.
            ConfigError: mdmem.toml or a template is wrong.

        >>> workspace = Workspace("workspace")
        >>> pack = workspace.pack("tool_loop", prompt="You are a careful assistant.", tool_result="tool:t0012")
        >>> messages = pack.messages  # [{"role": "system", "content": "# …"}, …], for any model
        >>> for part in pack.parts:
        ...     print(part.title, part.tokens, len(part.left))
        """
        from mdmem.context.inputs import PackRequest, recall_with
        from mdmem.context.service import build_pack

        given = {"prompt": prompt, "contract": tool_contract, **(texts or {})}
        count = counter or token_counter(self.config.settings.tokens)
        work = self.of(user)
        recall = recall_with(work.recall, persona=persona, agent=agent, counter=count)
        ask = PackRequest(count, budget, query, tool_result, inline, rounds, given, agent, recall, persona, folder)
        ask = ask._replace(knowledge=tuple(knowledge), search_index=work.index)
        with work.index.refreshed_once():
            return build_pack(work.config, recipe, ask)

    def propose_state(self, state: object, *, actor: str = "user", agent: str | None = None) -> Outcome:
        """Propose the differences between an edited state and the files; they wait in the inbox.

        Args:
            state: the result of `Pack.as_dict()`, with pins, steps and notes changed, added or removed.
            actor: who proposes it, as for `add`.
            agent: the owner of the task, as for `pack`.

        Raises:
            UsageError: the state is malformed, or a file has changed since the state was read.
            RefusedError: a change contains a secret, hidden text or an instruction to the model.

        >>> state = workspace.pack().as_dict()
        >>> state["pins"][0]["summary"] = "no jobs before noon"
        >>> workspace.propose_state(state).status
        'waiting'
        """
        from mdmem.context.state_proposals import take

        return take(self.config, state, actor=actor, agent=agent)

    def recipes(self) -> Recipes:
        """Return the recipes of the workspace.

        Raises:
            ConfigError: a recipe of the user or of the workspace is wrong.
        """
        from mdmem.context.service import recipes

        return recipes(self.config)

    def compact(
        self, what: str | None = None, *, plan: bool = False, now: bool = False, backend: str | Backend | None = None,
        apply: str | None = None,
    ) -> tuple[Outcome, ...]:  # fmt: skip
        """Condense pending files, each as one proved change; return an outcome for each file.

        Entries that leave a file go to the archive in the same change. An answer that fails its proof is not written:
        its outcome is `refused` with the reason, `status` shows it, and the next attempt waits. The model is asked
        without any lock, and changes that others write meanwhile are merged.

        Args:
            what: a file, POSIX from the root, or a kind for all its files; None for all pending files.
            plan: show what would change, and write nothing.
            now: also below the threshold, and without waiting after a refusal.
            backend: rules, command, openai or agent; or a function from a prompt to an answer. None for
                `[keeper] backend` in mdmem.toml.
            apply: an agent's answer to `keeper.prompts`, instead of asking a backend.

        Raises:
            UsageError: the backend is unknown.
            ConfigError: the backend, or the workspace's own prompt, is not set up correctly.
            TargetError: there is no such file.
            MemoryOffError: memory is switched off.

        >>> [outcome.message for outcome in Workspace("workspace").compact(plan=True)]
        """
        from mdmem.keeper.compaction import compact
        from mdmem.keeper.job_runner import BackendChoice

        return compact(self.config, what, BackendChoice(plan, now, backend, apply))

    def night(
        self, *, plan: bool = False, only: str = "", calls: int | None = None, tokens: int | None = None,
        now: bool = False, progress: NightProgress | None = None,
    ) -> NightReport:  # fmt: skip
        """Do what a memory needs while nobody works, step by step, and write a report to `archive/nights/`.

        `extract` takes facts from conversations and writes missing episodes, `dedup` merges lines that say the same,
        `corrections` proposes what follows from edits of the facts by hand and from two names of one property,
        `decay` writes how often facts were recalled and archives those that have faded, `compile` lets the model
        write short texts of the identity files that changed, `ageing` archives old sessions and diaries,
        `instructions` writes the block in AGENTS.md anew (`mdmem connect AGENT --file`). Each item is one change; a run
        that was interrupted is continued by the next one, and a second run changes nothing. Rules, permanent and pinned
        facts, and lines as a person writes them, are not touched.

        Args:
            plan: only tell what each step would do.
            only: the name of one step.
            calls: at most so many questions to a model; None for `[night] calls`.
            tokens: at most so many tokens of the questions and answers; None for `[night] tokens`.
            now: also if the night is not switched on in mdmem.toml, or somebody is at work.
            progress: called with (step, items done, all items).

        Raises:
            UsageError: no step is called so, or a number is below 0.
            ConfigError: the model is not set up.
            LockedError: another run is at work.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").night(plan=True, only="dedup").status
        """
        from mdmem.night.model import NightOptions
        from mdmem.night.service import night

        return night(self.config, NightOptions(plan, only, calls, tokens, now), progress)

    def review(self, name: str | None = None) -> tuple[Outcome, ...]:
        """Do again what the end of a session does: update the scratchpad, and propose what matters for MEMORY.md.

        A second run changes nothing. `[memory] review` in mdmem.toml says whether lines for MEMORY.md are proposed in
        the inbox, written, or left out; a step that fails has an outcome `refused`, and the others run.

        Args:
            name: the session's id, a prefix of it, or its path; None for the newest.

        Raises:
            TargetError: no session matches, or more than one.
            MemoryOffError: memory is switched off.

        >>> [outcome.message for outcome in Workspace("workspace").review()]
        """
        from mdmem.review.service import review_session

        return review_session(self.config, name)

    def watch(self, *, once: bool = False, poll: bool = False) -> Iterator[Notice]:
        """Watch the folder until the iterator is closed: lint changes, report pending work, start the keeper when idle.

        Args:
            once: check all files once, run the keeper if there is no busy lease, and end.
            poll: check the files at intervals, for folders without file events (network folders).

        Raises:
            LockedError: another watcher is running.
            UnreadableFileError: the folder cannot be opened; if it vanishes later, the watcher waits for it.
            ConfigError: `mdmem.toml` or a template is wrong.

        >>> for notice in Workspace("workspace").watch(once=True):
        ...     print(notice.path, notice.message)
        """
        from mdmem.watch.board import keep, keep_night
        from mdmem.watch.service import watch

        return watch(self.config, once=once, poll=poll, keep=keep, night=keep_night)

    def settings(self, *, every: bool = False) -> tuple[Setting, ...]:
        """Return the settings that differ from the defaults, or all, each with the file and line that sets it.

        Raises:
            ConfigError: a settings file is wrong.
        """
        from mdmem.config.settings_shown import settings

        return settings(self.config, every=every)

    def trust_requests(self) -> TrustRequest:
        """Return which settings, bundles and requests of the repository need the user's trust, and which have it."""
        from mdmem.config.trust_requests import trust_requests

        return trust_requests(self.config)

    def trust(self, bundle: str = "", *, revoke: bool = False) -> TrustRequest:
        """Trust the workspace's settings, repository and bundles as they are now; with `revoke`, end the trust.

        Args:
            bundle: only this bundle.
            revoke: end the trust.

        Raises:
            TargetError: no bundle has this name; `candidates` are all names.
            WriteError: the user's settings folder is not writable.
        """
        from mdmem.config.trust_requests import trust_workspace

        return trust_workspace(self.config, bundle, revoke=revoke)

    def sync(
        self, *, push: bool = True, dry_run: bool = False, progress: SyncProgress | None = None
    ) -> SyncResult:  # fmt: skip
        """Bring the memory and its branch on the remote to the same state, so that several machines share it.

        What stands in the memory's files is committed; the remote's commits are merged entry by entry, and the pen
        writes what they change; then ours are pushed. Where two machines changed one entry, the file takes the other
        machine's text, and both wait in `inbox.md`. Lint errors in what would be pushed stop the push, not the commit.

        Args:
            push: False to commit and take in only.
            dry_run: only say what would be done.
            progress: called with (steps done, all steps, the step).

        Raises:
            GitError: git is missing or too old, there is no repository or remote, or something stands in the way.
            RemoteError: the remote cannot be reached or asks for a password; everything is committed here.
            RefusedError: the remote brings in what no memory may hold.
            LockedError: another sync is at work, or another writer held a file too long.
        """
        from mdmem.git.synchronize import sync

        return sync(self.config, push=push, dry_run=dry_run, progress=progress)

    def sync_state(self) -> SyncState | None:
        """Return where the memory and its remote stand, without asking the remote; None if it was never synced."""
        from mdmem.git.sync_state import sync_state

        return sync_state(self.config)

    def resolve(self, path: str, *, actor: str = "user", reason: str = "", dry_run: bool = False) -> Outcome:
        """Merge a conflicted copy of a sync program with its original, and remove the copy; an undo brings it back.

        A file in which git left conflicts is merged from both sides of its marks. The merge begins with the version
        that both have in common, if the history or the marks know it; else all entries of both are kept. Where the
        copy, or git's other side, says something else, that text waits in `inbox.md`.

        Args:
            path: the copy, whose name tells the original, or the file with marks; POSIX from the root.
            actor: who asks.
            reason: why.
            dry_run: change nothing; the outcome says what would change.

        Raises:
            UsageError: the name is not that of a conflicted copy, and the file holds no whole conflict.
            TargetError: the copy or its original is missing, or they cannot be merged entry by entry.
            RefusedError: the path leaves the workspace, or this actor may not change the file.
            LockedError, WriteError: neither file was changed.
        """
        from mdmem.git.conflicted_copy import resolve

        return resolve(self.config, path, actor=actor, reason=reason, dry_run=dry_run)

    def install_hook(self) -> bool:
        """Write git's pre-commit hook, which lints staged files; an older hook of mdmem is replaced.

        Returns:
            False if there is another hook; it is not changed.

        Raises:
            GitError: the folder is not in a repository, or git is not installed.
            RefusedError: a link leads the hook out of the repository.
        """
        from mdmem.linter.hook import install_hook

        return install_hook(self.root)

    def uninstall_hook(self) -> Literal["removed", "none", "another"]:
        """Remove git's pre-commit hook if it is mdmem's; another hook is not changed. Errors as for `install_hook`."""
        from mdmem.linter.hook import uninstall_hook

        return uninstall_hook(self.root)

    def _change(
        self, verb: str, actor: str, reason: str, *, confirm: bool | int = False, whole: bool = False,
        dry_run: bool = False,
    ) -> ChangeRequest:  # fmt: skip
        from mdmem.entries.commit import ChangeRequest

        return ChangeRequest(self.config, verb, actor, reason, confirm=confirm, whole=whole, dry_run=dry_run)
