"""The small files of the state folder are read whatever they contain, and old ones are removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.store.files import read_json, remove_older


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "one.json").write_bytes(data)
    assert read_json(str(tmp_path / "one.json"), 1_000_000) == {}


def test_neither_a_pipe_nor_a_link_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    (tmp_path / "one.json").write_text('{"a": 1}', "utf-8")
    (tmp_path / "link").symlink_to("one.json")
    assert [read_json(str(tmp_path / name), 100) for name in ("pipe", "link", "one.json")] == [{}, {}, {"a": 1}]


def test_what_cannot_be_removed_keeps_no_other_file(tmp_path: Path) -> None:
    for name in ("a", "b", "new"):
        (tmp_path / name).write_text("{}", "utf-8")
    for name in ("0", "1", "z"):
        (tmp_path / name).mkdir()
    for name in os.listdir(tmp_path):
        if name != "new":
            os.utime(tmp_path / name, (0, 0))
    remove_older(str(tmp_path), 60)
    assert sorted(os.listdir(tmp_path)) == ["0", "1", "new", "z"]
