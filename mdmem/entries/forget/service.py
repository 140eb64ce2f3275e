"""Forgetting (law 12): removes a text from every file, the history, displaced files and caches; leaves a tombstone.

An entry that contains the text is removed whole; of a joined line only the parts that contain it; elsewhere only the
text itself. Forgetting can be repeated at any time: remains of a crashed run are found and removed. Unreadable files
are reported, because they may still contain the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.archive import archived
from mdmem.entries.edits import remove
from mdmem.entries.edits.find import is_vague
from mdmem.entries.forget.git_history import told_of_git
from mdmem.entries.forget.spellings import name_pattern, text_pattern, without_hidden
from mdmem.entries.forget.struck_names import StruckNames
from mdmem.entries.joined import Unit, cuts, units
from mdmem.entries.tombstones import PATH, STRUCK, Tombstones
from mdmem.errors import MdmemError, UnfinishedError, UnreadableFileError, UsageError, WriteError
from mdmem.formats.artifact import FOLDER
from mdmem.formats.joined_line import Originals
from mdmem.formats.paths import escapes_root, normal, within_user
from mdmem.formats.session_edits import set_values
from mdmem.linter.masking import mask
from mdmem.linter.rule import quote
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store import journal
from mdmem.store.history.versions import FORGET, Transaction, VersionStore
from mdmem.store.purge.derived_files import ForgottenText, unlink
from mdmem.store.purge.traces import SearchedHistory, StoredTrace, inside, purge, traces
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits, smallest
from mdmem.text.entry import read_entry
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

_DIGITS = 4  # digits of the shortest number that can be forgotten; shorter ones occur too often
_RAW = ("artifacts/", "attachments/", "transcripts/")  # folders whose files hold text under any name
_NAMED_BY_TASK = ("sessions/", ".sessions/", "archive/sessions/")  # a long task is cut off in the name
_QUOTED = 60  # characters of a line that a dry run shows
_COPIES = re.compile(r"(?:~|\.sw[a-p]|\.bak|\.orig)\Z")  # names of files that editors leave beside a file


@dataclass(frozen=True, slots=True)
class ForgetTarget:
    """One location that forgetting changes."""

    path: str  # empty for the history and the caches
    line: int  # 1-based; 0 if there are no lines
    # entry, words, attached (file), copy (of an editor), name, version, displaced (file), line (of the log), derived
    what: str
    text: str = ""  # in a dry run: the start of what would be removed


@dataclass(frozen=True, slots=True)
class Unread:
    """A file or folder that may still contain the text, because it could not be read or changed."""

    path: str
    reason: str


ForgetStatus: TypeAlias = Literal["done", "partial", "planned", "unchanged"]


@dataclass(frozen=True, slots=True)
class ForgetResult:
    """What forgetting did, or would do."""

    status: ForgetStatus  # partial: something could not be read
    message: str
    hint: str
    places: tuple[ForgetTarget, ...]
    elsewhere: tuple[str, ...]  # other files that contain the text; the person decides about them
    unread: tuple[Unread, ...] = ()
    transaction: Transaction | None = None


_Removal: TypeAlias = "tuple[int, str, Entry | Unit | Span]"  # line, kind, and what is removed


class _MatchingFiles(NamedTuple):
    """The files that contain a text."""

    names: StruckNames
    memories: list[str]  # and evidence
    records: list[str]  # of attachments, only by their names
    copies: list[str]  # left by editors
    others: list[str]
    unread: list[Unread]

    def pass_over(self, path: str, reason: str) -> bool:
        """Leave a file as it is because it cannot be changed, and report it; return False if it is none of these."""
        path = self.names.former(path)
        is_known = path in self.memories
        if is_known:
            self.names.keep(path)
            self.memories.remove(path)
            self.unread.append(Unread(path, reason))
        return is_known


def forget(config: WorkspaceConfig, words: str, *, actor: str, dry_run: bool, files: bool = False) -> ForgetResult:
    """Remove a text everywhere; see `Workspace.forget`."""
    access, words = AccessPolicy(config, actor), without_hidden(words).strip()
    if _is_short(words):
        access.stop(UsageError, "pen.forget-short")
    regex = re.compile(f"{text_pattern(words)}|{name_pattern(words)}")  # of the text, and of its form in a name
    if not dry_run:
        _finish_pending(config)
    matching = _matching_files(config, regex, words, files=files)
    removal, transaction = _TextRemoval(config, matching, regex, files=files), None

    def change(drafts: DraftFiles | _UnlockedFiles) -> Edits:
        edits = removal.edits(drafts)
        stones = config.whose.place(PATH)
        return edits | {stones: _tombstone_edits(config, drafts[stones], [words, *removal.statements])}

    with Root(config.root) as root:
        searched = SearchedHistory()
        others = _versions_of_others(config, root)
        left = _traces(root, regex, searched, matching.names, others)
        matching.unread.extend(Unread(one.name, one.reason) for one in left if one.what == "unread")
        left = [one for one in left if one.what != "unread"]
        if dry_run:
            change(_UnlockedFiles(root))
        elif matching.memories or (files and matching.records) or matching.copies or left or matching.unread:
            transaction = _commit(config, change, matching, actor)
            gone = matching._replace(copies=[*matching.copies, *removal.removed])
            _purge(config, root, regex, gone, searched, others)
    if not dry_run:  # findings quote lines, of files too that have been changed since
        with _unfinished():
            config.cache.forget()
    places = [ForgetTarget(path, 0, "copy") for path in matching.copies]
    places += [ForgetTarget(path, 0, "name") for path in matching.names.renamed]
    places += [*removal.targets(quoted=dry_run), *(ForgetTarget("", 0, trace.what) for trace in left)]
    stays = () if files else tuple(filter(None, removal.attached.values()))
    matching.others[:] = [path for path in matching.others if path not in {*stays, *removal.removed}]
    done = _result(access, places, matching, transaction, regex, dry_run=dry_run)
    if not stays:
        return done
    hint = say(config.lang, "pen.forget-attached", files=", ".join(stays))
    return replace(done, hint="; ".join(filter(None, (hint, done.hint))))


def _finish_pending(config: WorkspaceConfig) -> None:
    """Complete what crashed processes left: their notes name files, and what they wrote may hold the text."""
    with Root(config.root) as root:
        try:
            is_pending = bool(root.names(journal.FOLDER))
        except OSError as error:
            facts = {"reason": error.strerror}
            raise UnreadableFileError("could not be read: {reason}", path=journal.FOLDER, facts=facts) from error
    if is_pending:
        config.pen().recover()


def _commit(
    config: WorkspaceConfig, change: Callable[[DraftFiles], Edits], matching: _MatchingFiles, actor: str
) -> Transaction | None:
    """Commit a change of files of any size, without those that the system refuses to read or write."""
    while True:
        try:
            return config.pen().commit(change, actor=actor, reason=FORGET, any_size=True)
        except UnfinishedError:  # it is made, or may be
            raise
        except (UnreadableFileError, WriteError) as error:
            is_one = isinstance(error, UnreadableFileError) or isinstance(error.__cause__, PermissionError)
            if not is_one or not matching.pass_over(error.path, in_language(error, config.lang).message):
                raise


_ATTACHMENT = "attachment"


def _attached(config: WorkspaceConfig, path: str, document: Document) -> str:
    """Return the file that a record of an attachment describes, if it lies beside it; empty for any other file.

    If its name was forgotten in the record, it is the file of the record's own name.
    """
    template = config.schemas.match(path)
    if template is None or template.kind != _ATTACHMENT or document.front_matter is None:
        return ""
    local = document.front_matter.values.get("local_path")
    file = normal(local) if isinstance(local, str) and not escapes_root(local) else ""
    folder = path.rpartition("/")[0]
    if file.rpartition("/")[0] == folder and os.path.isfile(os.path.join(config.root, file)):
        return file
    stem = os.path.splitext(path)[0]
    beside = (f"{folder}/{name}" for name in sorted(os.listdir(os.path.join(config.root, folder))) if STRUCK in file)
    return next((one for one in beside if os.path.splitext(one)[0] == stem and one != path), "")


class _TextRemoval:
    """What is removed from each file, read with the new ids of the renamed files in place of the old ones.

    `edits` reads the files; the other values describe its last call.
    """

    def __init__(
        self, config: WorkspaceConfig, matching: _MatchingFiles, regex: re.Pattern[str], *, files: bool
    ) -> None:
        """Bind to the files that match; with `files` attached files go with their records."""
        self._config, self._matching, self._regex, self._files = config, matching, regex, files
        self._names = matching.names
        self._drafts: dict[str, Document] = {}
        self._found: dict[str, list[_Removal]] = {}
        self.attached: dict[str, str] = {}  # record → its file; empty if a record that goes has none

    @property
    def removed(self) -> tuple[str, ...]:
        """The attached files that go with their records."""
        return tuple(filter(None, self.attached.values())) if self._files else ()

    @property
    def statements(self) -> list[str]:
        """The texts of the removed entries."""
        return [_statement(one) for struck in self._found.values() for _, _, one in struck if not isinstance(one, Span)]

    def targets(self, *, quoted: bool) -> list[ForgetTarget]:
        """Return each location, with the start of its line if `quoted`."""
        found = [
            ForgetTarget(path, line, what, _excerpt(self._drafts[path], line) if quoted else "")
            for path, struck in self._found.items()
            for line, what, _ in struck
        ]
        return found + [ForgetTarget(file, 0, "attached") for file in self.removed]

    def edits(self, files: DraftFiles | _UnlockedFiles) -> dict[str, Sequence[Edit] | None]:
        """Return the edits of all files; a renamed file is removed under the old name and written under the new one."""
        self._read(files)
        edits: dict[str, Sequence[Edit] | None] = {}
        for path, struck in self._found.items():
            before, draft, new = files[path], self._drafts[path], self._names.renamed.get(path)
            own = _edits(draft, struck)
            if new:
                edits |= {path: None, new: (Edit.insert(0, apply_edits(draft.text, own)),)}
            elif before is not None and draft is not before:
                edits[path] = smallest(before.text, apply_edits(draft.text, own))
            else:
                edits[path] = own
        for path in self._found:
            edits |= self._with_size(files, path, edits)
        return edits | dict.fromkeys(self.attached if self._files else ())

    def _with_size(
        self, files: DraftFiles | _UnlockedFiles, path: str, edits: Mapping[str, Sequence[Edit] | None]
    ) -> dict[str, Sequence[Edit] | None]:
        """Return the edits of the record of an attached file that becomes shorter: those it has, and its new size."""
        before, own, record = files[path], edits.get(path), f"{os.path.splitext(path)[0]}.md"
        document, known = files[record], edits.get(record, ())
        if before is None or own is None or document is None or known is None or record == path:
            return {}
        if _attached(self._config, record, document) != path:
            return {}
        size = len(apply_edits(before.text, own).encode("utf-8", "surrogateescape"))
        return {record: (*known, *set_values(document, {"file_size": size}))}

    def _read(self, files: DraftFiles | _UnlockedFiles) -> None:
        self._drafts, self._found, self.attached = {}, {}, {}
        named = self._matching.records
        for path in dict.fromkeys((*self._matching.memories, *self._names.renamed, *named)):
            if (document := files[path]) is None:
                continue
            text = self._names.named(document.text)
            is_same = text == document.text
            draft = document if is_same else parse(text.encode("utf-8", "surrogateescape"))
            self._drafts[path] = draft
            self._found[path] = list(_removals(self._config, path, draft, self._regex))
            is_named = path in named
            file = _attached(self._config, path, document) if self._found[path] or is_named else ""
            if file or is_named:
                self.attached[path] = file


def _excerpt(document: Document | None, line: int) -> str:
    """Return the start of a line, as a dry run shows it: with secrets masked, for an agent may read it."""
    return quote(mask(document.lines.text(line - 1)), _QUOTED) if document else ""


def _is_short(words: str) -> bool:
    """Return True for a text that is too common: one or two letters, one Chinese character, few digits."""
    key = comparison_key(words)
    return len(key) < _DIGITS if key.isdecimal() else is_vague(words)


def _statement(entry: Entry | Unit) -> str:
    """Return an entry's text without date, fields and id: it may come back under another date."""
    return read_entry(entry.text).body.of(entry.text).strip() or entry.text


