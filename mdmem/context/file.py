"""Read a memory file as material: sections are groups, entries and lines of prose are items."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from mdmem.context.material import Eyes, Group, Item, Material, pieces
from mdmem.context.residue import without_residue
from mdmem.context.result import Left
from mdmem.core.document import Document, Entry, Section
from mdmem.core.entry import Parts, read_entry
from mdmem.core.pattern import pattern
from mdmem.core.record import NamedTuple
from mdmem.core.template import Template, fold
from mdmem.core.text import Span

_MARKERS = pattern(r"\A([-*+] )(?:[-*+] +)+(?=\S)")
_INK = pattern(r"\S")


class Asked(NamedTuple):
    """What of an entry's line a recipe wants to see."""

    fields: tuple[str, ...] = ()
    ids: bool = False
    kept: bool = False  # every entry counts as a rule
    expired: frozenset[int] = frozenset()  # lines (0-based) of entries that are past their time
    focus: int | None = None  # line (0-based) of the current step
    told: frozenset[str] = frozenset()  # sources that another part shows: entries that rest on them are left out


class _Unit(NamedTuple):
    """Lines of a section that belong together."""

    span: Span
    line: int
    last: int
    entry: Entry | None  # None: prose or code


def read_file(
    document: Document, templates: Iterable[Template], path: str, asked: Asked, eyes: Eyes, known: frozenset[str]
) -> Material:
    """Read a file; `templates` are its kind in every language, `known` the lines that they themselves hold."""
    return _Reader(document, tuple(templates), path, asked, eyes, known).read()


def boilerplate(templates: Iterable[Template]) -> frozenset[str]:
    """Give the lines that templates hold, folded: titles and closing lines are no memory."""
    documents = [template.document for template in templates]
    lines = {_folded(line) for one in documents for line in one.text[one.start :].splitlines() if line[:1] != "#"}
    titles = {f"#{_folded(section.title)}" for one in documents for section in one.sections}
    return frozenset((*lines, *titles, *(_folded(comment.text) for one in documents for comment in one.comments)))


