"""What holds for every document, whatever its bytes."""

from __future__ import annotations

import re
from itertools import pairwise

from mdmem.text.document import Document, Entry, parse
from mdmem.text.entry import read_entry
from mdmem.text.spans import Span
from mdmem.text.yaml.yaml_source import Node

_MARKER = re.compile(r"[-+*]|\d{1,9}[.)]")


def check(data: bytes) -> Document:
    """Check the round trip and every property of a document."""
    document = parse(data)
    assert document.to_bytes() == data
    _lines(document)
    _front_matter(document)
    _blocks(document)
    _entries(document)
    _sections(document)
    _comments(document)
    return document


def _inside(document: Document, span: Span) -> None:
    assert 0 <= span.start <= span.end <= len(document.text)


def _lines(document: Document) -> None:
    lines = document.lines
    count = len(lines)
    assert "".join(lines.full(line).of(document.text) for line in range(count)) == document.text
    for line in range(count):
        assert not set(lines.text(line)) & {"\n", "\r"}
        assert lines.at(lines.start(line)) == line
        assert lines.position(lines.end(line)) == (line, lines.end(line) - lines.start(line))
    longest = max(len(lines.text(line)) for line in range(count))
    assert lines.fit(count, longest)
    assert not lines.fit(count - 1, longest)
    assert not lines.fit(count, longest - 1)


def _front_matter(document: Document) -> None:
    front = document.front_matter
    if front is None:
        assert document.start == document.text.startswith("\ufeff")
        return
    assert front.span.of(document.text).startswith("---")
    assert front.span.holds(front.yaml)
    assert front.span.end == document.start
    for problem in front.problems:
        _inside(document, problem.span)
    if front.root:
        _node(document, front.root, front.yaml)
        assert isinstance(front.values, dict)


def _node(document: Document, node: Node, around: Span) -> None:
    assert around.holds(node.span)
    if isinstance(node.value, dict):
        for key, child in node.value.items():
            assert child.key is not None
            assert key in child.key.of(document.text) or not key.isalnum()
            _node(document, child, around)
    elif isinstance(node.value, list):
        for child in node.value:
            _node(document, child, around)


def _blocks(document: Document) -> None:
    lines = document.lines
    for before, after in pairwise(document.blocks):
        assert before.line <= after.line
    for block in document.blocks:
        _inside(document, block.span)
        assert document.start <= block.span.start
        assert (block.line, block.last_line) == (lines.at(block.span.start), lines.at(block.span.end))
        assert (1 <= block.level <= 6) == (block.kind == "heading")
        text = block.span.of(document.text)
        if block.kind == "fence":
            assert re.search(r"`{3}|~{3}", lines.text(block.line))
        elif block.kind == "html":
            assert "<" in text
        elif block.kind == "table":
            assert "|" in lines.text(block.line)
    covered = {line for block in document.blocks for line in range(block.line, block.last_line + 1)}
    for line in range(lines.at(document.start), len(lines)):
        if line not in covered:  # no line is without a block, save blank ones and bare markers of quotes
            rest = document.text[max(document.start, lines.start(line)) : lines.end(line)]
            assert not rest.strip(" \t>"), f"line {line + 1} is in no block"


def _entries(document: Document) -> None:
    for before, after in pairwise(document.entries):
        assert before.span.start < after.span.start
        assert before.span.end <= after.span.start or before.span.holds(after.span)
    open_entries: list[Entry] = []
    for entry in document.entries:
        while open_entries and open_entries[-1].span.end <= entry.span.start:
            open_entries.pop()
        assert len(open_entries) == entry.depth
        open_entries.append(entry)
        assert entry.text == entry.text_span.of(document.text) == entry.text.strip()
        assert _MARKER.fullmatch(entry.marker.of(document.text))
        assert entry.ordered == (len(entry.marker.of(document.text)) > 1)
        assert entry.span.start == entry.marker.start < entry.marker.end <= entry.text_span.start
        assert entry.span.holds(entry.text_span)
        assert entry.line == document.lines.at(entry.span.start)
        check_parts(entry.text)


def _sections(document: Document) -> None:
    at = document.start
    assert document.preamble.start == at
    at = document.preamble.end
    seen = [entry for entry in document.entries if entry.span.start < at]
    for index, section in enumerate(document.sections):
        assert section.heading.start == at
        assert section.heading.holds(section.title_span)
        assert section.title == section.title_span.of(document.text).strip()
        assert not document.text[section.heading.end : section.body.start].strip()
        assert section.heading.end <= section.body.start <= section.body.end
        at = section.body.end
        if section.parent is not None:
            assert section.parent < index
            assert document.sections[section.parent].level < section.level
        for entry in section.entries:
            assert section.body.holds(entry.span)
        seen += section.entries
    assert at == len(document.text)
    assert tuple(seen) == document.entries


def _comments(document: Document) -> None:
    for before, after in pairwise(document.comments):
        assert before.span.end <= after.span.start
    for comment in document.comments:
        whole = comment.span.of(document.text)
        assert whole.startswith("<!--")
        assert whole.startswith("<!--" + comment.text)
        assert "-->" not in comment.text
    for auto in document.auto_blocks:
        assert auto.span.holds(auto.body)
        assert auto.span.of(document.text).startswith("<!--")
        assert auto.span.of(document.text).endswith("-->")


def check_parts(text: str) -> None:
    """Check what is said of an entry's line."""
    parts = read_entry(text)
    for mention in parts.dates:
        assert mention.span.of(text) == mention.text
    for field in parts.fields:
        assert field.span.of(text)[0] + field.span.of(text)[-1] == "[]"
        assert field.value == field.value_span.of(text).strip() or "`" in field.span.of(text)
        assert field.span.holds(field.value_span)
        assert parts.body.holds(field.span) or not parts.body.overlaps(field.span)
    for one, two in pairwise(parts.fields):
        assert one.span.end <= two.span.start
    assert 0 <= parts.body.start <= parts.body.end <= len(text)
    if parts.checkbox:
        assert parts.checkbox.of(text) in ("[ ]", "[x]", "[X]")
        assert parts.done is not None
    if parts.date:
        assert parts.date in parts.dates
    if parts.id_span:
        assert parts.id_span.of(text) == f"^{parts.id}"
    if parts.meta:
        assert parts.meta.of(text).lstrip().startswith("<!--")
    edges = (parts.checkbox, parts.date and parts.date.span, parts.id_span, parts.meta)
    assert not any(span.overlaps(parts.body) for span in edges if span)
