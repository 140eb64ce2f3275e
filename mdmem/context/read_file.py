"""Blank the older entries of a long file before it is parsed: a part that shows the newest ones needs no others."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from mdmem.context.cuts import CUTS, CutOptions
from mdmem.context.model import ContentChecks, Material, MaterialGroup, MaterialItem, OmittedItem, pick, pieces
from mdmem.context.pack import PartSource, Style, fit, render
from mdmem.context.recipe import RecipePart
from mdmem.formats.template import Template, TemplateView, fold
from mdmem.text.document import Document, Entry, Section
from mdmem.text.entry import EntryParts, read_entry
from mdmem.text.inline import mask_code
from mdmem.text.pattern import pattern
from mdmem.text.spans import Span

_BULLET = "- "


def blank_older(text: str, chars: int, is_kept: Callable[[str], bool]) -> tuple[str, tuple[int, ...]]:
    """Return the text with the lines of its older entries empty, and which lines (0-based) these are.

    About the last `chars` characters stay, and of what stands before them the headings, the comments and the rules.
    Line numbers do not change. A file that has anything else there, as prose or code, is returned as it is.

    Args:
        text: the file.
        chars: characters at its end that stay.
        is_kept: tells whether an entry is a rule.
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
    """Return the number of the first line behind the front matter."""
    if not lines or lines[0].rstrip() != "---":
        return 0
    return next((number for number, line in enumerate(lines[1:], 2) if line.rstrip() in ("---", "...")), len(lines))


_END = pattern(r"[ \t]*-{2,}>[ \t]*")


def without_residue(text: str) -> str:
    """Return a text without stray ends of comments; between two words one is an arrow and is written as `→`.

    Code stays as it is.
    """
    if "-->" not in text or text.startswith(("```", "~~~")):
        return text
    code = mask_code(text)
    out, at = "", 0
    for match in _END.finditer(code):
        begin, end = match.span()
        before = code[:begin].rpartition("\n")[2].strip(" \t-*+>")
        after = code[end:].partition("\n")[0].strip()
        out += text[at:begin] + (" → " if before and after else "")
        at = end
    return out + text[at:]


_MARKERS = pattern(r"\A([-*+] )(?:[-*+] +)+(?=\S)")
_INK = pattern(r"\S")


class EntryView(NamedTuple):
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
    document: Document,
    templates: Iterable[Template],
    path: str,
    asked: EntryView,
    eyes: ContentChecks,
    known: frozenset[str],
) -> Material:
    """Read a file; `templates` are its kind in every language, `known` the lines that they themselves hold."""
    return _MaterialReader(document, tuple(templates), path, asked, eyes, known).read()


def boilerplate(templates: Iterable[Template]) -> frozenset[str]:
    """Return the lines that templates hold, folded: titles and closing lines are no memory."""
    documents = [template.document for template in templates]
    lines = {_folded(line) for one in documents for line in one.text[one.start :].splitlines() if line[:1] != "#"}
    titles = {f"#{_folded(section.title)}" for one in documents for section in one.sections}
    return frozenset((*lines, *titles, *(_folded(comment.text) for one in documents for comment in one.comments)))


