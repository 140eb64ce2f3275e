"""The public names of mdmem: what each is, the fields of records, the signatures of functions and methods."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Iterator
from textwrap import dedent
from typing import Any, Protocol

import mdmem

from .annotations import INTERNAL, PUBLIC, classes, members, shown, types_of

_WIDEST = 110  # characters of a signature on one line; a longer one has a line for each parameter
_KINDS = (("exception", BaseException), ("named tuple", tuple), ("protocol", Protocol))


def public_names() -> Iterator[str]:
    """Yield a line for each name: what it is."""
    wide = max(map(len, mdmem.__all__))
    for name in sorted(mdmem.__all__):
        yield f"{name:{wide}}  {kind_of(getattr(mdmem, name))}"


def kind_of(thing: Any) -> str:
    """Return what a public name stands for, in a word or two."""
    if not isinstance(thing, type):
        return "function" if inspect.isfunction(thing) else type(thing).__name__
    if dataclasses.is_dataclass(thing):
        return "dataclass"
    return next((word for word, base in _KINDS if base in thing.__mro__), "class")


def definitions() -> Iterator[str]:
    """Yield the block of each public class and function."""
    for name in sorted(mdmem.__all__):
        thing = getattr(mdmem, name)
        if inspect.isfunction(thing):
            yield f"{name}{signature(thing)}"
        elif isinstance(thing, type):
            lines = [*_fields(thing), *_attributes(thing), *_methods(thing)]
            yield "\n    ".join([_heading(name, thing), *(line.replace("\n", "\n    ") for line in lines)])


def _heading(name: str, kind: type) -> str:
    bases = [PUBLIC[one] for one in kind.__bases__ if one in PUBLIC]
    return f"{name}: {kind_of(kind)}{' of ' + ', '.join(bases) if bases else ''}"


def _fields(kind: Any) -> Iterator[str]:
    """Yield the public attributes that a class annotates or sets; of an exception, those of its errors too."""
    defaults: dict[str, Any] = getattr(kind, "_field_defaults", {})
    if dataclasses.is_dataclass(kind):
        defaults = {one.name: one.default for one in dataclasses.fields(kind)}
    for name, type_ in types_of(kind).items():
        if not name.startswith("_"):
            default = defaults.get(name, dataclasses.MISSING)
            yield f"{name}: {shown(type_)}{'' if default is dataclasses.MISSING else f' = {default!r}'}"
    if issubclass(kind, mdmem.MdmemError):
        yield f"code = {kind.code!r}, exit_code = {int(kind.exit_code)}"


def _attributes(kind: type) -> Iterator[str]:
    """Yield the public attributes that `__init__` sets, which bear no annotations."""
    found = set()
    for one in kind.__mro__:
        if inspect.isfunction(init := vars(one).get("__init__")) and not dataclasses.is_dataclass(one):
            for node in ast.walk(ast.parse(dedent(inspect.getsource(init)))):
                if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and node.attr[0] != "_":
                    found.add(node.attr)
    if found:
        yield f"attributes: {', '.join(sorted(found))}"


def _methods(kind: Any) -> Iterator[str]:
    for name, what, function in members(kind):
        if name == "__init__" and any(shown(one) == INTERNAL for each in types_of(function).values()
                                      for one in classes(each)):  # fmt: skip
            continue  # only mdmem itself can call it
        if what == "property":
            yield f"{name}: {shown(types_of(function)['return'])}"
        else:
            yield f"{'' if what == 'method' else what + ' '}{name}{signature(function)}"


def signature(function: Any) -> str:
    """Return the parameters of a function with their types and defaults, and what it returns."""
    types = types_of(function)
    parameters = [
        one.replace(annotation=_Shown(types[one.name]) if one.name in types else one.annotation)
        for one in inspect.signature(function).parameters.values()
        if one.name not in {"self", "cls"}
    ]
    found = str(inspect.Signature(parameters, return_annotation=_Shown(types.get("return"))))
    if len(found) <= _WIDEST:
        return found
    lines = [f"\n    {one}," for one in parameters]
    keywords = [one.kind is one.KEYWORD_ONLY for one in parameters]
    if any(keywords):
        lines.insert(keywords.index(True), "\n    *,")
    return f"({''.join(lines)}\n) -> {shown(types.get('return'))}"


class _Shown:
    """A type that `inspect` prints as `shown` writes it."""

    def __init__(self, type_: Any) -> None:
        self.text = shown(type_)

    def __repr__(self) -> str:
        """Return the type as written."""
        return self.text