def _traces(
    root: Root, regex: re.Pattern[str], searched: SearchedHistory, names: StruckNames, others: Collection[str]
) -> list[StoredTrace]:
    """Return what the state folder holds of the text, without the versions of other users' files."""
    try:
        found = list(traces(root, regex, searched, names.holds))
    except OSError as error:
        return [StoredTrace("unread", inside(root.path, error), error.strerror or "")]
    return [one for one in found if one.name not in others]


def _versions_of_others(config: WorkspaceConfig, root: Root) -> frozenset[str]:
    """Return what the history keeps for users that this one does not see: versions, and the changes that made them."""
    covers, kept = config.whose.covers, set[str]()
    for change in VersionStore(root, 0).log() if config.user else ():
        theirs = [file for file in change.files if not covers(file.path)]
        kept.update(digest for file in theirs for digest in (file.before, file.after) if digest)
        kept.update((change.id,) if theirs else ())
    return frozenset(kept)


def _matching_files(config: WorkspaceConfig, regex: re.Pattern[str], words: str, *, files: bool) -> _MatchingFiles:
    """Return the files that contain the text: memories and evidence, editors' copies of them, and all others."""

    def stays(path: str) -> bool:
        goes = files and within_user(path).startswith("attachments/")
        return not goes and os.path.lexists(os.path.join(config.root, path))

    matching = _MatchingFiles(StruckNames(words, config.schemas, stays), [], [], [], [], [])

    def missed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            matching.unread.append(Unread(inside(config.root, error), error.strerror or ""))

    with Root(config.root) as root:
        for folder, inner, names in os.walk(config.root, onerror=missed):
            skipped = (*config.settings.lint.skip_folders, STATE_FOLDER)
            inner[:] = sorted(name for name in inner if name not in skipped)
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), config.root).replace(os.sep, "/")
                is_stones = within_user(path) == PATH
                if not is_stones and config.whose.covers(path) and not os.path.islink(os.path.join(folder, name)):
                    _sort(config, root, path, regex, matching)
    return matching


