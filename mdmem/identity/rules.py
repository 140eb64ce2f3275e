"""Shorten an identity file by rules: lines stay word for word, or leave as a whole. Pure.

Comments, front matter, code, tables and sections of examples leave. List items stay, and of prose the sentences that
are rules. A heading stays with its lines, for it may be what makes a prohibition of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from mdmem.formats.limits import owner_of
from mdmem.formats.placeholders import boilerplate, folded_line, is_bracketed, is_label, is_placeholder
from mdmem.formats.template import Template, fold
from mdmem.identity.model import CompileSpec, IdentityLine, IdentitySection, IdentityText
from mdmem.settings.generated_tables import CompileSettings
from mdmem.settings.phrases import any_of
from mdmem.text.blocks import Block
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import strip_fields
from mdmem.text.inline import mask, one_line, without_residue
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_NOISE = ("fence", "code", "table", "rule", "heading")  # blocks that are no lines of the text
_TAGS = pattern(r"\s*(?:</?[A-Za-z][^<>]{0,200}>\s*)+\Z")
_QUOTE = pattern(r"[ \t]*(?:>[ \t]?)+")
_ASIDE = pattern(r"([*_])(?![*_\s])(?:(?!\1)[^\n])*\1\Z")  # a line in italics, as the last line of a template
_BULLET = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_DEEPEST = 6
_CELL = pattern(r"(?<!\\)\|")  # the border between two cells of a table
_DASHES = pattern(r"[|:\s-]+\Z")  # the row below the headings of a table
_LABELLED = pattern(r"[*_]*([^:：*_\n]{1,24})[*_]*[:：]")  # «**Don't**: …»
_NARRATIVE, _NO_ROOM = "compiled", "view"  # why a line leaves


class IdentityChecks(NamedTuple):
    """What the rules ask about a text."""

    clean: Callable[[str], str]  # removes hidden characters and masks secrets
    is_kept: Callable[[str], bool]  # whether it is a rule
    split: Callable[[str], tuple[str, ...]]  # into sentences


class IdentityRules:
    """Shortens texts by the word lists of one workspace."""

    def __init__(self, settings: CompileSettings, checks: IdentityChecks) -> None:
        self.checks = checks
        self._skip, self._examples, self._principles = map(
            _TitleWords, (settings.skip, settings.examples, settings.principles)
        )
        self._exceptions = tuple(map(str.casefold, settings.exceptions))
        self._marks, self._pledges = settings.marks, any_of(settings.pledges)

    def read(self, document: Document, templates: Sequence[Template], spec: CompileSpec) -> IdentityText:
        """Return the text of a source; `templates` are those of its kind, its own language first."""
        return _Reader(self, document, templates, spec).read()

    def is_skipped(self, title: str) -> bool:
        """Return whether a section is about commands or the like: of it only rules stay."""
        return self._skip.is_about(title)

    def is_example(self, title: str) -> bool:
        """Return whether a section holds examples: nothing of it stays."""
        return self._examples.is_about(title)

    def is_principle(self, title: str) -> bool:
        """Return whether all that stands in a section is a rule or a value."""
        return self._principles.is_about(title)

    def is_marked(self, text: str) -> bool:
        """Return whether a text begins with a sign for what to do or not to do: «❌ guess a number»."""
        return text.lstrip().startswith(self._marks)

    def is_rule(self, text: str) -> bool:
        """Return whether a text is a rule by itself, whatever it stands below.

        In a file about its writer so is what he says that he always or never does: «I never leave a rope untied».
        """
        label = _LABELLED.match(text)
        return (
            self.is_marked(text)
            or self.checks.is_kept(text)
            or self._pledges.search(text.replace("’", "'")) is not None
            or bool(label and self._principles.has(label.group(1)))
        )

    def continues(self, sentence: str) -> bool:
        """Return whether a sentence limits the one before it, which would say too much alone."""
        return sentence.casefold().lstrip("\"'“‘（(").startswith(self._exceptions)


class _TitleWords:
    """Recognizes titles that begin or end with one of some phrases; a phrase of one character is a whole title."""

    def __init__(self, phrases: Iterable[str]) -> None:
        self._phrases = frozenset(map(_title_words, phrases))
        self._dense = tuple(one for (one, *rest) in self._phrases if not rest and len(one) > 1 and not one.isascii())

    def has(self, title: str) -> bool:
        """Return whether a title is one of the phrases."""
        return _title_words(title) in self._phrases

    def is_about(self, title: str) -> bool:
        """Return whether a title begins or ends with one of the phrases."""
        words = _title_words(title)
        parts = ((words[:count], words[-count:]) for count in range(1, len(words) + 1))
        if any(part in self._phrases for some in parts for part in some if len(words) == 1 or len(part[0]) > 1):
            return True
        whole = "".join(words)
        return whole.startswith(self._dense) or whole.endswith(self._dense)


def _title_words(title: str) -> tuple[str, ...]:
    """Return the words of a title, without signs and in one case."""
    return tuple(word for one in title.split() if (word := fold(one))) or (title.strip(),)


class _Draft:
    """A section while it is read."""

    def __init__(self, title: str, level: int, parent: int | None) -> None:
        self.title, self.level, self.parent = title, level, parent
        self.kept = False  # all its lines are rules
        self.skipped = False  # its lines leave, unless they are rules
        self.example = False  # all its lines leave
        self.foreign = False  # another target takes it
        self.lines: list[IdentityLine] = []


class _Reader:
    """Reads one document."""

    def __init__(
        self, rules: IdentityRules, document: Document, templates: Sequence[Template], spec: CompileSpec
    ) -> None:
        self._rules, self._document, self._templates, self._spec = rules, document, templates, spec
        self._boilerplate = boilerplate(templates)
        self._text = mask(document.text, sorted(comment.span for comment in document.comments), " ")
        noise = (block for block in document.blocks if block.kind in _NOISE)
        self._noise = {line for block in noise for line in range(block.line, block.last_line + 1)}
        self._tables = {block.line: block for block in document.blocks if block.kind == "table"}
        self._drafts = [_Draft("", 0, None)]
        self._drafts[0].foreign = bool(spec.only)
        self._draft = self._drafts[0]  # where lines go: the section at hand, or the list below a label in it
        self._place = 0  # the index of that section
        self._prose: list[tuple[str, int]] = []  # the rows of the paragraph at hand, with their lines

    def read(self) -> IdentityText:
        document, places = self._document, list[int]()  # places: the index of each section's draft
        self._body(document.preamble, [one for one in document.entries if document.preamble.holds(one.marker)])
        for section in document.sections:
            places.append(len(self._drafts))
            self._begin(section, None if section.parent is None else places[section.parent])
            self._body(section.body, section.entries)
        sections = tuple(
            IdentitySection(one.title, one.level, one.parent, () if one.foreign else tuple(one.lines))
            for one in self._drafts
        )
        return _with_prose(IdentityText(sections))

    def _begin(self, section: Section, parent: int | None) -> None:
        """Begin the section of a heading."""
        title = self._clean(section.title_span.of(self._text))
        name = self._name(section)
        draft = _Draft(title, section.level, parent)
        above = self._drafts[parent] if parent is not None else None
        draft.kept = self._rules.is_principle(title) or bool(above and above.kept and above.level > 1)
        draft.skipped = not draft.kept and (self._rules.is_skipped(title) or bool(above and above.skipped))
        draft.example = not draft.kept and (self._rules.is_example(title) or bool(above and above.example))
        if self._spec.only or self._spec.without:
            draft.foreign = (name in self._wanted) != bool(self._spec.only)
        is_part = bool(self._spec.only) and name in self._wanted and self._templates[0].named(section) == name
        if is_part or (section.level == 1 and f"#{folded_line(section.title)}" in self._boilerplate):
            draft.title, draft.level = "", 0  # the title of the part says it
        self._drafts.append(draft)

    @property
    def _wanted(self) -> set[str]:
        """The names of the sections that the target takes, or leaves to another."""
        return {self._templates[0].name(alias) or alias for alias in (*self._spec.only, *self._spec.without)}

    def _name(self, section: Section) -> str:
        owner = owner_of(self._document, self._templates[0], section)
        return owner.name if owner else ""

    def _body(self, body: Span, entries: Sequence[Entry]) -> None:
        """Read what stands below a heading."""
        self._draft = home = self._drafts[-1]
        self._place = len(self._drafts) - 1
        if body.end <= body.start:
            return
        lines, found = self._document.lines, {entry.line: entry for entry in entries if not entry.depth}
        line, last = lines.at(body.start), lines.at(max(body.start, body.end - 1))
        while line <= last:
            entry = found.get(line)
            if table := self._tables.get(line):
                self._flush(home)
                self._table(home, table)
                line = table.last_line
            elif entry:
                self._flush(home, is_before_list=True)
                self._entry(entry)
                line = entry.last_line
            else:
                span = lines.span(line)
                self._row(home, Span(max(span.start, body.start), min(span.end, body.end)).of(self._text), line)
            line += 1
        self._flush(home)

    def _row(self, home: _Draft, row: str, line: int) -> None:
        """Take a row of a paragraph, or end the paragraph."""
        bare = _QUOTE.sub("", row, count=1).strip()
        if line in self._noise or not bare or _TAGS.match(bare):
            if self._prose and not is_label(self._prose[-1][0]):  # a blank line may part a label from its list
                self._flush(home)
        elif not self._is_form(bare):
            if self._rules.is_marked(bare):
                self._flush(home)
            self._prose.append((bare, line))

    def _is_form(self, row: str) -> bool:
        """Return whether a row is part of a form, or a remark about the file in italics."""
        if folded_line(row) in self._boilerplate or is_placeholder(row) or is_bracketed(row):
            return True
        return bool(_ASIDE.match(row)) and not (self._draft.kept or self._rules.is_rule(row))

    def _table(self, home: _Draft, table: Block) -> None:
        """Read the columns of a table whose headings are those of dos and don'ts; the others leave."""
        lines = self._document.lines
        rows = [(line, lines.span(line).of(self._text)) for line in range(table.line, table.last_line + 1)]
        cells = [(line, _cells(row)) for line, row in rows if not _DASHES.match(row.strip())]
        for column, head in enumerate(cells[0][1] if cells else ()):
            if self._rules.is_principle(self._clean(head)):
                self._label(home, head)
                for line, some in cells[1:]:
                    self._add(some[column] if column < len(some) else "", line, "-")
        self._draft = home

    def _entry(self, entry: Entry) -> None:
        """Add a list item with what is nested in it; placeholders leave."""
        lines, marker = self._document.lines, entry.marker
        column = marker.start - lines.start(entry.line)
        rows: list[str] = []
        for line in range(entry.line, entry.last_line + 1):
            if line in self._noise:
                continue
            is_first = line == entry.line
            row = self._text[marker.end : lines.end(line)] if is_first else lines.span(line).of(self._text)[column:]
            clean = self._rules.checks.clean(row) if "::" in row else row  # a field may be what tells a password
            row = strip_fields(clean, (), ids=False).rstrip()
            bare = row.strip() if is_first else _BULLET.sub("", row, count=1).strip()
            if bare and not is_placeholder(bare) and folded_line(bare) not in self._boilerplate:
                rows.append(bare if is_first else row)
        if rows and not (len(rows) == 1 and is_label(rows[0])):
            mark = marker.of(self._document.text).strip() if entry.ordered else "-"
            self._add("\n".join(rows), entry.line, mark)

    def _flush(self, home: _Draft, *, is_before_list: bool = False) -> None:
        """Add the sentences of a paragraph; a label above a list becomes the heading of the list."""
        rows, self._prose = self._prose, []
        label = rows.pop()[0] if rows and is_before_list and is_label(rows[-1][0]) else ""
        if rows:
            self._draft = home
            self._sentences(rows)
        if label:
            self._label(home, label)

    def _label(self, home: _Draft, label: str) -> None:
        title = self._clean(label).strip(" \t*_:：")
        draft = _Draft(title, min(_DEEPEST, max(2, home.level + 1)), self._place)
        draft.kept = home.kept or self._rules.is_rule(label) or self._rules.is_principle(title)
        draft.skipped, draft.example, draft.foreign = home.skipped, home.example, home.foreign
        self._drafts.append(draft)
        self._draft = draft

    def _sentences(self, rows: Sequence[tuple[str, int]]) -> None:
        """Add the sentences of a paragraph; those that are neither a rule nor a value leave with the narrative."""
        draft, line, before = self._draft, rows[0][1], False
        if self._rules.is_marked(rows[0][0]):
            self._add(one_line("\n".join(row for row, _ in rows)), line, "-")
            return
        for sentence in self._rules.checks.split(one_line("\n".join(row for row, _ in rows))):
            bare = _BULLET.sub("", sentence, count=1)
            is_rule = self._rules.is_rule(bare)
            if before and draft.lines and self._rules.continues(bare):
                last = draft.lines[-1]
                draft.lines[-1] = last._replace(text=self._clean(one_line(f"{last.text}\n{bare}")))
            else:
                self._add(bare, line, "-", is_prose=not (is_rule or self._spec.has_prose))
                before = True

    def _add(self, text: str, line: int, marker: str, *, is_prose: bool = False) -> None:
        """Add a line; of prose below a heading of principles, what is no rule by itself is a value."""
        clean, draft = self._clean(text), self._draft
        if clean.strip(" \t\r\n-*_|"):
            is_rule = self._rules.is_rule(clean)
            left = draft.example or (is_prose and not draft.kept) or (draft.skipped and not (draft.kept or is_rule))
            is_value = is_prose and not is_rule
            draft.lines.append(
                IdentityLine(
                    clean, line + 1, draft.kept or is_rule, marker, _NARRATIVE if left else "", is_value=is_value
                )
            )

    def _clean(self, text: str) -> str:
        return without_residue(self._rules.checks.clean(text)).strip()


