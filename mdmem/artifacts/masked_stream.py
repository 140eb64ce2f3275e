"""Masks the secrets of an output while it is read, before any byte of it is stored.

The output is read in windows that overlap, so the time is linear and no secret is cut between two windows: what may
still go on in the next window is handed out with it.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from typing import BinaryIO

from mdmem.artifacts.summaries import binary_kind
from mdmem.linter.detect.secrets import Secret
from mdmem.linter.masking import every_secret, mask_in_place, printed_secrets

_WINDOW = 1 << 22  # bytes that are read at once
_OVERLAP = 1 << 15  # characters; more than the longest secret, a private key


class MaskedStream:
    """A binary stream with the secrets of another one masked; one that is not text is handed out as it is."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, getincrementaldecoder("utf-8")("surrogateescape")
        self._is_text: bool | None = None  # None before anything was read
        self._before, self._text = "", ""  # what was masked last, and what was read and is not masked yet
        self._out, self._at, self._ended = b"", 0, False  # what was masked and is not handed out yet
        self.masked = 0  # secrets in what was masked so far

    def read(self, size: int) -> bytes:
        """Return at most `size` bytes; empty at the end."""
        while self._at == len(self._out) and not self._ended:
            self._out, self._at = self._next(), 0
        data = self._out[self._at : self._at + size]
        self._at += len(data)
        return data

    def _next(self) -> bytes:
        data = b""
        while len(data) < _WINDOW and not self._ended:  # a pipe gives less than it is asked for
            piece = self._stream.read(_WINDOW - len(data))
            data, self._ended = data + piece, not piece
        if self._is_text is None:
            self._is_text = not binary_kind(data)
        if not self._is_text:
            return data
        self._text += self._decoder.decode(data, self._ended)
        secrets = list(printed_secrets(self._before + self._text, every_secret))
        begin = len(self._before)
        cut = begin + (len(self._text) if self._ended else self._cut(secrets, begin))
        whole = self._before + self._text
        found = [(name, max(start, begin) - begin, end - begin) for name, start, end in secrets if begin < end <= cut]
        text, count = mask_in_place(whole[begin:cut], found)
        self.masked += count
        self._before, self._text = whole[max(0, cut - _OVERLAP) : cut], whole[cut:]
        return text.encode("utf-8", "surrogateescape")

    def _cut(self, secrets: Iterable[Secret], begin: int) -> int:
        """Return how many characters no later window can change: to the end of a line, if there is one."""
        most = max(0, len(self._text) - _OVERLAP)
        cut = self._text.rfind("\n", 0, most) + 1 or most
        across = (start for _, start, end in secrets if start < begin + cut < end)
        return max(0, min(across, default=begin + cut) - begin)