def _sort(config: WorkspaceConfig, root: Root, path: str, regex: re.Pattern[str], matching: _MatchingFiles) -> None:
    """Read a file and add it to its group, if it contains the text or cannot be read."""
    try:
        found = read(root.place(path))
    except FileNotFoundError:
        return
    except UnreadableFileError as error:
        matching.unread.append(Unread(path, in_language(error, config.lang).message))
        return
    text = found.data.decode("utf-8", "surrogateescape") if found else ""
    name, held = path.rpartition("/")[2], regex.search(text) is not None
    if config.is_memory(name) and matching.names.rename(
        path, cut_off=held and within_user(path).startswith(_NAMED_BY_TASK)
    ):
        matching.memories.append(path)
        return
    template = config.schemas.match(path) if matching.names.mentions(path) else None
    if template and template.kind == _ATTACHMENT:
        matching.records.append(path)
    if found is None or not held:
        if matching.names.mentions(path) and template is None:
            matching.others.append(path)
        return
    plain = _COPIES.sub("", name).removeprefix("." if _COPIES.search(name) else "")
    if not (within_user(path).startswith(_RAW) or config.is_memory(name)):
        (matching.copies if plain != name and config.is_memory(plain) else matching.others).append(path)
    else:
        matching.memories.append(path)