class _MaterialReader:
    def __init__(
        self, document: Document, templates: tuple[Template, ...], path: str, asked: EntryView, eyes: ContentChecks,
        known: frozenset[str],
    ) -> None:  # fmt: skip
        self.document, self.templates, self.path, self.asked, self.eyes = document, templates, path, asked, eyes
        self.known = known
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
        title = self.eyes.clean(self._shown(section.title_span).strip())
        own = _name(self.templates, section.title)
        above = None if section.parent is None else section.parent + 1  # the preamble is the first group
        name = own or (self.groups[above].name if above is not None else "")
        # the file's own title says what the part's title says already
        level = 0 if section.level == 1 and f"#{_folded(section.title)}" in self.known else section.level
        group = MaterialGroup(self.path, title, level, name, above)
        if any(template.is_retired(section.title) for template in self.templates):
            self.groups.append(group)
            entries = [one for one in section.entries if not one.depth]
            self.left += (OmittedItem(self.path, one.line + 1, self.eyes.clean(one.text), "retired") for one in entries)
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
        """Return what stands in a section, and None for a blank line."""
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
            self.left.append(OmittedItem(self.path, entry.line + 1, self.eyes.clean(said), "placeholder"))
            return
        parts = entry.parts
        why = self._why_left(entry, parts)
        if why:
            self.left.append(OmittedItem(self.path, entry.line + 1, self.eyes.clean(said), why))
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
        like = MaterialItem("", 0, 0, "", kept=kept, day=day, worth=worth, focus=focus)
        self._add(text, entry.line + 1, joint, like, whole=whole)

    def _why_left(self, entry: Entry, parts: EntryParts) -> str:
        """Return why an entry is not shown: expired, told; empty where it is."""
        if entry.line in self.asked.expired:
            return "expired"
        source = parts.field("source") if self.asked.told else None
        return "told" if source and source.value.strip() in self.asked.told else ""

    def _add(self, text: str, line: int, joint: str, like: MaterialItem | None = None, *, whole: bool = False) -> None:
        """Add a text as one item, or where it is long prose as several."""
        raw = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        text = self.eyes.clean(raw).rstrip()
        if text != raw:
            self.left.append(OmittedItem(self.path, line, text, "hidden"))  # what is missing is never repeated
        text = without_residue(text)
        if not text.strip():
            return
        like = like or MaterialItem("", 0, 0, "", kept=self.asked.kept, worth=self.eyes.worth(text, None))
        group, offset = len(self.groups) - 1, 0
        for number, (inner, piece) in enumerate([("\n", text)] if whole else pieces(text)):
            at = text.find(piece, offset)
            place = line + text.count("\n", 0, max(0, at))
            offset = max(0, at) + len(piece)
            own = inner if number else joint
            self.items.append(like._replace(text=piece, group=group, line=place, said=piece, joint=own, place=place))

    def _shown(self, span: Span, more: Iterable[Span] = ()) -> str:
        """Return a piece of the text without its comments, and without other pieces."""
        text, out, at = self.document.text, "", span.start
        first = bisect_left(self.drops, span.start, key=lambda one: one.end)
        hidden = self.drops[first : bisect_left(self.drops, span.end, key=lambda one: one.start)]
        for cut in sorted((*hidden, *more)):
            if cut.end > at:
                out += text[at : max(at, cut.start)]
                at = cut.end
        return (out + text[at : span.end]) if at < span.end else out

    def _unasked(self, entry: Entry, parts: EntryParts) -> Iterator[Span]:
        """Return the fields and ids of an entry and of those in it that the recipe does not ask for."""
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

    def _created(self, parts: EntryParts) -> str:
        """Return the day that an entry carries in a field only, where that is not shown; dates always are."""
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
                self.left.append(OmittedItem(self.path, line, self.eyes.clean(comment.text.strip()), "hidden"))


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
    """Return the names that sections go by in a file's kind, as `Group.name` has them."""
    return frozenset(_name(templates, name) or name for name in template_names)


def part_source(
    material: Material, slot: RecipePart, shape: TemplateView, markers: Mapping[str, str], only: frozenset[str],
    without: frozenset[str], reserve: int,
) -> PartSource:  # fmt: skip
    """Cut a file as a whole to its view, then keep the sections that the part shows.

    Args:
        material: the whole file.
        slot: the part.
        shape: the view of the file's template; the part may set its own characters and its own cut.
        markers: what stands where something was cut, in one language.
        only: names of the sections it shows; empty: all but those of `without`.
        without: names of the sections it leaves to others.
        reserve: characters of the titles of all parts that show this file: they count too (F059).
    """
    cut = slot.cut or shape.cut or "head"
    head, tail = shape.head or 0.0, shape.tail or 0.0
    room = slot.max_chars or shape.max_chars
    wanted = _wanted(material, slot, cut, (head or 1.0, tail), room - reserve if room else None, markers)
    groups = frozenset(
        index
        for index, group in enumerate(material.groups)
        if (group.name in only if only else group.name not in without)
    )
    own, old = pick(material, groups)
    if len(only) == 1:  # the part's title stands for the section's
        own = own._replace(
            groups=tuple(one._replace(level=0) if _opens(one.name, one.parent) else one for one in own.groups)
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
    """Return the items that the view has room for; None where it has room for all."""
    if room is None:
        return None
    way = CUTS[cut]
    style = Style(slot.level, markers.get(way.marker, ""), way.where)
    every = frozenset(range(len(material.items)))

    def fits(shown: frozenset[int]) -> bool:
        return len(render(material, shown, style)) <= room

    if fits(every):
        return None
    order = way.order(dict(enumerate(material.items)), CutOptions(slot.step, *shares, room, visible=True))
    return fit(order, fits) or frozenset()


def _opens(name: str, parent: int | None) -> bool:
    return bool(name) and parent is None
