"""What the lint cache keeps, and what it must not bring back."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from mdmem.store.cache import UNUSED_DAYS, Cache


class Pair(NamedTuple):
    one: int
    two: tuple[str, ...]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "mdmem"


def test_values_come_back_as_json_would_give_them(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    cache.put("a", {"pair": Pair(1, ("x", "记忆\udc80")), "none": None, "list": [1.5, True]})
    cache.save(complete=False)
    assert Cache(str(tmp_path)).get("a") == {"pair": [1, ["x", "记忆\udc80"]], "none": None, "list": [1.5, True]}


def test_a_record_that_was_changed_is_none(tmp_path: Path, home: Path) -> None:
    cache = Cache(str(tmp_path))
    for key in "ab":
        cache.put(key, [key])
    cache.save(complete=False)
    (place,) = home.iterdir()
    data = place.read_bytes()
    place.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    assert (Cache(str(tmp_path)).get("a"), Cache(str(tmp_path)).get("b")) == (["a"], None)


def test_what_was_forgotten_meanwhile_does_not_come_back(tmp_path: Path) -> None:
    first = Cache(str(tmp_path))
    first.put("old", ["secret"])
    first.save(complete=False)
    late = Cache(str(tmp_path))
    Cache(str(tmp_path)).forget()
    late.put("new", ["other"])
    late.save(complete=False)
    again = Cache(str(tmp_path))
    assert (again.get("old"), again.get("new")) == (None, ["other"])


def _made(path: Path, days: float, text: str = "x") -> Path:
    path.write_text(text)
    at = time.time() - days * 86_400
    os.utime(path, (at, at))
    return path


def _save(root: Path) -> None:
    cache = Cache(str(root))
    cache.put("a", 1)
    cache.save(complete=False)


def test_the_first_file_of_a_workspace_removes_files_that_nobody_has_written_for_long(
    tmp_path: Path, home: Path
) -> None:
    home.mkdir(parents=True)
    name = "0123456789abcdef" * 2
    old = [
        _made(home / one, UNUSED_DAYS + 1) for one in (f"lint-{name}", f"shipped-{name}", f"lint-{name}.{'a' * 16}.tmp")
    ]
    kept = [_made(home / f"lint-{name[::-1]}", UNUSED_DAYS - 1)]
    others = ("notes", "help-en", "messages-zh", f"lint-{name}.bak", f"xlint-{name}", "lint-short")
    kept += [_made(home / one, 10 * UNUSED_DAYS) for one in others]
    _save(tmp_path)
    assert not [one.name for one in old if one.exists()]
    assert [one.read_text() for one in kept] == ["x"] * len(kept)
    assert len(list(home.iterdir())) == len(kept) + 1


def test_a_link_and_a_folder_with_the_name_of_a_cache_file_stay(tmp_path: Path, home: Path) -> None:
    home.mkdir(parents=True)
    outside = _made(tmp_path / "outside", 10 * UNUSED_DAYS)
    link, folder = home / f"lint-{'a' * 32}", home / f"lint-{'b' * 32}"
    link.symlink_to(outside)
    folder.mkdir()
    for one in (link, folder):
        os.utime(one, (0, 0), follow_symlinks=False)
    _save(tmp_path)
    assert (link.is_symlink(), folder.is_dir(), outside.read_text()) == (True, True, "x")


def test_a_workspace_that_has_a_cache_file_does_not_look_at_the_others(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _save(tmp_path)
    old = _made(home / f"lint-{'a' * 32}", 10 * UNUSED_DAYS)
    monkeypatch.setattr("mdmem.store.cache.os.scandir", None)
    _save(tmp_path)
    assert old.exists()


def test_an_old_file_that_cannot_be_removed_stops_nothing(
    tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir(parents=True)
    _made(home / f"lint-{'a' * 32}", 10 * UNUSED_DAYS)

    def refuse(_: str) -> None:
        raise PermissionError

    monkeypatch.setattr("mdmem.store.cache.os.unlink", refuse)
    _save(tmp_path)
    assert Cache(str(tmp_path)).get("a") == 1
