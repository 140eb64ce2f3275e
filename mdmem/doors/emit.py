"""Writes what programs read to the standard output: JSON and patches, in UTF-8 whatever the locale says."""

from __future__ import annotations

import sys


def json(value: object) -> None:
    """Write one JSON value; a byte of a file that is no UTF-8 becomes an escape."""
    from json import dumps

    _write(dumps(value, ensure_ascii=False, indent=1) + "\n", "backslashreplace")


def raw(text: str) -> None:
    """Write a text as the file holds it, byte for byte."""
    _write(text, "surrogateescape")


def _write(text: str, errors: str) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", errors))
