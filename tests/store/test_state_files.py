"""The small files of the state folder are read whatever they contain, and old ones are removed."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mdmem.store.files import read_json
from mdmem.store.root import remove_older


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_empty(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "one.json").write_bytes(data)
    assert read_json(str(tmp_path), "one.json", 1_000_000) == {}


def test_neither_a_pipe_nor_a_link_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # opening it would wait for a writer
    (tmp_path / "one.json").write_text('{"a": 1}', "utf-8")
    (tmp_path / "link").symlink_to("one.json")
    assert [read_json(str(tmp_path), name, 100) for name in ("pipe", "link", "one.json")] == [{}, {}, {"a": 1}]


def test_no_file_behind_a_link_is_read(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "one.json").write_text('{"a": 1}', "utf-8")
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / "states").symlink_to(tmp_path / "elsewhere")
    assert read_json(str(tmp_path / "root"), "states/one.json", 100) == {}


def test_what_cannot_be_removed_keeps_no_other_file(tmp_path: Path) -> None:
    states = tmp_path / "states"
    for name in ("a", "b", "new"):
        states.mkdir(exist_ok=True)
        (states / name).write_text("{}", "utf-8")
    for name in ("0", "1", "z"):
        (states / name).mkdir()
    for name in os.listdir(states):
        if name != "new":
            os.utime(states / name, (0, 0))
    remove_older(str(tmp_path), "states", 60)
    assert sorted(os.listdir(states)) == ["0", "1", "new", "z"]


@pytest.mark.parametrize("target", ["elsewhere", "root/facts"])
def test_nothing_behind_a_link_is_removed(tmp_path: Path, target: str) -> None:
    old = tmp_path / target / "will.md"
    old.parent.mkdir(parents=True)
    old.write_text("mine", "utf-8")
    os.utime(old, (0, 0))
    (tmp_path / "root" / "states").parent.mkdir(exist_ok=True)
    (tmp_path / "root" / "states").symlink_to(tmp_path / target)
    remove_older(str(tmp_path / "root"), "states", 1)
    assert old.exists()
