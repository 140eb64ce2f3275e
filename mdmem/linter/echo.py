"""Mask the secrets of somebody's own words where a message repeats them: a refusal, a usage error, an empty search."""

from __future__ import annotations

from collections.abc import Iterator

from mdmem.linter.detect.secrets import find_secrets
from mdmem.linter.detect.spoken_secrets import find_spoken

_LEAST = 3  # characters of a cut secret that are masked too
_CUT = ("", "…", "`", ".")  # what stands behind a secret that was cut


def masked(text: str, said: str) -> str:
    """Return a text in which each secret that `said` or the text itself holds is replaced by `[its name]`.

    Both are looked at: a message may quote the secret without the words that tell it for one, or a part of it.
    """
    found = dict(_secrets(said)) | dict(_secrets(text))
    for value in sorted(found, key=len, reverse=True):
        text = _replaced(text, value, f"[{found[value]}]")
    return text


def _secrets(text: str) -> Iterator[tuple[str, str]]:
    """Yield each secret of a text, with what it is called."""
    for name, start, end in (*find_secrets(text), *find_spoken(text, text.lower())):
        yield text[start:end], name


def _replaced(text: str, value: str, name: str) -> str:
    """Replace a value, and what a message cut of it."""
    text, done = text.replace(value, name), 0
    out: list[str] = []
    while (at := text.find(value[:_LEAST], done)) >= 0:
        end = at + _common(text, at, value)
        cut = text[end : end + 1] in _CUT
        out += (text[done:at], name if cut else text[at:end])
        done = end
    return "".join((*out, text[done:]))


def _common(text: str, at: int, value: str) -> int:
    """Return how many characters of a value stand in a text from a place on."""
    length = 0
    while length < len(value) and text[at + length : at + length + 1] == value[length]:
        length += 1
    return length
