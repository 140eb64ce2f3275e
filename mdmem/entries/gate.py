"""The rules of the pen: what of a change may stand in a file, asked inside the lock, before anything is written.

Only what the change brings in counts; what a person wrote before stays that person's business. The marks that let the
linter look away do not bind the pen, for an agent could write one beside what it wants to hide. No refusal quotes what
it refuses.
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
from mdmem.linter.detect.conflicts import edited_conflict
from mdmem.linter.registry import RULES
from mdmem.linter.rule import Rule
from mdmem.linter.runner import every_finding
from mdmem.linter.sources import LintSource
from mdmem.linter.worker import FileSubject
from mdmem.messages.catalog import say
from mdmem.store.files import FileSnapshot
from mdmem.store.history.versions import fingerprint
from mdmem.store.transaction import Change, DraftFiles, Edits
from mdmem.text.document import Document, parse
from mdmem.text.edit import Diagnostic, Edit, apply_edits, ordered
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span
from mdmem.text.verify import violations

_CAPS = ("MM401", "MM407")  # compared by number below, not by where they stand
# warnings that no write brings in: hidden text, walls of output, what carries data out, what swallows the rest
_NEVER = ("MM104", "MM111", "MM116", "MM120", "MM307", "MM505")
_ODD = ("MM105", "MM106")  # odd characters: about safety only where they are an error
_SAFETY = ("MM5", *_ODD, *_NEVER)  # beginnings of the codes of rules that ask what a text does
_SAID = "session"
_OPENS = pattern(r"[<`~\r\n]")
_TOGETHER = 200  # entries that are judged at once
_PIECE = 3  # characters in a row: what a text is compared by


_LEAST_NUMBER, _NUMBERS = 100_000, 900_000  # the numbers of plans have six digits


def plan_number(*parts: str) -> int:
    """Return the number of a plan, made of the digest of what it would remove."""
    digest = fingerprint("\0".join(parts).encode("utf-8", "surrogateescape"))
    return _LEAST_NUMBER + int(digest, 16) % _NUMBERS


class FileChange(NamedTuple):
    """What one file was and would be."""

    before: Document | None
    after: Document | None


class Gate:
    """Judges one transaction; `steps` then tell what it came to."""

    def __init__(self, access: AccessPolicy, *, confirm: bool | int = False, whole: bool = False) -> None:
        """Bind to one change.

        Args:
            access: whose change it is.
            confirm: True if the caller has said that text may go, or the number that a refusal named: see `ask`.
            whole: the caller gave whole files, so that there are no lines beside those that were meant.
        """
        self.access, self.confirm, self.whole = access, confirm, whole
        self.steps: dict[str, FileChange] = {}
        self._rules = tuple(rule for rule in RULES if _counts(rule))
        self._safety = tuple(rule for rule in self._rules if rule.code.startswith(_SAFETY))
        self._befores: dict[str, Document | None] = {}  # all files of the transaction
        self._texts: dict[str, str] = {}  # what they would say
        self._subjects: dict[str, tuple[Document, FileSubject]] = {}  # the newest of each file
        self._unfit: dict[tuple[str, str], Diagnostic | None] = {}  # asked again and again of the same texts
        self.stood: Mapping[str, Document] = {}  # older versions of files: what they hold is not new either
        self.recalled: set[Stone] = set()  # what was forgotten and a person writes again

    def watch(self, change: Change) -> Change:
        """Let a change go ahead, noting what it moves from file to file: what is moved is neither new nor gone."""

        def watched(files: DraftFiles) -> Edits:
            edits = change(files)
            self._befores = {path: files[path] for path in edits}
            made = {path: own for path, own in edits.items() if own is not None}
            self._texts = {path: apply_edits(_text(self._befores[path]), own) for path, own in made.items()}
            self.steps = {}
            return edits

        return watched

    def judge(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document | None) -> None:
        """Let a file's change pass, or raise.

        Raises:
            RefusedError: it brings in what the pen does not write, or the file is not this actor's to change.
            VerificationError: it would touch more than it names (law 2).
            ConfirmError: it drops more of the file than the settings let go without a word.
            MemoryOffError: memory is switched off.
        """
        self.steps[path] = FileChange(before, after)
        # a link inside the workspace may have led here; the inbox also carries the word about what is no memory
        (self.access.inside if self.access.kind(path) == "inbox" else self.access.reach)(path)
        if self.access.waits(path):
            self.access.stop(RefusedError, "pen.only-user", path)
        if path not in self._befores and self.access.kind(path) == "inbox" and not self.access.is_person:
            self.access.stop(RefusedError, "pen.inbox-user", path)
        self._pass(path, before, edits, after)

    def examine(self, path: str, before: Document | None, edits: Sequence[Edit]) -> None:
        """Judge a change that somebody must agree to first, so that nobody is asked about what may not stand."""
        after = parse(apply_edits(_text(before), edits).encode("utf-8", "surrogateescape"))
        self._pass(path, before, edits, after)

    def _pass(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document | None) -> None:
        if after is not None:
            self._safe(path, before, after)
            self._outside_conflicts(path, before, edits, after)
            self._forgotten(path, before, after)
            self._proved(path, before, edits, after)
            self._fits(path, before, after)
        if before is not None and self.confirm is not True:
            self._kept(path, before, edits, after)

    def ask(self, key: str, path: str, *gone: str, **facts: object) -> None:
        """Ask before something goes, and name the number of the plan: who confirms by it has seen what goes.

        Args:
            key: the sentence.
            path: the file.
            gone: what tells this plan from another.
            facts: what the sentence needs.

        Raises:
            ConfirmError: nobody has confirmed it, or a number was given that belongs to another plan.
        """
        number = plan_number(path, *gone)
        if self.confirm is True or self.confirm == number:
            return
        word = "`--yes`" if self.access.is_person else f"`confirm`: {number}"
        self.access.stop(ConfirmError, key, path, confirm=word, **facts)

    def unfit(self, path: str, text: str) -> Diagnostic | None:
        """Return what speaks against a text of its own in a file: a secret, an order, hidden text."""
        if (path, text) not in self._unfit:
            found = self._diagnostics(path, parse(text.encode("utf-8", "surrogateescape")), self._safety)
            self._unfit[path, text] = next((one for one in found if _is_safety(one)), None)
        return self._unfit[path, text]

    def screen(self, path: str, lines: Sequence[str]) -> None:
        """Judge entries of one line together, so that `unfit` need not look at those that are fit.

        Where anything speaks against a run of them, each is judged by itself when it is asked about; so is one that
        could open a block and hide those below it.
        """
        plain = [line for line in lines if line[2:3].isalnum() and not _OPENS.search(line, 0, len(line) - 1)]
        for at in range(0, len(plain), _TOGETHER):
            part = plain[at : at + _TOGETHER]
            if self.unfit(path, "".join(part)) is None:
                self._unfit |= dict.fromkeys((path, line) for line in part)

    def may_stand(self, path: str, text: str) -> bool:
        """Return True if a new text may be written into a file: it is fit, and not forgotten."""
        known = not self.access.is_person and self.access.tombstones.holds(text)
        return not known and self.unfit(path, text) is None

    def _forgotten(self, path: str, before: Document | None, after: Document) -> None:
        """Refuse what was forgotten (law 12); a person may write it again, and is told.

        What stood in a file of this change is not brought back by it, unless that is a conversation: what somebody
        said there again is no memory yet.
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
        stood = [one.text for name, one in [(path, before), *others] if one and self.access.kind(name) != _SAID]
        if not (found := stones.among(list(_new(after.text, stood)))):
            return
        if back := found - stones.among(stood, only=found):
            if not self.access.is_person:
                self.access.stop(RefusedError, "pen.forgotten", path, day=min(stone.day for stone in back))
            self.recalled |= back

    def _safe(self, path: str, before: Document | None, after: Document) -> None:
        """Refuse what is new and an error, or never written; a secret is told before all else."""
        found = [(_found(one, after), one) for one in self._diagnostics(path, after)]
        if not found:
            return
        others = [(other, document) for other, document in self._befores.items() if other != path]
        was = [(path, before), (path, self.stood.get(path)), *others]
        stood = [(name, document) for name, document in was if document]
        left = Counter(_found(one, was) for name, was in stood for one in self._stood(name, was))
        more = Counter(code for (code, _), _ in found) - Counter(code for code, _ in left.elements())
        new = []
        for key, one in found:
            left[key] -= 1
            # of findings about form, one in another's place is no worse: an old entry that lacks a field may be ticked
            if left[key] < 0 and (_is_safety(one) or more[one.code]):
                new.append(one)
        if worst := min(new, key=lambda one: (not one.secret, not _is_safety(one)), default=None):
            self._refuse(path, worst)

    def _outside_conflicts(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document) -> None:
        """Refuse to write between the marks of a merge conflict; a change that resolves it passes."""
        if found := edited_conflict(_text(before), edits, after):
            raise conflict_error(self.access.lang, path, after, found)

    def secret(self, path: str, before: Document | None, after: Document) -> Diagnostic | None:
        """Return a secret that a version of a file holds and the one before it did not."""
        old = {one.span.of(before.text) for one in self._stood(path, before) if one.secret} if before else set()
        found = (one for one in self._diagnostics(path, after) if one.secret)
        return next((one for one in found if one.span.of(after.text) not in old), None)

    def raw(self, path: str, text: str) -> None:
        """Refuse a text before it is made one line, for then a wall of output no longer looks like one (F018)."""
        if found := self.unfit(path, text):
            self._refuse(path, found)

    def _refuse(self, path: str, found: Diagnostic) -> NoReturn:
        message = say(self.access.lang, "pen.refused", message=found.message, code=found.code)
        raise RefusedError(message, hint=found.hint, path=path)

    def _proved(self, path: str, before: Document | None, edits: Sequence[Edit], after: Document) -> None:
        old = before or parse(b"")
        whole = self.whole or before is None
        fits = after.text == apply_edits(old.text, edits)
        if not fits or not (whole or next(violations(old, list(_widened(old, edits)), after), None) is None):
            self.access.stop(VerificationError, "pen.swallowed", path)

    def _fits(self, path: str, before: Document | None, after: Document) -> None:
        """Hold the caps (law 7): a section that was over its cap may shrink, and no section grows beyond it."""
        template = self.access.template(path, after)
        if template is None or template.body != "markdown":
            return
        stood = [document for document in (self.stood.get(path), before) if document]
        old = Counter[str]()
        for document in stood:
            old |= Counter({fill.spec.name: fill.number for fill in section_fills(document, template)})
        for fill in section_fills(after, template):
            if fill.over and fill.number > old[fill.spec.name]:
                facts = {"section": fill.spec.name, "count": fill.number, "max": fill.spec.entries.max}
                self.access.stop(RefusedError, "pen.over-cap", path, **facts)
        most, number = template.file.max_entries, size(after).entries
        if most is not None and number > max(most, *(size(document).entries for document in stood), 0):
            self.access.stop(RefusedError, "pen.over-entries", path, count=number, max=most)

    def _kept(self, path: str, before: Document, edits: Sequence[Edit], after: Document | None) -> None:
        """Ask before most of a file goes: `write` where `edit` was meant has emptied memories (openclaw#11102)."""
        settings = self.access.config.settings.pen
        most = sum(len(one.span.of(before.text)) + 2 * _PIECE for one in edits)  # an edit breaks the pieces around it
        if after is not None and most <= settings.shrink_ratio * (_length(before.text) - _PIECE):
            return
        old = Counter(_pieces(before.text))
        total = old.total()
        if len(before.text) < settings.shrink_min_chars or not total:
            return
        moved = (text for other, text in self._texts.items() if other != path)
        left = Counter(piece for text in (_text(after), *moved) for piece in _pieces(text))
        gone = (old - left).total() / total
        if gone > settings.shrink_ratio:
            self.ask("pen.shrink", path, before.text, _text(after), percent=round(100 * gone))

    def subject(self, path: str, document: Document) -> FileSubject:
        """Return the subject that the rules check; the same document has the same one, with its findings."""
        known = self._subjects.get(path)
        if known is None or known[0] is not document:
            seen = FileSnapshot("regular", len(document.to_bytes()), "none", b"")
            known = self._subjects[path] = document, self.access.judge.subject(LintSource(path, seen), document)
        return known[1]

    def _stood(self, path: str, document: Document) -> list[Diagnostic]:
        """Return the findings in a file before the change; the subject after it stays cached."""
        kept = self._subjects.pop(path, None)
        try:
            return self._diagnostics(path, document)
        finally:
            if kept:
                self._subjects[path] = kept

    def _diagnostics(self, path: str, document: Document, rules: Sequence[Rule] = ()) -> list[Diagnostic]:
        found = every_finding(self.subject(path, document), rules or self._rules, self.access.lang)
        return [one for one in found if one.severity == "error" or _is_safety(one)]


