"""`mdmem attach` and `mdmem forget --files`, as people type them."""

from __future__ import annotations

import json
from pathlib import Path

from .conftest import Run

JPEG = b"\xff\xd8\xff\xe0" + b"\0\x10JFIF" * 20


def test_a_picture_a_voice_and_an_address(mdmem: Run, folder: Path) -> None:
    (folder / "cat.jpg").write_bytes(JPEG)
    (folder / "memo.ogg").write_bytes(b"OggS" + b"\0\2" * 20)
    done = mdmem("attach", "cat.jpg", "-d", "一只橘猫趴在沙发上", "--tags", "猫,家", "--lang", "zh")
    assert (done.returncode, done.stderr) == (0, "")
    assert mdmem("attach", "memo.ogg", "https://example.org/a.pdf", "--session", "20260213_103000_x").returncode == 0
    assert mdmem("attach", "describe", "memo", "--transcription", "明早八点在虹桥站").returncode == 0
    assert mdmem("attach", "describe", "cat", "摄于外婆家").returncode == 0
    assert "attachments/cat.md" in mdmem("search", "上次我发给你的那张猫的照片").stdout.splitlines()[0]
    assert "attachments/memo.md" in mdmem("search", "虹桥站").stdout.splitlines()[0]
    listed = json.loads(mdmem("attach", "list", "--json").stdout)["attachments"]
    assert {one["id"]: one["mime_type"] for one in listed} == {
        "cat": "image/jpeg", "memo": "audio/ogg", "a": "application/pdf",
    }  # fmt: skip
    shown = json.loads(mdmem("attach", "show", "cat", "--json").stdout)
    assert (shown["description"], shown["tags"]) == ("一只橘猫趴在沙发上\n摄于外婆家", ["猫", "家"])
    assert "摄于外婆家" in mdmem("attach", "show", "cat").stdout


def test_the_text_of_a_file_comes_from_a_file_or_the_standard_input(mdmem: Run, folder: Path) -> None:
    (folder / "letter.pdf").write_bytes(b"%PDF-1.4\n\0")
    (folder / "letter.txt").write_text("Dear Ada,\nthe lamp arrived.\n", "utf-8")
    assert mdmem("attach", "letter.pdf", "--direction", "outbound", "--text-file", "letter.txt").returncode == 0
    assert mdmem("attach", "describe", "letter", "--text-file", "-", given="Yours, Ben\n").returncode == 0
    shown = json.loads(mdmem("attach", "show", "letter", "--json").stdout)
    assert (shown["direction"], shown["text"]) == ("outbound", "Dear Ada,\nthe lamp arrived.\nYours, Ben")


def test_what_cannot_be_attached_is_told_and_nothing_is_written(mdmem: Run, folder: Path) -> None:
    (folder / "link.jpg").symlink_to("cat.jpg")
    for source in ("", "nothing.jpg", "link.jpg", ".", "file:///etc/hostname"):
        done = mdmem("attach", source)
        assert done.returncode not in (0, 1), source
        assert "Traceback" not in done.stderr
        assert str(folder) not in done.stderr
    assert mdmem("attach").returncode == 2
    assert not (folder / "attachments").exists()


def test_forget_takes_the_picture_only_where_it_is_asked_to(mdmem: Run, folder: Path) -> None:
    (folder / "cat.jpg").write_bytes(JPEG)
    mdmem("attach", "cat.jpg", "-d", "a ginger cat on the sofa")
    assert "attachments/cat.jpg" in mdmem("forget", "ginger", "cat", "--yes").stdout
    assert (folder / "attachments" / "cat.jpg").exists()
    mdmem("attach", "describe", "cat", "striped, from Lyon")
    assert mdmem("forget", "striped", "--files", "--yes").returncode == 0
    assert list((folder / "attachments").iterdir()) == []
