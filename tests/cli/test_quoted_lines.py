"""No report of `lint` quotes a line with a secret, whichever rules were chosen."""

from __future__ import annotations

from pathlib import Path

import pytest

from .conftest import Run

SECRET = "Larch!Moss77"
LINES = {
    "MM303": f"* the wifi password is {SECRET}",
    "MM310": f"- since yesterday the wifi password is {SECRET}",
    "MM308": f"- the wifi password is {SECRET}",
    "MM103": f"- the wifi password is {SECRET}\r\n- tea\n- more",
}


@pytest.mark.parametrize("output", ["text", "json", "github", "sarif"])
@pytest.mark.parametrize("code", LINES)
def test_a_rule_by_itself_quotes_no_secret(mdmem: Run, folder: Path, code: str, output: str) -> None:
    (folder / "MEMORY.md").write_bytes(f"# Memory\n\n## Key Events\n\n{LINES[code]}\n".encode())
    done = mdmem("lint", "--select", code, "--format", output, "MEMORY.md")
    assert SECRET not in done.stdout + done.stderr


def test_other_lines_are_quoted(mdmem: Run, folder: Path) -> None:
    (folder / "MEMORY.md").write_text(
        f"# Memory\n\n## Key Events\n\n- since yesterday Ann likes tea\n{LINES['MM310']}\n"
    )
    done = mdmem("lint", "--select", "MM310", "MEMORY.md")
    assert "Ann likes tea" in done.stdout
    assert done.stdout.count("MM310") == 2
    assert SECRET not in done.stdout