class _Reader:
    def __init__(
        self, document: Document, templates: tuple[Template, ...], path: str, asked: Asked, eyes: Eyes,
        known: frozenset[str],
    ) -> None:  # fmt: skip
        self.document, self.templates, self.path, self.asked, self.eyes = document, templates, path, asked, eyes
        self.known = known
        self.groups: list[Group] = []
        self.items: list[Item] = []
        self.left: list[Left] = []
        self.starts = [entry.span.start for entry in document.entries]
        self.rules = {block.line for block in document.blocks if block.kind == "rule"}
        self.drops = sorted(comment.span for comment in document.comments)

    def read(self) -> Material:
        outer = [entry for entry in self.document.entries if not entry.depth]
        preamble = self.document.preamble
        self._group(Group(self.path), preamble, [one for one in outer if preamble.holds(one.marker)])
        for section in self.document.sections:
            self._section(section)
        self._hidden()
        return Material(tuple(self.groups), tuple(self.items), tuple(self.left))

    def _section(self, section: Section) -> None:
        title = self.eyes.clean(self._shown(section.title_span).strip())
        own = _name(self.templates, section.title)
        above = None if section.parent is None else section.parent + 1  # the preamble is the first group
        name = own or (self.groups[above].name if above is not None else "")
        # the file's own title says what the part's title says already
        level = 0 if section.level == 1 and f"#{_folded(section.title)}" in self.known else section.level
        group = Group(self.path, title, level, name, above)
        if any(template.is_retired(section.title) for template in self.templates):
            self.groups.append(group)
            entries = [one for one in section.entries if not one.depth]
            self.left += (Left(self.path, one.line + 1, self.eyes.clean(one.text), "retired") for one in entries)
            return
        self._group(group, section.body, [entry for entry in section.entries if not entry.depth], section.note)

    def _group(self, group: Group, body: Span, entries: list[Entry], note: str = "") -> None:
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
        """Give what stands in a section, and None for a blank line."""
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
                    ink = _INK.search(self.document.text, span.end)  # of many blank lines the first says it all
                    line = max(line, lines.at(ink.start()) - 1 if ink else end)
            line += 1

    def _unit(self, unit: _Unit, joint: str) -> None:
        said = self._shown(unit.span)
        if unit.entry:
            self._entry(unit.entry, said, joint)
        elif unit.line < unit.last:
            self._add(said, unit.line + 1, joint)
        elif not (_folded(said) in self.known or self.eyes.is_placeholder(said)):
            self._add(without_fields(said, self.asked.fields, ids=self.asked.ids), unit.line + 1, joint)

    def _entry(self, entry: Entry, said: str, joint: str) -> None:
        said = _unmarked(entry, said)
        if not said.lstrip("-*+ \t\r\n") or self.eyes.is_placeholder(entry.text):
            self.left.append(Left(self.path, entry.line + 1, self.eyes.clean(said), "placeholder"))
            return
        parts = entry.parts
        why = self._why_left(entry, parts)
        if why:
            self.left.append(Left(self.path, entry.line + 1, self.eyes.clean(said), why))
            return
        text = _unmarked(entry, self._shown(entry.span, self._unasked(entry, parts)))
        if created := self._created(parts):
            at = len(entry.marker.of(self.document.text))
            text = f"{text[:at]} {created}{text[at:]}"
        kept = self.asked.kept or self.eyes.is_kept(entry.text)
        day = parts.date.value if parts.date else None
        worth = self.eyes.worth(entry.text, day)
        focus = self.asked.focus is not None and entry.line <= self.asked.focus <= entry.last_line
        whole = kept or focus or entry.line == entry.last_line
        like = Item("", 0, 0, "", kept=kept, day=day, worth=worth, focus=focus)
        self._add(text, entry.line + 1, joint, like, whole=whole)

    def _why_left(self, entry: Entry, parts: Parts) -> str:
        """Return why an entry is not shown: expired, told; empty where it is."""
        if entry.line in self.asked.expired:
            return "expired"
        source = parts.field("source") if self.asked.told else None
        return "told" if source and source.value.strip() in self.asked.told else ""

    def _add(self, text: str, line: int, joint: str, like: Item | None = None, *, whole: bool = False) -> None:
        """Add a text as one item, or where it is long prose as several."""
        raw = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        text = self.eyes.clean(raw).rstrip()
        if text != raw:
            self.left.append(Left(self.path, line, text, "hidden"))  # what is missing is never repeated
        text = without_residue(text)
        if not text.strip():
            return
        like = like or Item("", 0, 0, "", kept=self.asked.kept, worth=self.eyes.worth(text, None))
        group, offset = len(self.groups) - 1, 0
        for number, (inner, piece) in enumerate([("\n", text)] if whole else pieces(text)):
            at = text.find(piece, offset)
            place = line + text.count("\n", 0, max(0, at))
            offset = max(0, at) + len(piece)
            own = inner if number else joint
            self.items.append(like._replace(text=piece, group=group, line=place, said=piece, joint=own, place=place))

    def _shown(self, span: Span, more: Iterable[Span] = ()) -> str:
        """Give a piece of the text without its comments, and without other pieces."""
        text, out, at = self.document.text, "", span.start
        first = bisect_left(self.drops, span.start, key=lambda one: one.end)
        hidden = self.drops[first : bisect_left(self.drops, span.end, key=lambda one: one.start)]
        for cut in sorted((*hidden, *more)):
            if cut.end > at:
                out += text[at : max(at, cut.start)]
                at = cut.end
        return (out + text[at : span.end]) if at < span.end else out

    def _unasked(self, entry: Entry, parts: Parts) -> Iterator[Span]:
        """Give the fields and ids of an entry and of those in it that the recipe does not ask for."""
        text = self.document.text
        begin = bisect_left(self.starts, entry.span.start)
        for index in range(begin, bisect_left(self.starts, entry.span.end)):
            one = self.document.entries[index]
            own = parts if index == begin else one.parts
            spans = [field.span for field in own.fields if field.key not in self.asked.fields]
            spans += [own.id_span] if own.id_span and not self.asked.ids else []
            for span in spans:
                start = one.text_span.start + span.start
                while start > one.text_span.start and text[start - 1] in " \t":
                    start -= 1
                yield Span(start, one.text_span.start + span.end)

    def _created(self, parts: Parts) -> str:
        """Give the day that an entry carries in a field only, where that is not shown; dates always are."""
        if any(not any(field.span.holds(day.span) for field in parts.fields) for day in parts.dates):
            return ""
        field = parts.field("created")
        return field.value if field and "created" not in self.asked.fields else ""

    def _hidden(self) -> None:
        """Tell of the comments that are no template's and no mark: a model is shown none of them (law 11)."""
        marks = {span for _, _, span in self.document.auto_marks}
        for comment in self.document.comments:
            ours = comment.span in marks or comment.text.strip().startswith("mdmem:")
            if not ours and _folded(comment.text) not in self.known:
                line = self.document.lines.at(comment.span.start) + 1
                self.left.append(Left(self.path, line, self.eyes.clean(comment.text.strip()), "hidden"))


def _unmarked(entry: Entry, text: str) -> str:
    """Return an entry's lines with one marker where several stand before its text, as in `- - text`."""
    return text if entry.text.strip() else _MARKERS.sub(r"\1", text, count=1)


def _name(templates: Iterable[Template], title: str) -> str:
    return next((name for template in templates if (name := template.name(title))), "")


def without_fields(line: str, fields: Sequence[str], *, ids: bool) -> str:
    """Return a line without the fields and the id that a part does not ask for."""
    if "::" not in line and "^" not in line:
        return line
    parts = read_entry(line)
    spans = [field.span for field in parts.fields if field.key not in fields]
    spans += [parts.id_span] if parts.id_span and not ids else []
    for span in sorted(spans, reverse=True):
        line = line[: span.start].rstrip(" \t") + line[span.end :]
    return line


def _folded(text: str) -> str:
    return fold(text) or "".join(text.split())


def names(template_names: Iterable[str], templates: Iterable[Template]) -> frozenset[str]:
    """Give the names that sections go by in a file's kind, as `Group.name` has them."""
    return frozenset(_name(templates, name) or name for name in template_names)
