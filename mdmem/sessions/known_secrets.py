"""`.mdmem/secrets/`: the secrets that were masked in a session, as salted digests, so that a repetition is masked too.

«My password is Zebra123!» is found by the words around the value; «I log in with Zebra123!» has none. A file holds for
each value its name, its length, twelve bits of a fast digest, and a slow one; never the value. Losing it only leaves
repetitions unmasked. A value that a text may contain by chance is not remembered: a short one, and plain words.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import NamedTuple

from mdmem.entries.tombstones import fast_digest, slow_digest
from mdmem.errors import MdmemError
from mdmem.linter.detect.secrets import Secret
from mdmem.store.durable import write_new
from mdmem.store.files import digest, read_json
from mdmem.store.root import Root, remove_older
from mdmem.store.walk import STATE_FOLDER
from mdmem.text.pattern import pattern

FOLDER = f"{STATE_FOLDER}/secrets"
_MOST = 40  # values of one session; the newest are kept
_SHORTEST, _LONGEST = 6, 128  # characters of a value
_COST = 1 << 12  # scrypt's N: 4 MB and some 10 ms a digest
_BITS = 3  # hexadecimal digits of the fast digest
_MOST_BYTES = 100_000
_RUN = pattern(r"[\x21-\x7e]{6,}")
_MARKED = pattern(r"[0-9@#$%^&*+=~!?]")
_START = pattern(r"(?<![A-Za-z0-9])[\x21-\x7e]|[^A-Za-z0-9]")  # where a value may begin in a run


class KnownSecret(NamedTuple):
    """One value, as it is stored."""

    name: str  # such as `password`
    length: int
    bits: str
    digest: str


class KnownSecrets:
    """The secrets of one session. Every call costs the same however long the session is."""

    def __init__(self, root: str, path: str = "") -> None:
        """Read what is known of a session, or of the one that it continues; without a path, nothing is known yet."""
        self._root, self._path, self._salt = root, path, ""
        self._values: tuple[KnownSecret, ...] = ()
        self._is_new = False
        self._digests: dict[bytes, str] = {}  # cache: a digest is slow
        if path:
            self._salt, self._values = _read(root, path)

    def find(self, text: str) -> Iterator[Secret]:
        """Yield each place where a text repeats a value, with its name."""
        if not self._values:
            return
        bits = {(one.length, one.bits) for one in self._values}
        names = {one.digest: one.name for one in self._values}
        lengths = sorted({one.length for one in self._values}, reverse=True)
        for run in _RUN.finditer(text):
            if _MARKED.search(text, *run.span()):
                for start, end in _candidates(run.group(), lengths):
                    value = run.group()[start:end].encode()
                    if (end - start, fast_digest(self._salt, value, 2)[:_BITS]) in bits and (
                        name := names.get(self._digest(value))
                    ):
                        yield name, run.start() + start, run.start() + end

    def add(self, text: str, secrets: Iterable[Secret]) -> None:
        """Remember the secrets of a text that a later text may repeat: the last ones of many, for a digest is slow."""
        found: dict[str, str] = {}
        for name, start, end in reversed(tuple(secrets)):
            value = text[start:end]
            if _SHORTEST <= end - start <= _LONGEST and _RUN.fullmatch(value) and _MARKED.search(value):
                found.setdefault(value, name)
            if len(found) == _MOST:
                break
        for value, name in reversed(found.items()):
            self._remember(name, value.encode())

    def _remember(self, name: str, value: bytes) -> None:
        self._salt = self._salt or os.urandom(16).hex()
        one = KnownSecret(name, len(value), fast_digest(self._salt, value, 2)[:_BITS], self._digest(value))
        if one.digest not in {known.digest for known in self._values}:
            self._values, self._is_new = (*self._values, one)[-_MOST:], True

    def _digest(self, value: bytes) -> str:
        if value not in self._digests:
            self._digests[value] = slow_digest(self._salt, value, _COST)
        return self._digests[value]

    def save(self, path: str, keep_days: int) -> None:
        """Write what is new for the session of this path; a failure is no reason to lose a turn.

        What was written for another session more than `keep_days` ago is removed.
        """
        if not path or not self._values or (path == self._path and not self._is_new):
            return
        data = json.dumps({"salt": self._salt, "values": self._values}).encode()
        with suppress(OSError, MdmemError), Root(self._root) as opened:
            name = _name(path)
            write_new(opened.place(name, make=True).name, data, name)
            self._path, self._is_new = path, False
        remove_older(self._root, FOLDER, keep_days)


def _candidates(run: str, lengths: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a run that have one of these lengths and do not begin or end inside a word."""
    for match in _START.finditer(run):
        for length in lengths:
            end = match.start() + length
            if end <= len(run) and not (end < len(run) and run[end].isalnum() and run[end - 1].isalnum()):
                yield match.start(), end


def _name(path: str) -> str:
    return f"{FOLDER}/{digest(path)[:32]}.json"


def _read(root: str, path: str) -> tuple[str, tuple[KnownSecret, ...]]:
    """Return the salt and the values of a session; nothing if there are none, or the file is damaged."""
    found = read_json(root, _name(path), _MOST_BYTES)
    salt, values = found.get("salt"), found.get("values")
    try:
        if not isinstance(salt, str) or not isinstance(values, list) or not bytes.fromhex(salt):
            return "", ()
        return salt, tuple(KnownSecret(str(a), int(b), str(c), str(d)) for a, b, c, d in values)
    except (ValueError, TypeError):
        return "", ()
