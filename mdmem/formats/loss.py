"""Decides from two versions of a file whether the later one has lost what the earlier one held."""

from __future__ import annotations

from typing import Literal, NamedTuple

Loss = Literal["", "gone", "empty", "binary", "short", "headless", "foreign"]

_BOMS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, which is text with NULs in it
_FEW = 2  # headings; of fewer, one that was renamed says nothing


class LossLimits(NamedTuple):
    """The numbers of `[lint]` that say when a shorter file is a loss."""

    ratio: float  # share of the bytes
    min_bytes: int  # of the earlier version


def loss(before: bytes, now: bytes | None, limits: LossLimits, *, again: bool = False) -> Loss:
    """Return how a version was lost; empty for a change like any other.

    gone: the file is missing. empty: only white space is left. binary: it has NUL bytes.
    short: it lost more than a share of its bytes, or, if it was lost before (`again`), more than half of its list
    items, or of its lines where it has no items: what a template writes anew brings nothing back.
    headless: its front matter is gone. foreign: none of its headings is left.
    """
    if not before.strip():
        return ""
    if now is None:
        return "gone"
    if not now.strip():
        return "empty"
    if _is_binary(now) and not _is_binary(before):
        return "binary"
    if len(before) >= limits.min_bytes and len(now) < len(before) * (1 - limits.ratio):
        return "short"
    held = _items(before) or _lines(before)
    if again and 2 * len(held & _lines(now)) < len(held):
        return "short"
    if _has_front_matter(before) and not _has_front_matter(now):
        return "headless"
    headings = {line for line in _lines(before) if line.startswith(b"#")}
    return "foreign" if len(headings) >= _FEW and not headings & _lines(now) else ""


def _is_binary(data: bytes) -> bool:
    return b"\0" in data and not data.startswith(_BOMS)


def _has_front_matter(data: bytes) -> bool:
    return data.removeprefix(b"\xef\xbb\xbf").startswith((b"---\n", b"---\r\n"))


def _items(data: bytes) -> set[bytes]:
    return {line for line in _lines(data) if line.startswith((b"- ", b"* ", b"+ "))}


def _lines(data: bytes) -> set[bytes]:
    return {line.strip() for line in data.splitlines() if line.strip()}
