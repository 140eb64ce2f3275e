"""Turn memory files into material, and cut a file to its view; blank older entries of long files before parsing."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from mdmem.context.cuts import CUTS, CutOptions
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pick, pieces
from mdmem.context.pack import PartSource, Style, fit, render
from mdmem.context.recipe import RecipePart
from mdmem.formats.placeholders import folded_line
from mdmem.formats.template import Template, TemplateView
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import EntryParts, strip_fields
from mdmem.text.inline import without_residue
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BULLET = "- "


def blank_older(text: str, chars: int, is_kept: Callable[[str], bool]) -> tuple[str, tuple[int, ...]]:
    """Return a text with the lines of its older entries emptied, and the numbers (0-based) of these lines.

    About the last `chars` characters stay, and before them headings, comments and rules. Line numbers do not change. A
    file with anything else there, such as prose or code, is returned unchanged.

    Args:
        text: the file.
        chars: characters at the end that stay.
        is_kept: returns whether an entry is a rule.
    """
    cut = text.find(f"\n{_BULLET}", max(0, len(text) - chars))
    if len(text) <= chars or cut < 0 or "\r" in text:
        return text, ()
    lines = text[: cut + 1].split("\n")
    begin = _body(lines)
    blank: list[int] = []
    for number, line in enumerate(lines[begin:], begin):
        if line.startswith(_BULLET):
            if not is_kept(line[len(_BULLET) :]):
                blank.append(number)
                lines[number] = ""
        elif line.strip() and not (line.startswith("#") or _is_comment(line)):
            return text, ()
    return "\n".join(lines) + text[cut + 1 :], tuple(blank)


def _is_comment(line: str) -> bool:
    return line.startswith("<!--") and line.find("-->") == len(line.rstrip()) - 3


def _body(lines: list[str]) -> int:
    """Return the number of the first line after the front matter."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), len(lines))


_MARKERS = pattern(r"\A([-*+] )(?:[-*+] +)+(?=\S)")
_INK = pattern(r"\S")


class EntryView(NamedTuple):
    """What a part shows of the entries of a file."""

    fields: tuple[str, ...] = ()
    ids: bool = False
    kept: bool = False  # every entry counts as a rule
    expired: frozenset[int] = frozenset()  # lines (0-based) of expired entries
    focus: int | None = None  # line (0-based) of the current step
    shown_sources: frozenset[str] = frozenset()  # sources that another part shows; entries with these are omitted
    outdated: Callable[[str], str] = lambda _: ""  # what a reader of an entry is told, if it no longer holds


class _Unit(NamedTuple):
    """Lines of a section that belong together."""

    span: Span
    line: int
    last: int
    entry: Entry | None  # None for prose or code


def read_file(
    document: Document,
    templates: Iterable[Template],
    path: str,
    view: EntryView,
    checks: ContentChecks,
    template_lines: frozenset[str],
) -> Material:
    """Return a file as material; `templates` are those of its kind, `known` the lines that are part of them."""
    return _MaterialReader(document, tuple(templates), path, view, checks, template_lines).read()


