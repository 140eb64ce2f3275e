"""Reads the lines of a facts file, applies decisions to them, and turns the result into edits. Pure."""

from __future__ import annotations

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cached_property
from hashlib import blake2b
from itertools import accumulate, count
from typing import TypeAlias

from mdmem.entries.edits import find_section, remove, rename_section
from mdmem.entries.edits.content import content
from mdmem.entries.edits.placement import append, edited_document, insertion_region, make_section
from mdmem.facts.known_facts import KnownFacts
from mdmem.facts.model import Fact, NewFact
from mdmem.facts.update import FactVerdict, SaidAt, decide, raised
from mdmem.formats.fact_words import BEFORE, FactWords
from mdmem.formats.limits import owner_of
from mdmem.formats.template import EntryRule, SectionSpec, Template
from mdmem.messages.catalog import say
from mdmem.text.document import Document, Entry, Section, parse
from mdmem.text.edit import Edit, smallest
from mdmem.text.entry import entry_key, read_entry, statement, without_brackets
from mdmem.text.inline import one_line
from mdmem.text.spans import Span

_ORDER = ("predicate", "type", "priority", "importance", "confidence", "source", "episode")  # as they are written
_COMPARED = 1000  # lines that are compared one by one
_JOINTS = (":", "：", ",", "，", "—", "–", "-")  # between a date and what was said on it
_File: TypeAlias = tuple[str, Document]  # its path and its content
_WHY_CHARS = 48  # characters of the fields of a line that has ended, besides the sentence that ended it
_ID_CHARS = (4, 17)  # characters of an id: so many, or more until no other line has it


def read_fact(path: str, subject: str, text: str, words: FactWords, *, line: int, past: bool) -> Fact:
    """Read one line of a facts file; what it does not say is empty, or the number of the template."""
    parts = read_entry(text)
    fields = {field.key: field.value for field in reversed(parts.fields)}
    superseded = fields.get("superseded", "")
    return Fact(
        path,
        subject,
        fields.get("predicate", ""),
        one_line(statement(text, parts)),
        parts.date.value.isoformat() if parts.date and parts.date.value else "",
        parts.id or "",
        parts.id or entry_key(text),
        line,
        fields.get("type", ""),
        fields.get("priority", ""),
        _share(fields.get("importance"), words.numbers.get("importance", 0.5)),
        _share(fields.get("confidence"), words.numbers.get("confidence", 0.5)),
        fields.get("source", ""),
        superseded,
        fields.get("superseded_by", "").removeprefix("^"),
        not (past or superseded or "superseded_by" in fields),
    )


def _share(text: str | None, default: float) -> float:
    try:
        return min(1.0, max(0.0, float(text))) if text else default
    except ValueError:
        return default


def read_statement(subject: str, line: str, fields: Mapping[str, str]) -> NewFact:
    """Read a statement from a line that may carry its date and fields, as `add` and the inbox give it."""
    parts = read_entry(line)
    found = {**{field.key: field.value for field in reversed(parts.fields)}, **fields}
    keys = ("predicate", "type", "priority", "source", "episode", "supersedes", "ends", "why")
    taken = {key: found.pop(key, "") for key in keys}
    importance, confidence = found.pop("importance", None), found.pop("confidence", None)
    return NewFact(
        subject,
        taken["predicate"],
        statement(line, parts),
        type=taken["type"],
        date=parts.date.value.isoformat() if parts.date and parts.date.value else "",
        source=taken["source"],
        importance=None if importance is None else _share(importance, 0.5),
        confidence=None if confidence is None else _share(confidence, 0.5),
        priority=taken["priority"],
        replaces=taken["ends"] or taken["supersedes"],
        effect="end" if taken["ends"] else "",
        is_update=bool(taken["supersedes"]),
        episode=taken["episode"],
        fields=found,
    )