def _with_prose(text: IdentityText) -> IdentityText:
    """Return a text with its prose, if it has nothing but prose: it is all that there is to say."""
    if any(not line.why for line in text.lines):
        return text
    return IdentityText(
        tuple(
            section._replace(lines=tuple(line._replace(why="") for line in section.lines)) for section in text.sections
        )
    )


def choose(text: IdentityText, tokens: int, count: Callable[[str], int]) -> IdentityText:
    """Return a text with the lines that find room: rules, then values, of both the long ones, then the rest in order.

    The first rule stays even if there is no room for it.
    """
    places = [
        (at, number) for at, one in enumerate(text.sections) for number, line in enumerate(one.lines) if not line.why
    ]
    lines = {place: text.sections[place[0]].lines[place[1]] for place in places}
    order = sorted(places, key=lambda place: (*lines[place].rank, place))
    stay: set[tuple[int, int]] = set()
    headed: set[int] = set()
    for place in order:
        section = text.sections[place[0]]
        heading = f"{'#' * section.level} {section.title}\n\n" if section.title and place[0] not in headed else ""
        cost = count(f"{heading}{lines[place].item}\n")
        if cost <= tokens or (lines[place].kept and not stay):
            stay.add(place)
            headed.add(place[0])
            tokens -= cost
    return IdentityText(
        tuple(
            section._replace(
                lines=tuple(
                    line if line.why or (at, number) in stay else line._replace(why=_NO_ROOM)
                    for number, line in enumerate(section.lines)
                )
            )
            for at, section in enumerate(text.sections)
        )
    )


def _cells(row: str) -> list[str]:
    """Return the cells of a row of a table."""
    return [cell.strip() for cell in _CELL.split(row.strip().removeprefix("|").removesuffix("|"))]
