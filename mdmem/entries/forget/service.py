"""Forgetting (law 12): removes a text from every file, the history, displaced files and caches; leaves a tombstone.

An entry that contains the text is removed whole; of a joined line only the parts that contain it; elsewhere only the
text itself. Forgetting can be repeated at any time: remains of a crashed run are found and removed. Unreadable files
are reported, because they may still contain the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.edits.find import is_vague
from mdmem.entries.forget.matching_files import MatchingFiles, find_matching_files
from mdmem.entries.forget.model import ForgetResult, ForgetStatus, ForgetTarget, Unread
from mdmem.entries.forget.spellings import name_pattern, text_pattern, without_hidden
from mdmem.entries.forget.struck_names import StruckNames
from mdmem.entries.forget.text_removal import TextRemoval, UnlockedFiles, removal_edits, removals
from mdmem.entries.tombstones import PATH, STRUCK, Tombstones
from mdmem.errors import MdmemError, UnfinishedError, UnreadableFileError, UsageError, WriteError
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language
from mdmem.store import journal
from mdmem.store.git.repository import in_repository
from mdmem.store.history.versions import FORGET, Transaction, VersionStore
from mdmem.store.purge.derived_files import ForgottenText, unlink
from mdmem.store.purge.traces import SearchedHistory, StoredTrace, inside, purge, traces
from mdmem.store.root import Root
from mdmem.store.transaction import DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.similarity import comparison_key

_DIGITS = 4  # digits of the shortest number that can be forgotten; shorter ones occur too often


def forget(config: WorkspaceConfig, words: str, *, actor: str, dry_run: bool, files: bool = False) -> ForgetResult:
    """Remove a text everywhere; see `Workspace.forget`."""
    access, words = AccessPolicy(config, actor), without_hidden(words).strip()
    if _is_short(words):
        access.stop(UsageError, "pen.forget-short")
    regex = re.compile(f"{text_pattern(words)}|{name_pattern(words)}")  # of the text, and of its form in a name
    if not dry_run:
        _finish_pending(config)
    matching = find_matching_files(config, regex, words, files=files)
    removal, transaction = TextRemoval(config, matching, regex, files=files), None

    def change(drafts: DraftFiles | UnlockedFiles) -> Edits:
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
            change(UnlockedFiles(root))
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
    config: WorkspaceConfig, change: Callable[[DraftFiles], Edits], matching: MatchingFiles, actor: str
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


def _is_short(words: str) -> bool:
    """Return True for a text that is too common: one or two letters, one Chinese character, few digits."""
    key = comparison_key(words)
    return len(key) < _DIGITS if key.isdecimal() else is_vague(words)


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
    matching: MatchingFiles,
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
        strikes = list(removals(config, path, document, regex))
        text = apply_edits(document.text, removal_edits(document, strikes))
        if not regex.search(text):
            done[digest] = history.keep(text.encode("utf-8", "surrogateescape"))
    return done


def _result(
    access: AccessPolicy,
    places: Sequence[ForgetTarget],
    matching: MatchingFiles,
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
    hints += filter(None, [_told_of_git(access.config, {one.path for one in places if one.path}, regex)])
    return ForgetResult(status, message, "; ".join(hints), tuple(places), tuple(others), tuple(unread), transaction)


def _told_of_git(config: WorkspaceConfig, paths: Collection[str], regex: re.Pattern[str]) -> str:
    """Return how many versions of some files in git's history hold a text, and how they are purged; empty for none."""
    if not in_repository(config.root):
        return ""
    from mdmem.store.git.past_versions import past_versions

    counts: dict[str, int] = {}
    try:
        for path in sorted(paths):
            texts = (data.decode("utf-8", "surrogateescape") for data in past_versions(config.root, path))
            if count := sum(regex.search(text) is not None for text in texts):
                counts[path] = count
    except MdmemError:
        return say(config.lang, "pen.forget-git-unread")
    facts = {"count": sum(counts.values()), "files": ", ".join(counts)}
    return say(config.lang, "pen.forget-git", **facts) if counts else ""
