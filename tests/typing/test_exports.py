"""Every type that a method returns has a public name, and the names that a type checker reads are those that load."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from public_names import FILE, stub
from surface.annotations import PUBLIC, classes, is_ours, members, types_of

import mdmem

PLUMBING = {"config", "index", "meaning"}  # properties of a workspace that are no results


def returned(kind: Any, leave_out: set[str]) -> Iterator[tuple[str, Any]]:
    """Yield the classes that the members of a class return, and those that its fields hold, with who names them."""
    for name, annotation in types_of(kind).items():
        if not name.startswith("_"):
            yield from ((f"{kind.__name__}.{name}", one) for one in classes(annotation))
    for name, _, function in members(kind):
        if name not in leave_out:
            yield from ((f"{kind.__name__}.{name}", one) for one in classes(types_of(function).get("return")))


def test_every_type_that_a_method_returns_is_exported() -> None:
    seen: set[Any] = set()
    missing, left = [], [("Workspace", mdmem.Workspace)]
    while left:
        where, kind = left.pop()
        if kind not in seen and is_ours(kind):
            seen.add(kind)
            missing += [f"{where} names {kind.__module__}.{kind.__name__}"] if kind not in PUBLIC else []
            left += returned(kind, PLUMBING if kind is mdmem.Workspace else set())
    assert len(seen) > 40
    assert sorted(missing) == [], "export these in mdmem/__init__.py"


def test_the_names_that_a_type_checker_reads_are_those_that_load() -> None:
    assert FILE.read_text("utf-8") == stub(), "run `python -m tests.public_names`"
    assert [name for name in mdmem.__all__ if getattr(mdmem, name, None) is None] == []