class _MaterialReader:
    def __init__(
        self, document: Document, templates: tuple[Template, ...], path: str, view: EntryView, checks: ContentChecks,
        template_lines: frozenset[str],
    ) -> None:  # fmt: skip
        self.document, self.templates, self.path, self.view, self.checks = document, templates, path, view, checks
        self.template_lines = template_lines
        self.groups: list[MaterialGroup] = []
        self.items: list[MaterialItem] = []
        self.left: list[OmittedItem] = []
        self.starts = [entry.span.start for entry in document.entries]
        self.rules = {block.line for block in document.blocks if block.kind == "rule"}
        self.drops = sorted(comment.span for comment in document.comments)

    def read(self) -> Material:
        outer = [entry for entry in self.document.entries if not entry.depth]
        preamble = self.document.preamble
        self._group(MaterialGroup(self.path), preamble, [one for one in outer if preamble.holds(one.marker)])
        for section in self.document.sections:
            self._section(section)
        self._hidden()
        return Material(tuple(self.groups), tuple(self.items), tuple(self.left))

    def _section(self, section: Section) -> None:
        title = self.checks.clean(self._shown(section.title_span).strip())
        own = _name(self.templates, section.title)
        above = None if section.parent is None else section.parent + 1  # the preamble is the first group
        name = own or (self.groups[above].name if above is not None else "")
        # the title of the file repeats the title of the part
        level = 0 if section.level == 1 and f"#{folded_line(section.title)}" in self.template_lines else section.level
        group = MaterialGroup(self.path, title, level, name, above)
        if any(template.is_retired(section.title) for template in self.templates):
            self.groups.append(group)
            entries = [one for one in section.entries if not one.depth]
            self.left += (
                OmittedItem(self.path, one.line + 1, self.checks.clean(one.text), "retired") for one in entries
            )
            return
        self._group(group, section.body, [entry for entry in section.entries if not entry.depth], section.note)

    def _group(self, group: MaterialGroup, body: Span, entries: list[Entry], note: str = "") -> None:
        self.groups.append(group)
        if note:
            self._add(note, self.document.lines.at(max(0, body.start - 1)) + 1, "\n")
        blank = False
        for unit in self._units(body, entries):
            if unit is None:
                blank = True
                continue
            self._unit(unit, "\n\n" if blank else "\n")
            blank = False

    def _units(self, body: Span, entries: list[Entry]) -> Iterator[_Unit | None]:
        """Yield the units of a section, and None for blank lines."""
        lines = self.document.lines
        blocks = {entry.line: _Unit(entry.span, entry.line, entry.last_line, entry) for entry in entries}
        for fence in self.document.fences:
            if not fence.depth and not fence.quoted and body.holds(fence.span):
                blocks[fence.line] = _Unit(fence.span, fence.line, fence.last_line, None)
        line = lines.at(body.start)
        end = lines.at(max(body.start, body.end - 1)) if body.end > body.start else line - 1
        while line <= end:
            unit = blocks.get(line)
            if unit:
                yield unit
                line = unit.last + 1
                continue
            span = lines.span(line)
            span = Span(max(span.start, body.start), min(span.end, body.end))
            if line not in self.rules:
                shown = self._shown(span)
                if shown.strip():
                    yield _Unit(span, line, line, None)
                elif not span.of(self.document.text).strip():
                    yield None
                    ink = _INK.search(self.document.text, span.end)  # skip further blank lines
                    line = max(line, lines.at(ink.start()) - 1 if ink else end)
            line += 1

    def _unit(self, unit: _Unit, separator: str) -> None:
        source_text = self._shown(unit.span)
        if unit.entry:
            self._entry(unit.entry, source_text, separator)
        elif unit.line < unit.last:
            self._add(source_text, unit.line + 1, separator)
        elif not (folded_line(source_text) in self.template_lines or self.checks.is_placeholder(source_text)):
            self._add(strip_fields(source_text, self.view.fields, ids=self.view.ids), unit.line + 1, separator)

    def _entry(self, entry: Entry, source_text: str, separator: str) -> None:
        source_text = _unmarked(entry, source_text)
        if not source_text.lstrip("-*+ \t\r\n") or self.checks.is_placeholder(entry.text):
            self.left.append(OmittedItem(self.path, entry.line + 1, self.checks.clean(source_text), "placeholder"))
            return
        parts = entry.parts
        why = self._omission(entry, parts)
        if why:
            self.left.append(OmittedItem(self.path, entry.line + 1, self.checks.clean(source_text), why))
            return
        text = _unmarked(entry, self._shown(entry.span, self._hidden_fields(entry, parts)))
        if "predicate" in (field.key for field in parts.fields):  # it may be what tells a password, so it goes last
            rows = self.checks.clean(source_text).split("\n")
            text = "\n".join(strip_fields(row, self.view.fields, ids=self.view.ids) for row in rows)
        if note := self.view.outdated(entry.text):
            first, line_end, rest = text.partition("\n")
            text = f"{first.rstrip()} ({note}){line_end}{rest}"
        if created := self._created(parts):
            at = len(entry.marker.of(self.document.text))
            text = f"{text[:at]} {created}{text[at:]}"
        kept = self.view.kept or self.checks.is_kept(entry.text)
        day = parts.date.value if parts.date else None
        importance = self.checks.importance(entry.text, day)
        focus = self.view.focus is not None and entry.line <= self.view.focus <= entry.last_line
        whole = kept or focus or entry.line == entry.last_line
        repeats = parts.field("fact") is not None
        like = MaterialItem("", 0, 0, "", kept=kept, day=day, importance=importance, focus=focus, repeats=repeats)
        self._add(text, entry.line + 1, separator, like, whole=whole)

    def _omission(self, entry: Entry, parts: EntryParts) -> str:
        """Return why an entry is omitted: expired, told; empty if it is shown."""
        if entry.line in self.view.expired:
            return "expired"
        source = parts.field("source") if self.view.shown_sources else None
        return "told" if source and source.value.strip() in self.view.shown_sources else ""

    def _add(
        self, text: str, line: int, separator: str, like: MaterialItem | None = None, *, whole: bool = False
    ) -> None:
        """Add a text as one item, or long prose as several."""
        raw = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        text = self.checks.clean(raw).rstrip()
        if text != raw:
            self.left.append(OmittedItem(self.path, line, text, "hidden"))  # without the hidden text itself
        text = without_residue(text)
        if not text.strip():
            return
        like = like or MaterialItem("", 0, 0, "", kept=self.view.kept, importance=self.checks.importance(text, None))
        group, offset = len(self.groups) - 1, 0
        for number, (inner, piece) in enumerate([("\n", text)] if whole else pieces(text)):
            at = text.find(piece, offset)
            position = line + text.count("\n", 0, max(0, at))
            offset = max(0, at) + len(piece)
            own = inner if number else separator
            self.items.append(
                like._replace(
                    text=piece, group=group, line=position, source_text=piece, separator=own, position=position
                )
            )

    def _shown(self, span: Span, more: Iterable[Span] = ()) -> str:
        """Return a span of the text without comments, and without the spans in `more`."""
        text, out, at = self.document.text, "", span.start
        first = bisect_left(self.drops, span.start, key=lambda one: one.end)
        hidden = self.drops[first : bisect_left(self.drops, span.end, key=lambda one: one.start)]
        for cut in sorted((*hidden, *more)):
            if cut.end > at:
                out += text[at : max(at, cut.start)]
                at = cut.end
        return (out + text[at : span.end]) if at < span.end else out

    def _hidden_fields(self, entry: Entry, parts: EntryParts) -> Iterator[Span]:
        """Yield the fields and ids of an entry and of its nested ones that the part does not show."""
        text = self.document.text
        begin = bisect_left(self.starts, entry.span.start)
        for index in range(begin, bisect_left(self.starts, entry.span.end)):
            nested = self.document.entries[index]
            own = parts if index == begin else nested.parts
            spans = [field.span for field in own.fields if field.key not in self.view.fields]
            spans += [own.id_span] if own.id_span and not self.view.ids else []
            for span in spans:
                start = nested.text_span.start + span.start
                while start > nested.text_span.start and text[start - 1] in " \t":
                    start -= 1
                yield Span(start, nested.text_span.start + span.end)

    def _created(self, parts: EntryParts) -> str:
        """Return the day of the field `created` if the entry has no other date and the field is not shown."""
        if any(not any(field.span.holds(day.span) for field in parts.fields) for day in parts.dates):
            return ""
        field = parts.field("created")
        return field.value if field and "created" not in self.view.fields else ""

    def _hidden(self) -> None:
        """Report comments that are neither marks nor part of a template; no comment is shown to a model (law 11)."""
        marks = {span for _, _, span in self.document.auto_marks}
        for comment in self.document.comments:
            ours = comment.span in marks or comment.text.strip().startswith("mdmem:")
            if not ours and folded_line(comment.text) not in self.template_lines:
                line = self.document.lines.at(comment.span.start) + 1
                self.left.append(OmittedItem(self.path, line, self.checks.clean(comment.text.strip()), "hidden"))


