"""The facade: what a program does with a memory folder, as one class and its namespaces.

Each method imports what it does, and each namespace is loaded when it is first used: a program, and each command of the
command line, pays at start-up only for what it calls.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.former_names import FormerNames
from mdmem.store.walk import need_root

if TYPE_CHECKING:
    from mdmem.artifacts.read import StoredArtifact
    from mdmem.artifacts.service import Artifacts
    from mdmem.attachments.service import Attachments
    from mdmem.config.settings_shown import Setting
    from mdmem.config.workspace_config import TrustRequest
    from mdmem.context.inputs import Recall, Said
    from mdmem.context.model import Pack
    from mdmem.context.recipe import Recipes
    from mdmem.entries.commit import ChangeRequest
    from mdmem.entries.forget import ForgetResult
    from mdmem.entries.inbox_service import Inbox
    from mdmem.entries.model import Outcome
    from mdmem.entries.service import InitResult
    from mdmem.entries.show import FileText, ShownFile
    from mdmem.history.service import History
    from mdmem.keeper.keeper import Keeper
    from mdmem.keeper.status import FileStatus
    from mdmem.linter.service import Progress
    from mdmem.linter.sources import LintReport
    from mdmem.models import Backend
    from mdmem.pins.service import Pins
    from mdmem.plan.service import Plan
    from mdmem.search.index.service import Index
    from mdmem.search.recall import RecallResult
    from mdmem.search.service import SearchHit
    from mdmem.sessions.service import Sessions
    from mdmem.text.tokens import TokenCounter
    from mdmem.watch.model import Notice

DEFAULT = "default"  # the recipe of a pack without a name


class Workspace(FormerNames):
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
        """Return the workspace that a path lies in.

        Raises:
            WorkspaceNotFoundError: neither that folder nor one above it is a memory.
        """
        return cls(need_root(os.fspath(start)), lang=lang, cache=cache)

    @cached_property
    def config(self) -> WorkspaceConfig:
        """The settings and templates that hold here."""
        return WorkspaceConfig(self.root, self._lang, remember=self._cache)

    @property
    def lang(self) -> str:
        """The language of messages here: zh or en."""
        return self.config.lang

    @cached_property
    def sessions(self) -> Sessions:
        """What was said, turn by turn."""
        from mdmem.sessions.service import Sessions

        return Sessions(self.config)

    @cached_property
    def artifacts(self) -> Artifacts:
        """What tools gave."""
        from mdmem.artifacts.service import Artifacts

        return Artifacts(self.config)

    @cached_property
    def attachments(self) -> Attachments:
        """Files that were given and received; `attach` adds one."""
        from mdmem.attachments.service import Attachments

        return Attachments(self.config)

    @cached_property
    def pins(self) -> Pins:
        """What must not be forgotten now."""
        from mdmem.pins.service import Pins

        return Pins(self.config)

    @cached_property
    def plan(self) -> Plan:
        """The steps of a task."""
        from mdmem.plan.service import Plan

        return Plan(self.config)

    @cached_property
    def history(self) -> History:
        """The changes that mdmem made."""
        from mdmem.history.service import History

        return History(self.config)

    @cached_property
    def inbox(self) -> Inbox:
        """What waits for room, or for the user's word."""
        from mdmem.entries.inbox_service import Inbox

        return Inbox(self.config, self.forget)

    @cached_property
    def keeper(self) -> Keeper:
        """What condenses the files: its prompts, a program's context, and who keeps it off."""
        from mdmem.keeper.keeper import Keeper

        return Keeper(self.config)

    @cached_property
    def index(self) -> Index:
        """What searches look up; safe to delete at any time."""
        from mdmem.search.index.service import Index

        return Index(self.config)

    def init(self) -> InitResult:
        """Write the files that a new workspace begins with; what is there already is left alone.

        Raises:
            WriteError: the system refused.
        """
        from mdmem.entries.service import init

        return init(self.config)

    def status(self) -> tuple[FileStatus, ...]:
        """Tell of each memory file its kind, its entries against their caps, its size, what waits, what is broken."""
        from mdmem.keeper.status import status

        return status(self.config)

    def lint(
        self,
        paths: Sequence[str] = (),
        *,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        staged: bool = False,
        jobs: int | None = None,
        progress: Progress | None = None,
    ) -> LintReport:
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
        from mdmem.linter.service import lint

        return lint(self.config, paths, select=select, ignore=ignore, staged=staged, jobs=jobs, progress=progress)

    def fix(
        self,
        paths: Sequence[str] = (),
        *,
        select: Sequence[str] | None = None,
        ignore: Sequence[str] | None = None,
        write: bool = True,
    ) -> LintReport:
        """Mend what can be mended safely, proving each change; `Report.fixed` holds old and new bytes.

        With `write=False` nothing is written. Arguments and errors as for `lint`, and:

        Raises:
            WriteError: a file changed meanwhile or could not be replaced; it is as it was.
        """
        from mdmem.linter.worker import fix_files

        return fix_files(self.config, paths, select=select, ignore=ignore, write=write)

    def read(self, path: str, *, actor: str = "user") -> FileText:
        """Return a file's text with its digest, which a later change may name as `expect`.

        No lock is taken. A file that is empty or broken is looked at again for `[store] stable_ms`; then its last good
        version is given, with a warning.

        Raises:
            RefusedError: the path leaves the workspace, or is not for memory tools.
            TargetError: there is no such file.
            UnreadableFileError: it is no regular file, too large, or may not be read, and no version is known.
            MemoryOffError: memory is switched off.

        >>> Workspace("workspace").read("MEMORY.md").text
        """
        from mdmem.entries.show import read_file

        return read_file(self.config, path, actor)

    def show(self, path: str) -> ShownFile:
        """Return a file's lines and sections, and each entry with the key that names it to `edit`, `rm` and `tick`.

        Args:
            path: the file, POSIX from the root, or the name of a kind that has one file (`fastmemo`).

        Raises:
            UnreadableFileError: there is none, or it may not be read.
            MemoryOffError: memory is switched off here.
        """
        from mdmem.entries.show import show_file

        return show_file(self.config, path)

    def file(self, name: str) -> str:
        """Return the path of the file that a name means: that of its kind (`daily` is today's), or the path itself.

        Raises:
            TargetError: the kind has several files, or none yet; `candidates` are those it has.
        """
        from mdmem.entries.kind_files import file_of

        return file_of(self.config, name)

    def files(self, name: str | None = None) -> tuple[str, ...]:
        """Return the paths of all files that a name means; without one, of every memory file that exists."""
        from mdmem.entries.kind_files import files_of
        from mdmem.formats.paths import is_foreign

        if name is not None:
            return files_of(self.config, name)
        skip = self.config.settings.lint.skip_folders
        return tuple(one.path for one in self.status() if one.lost != "gone" and not is_foreign(one.path, skip))

    def has_one_file(self, name: str) -> bool:
        """Return True if a name means a kind of which there is one file, such as `memory`."""
        from mdmem.entries.kind_files import is_single, kind_of

        template = kind_of(self.config, name)
        return template is not None and is_single(template)

    def kind(self, name: str) -> str:
        """Return the kind that a name means; empty where the name is a path."""
        from mdmem.entries.kind_files import kind_of

        template = kind_of(self.config, name)
        return template.kind if template else ""

    def add(
        self,
        path: str,
        texts: Sequence[str],
        *,
        section: str | None = None,
        fields: Mapping[str, str] | None = None,
        expect: str | None = None,
        important: bool = False,
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
            important: write an agent's text although it reads as small talk, which is left out otherwise (P026).
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
        from mdmem.entries.service import add_entries

        change = self._change("add", actor, reason)
        change.important = important
        return add_entries(change, path, texts, section, fields, expect)

    def remember(
        self, text: str, *, kind: str | None = None, important: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Add a memory without naming a file: its kind, by rules, says where it belongs.

        The outcome's `path` says where it went, its `hint` why and how to move it. The words that decide and the file
        and section of each kind are `[remember]` in mdmem.toml. Errors as for `add`.

        Args:
            text: one memory.
            kind: promise, rule, preference, event or fact; None leaves it to the words of the text.
            important: as for `add`.
            actor: who asks.
            reason: why, for the log.

        >>> Workspace("workspace").remember("主人喜欢靠窗的座位").path
        """
        from mdmem.remember.service import remember

        change = self._change("remember", actor, reason)
        change.important = important
        return remember(change, text, kind)

    def attach(
        self,
        source: str,
        *,
        description: str = "",
        transcription: str = "",
        text: str = "",
        direction: str = "inbound",
        url: str = "",
        session: str = "",
        episode: str = "",
        tags: Sequence[str] = (),
        linked: Sequence[str] = (),
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
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
        self,
        path: str,
        old: str,
        new: str,
        *,
        expect: str | None = None,
        confirm: bool | int = False,
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
        from mdmem.entries.service import edit_text

        return edit_text(self._change("edit", actor, reason, confirm=confirm), path, old, new, expect)

    def write(
        self,
        path: str,
        content: str,
        *,
        expect: str | None = None,
        confirm: bool | int = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Make a file, or give it another text as a whole; the lines that stay are not touched. Errors as for `edit`.

        >>> Workspace("workspace").write("world_state.md", "# 世界\n\n- 构建用 just\n").message
        """
        from mdmem.entries.service import write_file

        return write_file(self._change("write", actor, reason, confirm=confirm, whole=True), path, content, expect)

    def replace(self, path: str, entry: str, text: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Return an entry another text, in its place; `entry` is its `^id`, its key, or a piece of its text.

        Errors as for `add`; TargetError where no entry is meant, or more than one.

        >>> Workspace("workspace").replace("MEMORY.md", "Python 3.10", "2026-02-20：升级到 Python 3.12")
        """
        from mdmem.entries.service import replace_entry

        return replace_entry(self._change("replace", actor, reason), path, entry, text)

    def replace_section(
        self,
        path: str,
        section: str,
        content: str,
        *,
        confirm: bool | int = False,
        actor: str = "user",
        reason: str = "",
    ) -> Outcome:
        """Put new entries, one a line, in the place of a section's old ones, which go to the archive (F034).

        Errors as for `add`, UsageError for a content without entries (nothing is emptied by an empty answer), and
        ConfirmError where several entries are in the new text no more, and `confirm` is not set.

        >>> Workspace("workspace").replace_section("FASTMEMO.md", "历史感知", "- 2026-02：riverlog 第一版完成")
        """
        from mdmem.entries.service import overwrite_section

        return overwrite_section(
            self._change("replace-section", actor, reason, confirm=confirm), path, section, content
        )

    def remove(
        self, path: str, entries: Sequence[str], *, dry_run: bool = False, actor: str = "user", reason: str = ""
    ) -> Outcome:
        """Take entries, and what is nested in them, out of a file and into the month's archive. Errors as for `add`.

        >>> Workspace("workspace").remove("MEMORY.md", ["^k7f3", "周五有重要面试"], dry_run=True).diff
        """
        from mdmem.entries.service import remove_entries

        return remove_entries(self._change("remove", actor, reason, confirm=True, dry_run=dry_run), path, entries)

    def tick(self, path: str, entry: str, *, done: bool = True, actor: str = "user", reason: str = "") -> Outcome:
        """Mark an entry as done, or take that back: its checkbox, or a ✅ where it has none. Errors as for `replace`.

        >>> Workspace("workspace").tick("MEMORY.md", "提醒主人周五准备面试").message
        """
        from mdmem.entries.service import tick_entry

        return tick_entry(self._change("tick", actor, reason), path, entry, done=done)

    def rename(self, path: str, new: str, *, actor: str = "user", reason: str = "") -> Outcome:
        """Return a file another name; TargetError where that is taken, else errors as for `add`.

        >>> Workspace("workspace").rename("facts/nian.md", "facts/年.md").message
        """
        from mdmem.entries.service import rename_file

        return rename_file(self._change("rename", actor, reason, confirm=True), path, new)

    def delete(self, path: str, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take a file away; what it says goes to the archive, and `undo` brings it back. Errors as for `add`.

        >>> Workspace("workspace").delete("facts/nian.md", dry_run=True).status
        """
        from mdmem.entries.service import delete_file

        return delete_file(self._change("delete", actor, reason, confirm=True, dry_run=dry_run), path)

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
        from mdmem.history.restore import restore

        return restore(self.config, path, at, actor=actor, reason=reason, dry_run=dry_run)

    def dismiss(self, path: str, *, dry_run: bool = False, actor: str = "user", reason: str = "") -> Outcome:
        """Take it that a file which lint and status call lost is meant to be as it is now, or to be gone.

        Args:
            path: the file, or a folder: every lost file below it; "." for all.
        """
        from mdmem.history.restore import dismiss

        return dismiss(self.config, path, actor=actor, reason=reason, dry_run=dry_run)

    def forget(self, words: str, *, files: bool = False, dry_run: bool = False, actor: str = "user") -> ForgetResult:
        """Remove a text from every memory file, archive, transcript and artifact, the history and the caches (law 12).

        An entry that holds the words goes whole; elsewhere the words alone are struck out. A tombstone without content
        keeps imports and night jobs from bringing it back. It cannot be undone.

        Args:
            words: a piece of text, at least three letters, four digits or two Chinese characters; capitals, width and
                white space do not matter.
            files: also remove attachments whose record holds the words, the file and the record.
            dry_run: only tell the places.

        Raises:
            UsageError: too short.
            WriteError: the system refused; running it again finishes it.
        """
        from mdmem.entries.forget import forget

        done = forget(self.config, words, actor=actor, dry_run=dry_run, files=files)
        if not dry_run:  # also what is in no file any more may have left its words there
            self.index.forget()
        return done

    def search(
        self,
        q: str,
        limit: int | None = None,
        *,
        kinds: Sequence[str] = (),
        since: str | None = None,
        until: str | None = None,
        tags: Sequence[str] = (),
        agent: str | None = None,
        archive: bool | str = False,
    ) -> tuple[SearchHit, ...]:
        """Find entries, turns and other text by words, the best first; nothing a person can see is written.

        Args:
            q: any text. What holds a quotation `"…"` comes first, and without other words nothing else answers;
                `-word` must not stand in it, `word*` may go on; AND, OR and NOT between words. Where the live files
                hold little of it, the archive answers too (`Hit.kind` is "archive").
            limit: how many at most; as many as `[recall] limit` says without it.
            kinds: only in files of these kinds (memory, daily, session, …), or only pieces of these: entry, turn.
            since: only what is dated on or after this day, as in 2026-02-13.
            until: only what is dated on or before this day.
            tags: only entries that carry all of these tags.
            agent: only what belongs to this agent, or to nobody in particular.
            archive: True looks into the archive too, `"only"` nowhere else.

        Raises:
            UsageError: the limit is below 1, or a date is none.

        >>> [hit.path for hit in Workspace("workspace").search("面试", limit=3)]
        """
        from mdmem.search.service import SearchFilter, search

        given = SearchFilter(tuple(kinds), since or "", until or "", tuple(tags), agent, archive)
        most = self.config.settings.recall.limit if limit is None else limit
        return search(self.config, self.index.words, q, most, given, self.index.near)

    def recall(
        self,
        q: str,
        *,
        recent: Sequence[str] = (),
        budget: int | None = None,
        persona: str = "",
        agent: str | None = None,
        counter: TokenCounter | None = None,
    ) -> RecallResult:
        """Find what a prompt needs to know of the past, as a block within a budget; counts as an access.

        Args:
            q: the current message.
            recent: the last rounds, oldest first; the last of them enrich the question.
            budget: tokens of the block; None leaves it to `[recall] budget`.
            persona: who asks, as `[recall] persona` names them.
            agent: only what belongs to this agent, or to nobody in particular.
            counter: counts the tokens; None takes the one that `[tokens]` names.

        >>> Workspace("workspace").recall("面试是哪天？", budget=200).text
        """
        from mdmem.config.workspace_config import token_counter
        from mdmem.search.recall import recall

        return recall(
            self.config, self.index.words, q, self.index.near, recent=recent, budget=budget, persona=persona,
            agent=agent, counter=counter or token_counter(self.config.settings.tokens),
        )  # fmt: skip

    def pack(
        self,
        recipe: str = DEFAULT,
        *,
        budget: int | None = None,
        query: str = "",
        tool_result: str | StoredArtifact | None = None,
        inline: str | None = None,
        rounds: Sequence[Said] | None = None,
        prompt: str = "",
        tool_contract: str = "",
        texts: Mapping[str, str] | None = None,
        counter: TokenCounter | None = None,
        agent: str | None = None,
    ) -> Pack:
        """Return what a model gets: the recipe's parts in their order, within a budget of tokens; nothing is written.

        Everything that was cut or left out is named in `Pack.left`. The same files give the same bytes; parts that
        change rarely come first, so that a provider's prompt cache hits.

        Args:
            recipe: its name; `recipes()` lists them all. Without one: the files that a person keeps, and a chat.
            budget: tokens of the whole; None leaves it to the recipe.
            query: what to recall, for a recipe that has such a part.
            tool_result: the tool result at hand, as a text, or as the id of its artifact.
            inline: `full-if-fits` shows it whole where its part has room, `summary` never; None: as the recipe says.
            rounds: the chat: turns, `(role, text)`, or messages with `role` and `content`; None reads the newest
                session if it is still open.
            prompt: the base prompt; without it prompts/prompt.md of the workspace.
            tool_contract: what the tools are and how they are called; without it prompts/contract.md.
            texts: further texts by the names of their parts (`runtime`, `rules`, `catalogs`, …).
            counter: counts the tokens of a text; None takes the one that `[tokens]` in mdmem.toml names.
            agent: whose own files in agents/NAME/ or .notes/NAME/ come before the workspace's.

        Raises:
            UsageError: no recipe is called so, or an argument makes no sense.
            ConfigError: mdmem.toml or a template is wrong.

        >>> workspace = Workspace("workspace")
        >>> pack = workspace.pack("tool_loop", prompt="You are a careful assistant.", tool_result="tool:t0012")
        >>> messages = pack.messages  # [{"role": "system", "content": "# …"}, …], for any model
        >>> for part in pack.parts:
        ...     print(part.title, part.tokens, len(part.left))
        """
        from mdmem.config.workspace_config import token_counter
        from mdmem.context.inputs import PackRequest
        from mdmem.context.service import build_pack

        given = {"prompt": prompt, "contract": tool_contract, **(texts or {})}
        count = counter or token_counter(self.config.settings.tokens)
        recall = self._recall(agent, count)
        ask = PackRequest(count, budget, query, tool_result, inline, rounds, given, agent, recall)
        return build_pack(self.config, recipe, ask)

    def _recall(self, agent: str | None, counter: TokenCounter) -> Recall:
        def recall(query: str, recent: Sequence[str], budget: int) -> str | None:
            found = self.recall(query, recent=recent, budget=budget, agent=agent, counter=counter)
            return None if found.unknown and found.left_out else found.text

        return recall

    def propose_state(self, state: object, *, actor: str = "user", agent: str | None = None) -> Outcome:
        """Take a hand-edited state as change requests: what differs from the files waits in the inbox.

        Args:
            state: what `Pack.as_dict()` gave, with pins, steps and notes changed, added or removed.
            actor: who proposes it.
            agent: whose task it is about, as for `pack`.

        Raises:
            UsageError: it is no state, or a file has changed since it was printed.
            RefusedError: a change holds a secret, hidden text or an order to the model.

        >>> state = workspace.pack().as_dict()
        >>> state["pins"][0]["summary"] = "no jobs before noon"
        >>> workspace.propose_state(state).status
        'waiting'
        """
        from mdmem.context.state_proposals import take

        return take(self.config, state, actor=actor, agent=agent)

    def recipes(self) -> Recipes:
        """Return the recipes that hold here; raises ConfigError where one of the user's own is wrong."""
        from mdmem.context.service import recipes

        return recipes(self.config)

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
            apply: an agent's answer to `keeper.prompts`, instead of asking a backend.

        Raises:
            UsageError: no backend is called so.
            ConfigError: the backend, or a prompt of the workspace's own, is not set up right.
            TargetError: there is no such file.
            MemoryOffError: memory is switched off.

        >>> [outcome.message for outcome in Workspace("workspace").compact(plan=True)]
        """
        from mdmem.keeper.service import BackendChoice, compact

        return compact(self.config, what, BackendChoice(plan, now, backend, apply))

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
        from mdmem.watch.board import keep
        from mdmem.watch.service import watch

        return watch(self.config, once=once, poll=poll, keep=keep)

    def settings(self, *, every: bool = False) -> tuple[Setting, ...]:
        """Return the settings that differ from the shipped ones, or all, each with the file and line that sets it.

        Raises:
            ConfigError: a settings file is wrong.
        """
        from mdmem.config.settings_shown import settings

        return settings(self.config, every=every)

    def trust_requests(self) -> TrustRequest:
        """Return which settings of the workspace's mdmem.toml need the user's trust, and whether they have it."""
        from mdmem.config.workspace_config import trust_requests

        return trust_requests(self.config)

    def trust(self, *, revoke: bool = False) -> TrustRequest:
        """Let the workspace's mdmem.toml, as it is now, say which program or endpoint the keeper asks; or no longer.

        Raises:
            WriteError: it could not be noted in the user's settings folder.
        """
        from mdmem.config.workspace_config import trust_workspace

        return trust_workspace(self.config, revoke=revoke)

    def install_hook(self) -> bool:
        """Write git's pre-commit hook, which lints what is staged; one that is mdmem's is replaced.

        Returns:
            False if there is a hook that is not mdmem's; it is left as it is.

        Raises:
            GitError: the folder is in no repository, or git is not installed.
        """
        from mdmem.linter.hook import install_hook

        return install_hook(self.root)

    def uninstall_hook(self) -> Literal["removed", "none", "another"]:
        """Remove git's pre-commit hook if it is mdmem's; `another` is left as it is. Errors as for `install_hook`."""
        from mdmem.linter.hook import uninstall_hook

        return uninstall_hook(self.root)

    def tools(self) -> list[dict[str, Any]]:
        """Return the tools that an agent is offered here, as JSON schemas in the language of this workspace.

        Each is `{"name", "description", "input_schema"}`; memory switched off offers none (P038).
        """
        from mdmem.tools.dispatch import offered_tools

        return offered_tools(self)

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
        from mdmem.tools.dispatch import call

        return call(self, tool, arguments, actor)

    def _change(
        self,
        verb: str,
        actor: str,
        reason: str,
        *,
        confirm: bool | int = False,
        whole: bool = False,
        dry_run: bool = False,
    ) -> ChangeRequest:
        from mdmem.entries.commit import ChangeRequest

        return ChangeRequest(self.config, verb, actor, reason, confirm=confirm, whole=whole, dry_run=dry_run)
