"""`typing.NamedTuple` for a program that is started for one file: the same classes at a tenth of the price.

`typing` compiles every annotation as soon as a class is made, whether or not anybody asks for one. Here their names are
all that is read, and what all classes share is inherited. A class of which many instances are made, or that is called
wrongly, gets a `__new__` of its own as theirs have; the first few are put together by hand, for most are few. For a
type checker it is `typing.NamedTuple` itself; the module that defines a class must postpone its annotations.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, Self

try:  # in C, as `collections.namedtuple` reads its items
    from _collections import _tuplegetter as _getter  # type: ignore[import-not-found]
except ImportError:

    def _getter(index: int, doc: str) -> property:
        return property(lambda self: tuple.__getitem__(self, index), doc=doc)


class Record(tuple[Any, ...]):
    """What every named tuple can do."""

    __slots__ = ()
    if TYPE_CHECKING:
        _fields: ClassVar[tuple[str, ...]]

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Self:
        made = tuple.__new__(cls, values)
        if len(made) != len(cls._fields):
            raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
        return made

    def _replace(self, /, **changes: object) -> Self:
        made = self._make(map(changes.pop, self._fields, self))
        if changes:
            raise TypeError(f"Got unexpected field names: {list(changes)!r}")
        return made

    __replace__ = _replace

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def __repr__(self) -> str:
        """Name the class, its fields and their values."""
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Give what copying and pickling hand to `__new__`."""
        return tuple(self)


_BY_HAND = 64  # instances that cost together what it costs to compile a `__new__`
_getters: list[Any] = []  # one for each place, shared by all classes


def _class(name: str, namespace: dict[str, Any]) -> type:
    """Make the class of a body whose annotations name the fields."""
    fields = tuple(namespace.get("__annotations__", ()))
    defaults = {field: namespace[field] for field in fields if field in namespace}
    if fields[len(fields) - len(defaults) :] != tuple(defaults):
        raise TypeError(f"{name}: a field without a default follows one that has one")
    _getters.extend(_getter(index, f"Alias for field number {index}") for index in range(len(_getters), len(fields)))

    left = _BY_HAND

    def early(cls: type, /, *values: object, **named: object) -> object:
        nonlocal left
        left -= 1
        if left >= 0 and not named and len(values) == len(fields):
            return tuple.__new__(cls, values)
        made.__new__ = staticmethod(_new(name, fields, tuple(defaults.values())))
        return made.__new__(cls, *values, **named)

    namespace.update(zip(fields, _getters, strict=False))
    namespace.update(__slots__=(), __new__=early, __match_args__=fields, _fields=fields, _field_defaults=defaults)
    made: Any = type(name, (Record,), namespace)
    return made  # type: ignore[no-any-return]


def _new(name: str, fields: tuple[str, ...], defaults: tuple[object, ...]) -> Callable[..., Any]:
    """Write the `__new__` that takes these fields by place and by name."""
    names = "".join(f"{field}, " for field in fields)
    line = f"lambda _cls, {names}: _make(_cls, ({names}))"
    made: Any = eval(line, {"_make": tuple.__new__, "__builtins__": {}})  # noqa: S307 - field names only
    made.__name__, made.__qualname__, made.__defaults__ = "__new__", f"{name}.__new__", defaults
    return made  # type: ignore[no-any-return]


class _Maker(type):
    def __new__(cls, name: str, _bases: tuple[type, ...], namespace: dict[str, Any]) -> type:
        """Make a named tuple of a class below `NamedTuple`."""
        return _class(name, namespace)


if TYPE_CHECKING:
    from typing import NamedTuple as NamedTuple  # noqa: PLC0414 - a public name
else:
    NamedTuple = type.__new__(_Maker, "NamedTuple", (), {})