def _removals(config: WorkspaceConfig, path: str, document: Document, regex: re.Pattern[str]) -> Iterator[_Removal]:
    """Yield what is removed: entries that contain the text, and occurrences outside such entries.

    The output of a tool, and a file that is larger than a memory may be, has no entries.
    """
    spans = [Span(*match.span()) for match in regex.finditer(document.text)]
    removed: list[Span] = []
    is_memory = not within_user(path).startswith((f"{FOLDER}/", "transcripts/"))
    for entry in document.entries if is_memory and len(document.text) <= config.settings.lint.max_bytes else ():
        if any(span.holds(entry.span) for span in removed):
            continue
        inside = [span for span in spans if entry.span.holds(span)]
        own = Span(entry.marker.start, max(entry.text_span.end, entry.marker.end))
        # an entry with nested content is removed only if its own line contains the text; the rest is kept
        if inside and any(own.holds(span) for span in inside) and not _below(document, entry):
            line_units = units(entry, Originals(archived(config, path)))
            matching = [unit for unit in line_units if regex.search(unit.text)]
            parts: list[Unit] | list[Entry] = matching if 0 < len(matching) < len(line_units) else [entry]
            removed += [one.span for one in parts]
            yield from ((entry.line + 1, "entry", one) for one in parts)
    for span in spans:
        if not any(entry.overlaps(span) for entry in removed):
            yield document.lines.at(span.start) + 1, "words", span


def _below(document: Document, entry: Entry) -> bool:
    return bool(entry.blocks) or any(
        other.line > entry.line and entry.span.holds(other.span) for other in document.entries
    )


