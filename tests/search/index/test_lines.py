"""The quick reading of plain files and the parser's agree wherever the quick one dares to speak."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mdmem.search.index.row_text import FileBlock, parsed_lines, plain_lines, read_lines
from mdmem.text.document import Document, parse
from mdmem.workspace import Workspace

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


def test_a_file_of_many_carriage_returns_is_one_text_as_for_the_linter() -> None:
    for ending in ("\n", "\r", "\r\n"):
        document = parse((f"- tulips{ending}" * 60).encode())
        assert {line.kind for line in read_lines(document, 50)} == {"text"}
        assert {line.kind for line in read_lines(document, 100)} == {"entry"}


def test_a_pack_reads_the_lines_below_the_limit_whatever_ends_them(tmp_path: Path) -> None:
    (tmp_path / "mdmem.toml").write_text('lang = "en"\n[lint]\nmax_lines = 100\n', "utf-8")
    for ending in ("\n", "\r", "\r\n"):
        rows = ["# Memory", "", "## Notes", "", *(f"- 2026-01-02: tulip {n}" for n in range(300))]
        (tmp_path / "MEMORY.md").write_text(ending.join(rows), "utf-8", newline="")
        text = Workspace(tmp_path, cache=False).pack(budget=100_000).text
        assert "tulip 50\n" in text
        assert "tulip 250\n" not in text, repr(ending)
