"""Lines that other programs end with a carriage return."""

from __future__ import annotations

from pathlib import Path

from mdmem.search.index.row_text import read_lines
from mdmem.text.document import parse
from mdmem.workspace import Workspace


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
