"""Compares two versions of a file to detect that content was lost."""

from __future__ import annotations

from typing import Literal, NamedTuple

Loss = Literal["", "gone", "empty", "binary", "short", "headless", "foreign"]

_BOMS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16, which is text that contains NUL bytes
_FEW = 2  # headings; with fewer, a renamed one is no sign of loss


class LossLimits(NamedTuple):
    """The numbers of `[lint]` from which a shorter file counts as lost."""

    ratio: float  # share of the bytes
    min_bytes: int  # of the earlier version


def loss(before: bytes, now: bytes | None, limits: LossLimits, *, again: bool = False) -> Loss:
    """Return how content was lost; empty for an ordinary change.

    gone: the file is missing. empty: only white space is left. binary: it has NUL bytes.
    short: it lost more than a share of its bytes, or, if it was lost before (`again`), more than half of its list
    items, or of its lines if it has no items, because a new file from a template restores nothing.
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
    old_items = _items(before) or _lines(before)
    if again and 2 * len(old_items & _lines(now)) < len(old_items):
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
