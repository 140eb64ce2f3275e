"""The quick reading of plain files and the parser's agree wherever the quick one dares to speak."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.index.row_text import FileBlock, parsed_lines, plain_lines
from mdmem.text.document import Document

PIECES = st.sampled_from(
    [
        "- ", "* ", "+ ", "-", "# ", "## ", "#", "\n", "\n", "\n\n", "word", "中文", "1. ", "12) ", "> ", "```", "~~~",
        "---",
        "===", "***", "[ ] ", "[x] ", "[a]: b", "[节]", "  ", "    ", "\t", "**b**", "`c`", "<b>", "<!-- x -->",
        "|a|b|",
        "|-|-|", ": ", "\\", "\u3000", "\u2028", "🎉", "(x)", '"q"', "'", "!", "_", "2026-02-13：",
        "&amp;", "\r\n", "\x0c",
    ]
)  # fmt: skip


def both(text: str) -> tuple[list[FileBlock] | None, list[FileBlock]]:
    document = Document(text.encode())
    return plain_lines(document.text, document.start), list(parsed_lines(document))


@given(st.lists(PIECES, max_size=24).map("".join) | st.text(max_size=60))
def test_a_plain_file_reads_the_same_either_way(text: str) -> None:
    quick, parsed = both(text)
    assert quick is None or quick == parsed


@pytest.mark.parametrize("path", sorted(Path("workspace").rglob("*.md")), ids=str)
def test_so_do_our_own_files(path: Path) -> None:
    quick, parsed = both(path.read_text("utf-8"))
    assert quick is None or quick == parsed


def test_most_memories_are_plain() -> None:
    quick, _ = both("# 记忆\n\n## 偏好\n\n- 2026-02-13：面试\n- [ ] todo #x\n\nA line\nand another.\n")
    assert quick is not None
    assert [line.kind for line in quick] == ["heading", "heading", "entry", "entry", "text"]


def test_an_entry_is_read_once_and_what_is_below_it_too() -> None:
    _, parsed = both("- one\n  - two\n\n  below\n\n> - quoted\n\n| a |\n|---|\n| b |\n")
    assert [(line.kind, line.line) for line in parsed] == [
        ("entry", 0), ("entry", 1), ("text", 3), ("text", 5), ("text", 7),
    ]  # fmt: skip
