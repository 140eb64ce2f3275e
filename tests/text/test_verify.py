"""Law 2: a change that would make something else of a line that it does not name is refused, with the reason."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inputs import CASES, documents, lines
from markdown_it import MarkdownIt

from mdmem.text.document import Document, parse
from mdmem.text.edit import Edit, apply_edits, ordered
from mdmem.text.spans import Span
from mdmem.text.verify import verify


def proof(before: Document, edits: list[Edit]) -> tuple[str, ...]:
    return verify(before, edits, parse(apply_edits(before.text, edits).encode("utf-8", "surrogateescape")))


def _cases() -> list[tuple[str, str, str]]:
    """Read `cases/verify.md`: lines that begin with `+` are added, with `~` removed; `=` keeps its line as it is."""
    pattern = r"^## (.*?)\n.*?^`{4,}diff\n(.*?)^`{4,}\n+(?:Refused: (.*?)$|Accepted\.)"
    text = (CASES / "verify.md").read_text("utf-8")
    return [(m[1], m[2], m[3] or "") for m in re.finditer(pattern, text, re.MULTILINE | re.DOTALL)]


def read_change(diff: str) -> tuple[str, list[Edit]]:
    before, edits = "", []
    for line in diff.splitlines(keepends=True):
        sign, rest = line[0], line[1:].replace("→", "\t")
        if sign == "+":
            edits.append(Edit.insert(len(before), rest))
        else:
            if sign == "~":
                edits.append(Edit.delete(Span(len(before), len(before) + len(rest))))
            before += rest
    return before, edits


@pytest.mark.parametrize(("name", "diff", "reason"), _cases(), ids=lambda value: value[:50])
def test_case(name: str, diff: str, reason: str) -> None:
    before, edits = read_change(diff)
    assert "; ".join(proof(parse(before.encode()), edits)) == reason


def test_another_text_is_no_proof() -> None:
    before = parse(b"- a\n")
    assert verify(before, [Edit.insert(4, "- b\n")], parse(b"- a\n- c\n")) != ()
    assert verify(before, [], parse(b"- a")) != ()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_an_append_without_final_newline(ending: str) -> None:
    before = parse(f"# T{ending}- a".encode())
    assert proof(before, [Edit.insert(len(before.text), f"{ending}- b")]) == ()
    open_fence = parse(f"```{ending}a".encode())
    assert proof(open_fence, [Edit.insert(len(open_fence.text), f"{ending}- b")]) != ()


def test_no_edit_is_proved_for_anything() -> None:
    for text in ("", "- a", "```\n", "---\na: 1\n---\n", "[x]\ny\n"):
        assert proof(parse(text.encode()), []) == ()


# The slow check: each character carries where it came from, and a full parse of both texts says what its line is.
_FULL = MarkdownIt("commonmark", {"maxNesting": 1000}).enable("table")


def _line_kinds(document: Document) -> list[frozenset[str]]:
    """What each line is, by markdown-it's own tokens over the text without its front matter."""
    above = document.text[: document.start]
    first = len(re.findall(r"\r\n|\r|\n", above))
    kinds: list[set[str]] = [set() for _ in range(len(document.lines) + 1)]
    for line in range(first):
        kinds[line].add("front")
    quotes = 0
    text = document.text[document.start :]
    for token in _FULL.parse(text):
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
        begin, end = token.map or (0, 0)
        names = {"fence": "code", "code_block": "code", "html_block": "html", "heading_open": "heading"}
        if name := names.get(token.type):
            for line in range(first + begin, first + end):
                kinds[line].add(name)
        elif token.type == "list_item_open" and not quotes:
            kinds[first + begin].add("entry")
    return [frozenset(found) for found in kinds]


def _slow(before: Document, edits: list[Edit]) -> bool:
    """Return whether every whole line that no edit touches is what it was."""
    origins: list[int] = list(range(len(before.text)))
    new_text = list(before.text)
    for edit in reversed(ordered(edits)):
        origins[edit.span.start : edit.span.end] = [-1] * len(edit.new)
        new_text[edit.span.start : edit.span.end] = edit.new
    after = parse("".join(new_text).encode())
    was, now = _line_kinds(before), _line_kinds(after)
    places = {origin: place for place, origin in enumerate(origins) if origin >= 0}
    for line in range(len(before.lines)):
        span = before.lines.span(line)
        if before.lines.is_blank(line) or any(place not in places for place in range(span.start, span.end)):
            continue
        new = after.lines.span(after.lines.at(places[span.start]))
        if [origins[place] for place in range(new.start, new.end)] != list(range(span.start, span.end)):
            continue  # something was put before, behind or into it
        if was[line] != now[after.lines.at(new.start)]:
            return False
    return True


@st.composite
def changes(draw: st.DrawFn) -> tuple[Document, list[Edit]]:
    before = parse(draw(documents))
    count = len(before.lines)
    edits = []
    for line in sorted(draw(st.sets(st.integers(0, count - 1), max_size=3))):
        span = before.lines.full(line)
        new = draw(st.one_of(lines.map(lambda text: text + "\n"), st.just(""), lines))
        edits.append(draw(st.sampled_from([Edit(span, new), Edit.insert(span.start, new)])))
    return before, edits


@pytest.mark.slow
@given(changes())
def test_the_slow_check_agrees(change: tuple[Document, list[Edit]]) -> None:
    before, edits = change
    if not proof(before, edits):
        assert _slow(before, edits)


@given(changes())
def test_a_refusal_has_a_reason(change: tuple[Document, list[Edit]]) -> None:
    """What the slow check refuses is refused; what only the fast one refuses concerns what is added, or depth."""
    before, edits = change
    wrong = proof(before, edits)
    if not _slow(before, edits):
        assert wrong
    elif wrong:
        assert all("added" in reason or "above it" in reason or "part of" in reason for reason in wrong)


@given(
    st.lists(st.tuples(st.sampled_from(["- a", "1. b", "## c", "words", "> q", "| t |"]), st.just("\n\n")), min_size=1)
)
def test_an_entry_behind_a_closed_block_is_accepted(blocks: list[tuple[str, str]]) -> None:
    before = parse("".join(text + end for text, end in blocks).encode())
    assert proof(before, [Edit.insert(len(before.text), "- new\n")]) == ()


@pytest.mark.thorough
@pytest.mark.slow
def test_many_edits_among_many_entries_are_proved_in_linear_time() -> None:
    before = parse(b"- one\r\n- two\n" * 3_000)
    ends = [index for index, char in enumerate(before.text) if char == "\r"]
    edits = [Edit.replace(at, at + 2, "\n") for at in ends]
    after = parse(apply_edits(before.text, edits).encode())
    assert verify(before, edits, after) == ()  # would take minutes if each entry looked at each edit


def test_an_entry_that_is_swallowed_below_many_edits_is_seen() -> None:
    before = parse(b"- x\n\npara\n\n- a\n- b\n")
    edits = [Edit.replace(2, 3, "yy"), Edit.insert(before.text.index("para"), "```\n")]
    after = parse(apply_edits(before.text, edits).encode())
    assert len(verify(before, edits, after)) >= 2
