"""JSON on one line, as the caches keep it, read and written by the C code below `json`.

The package around it compiles patterns for what nobody here asks of it, a fiftieth of a lint; where Python has another
`_json`, or none, it does the work.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

Scan = Callable[[str, int], tuple[Any, int]]
Encode = Callable[[object, int], tuple[str, ...]]


def _in_c() -> tuple[Scan, Encode]:
    from _json import encode_basestring_ascii, make_encoder, make_scanner

    hooks: dict[str, Any] = {"object_hook": None, "object_pairs_hook": None, "parse_constant": float}
    asks: Any = SimpleNamespace(strict=True, parse_float=float, parse_int=int, **hooks)
    scan = make_scanner(asks)
    encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ":", ",", False, False, True)  # noqa: FBT003
    return scan, encode


def _refuse(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is no type of JSON's")


def _in_python() -> tuple[Scan, Encode]:
    from json import JSONDecoder, JSONEncoder

    encoder = JSONEncoder(ensure_ascii=True, check_circular=False, separators=(",", ":"))
    return JSONDecoder().raw_decode, lambda value, _: (encoder.encode(value),)


try:
    _scan, _encode = _in_c()
except (AttributeError, ImportError, TypeError):
    _scan, _encode = _in_python()


def loads(data: bytes) -> Any:  # noqa: ANN401 - JSON is what it is; the caller checks
    """Read what `dumps` gave; raises ValueError for anything else."""
    text = data.decode()
    try:
        value, end = _scan(text, 0)
    except StopIteration as error:
        raise ValueError("no JSON") from error
    if end != len(text):
        raise ValueError("more than one value")
    return value


def dumps(value: object) -> bytes:
    """Write a value of JSON's types, in ASCII and without a space."""
    return "".join(_encode(value, 0)).encode()
