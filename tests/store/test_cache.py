"""What the lint cache keeps, and what it must not bring back."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from mdmem.store.cache import Cache


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
