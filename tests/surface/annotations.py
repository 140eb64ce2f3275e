"""Reads the annotations of mdmem's public objects, and shows types by the names that `mdmem` exports."""

from __future__ import annotations

import ast
import inspect
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from functools import cache, cached_property
from types import FunctionType, NoneType, UnionType
from typing import Any, ForwardRef, Literal, TypeVar, Union, get_args, get_origin

import mdmem

PUBLIC = {getattr(mdmem, name): name for name in mdmem.__all__ if name != "__version__"}
INTERNAL = "internal"  # the type of a class that `mdmem` does not export


@cache
def _names(module: str) -> dict[str, Any]:
    """Return what the annotations of a module may name, with its imports for type checkers."""
    names = dict(vars(sys.modules[module]))
    for node in ast.parse(inspect.getsource(sys.modules[module])).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            imports: list[ast.stmt] = [one for one in node.body if isinstance(one, ast.Import | ast.ImportFrom)]
            exec(compile(ast.Module(imports, []), module, "exec"), names)
    return names


def types_of(thing: Any) -> dict[str, Any]:
    """Return the types that a function or a class annotates, by name, evaluated."""
    found = vars(thing).get("__annotations__", {}) if isinstance(thing, type) else thing.__annotations__
    return {name: read(one, thing.__module__) for name, one in found.items()}


def read(annotation: Any, module: str) -> Any:
    """Evaluate an annotation that is still a text; `typing.NamedTuple` wraps it in a `ForwardRef`."""
    annotation = annotation.__forward_arg__ if isinstance(annotation, ForwardRef) else annotation
    return eval(annotation, _names(module)) if isinstance(annotation, str) else annotation


def is_ours(thing: Any) -> bool:
    """Return True for a class that mdmem defines."""
    return isinstance(thing, type) and thing.__module__.partition(".")[0] == "mdmem"


def classes(annotation: Any) -> Iterator[Any]:
    """Yield the classes of mdmem that an annotation names."""
    if is_ours(annotation):
        yield annotation
    if get_origin(annotation) is not Literal:
        for one in get_args(annotation):
            yield from (inner for part in (one if isinstance(one, list) else [one]) for inner in classes(part))


def members(kind: Any) -> Iterator[tuple[str, str, Any]]:
    """Yield the public members that mdmem gives a class: name, what it is, and the function behind it."""
    for name in sorted(dir(kind)):
        found = inspect.getattr_static(kind, name)
        if name == "__init__" and is_dataclass(kind):
            continue  # its fields say the same
        if name.startswith("_") and name not in {"__init__", "__enter__", "__iter__", "__len__", "__call__"}:
            continue
        if isinstance(found, property | cached_property):
            yield name, "property", found.fget if isinstance(found, property) else found.func
        elif isinstance(found, classmethod | staticmethod):
            yield name, type(found).__name__, found.__func__
        elif isinstance(found, FunctionType) and found.__module__.startswith("mdmem"):
            yield name, "method", found


def shown(annotation: Any) -> str:
    """Write a type; a class is named as `mdmem` exports it, whatever it is called where it is defined."""
    origin, given = get_origin(annotation), get_args(annotation)
    if annotation is None or annotation is NoneType:
        return "None"
    if annotation is Ellipsis:
        return "..."
    if isinstance(annotation, list):
        return f"[{', '.join(map(shown, annotation))}]"
    if origin in {Union, UnionType}:
        return " | ".join(map(shown, given))
    if origin is Literal:
        return f"Literal[{', '.join(map(repr, given))}]"
    if origin is not None:
        return f"{shown(origin)}[{', '.join(map(shown, given))}]"
    if annotation in PUBLIC:
        return PUBLIC[annotation]
    if is_ours(annotation):
        return INTERNAL
    if annotation is Any or isinstance(annotation, TypeVar):
        return str(annotation).replace("typing.", "")
    return str(getattr(annotation, "__qualname__", None) or annotation)
