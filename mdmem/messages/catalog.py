"""The message catalogue: every sentence for users, from `templates/<lang>/*.toml`, returned by `say`.

A key is the path to a sentence: `pin.added` is `added` in `[pin]` of `messages.toml`, and `rules.MM301.message` stands
in `rules.toml`. `key.hint` says what to do next. A sentence that a language lacks is taken from English.

Parsing TOML would take too long for a warm start, so a parsed file is stored in the user's cache folder and read from
there until one of its sources changes.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any
from zlib import crc32

from mdmem.errors import ConfigError
from mdmem.messages.counted import counted
from mdmem.messages.folders import FALLBACK, cache_folder, languages, templates_folder

_FILES = ("rules", "pages", "help", "errors")  # tables in files of their own; `messages.toml` has the others
_END = "\0"  # separates the parts of the cached copy; occurs in no sentence


def say(lang: str, key: str, /, **facts: object) -> str:
    """Return a sentence with its facts filled in; a missing hint is empty."""
    return sentence(lang, key).format_map(counted(facts))


def sentence(lang: str, key: str) -> str:
    """Return the template of a sentence, with `{facts}` in it."""
    known = _sentences(_file(key), lang)
    if key in known:
        return known[key]
    if key.endswith(".hint"):
        return ""
    raise KeyError(key)


def label(lang: str, key: str, name: str) -> str:
    """Return the label of a key; the name itself if there is none, as for a word that a user wrote."""
    return _sentences(_file(key), lang).get(key, name)


def table(lang: str, name: str) -> dict[str, str]:
    """Return the templates of a table's sentences by their keys."""
    return {key: text for key, text in _sentences(_file(name), lang).items() if key.startswith(f"{name}.")}


def _file(key: str) -> str:
    name = key.partition(".")[0]
    return name if name in _FILES else "messages"


@cache
def _sentences(file: str, lang: str) -> Mapping[str, str]:
    """Return the sentences of a file in a language; missing ones are taken from English."""
    paths = [os.path.join(templates_folder(), one, f"{file}.toml") for one in dict.fromkeys((FALLBACK, lang))]
    signature = " ".join(map(_stamp, paths))
    folder = cache_folder()
    cached = os.path.join(folder, f"{file}-{lang}") if folder and lang in languages() else ""
    known = _read_cached(cached, signature) if cached else None
    if known is None:
        known = _parsed(file, paths)
        if cached:
            _write_cached(cached, signature, known)
    return known


def _parsed(file: str, paths: list[str]) -> dict[str, str]:
    """Parse the files, English first; a translation is ignored if it uses facts that the English sentence has not."""
    prefix = f"{file}." if file in _FILES else ""
    english, *translations = (dict(_flat(prefix, _read(path))) for path in paths)
    for other in translations:
        english |= {key: text for key, text in other.items() if key not in english or _fits(text, english[key])}
    return english


def _read(path: str) -> dict[str, Any]:
    import tomllib  # only if there is no cached copy

    name = "/".join(("templates", *path.split(os.sep)[-2:]))
    try:
        with open(path, "rb") as stream:
            return tomllib.load(stream)
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError("could not be read: {reason}", path=name, facts={"reason": str(error)}) from error


def _flat(prefix: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in values.items():
        if isinstance(value, dict):
            yield from _flat(f"{prefix}{key}.", value)
        elif isinstance(value, str) and _END not in value:
            yield prefix + key, value


def facts_of(text: str) -> set[str]:
    """Return the names of the facts in a sentence.

    Raises:
        ValueError: its braces are not paired.
    """
    from string import Formatter  # only if a file is parsed

    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def _fits(text: str, english: str) -> bool:
    try:
        return facts_of(text) <= facts_of(english)
    except ValueError:
        return False


def _stamp(path: str) -> str:
    try:
        seen = os.stat(path)
    except OSError:
        return f"{path} -"
    return f"{path} {seen.st_size} {seen.st_mtime_ns}"


def _read_cached(path: str, signature: str) -> dict[str, str] | None:
    """Return the cached copy; None if it is outdated or damaged."""
    try:
        with open(path, "rb") as stream:
            head, _, body = stream.read().partition(b"\n")
        if head != _head(signature, body):
            return None
        parts = body.decode().split(_END)
    except (OSError, UnicodeError):
        return None
    return dict(zip(parts[::2], parts[1::2], strict=True)) if body else {}


def _head(signature: str, body: bytes) -> bytes:
    return f"{crc32(body)} {signature}".encode("utf-8", "surrogateescape")


def _write_cached(path: str, signature: str, known: Mapping[str, str]) -> None:
    body = _END.join(part for pair in known.items() for part in pair).encode()
    temporary = f"{path}.{os.urandom(8).hex()}.tmp"
    with contextlib.suppress(OSError):  # without a cached copy, only the next start is slower
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        try:
            with open(temporary, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as stream:
                stream.write(_head(signature, body) + b"\n" + body)
            os.replace(temporary, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)