def dated_statement(line: str, day: str, today: str) -> tuple[str, str]:
    """Return the day of a statement and its text.

    A date before a colon is the day on which it was said, unless it is yet to come or another one is given. Any other
    date belongs to the text: «2019-06-12 the shop opened».
    """
    parts = read_entry(line)
    text = statement(line, parts)
    if parts.date is None:
        return day, text
    said = parts.date.value.isoformat() if parts.date.value else ""
    is_prefix = line[: parts.body.start].rstrip().endswith(_JOINTS)
    if is_prefix and "" < said <= today and day in ("", said):
        return said, text
    begin = parts.checkbox.end if parts.checkbox else parts.tick.end if parts.tick else 0
    return day, f"{line[begin : parts.body.start]}{text}".strip()


def write_line(item: NewFact, text: str, words: FactWords, lang: str, ident: str = "") -> str:
    """Return the line of a statement; raises UsageError for a value that no field can hold."""
    confidence = words.numbers.get("confidence", 0.5) if item.confidence is None else item.confidence
    values = {
        "predicate": " ".join(item.predicate.split()),
        "type": item.type,
        "priority": item.priority,
        "importance": "" if item.importance is None else f"{item.importance:g}",
        "confidence": f"{confidence:g}",
        "source": item.source,
        "episode": item.episode,
    }
    fields = {key: values[key] for key in _ORDER if values[key]} | dict(item.fields or {})
    line = f"{item.date}{say(lang, 'punctuation.colon')}{text}"
    return content(line, fields, EntryRule()).text + (f" ^{ident}" if ident else "")


def with_fields(text: str, fields: Mapping[str, str]) -> str:
    """Return a line with these fields: in the place of those of the same name, or behind the others."""
    for key, value in fields.items():
        known = read_entry(text).field(key)
        if known is None:
            text = content(text, {key: value}, EntryRule()).text
        else:
            text = f"{text[: known.span.start]}[{key}:: {value}]{text[known.span.end :]}"
    return text


class _FactLine:
    """One line of the file as it will be: the entry that it stands in, or the line before which it is inserted."""

    def __init__(
        self, text: str, fact: Fact, entry: Entry | None = None, place: int = -1, elsewhere: Entry | None = None
    ) -> None:
        self.text, self.fact, self.entry = text, fact, entry
        self.elsewhere = elsewhere  # the entry of an earlier file in which the line stands
        self.place = place  # its number in `FactFile._lines`
        self.before: _FactLine | None = None  # an older line that must stand above a newer one

    @property
    def is_inserted(self) -> bool:
        """Whether the file gets the line anew: a new one, or one of an earlier file that has changed."""
        return self.entry is None and (self.elsewhere is None or self.elsewhere.text != self.text)