def conflict_error(lang: str, path: str, document: Document, conflict: Span) -> RefusedError:
    """Make the refusal that says on which lines of a file a merge conflict waits."""
    first, last = document.lines.at(conflict.start) + 1, document.lines.at(conflict.end) + 1
    message = say(lang, "pen.in-conflict", line=first, last=last)
    return RefusedError(message, hint=say(lang, "pen.in-conflict.hint"), path=path, line=first)


def _counts(rule: Rule) -> bool:
    return rule.code not in _CAPS and (rule.severity == "error" or rule.code in (*_NEVER, "MM117"))


def _found(one: Diagnostic, document: Document) -> tuple[str, str]:
    """Return what makes two findings one: the rule, and the text that it points at."""
    return one.code, one.span.of(document.text)


def _is_safety(one: Diagnostic) -> bool:
    """Return whether a finding is about what the text does, and not about its form."""
    hidden = one.code in _ODD and one.severity == "error"  # a soft hyphen comes with text from books
    return hidden or one.code.startswith("MM5") or one.code in _NEVER


def _widened(document: Document, edits: Sequence[Edit]) -> Iterator[Edit]:
    """Widen replacements to whole lines, so that a piece of a line is proved as what the line is."""
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


def _new(text: str, stood: Sequence[str]) -> Iterator[str]:
    """Return the runs of lines that stand in none of the other texts."""
    known = {line for other in stood for line in other.splitlines()}
    for is_known, lines in groupby(text.splitlines(), known.__contains__):
        if not is_known:
            yield "\n".join(lines)


def _text(document: Document | None) -> str:
    return document.text if document else ""


def _length(text: str) -> int:
    """Count the characters of a text that are no white space."""
    return sum(map(len, text.split()))


def _pieces(text: str) -> Iterator[str]:
    """Return what a text is made of, wherever in it that stands."""
    bare = "".join(text.split())
    return (bare[at : at + _PIECE] for at in range(len(bare) - _PIECE + 1))