def _unmarked(entry: Entry, text: str) -> str:
    """Return an entry's lines with a single list marker, for entries such as `- - text`."""
    return text if entry.text.strip() else _MARKERS.sub(r"\1", text, count=1)


def _name(templates: Iterable[Template], title: str) -> str:
    return next((name for template in templates if (name := template.name(title))), "")


def names(template_names: Iterable[str], templates: Iterable[Template]) -> frozenset[str]:
    """Return the template names of sections, as in `MaterialGroup.name`."""
    return frozenset(_name(templates, name) or name for name in template_names)


def part_source(
    material: Material, slot: RecipePart, view: TemplateView, markers: Mapping[str, str], only: frozenset[str],
    without: frozenset[str], reserve: int,
) -> PartSource:  # fmt: skip
    """Return the source of a part: a file that is cut to its view, with the sections that the part shows.

    Args:
        material: the whole file.
        slot: the part.
        view: the view of the file's template; the part may override its characters and cut.
        markers: the markers for omitted items, in one language.
        only: names of the sections that are shown; empty for all except `without`.
        without: names of the sections that other parts show.
        reserve: characters of the titles of all parts that show this file, which count too (F059).
    """
    cut = slot.cut or view.cut or "head"
    head, tail = view.head or 0.0, view.tail or 0.0
    room = slot.max_chars or view.max_chars
    wanted = _wanted(material, slot, cut, (head or 1.0, tail), room - reserve if room else None, markers)
    groups = frozenset(
        index
        for index, group in enumerate(material.groups)
        if (group.name in only if only else group.name not in without)
    )
    own, old = pick(material, groups)
    if len(only) == 1:  # the part's title replaces the section's
        own = own._replace(
            groups=tuple(one._replace(level=0) if _is_top_section(one.name, one.parent) else one for one in own.groups)
        )
    if wanted is not None:
        wanted = frozenset(new for new, index in enumerate(old) if index in wanted)
    return PartSource(own, cut=cut, head=head or 1.0, tail=tail, wanted=wanted, markers=markers)


def _wanted(
    material: Material,
    slot: RecipePart,
    cut: str,
    shares: tuple[float, float],
    room: int | None,
    markers: Mapping[str, str],
) -> frozenset[int] | None:
    """Return the items that the view has room for; None if it has room for all."""
    if room is None:
        return None
    cut_method = CUTS[cut]
    style = Style(slot.level, markers.get(cut_method.marker, ""), cut_method.where)
    every = frozenset(range(len(material.items)))

    def fits(shown: frozenset[int]) -> bool:
        return len(render(material, shown, style)) <= room

    if fits(every):
        return None
    order = cut_method.order(dict(enumerate(material.items)), CutOptions(slot.step, *shares, room, visible=True))
    return fit(order, fits) or frozenset()


def _is_top_section(name: str, parent: int | None) -> bool:
    return bool(name) and parent is None