def _edits(document: Document | None, found: Sequence[_Removal]) -> tuple[Edit, ...]:
    if document is None:
        return ()
    entries = [one for _, _, one in found if isinstance(one, Entry)]
    words = [Edit(one, STRUCK) for _, _, one in found if isinstance(one, Span)]
    lines = groupby((one for _, _, one in found if isinstance(one, Unit)), key=lambda unit: unit.entry)
    words += [edit for _, removed in lines for edit in cuts(list(removed))]
    return (*(remove(document, entries).edits if entries else ()), *words)


def _tombstone_edits(config: WorkspaceConfig, document: Document | None, texts: Sequence[str]) -> tuple[Edit, ...]:
    """Return the edit that adds the tombstones to their file, which is created if missing."""
    lines = Tombstones(document).lines(texts, config.day)
    text = document.text if document else ""
    start = "" if text.endswith("\n") else "\n" if text else say(config.lang, "pen.tombstones") + "\n"
    return (Edit.insert(len(text), start + "".join(f"{line}\n" for line in lines)),) if lines else ()


def _purge(
    config: WorkspaceConfig,
    root: Root,
    regex: re.Pattern[str],
    matching: _MatchingFiles,
    searched: SearchedHistory,
    others: Collection[str],
) -> None:
    """Remove the text from editors' copies and from the state folder."""
    with _unfinished():
        for path in matching.copies:
            unlink(root.place(path).name)
        found = _traces(root, regex, searched, matching.names, others)
        struck = _without_text(config, root, regex, {one.name for one in found if one.what == "version"})
        purge(root, found, struck, config.settings.store.lock_seconds, ForgottenText(regex, matching.names, STRUCK))


@contextmanager
def _unfinished() -> Iterator[None]:
    """Report what is already done if the system refuses to remove something. Raises UnfinishedError."""
    try:
        yield
    except (OSError, MdmemError) as error:
        why = error.message if isinstance(error, MdmemError) else error.strerror
        message = f"is gone from the files, but not yet from mdmem's own folder: {why}"
        raise UnfinishedError(message, hint="run it again") from error


def _without_text(config: WorkspaceConfig, root: Root, regex: re.Pattern[str], digests: set[str]) -> dict[str, str]:
    """Store the newest of these versions again without the text, so that a neighbouring change can still be undone.

    Returns a mapping of old to new digests; the other versions are dropped.
    """
    history, done = VersionStore(root, config.settings.store.lock_seconds), dict[str, str]()
    limit = min(config.settings.store.redacted_versions, len(digests))
    newest = (
        (file.path, digest) for one in history.log() for file in one.files for digest in (file.after, file.before)
    )
    for path, digest in newest:
        if len(done) >= limit:
            break
        if digest not in digests or digest in done or not config.is_memory(path.rpartition("/")[2]):
            continue
        document = parse(history.raw(digest) or b"")
        strikes = list(_removals(config, path, document, regex))
        text = apply_edits(document.text, _edits(document, strikes))
        if not regex.search(text):
            done[digest] = history.keep(text.encode("utf-8", "surrogateescape"))
    return done


def _result(
    access: AccessPolicy,
    places: Sequence[ForgetTarget],
    matching: _MatchingFiles,
    transaction: Transaction | None,
    regex: re.Pattern[str],
    *,
    dry_run: bool,
) -> ForgetResult:
    lang, unread, others = access.lang, matching.unread, matching.others
    status: ForgetStatus = "planned" if dry_run else "partial" if unread else "done"
    status = status if places else "unchanged"
    message = say(lang, f"pen.forget-{status}", count=len(places), unread=len(unread))
    shown = ", ".join(f"{one.path} ({one.reason})" for one in unread)
    hints = [say(lang, "pen.forget-unread", files=shown)] if unread else []
    hints += [say(lang, "pen.forget-elsewhere", files=", ".join(others))] if others else []
    hints += filter(None, [told_of_git(access.config, {one.path for one in places if one.path}, regex)])
    return ForgetResult(status, message, "; ".join(hints), tuple(places), tuple(others), tuple(unread), transaction)


class _UnlockedFiles:
    """Reads the current documents without a lock, for a dry run."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def __getitem__(self, path: str) -> Document | None:
        try:
            found = read(self._root.place(path))
        except FileNotFoundError:
            return None
        return parse(found.data) if found else None
