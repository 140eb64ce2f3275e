"""Reads large JSON one element at a time, and JSON lines one line at a time; tells where a file is broken. Pure."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

_CHUNK = 1 << 16
_ELEMENT = 32 << 20  # characters of one element; more is no element of a memory
_NEAR_END = 16  # an error so close to the end of what was read may only be a cut
_SPACE = " \t\r\n\ufeff"


class JsonItem(NamedTuple):
    """One element of a JSON file: of its list, or of a list below one of its keys."""

    key: str  # the key of the object that it stands below; empty in a list
    value: Any
    line: int  # 1-based


class BrokenJsonError(ValueError):
    """The file is no valid JSON from this line on."""

    def __init__(self, line: int) -> None:
        super().__init__(f"line {line}")
        self.line = line


class _Buffer:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._decoder = stream, codecs.getincrementaldecoder("utf-8")("strict")
        self._json = json.JSONDecoder(strict=False)
        self.text, self.at, self.line, self.ended = "", 0, 1, False

    def more(self, least: int) -> None:
        """Read on; what was used up is dropped."""
        self.line += self.text.count("\n", 0, self.at)
        pieces, size = [self.text[self.at :]], 0
        self.text, self.at = "", 0
        while size < max(least, _CHUNK) and not self.ended:
            data = self._stream.read(_CHUNK)
            self.ended = not data
            try:
                piece = self._decoder.decode(data, final=not data)
            except UnicodeDecodeError as error:
                raise BrokenJsonError(self.line) from error
            pieces.append(piece)
            size += len(piece)
        self.text = "".join(pieces)

    def peek(self) -> str:
        """Return the next character that is no white space; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in _SPACE:
                self.at += 1
            if self.at < len(self.text) or self.ended:
                return self.text[self.at : self.at + 1]
            self.more(0)

    def take(self, wanted: str) -> str:
        """Read one of these characters."""
        found = self.peek()
        if not found or found not in wanted:
            raise BrokenJsonError(self.here)
        self.at += 1
        return found

    @property
    def here(self) -> int:
        return self.line + self.text.count("\n", 0, self.at)

    def value(self) -> Any:  # noqa: ANN401 - any JSON
        """Read one value."""
        self.peek()
        while True:
            rest = len(self.text) - self.at
            try:
                value, end = self._json.raw_decode(self.text, self.at)
            except (ValueError, RecursionError) as error:  # a number may have too many digits
                pos = error.pos if isinstance(error, json.JSONDecodeError) else 0
                is_cut = len(self.text) - pos < _NEAR_END or str(error).startswith("Unterminated")
                if self.ended or not is_cut or rest > _ELEMENT:
                    raise BrokenJsonError(self.line + self.text.count("\n", 0, max(pos, self.at))) from error
                self.more(rest)
                continue
            if end == len(self.text) and not self.ended:  # a number may go on
                self.more(rest)
                continue
            self.at = end
            return value


def stream_json(stream: BinaryIO) -> Iterator[JsonItem]:
    """Yield the elements of a JSON file: of a list, or of an object, whose lists are given element by element.

    Raises:
        BrokenJsonError: the file is broken; the elements before the break were yielded.
    """
    buffer = _Buffer(stream)
    if buffer.peek() == "[":
        yield from _elements(buffer, "")
        return
    buffer.take("{")
    if buffer.peek() == "}":
        return
    while True:
        key = buffer.value()
        buffer.take(":")
        if buffer.peek() == "[":
            yield from _elements(buffer, str(key))
        else:
            line = buffer.here
            yield JsonItem(str(key), buffer.value(), line)
        if buffer.take(",}") == "}":
            return


def _elements(buffer: _Buffer, key: str) -> Iterator[JsonItem]:
    buffer.take("[")
    if buffer.peek() == "]":
        buffer.take("]")
        return
    while True:
        buffer.peek()
        line = buffer.here
        yield JsonItem(key, buffer.value(), line)
        if buffer.take(",]") == "]":
            return


def stream_lines(stream: BinaryIO) -> Iterator[JsonItem | int]:
    """Yield the values of JSON lines; of a broken line, and of one that is too long, its number."""
    number = 0
    while data := stream.readline(_ELEMENT):
        number += 1
        if len(data) == _ELEMENT and not data.endswith(b"\n"):
            while (rest := stream.readline(_ELEMENT)) and not rest.endswith(b"\n"):
                pass
            yield number
            continue
        text = data.decode("utf-8", "replace").strip(_SPACE)
        if not text:
            continue
        try:
            yield JsonItem("", json.loads(text, strict=False), number)
        except (ValueError, RecursionError):
            yield number