class FactFile:
    """The facts of one file, changed statement by statement; `edits` gives the change as a whole."""

    def __init__(
        self,
        path: str,
        subject: str,
        document: Document | None,
        template: Template,
        words: FactWords,
        lang: str,
        *,
        by_person: bool = True,
        earlier: Sequence[tuple[str, Document]] = (),
    ) -> None:
        """Bind to a file; a missing or empty one begins as its template, under the name of its subject.

        `earlier` are the full files of the same subject: their lines are known, and one that changes moves here.
        """
        empty = document is None or not document.text.strip("\ufeff \t\r\n")
        self._given = document
        self._base = _begun(template, subject) if empty or document is None else document
        self._empty, self._template, self._words, self._lang = empty, template, words, lang
        self._by_person = by_person
        self.path, self.subject = path, subject
        self._past = template.name(BEFORE) or BEFORE
        self._lines = [self._read(one, entry, section) for one, entry, section in self._outer(earlier)]
        for place, line in enumerate(self._lines):
            line.place = place
        self._earlier = [[line for line in self._lines if line.fact.path == one] for one, _ in earlier]
        self._earlier_documents = [document for _, document in earlier]

    @cached_property
    def _known(self) -> KnownFacts:
        """The facts by predicate and text; the place of each is that of its line."""
        return KnownFacts(self._words, self.facts)

    @cached_property
    def _ids(self) -> set[str]:
        """The ids that are taken."""
        return {fact.id for fact in self.facts}

    def _outer(self, earlier: Sequence[_File]) -> Iterator[tuple[_File, Entry, Section | None]]:
        """Yield the outermost entries of the earlier files and of this one, each with its file and its section."""
        for one in (*earlier, (self.path, self._base)):
            yield from ((one, entry, section) for entry, section in _outer(one[1]))

    def _read(self, file: _File, entry: Entry, section: Section | None) -> _FactLine:
        path, document = file
        owner = owner_of(document, self._template, section)
        past = owner is not None and owner.name == self._past
        fact = read_fact(path, self.subject, entry.text, self._words, line=entry.line + 1, past=past)
        return _FactLine(entry.text, fact, *((entry, -1) if document is self._base else (None, -1, entry)))

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The facts as they are by now."""
        return tuple(line.fact for line in self._lines)

    @property
    def entries(self) -> tuple[tuple[Entry, Fact], ...]:
        """The outermost entries of the file as it was given, each with its fact."""
        return tuple((line.entry, line.fact) for line in self._lines if line.entry is not None)

    def decide(self, item: NewFact, today: str, said_at: SaidAt) -> FactVerdict:
        """Decide about a statement."""
        return decide(self._known, item, today, said_at)

    def apply(self, item: NewFact, text: str, verdict: FactVerdict) -> str:
        """Carry out a decision, and return the id of the line that now says it; empty for a retraction."""
        about = self._lines_of(verdict.lines)
        if verdict.decision == "confirm":
            self._confirm(about[0], item)
            return about[0].fact.id
        if verdict.decision == "retract":
            for line in about:
                self._supersede(line, item.date, why=item.text)
            return ""
        ended = about and self._words.predicate(about[0].fact.predicate) in self._words.endings(item.predicate)
        if about and verdict.decision != "ask" and not ended:  # one predicate keeps one spelling
            item = replace(item, predicate=about[0].fact.predicate or item.predicate)
        ident = _new_id(f"{item.date} {text}", self._ids)
        self._ids.add(ident)
        new = self._line(write_line(item, text, self._words, self._lang, ident), past=False)
        if verdict.decision == "late":
            self._insert_late(new, about[0])
            return ident
        if verdict.decision == "update":
            first, *others = about
            new.entry, first.entry = first.entry, None
            self._put(new, first.place)
            self._put(first)
            for line in (first, *others):
                self._supersede(line, item.date, ident)
        else:
            self._put(new)
        return ident

    def succeed(self, older: Fact, newer: Fact) -> None:
        """End a live line by another one of the file, which holds in its place."""
        (ended,), (by,) = self._lines_of((older,)), self._lines_of((newer,))
        if not by.fact.id:
            self._set_id(by)
        self._supersede(ended, by.fact.date, by.fact.id)

    def _lines_of(self, facts: Iterable[Fact]) -> list[_FactLine]:
        return [self._lines[place] for place in sorted(map(self._known.place, facts))]

    def _put(self, line: _FactLine, place: int = -1) -> None:
        """Set the line of a place; without a place, append the line."""
        if place < 0:
            place = len(self._lines)
            self._lines.append(line)
        self._lines[place], line.place = line, place
        self._known.put(place, line.fact)

    def _line(self, text: str, *, past: bool) -> _FactLine:
        return _FactLine(text, read_fact(self.path, self.subject, text, self._words, line=0, past=past))

    def _set(self, line: _FactLine, fields: Mapping[str, str], *, past: bool) -> None:
        line.text = with_fields(line.text, fields)
        line.fact = read_fact(self.path, self.subject, line.text, self._words, line=line.fact.line, past=past)
        if line.place >= 0:
            self._known.put(line.place, line.fact)

    def _confirm(self, line: _FactLine, item: NewFact) -> None:
        """Raise the confidence of a line, unless it is the same statement of the same source."""
        fact, parts = line.fact, read_entry(line.text)
        if not fact.live or (item.source and item.source == fact.source):
            return
        if not (self._by_person or parts.field("confidence") or parts.field("source")):
            return  # a line as a person writes it stays as it is
        new = max(raised(fact.confidence, self._words.numbers.get("confirmed", 0.0)), item.confidence or 0.0)
        fields = {"confidence": f"{new:g}"} if new > fact.confidence else {}
        known = parts.field("updated")
        if item.date > max(fact.date, known.value if known else ""):
            fields["updated"] = item.date
        self._set(line, fields, past=False)

    def _supersede(self, line: _FactLine, day: str, by: str = "", why: str = "") -> None:
        """Mark a line as superseded, and move it below the older ones.

        Args:
            line: the line.
            day: from which it no longer holds.
            by: the id of the line that took its place.
            why: the sentence that ended it; left out where the line has no room for it.
        """
        line.text = content(one_line(line.text), {}, EntryRule()).text
        said, most = without_brackets(one_line(why)).strip(), self._template.entries.max_chars
        is_told = said and (most is None or len(line.text) + len(said) + _WHY_CHARS <= most)
        fields = {"superseded": day, "superseded_by": by, "why": said if is_told else ""}
        self._set(line, {key: value for key, value in fields.items() if value}, past=True)

    def _insert_late(self, new: _FactLine, live: _FactLine) -> None:
        """Insert an older value into the chain of its predicate: what pointed past it now points to it."""
        chain = [line for line in self._lines_of(self._known.past(new.fact.predicate)) if line.fact.superseded_by]
        after = next((line for line in chain if line.fact.date > new.fact.date and line.fact.id), live)
        if not after.fact.id:
            self._set_id(after)
        for line in chain:
            if line.fact.superseded_by == after.fact.id and line.fact.date <= new.fact.date:
                self._set(line, {"superseded": new.fact.date, "superseded_by": new.fact.id}, past=True)
        self._set(new, {"superseded": after.fact.date, "superseded_by": after.fact.id}, past=True)
        new.before = after if not after.fact.live else None
        self._put(new)

    def _set_id(self, line: _FactLine) -> None:
        ident = _new_id(line.text, self._ids)
        self._ids.add(ident)
        line.text = f"{line.text.rstrip()} ^{ident}"
        self._set(line, {}, past=not line.fact.live)

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits of the file: lines rewritten in place, moved and inserted.

        Raises:
            VerificationError: there is no place where a line would stand as an entry.
        """
        inserted = [line for line in self._lines if line.is_inserted]
        new = [line.text for line in inserted if line.fact.live]
        moved = dict.fromkeys(self._moved())
        old = [line for line in (*moved, *inserted) if not line.fact.live]
        ahead = [line for line in old if line.before and line.before.entry and line.before not in moved]
        made = _edited(self._base, [*self._rewritten(moved), *(_above(self._base, line) for line in ahead)])
        made = _edited(made, self._placed(made, self._template.default, new))
        above = {*ahead}
        rest = [one.text for one in _in_order(old) if one not in above]
        made = _edited(made, self._placed(made, self._past, rest))
        if not self._empty:
            return line_edits(self._base.text, made.text)
        if made is self._base:
            return ()
        start, end = (self._given.start, len(self._given.text)) if self._given else (0, 0)
        return (Edit(Span(start, end), made.text if made.text.endswith("\n") else f"{made.text}\n"),)

    def removed(self) -> Iterator[Sequence[Edit]]:
        """Yield the edits of each earlier file: the lines that have changed leave it."""
        for document, lines in zip(self._earlier_documents, self._earlier, strict=True):
            gone = [line.elsewhere for line in lines if line.elsewhere and line.is_inserted]
            yield remove(document, gone).edits if gone else ()

    def _moved(self) -> list[_FactLine]:
        """Return the lines that stand among the live ones and hold no longer."""
        past = {entry.line for entry, section in _outer(self._base) if self._is_past(section)}
        return [
            line
            for line in self._lines
            if line.entry is not None and not line.fact.live and line.entry.line not in past
            and line.text != line.entry.text
        ]  # fmt: skip

    def _is_past(self, section: Section | None) -> bool:
        owner = owner_of(self._base, self._template, section)
        return owner is not None and owner.name == self._past

    def _rewritten(self, gone: Collection[_FactLine]) -> Iterator[Edit]:
        if taken := [line.entry for line in gone if line.entry is not None]:
            yield from remove(self._base, taken).edits
        for line in self._lines:
            if line.entry is not None and line not in gone and line.text != line.entry.text:
                yield Edit(line.entry.text_span, line.text)

    def _placed(self, document: Document, name: str, texts: Sequence[str]) -> list[Edit]:
        """Return the edit that appends lines to a section, which is made where the file has none."""
        if not texts:
            return []
        target = find_section(document, self._template, name) if name else None
        if isinstance(target, SectionSpec):
            return [make_section(document, self._template, target, texts)]
        return [append(document, insertion_region(document, target), texts)]


