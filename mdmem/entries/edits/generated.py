"""Write the generated lines of a file; what a person wrote or changed stays, word for word. Pure.

Each section has at most one block of generated lines, between `<!-- mdmem:auto NAME -->` and its closing mark. A line
of a block that mdmem did not write is a person's: it moves below the block.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from mdmem.entries.edits.content import content
from mdmem.entries.edits.placement import make_section
from mdmem.errors import UsageError
from mdmem.formats.limits import owner_of, size
from mdmem.formats.template import EntryRule, SectionSpec, Template
from mdmem.text.document import AutoBlock, Document, Entry, Section, parse
from mdmem.text.edit import Edit, apply_edits
from mdmem.text.entry import read_entry
from mdmem.text.inline import one_line
from mdmem.text.pattern import pattern
from mdmem.text.similarity import comparison_key, is_near_duplicate_of_any
from mdmem.text.spans import Lines, Span

_CLOSE = "<!-- /mdmem:auto -->"
_ITEM = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_FRAME = len(f"<!-- mdmem:auto  -->\n{_CLOSE}\n\n")  # and the name of the block
_BULLET = len("- \n")
_HEAD = len("### \n\n<!--  -->\n\n\n")  # of a section that is made


class BlockSpec(NamedTuple):
    """The generated blocks of one kind of file."""

    name: str
    sections: tuple[str, ...]  # where they stand, by aliases that the templates of all languages have
    newest: tuple[str, ...] = ()  # sections in which the last lines are the ones to keep; elsewhere the first
    field: str = "source"  # of a generated line: it says where the line comes from


class GeneratedLine(NamedTuple):
    """One generated entry."""

    text: str
    source: str = ""  # the value of that field; empty if it is not known


GeneratedLines: TypeAlias = Mapping[str, tuple[GeneratedLine, ...]]  # by section


class WrittenLines(NamedTuple):
    """What the history tells of the lines that mdmem generated in a file."""

    written: frozenset[str]  # all of them, each as the text of its entry
    removed: frozenset[str]  # the keys of those that somebody else removed or changed
    is_known: bool  # the history has a change of the file by mdmem


def line_key(text: str) -> str:
    """Return what a line says, without its fields: by this a line is recognized."""
    parts = read_entry(text)
    return comparison_key(parts.body.of(text).strip() or text)


def body(text: str) -> str:
    """Return the text of an entry with its date and without its fields."""
    parts = read_entry(text)
    return one_line(text[: parts.body.end]).strip()


def entry_text(line: GeneratedLine, field: str = "source") -> str:
    """Return a generated line as the text of an entry."""
    try:
        return content(line.text, {field: line.source} if line.source else {}, EntryRule()).text
    except UsageError:  # a field cannot name a session whose file has brackets in its name
        return content(line.text, {}, EntryRule()).text


def section_names(template: Template, sections: Sequence[str]) -> dict[str, str]:
    """Return the titles of the sections in a template."""
    return {alias: template.name(alias) or alias for alias in sections}


def has_open_block(document: Document) -> bool:
    """Return whether a mark of a generated block stands without its other half."""
    depth = 0
    for closing, _, _ in document.auto_marks:
        depth += -1 if closing else 1
        if depth not in (0, 1):
            return True
    return depth != 0


def section_parts(document: Document, template: Template, name: str) -> tuple[Section, ...]:
    """Return the headings of a section, and those below it."""
    owners = ((one, owner_of(document, template, one)) for one in document.sections)
    return tuple(one for one, owner in owners if owner and owner.name == name)


def blocks(document: Document, name: str, sections: Sequence[Section]) -> tuple[AutoBlock, ...]:
    """Return the generated blocks that stand in some sections."""
    ours = (one for one in document.auto_blocks if one.name == name)
    return tuple(one for one in ours if any(section.body.holds(one.span) for section in sections))


def block_texts(document: Document, name: str) -> frozenset[str]:
    """Return the entries in the generated blocks of a file, whatever their sections are called."""
    ours = [one.body for one in document.auto_blocks if one.name == name]
    return frozenset(entry.text for entry in document.entries if any(one.holds(entry.marker) for one in ours))


class _PlannedSection(NamedTuple):
    """What becomes of one section."""

    name: str
    first: Section | None  # where it stands; None if it is missing
    blocks: tuple[AutoBlock, ...]
    moved: tuple[str, ...]  # the lines of its blocks that a person wrote, as they stand in the file


class GeneratedSections:
    """The edits that give the sections of a file their generated lines."""

    def __init__(
        self, document: Document, template: Template, spec: BlockSpec, known: WrittenLines, near: float
    ) -> None:
        """Bind to a file; `near` is the share of common words from which two lines say the same."""
        self._document, self._template, self._spec, self._known, self._near = document, template, spec, known, near
        self._open = f"<!-- mdmem:auto {spec.name} -->"
        self._sections = {alias: self._plan(name) for alias, name in section_names(template, spec.sections).items()}
        self._by_hand = [body(entry.text) for entry in self._hand_entries()]
        self._by_hand += [_bare(line) for plan in self._sections.values() for line in plan.moved]

    def _plan(self, name: str) -> _PlannedSection:
        sections = section_parts(self._document, self._template, name)
        inside = blocks(self._document, self._spec.name, sections)
        moved = tuple(line for block in inside for line in self._foreign_lines(block.body))
        return _PlannedSection(name, sections[0] if sections else None, inside, moved)

    def _foreign_lines(self, span: Span) -> Iterator[str]:
        """Yield the lines of a block that a person wrote or continued, with the blank lines between them."""
        waiting: list[str] = []
        is_begun = False
        rows = _rows(span.of(self._document.text))
        for index, line in enumerate(rows):
            is_ours = bool(line.strip()) and self._is_ours(line) and not self._is_continued(rows, index + 1)
            if is_ours:
                waiting, is_begun = [], False
            elif not line.strip():
                waiting += [line] if is_begun else []
            else:
                yield from waiting
                yield line
                waiting, is_begun = [], True

    def _is_continued(self, rows: Sequence[str], start: int) -> bool:
        """Return whether the rows from `start` on begin with one that a person indented below the line before."""
        below = next((rows[index] for index in range(start, len(rows)) if rows[index].strip()), "")
        return below[:1] in (" ", "\t") and not self._is_ours(below)

    def _is_ours(self, line: str) -> bool:
        text = _bare(line)
        if not _ITEM.match(line) or (self._known.is_known and text not in self._known.written):
            return False
        return text in self._known.written or read_entry(text).field(self._spec.field) is not None

    def moved(self) -> tuple[str, ...]:
        """Return the lines of the blocks that a person wrote, as entries."""
        return tuple(bare for plan in self._sections.values() for line in plan.moved if (bare := _bare(line)))

    def _hand_entries(self) -> Iterator[Entry]:
        ours = [one.span for one in self._document.auto_blocks if one.name == self._spec.name]
        return (one for one in self._document.entries if not any(span.holds(one.marker) for span in ours))

    def wanted(self, lines: GeneratedLines, shares: Mapping[str, float]) -> dict[str, tuple[GeneratedLine, ...]]:
        """Return the lines that are written: none that a person has, or has taken out, and no more than fit.

        Args:
            lines: the generated lines of each section.
            shares: the part of the file's room that each section may take, 0 to 1; what one leaves, the next ones get.
        """
        room = self._room()
        welcome = {
            alias: [one for one in lines.get(alias, ()) if self._is_welcome(one)] for alias in self._spec.sections
        }
        found = {alias: self._fitting(some, int(room * shares[alias]), alias) for alias, some in welcome.items()}
        left = room - sum(map(self._size, found.values()))
        for alias, some in welcome.items():
            if len(found[alias]) < len(some):
                own = self._size(found[alias])
                found[alias] = self._fitting(some, own + left, alias)
                left -= self._size(found[alias]) - own
        return found

    def _size(self, lines: Sequence[GeneratedLine]) -> int:
        """Return the characters of a block with these lines."""
        own = (len(entry_text(one, self._spec.field)) + _BULLET for one in lines)
        return _FRAME + len(self._spec.name) + sum(own) if lines else 0

    def _fitting(self, lines: Sequence[GeneratedLine], room: int, alias: str) -> tuple[GeneratedLine, ...]:
        """Return the lines that fit: the last ones of what is told in time, else the first ones."""
        newest = alias in self._spec.newest
        kept: list[GeneratedLine] = []
        room -= _FRAME + len(self._spec.name)
        for one in reversed(lines) if newest else lines:
            room -= len(entry_text(one, self._spec.field)) + _BULLET
            if room < 0:
                break
            kept.append(one)
        return tuple(reversed(kept) if newest else kept)

    def _is_welcome(self, line: GeneratedLine) -> bool:
        if line_key(line.text) in self._known.removed:
            return False
        return not is_near_duplicate_of_any(line.text, self._by_hand, self._near)

    def _room(self) -> int:
        """Return the characters that the file has for generated blocks; a template without a limit sets none."""
        most = self._template.file.max_chars
        if most is None:
            return sys.maxsize
        planned = self.edits(dict.fromkeys(self._spec.sections, ()))
        bare = parse(apply_edits(self._document.text, planned).encode("utf-8", "surrogateescape"))
        missing = [self._template.spec(plan.name) for plan in self._sections.values() if plan.first is None]
        return max(0, most - size(bare).chars - sum(len(spec.name) + len(spec.doc) + _HEAD for spec in missing if spec))

    def edits(self, lines: GeneratedLines) -> tuple[Edit, ...]:
        """Return the edits; a section that is missing is made with its first line.

        Raises:
            VerificationError: a missing section cannot be made.
        """
        found: list[Edit] = []
        for alias, plan in self._sections.items():
            found += self._section_edits(plan, [entry_text(one, self._spec.field) for one in lines.get(alias, ())])
        return tuple(found)

    def _section_edits(self, plan: _PlannedSection, texts: Sequence[str]) -> Iterator[Edit]:
        ending = self._document.lines.ending
        new = [self._open, *(f"- {text}" for text in texts), _CLOSE] if texts else []
        if plan.blocks:
            first, *others = plan.blocks
            yield self._replaced(first.span, new, plan.moved)
            yield from (self._replaced(one.span, (), ()) for one in others)
        elif new and plan.first is not None:
            yield self._inserted(plan.first, ending.join(new))
        elif new and (spec := self._template.spec(plan.name)):
            yield self._made(spec, texts)

    def _replaced(self, span: Span, new: Sequence[str], moved: Sequence[str]) -> Edit:
        """Return the edit that puts lines in place of a block; a block without lines takes its blank line along."""
        lines, ending = self._document.lines, self._document.lines.ending
        first, last = lines.at(span.start), lines.at(span.end)
        start, end = lines.start(first), lines.end(last)
        follower = lines.text(last + 1) if last + 1 < len(lines) else ""
        rows = [*new, *moved]
        if moved and follower.strip() and not _ITEM.match(follower):
            rows.append("")
        if rows:
            return Edit.replace(start, end, ending.join(rows))
        is_apart = last + 1 >= len(lines) or not follower.strip()
        if is_apart and first > 0 and lines.is_blank(first - 1):
            start = lines.start(first - 1)
        return Edit.replace(start, lines.full(last).end, "")

    def _inserted(self, section: Section, block: str) -> Edit:
        """Return the edit that inserts a block at the beginning of a section, below the comment that documents it."""
        lines, ending = self._document.lines, self._document.lines.ending
        line = lines.at(section.heading.end)
        comments = [one.span for one in self._document.comments if section.body.holds(one.span)]
        marks = {span for _, _, span in self._document.auto_marks}
        for span in comments:
            between = self._document.text[lines.end(line) : span.start]
            if span in marks or between.strip():
                break
            line = lines.at(span.end)
        at = lines.end(line)
        follower = lines.text(line + 1) if line + 1 < len(lines) else ""
        return Edit.insert(at, f"{ending * 2}{block}{ending if follower.strip() else ''}")

    def _made(self, spec: SectionSpec, texts: Sequence[str]) -> Edit:
        """Return the edit that makes a section with a block in it."""
        edit = make_section(self._document, self._template, spec, texts)
        rows, ending = edit.new.split(self._document.lines.ending), self._document.lines.ending
        at = next(index for index, row in enumerate(rows) if _ITEM.match(row) and row.endswith(texts[0]))
        rows[at : at + len(texts)] = [self._open, *(f"- {text}" for text in texts), _CLOSE]
        return edit._replace(new=ending.join(rows))


def _rows(text: str) -> list[str]:
    lines = Lines(text)
    return [lines.text(line) for line in range(len(lines))]


def _bare(line: str) -> str:
    """Return a line of a list without its bullet."""
    found = _ITEM.match(line)
    return (line[found.end() :] if found else line).strip()
