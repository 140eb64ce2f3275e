"""The blocks are CommonMark's: compared with markdown-it-py as it comes, and with outlines written by hand."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from inputs import CASES, markdown, own_examples, real_files, spec_examples
from markdown_it import MarkdownIt

from mdmem.text.document import Document, parse
from mdmem.text.markdown_parser import Parser, parser

_LEAVES = {
    "paragraph_open": "paragraph", "definition": "paragraph", "heading_open": "heading", "fence": "fence",
    "code_block": "code", "html_block": "html", "hr": "rule", "table_open": "table",
}  # fmt: skip
_PLAIN = MarkdownIt("commonmark", {"maxNesting": 1000, "inline_definitions": True}).enable("table")

Outline = list[tuple[object, ...]]


def outline(md: MarkdownIt | Parser, text: str) -> Outline:
    """Return the blocks by their tokens: kind, lines, enclosing lists and quotes, heading level or info."""
    found: Outline = []
    lists = quotes = 0
    for token in md.parse(text):
        if token.type in _LEAVES:
            detail = token.tag if token.type == "heading_open" else token.info or token.content
            detail = "" if token.type in ("paragraph_open", "definition", "table_open", "html_block") else detail
            found.append((_LEAVES[token.type], token.map, lists, quotes, detail))
        elif token.type == "list_item_open":
            found.append(("item", token.map, lists, quotes, token.info))
        lists += {"bullet_list_open": 1, "ordered_list_open": 1}.get(token.type, 0)
        lists -= {"bullet_list_close": 1, "ordered_list_close": 1}.get(token.type, 0)
        quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
    return found


def assert_same(text: str) -> None:
    expected = outline(_PLAIN, text)
    assert outline(parser(), text) == expected
    document = parse(b"x\n\n" + text.encode("utf-8", "surrogateescape"))  # no front matter, no byte order mark
    if document.text.replace("\r\n", "\n").replace("\r", "\n") != "x\n\n" + text.replace("\r\n", "\n").replace(
        "\r", "\n"
    ):
        return
    # an item's token begins with its list: Document counts the lists around the item itself
    shape = [
        (block.kind, block.line - 2, block.depth + (block.kind == "item"), block.quoted)
        for block in document.blocks[1:]
    ]
    assert shape == [(kind, lines[0], lists, quotes > 0) for kind, lines, lists, quotes, _ in expected]  # type: ignore[index,operator]


def test_the_specifications_examples() -> None:
    for one in [*spec_examples(), *own_examples()]:
        assert_same(one)


@pytest.mark.thorough
@pytest.mark.slow
def test_real_files() -> None:
    for path in real_files():
        assert_same(path.read_bytes().decode("utf-8", "replace"))


@given(markdown)
def test_any_markdown(text: str) -> None:
    assert_same(text)


@example("a title\n---\n")
@given(markdown)
def test_the_words_of_headings_and_items(text: str) -> None:
    """A title, and an item's own text, equal the input of markdown-it's inline parser for them."""
    tokens = _PLAIN.parse(text)
    for kind, own in (("heading_open", _titles(text)), ("list_item_open", _items(text))):
        expected = []
        quotes = lists = 0
        for index, token in enumerate(tokens):
            quotes += {"blockquote_open": 1, "blockquote_close": -1}.get(token.type, 0)
            lists += {"list_item_open": 1, "list_item_close": -1}.get(token.type, 0)
            if token.type != kind or quotes or (kind == "heading_open" and lists):
                continue
            following = tokens[index + 1]
            if kind == "list_item_open":
                following = tokens[index + 2] if following.type == "paragraph_open" else following
            expected.append(_folded(following.content) if following.type == "inline" else None)
        assert [words for words, told in zip(own, expected, strict=True) if told is not None] == [
            told for told in expected if told is not None
        ]


def _titles(text: str) -> list[str]:
    document = parse(b"x\n\n" + text.encode())
    return [_folded(section.title) for section in document.sections if section.style != "bracket"]


def _items(text: str) -> list[str]:
    return [_folded(entry.text) for entry in parse(b"x\n\n" + text.encode()).entries]


def _folded(text: str) -> str:
    return " ".join(re.split(r"\s+", text.replace("\0", "\ufffd"))).strip()


def drawn(document: Document) -> str:
    """Draw the blocks, one a line, for the cases in Markdown."""
    out = ""
    for block in document.blocks:
        lines = f"{block.line + 1}" + (f"-{block.last_line + 1}" if block.last_line > block.line else "")
        words = [lines, block.kind]
        if block.kind == "heading":
            words.append(str(block.level))
        elif block.kind == "fence":
            words += [block.info] * bool(block.info) + ["open"] * (not block.closed)
        elif block.kind == "item" and not block.quoted:
            words += [block.marker.of(document.text), ascii_quoted(block.text.of(document.text))]
            words += [f"+{block.extra}"] * bool(block.extra)
        out += "  " * block.depth + " ".join(words) + " quoted" * block.quoted + "\n"
    return out


def ascii_quoted(text: str) -> str:
    return "«" + text.replace("\n", "⏎").replace("\t", "→") + "»"


def _cases() -> list[tuple[str, str, str]]:
    pattern = r"^## (.*?)\n.*?^`{4,}markdown\n(.*?)^`{4,}\n+`{4,}text\n(.*?)^`{4,}$"
    text = (CASES / "blocks.md").read_text("utf-8")
    return [(m[1], m[2], m[3]) for m in re.finditer(pattern, text, re.MULTILINE | re.DOTALL)]


@pytest.mark.parametrize(("name", "source", "expected"), _cases(), ids=lambda value: value[:40])
def test_case(name: str, source: str, expected: str) -> None:
    assert drawn(parse(source.replace("→", "\t").encode())) == expected


def test_nothing_is_lost_below_the_deepest_list() -> None:
    text = "- " * 60 + "x\n\n# After\n\n- y\n"
    document = parse(text.encode())
    assert [section.title for section in document.sections] == ["After"]
    assert document.entries[-1].text == "y"
    deepest = document.entries[-2]
    assert deepest.depth == 15
    assert deepest.text == "- " * 44 + "x"


def test_items_beside_the_deepest_list() -> None:
    text = "".join("  " * depth + "- a\n" for depth in range(40)) + "- b\n# T\n"
    document = parse(text.encode())
    assert document.entries[-1].text == "b"
    assert document.entries[-1].depth == 0
    assert [section.title for section in document.sections] == ["T"]


def test_nothing_is_lost_below_the_deepest_quote() -> None:
    document = parse((">" * 100 + "a\n\n# After\n").encode())
    assert [section.title for section in document.sections] == ["After"]
    assert [block.kind for block in document.blocks] == ["paragraph", "heading"]


@pytest.mark.parametrize("text", ["> - <!--\n> ", "> - <!--\r\n> ", "- > <div>\n  > "])
def test_a_file_may_end_behind_the_mark_of_a_quote(text: str) -> None:
    assert {block.kind for block in parse(text.encode()).blocks} >= {"html"}


@pytest.mark.parametrize("top", ["", "---\nkind: x\n---\n", "\ufeff"])
@pytest.mark.parametrize(
    ("body", "closed"), [("```\nx\n```\n", True), ("```\nx\n", False), ("```\n", False), ("```", False)]
)
def test_closed_means_a_closing_line(top: str, body: str, closed: bool) -> None:
    assert [block.closed for block in parse(f"{top}{body}".encode()).fences] == [closed]


@pytest.mark.parametrize("opening", ["# a", "[a]: b"])
def test_a_long_run_of_spaces_is_looked_through_once(opening: str) -> None:
    assert len(parse(f"{opening}{' ' * 300_000}b".encode()).sections) == 1  # looking back would take minutes


def test_many_openings_are_one_unclosed_comment() -> None:
    assert len(parse(b"<!--\n" * 2_000).comments) == 1


@pytest.mark.parametrize(
    ("line", "title"),
    [("## a ##", "a"), ("## a##", "a##"), ("##  a  \t", "a"), ("## a # b #", "a # b"), ("## #", ""), ("##", "")],
)
def test_a_closing_run_of_hashes_is_no_part_of_the_title(line: str, title: str) -> None:
    (section,) = parse(line.encode()).sections
    assert section.title == section.title_span.of(line) == title
