"""Every type that a method returns has a public name, and the names that a type checker reads are those that load."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from surface.annotations import PUBLIC, classes, is_ours, members, types_of

import mdmem

PLUMBING = {"config", "index", "meaning"}  # properties of a workspace that are no results
SOURCE = ast.parse(Path(mdmem.__file__).read_text("utf-8"))


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
    [block] = [one for one in SOURCE.body if isinstance(one, ast.If) and ast.unparse(one.test) == "TYPE_CHECKING"]
    read: dict[str, Any] = {}
    exec(compile(ast.Module(block.body, []), mdmem.__file__, "exec"), read)
    read.pop("__builtins__")
    assert sorted([*read, "__version__"]) == sorted(mdmem.__all__)
    assert [name for name, one in read.items() if getattr(mdmem, name) is not one] == []


def test_a_type_checker_does_not_see_the_function_that_loads_names() -> None:
    """It would take every name for one of type `Any`."""
    assert not [one for one in SOURCE.body if isinstance(one, ast.FunctionDef)]
    assert inspect.isfunction(vars(mdmem)["__getattr__"])
