"""Forgetting (law 12): a text goes from every file, the history, the graves and the caches, and leaves a tombstone.

An entry that holds the words goes whole, of a line that the keeper joined only the entries that hold them; elsewhere
the words alone are struck out. It can be run again at any time: what a crash left of the text is found and removed
then. What cannot be read stops nothing: it is named, for it may still hold the text.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import groupby, pairwise
from typing import Literal, NamedTuple, TypeAlias

from mdmem.config.workspace_config import WorkspaceConfig
from mdmem.entries.access import AccessPolicy
from mdmem.entries.archive import archived
from mdmem.entries.edits import remove
from mdmem.entries.edits.find import is_vague
from mdmem.entries.joined import Unit, cuts, units
from mdmem.entries.tombstones import PATH, STRUCK, Tombstones
from mdmem.errors import MdmemError, UnreadableFileError, UsageError, WriteError
from mdmem.formats.artifact import FOLDER
from mdmem.formats.joined_line import Originals
from mdmem.linter.detect.decoded_views import INVISIBLE
from mdmem.linter.rule import quote
from mdmem.messages.catalog import say
from mdmem.messages.errors import in_language
from mdmem.store.history.retention import StoredTrace, inside, purge, traces
from mdmem.store.history.versions import FORGET, Transaction, VersionStore
from mdmem.store.root import Root, read
from mdmem.store.transaction import DraftFiles, Edits, most_bytes
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.document import Document, Entry, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.inline import DENSE
from mdmem.text.similarity import comparison_key
from mdmem.text.spans import Span

_DIGITS = 4  # of the shortest number that can be forgotten: less would strike out half of a memory
_RAW = ("artifacts/", "attachments/", "transcripts/")  # folders whose files hold text under any name
_HIDDEN = f"[{INVISIBLE}]*"
_WORD = re.compile(rf"[^\W_{DENSE}]")  # a letter or digit of a script that puts blanks between words
_NOT_BEHIND, _NOT_BEFORE = rf"(?<![^\W_{DENSE}])", rf"(?![^\W_{DENSE}])"
_QUOTED = 60  # characters of a line that a dry run shows
_COPIES = re.compile(r"(?:~|\.sw[a-p]|\.bak|\.orig)\Z")  # what editors leave beside a file


class ForgetTarget(NamedTuple):
    """One place that forgetting touches."""

    path: str  # empty for the history and the caches
    line: int  # 1-based; 0 where there are none
    what: str  # entry, words, copy (of an editor), version, grave, line (of the log), derived
    text: str = ""  # of a dry run: the start of what would go


class Unread(NamedTuple):
    """A file or folder that may still hold the text, for it could not be read or changed."""

    path: str
    reason: str


ForgetStatus: TypeAlias = Literal["done", "partial", "planned", "unchanged"]


class ForgetResult(NamedTuple):
    """What forgetting did, or would do."""

    status: ForgetStatus  # partial: something could not be read
    message: str
    hint: str
    places: tuple[ForgetTarget, ...]
    elsewhere: tuple[str, ...]  # files that hold the words and are no memory: left to the person
    unread: tuple[Unread, ...] = ()
    transaction: Transaction | None = None


_Strike: TypeAlias = "tuple[int, str, Entry | Unit | Span]"  # line, what it is, and what goes


class _Holding(NamedTuple):
    """The files that hold a text."""

    memories: list[str]  # and evidence
    copies: list[str]  # that editors left
    others: list[str]
    unread: list[Unread]


def forget(config: WorkspaceConfig, words: str, *, actor: str, dry_run: bool) -> ForgetResult:
    """Remove a text from everywhere; see `Workspace.forget`."""
    access = AccessPolicy(config, actor)
    if _is_short(words):
        access.stop(UsageError, "pen.forget-short")
    regex = search_pattern(words.strip())
    held = _holding(config, regex)
    places = [ForgetTarget(path, 0, "copy") for path in held.copies]
    transaction = None

    def change(files: DraftFiles | _Reading) -> Edits:
        strikes = {
            path: list(_strikes(path, document, regex, partial(_originals, config, path)))
            for path in held.memories
            if (document := files[path])
        }
        found = [
            ForgetTarget(path, line, what, _excerpt(files[path], line) if dry_run else "")
            for path, struck in strikes.items()
            for line, what, _ in struck
        ]
        places[len(held.copies) :] = found
        edits = {path: _edits(files[path], struck) for path, struck in strikes.items()}
        entries = [_statement(one) for struck in strikes.values() for _, _, one in struck if not isinstance(one, Span)]
        return edits | {PATH: _mark(config, files[PATH], [words, *entries])}

    with Root(config.root) as root:
        clean: set[str] = set()
        left = _traces(root, regex, clean)
        unread = [*held.unread, *(Unread(one.name, one.reason) for one in left if one.what == "unread")]
        left = [one for one in left if one.what != "unread"]
        if dry_run:
            change(_Reading(root))
        elif held.memories or held.copies or left or unread:
            transaction = config.pen().commit(change, actor=actor, reason=FORGET)
            _wipe(config, root, regex, held.copies, clean)
        places += [ForgetTarget("", 0, trace.what) for trace in left]
    return _told(access, places, held.others, unread, transaction, dry_run=dry_run)


def _excerpt(document: Document | None, line: int) -> str:
    """Return the start of a line, as a person is asked about it."""
    return quote(document.lines.text(line - 1), _QUOTED) if document else ""


def _is_short(words: str) -> bool:
    """Return True for a text that stands in too many places: one or two letters, one Chinese character, few digits."""
    said = comparison_key(words)
    return len(said) < _DIGITS if said.isdecimal() else is_vague(words)


def _statement(entry: Entry | Unit) -> str:
    """Return what an entry says, without date, fields and id: it may come back under another day."""
    return read_entry(entry.text).body.of(entry.text).strip() or entry.text


def _originals(config: WorkspaceConfig, path: str) -> Originals:
    return Originals(archived(config, path))


def _traces(root: Root, regex: re.Pattern[str], clean: set[str]) -> list[StoredTrace]:
    try:
        return list(traces(root, regex, clean))
    except OSError as error:
        return [StoredTrace("unread", inside(root.path, error), error.strerror or "")]


def search_pattern(words: str) -> re.Pattern[str]:
    """Make what finds a text however it is spaced, in capitals, in full width, or with characters that nobody sees.

    A text that begins or ends with a letter or a digit is not found inside a longer word: `Tom` not in `tomorrow`.
    """
    pieces = words.split()
    out = (_NOT_BEHIND if _WORD.match(words[0]) else "") + _HIDDEN.join(map(_either, pieces[0]))
    for before, piece in pairwise(pieces):
        gap = r"\s+" if before[-1].isascii() and piece[0].isascii() else r"\s*"
        out += gap + _HIDDEN.join(map(_either, piece))
    return re.compile(out + (_NOT_BEFORE if _WORD.match(words[-1]) else ""), re.IGNORECASE)


def _either(char: str) -> str:
    """Match a character of the keyboard in its full width too, and the other way round."""
    code = ord(char)
    narrow = chr(code - 0xFEE0) if 0xFF01 <= code <= 0xFF5E else char
    wide = chr(ord(narrow) + 0xFEE0) if 0x21 <= ord(narrow) <= 0x7E else narrow
    return re.escape(char) if wide == narrow else f"[{re.escape(narrow)}{wide}]"


def _holding(config: WorkspaceConfig, regex: re.Pattern[str]) -> _Holding:
    """Find the files that hold the text: memories and evidence, editors' copies of them, and everything else."""
    held = _Holding([], [], [], [])

    def missed(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            held.unread.append(Unread(inside(config.root, error), error.strerror or ""))

    with Root(config.root) as root:
        for folder, inner, names in os.walk(config.root, onerror=missed):
            skipped = (*config.settings.lint.skip_folders, STATE_FOLDER)
            inner[:] = sorted(name for name in inner if name not in skipped)
            for name in sorted(names):
                path = os.path.relpath(os.path.join(folder, name), config.root).replace(os.sep, "/")
                if path != PATH and not os.path.islink(os.path.join(folder, name)):
                    _sort(config, root, path, regex, held)
    return held


def _sort(config: WorkspaceConfig, root: Root, path: str, regex: re.Pattern[str], held: _Holding) -> None:
    """Read a file and put it where it belongs, if it holds the text or cannot be read."""
    try:
        found = read(root.place(path))
    except FileNotFoundError:
        return
    except UnreadableFileError as error:
        held.unread.append(Unread(path, in_language(error, config.lang).message))
        return
    if found is None or not regex.search(found.data.decode("utf-8", "surrogateescape")):
        return
    name = path.rpartition("/")[2]
    plain = _COPIES.sub("", name).removeprefix("." if _COPIES.search(name) else "")
    if not (path.startswith(_RAW) or config.is_memory(name)):
        (held.copies if plain != name and config.is_memory(plain) else held.others).append(path)
    elif len(found.data) > (most := most_bytes(config.settings, path)):
        reason = say(config.lang, "pen.forget-large", bytes=len(found.data), most=most)
        held.unread.append(Unread(path, reason))
    else:
        held.memories.append(path)


def _strikes(
    path: str, document: Document, regex: re.Pattern[str], originals: Callable[[], Originals]
) -> Iterator[_Strike]:
    """Find what goes: entries that hold the text, and the text where it stands in no such entry.

    `originals` reads the archive; it is asked only for an entry that is to go.
    """
    spans = [Span(*match.span()) for match in regex.finditer(document.text)]
    gone: list[Span] = []
    for entry in (
        () if path.startswith((f"{FOLDER}/", "transcripts/")) else document.entries
    ):  # what a tool printed has none
        if any(span.holds(entry.span) for span in gone):
            continue
        inside = [span for span in spans if entry.span.holds(span)]
        own = Span(entry.marker.start, max(entry.text_span.end, entry.marker.end))
        # what stands below an entry is not lost with it, unless it holds the text as well
        if inside and any(own.holds(span) for span in inside) and not _below(document, entry):
            known = units(entry, originals())
            held = [unit for unit in known if regex.search(unit.text)]
            parts: list[Unit] | list[Entry] = held if 0 < len(held) < len(known) else [entry]
            gone += [one.span for one in parts]
            yield from ((entry.line + 1, "entry", one) for one in parts)
    for span in spans:
        if not any(entry.overlaps(span) for entry in gone):
            yield document.lines.at(span.start) + 1, "words", span


def _below(document: Document, entry: Entry) -> bool:
    return bool(entry.blocks) or any(
        other.line > entry.line and entry.span.holds(other.span) for other in document.entries
    )


def _edits(document: Document | None, found: Sequence[_Strike]) -> tuple[Edit, ...]:
    if document is None:
        return ()
    entries = [one for _, _, one in found if isinstance(one, Entry)]
    words = [Edit(one, STRUCK) for _, _, one in found if isinstance(one, Span)]
    lines = groupby((one for _, _, one in found if isinstance(one, Unit)), key=lambda unit: unit.entry)
    words += [edit for _, gone in lines for edit in cuts(list(gone))]
    return (*(remove(document, entries).edits if entries else ()), *words)


def _mark(config: WorkspaceConfig, document: Document | None, texts: Sequence[str]) -> tuple[Edit, ...]:
    """Add the tombstones to their file, which is made where there is none."""
    lines = Tombstones(document).lines(texts, config.day)
    text = document.text if document else ""
    start = "" if text.endswith("\n") else "\n" if text else say(config.lang, "pen.tombstones") + "\n"
    return (Edit.insert(len(text), start + "".join(f"{line}\n" for line in lines)),) if lines else ()


def _wipe(config: WorkspaceConfig, root: Root, regex: re.Pattern[str], copies: Sequence[str], clean: set[str]) -> None:
    try:
        for path in copies:
            name = root.place(path).name
            os.unlink(name.name, dir_fd=name.folder)
        found = list(traces(root, regex, clean))
        struck = _struck(config, root, regex, {one.name for one in found if one.what == "version"})
        purge(root, found, struck, config.settings.store.lock_seconds)
        config.cache.forget()
    except (OSError, MdmemError) as error:
        why = error.message if isinstance(error, MdmemError) else error.strerror
        message = f"is gone from the files, but not yet from mdmem's own folder: {why}"
        raise WriteError(message, hint="run it again") from error


def _struck(config: WorkspaceConfig, root: Root, regex: re.Pattern[str], digests: set[str]) -> dict[str, str]:
    """Keep the newest of these versions without the text, so that a change beside it can still be taken back.

    Returns the digests of the new versions by those of the old; the others are not kept.
    """
    history, done = VersionStore(root, config.settings.store.lock_seconds), dict[str, str]()
    newest = (
        (file.path, digest) for one in history.log() for file in one.files for digest in (file.after, file.before)
    )
    for path, digest in newest:
        if len(done) >= config.settings.store.struck_versions:
            break
        if digest not in digests or digest in done or not config.is_memory(path.rpartition("/")[2]):
            continue
        document = parse(history.raw(digest) or b"")
        strikes = list(_strikes(path, document, regex, partial(_originals, config, path)))
        text = apply_edits(document.text, _edits(document, strikes))
        if not regex.search(text):
            done[digest] = history.keep(text.encode("utf-8", "surrogateescape"))
    return done


def _told(
    access: AccessPolicy,
    places: Sequence[ForgetTarget],
    others: Sequence[str],
    unread: Sequence[Unread],
    transaction: Transaction | None,
    *,
    dry_run: bool,
) -> ForgetResult:
    lang = access.lang
    status: ForgetStatus = "planned" if dry_run else "partial" if unread else "done"
    status = status if places else "unchanged"
    message = say(lang, f"pen.forget-{status}", count=len(places), unread=len(unread))
    shown = ", ".join(f"{one.path} ({one.reason})" for one in unread)
    hints = [say(lang, "pen.forget-unread", files=shown)] if unread else []
    hints += [say(lang, "pen.forget-elsewhere", files=", ".join(others))] if others else []
    hints += [say(lang, "pen.forget-git")] if os.path.isdir(os.path.join(access.config.root, ".git")) else []
    return ForgetResult(status, message, "; ".join(hints), tuple(places), tuple(others), tuple(unread), transaction)


class _Reading:
    """The documents as they are, without a lock: what a dry run looks at."""

    def __init__(self, root: Root) -> None:
        self._root = root

    def __getitem__(self, path: str) -> Document | None:
        try:
            found = read(self._root.place(path))
        except FileNotFoundError:
            return None
        return parse(found.data) if found else None
