"""Our JSON is JSON."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from mdmem.store import compact

VALUES = some.recursive(
    some.none() | some.booleans() | some.integers() | some.floats(allow_nan=False) | some.text(),
    lambda inner: some.lists(inner, max_size=4) | some.dictionaries(some.text(), inner, max_size=4),
    max_leaves=12,
)


@pytest.fixture(params=["c", "python"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Try both ways, whichever this Python has."""
    scan, encode = compact._in_python() if request.param == "python" else (compact._scan, compact._encode)
    monkeypatch.setattr(compact, "_scan", scan)
    monkeypatch.setattr(compact, "_encode", encode)


@given(VALUES)
def test_it_writes_and_reads_as_json_does(value: Any) -> None:
    data = compact.dumps(value)
    assert data == json.dumps(value, separators=(",", ":")).encode()
    assert compact.loads(data) == value == json.loads(data)


@pytest.mark.parametrize("broken", [b"", b" 1", b"1 ", b"[1,", b"{1:2}", b"nul", b"[]]", b'"\n"', b"\xff"])
def test_what_is_no_such_json_is_an_error(broken: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - of several kinds
        compact.loads(broken)


def test_what_json_cannot_hold_is_refused() -> None:
    circle: list[object] = []
    circle.append(circle)
    for value, error in ((object(), TypeError), (circle, RecursionError)):
        with pytest.raises(error):
            compact.dumps(value)
