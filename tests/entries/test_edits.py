"""Intents: what a caller means becomes edits that change that and nothing else (laws 2, 6 and 7)."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from forms import many
from hypothesis import assume, example, given
from hypothesis import strategies as st
from inputs import CASES, ODD_BYTES, documents, lines, real_files

from mdmem import errors
from mdmem.entries import edits
from mdmem.entries.edits import EditPlan, find_entry, find_section
from mdmem.entries.edits.content import content
from mdmem.errors import MdmemError, RefusedError, TargetError, UsageError, VerificationError
from mdmem.formats.limits import section_fills
from mdmem.formats.template import EntryRule, Schemas, Template
from mdmem.text.document import Document, Section, parse
from mdmem.text.edit import apply_edits
from mdmem.text.entry import entry_key, read_entry
from mdmem.text.verify import verify

# what an intent may refuse with; anything else is a fault
REFUSALS = (RefusedError, TargetError, UsageError, VerificationError)


def after(document: Document, intent: EditPlan) -> Document:
    """Apply an intent, after proving it."""
    new = parse(apply_edits(document.text, intent.edits).encode("utf-8", "surrogateescape"))
    assert verify(document, intent.edits, new) == ()
    return new


def said(document: Document) -> list[str]:
    return [entry.text for entry in document.entries]


# ---- cases


def _cases() -> Iterator[tuple[str, str, str, str, str]]:
    """Read `cases/intents.md`: kind, call, diff, and the notes or the refusal that it ends in."""
    text = (CASES / "intents.md").read_text("utf-8")
    pattern = r"^## ([^\n]*)\n+`(?:([\w/]+): )?([^\n]*)`\n+^`{4,}diff\n(.*?)^`{4,}\n+(.*?)$"
    for found in re.finditer(pattern, text, re.MULTILINE | re.DOTALL):
        name, kind, call, diff, end = found.groups()
        yield name, kind or "", call, diff, end


def _read(diff: str) -> tuple[str, str]:
    """Read a diff whose `+` lines are added and `~` lines removed; `→` is a tab, `␍` a carriage return, `⊣` no end."""
    before = new = ""
    for row in diff.splitlines(keepends=True):
        line = row[1:].replace("→", "\t").replace("␍", "\r").replace("⊣\n", "")
        before += line if row[0] != "+" else ""
        new += line if row[0] != "~" else ""
    return before, new


def _call(call: str, document: Document, template: Template | None) -> EditPlan:
    verb, _, rest = call.partition(" ")
    arguments: list[Any] = json.loads(f"[{rest}]")
    options = arguments.pop() if isinstance(arguments[-1], dict) else {}
    if verb in ("add", "replace_section"):
        return getattr(edits, verb)(document, template, *arguments, **options)  # type: ignore[no-any-return]
    if verb == "exact":
        return edits.exact(document, *arguments)
    if verb == "rename_section":
        section = find_section(document, template, arguments[0])
        assert isinstance(section, Section)
        return edits.rename_section(document, section, arguments[1])
    if verb == "remove":
        return edits.remove(document, [find_entry(document, name) for name in arguments])
    return getattr(edits, verb)(document, find_entry(document, arguments[0]), *arguments[1:], **options)  # type: ignore[no-any-return]


@pytest.mark.parametrize(("name", "kind", "call", "diff", "end"), list(_cases()), ids=lambda value: value[:40])
def test_case(name: str, kind: str, call: str, diff: str, end: str, schemas: Schemas) -> None:
    before, expected = _read(diff)
    document = parse(before.encode())
    template = schemas.match(f"{kind}.md", document) if kind else None
    if end.startswith("Refused: "):
        wanted, _, words = end.removeprefix("Refused: ").partition(" ")
        with pytest.raises(getattr(errors, wanted.rstrip(":"))) as refusal:
            _call(call, document, template)
        shown = f"{refusal.value} {refusal.value.hint} {getattr(refusal.value, 'candidates', '')}"
        assert words in shown
        return
    intent = _call(call, document, template)
    assert after(document, intent).text == expected
    assert " ".join(note.kind for note in intent.notes) == end.removeprefix("Done.").strip()


def test_there_are_many_cases() -> None:
    assert len(list(_cases())) >= 60


# ---- laws


words = st.sampled_from(
    ["你好", "a b", "- x", "# x", "[ ] a", "> q", "```", "1. x", "2026. 2. 13", "-5 度", "1.5 kg", "<div>",
     "<!-- a -->", "[a]: b", "[^1]: c", "---", "***", "- - -", "| a |", "a\nb", "中\r\n文", "\u3000x\u3000", "🧠",
     "x\u2028y", "===", "+", "[x] #a ^id", "\x00", "^id", "[k:: v]", "    code", "~~~ x",
     "10) x", "\ufeffx", "`a", "\\", "&amp;", "•\u3000x"]
)  # fmt: skip
texts = st.one_of(words, st.tuples(words, words).map(" ".join), st.text(max_size=20), lines)


@given(texts)
@example("- [ ] - x")
@example("1234567890. x")
def test_any_text_is_one_entry_or_refused(text: str) -> None:
    """The text stands in one entry of one line, every word of it, and reading it again changes nothing."""
    try:
        line = content(text, {}, EntryRule()).text
    except UsageError:
        return
    document = parse(f"- {line}\n".encode())
    assert [(entry.text, entry.depth, entry.blocks) for entry in document.entries] == [(line, 0, 0)]
    assert len(document.lines) == 1
    assert [block.kind for block in document.blocks] == ["item", "paragraph"]
    assert content(line, {}, EntryRule()).text == line
    dropped = re.compile(r"[-*+•·‣▪◦●○\\\s\d.)]")
    assert dropped.sub("", line) == dropped.sub("", text)


@given(texts, st.dictionaries(st.sampled_from(["source", "类型", "a b", "k", "", "x:"]), texts, max_size=2))
def test_fields_read_back(text: str, fields: dict[str, str]) -> None:
    try:
        line = content(text, fields, EntryRule()).text
    except UsageError:
        return
    parts = read_entry(line)
    plain = read_entry(content(text, {}, EntryRule()).text)
    assert (parts.id, parts.done) == (plain.id, plain.done)
    for key, value in fields.items():
        assert (key, value.strip()) in [(field.key, field.value) for field in parts.fields]


# Documents with many entries, and what may stand between them.
_ROWS = """
- a|- a|- b|* c|- [ ] d|- [x] ✅ e ^id|  - f|    - g|1. h|2. i|## S|## S|# T|words|  more|---|***|_end_|> q|```
<!-- c -->|<!-- mdmem:auto n -->|<!-- /mdmem:auto -->|[环境感知]|[用户感知]: n
- 2026-02-13：j|-|- - k|<div>|| |\t- l|- |- a
"""
_rows = st.sampled_from([row for line in _ROWS.strip("\n").split("\n") for row in line.split("|")])
_ends = st.sampled_from(["\n", "\n", "\n", "\n\n", "\r\n", "\r"])
listed = st.tuples(st.lists(st.tuples(_rows, _ends), max_size=12), st.sampled_from(["", "", "\ufeff"]), _rows).map(
    lambda parts: (parts[1] + "".join(row + end for row, end in parts[0]) + parts[2]).encode()
)
some_documents = st.one_of(listed, listed, documents)


def _everywhere(document: Document) -> list[str | None]:
    return [None, *dict.fromkeys(section.title for section in document.sections)]


def _added(document: Document, new: list[str], section: str | None, template: Template | None = None) -> None:
    """Add, and look: the new entries stand at the end of their section, the others as they were."""
    try:
        intent = edits.add(document, template, new, section=section)
    except REFUSALS:
        return
    if not intent.edits:
        assert {note.kind for note in intent.notes} & {"duplicate", "full"}
        return
    result = after(document, intent)
    assert len(intent.edits) == 1
    expected = [content(text, {}, EntryRule()).text for text in new]
    refused = [str(note.facts["text"]) for note in intent.notes if note.kind == "duplicate"]
    for text in reversed(refused):  # the first of two is added
        del expected[len(expected) - 1 - expected[::-1].index(text)]
    for note in intent.notes:
        if note.kind == "full":
            left = list(note.facts["texts"])  # type: ignore[call-overload]
            assert expected[-len(left) :] == left
            expected = expected[: -len(left)]
    edit = intent.edits[0]
    mine = [one for one in result.entries if edit.span.start <= one.marker.start < edit.span.start + len(edit.new)]
    if document.text.strip("\ufeff \t\r\n"):
        assert [one.text for one in mine] == expected
        others = [one.text for one in result.entries if one not in mine]
        assert others == said(document)
    if template:
        before = {fill.spec.name: fill.number for fill in section_fills(document, template)}
        for fill in section_fills(result, template):
            assert not fill.over or fill.number == before[fill.spec.name]  # law 7
    if section is not None and document.sections:
        found = find_section(result, template, section)
        assert isinstance(found, Section)
        assert all(found.body.holds(one.span) for one in mine)


@given(some_documents, st.lists(texts, min_size=1, max_size=3), st.integers(0, 5))
def test_add_to_any_document(data: bytes, new: list[str], pick: int) -> None:
    document = parse(data)
    places = _everywhere(document)
    _added(document, new, places[pick % len(places)])


@pytest.mark.slow
@given(
    some_documents, st.lists(texts, min_size=1, max_size=12), st.sampled_from(["自我", "环境感知", "pool", "nowhere"])
)
def test_add_to_any_document_as_surface_memory(schemas: Schemas, data: bytes, new: list[str], section: str) -> None:
    _added(parse(data), new, section, schemas.match("FASTMEMO.md", None))


@pytest.mark.parametrize("name", ODD_BYTES)
def test_add_to_odd_bytes(name: str, schemas: Schemas) -> None:
    document = parse(ODD_BYTES[name])
    for section in _everywhere(document):
        _added(document, ["新的一条", "another"], section)
    for section in ("笔记", "重要事件"):
        _added(document, ["2026-02-13：新的一条"], section, schemas.match("MEMORY.md", None))


@pytest.mark.parametrize("path", real_files()[::7], ids=lambda path: path.name[:30])
def test_real_files(path: Any) -> None:
    document = parse(path.read_bytes()[:60_000])
    for section in _everywhere(document)[:3]:
        _added(document, ["新的一条", "another"], section)
    for entry in document.entries[:3]:
        _removed(document, [entry])
        assert find_by_key(document, entry.text)


def find_by_key(document: Document, text: str) -> bool:
    same = [one for one in document.entries if entry_key(one.text) == entry_key(text)]
    try:
        return find_entry(document, entry_key(text)) == same[0] and len(same) == 1
    except TargetError:
        return len(same) > 1


def _removed(document: Document, entries: list[Any]) -> None:
    try:
        intent = edits.remove(document, entries)
    except VerificationError:
        return
    result = after(document, intent)
    gone = list(intent.notes[0].facts["texts"])  # type: ignore[call-overload]
    assert sorted([*said(result), *gone]) == sorted(said(document))
    assert [one for one in (line.strip("\ufeff").rstrip() for line in result.text.splitlines()) if one.strip()] == [
        one for one in (line.strip("\ufeff").rstrip() for line in _without(document, entries)) if one.strip()
    ]
    kept = document.text.endswith(("\n", "\r")) or not document.text
    assert not result.text.strip("\ufeff \t\r\n") or result.text.endswith(("\n", "\r")) == kept


def _without(document: Document, entries: list[Any]) -> list[str]:
    """Cut the entries out character by character."""
    text = list(document.text)
    for entry in entries:
        for place in range(entry.span.start, entry.span.end):
            text[place] = "\n" if text[place] in "\r\n" else ""
    return "".join(text).splitlines()


@given(some_documents, st.sets(st.integers(0, 9), min_size=1, max_size=3))
@example(b"- a\n\n- b\n\n- c", {2})
@example(b"words\n- a\n---", {0})
@example(b"- a\r\n  - b\r\n- c\r\n", {0})
def test_remove_from_any_document(data: bytes, picks: set[int]) -> None:
    document = parse(data)
    entries = [document.entries[pick] for pick in sorted(picks) if pick < len(document.entries)]
    if entries:
        _removed(document, entries)


@given(some_documents, texts, st.integers(0, 9))
def test_replace_in_any_document(data: bytes, text: str, pick: int) -> None:
    document = parse(data)
    if not document.entries:
        return
    at = pick % len(document.entries)
    with contextlib.suppress(*REFUSALS):
        intent = edits.replace(document, document.entries[at], text)
        new = said(after(document, intent))
        line, ident = content(text, {}, EntryRule()).text, document.entries[at].parts.id
        assert new[at] in (line, f"{line} ^{ident}")
        assert new[:at] + new[at + 1 :] == said(document)[:at] + said(document)[at + 1 :]


@given(some_documents, st.integers(0, 9))
def test_tick_and_back(data: bytes, pick: int) -> None:
    document = parse(data)
    if not document.entries:
        return
    at = pick % len(document.entries)
    entry = document.entries[at]
    with contextlib.suppress(UsageError, VerificationError):
        done = after(document, edits.tick(document, entry))
        assert done.entries[at].parts.done
        back = after(done, edits.tick(done, done.entries[at], done=False))
        assert not back.entries[at].parts.done
        assert entry.parts.done or back.text == document.text
        assert entry_key(done.entries[at].text) == entry_key(entry.text)


@given(some_documents)
def test_every_entry_is_found_by_its_key(data: bytes) -> None:
    document = parse(data)
    assert all(find_by_key(document, text) for text in said(document))


@given(some_documents, texts, st.integers(0, 3))
def test_replace_any_section(data: bytes, text: str, pick: int) -> None:
    document = parse(data)
    if not document.sections:
        return
    section = document.sections[pick % len(document.sections)]
    with contextlib.suppress(*REFUSALS):
        intent = edits.replace_section(document, None, section.title, text)
        result = after(document, intent)
        gone = [one for note in intent.notes if note.kind == "removed" for one in note.facts["texts"]]  # type: ignore[attr-defined]
        assert set(said(document)) <= {*said(result), *gone}  # law 6: what leaves is named


@given(some_documents, st.text(min_size=1, max_size=6), st.integers(0, 40), st.integers(1, 20))
def test_exact_changes_the_bytes_it_names(data: bytes, new: str, start: int, length: int) -> None:
    document = parse(data)
    old = document.text[start : start + length]
    assume(old)
    count = sum(document.text.startswith(old, at) for at in range(len(document.text)))
    if count > 1:
        with pytest.raises(TargetError) as refusal:
            edits.exact(document, old, new)
        assert refusal.value.count >= 2
        return
    plain = re.sub("[\r\n]", "", new)
    try:
        intent = edits.exact(document, old, plain)
    except UsageError:
        return
    left, right = document.text[:start], document.text[start + length :]
    if old[0] == "\n" and left.endswith("\r"):
        left = left[:-1]
    if old[-1] == "\r" and right.startswith("\n"):
        right = right[1:]
    assert apply_edits(document.text, intent.edits) == left + plain + right


_SPACES = st.sampled_from([" ", "  ", "\t", "\u3000", "\r\n", "\n  ", " \n"])


@given(st.lists(st.sampled_from(["面试", "a", "b：", "🧠", "- c"]), min_size=2, max_size=5, unique=True), st.data())
def test_white_space_does_not_matter_the_second_time(pieces: list[str], data: st.DataObject) -> None:
    blanks = [data.draw(_SPACES) for _ in pieces]
    document = parse("".join(piece + blank for piece, blank in zip(pieces, blanks, strict=True)).encode())
    old = data.draw(_SPACES).join(pieces) + data.draw(st.sampled_from(["", " ", "\n"]))
    folded = [
        re.sub(r"\s+", lambda blank: "\n" if set(blank.group()) & set("\r\n") else " ", one)
        for one in (old.strip(), document.text.rstrip())
    ]
    if old in document.text or folded[0] != folded[1]:
        return
    intent = edits.exact(document, old, "new")
    assert [note.kind for note in intent.notes] == ["loose-match"]
    assert apply_edits(document.text, intent.edits).strip() == "new"


SIZE = many(100_000, 2_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("old", ["a a a a b", "a" * 1000 + "b", "nowhere", "\n\n\n\nx", "   "])
def test_exact_is_linear(old: str) -> None:
    """A tenth of a megabyte of the worst: a quadratic search would take many minutes."""
    for text in ("a " * (SIZE // 2), "a" * SIZE, "\n" * SIZE, " " * SIZE):
        with contextlib.suppress(MdmemError):
            edits.exact(parse(text.encode()), old, "x")
