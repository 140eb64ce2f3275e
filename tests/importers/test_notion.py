"""Notion's export: names lose their ids, links keep leading to their pages, tables become notes, no zip harms."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from mdmem import RefusedError, Workspace

from .samples import put
from .test_import import adds_up

A, B, C = "a" * 32, "b" * 32, "0123456789abcdef" * 2
FILES = {
    f"Orchard {A}.md": f"# Orchard\n\nSee [pears](Orchard%20{A}/Pears%20{B}.md#spring), [rows](Trees%20{C}.csv)"
    " and [a site](https://example.org/x).\n",
    f"Orchard {A}/Pears {B}.md": f"# Pears\n\nBack to [the orchard](../Orchard%20{A}.md).\n",
    f"Trees {C}.csv": "\ufeffName,Age\nOld oak,90\n",
    f"Trees {C}_all.csv": '\ufeffName,Age\nOld oak,90\n"Ash | young",3\n',
    f"Trees/Old oak {'d' * 32}.md": "# Old oak\n\nAge: 90\n",
}


def packed(files: dict[str, str | bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return made.getvalue()


def text(workspace: Workspace, name: str) -> str:
    return (Path(workspace.root) / "notes/notion" / name).read_text("utf-8")


@pytest.mark.parametrize("form", ["folder", "zip", "zip in a zip"])
def test_pages_and_tables_become_notes(form: str, workspace: Workspace, source: Path) -> None:
    if form == "folder":
        for name, content in FILES.items():
            put(source, name, content)
        place = source
    else:
        data = packed(dict(FILES))
        place = source / "e.zip"
        part = "ExportBlock-12345678-aaaa-bbbb-cccc-1234567890ab-Part-1.zip"
        place.write_bytes(data if form == "zip" else packed({part: data}))
    report = workspace.import_from(place)
    assert (report.system, report.written, report.skipped, report.refused) == ("notion", 4, 1, 0), report.items
    assert adds_up(report)
    assert "[pears](Orchard/Pears.md#spring), [rows](Trees.md)" in text(workspace, "Orchard.md")
    assert "https://example.org/x" in text(workspace, "Orchard.md")
    assert "[the orchard](../Orchard.md)" in text(workspace, "Orchard/Pears.md")
    assert "| [Old oak](Trees/Old%20oak.md) | 90 |\n| Ash \\| young | 3 |" in text(workspace, "Trees.md")
    assert workspace.import_from(place).written == 0
    assert not [one for one in workspace.lint().diagnostics if one.severity == "error"]


def test_two_pages_of_one_name_stay_two(workspace: Workspace, source: Path) -> None:
    put(source, f"Tea {A}.md", "green\n")
    put(source, f"Tea {B}.md", f"[other](Tea%20{A}.md)\n")
    assert workspace.import_from(source).written == 2
    assert text(workspace, "Tea.md") == "green\n"
    assert text(workspace, "Tea 2.md") == "[other](Tea.md)\n"


@pytest.mark.parametrize("table", ['a,b\n"never closed\n', 'a,b\n"x"y,1\n'])
def test_a_broken_table_is_told(table: str, workspace: Workspace, source: Path) -> None:
    put(source, f"T {A}.csv", table)
    put(source, f"P {B}.md", "kept\n")
    report = workspace.import_from(source)
    assert (report.written, report.refused) == (1, 1)


PART = "Export-12345678-aaaa.zip"
PAGE: dict[str, str | bytes] = {f"P {A}.md": "kept\n"}


@pytest.mark.parametrize(
    "harm",
    [
        {PART: packed({"../out.md": "x"})},
        {PART: packed({f"Q {A}.md": bytes(20_000_000)})},
        {PART: packed({f"P {A}.md": "twice"})},
        {"/etc/x.md": "x"},
        {"a\\..\\x.md": "x"},
    ],
)
def test_a_part_that_could_harm_is_refused(harm: dict[str, bytes], workspace: Workspace, source: Path) -> None:
    (source / "e.zip").write_bytes(packed({**PAGE, **harm}))
    with pytest.raises(RefusedError):
        workspace.import_from(source / "e.zip")
    assert not (Path(workspace.root) / "notes").exists()


@pytest.mark.parametrize("part", [b"PK\x03\x04broken", packed({"deeper.zip": packed({"x.md": "x"})})])
def test_a_broken_part_and_a_third_zip_are_told(part: bytes, workspace: Workspace, source: Path) -> None:
    (source / "e.zip").write_bytes(packed({**PAGE, PART: part}))
    report = workspace.import_from(source / "e.zip")
    assert (report.written, report.refused + report.skipped) == (1, 1)


def test_encrypted_members_are_told(workspace: Workspace, source: Path) -> None:
    data = bytearray(packed({**PAGE, f"Q {B}.md": "x"}))
    at = data.rindex(b"PK\x01\x02")
    data[at + 8] |= 1
    (source / "e.zip").write_bytes(data)
    report = workspace.import_from(source / "e.zip")
    assert (report.written, report.refused) == (1, 1)


@pytest.mark.parametrize(("name", "written"), [("梨".encode(), 2), ("梨".encode("gbk"), 1), (b"p\xe9che", 1)])
def test_a_name_that_is_not_utf8_is_told(name: bytes, written: int, workspace: Workspace, source: Path) -> None:
    """UTF-8 without the flag that says so is read as what it is."""
    stand_in = b"x" * len(name)
    data = packed({**PAGE, f"{stand_in.decode()} {B}.md": "pear\n"})
    (source / "e.zip").write_bytes(data.replace(stand_in, name))
    report = workspace.import_from(source / "e.zip")
    assert (report.written, report.refused) == (written, 2 - written), report.items