def _edited(document: Document, edits: Sequence[Edit]) -> Document:
    return edited_document(document, edits) if edits else document


def line_edits(old: str, new: str) -> tuple[Edit, ...]:
    """Return the edits of whole lines that make one text of another; a long stretch of changes is one edit."""
    found: list[Edit] = []
    for edit in smallest(old, new):
        was, now = edit.span.of(old).splitlines(keepends=True), edit.new.splitlines(keepends=True)
        if len(was) + len(now) > _COMPARED:
            return (edit,)
        offsets = [*accumulate(map(len, was), initial=edit.span.start)]
        for kind, first, last, begin, end in SequenceMatcher(None, was, now, autojunk=False).get_opcodes():
            if kind != "equal":
                found.append(Edit.replace(offsets[first], offsets[last], "".join(now[begin:end])))
    return tuple(found)


def _in_order(lines: Sequence[_FactLine]) -> list[_FactLine]:
    """Return lines with those that must stand above another one in front of it."""
    found: list[_FactLine] = []
    for line in lines:
        if line.before is None or line.before not in found:
            found.append(line)
        else:
            found.insert(found.index(line.before), line)
    return found


def _above(document: Document, line: _FactLine) -> Edit:
    """Return the edit that inserts a line above the entry of another one, under the same bullet."""
    if line.before is None or line.before.entry is None:
        raise AssertionError("the line has no place")
    entry = line.before.entry
    start = document.lines.start(entry.line)
    return Edit.insert(start, f"{document.text[start : entry.text_span.start]}{line.text}{document.lines.ending}")


