"""The gate: checks every change inside the lock, before anything is written.

Only what the change adds counts; text that was there before is not checked again. Suppression comments for the linter
have no effect here, because an agent could write one beside what it wants to hide. No refusal quotes the refused text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple, NoReturn

from mdmem.entries.access import AccessPolicy
from mdmem.entries.tombstones import Stone
from mdmem.errors import ConfirmError, RefusedError, UnreadableFileError, VerificationError
from mdmem.formats.limits import section_fills, size
from mdmem.formats.paths import KNOWLEDGE
from mdmem.linter.detect.conflicts import edited_conflict
from mdmem.linter.masking import name_in_words
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.linter.runner import every_finding
from mdmem.linter.sources import LintSource
from mdmem.linter.worker import FileSubject, LintWorker
from mdmem.messages.catalog import say
from mdmem.store.files import FileSnapshot
from mdmem.store.history.versions import fingerprint
from mdmem.store.transaction import Change, DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, Edit, apply_edits, ordered
from mdmem.text.encodings import refusal
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span
from mdmem.text.verify import violations

_CAPS = ("MM401", "MM407")  # compared by number below, not by location
# Warnings that no write may add: hidden text, large pasted output, data exfiltration, unclosed blocks.
_NEVER = ("MM104", "MM111", "MM116", "MM120", "MM307", "MM505")
_ODD = ("MM105", "MM106")  # unusual characters: a safety finding only as an error
_SAFETY = ("MM5", *_ODD, *_NEVER)  # prefixes of the codes of rules about what a text does
_SESSION = "session"
_OPENS = pattern(r"[<`~\r\n]")
_TOGETHER = 200  # entries that are checked at once
_PIECE = 3  # characters of the n-grams by which texts are compared


_LEAST_NUMBER, _NUMBERS = 100_000, 900_000  # plan numbers have six digits


def plan_number(*parts: str) -> int:
    """Return the number of a plan, derived from the digest of what it would remove."""
    digest = fingerprint("\0".join(parts).encode("utf-8", "surrogateescape"))
    return _LEAST_NUMBER + int(digest, 16) % _NUMBERS


_UNDECODED = pattern("[\udc80-\udcff\\0]")  # bytes that are not UTF-8, as `Document.text` keeps them, and NUL


class FileChange(NamedTuple):
    """One file before and after a change."""

    before: Document | None
    after: Document | None


class Gate:
    """Checks one transaction; `steps` then holds its changes by file."""

    def __init__(self, access: AccessPolicy, *, confirm: bool | int = False, whole: bool = False) -> None:
        """Bind to one change.

        Args:
            access: the policy of the actor.
            confirm: True if the caller confirmed removals, or the number that a refusal named: see `ask`.
            whole: the caller gave whole files, so that all lines are intended.
        """
        self.access, self.confirm, self.whole = access, confirm, whole
        self.steps: dict[str, FileChange] = {}
        self._linter = LintWorker(access.config, ((), ()))
        self._rules = tuple(rule for rule in RULES if _is_checked(rule))
        self._safety = tuple(rule for rule in self._rules if rule.code.startswith(_SAFETY))
        self._befores: dict[str, Document | None] = {}  # all files of the transaction
        self._texts: dict[str, str] = {}  # their texts after it
        self._subjects: dict[str, tuple[Document, FileSubject]] = {}  # the newest of each file
        self._unfit: dict[tuple[str, str], Diagnostic | None] = {}  # cache: the same texts are checked repeatedly
        self.earlier_versions: Mapping[
            str, Document
        ] = {}  # earlier versions of files; their text does not count as new
        self.recalled: set[Stone] = set()  # forgotten texts that a person writes again
        self.as_they_came: frozenset[str] = frozenset()  # files of a bundle, which are judged before it is let in

    def watch(self, change: Change) -> Change:
        """Return a change that records its edits, so that text moved between files is neither new nor lost."""

        def watched(files: DraftFiles) -> Edits:
            edits = change(files)
            self._befores = {path: files[path] for path in edits}
            made = {path: own for path, own in edits.items() if own is not None}
            self._texts = {path: apply_edits(_text(self._befores[path]), own) for path, own in made.items()}
            self.steps = {}
            return edits

        return watched

    def check(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document | None) -> None:
        """Check a file's change.

        Raises:
            RefusedError: it adds forbidden text, or the file is not this actor's to change.
            VerificationError: it would touch more than it names (law 2).
            ConfirmError: it drops more of the file than the settings allow without confirmation.
            MemoryOffError: memory is switched off.
        """
        self.steps[path] = FileChange(before, after)
        # a link may have led here; the inbox also holds proposals for files that are not memory
        (self.access.inside if self.access.kind(path) == "inbox" else self.access.reach)(path)
        if self.access.waits(path):
            self.access.stop(RefusedError, "pen.only-user", path)
        if path not in self._befores and self.access.kind(path) == "inbox" and not self.access.is_person:
            self.access.stop(RefusedError, "pen.inbox-user", path)
        if path not in self.as_they_came:
            self._require_own(path)
            self._check(path, before, edits, after)
        elif after is not None:
            self._check_forgotten(path, before, after)

    def _require_own(self, path: str) -> None:
        """Refuse to change a file of a bundle, which only an update changes."""
        if not path.startswith(f"{KNOWLEDGE}/"):
            return
        if owner := self.access.config.bundles.owner(path):
            piece = "/".join(path.split("/")[1:3])
            self.access.stop(RefusedError, "bundle.closed", path, name=owner, piece=piece)

    def examine(self, path: str, before: Document | None, edits: Sequence[Edit]) -> None:
        """Check a change that needs approval, so that nobody is asked to approve a forbidden text."""
        after = parse(apply_edits(_text(before), edits).encode("utf-8", "surrogateescape"))
        self._check(path, before, edits, after)

    def _check(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document | None) -> None:
        if after is not None:
            self._check_encoding(path, before, after)
            self._check_safety(path, before, after)
            self._check_conflicts(path, before, edits, after)
            self._check_forgotten(path, before, after)
            self._check_verified(path, before, edits, after)
            self._check_caps(path, before, after)
        if before is not None and self.confirm is not True:
            self._check_shrink(path, before, edits, after)

    def _check_encoding(self, path: str, before: Document | None, after: Document) -> None:
        """Refuse to extend a file in another encoding: it would be half in one and half in the other."""
        if before is None or not _UNDECODED.search(after.text):
            return
        if error := refusal(path, before.to_bytes()):
            raise error

    def ask(self, key: str, path: str, *plan: str, **facts: object) -> None:
        """Require confirmation before text is removed; the error names the number of the plan.

        Args:
            key: the message.
            path: the file.
            plan: texts that identify the plan.
            facts: the facts of the message.

        Raises:
            ConfirmError: not confirmed, or confirmed with the number of another plan.
        """
        number = plan_number(path, *plan)
        if self.confirm is True or self.confirm == number:
            return
        word = "`--yes`" if self.access.is_person else f"`confirm`: {number}"
        self.access.stop(ConfirmError, key, path, confirm=word, **facts)

    def unfit(self, path: str, text: str) -> Diagnostic | None:
        """Return the finding that forbids a text in a file (a secret, an instruction, hidden text), or None."""
        if (path, text) not in self._unfit:
            found = self._diagnostics(path, Document(text.encode("utf-8", "surrogateescape")), self._safety)
            self._unfit[path, text] = next((one for one in found if _is_safety(one)), None)
        return self._unfit[path, text]

    def unfit_name(self, name: str) -> Diagnostic | None:
        """Return the finding that forbids a name, as it is written or as its words are read, or None."""
        return self.unfit("", name) or self.unfit("", name_in_words(name))

    def screen(self, path: str, lines: Sequence[str]) -> None:
        """Check entries and texts of one line together and cache those that pass, so that `unfit` is fast for them.

        If a batch has any finding, its lines are checked one by one on demand; so are lines that could open a block and
        hide those below.
        """
        ended = ((line, line.removesuffix("\n")) for line in dict.fromkeys(lines))
        plain = [one for one in ended if one[1].removeprefix("- ")[:1].isalnum() and not _OPENS.search(one[1])]
        for at in range(0, len(plain), _TOGETHER):
            part = plain[at : at + _TOGETHER]
            if self.unfit(path, "".join(f"{text}\n" for _, text in part)) is None:
                self._unfit |= dict.fromkeys((path, line) for line, _ in part)

    def is_allowed(self, path: str, text: str) -> bool:
        """Return True if a new text may be written into a file: no safety finding, and not forgotten."""
        forgotten = not self.access.is_person and self.access.tombstones.holds(text)
        return not forgotten and self.unfit(path, text) is None

    def _check_forgotten(self, path: str, before: Document | None, after: Document) -> None:
        """Refuse forgotten texts (law 12); a person may write them again and gets a note.

        Text from any file of this change does not count as new, except from conversations: a repetition there is not
        memory.
        """
        try:
            stones = self.access.tombstones
        except UnreadableFileError:
            if self.access.is_person:
                return
            raise
        if not stones:
            return
        others = [(other, document) for other, document in self._befores.items() if other != path]
        old_versions = [
            one.text for name, one in [(path, before), *others] if one and self.access.kind(name) != _SESSION
        ]
        if not (found := stones.among(list(_new_lines(after.text, old_versions)))):
            return
        if back := found - stones.among(old_versions, only=found):
            if not self.access.is_person:
                self.access.stop(RefusedError, "pen.forgotten", path, day=min(stone.day for stone in back))
            self.recalled |= back

    def _check_safety(self, path: str, before: Document | None, after: Document) -> None:
        """Refuse new errors and forbidden findings; a secret is reported first."""
        findings = [(_finding_key(finding, after), finding) for finding in self._diagnostics(path, after)]
        if not findings:
            return
        others = [(other, document) for other, document in self._befores.items() if other != path]
        was = [(path, before), (path, self.earlier_versions.get(path)), *others]
        old_versions = [(name, document) for name, document in was if document]
        left = Counter(
            _finding_key(finding, was) for name, was in old_versions for finding in self._findings_before(name, was)
        )
        more = Counter(code for (code, _), _ in findings) - Counter(code for code, _ in left.elements())
        new = []
        for key, finding in findings:
            left[key] -= 1
            # a finding about form that replaces another of its rule is not new: an old entry that lacks a field may be
            # ticked
            if left[key] < 0 and (_is_safety(finding) or more[finding.code]):
                new.append(finding)
        if worst := min(new, key=lambda finding: (not finding.secret, not _is_safety(finding)), default=None):
            self.refuse(path, worst)

    def _check_conflicts(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document) -> None:
        """Refuse edits between the markers of a merge conflict; a change that resolves it passes."""
        if found := edited_conflict(_text(before), edits, after):
            raise conflict_error(self.access.lang, path, after, found)

    def secret(self, path: str, before: Document | None, after: Document) -> Diagnostic | None:
        """Return a secret in a version of a file that the version before it did not contain."""
        old = (
            {one.span.of(before.text) for one in self._findings_before(path, before) if one.secret} if before else set()
        )
        found = (one for one in self._diagnostics(path, after) if one.secret)
        return next((one for one in found if one.span.of(after.text) not in old), None)

    def raw(self, path: str, text: str) -> None:
        """Refuse a text before its lines are joined: afterwards a large pasted output is not recognizable (F018)."""
        if found := self.unfit(path, text):
            self.refuse(path, found)

    def refuse(self, path: str, found: Diagnostic) -> NoReturn:
        """Refuse a text because of a finding. Raises RefusedError."""
        message = say(self.access.lang, "pen.refused", message=found.message, code=found.code)
        raise RefusedError(message, hint=found.hint, path=path)

    def _check_verified(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document) -> None:
        old = before or parse(b"")
        whole = self.whole or before is None
        fits = after.text == apply_edits(old.text, edits)
        if not fits or not (whole or next(violations(old, list(_widened(old, edits)), after), None) is None):
            self.access.stop(VerificationError, "pen.swallowed", path)

    def _check_caps(self, path: str, before: Document | None, after: Document) -> None:
        """Enforce the caps (law 7): a section above its cap may shrink, and no section may grow beyond its cap."""
        template = self.access.template(path, after)
        if template is None or template.body != "markdown":
            return
        old_versions = [document for document in (self.earlier_versions.get(path), before) if document]
        old = Counter[str]()
        for document in old_versions:
            old |= Counter({fill.spec.name: fill.number for fill in section_fills(document, template)})
        for fill in section_fills(after, template):
            if fill.over and fill.number > old[fill.spec.name]:
                facts = {"section": fill.spec.name, "count": fill.number, "max": fill.spec.entries.max}
                self.access.stop(RefusedError, "pen.over-cap", path, **facts)
        most, number = template.file.max_entries, size(after).entries
        if most is not None and number > max(most, *(size(document).entries for document in old_versions), 0):
            self.access.stop(RefusedError, "pen.over-entries", path, count=number, max=most)

    def _check_shrink(self, path: str, before: Document, edits: Sequence[Edit], after: Document | None) -> None:
        """Require confirmation if most of a file is removed, as by `write` instead of `edit` (openclaw#11102)."""
        settings = self.access.config.settings.pen
        most = sum(len(one.span.of(before.text)) + 2 * _PIECE for one in edits)  # with the n-grams around
        if after is not None and most <= settings.shrink_ratio * (_length(before.text) - _PIECE):
            return
        old = Counter(_pieces(before.text))
        total = old.total()
        if len(before.text) < settings.shrink_min_chars or not total:
            return
        moved = (text for other, text in self._texts.items() if other != path)
        left = Counter(piece for text in (_text(after), *moved) for piece in _pieces(text))
        lost_share = (old - left).total() / total
        if lost_share > settings.shrink_ratio:
            self.ask("pen.shrink", path, before.text, _text(after), percent=round(100 * lost_share))

    def subject(self, path: str, document: Document) -> FileSubject:
        """Return the subject that the rules check; it is cached per document, with its findings."""
        cached = self._subjects.get(path)
        if cached is None or cached[0] is not document:
            seen = FileSnapshot("regular", len(document.to_bytes()), "none", b"")
            cached = self._subjects[path] = document, self._linter.subject(LintSource(path, seen), document)
        return cached[1]

    def _findings_before(self, path: str, document: Document) -> list[Diagnostic]:
        """Return the findings in a file before the change; the cached subject of the file after it is kept."""
        cached = self._subjects.pop(path, None)
        try:
            return self._diagnostics(path, document)
        finally:
            if cached:
                self._subjects[path] = cached

    def _diagnostics(self, path: str, document: Document, rules: Sequence[Rule] = ()) -> list[Diagnostic]:
        found = every_finding(self.subject(path, document), rules or self._rules, self.access.lang)
        return [one for one in found if one.severity == "error" or _is_safety(one)]


def conflict_error(lang: str, path: str, document: Document, conflict: Span) -> RefusedError:
    """Return the error that names the lines of a merge conflict."""
    first, last = document.lines.at(conflict.start) + 1, document.lines.at(conflict.end) + 1
    message = say(lang, "pen.in-conflict", line=first, last=last)
    return RefusedError(message, hint=say(lang, "pen.in-conflict.hint"), path=path, line=first)


def _is_checked(rule: Rule) -> bool:
    return rule.code not in _CAPS and (rule.severity == "error" or rule.code in (*_NEVER, "MM117"))


def _finding_key(finding: Diagnostic, document: Document) -> tuple[str, str]:
    """Return the key by which findings are equal: the rule, and the text it points at."""
    return finding.code, finding.span.of(document.text)


def _is_safety(finding: Diagnostic) -> bool:
    """Return whether a finding is about safety, not about form."""
    hidden = finding.code in _ODD and finding.severity == "error"  # soft hyphens come with text from books
    return hidden or finding.code.startswith("MM5") or finding.code in _NEVER


def _widened(document: Document, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Yield the replacements widened to whole lines, so that verification sees whole lines."""
    lines, groups = document.lines, list[tuple[int, int, list[Edit]]]()
    for edit in ordered(edits):
        begin, end = edit.span
        if begin < end:
            first, last = lines.at(begin), lines.at(end)
            begin = begin if begin == lines.end(first) else lines.start(first)
            end = end if end == lines.start(last) else lines.end(last)
        if groups and begin < groups[-1][1]:
            begin, known, within = groups.pop()
            groups.append((begin, max(end, known), [*within, edit]))
        else:
            groups.append((begin, end, [edit]))
    for begin, end, within in groups:
        moved = [Edit.replace(one.span.start - begin, one.span.end - begin, one.new) for one in within]
        yield Edit.replace(begin, end, apply_edits(document.text[begin:end], moved))


def _new_lines(text: str, old_versions: Sequence[str]) -> Iterator[str]:
    """Yield the runs of lines that occur in none of the other texts."""
    known = {line for other in old_versions for line in other.splitlines()}
    for is_known, lines in groupby(text.splitlines(), known.__contains__):
        if not is_known:
            yield "\n".join(lines)


def _text(document: Document | None) -> str:
    return document.text if document else ""


def _length(text: str) -> int:
    """Return the number of characters that are not white space."""
    return sum(map(len, text.split()))


def _pieces(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the n-grams of a text without its white space."""
    bare = "".join(text.split())
    return zip(*(bare[at:] for at in range(_PIECE)), strict=False)
