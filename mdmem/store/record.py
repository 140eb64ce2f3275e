"""What the history says of a change: who, when, why, which files, and the digests before and after."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import os

from mdmem.core.record import NamedTuple

PRUNE = "artifact prune"  # the reason of a transaction that kept no version: evidence that was let go
EDITOR = "editor"  # the actor of what was saved by hand, or by another program


_DIGITS, _HEX = 64, frozenset("0123456789abcdef")


class Written(NamedTuple):
    """One file of a transaction, before and after, by the SHA-256 of its bytes; None is «no such file»."""

    path: str
    before: str | None
    after: str | None


class Transaction(NamedTuple):
    """One change, whole: every file of it, or none."""

    id: str
    time: str  # ISO 8601 with the offset from UTC
    actor: str
    reason: str
    files: tuple[Written, ...]
    undoes: str = ""  # the id of the transaction that this one takes back

    def line(self) -> bytes:
        """Give the line of the log, with its checksum in front, so that a torn or changed line is recognised."""
        values = self._asdict() | {"files": [list(one) for one in self.files]}
        text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "backslashreplace")
        return hashlib.blake2b(text, digest_size=8).hexdigest().encode() + b" " + text + b"\n"


def read_line(line: bytes) -> Transaction | None:
    """Read a line of the log; None for one that is torn or was changed."""
    check, _, text = line.rstrip(b"\n").partition(b" ")
    if hashlib.blake2b(text, digest_size=8).hexdigest().encode() != check:
        return None
    try:
        values = json.loads(text)
        found = Transaction(**values | {"files": tuple(Written(*one) for one in values["files"])})
    except (ValueError, KeyError, TypeError, RecursionError):  # a checksum can be forged
        return None
    return found if _is_sound(found) else None


def _is_sound(found: Transaction) -> bool:
    """Return True if every value has its type, and every digest is one: it will be the name of a file."""
    texts = (found.id, found.time, found.actor, found.reason, found.undoes, *(one.path for one in found.files))
    digests = (digest for one in found.files for digest in (one.before, one.after) if digest is not None)
    return all(isinstance(text, str) for text in texts) and all(map(is_fingerprint, digests))


def is_fingerprint(digest: object) -> bool:
    """Return True for what `fingerprint` returns."""
    return isinstance(digest, str) and len(digest) == _DIGITS and set(digest) <= _HEX


def new_id(now: dt.datetime) -> str:
    """Give an id for a transaction: its second in UTC, so that ids sort by time, and a part that no other has."""
    return f"{now.astimezone(dt.UTC):%Y%m%dT%H%M%S}-{os.urandom(4).hex()}"


def fingerprint(data: bytes) -> str:
    """Give the name that a version goes by in the history: the SHA-256 of its bytes, in hexadecimal."""
    return hashlib.sha256(data).hexdigest()