def _outer(document: Document) -> Iterator[tuple[Entry, Section | None]]:
    """Yield the outermost entries with their sections; entries above the first heading have none."""
    owned: dict[int, Section] = {entry.line: section for section in document.sections for entry in section.entries}
    for entry in document.entries:
        if not entry.depth and entry.text.strip():
            yield entry, owned.get(entry.line)


def _begun(template: Template, subject: str) -> Document:
    """Return the document that a new file begins with: the template, under the name of its subject."""
    document = parse(template.text.encode("utf-8", "surrogateescape"))
    title = next((section for section in document.sections if section.level == 1), None)
    if title is None:
        return document
    return edited_document(document, rename_section(document, title, subject).edits)


def _new_id(text: str, taken: Container[str]) -> str:
    """Return a short id that no other line has; one day may say the same many times, with other values between."""
    said = (f"{text}{number or ''}".encode("utf-8", "surrogatepass") for number in count())
    names = (f"f{blake2b(one, digest_size=16).hexdigest()[:size]}" for one in said for size in range(*_ID_CHARS))
    return next(name for name in names if name not in taken)


def document_facts(
    path: str, document: Document, template: Template, words: FactWords, subject: str
) -> tuple[Fact, ...]:
    """Return the facts of a document, in the order of its lines."""
    return FactFile(path, subject, document, template, words, "en").facts


def title_of(document: Document) -> str:
    """Return the title of a facts file, the name of its subject; empty if it has none."""
    return next((section.title.strip() for section in document.sections if section.level == 1), "")
