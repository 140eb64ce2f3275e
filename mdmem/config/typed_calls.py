"""The types of arguments, checked when a public method is called: a wrong one is named in one sentence.

A type checker finds the same mistakes before the program runs. The annotations are read as they are written, so this
costs no import: a parameter of another type than those of `_TYPES` is left to the method.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from types import FunctionType, NoneType
from typing import Any

from mdmem.errors import MdmemError, UnfinishedError
from mdmem.messages.catalog import say
from mdmem.messages.translated_errors import in_language

_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,), "int": (int,), "float": (int, float), "bool": (bool,), "bytes": (bytes,), "None": (NoneType,),
}  # fmt: skip
_LISTS = ("Sequence[", "Iterable[", "list[", "tuple[")
_MAPPING = "Mapping["
_UNCHANGED = "nothing was changed"  # of the file that an error is about
_TEXTS = "Sequence[str]"


class TypedCalls:
    """A public class: its methods check their arguments, `dir` lists its public names, `repr` says what it is."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        for name, value in list(vars(cls).items()):
            if isinstance(value, FunctionType) and (name == "__call__" or not name.startswith("_")):
                setattr(cls, name, _checked(value))

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_") or name.startswith("__")]

    def __repr__(self) -> str:
        config = getattr(self, "_config", None)
        return f"<{type(self).__name__}{f' of {config.root!r}' if config else ''}>"


def several(texts: str | Sequence[str]) -> Sequence[str]:
    """Return one text, or several, as several; an empty text is none."""
    return ((texts,) if texts else ()) if isinstance(texts, str) else texts


def _checked(function: FunctionType) -> Callable[..., Any]:
    """Return a method that checks its arguments first; raises TypeError."""
    known = {name: kinds for name, written in function.__annotations__.items() if (kinds := _kinds(str(written)))}
    names = function.__code__.co_varnames[1 : function.__code__.co_argcount]

    @wraps(function)
    def method(self: object, *args: Any, **named: Any) -> Any:  # noqa: ANN401 - those of the method
        for name, value in (*zip(names, args, strict=False), *named.items()):
            if (kinds := known.get(name)) and (problem := _problem(name, value, kinds)):
                raise TypeError(f"{type(self).__name__}.{function.__name__}: {problem}")
        before = _writes(self)
        try:
            return function(self, *args, **named)
        except MdmemError as error:
            _translate(self, error, has_written=_writes(self) > before)
            raise
        except TypeError as error:
            if error.__traceback__ and error.__traceback__.tb_next:  # raised inside the method
                raise
            said = str(error).replace(function.__qualname__, f"{type(self).__name__}.{function.__name__}")
            raise TypeError(said) from None  # the class that the caller knows, which may inherit the method

    return method


def _writes(owner: object) -> int:
    """Return how often the workspace of an object has been written to through it."""
    known = vars(owner)  # before the first call, its configuration may not have been read
    config = known.get("_config") or known.get("config")
    return config.writes if config else 0


def _translate(owner: object, error: MdmemError, *, has_written: bool) -> None:
    """Translate an error into the language of the workspace; of a method that has written, say that this stays."""
    if config := getattr(owner, "_config", None) or getattr(owner, "config", None):
        with suppress(MdmemError):  # the settings are broken, and the language is in them
            in_language(error, config.lang)
            if has_written and not isinstance(error, UnfinishedError):
                _tell_what_stays(error, config.lang)


def _tell_what_stays(error: MdmemError, lang: str) -> None:
    """Add to the hint of an error that earlier changes of the same call are made; «nothing was changed» is not so."""
    stays = say(lang, "pen.stays")
    if stays not in error.hint:
        hints = ("" if _UNCHANGED in error.hint_template else error.hint, stays)
        error.hint = error.hint_template = say(lang, "punctuation.clause").join(filter(None, hints))


def _kinds(written: str) -> tuple[str, ...]:
    """Return the types of an annotation; empty if one of them is not checked."""
    kinds = tuple(kind.strip() for kind in _split(written))
    fits = all(kind in _TYPES or kind.startswith((*_LISTS, _MAPPING)) for kind in kinds)
    return kinds if fits else ()


def _split(written: str) -> Iterable[str]:
    """Yield the alternatives of an annotation; a bar in brackets separates none."""
    depth, begin = 0, 0
    for at, char in enumerate(written):
        depth += (char == "[") - (char == "]")
        if char == "|" and not depth:
            yield written[begin:at]
            begin = at + 1
    yield written[begin:]


def _problem(name: str, value: object, kinds: tuple[str, ...]) -> str:
    """Return what is wrong with a value; empty if nothing is."""
    is_text = isinstance(value, str | bytes)
    for kind in kinds:
        if kind in _TYPES:
            if isinstance(value, _TYPES[kind]) and (kind == "bool" or not isinstance(value, bool)):
                return ""
        elif kind.startswith(_MAPPING):
            if isinstance(value, Mapping):
                return ""
        elif isinstance(value, Iterable) and not is_text and not isinstance(value, Mapping):
            return _wrong_item(name, value) if kind == _TEXTS else ""
    wanted = " or ".join(map(_word, kinds))
    is_one = isinstance(value, str) and any(kind.startswith(_LISTS) for kind in kinds)
    return f"`{name}` takes {wanted}, not {'one text' if is_one else type(value).__name__}"


def _wrong_item(name: str, value: Iterable[object]) -> str:
    """Return which item of a list is no text; an iterator is not read."""
    items = value if isinstance(value, list | tuple) else ()
    wrong = next(((at, one) for at, one in enumerate(items) if not isinstance(one, str)), None)
    return f"`{name}[{wrong[0]}]` takes str, not {type(wrong[1]).__name__}" if wrong else ""


def _word(kind: str) -> str:
    """Return the words for a type."""
    if kind == _TEXTS:
        return "a list of str"
    return "a dict" if kind.startswith(_MAPPING) else "a list" if kind.startswith(_LISTS) else kind
